//! What each kind of act does.

use std::collections::BTreeSet;

use quorate_kernel::command::{Act, Actor, Command, NewPost};
use quorate_kernel::event::Event;
use quorate_kernel::ids::PlayerId;
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::rows::{Breaks, DueKey, Open, OpenKey, Person, Standing};
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Name, PostId, Refusal, Thing};
use quorate_law::datum::Datum;
use quorate_law::stop::{Answer, Stop};

use super::draft::drop_waiting;
use super::{breaks, claims, dice_line, undo};
use crate::convert;
use crate::names;
use crate::topics::posts::PostToMake;
use crate::topics::{
    actions, built_in_acts, duties, first_edition, follow, guards, labels, law_changes, lengths,
    limits, owed, people, posts, things, titles, values,
};
use crate::tx::{Frame, Tx};

/// Does what a command says.
pub(crate) fn act(tx: &Tx, command: &Command, past: &[Event], open: Option<&Open>) -> Answer<()> {
    lengths::of_act(&command.act)?;
    match (&command.act, command.actor) {
        (Act::Apply { name, text }, actor) => apply(tx, actor, name, text),
        (Act::Due { keys }, Actor::Game) => fall_due(tx, keys, open),
        (Act::Downtime { since }, Actor::Game) => {
            tx.happen(
                "downtime",
                "Game",
                vec![Datum::Thing(Thing::Game), Datum::Moment(*since)],
            );
            Ok(())
        }
        (Act::Repair { patch, reason }, Actor::Operator) => repair(tx, patch, reason),
        (Act::Sleep { clause, why }, Actor::Game) => breaks::put_to_sleep(tx, clause, why),
        (act, Actor::Player(player)) => {
            on_the_books(tx, player)?;
            act_of_player(tx, player, act, past, open)
        }
        (act, _) => Err(Stop::no(format!("a player, to {}", act.name()))),
    }
}

/// Those who were barred, and strangers to the game, take no part.
fn on_the_books(tx: &Tx, player: PlayerId) -> Answer<()> {
    match tx.with_state(|state| state.people.get(&player).map(|person| person.standing)) {
        Some(Standing::Member | Standing::Applicant | Standing::Left) => Ok(()),
        Some(Standing::Barred) => Err(Stop::no("not to be barred from this game")),
        None => Err(Stop::no("to be known in this game: ask to join first")),
    }
}

fn act_of_player(
    tx: &Tx,
    player: PlayerId,
    act: &Act,
    past: &[Event],
    open: Option<&Open>,
) -> Answer<()> {
    match act {
        Act::Do { action, args } => {
            if !tx.law.actions.contains_key(action) {
                return Err(Stop::refused(Refusal::no_action(action)));
            }
            let given = args
                .iter()
                .map(|(name, value)| (name.clone(), convert::datum(value)));
            let owed = owed::check(tx, action, player, &given.collect::<Vec<_>>());
            owed.map_err(Stop::refused)?;
            run(tx, player, action, args, None)
        }
        Act::Answer { action, .. } => {
            let Some(open) = open else {
                return Err(Stop::no("an action of yours that waits for an answer"));
            };
            run(tx, player, action, &open.args, Some(open))
        }
        Act::Abandon { action } => {
            Err(Stop::no(format!("to go on with {action}: it was given up")))
        }
        Act::Decide { duty, value } => {
            guards::check(
                tx,
                &guards::built_in(tx, &"answer".into(), player, None, vec![]),
            )?;
            duties::answer(tx, player, *duty, value)
        }
        Act::Leave { text } => leave(tx, player, text),
        Act::Post(post) => post_new(tx, player, post),
        Act::EditPost {
            post,
            title,
            body,
            flavour,
            patch,
        } => edit(tx, player, *post, title, body, flavour, patch.as_ref()),
        Act::Recategorise { post, category } => recategorise(tx, player, *post, category),
        Act::Withdraw { post } => withdraw(tx, player, *post),
        Act::Comment { post, text } => built_in_acts::comment_by(tx, player, *post, text.clone()),
        Act::Message { to, text } => message(tx, player, to, text),
        Act::Claim {
            patch,
            rule,
            reason,
        } => claims::claim(tx, player, patch, rule, reason),
        Act::Dispute { claim, .. } => claims::dispute(tx, player, *claim),
        Act::Undo { event, picks, .. } => {
            guards::check(
                tx,
                &guards::built_in(tx, &"undo".into(), player, None, vec![]),
            )?;
            undo::undo(tx, *event, past, picks)
        }
        Act::Dice { line } => {
            let args = vec![("line".into(), Datum::Text(line.as_str().into()))];
            guards::check(
                tx,
                &guards::built_in(tx, &"roll".into(), player, None, args),
            )?;
            dice_line::roll(tx, line.as_str())
        }
        Act::Wake { clause } => {
            guards::check(
                tx,
                &guards::built_in(tx, &"wake".into(), player, None, vec![]),
            )?;
            let old = tx.with_state(|state| state.breaks.get(clause).cloned());
            if old.is_none() {
                return Err(Stop::no("a clause that sleeps"));
            }
            tx.remove::<Breaks>(clause.clone());
            Ok(())
        }
        Act::Found(_)
        | Act::Apply { .. }
        | Act::Due { .. }
        | Act::Downtime { .. }
        | Act::Repair { .. }
        | Act::Sleep { .. } => Err(Stop::no("an act that players take")),
    }
}

