//! Who may take an action: who acts, whom it is done to, then guards and limits. The first that says no is the refusal.

use quorate_kernel::rows::Standing;
use quorate_kernel::{Name, PlayerId, Thing, Topic};
use quorate_law::datum::Datum;
use quorate_law::declare::ActionDecl;
use quorate_law::stop::{Answer, Site, Stop};
use quorate_law::{Signature, capital, readable, with_article};

use super::guards::Attempt;
use super::{guards, limits, people, things};
use crate::conventions;
use crate::law::At;
use crate::tx::Tx;
use crate::words::worded;

/// Everything that is tested before the body runs.
pub(crate) fn may(tx: &Tx, attempt: &Attempt, decl: &At<ActionDecl>, waive: &[Name]) -> Answer<()> {
    tx.met(who(tx, attempt, decl.it.by.as_ref(), &decl.it.admits))?;
    if !waive.contains(&Name::from("guards")) {
        guards::check(tx, attempt)?;
    }
    if !waive.contains(&Name::from("limits")) {
        let limits = &decl.it.limits;
        let used = limits::check(tx, &attempt.action, limits, attempt.actor, &decl.site);
        tx.met(used)?;
    }
    targets_count(tx, attempt, decl)
}

/// Whether the one who acts counts as a player for the rule and is one of those who may.
pub(crate) fn who(tx: &Tx, attempt: &Attempt, by: Option<&Name>, admits: &[Name]) -> Answer<()> {
    if !people::counts_for(tx, attempt.actor, &attempt.site.rule, admits)? {
        let role = with_article(&things::term(tx, "player", false));
        let mut refusal = tx.refusal_at(&attempt.site, &format!("to be {role} for this rule"));
        let has_asked = standing(tx, attempt.actor) == Some(Standing::Applicant);
        refusal.needs[0].topic = Topic::Uncounted { role, has_asked };
        match people::excluding(tx, attempt.actor, &attempt.site.rule, admits)? {
            Some(site) => refusal.needs[0].need = none_by(tx, attempt.actor, &site),
            None => refusal.needs[0].have = why_not_counted(tx, attempt.actor),
        }
        return Err(Stop::refused(refusal));
    }
    let Some(by) = by else { return Ok(()) };
    if tx.holds_at(
        &attempt.site,
        by,
        vec![Datum::Thing(Thing::Player(attempt.actor))],
    )? {
        return Ok(());
    }
    let (what, who) = match by.as_str() {
        "nobody" => (
            "a rule that does it: nobody does it by hand".to_owned(),
            None,
        ),
        _ => wanted_role(tx, by),
    };
    let refusal = tx.refusal_at(&attempt.site, &what);
    Err(Stop::refused(refusal.about(Topic::Role(who))))
}

/// What somebody needs to be for a predicate, and who that is: the role that it names, else its own name.
fn wanted_role(tx: &Tx, predicate: &Name) -> (String, Option<String>) {
    let law = tx.frame().law;
    let signature = law.code.signature(predicate.as_str());
    match signature.and_then(Signature::role) {
        Some(role) => {
            let themed = |words: &str| tx.with_state(|state| worded(state, words));
            (
                format!("to be {}", themed(role.words)),
                role.who.map(themed),
            )
        }
        None => {
            let who = readable(predicate.as_str());
            (format!("to be one of the {who}"), Some(who))
        }
    }
}

/// "Cleo does not count as one, by Zombies, clause 3": whom the law excludes, and where it says so.
fn none_by(tx: &Tx, actor: PlayerId, site: &Site) -> String {
    tx.with_state(|state| {
        let name = state.people.get(&actor).map(|person| person.name.as_str());
        let title = state.rules.get(&site.rule).map(|rule| rule.title.as_str());
        let title = worded(state, title.unwrap_or(site.rule.as_str()));
        let name = name.unwrap_or("that one");
        format!(
            "{name} does not count as one, by {title}, clause {}",
            site.clause
        )
    })
}

fn standing(tx: &Tx, who: PlayerId) -> Option<Standing> {
    tx.with_state(|state| state.people.get(&who).map(|person| person.standing))
}

