//! Guards: what is tried, which guards cover it, and which of those that speak is the stronger.

use std::sync::Arc;

use quorate_kernel::event::NoteKind;
use quorate_kernel::{Moment, Name, Need, PlayerId, PostId, Refusal, Thing};
use quorate_law::datum::{Datum, Record};
use quorate_law::declare::{LimitDecl, Per};
use quorate_law::stop::{Answer, Site, Stop};

use super::declared;
use crate::law::{At, GuardDecl, Law};
use crate::scope;
use crate::tx::Tx;

/// Something that somebody tries to do, as guards see it.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    /// Who.
    pub actor: PlayerId,
    /// The action, or the built-in act by its name: `post Proposal`, `vote`, `comment`.
    pub action: Name,
    /// Where the rule stands that it belongs to.
    pub site: Site,
    /// The post that it is about.
    pub post: Option<quorate_kernel::PostId>,
    /// What it was given.
    pub args: Vec<(Name, Datum)>,
    /// The action's tags.
    pub tags: Vec<Name>,
    /// How often it may be done.
    pub limits: Vec<LimitDecl>,
    /// The function whose reads count as the attempt's.
    pub body: Option<Name>,
}

/// Acts that nobody may take unless a rule permits them; of claims, each change that one would make.
const ONLY_WHERE_PERMITTED: [&str; 5] = ["edit", "withdraw", "recategorise", "claim", "abandon"];

/// Asks the guards. Those that cover the attempt and speak: none or only permits, go on; else the stronger decides.
pub(crate) fn check(tx: &Tx, attempt: &Attempt) -> Answer<()> {
    let must_be_permitted = ONLY_WHERE_PERMITTED
        .iter()
        .any(|name| attempt.action == *name)
        && (attempt.action != "claim" || attempt.args.iter().any(|(name, _)| *name == "change"));
    tx.met(judge(tx, attempt, must_be_permitted))
}

/// Asks the prohibitions alone about an act that needs no permission.
pub(crate) fn check_forbidden(tx: &Tx, attempt: &Attempt) -> Answer<()> {
    tx.met(judge(tx, attempt, false))
}

fn judge(tx: &Tx, attempt: &Attempt, must_be_permitted: bool) -> Answer<()> {
    let law = tx.frame().law;
    let place = law.place(&attempt.site.rule);
    let covers = |guard: &At<GuardDecl>| {
        scope::covers_attempt(
            &guard.it.scope,
            &attempt.action,
            &attempt.tags,
            &attempt.site.rule,
            &place,
        )
    };
    let record = attempt_record(tx, attempt);
    let mut forbids = Vec::new();
    for guard in law
        .guards
        .iter()
        .filter(|guard| guard.it.forbids && covers(guard))
    {
        let (speaks, reads) = tx.reading(|| speaks(tx, guard, &record));
        if speaks? {
            forbids.push((guard, reads.until));
        }
    }
    if forbids.is_empty() && !must_be_permitted {
        return Ok(());
    }
    // Whether somebody may claim at all is asked before it is known what: no permission speaks to that, nor beats anything.
    let permissions_speak = must_be_permitted || attempt.action != "claim";
    let mut permits = Vec::new();
    let mut unheld = Vec::new();
    for guard in law
        .guards
        .iter()
        .filter(|guard| permissions_speak && !guard.it.forbids && covers(guard))
    {
        if speaks(tx, guard, &record)? {
            permits.push(guard);
        } else {
            unheld.push(guard);
        }
    }
    if must_be_permitted && permits.is_empty() {
        return Err(Stop::refused(nobody_permits(tx, attempt, &unheld)));
    }
    // A prohibition that no permit beats refuses, however many others are beaten.
    for (forbid, until) in forbids {
        let mut beaten = false;
        // The permission that makes an act its rule's own is no exception to anything.
        let home = |permit: &&At<GuardDecl>| {
            attempt.action == "claim"
                || permit.site == attempt.site && NAMES.iter().any(|name| attempt.action == *name)
        };
        for permit in permits.iter().filter(|permit| !home(permit)) {
            beaten |= std::ptr::eq(stronger_of(tx, forbid, permit)?, *permit);
        }
        if !beaten {
            let mut refusal = tx.refusal_at(&forbid.site, &forbid.it.why);
            refusal.against = permits.first().map(|permit| permit.site.rule.clone());
            refusal.next_at = silent_from(tx, forbid, &record, until);
            return Err(Stop::refused(refusal));
        }
    }
    Ok(())
}

