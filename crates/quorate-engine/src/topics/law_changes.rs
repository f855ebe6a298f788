//! The patches that posts carry: their conditions, their changes of the law, and all their other changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use quorate_kernel::event::{NoteKind, NoteTopic};
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::seal::Sealed;
use quorate_kernel::state::State;
use quorate_kernel::{Name, PostId, Refusal, Thing, rows};
use quorate_law::datum::{Datum, Record};
use quorate_law::stop::{Answer, Site, Stop};

use super::payments::beyond_numbers;
use super::people::EFFECTS;
use super::{
    change_records, entities, held, hooks, last_look, new_law, people, posts, rules, rulings,
    values,
};
use crate::convert;
use crate::law::Law;
use crate::rulebook::EDITION;
use crate::tx::{Enacting, Frame, Tx};

/// The edition of the library from which on a condition of a patch changes nothing, whatever it calls.
const ASKS_SINCE: u16 = 2;

/// What the law leaves out of a post that it enacts.
pub(crate) struct LeftOut {
    post: PostId,
    /// Changes of it, or a function of the post that gives them.
    said: Datum,
    /// Whose code says so.
    frame: Frame,
}

impl LeftOut {
    /// The changes that are left out as things stand.
    fn changes(&self, tx: &Tx) -> Answer<Vec<Arc<Record>>> {
        let said = match &self.said {
            Datum::Function(name) => {
                let post = Datum::Thing(Thing::Post(self.post));
                tx.within(self.frame.clone(), || tx.call(name, vec![post]))?
            }
            changes => changes.clone(),
        };
        let Datum::List(changes) = said else {
            return Ok(Vec::new());
        };
        let changes = changes.iter().filter_map(|change| match change {
            Datum::Record(record) => Some(Arc::clone(record)),
            _ => None,
        });
        Ok(changes.collect())
    }

    /// Whether what a script or a ruling did since then may stay: the law knows it from here on like every other change.
    fn lets_stay(&self, tx: &Tx, at: &str, before: &State) -> Result<(), String> {
        if !matches!(self.said, Datum::Function(_)) {
            return Ok(());
        }
        tx.note_done(self.post, change_records::done_since(tx, at, before));
        let left_out = self.changes(tx).map_err(rules::plain)?;
        let here = |change: &&Arc<Record>| change.text("at").is_some_and(|place| **place == *at);
        match left_out.iter().find(here) {
            None => Ok(()),
            Some(change) => Err(format!(
                "left out, for it does this: {}",
                change_records::describe(change)
            )),
        }
    }
}

/// Enacts what a post carries, but for the changes left out.
pub(crate) fn apply_post(tx: &Tx, post: PostId, leave_out: Datum) -> Answer<()> {
    tx.note_enacted(post);
    let Some(patch) = posts::patch_of(tx, post) else {
        return Ok(());
    };
    let left_out = LeftOut {
        post,
        said: leave_out,
        frame: tx.frame(),
    };
    if tx.enacting() == Enacting::Not {
        tx.set_enacting(Enacting::Whole);
    }
    apply_patch(tx, &patch, Some(&left_out))
}

/// Makes the changes of a patch: the law first, so that values and code find it as it will be, then the rest in order.
pub(crate) fn apply_patch(tx: &Tx, patch: &Patch, left_out: Option<&LeftOut>) -> Answer<()> {
    let records = left_out.map(|left_out| left_out.changes(tx)).transpose()?;
    let records = records.unwrap_or_default();
    let places: Vec<&str> = records
        .iter()
        .filter_map(|change| Some(&**change.text("at")?))
        .collect();
    let post = left_out.map(|left_out| left_out.post);
    let clauses = flatten(tx, &patch.clauses, "", &places, post)?;
    // A ruling settles what the game is that the other changes are made to.
    let (rulings, clauses): (Vec<_>, Vec<_>) = clauses
        .into_iter()
        .partition(|(_, clause)| matches!(clause, Clause::Strike { .. }));
    for (at, clause) in &rulings {
        apply_one(tx, at, clause, left_out);
    }
    let (places, clauses): (Vec<_>, Vec<_>) = clauses.into_iter().unzip();
    change_law(tx, &clauses);
    if tx.law_changed() {
        new_law::take(tx);
    }
    let law = tx.coming_law();
    let site = Site {
        rule: EFFECTS.into(),
        ..Site::default()
    };
    let frame = Frame {
        law,
        site,
        action: None,
        ..tx.frame()
    };
    tx.within(frame, || {
        for (at, clause) in places.iter().zip(&clauses) {
            if !is_of_law(clause) {
                apply_one(tx, at, clause, left_out);
            }
        }
    });
    Ok(())
}