/// Runs an action from its start; dice that waited for it are used up where it completes.
fn run(
    tx: &Tx,
    player: PlayerId,
    action: &Name,
    args: &[(Name, quorate_kernel::Value)],
    open: Option<&Open>,
) -> Answer<()> {
    let given = args
        .iter()
        .map(|(name, value)| (name.clone(), convert::datum(value)))
        .collect();
    actions::act(tx, action, player, given, &[])?;
    let key = OpenKey {
        who: player,
        action: action.clone(),
    };
    drop_waiting(tx, &key, args, open);
    Ok(())
}

/// Whether an open action may be given up: before its first die always, after it where a rule permits that.
pub(crate) fn may_abandon(
    tx: &Tx,
    frame: &Frame,
    action: &Name,
    open: &Open,
) -> Result<(), Refusal> {
    let Some(player) = frame.actor.filter(|_| !open.tape.dice.is_empty()) else {
        return Ok(());
    };
    if first_edition::is_judged(tx) {
        return Ok(());
    }
    let Some(decl) = tx.law.actions.get(action) else {
        return Ok(());
    };
    let answer = tx.within(frame.clone(), || {
        let args = vec![(Name::from("action"), Datum::Text(action.as_str().into()))];
        let mut attempt = guards::built_in(tx, &"abandon".into(), player, None, args);
        attempt.site = decl.site.clone();
        guards::check(tx, &attempt)
    });
    match answer {
        Err(Stop::Refused(refusal)) if refusal.rule_id.is_empty() => {
            Err(tx.refusal_at(&decl.site, "to be completed, since its dice have fallen"))
        }
        Err(Stop::Refused(refusal)) => Err(*refusal),
        _ => Ok(()),
    }
}

/// An answer must be one of those offered; else it is refused and the question stays.
pub(crate) fn answer_fits(
    tx: &Tx,
    open: &Open,
    value: &quorate_kernel::Value,
) -> Result<(), Refusal> {
    use quorate_kernel::Value;
    let value = value.open();
    let word = match value {
        Value::Text(text) => Some(text.as_str().to_owned()),
        Value::Word(word) => Some(word.to_string()),
        _ => None,
    };
    let offered = |option: &Value| {
        option.open() == value
            || word
                .as_ref()
                .is_some_and(|word| *word == labels::label(tx, &convert::datum(option)))
    };
    if open.question.options.iter().any(offered)
        || (open.question.may_decline && *value == Value::None)
    {
        return Ok(());
    }
    let words: Vec<_> = open
        .question
        .options
        .iter()
        .map(|option| labels::label(tx, &convert::datum(option)))
        .collect();
    let mut refusal = Refusal::plain(format!("one of the answers to \"{}\"", open.question.what));
    refusal.needs[0].need = words.join(", ");
    Err(refusal)
}

