//! Changes by hand: who claims what, and what nobody brings in by hand.

use std::collections::BTreeSet;

use quorate_kernel::event::NoteKind;
use quorate_kernel::ids::{ClaimId, PlayerId};
use quorate_kernel::law::Rule;
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::rows::{self, Claim, ClaimStanding, DueKey};
use quorate_kernel::seal::Sealed;
use quorate_kernel::state::State;
use quorate_kernel::{Name, PostId, Refusal, Thing};
use quorate_law::datum::Datum;
use quorate_law::stop::{Answer, Site, Stop};

use crate::law::{code_of, fences_of};
use crate::topics::{by_hand, change_records, guards, law_changes};
use crate::tx::Tx;
use crate::words::worded;

/// A change by hand: made at once, shown as claimed.
pub(super) fn claim(
    tx: &Tx,
    player: PlayerId,
    patch: &Sealed<Patch>,
    rule: &Name,
    reason: &Sealed<str>,
) -> Answer<()> {
    if reason.as_str().trim().is_empty() {
        return Err(Stop::no("a reason"));
    }
    if !tx.with_state(|state| state.rules.contains_key(rule)) {
        return Err(by_hand::unfounded(tx, player));
    }
    let Some(patch) = patch.shared().filter(|patch| !patch.is_empty()) else {
        return Err(Stop::no("a change"));
    };
    by_hand::check(tx, player, rule, &patch)?;
    let before = tx.state();
    let changes = law_changes::would_make(tx, &patch)?;
    let changes = changes.iter();
    let changes = changes.map(|clause| change_records::of_claim(tx, clause, rule));
    let changes = changes.collect();
    law_changes::apply_patch(tx, &patch, None)?;
    all_made(tx, &patch)?;
    no_code_of_its_own(tx, &before, player, rule, &patch)?;
    let touched: Vec<_> = tx.with_state(|state| {
        state
            .cells
            .iter()
            .filter(|(key, cell)| before.cells.get(*key).map(|old| &old.value) != Some(&cell.value))
            .map(|(key, cell)| (key.clone(), cell.clone()))
            .collect()
    });
    for (key, cell) in touched {
        let new = rows::Cell {
            claimed: true,
            ..cell.clone()
        };
        tx.put(key, new);
    }
    if tx.with_state(|state| *state == before) {
        return Err(Stop::no(nothing_changed(tx)));
    }
    let row = Claim {
        by: player,
        at: tx.now,
        rule: rule.clone(),
        reason: reason.clone(),
        standing: ClaimStanding::Claimed,
        disputed_by: vec![],
    };
    let key = tx.make_id()?;
    tx.put(key, row);
    if let Some(after) = tx.law.claims_settle {
        tx.set_due(DueKey::Claim(key), Some(tx.now + after));
    }
    let told = vec![
        Datum::Thing(Thing::Game),
        Datum::Thing(Thing::Player(player)),
        Datum::List(changes),
    ];
    tx.happen("claimed", "Game", told);
    Ok(())
}