/// The changes that a patch would make now, those under a condition that holds in its place; nothing is noted.
pub(crate) fn would_make(tx: &Tx, patch: &Patch) -> Answer<Vec<Clause>> {
    let run = tx.beside(&tx.state(), tx.now, &tx.law);
    let clauses = flatten(&run, &patch.clauses, "", &[], None)?;
    Ok(clauses.into_iter().map(|(_, clause)| clause).collect())
}

/// Refuses the change of a number that would leave 64 bits.
pub(crate) fn within_numbers(tx: &Tx, clause: &Clause) -> Answer<()> {
    if let Clause::AddToValue {
        thing,
        name,
        amount,
    } = clause
        && let Ok(Datum::Int(now)) = values::attribute(tx, thing, name.as_str())
        && now.checked_add(*amount).is_none()
    {
        return Err(Stop::no("a number within 64 bits"));
    }
    Ok(())
}

/// Makes what a post's patch changes of the law and nothing else, and compiles nothing: what the rules would read.
pub(crate) fn apply_law(tx: &Tx, patch: &Patch, post: PostId) -> Answer<()> {
    let clauses = flatten(tx, &patch.clauses, "", &[], Some(post))?;
    let clauses: Vec<_> = clauses.into_iter().map(|(_, clause)| clause).collect();
    change_law(tx, &clauses);
    Ok(())
}

fn change_law(tx: &Tx, clauses: &[Clause]) {
    let mut amended: BTreeSet<&Name> = BTreeSet::new();
    for clause in clauses.iter().filter(|clause| is_of_law(clause)) {
        match clause {
            // Prose and code of a rule may be amended in several places: one half of that is not what was voted on.
            Clause::AmendRule { id, .. } if amended.insert(id) => {
                rules::amend(tx, id, clauses);
            }
            Clause::AmendRule { .. } => {}
            other => apply_to_law(tx, other),
        }
    }
}

/// The clauses that go in, each with its place: those left out are dropped, and conditional ones asked.
fn flatten(
    tx: &Tx,
    clauses: &[Clause],
    prefix: &str,
    left_out: &[&str],
    post: Option<PostId>,
) -> Answer<Vec<(String, Clause)>> {
    let mut flat = Vec::new();
    for (index, clause) in clauses.iter().enumerate() {
        let at = format!("{prefix}{index}");
        if left_out.contains(&at.as_str()) {
            tx.say_of(NoteKind::Skipped, NoteTopic::LeftOut(summary(clause)));
            continue;
        }
        match clause {
            Clause::When { test, clauses } => {
                if test_holds(tx, test, post) {
                    flat.extend(flatten(tx, clauses, &format!("{at}."), left_out, post)?);
                } else {
                    tx.note_unmet(test);
                }
            }
            other => flat.push((at, other.clone())),
        }
    }
    Ok(flat)
}

/// Asks the condition of a clause: an expression of rule code over `post`.
fn test_holds(tx: &Tx, test: &str, post: Option<PostId>) -> bool {
    let code = format!("def run(post: Post | None) -> bool:\n    return {test}\n");
    let law = tx.frame().law;
    let arg = post.map_or(Datum::None, |post| Datum::Thing(Thing::Post(post)));
    let mark = tx.mark();
    let answer = run_script(tx, &law, &code, vec![arg]);
    // Who asks changes nothing.
    if law.code.edition() >= ASKS_SINCE {
        tx.go_back(mark);
    }
    match answer {
        Ok(answer) => answer == Datum::Bool(true),
        Err(text) => {
            tx.say(
                NoteKind::Skipped,
                format!("the condition cannot be asked: {test}: {text}"),
            );
            false
        }
    }
}

/// Runs one-off code of a patch. What it does is kept or undone as a whole.
fn run_script(tx: &Tx, law: &Arc<Law>, code: &str, args: Vec<Datum>) -> Result<Datum, String> {
    if !tx.reads_script(code) {
        return Err("the code of the patch takes too many steps in all".to_owned());
    }
    let script = law.code.script("script", code).map_err(|diagnostics| {
        diagnostics.first().map_or_else(
            || "it does not check".to_owned(),
            |first| format!("line {}: {}", first.line, first.text),
        )
    })?;
    let mark = tx.mark();
    let answer = tx.call_script(&script, args);
    match answer {
        Ok(datum) => Ok(datum),
        Err(stop) => {
            tx.go_back(mark);
            Err(match stop {
                Stop::Refused(refusal) => refusal.to_string(),
                Stop::Broken(fault) => fault.text,
                Stop::Asks(question) => format!(
                    "it asks \"{}\", and nobody is there to answer",
                    question.what
                ),
            })
        }
    }
}

