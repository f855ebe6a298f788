//! Who may change what by hand. A claim is asked about change by change: a guard sees what would change, and what no rule
//! permits is refused. The clause of a sleeping fence is played by hand without a permission, for what its code did.

use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::rows::{ClauseKey, Post};
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Name, PlayerId, PostId, Refusal, Thing};
use quorate_law::datum::Datum;
use quorate_law::declare::CategoryDecl;
use quorate_law::stop::{Answer, Site, Stop};

use super::change_records::{identifiers, names};
use super::guards::{self, Attempt};
use super::{change_records, law_changes, people, things};
use crate::law::{At, fences_of};
use crate::tx::Tx;

/// The act, as guards call it.
pub(crate) const CLAIM: &str = "claim";

/// The edition of the library from which on a claim is closed unless a rule opens it. Games of an earlier one go on as they were.
const CLOSED_SINCE: u16 = 2;

/// Asks the guards about each change of a claim. Changes whose condition does not hold are not made and so not asked about.
pub(crate) fn check(tx: &Tx, player: PlayerId, rule: &Name, patch: &Patch) -> Answer<()> {
    let clauses = law_changes::would_make(tx, patch)?;
    let asleep = sleeping_code(tx, rule, player);
    for clause in &clauses {
        // What leaves 64 bits cannot be made, and no guard is asked about a change that has no end.
        law_changes::within_numbers(tx, clause).map_err(|stop| about(tx, stop, clause))?;
        let attempt = attempt(tx, player, rule, clause);
        let is_open = tx.law.code.edition() < CLOSED_SINCE
            || nothing_is_voted_on(tx)
            || asleep
                .iter()
                .any(|code| stands_in_for(tx, code, clause, &clauses));
        let answer = if is_open {
            guards::check_forbidden(tx, &attempt)
        } else {
            guards::check(tx, &attempt)
        };
        answer.map_err(|stop| about(tx, stop, clause))?;
    }
    Ok(())
}

/// Whether no post of this law can be voted on: then all is by hand, for nothing else could mend it.
pub(crate) fn nothing_is_voted_on(tx: &Tx) -> bool {
    let votes = |category: &At<CategoryDecl>| !category.it.icons.is_empty();
    !tx.law.categories.values().any(votes)
}

/// Whether people enact by hand what a pending matter carries: no code of the law does, or the claim rests on a rule whose action
/// sleeps and would have served whoever makes it.
pub(crate) fn people_enact(tx: &Tx, player: PlayerId, rule: &Name) -> bool {
    let enacts = |body: &Name| tx.law.enacts.contains(body) && !tx.law.breaking.contains(body);
    let by_action = tx.law.actions.values().any(|decl| enacts(&decl.it.body));
    let by_itself = tx.law.automatics.iter().any(|decl| enacts(&decl.it.body));
    let acts = |code: &String| names(code, "action");
    !by_action && !by_itself || sleeping_code(tx, rule, player).iter().any(acts)
}

fn attempt(tx: &Tx, player: PlayerId, rule: &Name, clause: &Clause) -> Attempt {
    let args = vec![
        (Name::from("rule"), Datum::Thing(Thing::Rule(rule.clone()))),
        (
            Name::from("change"),
            change_records::of_claim(tx, clause, rule),
        ),
    ];
    guards::built_in(tx, &CLAIM.into(), player, None, args)
}

/// A refusal says which of the changes it is about.
fn about(tx: &Tx, stop: Stop, clause: &Clause) -> Stop {
    match stop {
        Stop::Refused(mut refusal) => {
            if let Some(first) = refusal.needs.first_mut()
                && first.have.is_empty()
            {
                first.have = describe(tx, clause);
            }
            Stop::Refused(refusal)
        }
        other => other,
    }
}