/// Code goes into the law by a vote on it. By hand nobody adds any, drops any or keeps any from running, whatever a rule permits,
/// but for what stands in a pending matter that no code enacts, because the code that would sleeps: people enact that, code and all. Where
/// nothing can be put to a vote, all is by hand.
fn no_code_of_its_own(
    tx: &Tx,
    before: &State,
    player: PlayerId,
    rule: &Name,
    patch: &Patch,
) -> Answer<()> {
    let recoded: Vec<Name> = tx.with_state(|state| {
        let ids: BTreeSet<&Name> = before.rules.keys().chain(state.rules.keys()).collect();
        let is_recoded = |id: &&Name| match (before.rules.get(*id), state.rules.get(*id)) {
            (Some(old), Some(new)) if runs_alike(old, new) => false,
            (old, new) => running(old) != running(new),
        };
        ids.into_iter().filter(is_recoded).cloned().collect()
    });
    let asleep = fallen_asleep(tx);
    if recoded.is_empty() && asleep.is_none() || by_hand::nothing_is_voted_on(tx) {
        return Ok(());
    }
    let by_people = by_hand::people_enact(tx, player, rule);
    let carried = by_people
        && !recoded.is_empty()
        && before.posts.iter().any(|(id, post)| {
            by_hand::is_pending(tx, post)
                && post
                    .patch
                    .as_ref()
                    .and_then(Sealed::shared)
                    .is_some_and(|posted| carries(tx, before, (*id, &posted), patch, &recoded))
        });
    if carried {
        return Ok(());
    }
    let what = if by_people {
        "a change by hand that leaves code alone: post the change; as long as that post is pending, a claim may make the very \
         change of code that it carries"
    } else {
        "a change by hand that leaves code alone: post the change and have it voted on"
    };
    let mut refusal = match place_of_code(tx, before, &recoded).or(asleep) {
        Some(site) => tx.refusal_at(&site, what),
        None => Refusal::plain(what),
    };
    refusal.needs[0].have = if recoded.is_empty() {
        "code that would sleep".to_owned()
    } else {
        let titles: Vec<String> = tx.with_state(|state| {
            let rule = |id| state.rules.get(id).or_else(|| before.rules.get(id));
            let titles = recoded.iter().filter_map(rule);
            titles.map(|rule| worded(state, &rule.title)).collect()
        });
        format!("another code of {}", titles.join(", "))
    };
    Err(Stop::refused(refusal))
}

/// The first code of the law that sleeps once a claim is made, and is awake before it.
fn fallen_asleep(tx: &Tx) -> Option<Site> {
    let law = tx.new_law()?;
    let asleep = law.fallen_asleep(&tx.law).next()?;
    Some(Site {
        rule: asleep.rule.clone(),
        clause: asleep.clause,
        line: 0,
    })
}

/// The first clause of the law whose code is another one after a claim; none, where there is only code that is new with it.
fn place_of_code(tx: &Tx, before: &State, recoded: &[Name]) -> Option<Site> {
    recoded.iter().find_map(|id| {
        let old = fences_of(before.rules.get(id)?);
        let kept = tx.with_state(|state| running(state.rules.get(id)));
        let is_kept = |code: &String| kept.as_ref().is_some_and(|kept| kept.code.contains(code));
        let changed = old.iter().find(|fence| !is_kept(&fence.code));
        let clause = changed.or(old.first())?.clause;
        Some(Site {
            rule: id.clone(),
            clause,
            line: 0,
        })
    })
}

fn runs_alike(old: &Rule, new: &Rule) -> bool {
    old.text == new.text && place_of(old) == place_of(new) && old.active == new.active
}

/// The code of a rule that runs, and where it stands, for other rules speak of all that stands somewhere; none where the rule is gone
/// or switched off.
fn running(rule: Option<&Rule>) -> Option<Running> {
    let rule = rule.filter(|rule| rule.active)?;
    let (code, place) = (code_of(rule), place_of(rule));
    (!code.is_empty()).then_some(Running { code, place })
}

/// Code that runs, and where it stands.
#[derive(PartialEq)]
struct Running {
    code: Vec<String>,
    place: (Name, Option<Name>),
}

/// Its section, and the rule that it is under.
fn place_of(rule: &Rule) -> (Name, Option<Name>) {
    (rule.section.clone(), rule.parent.clone())
}