fn apply_to_law(tx: &Tx, clause: &Clause) {
    let skipped = match clause {
        Clause::AddRule {
            id,
            section,
            parent,
            after,
            title,
            text,
            tags,
        } => {
            let place = (section, parent.as_ref(), after.as_ref());
            rules::add(tx, id, place, title, text, tags)
        }
        Clause::RenameRule { id, title } => {
            let unnamed =
                || tx.with_state(|state| state.about.get(&()).map(|about| about.unnamed.clone()));
            let title = if title.trim().is_empty() {
                unnamed().unwrap_or_default()
            } else {
                title.clone()
            };
            rules::known(tx, id).and_then(|()| {
                rules::change(tx, id, |rule| rule.title = title).map_err(rules::plain)
            })
        }
        Clause::MoveRule {
            id,
            section,
            parent,
            after,
        } => rules::known(tx, id)
            .and_then(|()| rules::move_to(tx, id, section, parent.as_ref(), after.as_ref())),
        Clause::RepealRule { id } => rules::known(tx, id).map(|()| rules::repeal(tx, id)),
        Clause::SwitchRule { id, on } => {
            rules::known(tx, id).and_then(|()| rules::switch(tx, id, *on).map_err(rules::plain))
        }
        _ => Ok(()),
    };
    if let Err(why) = skipped {
        tx.say(NoteKind::Skipped, format!("{}: {why}", summary(clause)));
    }
}

/// Makes one change that is not one of law. What cannot be made is left out and noted.
fn apply_one(tx: &Tx, at: &str, clause: &Clause, left_out: Option<&LeftOut>) {
    let mark = tx.mark();
    let before = tx.state();
    let stood = tx.enacting() == Enacting::OneByOne && last_look::check(tx).is_ok();
    let done = match clause {
        Clause::Script { code } => {
            let law = tx.frame().law;
            run_script(tx, &law, &as_function(code), vec![]).map(|_| ())
        }
        Clause::Prose { text } => {
            tx.say(NoteKind::Said, format!("for people to do: {text}"));
            Ok(())
        }
        Clause::SetValue { thing, name, .. } | Clause::AddToValue { thing, name, .. }
            if left_out.is_some() =>
        {
            held::set(tx, (thing, name), &summary(clause), || {
                set_value(tx, clause)
            })
            .map_err(rules::plain)
        }
        other => apply_plain(tx, other).map_err(rules::plain),
    };
    let done = match done {
        Ok(()) if tx.enacting() == Enacting::OneByOne && stood => stands(tx).map_err(rules::plain),
        other => other,
    };
    let unforeseen = matches!(clause, Clause::Script { .. } | Clause::Strike { .. });
    let done = match left_out {
        Some(left_out) if unforeseen => done.and_then(|()| left_out.lets_stay(tx, at, &before)),
        _ => done,
    };
    if let Err(why) = done {
        tx.go_back(mark);
        tx.say(NoteKind::Skipped, format!("{}: {why}", summary(clause)));
    }
}

/// Whether what a change made may stand by itself: values within their ranges, and no hook takes back what was created.
fn stands(tx: &Tx) -> Answer<()> {
    let (created, others): (Vec<_>, Vec<_>) = tx
        .take_happenings()
        .into_iter()
        .partition(|happening| happening.what == "created");
    for other in others {
        tx.happen(other.what, other.kind, other.args);
    }
    let frame = Frame {
        law: Arc::clone(&tx.law),
        ..tx.frame()
    };
    for happening in &created {
        tx.within(frame.clone(), || hooks::on_happening(tx, happening))?;
    }
    last_look::check(tx)
}

/// Sets a value or adds to it. Says what it is to be, and which clause makes it something else, if one does.
fn set_value(tx: &Tx, clause: &Clause) -> Answer<(Datum, Option<Site>)> {
    let (thing, name, said) = match clause {
        Clause::SetValue { thing, name, value } => (thing, name, convert::datum(value)),
        Clause::AddToValue {
            thing,
            name,
            amount,
        } => match values::attribute(tx, thing, name.as_str())? {
            Datum::Int(now) => {
                let more = now.checked_add(*amount).ok_or_else(beyond_numbers)?;
                (thing, name, Datum::Int(more))
            }
            other => {
                return Err(Stop::fault(format!(
                    "{name} holds {}, to which nothing can be added",
                    convert::describe(&other)
                )));
            }
        },
        _ => return Err(Stop::fault("the change sets no value")),
    };
    let by = values::set_by_filters(tx, thing, name.as_str(), said.clone())?;
    Ok((said, by))
}

