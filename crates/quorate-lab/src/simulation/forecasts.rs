//! Forecasts held against what then happens: random proposals under random votes are forecast, enacted by somebody whom the
//! law lets, compared, and undone again.

use quorate_engine::judge::Judge;
use quorate_engine::law::At;
use quorate_engine::rulebook::Rulebook;
use quorate_forecast::consequence::Consequence;
use quorate_forecast::matters::{closings_of, tried_on};
use quorate_forecast::{Extent, Forecast, Fork, PastEvents, Proposed, happened};
use quorate_kernel::audience::Reader;
use quorate_kernel::command::{Act, Actor, Command, NewPost, typed};
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::law::Rule;
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::rows::{Cell, CellKey, DueKey, Person};
use quorate_kernel::state::Effect;
use quorate_kernel::{EventSeq, Id, Name, PlayerId, PostId, Refusal, Span, Thing, Topic, Value};
use quorate_law::declare::ActionDecl;

use super::game::SimulatedGame;
use super::{SimulationFailure, guarded};

/// What came of the proposals of a seed.
#[derive(Clone, Copy, Debug, Default)]
pub struct ForecastTally {
    /// How many were tried.
    pub tried: u64,
    /// How many could be posted and enacted, and came out as forecast.
    pub enacted: u64,
    /// Of those, how many rolled too many dice for every throw to be tried, so that only what is certain was compared.
    pub by_trial_throws: u64,
    /// How many were undone, and all was as before.
    pub undone: u64,
    /// Of those, in how many a rule's hook wrote values because of the undo. They are compared as they were before that.
    pub hooked: u64,
    /// How many the law kept from being undone.
    pub kept: u64,
}

/// Titles of proposals, with and without tags that rules know.
const TITLES: [&str; 5] = [
    "A trial",
    "[Core] A trial",
    "[Dynastic] A trial",
    "[Special Case] A trial",
    "[Appendix] [Core] A trial",
];

/// How long voting may take.
const VOTING: [i64; 4] = [0, 13, 49, 73];

/// Tries so many proposals of one seed, each on the same game.
///
/// # Errors
/// Fails at the first proposal that comes out otherwise than forecast, or whose undo leaves something behind.
pub fn prove(
    book: &Rulebook,
    seed: u64,
    count: u64,
    progress: &dyn Fn(u64),
) -> Result<ForecastTally, SimulationFailure> {
    let mut game = SimulatedGame::begin(book, seed)?;
    let mut tally = ForecastTally::default();
    for number in 1..=count {
        let (judge, events, now) = (game.judge.clone(), game.events.len(), game.now);
        guarded(|| one(&mut game, &mut tally)).map_err(|what| game.failure(number, what))?;
        game.judge = judge;
        game.events.truncate(events);
        game.now = now;
        tally.tried = number;
        progress(number);
    }
    Ok(tally)
}

fn one(game: &mut SimulatedGame, tally: &mut ForecastTally) -> Result<(), String> {
    let Some(post) = posted(game)? else {
        return Ok(());
    };
    vote(game, post, false)?;
    let hours = game.chance.pick(&VOTING).unwrap_or(0);
    wait(game, hours)?;
    let mut way = way(game, post);
    if way.is_none() {
        vote(game, post, true)?;
        wait(game, 13)?;
        way = self::way(game, post);
    }
    let Some((by, action, first)) = way else {
        return Ok(());
    };
    let act = Act::Do {
        action,
        args: vec![(first, Value::Thing(Thing::Post(post)))],
    };
    let forecast = forked(game, |fork| {
        Forecast::of(fork, &Proposed::Post(post), Extent::Alone)
    });
    let before = game.judge.clone();
    let event = match (done(game, by, act)?, &forecast.refused) {
        (Ok(event), _) => event,
        (Err(_), Some(_)) => return Ok(()),
        (Err(refusal), None) => {
            return Err(format!(
                "it was forecast, and the law refused it: {refusal}"
            ));
        }
    };
    let (after, after_event) = (game.judge.clone(), event.clone());
    let remains = game.remains.clone();
    let told = {
        let now = std::mem::replace(&mut game.judge, before.clone());
        let told = forked(game, |fork| {
            happened(fork, &Proposed::Post(post), after, after_event, remains)
        });
        game.judge = now;
        told
    };
    compare(&forecast, &told, tally)?;
    tally.enacted += 1;
    undo(game, &event, by, &before, tally)
}