/// A change in words, for whoever tried it.
fn describe(tx: &Tx, clause: &Clause) -> String {
    let name = |thing: &Thing| match thing {
        Thing::Player(id) => format!(" of {}", things::name_of(tx, *id)),
        _ => String::new(),
    };
    let title = |thing: &Thing, name: &Name| {
        let kind = things::kind_of(tx, thing).unwrap_or_default();
        let law = tx.frame().law;
        let decl = law.value(&kind, name.as_str());
        decl.map_or_else(|| name.to_string(), |decl| decl.it.title.clone())
    };
    match clause {
        Clause::SetValue {
            thing, name: value, ..
        }
        | Clause::AddToValue {
            thing, name: value, ..
        } => format!("{}{}", title(thing, value), name(thing)),
        Clause::CreateThing { kind, .. } => format!("a new {kind}"),
        Clause::RemoveThing { thing } => {
            let kind = things::kind_of(tx, thing).unwrap_or_default();
            format!("the removal of a {kind}")
        }
        Clause::RenamePlayer { thing, .. } => format!("the name{}", name(thing)),
        Clause::RemovePlayer { thing, .. } => format!("the place{} on the roster", name(thing)),
        Clause::SetStatus { status, .. } => format!("the status of a post, as {status}"),
        other => match other.rule() {
            Some(rule) => format!("{} ({rule})", other.kind()),
            None => other.kind().to_owned(),
        },
    }
}

/// The code of a rule that sleeps or breaks and that this player could have used otherwise: that of each fence.
fn sleeping_code(tx: &Tx, rule: &Name, player: PlayerId) -> Vec<String> {
    let Some(fences) = tx.with_state(|state| state.rules.get(rule).map(fences_of)) else {
        return Vec::new();
    };
    let sleeps = |index: usize| {
        let broke = |fence| {
            let key = ClauseKey {
                rule: rule.clone(),
                fence,
            };
            tx.with_state(|state| state.breaks.get(&key).is_some_and(|breaks| breaks.asleep))
        };
        let mut never_checked = tx.law.asleep.iter();
        u32::try_from(index + 1).is_ok_and(broke)
            || never_checked.any(|asleep| asleep.rule == *rule && asleep.fence == index)
    };
    let served = |code: &String| serves(tx, rule, code, player);
    // Code that asks for a name which nobody provides any more breaks when it comes to it, and is as good as asleep.
    let breaks = |clause| {
        tx.law.asks_for_lost(&Site {
            rule: rule.clone(),
            clause,
            line: 0,
        })
    };
    let fences = fences.into_iter().enumerate();
    fences
        .filter(|(index, fence)| sleeps(*index) || breaks(fence.clause))
        .map(|(_, fence)| fence.code)
        .filter(served)
        .collect()
}

/// Whether code lets this player do something: nobody is named by it, or a test that it names holds for them. A test that
/// sleeps as well keeps nobody out.
fn serves(tx: &Tx, rule: &Name, code: &str, player: PlayerId) -> bool {
    if !people::counts_for(tx, player, rule, &[]).unwrap_or(false) {
        return false;
    }
    let tests: Vec<&str> = identifiers(code)
        .zip(identifiers(code).skip(1))
        .filter(|(word, _)| *word == "by")
        .map(|(_, test)| test)
        .collect();
    let site = Site {
        rule: rule.clone(),
        ..Site::default()
    };
    let holds = |test: &&str| {
        let name = Name::from(*test);
        tx.law.code.signature(test).is_none_or(|_| {
            let who = vec![Datum::Thing(Thing::Player(player))];
            tx.holds_at(&site, &name, who).unwrap_or(false)
        })
    };
    tests.is_empty() || tests.iter().any(holds)
}

/// Whether a change is one that sleeping code could have made: of a value or a kind that it names; the closing of a matter,
/// for code that is an action; and what the matter carries that the same claim closes.
fn stands_in_for(tx: &Tx, code: &str, clause: &Clause, all: &[Clause]) -> bool {
    let closes = |id: PostId| {
        let post = tx.with_state(|state| state.posts.get(&id).cloned());
        names(code, "action") && post.is_some_and(|post| is_pending(tx, &post))
    };
    match clause {
        Clause::SetValue { name, .. } | Clause::AddToValue { name, .. }
            if names(code, name.as_str()) =>
        {
            true
        }
        Clause::CreateThing { kind, .. } if names(code, kind.as_str()) => true,
        Clause::RemoveThing { thing }
            if things::kind_of(tx, thing).is_ok_and(|kind| names(code, kind.as_str())) =>
        {
            true
        }
        Clause::SetStatus { post, .. } => closes(*post),
        _ => all.iter().any(|other| match other {
            Clause::SetStatus { post, .. } => closes(*post) && carries(tx, *post, clause),
            _ => false,
        }),
    }
}