/// Whether the rules that a claim recodes are, word for word, what a post makes of them.
fn carries(
    tx: &Tx,
    before: &State,
    (id, posted): (PostId, &Patch),
    claimed: &Patch,
    recoded: &[Name],
) -> bool {
    let is_ruling = |clause: &Clause| matches!(clause, Clause::Strike { .. });
    if claimed.clauses.iter().any(is_ruling) {
        // What a ruling comes to is not worked out twice: all that may change the law has to stand in the post as it is.
        let mut of_law = claimed.clauses.iter().filter(|clause| {
            clause.rule().is_some() || is_ruling(clause) || matches!(clause, Clause::When { .. })
        });
        return of_law.all(|clause| posted.clauses.contains(clause));
    }
    let run = tx.beside(before, tx.now, &tx.law);
    if law_changes::apply_law(&run, posted, id).is_err() {
        return false;
    }
    let now = tx.state();
    run.with_state(|voted_on| {
        recoded
            .iter()
            .all(|id| match (voted_on.rules.get(id), now.rules.get(id)) {
                (Some(to_be), Some(rule)) => runs_alike(to_be, rule) && to_be.tags == rule.tags,
                (to_be, rule) => to_be.is_none() && rule.is_none(),
            })
    })
}

/// A claim says what has happened, so it is made whole or not at all: half of it was claimed by nobody. What hangs on a
/// condition that does not hold is no part of it.
fn all_made(tx: &Tx, patch: &Patch) -> Answer<()> {
    match tx.left_out() {
        None => Ok(()),
        Some(note) if patch.clauses.len() == 1 => Err(Stop::no(format!(
            "a change that can be made: {}",
            note.text
        ))),
        Some(note) => Err(Stop::no(format!(
            "changes that can all be made: {}",
            note.text
        ))),
    }
}

/// What a claim lacks that leaves all as it is: its condition does not hold, or a rule gives back the value that stands.
fn nothing_changed(tx: &Tx) -> String {
    let notes = tx.finish().notes;
    let skipped = notes.iter().find(|note| note.kind == NoteKind::Skipped);
    skipped.map_or_else(
        || "a change that makes a difference".to_owned(),
        |note| format!("a change that can be made: {}", note.text),
    )
}

/// Says that a claim is not so.
pub(super) fn dispute(tx: &Tx, player: PlayerId, claim: ClaimId) -> Answer<()> {
    let Some(old) = tx.with_state(|state| state.claims.get(&claim.0).cloned()) else {
        return Err(Stop::no("a claim that exists"));
    };
    let is_open = matches!(
        old.standing,
        ClaimStanding::Claimed | ClaimStanding::Disputed
    );
    if !is_open || old.disputed_by.contains(&player) {
        return Err(Stop::no(
            "a claim that is not settled and that you do not dispute yet",
        ));
    }
    guards::check(
        tx,
        &guards::built_in(tx, &"dispute".into(), player, None, vec![]),
    )?;
    let mut new = old.clone();
    new.standing = ClaimStanding::Disputed;
    new.disputed_by.push(player);
    tx.set_due(DueKey::Claim(claim.0), None);
    tx.put(claim.0, new);
    let told = vec![
        Datum::Thing(Thing::Game),
        Datum::Thing(Thing::Player(player)),
        Datum::Thing(Thing::Player(old.by)),
    ];
    tx.happen("disputed", "Game", told);
    Ok(())
}

#[cfg(test)]
mod tests {
    use quorate_kernel::command::{Act, Actor, typed};
    use quorate_kernel::ids::ClaimId;
    use quorate_kernel::patch::{Clause, Patch};
    use quorate_kernel::rows::{ClaimStanding, DueKey};
    use quorate_kernel::seal::Sealed;
    use quorate_kernel::{EventSeq, Id};
    use quorate_law::datum::Datum;

    use crate::tiny_game::{TinyGame, game, new_post};

    const GOLD: &str = "claims(settled_after = days(2))\ngold = number(\"Gold\", of = player)";