/// A random proposal of a random author; none where the law refuses it.
fn posted(game: &mut SimulatedGame) -> Result<Option<PostId>, String> {
    let mut patch = game.patch();
    patch.clauses.retain(|clause| !strikes(clause));
    let title = game.chance.word(&TITLES);
    plain_proposal(game, title, patch)
}

/// A proposal of a random author; none where the law refuses it.
pub(super) fn plain_proposal(
    game: &mut SimulatedGame,
    title: &str,
    patch: Patch,
) -> Result<Option<PostId>, String> {
    match game.judge.law().amending_category().cloned() {
        Some(category) => plain_post(game, category, title, patch),
        None => Ok(None),
    }
}

/// A post of a kind with nothing written for its own fields; none where it may not be made.
pub(super) fn plain_post(
    game: &mut SimulatedGame,
    category: Name,
    title: &str,
    patch: Patch,
) -> Result<Option<PostId>, String> {
    let members = game.members();
    let Some(author) = game.chance.pick(&members) else {
        return Ok(None);
    };
    let new = NewPost::plain(category, title, "What it changes stands below.").with_patch(patch);
    let event = done(game, author, Act::Post(Box::new(new)))?;
    Ok(event.ok().map(|event| PostId(Id::new(event.seq, 0))))
}

/// Rulings are tried elsewhere: they judge the whole log again.
fn strikes(clause: &Clause) -> bool {
    match clause {
        Clause::Strike { .. } => true,
        Clause::When { clauses, .. } => clauses.iter().any(strikes),
        _ => false,
    }
}

/// Votes by some with any icon, or by everybody in favour.
pub(super) fn vote(game: &mut SimulatedGame, post: PostId, all_for: bool) -> Result<(), String> {
    let category = game
        .state()
        .posts
        .get(&post)
        .map(|post| post.category.clone());
    let decl = category.and_then(|name| game.judge.law().categories.get(&name).cloned());
    let icons = decl.map(|decl| decl.it.icons.clone()).unwrap_or_default();
    for member in game.members() {
        let icon: Name = match game.chance.below(6) {
            _ if all_for => "for".into(),
            0 => continue,
            1 => game.chance.pick(&icons).unwrap_or_default(),
            _ => "for".into(),
        };
        let text = typed(&format!(":{icon}:"));
        // Who may not vote does not.
        let _ = done(game, member, Act::Comment { post, text })?;
    }
    Ok(())
}

pub(super) fn wait(game: &mut SimulatedGame, hours: i64) -> Result<(), String> {
    game.now = game.now + Span::hours(hours);
    game.run_due()
}

/// An action that enacts the post, and the first who may take it now.
pub(super) fn way(game: &SimulatedGame, post: PostId) -> Option<(PlayerId, Name, Name)> {
    let law = game.judge.law();
    let category = game.state().posts.get(&post)?.category.clone();
    let closings = closings_of(law, &category).into_iter();
    let enacts = |decl: &&At<ActionDecl>| law.enacts.contains(&decl.it.body);
    let members = game.members();
    let mut ways = closings.filter(enacts).filter_map(|decl| {
        let may = |by: &&PlayerId| {
            let tried = game
                .judge
                .query(game.now, |tx| tried_on(tx, **by, decl, post));
            tried.is_ok()
        };
        let by = members.iter().find(may)?;
        let first = decl.it.params.first()?;
        Some((*by, decl.it.name.clone(), first.name.clone()))
    });
    ways.next()
}

/// An act at the game's moment, or its refusal.
pub(super) fn done(
    game: &mut SimulatedGame,
    by: PlayerId,
    act: Act,
) -> Result<Result<Event, Refusal>, String> {
    game.keys += 1;
    let command = Command {
        at: game.now,
        actor: Actor::Player(by),
        key: Name::from(format!("step {}", game.keys)),
        act,
    };
    let judged = game.judged(command)?;
    Ok(judged.event().and_then(|event| match event.outcome {
        Outcome::Done => Ok(event),
        _ => Err(Refusal::plain("an act that is done at once")),
    }))
}