fn apply(tx: &Tx, actor: Actor, name: &Sealed<str>, text: &Sealed<str>) -> Answer<()> {
    let known = actor.player();
    names::check(&tx.state(), name.as_str(), known).map_err(Stop::refused)?;
    let id = match known {
        Some(id) => id,
        None => PlayerId(tx.make_id()?),
    };
    let old = tx.with_state(|state| state.people.get(&id).cloned());
    match old.as_ref().map(|person| person.standing) {
        None | Some(Standing::Left) => {}
        Some(Standing::Applicant) => return Err(Stop::no("not to have asked already")),
        Some(Standing::Member) => return Err(Stop::no("not to be on the roster already")),
        Some(Standing::Barred) => return Err(Stop::no("not to be barred from this game")),
    }
    let new = Person {
        name: name.clone(),
        standing: Standing::Applicant,
        applied_at: tx.now,
        joined_at: old.as_ref().and_then(|person| person.joined_at),
        left_at: old.as_ref().and_then(|person| person.left_at),
        seen_at: tx.now,
    };
    tx.put(id, new);
    guards::check(
        tx,
        &guards::built_in(tx, &"apply-to-join".into(), id, None, vec![]),
    )?;
    let args = vec![
        Datum::Thing(Thing::Player(id)),
        Datum::Text(text.as_str().into()),
    ];
    tx.happen("applied", "Player", args);
    Ok(())
}

fn leave(tx: &Tx, player: PlayerId, _text: &Sealed<str>) -> Answer<()> {
    let member = tx.with_state(|state| {
        state
            .people
            .get(&player)
            .is_some_and(|p| p.standing == Standing::Member)
    });
    if !member {
        return Err(Stop::no("to be on the roster"));
    }
    guards::check(
        tx,
        &guards::built_in(tx, &"leave".into(), player, None, vec![]),
    )?;
    people::depart(tx, player, false)
}

fn post_new(tx: &Tx, player: PlayerId, post: &NewPost) -> Answer<()> {
    let draft = PostToMake {
        category: post.category.clone(),
        author: Some(player),
        title: post.title.clone(),
        body: post.body.clone(),
        flavour: post.flavour.clone(),
        patch: post
            .patch
            .clone()
            .filter(|patch| patch.plain().is_none_or(|patch| !patch.is_empty())),
    };
    let fields = post
        .fields
        .iter()
        .map(|(name, value)| (name.clone(), convert::datum(value)))
        .collect();
    built_in_acts::post_by(tx, player, draft, fields).map(|_| ())
}

fn about_post(
    tx: &Tx,
    player: PlayerId,
    act: &str,
    post: PostId,
    args: Vec<(Name, Datum)>,
) -> Answer<()> {
    if !things::exists(tx, &Thing::Post(post)) {
        return Err(Stop::no("a post that exists"));
    }
    guards::check(
        tx,
        &guards::built_in(tx, &act.into(), player, Some(post), args),
    )
}

fn edit(
    tx: &Tx,
    player: PlayerId,
    post: PostId,
    title: &Sealed<str>,
    body: &Sealed<str>,
    flavour: &Sealed<str>,
    patch: Option<&Sealed<Patch>>,
) -> Answer<()> {
    let new = [("title", title), ("body", body), ("flavour", flavour)]
        .map(|(name, text)| (name.into(), Datum::Text(text.as_str().into())));
    about_post(tx, player, "edit", post, new.to_vec())?;
    if title.as_str().trim().is_empty() {
        return Err(Stop::no("a title"));
    }
    let now = tx.now;
    let category = tx.with_state(|state| state.posts.get(&post).map(|row| row.category.clone()));
    let title = posts::titled(tx, &category.unwrap_or_default(), title.clone());
    posts::change(tx, post, |row| {
        row.title = title.clone();
        row.tags = titles::tags_of(title.as_str());
        row.body = body.clone();
        row.flavour = flavour.clone();
        row.patch = patch.cloned();
        row.edited_at = Some(now);
    })
}