/// From when on a guard that speaks now may be silent, if time alone can bring that: what it rests on is looked up ahead,
/// as one that reads the calendar may speak again on the morrow.
fn silent_from(
    tx: &Tx,
    guard: &At<GuardDecl>,
    record: &Datum,
    until: Option<Moment>,
) -> Option<Moment> {
    let mut at = until.filter(|at| *at > tx.now)?;
    for _ in 0..LOOKS_MAX {
        let later = tx.beside(&tx.state(), at, &tx.law);
        let (speaks, reads) = later.within(tx.frame(), || {
            later.reading(|| speaks(&later, guard, record))
        });
        if !speaks.unwrap_or(true) {
            break;
        }
        at = reads.until.filter(|next| *next > at)?;
    }
    Some(at)
}

fn nobody_permits(tx: &Tx, attempt: &Attempt, unheld: &[&At<GuardDecl>]) -> Refusal {
    match unheld.split_first() {
        None => Refusal::plain(match attempt.action.as_str() {
            "claim" => "a rule that permits such a change by hand".to_owned(),
            action => format!("a rule that permits to {action}"),
        }),
        Some((first, more)) => {
            let mut refusal = tx.refusal_at(&first.site, &first.it.why);
            let others = more.iter();
            let others = others.map(|guard| Need::instead(&guard.it.why));
            refusal.needs.extend(others);
            refusal
        }
    }
}

/// Whether a guard speaks. One that breaks is left out, and the log names it.
fn speaks(tx: &Tx, guard: &At<GuardDecl>, record: &Datum) -> Answer<bool> {
    match tx.apart(|| tx.holds_at(&guard.site, &guard.it.when, vec![record.clone()]))? {
        Err(Stop::Broken(fault)) => {
            tx.broke(&guard.site, &fault);
            tx.say(
                NoteKind::Broke,
                format!("a guard of {} broke: {}", guard.site.rule, fault.text),
            );
            Ok(false)
        }
        other => other,
    }
}

fn stronger_of<'a>(
    tx: &Tx,
    one: &'a At<GuardDecl>,
    other: &'a At<GuardDecl>,
) -> Answer<&'a At<GuardDecl>> {
    if one.it.forbids == other.it.forbids {
        return Ok(one);
    }
    let prohibition = if one.it.forbids { one } else { other };
    let law = tx.frame().law;
    let Some(stronger) = &law.stronger else {
        return Ok(prohibition);
    };
    let args = vec![guard_record(tx, one), guard_record(tx, other)];
    match tx.apart(|| tx.call_at(&stronger.site, &stronger.it, args.clone()))? {
        Ok(answer) if answer == args[0] => Ok(one),
        Ok(answer) if answer == args[1] => Ok(other),
        Ok(_) => Ok(prohibition),
        Err(Stop::Broken(fault)) => {
            tx.broke(&stronger.site, &fault);
            tx.say(
                NoteKind::Broke,
                format!("the precedence of guards broke: {}", fault.text),
            );
            Ok(prohibition)
        }
        Err(stop) => Err(stop),
    }
}

fn guard_record(tx: &Tx, guard: &At<GuardDecl>) -> Datum {
    let law = tx.frame().law;
    let place = law.place(&guard.site.rule);
    let actions = law.actions.iter().map(|(name, decl)| {
        (
            name,
            decl.it.tags.as_slice(),
            &decl.site.rule,
            law.place(&decl.site.rule),
        )
    });
    let built_in: Vec<(Name, Name)> = NAMES
        .iter()
        .map(|name| (Name::from(*name), home_of(&law, &(*name).into()).rule))
        .collect();
    let actions = actions.chain(
        built_in
            .iter()
            .map(|(name, rule)| (name, [].as_slice(), rule, law.place(rule))),
    );
    let mut tags = guard.it.tags.clone();
    tags.extend(place.tags.iter().cloned());
    Datum::Record(Arc::new(Record {
        kind: "Guard",
        fields: vec![
            ("forbids", Datum::Bool(guard.it.forbids)),
            ("section", Datum::Text(place.section.as_str().into())),
            ("rule", Datum::Thing(Thing::Rule(guard.site.rule.clone()))),
            (
                "tags",
                Datum::List(
                    tags.iter()
                        .map(|tag| Datum::Text(tag.as_str().into()))
                        .collect(),
                ),
            ),
            (
                "breadth",
                Datum::Int(scope::breadth(&guard.it.scope, actions)),
            ),
        ],
    }))
}