    #[test]
    fn a_claim_has_a_reason_a_rule_and_a_change_that_makes_a_difference() {
        let mut game = game(GOLD);
        let claim = |game: &mut TinyGame, rule: &str, reason: &str, value: Option<i64>| {
            let clauses = value.map(|value| game.set("gold", value));
            let patch = Patch {
                clauses: clauses.into_iter().collect(),
            };
            let act = Act::Claim {
                patch: Sealed::close(patch, [0; 16]),
                rule: rule.into(),
                reason: typed(reason),
            };
            let sent = game.send(Actor::Player(game.anna), act);
            sent.err().map(|refusal| refusal.what().to_owned())
        };
        let no = |what: &str| Some(what.to_owned());
        assert_eq!(claim(&mut game, "house", " ", Some(4)), no("a reason"));
        let unknown = no("a rule that the change rests on");
        assert_eq!(claim(&mut game, "shed", "so it is", Some(4)), unknown);
        assert_eq!(claim(&mut game, "house", "so it is", None), no("a change"));
        let idle = no("a change that makes a difference");
        assert_eq!(claim(&mut game, "house", "so it is", Some(0)), idle);
        assert_eq!(claim(&mut game, "house", "so it is", Some(4)), None);
    }

    #[test]
    fn what_is_claimed_bears_a_mark_and_falls_due() {
        let mut game = game(GOLD);
        let event = game.claim(vec![game.set("gold", 4)]).expect("anybody may");
        let state = game.judge.state();
        let (key, claim) = state.claims.iter().next().expect("there is one");
        assert_eq!((key.event(), claim.by), (event.seq, game.anna));
        let marked: Vec<&str> = state
            .cells
            .iter()
            .filter(|(_, cell)| cell.claimed)
            .map(|(key, _)| key.name.as_str())
            .collect();
        assert_eq!(marked, ["gold"]);
        assert!(state.dues.contains_key(&DueKey::Claim(*key)));
    }

    #[test]
    fn a_claim_is_made_whole_or_not_at_all() {
        let mut game = game(GOLD);
        let both = vec![game.set("gold", 4), game.set("silver", 1)];
        let refused = game.claim(both).expect_err("there is no silver");
        let what = refused.what();
        assert!(what.starts_with("changes that can all be made: "), "{what}");
        assert_eq!(game.value("gold"), Datum::Int(0));
        let refused = game.claim(vec![game.set("silver", 1)]);
        let refused = refused.expect_err("there is no silver");
        let what = refused.what();
        assert!(what.starts_with("a change that can be made: "), "{what}");
    }

    #[test]
    fn no_claim_makes_a_number_beyond_64_bits() {
        let mut game = game(GOLD);
        game.change(vec![game.set("gold", i64::MAX)]);
        let more = Clause::AddToValue {
            thing: quorate_kernel::Thing::Player(game.anna),
            name: "gold".into(),
            amount: 1,
        };
        let refused = game.claim(vec![more]).expect_err("it is too much");
        let told = (refused.what(), refused.needs[0].have.as_str());
        assert_eq!(told, ("a number within 64 bits", "Gold of Anna"));
    }

    #[test]
    fn part_of_a_claim_is_not_what_hangs_on_a_condition_that_does_not_hold() {
        let mut game = game(GOLD);
        let silver = Clause::When {
            test: "1 > 2".into(),
            clauses: vec![game.set("silver", 1)],
        };
        game.claim(vec![game.set("gold", 4), silver])
            .expect("the gold is all of it");
        assert_eq!(game.value("gold"), Datum::Int(4));
    }

    #[test]
    fn code_is_claimed_only_as_a_pending_matter_carries_it() {
        let mut game = game(
            "gold = number(\"Gold\", of = player)\n\
             category(\"Bill\", icons = [\"for\"], statuses = [\"pending\", \"enacted\"])\n\n\
             def anybody(attempt: Attempt) -> bool:\n    return True\n\n\
             permit(scope(actions = [\"claim\"]), anybody)",
        );
        let richer = game.amendment("of = player", "of = player, default = 5");
        let refused = game.claim(vec![richer.clone()]).expect_err("no vote on it");
        let what = refused.what();
        assert!(
            what.starts_with("a change by hand that leaves code alone"),
            "{what}"
        );
        assert_eq!(refused.needs[0].have, "another code of House");
        let patch = Patch {
            clauses: vec![richer.clone()],
        };
        let mut bill = new_post("Bill", "Richer");
        bill.patch = Some(Sealed::close(patch, [0; 16]));
        game.post(bill).expect("anybody may");
        game.claim(vec![richer]).expect("the bill carries it");
    }