fn recategorise(tx: &Tx, player: PlayerId, post: PostId, category: &Name) -> Answer<()> {
    if !tx.law.categories.contains_key(category) {
        return Err(Stop::no(format!("a category called \"{category}\"")));
    }
    about_post(
        tx,
        player,
        "recategorise",
        post,
        vec![("category".into(), Datum::Text(category.as_str().into()))],
    )?;
    let status = tx
        .law
        .categories
        .get(category)
        .and_then(|decl| decl.it.statuses.first().cloned())
        .unwrap_or_default();
    let now = tx.now;
    let title = tx.with_state(|state| state.posts.get(&post).map(|row| row.title.clone()));
    let title = title.map(|title| posts::titled(tx, category, title));
    posts::change(tx, post, |row| {
        if let Some(title) = &title {
            row.title = title.clone();
            row.tags = titles::tags_of(title.as_str());
        }
        row.category = category.clone();
        row.status = status;
        row.open_at = now;
    })?;
    values::write_defaults(tx, &Thing::Post(post), category);
    let author = tx.with_state(|state| state.posts.get(&post).and_then(|row| row.author.player()));
    if let (Some(author), Some(decl)) = (author, tx.law.categories.get(category)) {
        limits::use_up(
            tx,
            &Name::from(format!("post {category}")),
            &decl.it.limits.clone(),
            author,
        );
    }
    posts::announce(tx, post);
    Ok(())
}

fn withdraw(tx: &Tx, player: PlayerId, post: PostId) -> Answer<()> {
    about_post(tx, player, "withdraw", post, vec![])?;
    posts::close(tx, post, "withdrawn", "")
}

fn message(tx: &Tx, player: PlayerId, to: &[PlayerId], text: &Sealed<str>) -> Answer<()> {
    if to.is_empty() || to.iter().any(|id| !things::exists(tx, &Thing::Player(*id))) {
        return Err(Stop::no("somebody of this game to write to"));
    }
    if to.iter().collect::<BTreeSet<_>>().len() < to.len() {
        return Err(Stop::no("each person to write to once"));
    }
    if text.as_str().trim().is_empty() {
        return Err(Stop::no("a message with words"));
    }
    guards::check(
        tx,
        &guards::built_in(tx, &"message".into(), player, None, vec![]),
    )?;
    posts::send(tx, Some(player), to.to_vec(), text.clone())
}

/// What fell due, in document order and then by subject, each part with what follows from it.
fn fall_due(tx: &Tx, keys: &[DueKey], open: Option<&Open>) -> Answer<()> {
    if let (Some(open), [DueKey::Open(player, action)]) = (open, keys) {
        owed::check_open(tx, action, *player, open).map_err(Stop::refused)?;
        return run(tx, *player, action, &open.args.clone(), Some(open));
    }
    let mut keys = keys.to_vec();
    keys.sort_by_key(|key| (place(tx, key), key.clone()));
    for key in &keys {
        follow::fall_due(tx, key)?;
        follow::follow(tx)?;
    }
    Ok(())
}

/// Where in the law something due stands.
fn place(tx: &Tx, key: &DueKey) -> usize {
    let law = &tx.law;
    let position = |found: Option<usize>| found.unwrap_or(usize::MAX);
    match key {
        DueKey::Automatic(name, _) => position(
            law.automatics
                .iter()
                .position(|automatic| automatic.it.name == *name),
        ),
        DueKey::Recheck(..) => usize::MAX - 1,
        DueKey::Duty(_) | DueKey::Open(..) | DueKey::Claim(_) => usize::MAX,
    }
}

fn repair(tx: &Tx, patch: &Sealed<Patch>, reason: &Sealed<str>) -> Answer<()> {
    let Some(patch) = patch.shared() else {
        return Err(Stop::no("a change"));
    };
    tx.say(
        quorate_kernel::event::NoteKind::Said,
        format!("the operator: {}", reason.as_str()),
    );
    for clause in &patch.clauses {
        if let Clause::ChangeEdition { edition } = clause {
            law_changes::change_edition(tx, *edition)?;
        }
    }
    law_changes::apply_patch(tx, &patch, None)
}

#[cfg(test)]
mod tests;