/// An attempt as guards see it.
fn attempt_record(tx: &Tx, attempt: &Attempt) -> Datum {
    let law = tx.frame().law;
    let place = law.place(&attempt.site.rule);
    let text = |name: &Name| Datum::Text(name.as_str().into());
    let rule = if attempt.site.rule.is_empty() {
        Datum::None
    } else {
        Datum::Thing(Thing::Rule(attempt.site.rule.clone()))
    };
    let args = attempt
        .args
        .iter()
        .map(|(name, datum)| (text(name), datum.clone()))
        .collect();
    let reads = attempt
        .body
        .as_ref()
        .map_or_else(Vec::new, |body| declared::value_records_read_by(tx, body));
    Datum::Record(Arc::new(Record {
        kind: "Attempt",
        fields: vec![
            ("actor", Datum::Thing(Thing::Player(attempt.actor))),
            ("action", text(&attempt.action)),
            ("rule", rule),
            ("section", text(&place.section)),
            (
                "post",
                attempt
                    .post
                    .map_or(Datum::None, |post| Datum::Thing(Thing::Post(post))),
            ),
            ("args", Datum::Dict(args)),
            ("tags", Datum::List(attempt.tags.iter().map(text).collect())),
            (
                "limits",
                Datum::List(attempt.limits.iter().map(limit_record).collect()),
            ),
            ("reads", Datum::List(reads.into())),
        ],
    }))
}

/// A limit as rule code wrote it.
fn limit_record(limit: &LimitDecl) -> Datum {
    let text = |text: &str| Datum::Text(text.into());
    let (per, since) = match &limit.per {
        Per::Ever => ("", ""),
        Per::Day => ("day", ""),
        Per::Week => ("week", ""),
        Per::Since(since) => ("", since.as_str()),
    };
    Datum::Record(Arc::new(Record {
        kind: "Limit",
        fields: vec![
            ("per", text(per)),
            ("since", text(since)),
            ("times", Datum::Int(limit.times.into())),
            ("gap", limit.gap.map_or(Datum::None, Datum::Span)),
            ("slot", text(limit.slot.as_str())),
            ("shared", Datum::Bool(limit.shared)),
        ],
    }))
}

/// How many times a guard is asked how it will speak.
const LOOKS_MAX: usize = 12;

/// The acts that every game has and that guards may forbid.
pub(crate) const NAMES: [&str; 14] = [
    "vote",
    "comment",
    "post",
    "message",
    "claim",
    "dispute",
    "undo",
    "answer",
    "apply-to-join",
    "leave",
    "edit",
    "withdraw",
    "recategorise",
    "abandon",
];

/// An attempt at a built-in act. It belongs to the rule that permits it by name, or that declares the category.
pub(crate) fn built_in(
    tx: &Tx,
    action: &Name,
    actor: PlayerId,
    post: Option<PostId>,
    args: Vec<(Name, Datum)>,
) -> Attempt {
    // A claim belongs to the rule that it rests on, so that what forbids that rule's actions forbids it too.
    let rests_on = args.iter().find_map(|(name, datum)| match datum {
        Datum::Thing(Thing::Rule(rule)) if *name == "rule" => Some(rule.clone()),
        _ => None,
    });
    let site = match rests_on {
        Some(rule) if *action == "claim" => Site {
            rule,
            ..Site::default()
        },
        _ => home_of(&tx.frame().law, action),
    };
    let law = tx.frame().law;
    let posted = action.as_str().strip_prefix("post ");
    let posted = posted.and_then(|category| law.categories.get(category));
    Attempt {
        actor,
        action: action.clone(),
        site,
        post,
        args,
        tags: Vec::new(),
        limits: posted
            .map(|decl| decl.it.limits.clone())
            .unwrap_or_default(),
        body: None,
    }
}

