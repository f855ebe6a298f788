//! People: the roster, and who counts as a player for which rule.

use std::collections::BTreeSet;
use std::sync::Arc;

use quorate_kernel::rows::{Person, Standing};
use quorate_kernel::{Name, PlayerId, Thing};
use quorate_law::datum::Datum;
use quorate_law::stop::{Answer, Site, Stop};

use super::{things, values};
use crate::conventions;
use crate::memo::{Kept, MemoKey};
use crate::reads::ReadKey;
use crate::scope;
use crate::tx::Tx;

/// The players, for a rule.
pub(crate) fn players_for(tx: &Tx, rule: &Name, admits: &[Name]) -> Answer<Vec<PlayerId>> {
    let excluded = excluded_for(tx, rule, admits)?;
    Ok(things::people(tx, Standing::Member)
        .into_iter()
        .filter(|id| !excluded.contains(id))
        .collect())
}

/// Whether somebody is a player for a rule; `admits` names exclusions that are lifted.
pub(crate) fn counts_for(tx: &Tx, player: PlayerId, rule: &Name, admits: &[Name]) -> Answer<bool> {
    tx.read(ReadKey::People);
    let member = tx.with_state(|state| {
        state
            .people
            .get(&player)
            .is_some_and(|person| person.standing == Standing::Member)
    });
    Ok(member && !excluded_for(tx, rule, admits)?.contains(&player))
}

/// The exclusion that keeps a member from being a player for a rule; none for those who are idle, who are known by that.
pub(crate) fn excluding(
    tx: &Tx,
    player: PlayerId,
    rule: &Name,
    admits: &[Name],
) -> Answer<Option<Site>> {
    let idle = values::attribute(tx, &Thing::Player(player), conventions::IDLE);
    if !things::people(tx, Standing::Member).contains(&player) || idle == Ok(Datum::Bool(true)) {
        return Ok(None);
    }
    let law = tx.frame().law;
    let place = law.place(rule);
    for (index, exclusion) in law.exclusions.iter().enumerate() {
        let covers = scope::covers_rule(&exclusion.it.scope, rule, &place);
        if admits.contains(&exclusion.it.who) || !covers {
            continue;
        }
        if excluded_by(tx, index, &exclusion.site, &exclusion.it.who)?.contains(&player) {
            return Ok(Some(exclusion.site.clone()));
        }
    }
    Ok(None)
}