/// Whether a post carries a change; of an amendment, whatever the text was against which it was written.
fn carries(tx: &Tx, post: PostId, clause: &Clause) -> bool {
    let patch = tx.with_state(|state| {
        let post = state.posts.get(&post)?;
        post.patch.as_ref().and_then(Sealed::shared)
    });
    let same = |posted: &Clause| match (posted, clause) {
        (
            Clause::AmendRule { id, text, .. },
            Clause::AmendRule {
                id: claimed,
                text: words,
                ..
            },
        ) => id == claimed && text == words,
        _ => posted == clause,
    };
    patch.is_some_and(|patch| any_clause(&patch.clauses, &same))
}

fn any_clause(clauses: &[Clause], test: &impl Fn(&Clause) -> bool) -> bool {
    clauses.iter().any(|clause| match clause {
        Clause::When { clauses, .. } => any_clause(clauses, test),
        other => test(other),
    })
}

/// Whether a post is one that is voted on and not closed yet. What its category says is unknown while that sleeps.
pub(crate) fn is_pending(tx: &Tx, post: &Post) -> bool {
    let is_first = match tx.law.categories.get(&post.category) {
        Some(category) => {
            !category.it.icons.is_empty() && category.it.statuses.first() == Some(&post.status)
        }
        None => !post.status.is_empty(),
    };
    post.closed_at.is_none() && is_first
}

/// A claim that rests on no rule of the law.
pub(crate) fn unfounded(tx: &Tx, player: PlayerId) -> Stop {
    let attempt = guards::built_in(tx, &CLAIM.into(), player, None, vec![]);
    match guards::check(tx, &attempt) {
        Err(stop) => stop,
        Ok(()) => Stop::refused(Refusal::plain("a rule that the change rests on")),
    }
}

#[cfg(test)]
mod tests {
    use quorate_kernel::command::{Act, Actor};
    use quorate_kernel::rows::ClauseKey;
    use quorate_law::datum::Datum;

    use crate::tiny_game::game;

    const GOLD: &str = r#"gold = number("Gold", of = player)
silver = number("Silver", of = player)
category("Bill", icons = ["for"], statuses = ["pending", "enacted"])
```

2. Gold is gained.

```starlark
def gain(actor: Player):
    actor.gold += 1

action("gain", gain)"#;

    #[test]
    fn where_something_is_voted_on_nothing_is_changed_by_hand_unless_a_rule_permits_it() {
        let mut closed = game(GOLD);
        let refused = closed.claim(vec![closed.set("gold", 4)]);
        let refused = refused.expect_err("no rule permits it");
        assert_eq!(refused.what(), "a rule that permits such a change by hand");
        assert_eq!(refused.needs[0].have, "Gold of Anna");
        let of_gold = "\n\ndef of_gold(attempt: Attempt) -> bool:\n    \
            return \"change\" in attempt.args and attempt.args[\"change\"].value == \"gold\"\n\n\
            permit(scope(actions = [\"claim\"]), of_gold, \"a change of Gold\")";
        let mut open = game(&format!("{GOLD}{of_gold}"));
        open.claim(vec![open.set("gold", 4)]).expect("of gold");
        let refused = open.claim(vec![open.set("silver", 4)]);
        assert_eq!(refused.expect_err("not of gold").what(), "a change of Gold");
    }

    #[test]
    fn what_sleeping_code_did_is_done_by_hand_and_nothing_else() {
        let mut game = game(GOLD);
        let sleep = Act::Sleep {
            clause: ClauseKey {
                rule: "house".into(),
                fence: 2,
            },
            why: "it took longer than 1 s".to_owned(),
        };
        game.send(Actor::Game, sleep).expect("it sleeps");
        game.claim(vec![game.set("silver", 4)])
            .expect_err("the code names no silver");
        game.claim(vec![game.set("gold", 4)])
            .expect("the code names gold");
        assert_eq!(game.value("gold"), Datum::Int(4));
    }
}