fn why_not_counted(tx: &Tx, actor: PlayerId) -> String {
    match standing(tx, actor) {
        Some(Standing::Member) => conventions::IDLE.to_owned(),
        Some(standing) => standing.as_str().to_owned(),
        None => "unknown here".to_owned(),
    }
}

/// Players given must be players for the rule, as its actor must; of those who are no members, see [`stranger`].
fn targets_count(tx: &Tx, attempt: &Attempt, decl: &At<ActionDecl>) -> Answer<()> {
    for (param, id) in people_in(&attempt.args) {
        if things::is_member(tx, &Thing::Player(id))
            && !people::counts_for(tx, id, &attempt.site.rule, &decl.it.admits)?
        {
            return Err(no_target(tx, id, attempt, decl, param)?);
        }
    }
    Ok(())
}

/// The refusal of somebody given who applies or has left, unless the parameter's options list them.
pub(crate) fn stranger(tx: &Tx, attempt: &Attempt, decl: &At<ActionDecl>) -> Answer<Option<Stop>> {
    for (param, id) in people_in(&attempt.args) {
        let thing = Thing::Player(id);
        if !things::is_member(tx, &thing)
            && !is_listed(tx, &Datum::Thing(thing), attempt, decl, param)?
        {
            return no_target(tx, id, attempt, decl, param).map(Some);
        }
    }
    Ok(None)
}

fn is_listed(
    tx: &Tx,
    datum: &Datum,
    attempt: &Attempt,
    decl: &At<ActionDecl>,
    param: &Name,
) -> Answer<bool> {
    let mut listed = decl.it.options.iter().filter(|(of, _)| of == param);
    let Some((_, function)) = listed.next() else {
        return Ok(false);
    };
    let actor = vec![Datum::Thing(Thing::Player(attempt.actor))];
    Ok(match tx.call_at(&decl.site, function, actor)? {
        Datum::List(items) => items.contains(datum),
        _ => false,
    })
}

fn no_target(
    tx: &Tx,
    id: PlayerId,
    attempt: &Attempt,
    decl: &At<ActionDecl>,
    param: &Name,
) -> Answer<Stop> {
    let player = with_article(&things::term(tx, "player", false));
    let label = field_label(param.as_str());
    let what = format!("{player} for this rule as {label}");
    let mut refusal = tx.refusal_at(&attempt.site, &what);
    refusal.needs[0].topic = Topic::Argument(param.clone());
    match people::excluding(tx, id, &attempt.site.rule, &decl.it.admits)? {
        Some(site) => refusal.needs[0].need = none_by(tx, id, &site),
        None => {
            refusal.needs[0].have =
                format!("{}, {}", things::name_of(tx, id), why_not_counted(tx, id));
        }
    }
    Ok(Stop::refused(refusal))
}

/// The people among an action's arguments, alone and in lists, each with the parameter.
fn people_in(args: &[(Name, Datum)]) -> impl Iterator<Item = (&Name, PlayerId)> {
    let person = |datum: &Datum| match datum {
        Datum::Thing(Thing::Player(id)) => Some(*id),
        _ => None,
    };
    args.iter().flat_map(move |(name, datum)| {
        let people: Vec<PlayerId> = match datum {
            Datum::List(items) => items.iter().filter_map(person).collect(),
            one => person(one).into_iter().collect(),
        };
        people.into_iter().map(move |id| (name, id))
    })
}

/// A field's code name as forms show it: `row_out` reads "Row out".
pub(crate) fn field_label(name: &str) -> String {
    capital(&readable(name))
}

#[cfg(test)]
mod tests {
    use quorate_kernel::Topic;

    use crate::tiny_game::game;

    #[test]
    fn who_is_none_of_those_who_may_reads_who_may() {
        let mut game = game(
            "def captain(p: Player) -> bool:\n    \"\"\"To be the captain: who steers.\"\"\"\n    return False\n\n\
             def steer(actor: Player):\n    pass\n\n\
             action(\"steer\", steer, by = captain)",
        );
        let refused = game.act("steer", &[]).expect_err("nobody is captain");
        assert_eq!(refused.what(), "to be the captain");
        assert_eq!(
            refused.needs[0].topic,
            Topic::Role(Some("the captain".into()))
        );
        assert!(refused.needs[0].is_about_who_acts());
    }
}
