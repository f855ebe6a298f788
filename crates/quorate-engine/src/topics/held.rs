//! Values that a matter sets and that other rules put back or make something else within the same event. The matter's change
//! was voted on, so the log says that it does not hold, and whose clause that is.

use quorate_kernel::effect::Effect;
use quorate_kernel::event::{NoteKind, NoteTopic};
use quorate_kernel::rows::CellKey;
use quorate_kernel::{Name, Thing};
use quorate_law::datum::Datum;
use quorate_law::declare::ShownTo;
use quorate_law::stop::{Answer, Site};

use super::{labels, things, values};
use crate::inputs::SaidValue;
use crate::tx::{Frame, Tx};
use crate::words::worded;

/// So much of a value is told in the log, which has it whole in what changed.
const WORDS_MAX: usize = 60;

/// Has a matter set a value by `set`, which gives what it is to be and the clause that makes it something else.
pub(super) fn set(
    tx: &Tx,
    (thing, name): (&Thing, &Name),
    change: &str,
    set: impl FnOnce() -> Answer<(Datum, Option<Site>)>,
) -> Answer<()> {
    let before = values::attribute(tx, thing, name.as_str()).unwrap_or_default();
    let (said, by) = set()?;
    let said = SaidValue {
        key: CellKey {
            thing: thing.clone(),
            name: name.clone(),
        },
        change: change.to_owned(),
        before,
        said,
    };
    match by {
        Some(site) => tell(tx, &said, &site),
        None => tx.note_said(said),
    }
    Ok(())
}

/// What stands as matters have said, before other rules hear of it.
pub(crate) fn standing(tx: &Tx) -> Vec<SaidValue> {
    let mut said = tx.said();
    said.retain(|said| now(tx, said).as_ref() == Some(&said.said));
    said
}

/// Tells of what stood so and, after all that followed, does not any more.
pub(crate) fn tell_rest(tx: &Tx, said: &[SaidValue]) {
    for said in said {
        if now(tx, said).is_some_and(|now| now != said.said)
            && let Some(site) = last_writer(tx, &said.key)
        {
            tell(tx, said, &site);
        }
    }
}

/// What such a value is now; nothing where the thing is gone, or the value itself.
fn now(tx: &Tx, said: &SaidValue) -> Option<Datum> {
    let SaidValue { key, .. } = said;
    let is_there = things::exists(tx, &key.thing);
    let now = is_there.then(|| values::attribute(tx, &key.thing, key.name.as_str()));
    now?.ok()
}

/// The clause that wrote a value last.
fn last_writer(tx: &Tx, of: &CellKey) -> Option<Site> {
    tx.with_steps(|steps| {
        let mut steps = steps.iter().rev();
        let last = steps.find(|step| matches!(&step.effect, Effect::Cell { key, .. } if key == of));
        last.map(|step| Site {
            rule: step.rule.clone(),
            clause: step.clause,
            line: 0,
        })
    })
}

fn tell(tx: &Tx, said: &SaidValue, site: &Site) {
    let SaidValue { key, .. } = said;
    let kind = things::kind_of(tx, &key.thing).unwrap_or_default();
    let law = tx.frame().law;
    let Some(decl) = law.value(&kind, key.name.as_str()) else {
        return;
    };
    // Everybody reads the log.
    let is_told = |now: &Datum| decl.it.shown_to == ShownTo::All && *now != said.said;
    let Some(now) = now(tx, said).filter(is_told) else {
        return;
    };
    let title = match &key.thing {
        Thing::Player(id) => format!("{} of {}", decl.it.title, things::name_of(tx, *id)),
        _ => decl.it.title.clone(),
    };
    let words = |datum: &Datum| {
        let label = labels::label(tx, datum);
        match label.char_indices().nth(WORDS_MAX) {
            Some((end, _)) => format!("{}…", &label[..end]),
            None if label.is_empty() => "nothing".to_owned(),
            None => label,
        }
    };
    let rule = worded_title(tx, site);
    let (change, is) = (&said.change, words(&now));
    let because = if now == said.before {
        format!("{rule} keeps {title} at {is}")
    } else {
        format!("{rule} makes {title} {is} and not {}", words(&said.said))
    };
    let topic = NoteTopic::LeftOut(format!("{change}, because {because}"));
    let frame = Frame {
        site: site.clone(),
        ..tx.frame()
    };
    tx.within(frame, || tx.say_of(NoteKind::Skipped, topic));
}