/// The clause to which a built-in act belongs; no clause where no rule claims it.
pub(crate) fn home_of(law: &Law, action: &Name) -> Site {
    if let Some(category) = action.as_str().strip_prefix("post ")
        && let Some(category) = law.categories.get(category)
    {
        return category.site.clone();
    }
    // A later rule that permits it too does not take the act away from the one that was there first.
    law.guards
        .iter()
        .filter(|guard| !guard.it.forbids && guard.it.scope.actions.contains(action))
        .min_by_key(|guard| law.place(&guard.site.rule).since)
        .map(|guard| guard.site.clone())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use quorate_kernel::command::{Act, Actor, NewPost, typed};
    use quorate_kernel::{Id, PostId};

    use crate::tiny_game::game;

    #[test]
    fn a_guard_that_speaks_refuses_with_its_reason() {
        let mut game = game(
            "def rest(actor: Player):\n    pass\n\ndef always(a: Attempt) -> bool:\n    return True\n\naction(\"rest\", rest)\naction(\"sleep\", rest)\nforbid(scope(actions = [\"rest\"]), always, \"another year\")",
        );
        let refused = game.act("rest", &[]).expect_err("it is forbidden");
        assert_eq!(
            (refused.what(), refused.rule_id.as_str()),
            ("another year", "house")
        );
        game.act("sleep", &[])
            .expect("the guard covers the other alone");
    }

    const SEEN: &str = r#"category("Bill", icons = ["for"], statuses = ["pending"])

def rest(actor: Player):
    pass

def always(a: Attempt) -> bool:
    return True

def is_long(a: Attempt) -> bool:
    return len(a.args["body"]) > 5

def is_big(a: Attempt) -> bool:
    return "DICE100" in a.args["line"]

def is_weekly(a: Attempt) -> bool:
    return any([l.per == "week" and l.times == 2 for l in a.limits])

action("doze", rest, limit = limit(per = "day"))
action("rest", rest, limit = limit(per = "week", times = 2))
permit(scope(actions = ["edit"]), always, "nothing")
forbid(scope(actions = ["edit"]), is_long, "a short text")
forbid(scope(actions = ["roll"]), is_big, "a small die")
forbid(scope(section = "rules"), is_weekly, "another week")"#;

    #[test]
    fn a_guard_sees_the_new_text_of_an_edit_the_line_of_a_roll_and_the_limits_of_an_action() {
        let mut game = game(SEEN);
        let anna = Actor::Player(game.anna);
        let post = NewPost::plain("Bill", "A bill", "So.");
        let posted = game.send(anna, Act::Post(Box::new(post)));
        let post = PostId(Id::new(posted.expect("anybody may").seq, 0));
        let edit = |body: &str| Act::EditPost {
            post,
            title: typed("A bill"),
            body: typed(body),
            flavour: typed(""),
            patch: None,
        };
        let roll = |line: &str| Act::Dice { line: typed(line) };
        let act = |action: &str| Act::Do {
            action: action.into(),
            args: vec![],
        };
        let tries = [
            (edit("Or so."), Some("a short text")),
            (edit("Or"), None),
            (roll("DICE100"), Some("a small die")),
            (roll("DICE6"), None),
            (act("rest"), Some("another week")),
            (act("doze"), None),
        ];
        for (act, refused) in tries {
            let answer = game.send(anna, act).err();
            let what = answer.as_ref().map(quorate_kernel::Refusal::what);
            assert_eq!(what, refused);
        }
    }

    #[test]
    fn nobody_edits_a_post_where_no_rule_permits_it() {
        let game = game("x = number(\"X\", of = player)");
        let refused = game.ask(|tx| tx.may_act("edit", game.anna, vec![]));
        assert!(
            matches!(refused, Err(quorate_law::stop::Stop::Refused(no)) if no.what() == "a rule that permits to edit")
        );
    }
}