/// What is known of the past.
struct Log<'a>(&'a [Event]);

impl PastEvents for Log<'_> {
    fn event(&self, seq: EventSeq) -> Option<Event> {
        self.0.iter().find(|event| event.seq == seq).cloned()
    }

    fn log(&self) -> Result<Vec<Event>, Refusal> {
        Ok(self.0.to_vec())
    }
}

/// Asks a fork of the game as it is, by a reader who sees all.
fn forked<T>(game: &SimulatedGame, ask: impl FnOnce(&Fork<'_>) -> T) -> T {
    let log = Log(&game.events);
    ask(&Fork {
        judge: game.judge.clone(),
        reader: Reader::Law,
        is_blind: false,
        now: game.now,
        past: &log,
        time_is_over: &|| false,
    })
}

/// Each thing that happened was forecast, and what was certain happened.
fn compare(
    forecast: &Forecast,
    told: &[Consequence],
    tally: &mut ForecastTally,
) -> Result<(), String> {
    if let Some(refusal) = &forecast.refused {
        return Err(format!("it was enacted, and the forecast said: {refusal}"));
    }
    if let Some(need) = forecast.needs.first() {
        return Err(format!(
            "it was enacted, and the forecast said that it needs: {need}"
        ));
    }
    let Some(odds) = &forecast.alone else {
        return Err("the forecast says nothing".to_owned());
    };
    let is_exact = odds.throws.as_ref().is_none_or(|throws| throws.exact);
    tally.by_trial_throws += u64::from(!is_exact);
    let outcomes = || odds.changes.iter().flat_map(|change| &change.outcomes);
    // Texts are the same if they read alike, whatever seals them.
    let alike = |one: &Consequence, other: &Consequence| format!("{one:?}") == format!("{other:?}");
    if is_exact {
        for one in told {
            if !outcomes().any(|outcome| alike(&outcome.consequence, one)) {
                return Err(format!(
                    "not forecast: {one:?}; forecast: {:?}",
                    odds.changes
                ));
            }
        }
    }
    let certain = outcomes().filter(|outcome| is_exact && outcome.share > 0.9999);
    for outcome in certain {
        if !told.iter().any(|one| alike(one, &outcome.consequence)) {
            let what = &outcome.consequence;
            return Err(format!(
                "forecast and not happened: {what:?}; happened: {told:?}"
            ));
        }
    }
    Ok(())
}

/// Undoes an event, after which the game is what it was.
fn undo(
    game: &mut SimulatedGame,
    event: &Event,
    by: PlayerId,
    before: &Judge,
    tally: &mut ForecastTally,
) -> Result<(), String> {
    let act = Act::Undo {
        event: event.seq,
        picks: Vec::new(),
        reason: typed("a trial"),
    };
    let may_undo = game
        .judge
        .query(game.now, |tx| tx.may_act("undo", by, vec![]).is_ok());
    let undone = match done(game, by, act)? {
        Ok(undone) => Some(undone),
        // A rule may keep somebody from an undo; nothing else may.
        Err(_) if !may_undo => {
            tally.kept += 1;
            return Ok(());
        }
        // Nothing of it stands; then all is as before already.
        Err(refusal) if refusal.is_about(&Topic::NothingStands) => None,
        Err(refusal) => return Err(format!("it could not be undone: {refusal}")),
    };
    tally.undone += 1;
    let hooked: Vec<&Effect> = undone.iter().flat_map(hooked).collect();
    tally.hooked += u64::from(!hooked.is_empty());
    match difference(before, &without(&game.judge, &hooked)?) {
        None => Ok(()),
        Some(what) => Err(format!("undone, and not as before: {what}")),
    }
}

/// The values that rules' hooks wrote while something was undone.
fn hooked(undone: &Event) -> impl Iterator<Item = &Effect> {
    let of_rules = undone.steps.iter().filter(|step| !step.rule.is_empty());
    let effects = of_rules.map(|step| &step.effect);
    effects.filter(|effect| matches!(effect, Effect::Cell { .. }))
}

/// The game before the last effects of its last event: what the undo itself came to. What hooks make of that is their rules' doing.
fn without(judge: &Judge, effects: &[&Effect]) -> Result<Judge, String> {
    let mut state = judge.state().clone();
    for effect in effects.iter().rev() {
        let back = (*effect).clone().inverse();
        state
            .apply(&back)
            .map_err(|mismatch| format!("what a hook wrote is not there: {mismatch}"))?;
    }
    Ok(judge.elsewhere(state))
}

/// The first thing that is otherwise, but for the log, posts, comments, spent dice, ids and the archive.
fn difference(before: &Judge, after: &Judge) -> Option<String> {
    // A value that was never set reads as its default, and is the same as one that was set to it.
    let read = |judge: &Judge, key: &CellKey| {
        judge.query(judge.head().at, |tx| {
            tx.attribute(&key.thing, key.name.as_str()).ok()
        })
    };
    let reads_alike = |key: &CellKey| {
        let (old, new) = (read(before, key), read(after, key));
        old.is_some() && old == new
    };
    let is_otherwise = |effect: &Effect| match effect {
        Effect::About { .. }
        | Effect::Post { .. }
        | Effect::Comment { .. }
        | Effect::Message { .. }
        | Effect::Claim { .. }
        | Effect::Commitment { .. }
        | Effect::Waiting { .. }
        | Effect::Archived { .. } => false,
        // Since when a test holds and when it is asked again follow from the values.
        Effect::Clock { .. } => false,
        Effect::Due { key, .. } => matches!(key, DueKey::Automatic(_, Thing::Game)),
        Effect::Use { key, .. } => key.who.is_some() || key.slot.as_str() != "undone",
        Effect::Cell { key, old, new } => {
            let value = |cell: &Option<Cell>| {
                let value = cell.as_ref().map(|cell| cell.value.open().clone());
                value.filter(|value| *value != Value::None)
            };
            let is_of_blog = matches!(key.thing, Thing::Post(_) | Thing::Comment(..));
            !is_of_blog && value(old) != value(new) && !reads_alike(key)
        }
        Effect::Person {
            old: Some(old),
            new: Some(new),
            ..
        } => {
            let seen_at = new.seen_at;
            Person {
                seen_at,
                ..old.clone()
            } != *new
        }
        Effect::Rule {
            old: Some(old),
            new: Some(new),
            ..
        } => {
            let changed_by = new.changed_by;
            Rule {
                changed_by,
                ..old.clone()
            } != *new
        }
        _ => true,
    };
    let differences = before.state().differences(after.state());
    let first = differences.iter().find(|effect| is_otherwise(effect))?;
    Some(format!("{first:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::tiny_book::book;

    const HOARD: &str = r#"---
section: core
---
# Hoard

1. Who plays finds Gold, and it is counted how often that changed.

```starlark
gold = number("Gold", of = player)
moves = number("Moves", of = player)

def find(actor: Player):
    actor.gold += 1

def count(p: Player, old: int, new: int):
    p.moves += 1

action("find", find)
changed("gold", count, of = player)
```
"#;

    #[test]
    fn an_undo_is_compared_as_it_was_before_hooks_wrote_over_it() {
        let rules = book(&[("1-hoard.md", HOARD)]);
        let mut game = SimulatedGame::begin(&rules, 1).expect("it begins");
        let member = game.members()[0];
        let before = game.judge.clone();
        let mut done = |act: Act| {
            let event = done(&mut game, member, act).expect("it holds");
            event.expect("anybody may")
        };
        let found = done(Act::Do {
            action: "find".into(),
            args: Vec::new(),
        });
        let undone = done(Act::Undo {
            event: found.seq,
            picks: Vec::new(),
            reason: typed("a trial"),
        });
        let of_hooks: Vec<&Effect> = hooked(&undone).collect();
        assert_eq!(of_hooks.len(), 1, "{of_hooks:?}");
        let counted = difference(&before, &game.judge).expect("the hook counted the undo");
        assert!(counted.contains("moves"), "{counted}");
        let back = without(&game.judge, &of_hooks).expect("it is what the hook wrote");
        assert_eq!(difference(&before, &back), None);
        // What the undo left elsewhere is found, though the hook wrote over it.
        let other = without(&game.judge, &[]).expect("nothing is taken back");
        assert!(difference(&other, &back).is_some());
    }
}