fn apply_plain(tx: &Tx, clause: &Clause) -> Answer<()> {
    match clause {
        Clause::SetValue { .. } | Clause::AddToValue { .. } => set_value(tx, clause).map(|_| ()),
        Clause::CreateThing { kind, values } => {
            let values = values
                .iter()
                .map(|(name, value)| (name.clone(), convert::datum(value)))
                .collect();
            entities::create(tx, kind, values).map(|_| ())
        }
        Clause::RemoveThing { thing } => entities::remove(tx, thing),
        Clause::SetTerm { name, one, many } => rules::set_term(tx, name, one, many),
        Clause::RenamePlayer {
            thing: Thing::Player(id),
            name,
        } => people::rename(tx, *id, name),
        Clause::RemovePlayer {
            thing: Thing::Player(id),
            bar,
        } => people::depart(tx, *id, *bar),
        Clause::SetPage { name, text } => {
            let new = rows::PageText {
                text: Sealed::close(text.as_str(), tx.salt()),
                by: tx.seq,
            };
            tx.put(name.clone(), new);
            Ok(())
        }
        Clause::SetStatus { post, status } => posts::close(tx, *post, status.as_str(), ""),
        Clause::Strike { events, uphold } => rulings::rule_on(tx, events, uphold),
        // A repair has moved it before anything else.
        Clause::ChangeEdition { edition } if edition_of(tx) == *edition => Ok(()),
        Clause::ChangeEdition { .. } => Err(Stop::fault(
            "only an operator of the server can move a game to another edition, by a repair",
        )),
        _ => Err(Stop::fault(
            "the change names nobody that it could be made to",
        )),
    }
}

fn edition_of(tx: &Tx) -> u16 {
    tx.with_state(|state| state.about.get(&()).map_or(1, |about| about.edition))
}

/// Has a game judged under a later edition of the library from here on: its rules are compiled anew under that.
pub(crate) fn change_edition(tx: &Tx, edition: u16) -> Answer<()> {
    let now = edition_of(tx);
    if edition <= now || edition > EDITION {
        let refusal = Refusal::plain(format!("a later edition, up to {EDITION}"));
        return Err(refusal
            .having(now.to_string())
            .wanting(edition.to_string())
            .into());
    }
    tx.change::<rows::About>((), |about| about.edition = edition);
    tx.say(
        NoteKind::Said,
        format!("judged under edition {edition} from here on"),
    );
    Ok(())
}

/// Statements become the body of a function; a text that defines `run` stays as it is.
fn as_function(code: &str) -> String {
    if code.lines().any(|line| line.starts_with("def run(")) {
        return code.to_owned();
    }
    let body: Vec<String> = code.lines().map(|line| format!("    {line}")).collect();
    format!("def run():\n{}\n    pass\n", body.join("\n"))
}

fn is_of_law(clause: &Clause) -> bool {
    clause.rule().is_some()
}

/// A change in a few words, for the log.
fn summary(clause: &Clause) -> String {
    match clause.rule() {
        Some(rule) => format!("{} ({rule})", clause.kind()),
        None => match clause {
            Clause::SetValue { name, .. } | Clause::AddToValue { name, .. } => {
                format!("{} ({name})", clause.kind())
            }
            Clause::CreateThing { kind, .. } => format!("{} ({kind})", clause.kind()),
            _ => clause.kind().to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use quorate_kernel::Value;

    use super::*;
    use crate::tiny_game::game;

    #[test]
    fn changes_are_made_in_order_and_what_cannot_be_made_is_noted() {
        let mut game = game("fish = number(\"Fish\", of = player)");
        let anna = Thing::Player(game.anna);
        let set = |name: &str, value| Clause::SetValue {
            thing: anna.clone(),
            name: name.into(),
            value: Value::Int(value),
        };
        let event = game.change(vec![set("fish", 2), set("cats", 1)]);
        assert_eq!(game.value("fish"), Datum::Int(2));
        let skipped = event
            .notes
            .iter()
            .filter(|note| note.kind == NoteKind::Skipped);
        assert_eq!(skipped.count(), 1);
    }

    #[test]
    fn what_hangs_on_a_condition_is_made_where_it_holds() {
        let mut game = game("fish = number(\"Fish\", of = player)");
        let add = |amount| Clause::AddToValue {
            thing: Thing::Player(game.anna),
            name: "fish".into(),
            amount,
        };
        let when = |test: &str, clause| Clause::When {
            test: test.into(),
            clauses: vec![clause],
        };
        let clauses = vec![when("1 < 2", add(1)), when("1 > 2", add(10))];
        game.change(clauses);
        assert_eq!(game.value("fish"), Datum::Int(1));
    }
}