/// Whether what a rule declares is tracked of a player: not where an exclusion says that it isn't.
pub(crate) fn is_tracked(tx: &Tx, player: PlayerId, rule: &Name) -> Answer<bool> {
    let law = tx.frame().law;
    let place = law.place(rule);
    for (index, exclusion) in law.exclusions.iter().enumerate() {
        let (site, it) = (&exclusion.site, &exclusion.it);
        if !it.tracked
            && scope::covers_rule(&it.scope, rule, &place)
            && excluded_by(tx, index, site, &it.who)?.contains(&player)
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whom the exclusions that cover a rule exclude.
fn excluded_for(tx: &Tx, rule: &Name, admits: &[Name]) -> Answer<BTreeSet<PlayerId>> {
    let law = tx.frame().law;
    let place = if *rule == EFFECTS {
        crate::law::Place {
            section: EFFECTS.into(),
            ..Default::default()
        }
    } else {
        law.place(rule)
    };
    let mut excluded = BTreeSet::new();
    for (index, exclusion) in law.exclusions.iter().enumerate() {
        if admits.contains(&exclusion.it.who)
            || !scope::covers_rule(&exclusion.it.scope, rule, &place)
        {
            continue;
        }
        excluded.extend(excluded_by(tx, index, &exclusion.site, &exclusion.it.who)?.iter());
    }
    Ok(excluded)
}

/// Whom one exclusion excludes, of all members.
fn excluded_by(tx: &Tx, index: usize, site: &Site, who: &Name) -> Answer<Arc<BTreeSet<PlayerId>>> {
    let question = MemoKey::Excluded(index);
    let known = tx.caches().get(&question, tx.now);
    if let Some((Kept::People(people, effort), reads)) = known
        && tx.takes(effort)
    {
        tx.read_all(&reads);
        return Ok(people);
    }
    let broken = tx.break_count();
    let find = || -> Answer<BTreeSet<PlayerId>> {
        let mut excluded = BTreeSet::new();
        for id in things::people(tx, Standing::Member) {
            match tx.holds_at(site, who, vec![Datum::Thing(Thing::Player(id))]) {
                Ok(true) => {
                    excluded.insert(id);
                }
                Ok(false) => {}
                // An exclusion that breaks excludes nobody: the game goes on, and the log says so.
                Err(Stop::Broken(fault)) => {
                    tx.broke(site, &fault);
                    break;
                }
                Err(stop) => return Err(stop),
            }
        }
        Ok(excluded)
    };
    let ((answer, effort), reads) = tx.reading(|| tx.measured(find));
    let people = Arc::new(answer?);
    // What broke is written down each time, whatever was asked before.
    if tx.break_count() == broken && Arc::ptr_eq(&tx.frame().law, &tx.law) {
        let kept = Kept::People(Arc::clone(&people), effort);
        tx.caches().keep(question, kept, reads, tx.now);
    }
    Ok(people)
}

/// Changes a person's row.
pub(crate) fn write_person(tx: &Tx, id: PlayerId, change: impl FnOnce(&mut Person)) -> Answer<()> {
    if tx.change(id, change) {
        Ok(())
    } else {
        Err(Stop::fault("there is no such person"))
    }
}

/// Makes an applicant, or somebody who left, a member; the values of a player start at their defaults.
pub(crate) fn admit(tx: &Tx, id: PlayerId) -> Answer<()> {
    let standing = tx.with_state(|state| state.people.get(&id).map(|person| person.standing));
    match standing {
        Some(Standing::Applicant | Standing::Left) => {}
        Some(Standing::Member) => return Err(Stop::fault("they are a member already")),
        Some(Standing::Barred) => return Err(Stop::fault("they are barred from joining")),
        None => return Err(Stop::fault("there is no such person")),
    }
    let now = tx.now;
    write_person(tx, id, |person| {
        person.standing = Standing::Member;
        person.joined_at = Some(now);
        person.seen_at = now;
    })?;
    let thing = Thing::Player(id);
    values::write_defaults(tx, &thing, &"Player".into());
    tx.happen("joined", "Player", vec![Datum::Thing(thing)]);
    Ok(())
}

/// Takes a member off the roster.
pub(crate) fn depart(tx: &Tx, id: PlayerId, bar: bool) -> Answer<()> {
    let now = tx.now;
    write_person(tx, id, |person| {
        person.standing = if bar {
            Standing::Barred
        } else {
            Standing::Left
        };
        person.left_at = Some(now);
    })?;
    tx.happen("left", "Player", vec![Datum::Thing(Thing::Player(id))]);
    Ok(())
}

/// Gives a person another name, if it may be one.
pub(crate) fn rename(tx: &Tx, id: PlayerId, name: &str) -> Answer<()> {
    crate::names::check(&tx.state(), name, Some(id)).map_err(Stop::refused)?;
    let name = quorate_kernel::seal::Sealed::close(name, tx.salt());
    write_person(tx, id, |person| person.name = name)
}

/// The section as which what a proposal does runs.
pub(crate) const EFFECTS: &str = "effects";

#[cfg(test)]
mod tests {
    use quorate_law::datum::Datum;

    use crate::tiny_game::game;

    #[test]
    fn who_is_excluded_from_the_rules_of_a_section_is_no_player_for_them() {
        let code = |who: &str| {
            format!(
                "def left_out(p: Player) -> bool:\n    return {who}\n\n\
                 exclude(left_out, scope(section = \"rules\"))\n\n\
                 def nap(actor: Player):\n    pass\n\n\
                 action(\"nap\", nap)\n\n\
                 def count() -> int:\n    return len(players())"
            )
        };
        let mut all = game(&code("False"));
        all.act("nap", &[]).expect("she counts");
        let mut none = game(&code("True"));
        let refused = none.act("nap", &[]).expect_err("she does not");
        assert!(refused.needs[0].is_about_who_acts(), "{refused:?}");
        assert!(
            refused.needs[0]
                .need
                .starts_with("Anna does not count as one"),
            "{refused:?}"
        );
        let counted = all.ask(|tx| tx.call(&"count".into(), vec![]));
        assert_eq!(counted, Ok(Datum::Int(1)));
    }
}