    const OPEN: &str = "gold = number(\"Gold\", of = player)\n\
        category(\"Bill\", icons = [\"for\"], statuses = [\"pending\", \"enacted\"])\n\n\
        def enact(actor: Player, bill: Bill):\n    apply(bill)\n    close(bill, \"enacted\")\n\n\
        action(\"enact\", enact)\n\n\
        def anybody(attempt: Attempt) -> bool:\n    return True\n\n\
        permit(scope(actions = [\"claim\"]), anybody)";

    #[test]
    fn no_claim_makes_a_change_of_code_that_code_could_enact() {
        let mut game = game(OPEN);
        let richer = game.amendment("of = player", "of = player, default = 5");
        let repealed = Clause::RepealRule { id: "house".into() };
        let mut bill = new_post("Bill", "Richer");
        let patch = Patch {
            clauses: vec![richer.clone()],
        };
        bill.patch = Some(Sealed::close(patch, [0; 16]));
        game.post(bill).expect("anybody may");
        let mut bill = new_post("Bill", "Nothing");
        let patch = Patch {
            clauses: vec![repealed.clone()],
        };
        bill.patch = Some(Sealed::close(patch, [0; 16]));
        game.post(bill).expect("anybody may");
        for change in [richer, repealed] {
            let refused = game.claim(vec![change]).expect_err("it is voted on");
            let wanted =
                "a change by hand that leaves code alone: post the change and have it voted on";
            assert_eq!(refused.what(), wanted);
            assert_eq!(refused.needs[0].have, "another code of House");
            assert_eq!((refused.rule.as_str(), refused.clause), ("House", 1));
        }
    }

    #[test]
    fn no_claim_silences_code_or_puts_it_where_other_rules_speak_of_it() {
        let mut game = game(OPEN);
        let shed = Clause::AddRule {
            id: "shed".into(),
            section: "rules".into(),
            parent: None,
            after: None,
            title: "Shed".into(),
            text: "1. So it is.\n".into(),
            tags: Vec::new(),
        };
        game.claim(vec![shed]).expect("it has no code");
        let off = Clause::SwitchRule {
            id: "house".into(),
            on: false,
        };
        let under = Clause::MoveRule {
            id: "house".into(),
            section: "rules".into(),
            parent: Some("shed".into()),
            after: None,
        };
        for change in [off, under] {
            let refused = game.claim(vec![change]).expect_err("it has code");
            assert_eq!(refused.needs[0].have, "another code of House");
        }
        let behind = Clause::MoveRule {
            id: "house".into(),
            section: "rules".into(),
            parent: None,
            after: Some("shed".into()),
        };
        game.claim(vec![behind]).expect("its code counts as before");
    }

    #[test]
    fn a_claim_is_disputed_once_by_each_and_waits_no_more() {
        let mut game = game(GOLD);
        game.claim(vec![game.set("gold", 4)]).expect("anybody may");
        let claim = ClaimId(*game.judge.state().claims.keys().next().expect("one"));
        let dispute = |game: &mut TinyGame, claim: ClaimId| {
            let reason = typed("not so");
            let sent = game.send(Actor::Player(game.anna), Act::Dispute { claim, reason });
            sent.err().map(|refusal| refusal.what().to_owned())
        };
        let unknown = ClaimId(Id::new(EventSeq(99), 0));
        let told = dispute(&mut game, unknown);
        assert_eq!(told.as_deref(), Some("a claim that exists"));
        assert_eq!(dispute(&mut game, claim), None);
        let state = game.judge.state();
        assert_eq!(state.claims[&claim.0].standing, ClaimStanding::Disputed);
        assert!(!state.dues.contains_key(&DueKey::Claim(claim.0)));
        let told = dispute(&mut game, claim);
        let once = "a claim that is not settled and that you do not dispute yet";
        assert_eq!(told.as_deref(), Some(once));
    }
}