/// "Combat, clause 3".
fn worded_title(tx: &Tx, site: &Site) -> String {
    let law = tx.frame().law;
    let title = tx.with_state(|state| worded(state, &law.place(&site.rule).title));
    match site.clause {
        0 => title,
        clause => format!("{title}, clause {clause}"),
    }
}

#[cfg(test)]
mod tests {
    use quorate_kernel::patch::{Clause, Patch};
    use quorate_kernel::seal::Sealed;
    use quorate_kernel::{Thing, Value};
    use quorate_law::datum::Datum;

    use crate::tiny_game::{TinyGame, game, new_post};

    const BILLS: &str = r#"category("Bill", statuses = ["pending", "enacted"])
gold = number("Gold", of = player, max = 50, outside = "clamp")
fish = number("Fish", of = player)
secret = number("Secret", of = player, shown_to = "owner", max = 5, outside = "clamp")
rank = text("Rank", of = player, default = "Private")

def enact(actor: Player, bill: Bill):
    apply(bill)
    close(bill, "enacted")

def reward(actor: Player, bill: Bill):
    actor.fish += 1

action("enact", enact)
after("enact", reward)
```

2. So it is too.

```starlark
def at_most_ten(new: int, p: Player, old: int) -> int:
    return old if new - old > 10 else new

def keep(p: Player, old: int, new: int):
    if p.fish > 7:
        p.fish = old

def odd(p: Player) -> bool:
    return p.rank not in ["Private", "General"]

def demote(p: Player):
    p.rank = "General"

modify("gold", at_most_ten)
changed("fish", keep, of = player)
automatic("demotion", demote, of = player, when = odd)"#;

    /// What the log says of a bill of such changes that is enacted.
    fn enacted(game: &mut TinyGame, clauses: Vec<Clause>) -> Vec<String> {
        let mut bill = new_post("Bill", "A bill");
        bill.patch = Some(Sealed::close(Patch { clauses }, [0; 16]));
        let bill = game.post(bill).expect("anybody may");
        let bill = [("bill", Value::Thing(Thing::Post(bill)))];
        let event = game.act("enact", &bill).expect("anybody may");
        let notes = event.notes.iter().map(|note| note.text.clone());
        notes.collect()
    }

    #[test]
    fn what_a_filter_keeps_back_is_told_with_its_clause() {
        let mut game = game(BILLS);
        let set = game.set("gold", 20);
        assert_eq!(
            enacted(&mut game, vec![set]),
            ["left out: value set (gold), because House, clause 2 keeps Gold of Anna at 0"]
        );
        let set = game.set("gold", 8);
        assert!(enacted(&mut game, vec![set]).is_empty());
        for gold in [18, 28, 38, 48] {
            let set = game.set("gold", gold);
            assert!(enacted(&mut game, vec![set]).is_empty());
        }
        let set = game.set("gold", 53);
        assert_eq!(
            enacted(&mut game, vec![set]),
            [
                "left out: value set (gold), because House, clause 1 makes Gold of Anna 50 and not 53"
            ]
        );
    }

    #[test]
    fn what_a_hook_or_an_automatic_thing_makes_of_it_is_told_and_what_comes_on_top_is_not() {
        let mut game = game(BILLS);
        let set = game.set("fish", 3);
        assert!(enacted(&mut game, vec![set]).is_empty(), "one on top");
        assert_eq!(game.value("fish"), Datum::Int(4));
        let promoted = Clause::SetValue {
            thing: Thing::Player(game.anna),
            name: "rank".into(),
            value: Value::Word("Captain".into()),
        };
        assert_eq!(
            enacted(&mut game, vec![promoted]),
            [
                "left out: value set (rank), because House, clause 2 makes Rank of Anna General and not Captain"
            ]
        );
    }

    #[test]
    fn of_what_is_set_twice_the_last_counts_and_of_what_not_everybody_sees_nothing_is_told() {
        let mut game = game(BILLS);
        let twice = vec![game.set("gold", 4), game.set("gold", 6)];
        assert!(enacted(&mut game, twice).is_empty());
        let secret = game.set("secret", 9);
        assert!(enacted(&mut game, vec![secret]).is_empty());
    }
}
