//! What comes of each kind of change where somebody tries it: by hand, by proposals, by scripts, and back again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quorate_engine::judge::Inputs;
use quorate_engine::law::Law;
use quorate_kernel::command::{Act, Actor, Command, typed};
use quorate_kernel::event::{Event, NoteKind, Outcome};
use quorate_kernel::law::LIBRARY;
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::seal::Sealed;
use quorate_kernel::state::{Effect, State};
use quorate_kernel::{Name, PlayerId, PostId, Thing, Value};
use quorate_law::readable;

use super::super::forecasts;
use super::super::game::SimulatedGame;
use super::cells::{ANYBODY, ChangeWay, ChangedKind, WayCell, WaysTable};
use super::read::{changes, dynastic, kind_of, place, refused_by};
use super::scripts;

/// How many values or kinds are tried in every way, spread over all; by hand all values are tried.
const SAMPLES: usize = 12;

/// How many contents of a value are tried by hand.
const DRAWS: usize = 3;

/// A change to try.
struct Sample {
    kind: ChangedKind,
    clause: Clause,
    /// Whether it is tried in every way, or by hand alone.
    everywhere: bool,
}

/// A title with each tag that a rulebook of this house asks for.
const TAGGED: &str = "[Core] [Special Case] [Appendix] [Victory] [Dynastic] A trial";

/// Tries each kind of change in each way that a patch can carry it.
pub(super) fn try_all(game: &mut SimulatedGame, table: &mut WaysTable) -> Result<(), String> {
    // It is closed: a matter that is open would stand before all that come after it.
    let closed = closed_proposal(game)?;
    let mut samples = game.samples();
    if let Some(post) = closed {
        let status = Name::from("failed");
        samples.push(Sample {
            kind: ChangedKind::Status,
            clause: Clause::SetStatus { post, status },
            everywhere: true,
        });
    }
    for Sample {
        kind,
        clause,
        everywhere,
    } in samples
    {
        try_claim(game, kind, &clause, table);
        if !everywhere {
            continue;
        }
        try_repair(game, kind, &clause, table)?;
        for tagged in [false, true] {
            if try_proposal(game, kind, &clause, ChangeWay::Proposal, tagged, table)? {
                break;
            }
        }
        if let Some(script) = scripts::of_change(game, &clause) {
            try_script(game, kind, &script, table)?;
        }
    }
    // What no other part of a patch can do.
    for (kind, script) in scripts::alone(game) {
        try_script(game, kind, &script, table)?;
    }
    Ok(())
}

fn try_script(
    game: &mut SimulatedGame,
    kind: ChangedKind,
    script: &Clause,
    table: &mut WaysTable,
) -> Result<(), String> {
    for tagged in [false, true] {
        if try_proposal(game, kind, script, ChangeWay::Script, tagged, table)? {
            break;
        }
    }
    Ok(())
}

/// A proposal that changes nothing and is enacted; none where nobody may, and then it leaves no trace.
fn closed_proposal(game: &mut SimulatedGame) -> Result<Option<PostId>, String> {
    let (judge, events, now) = (game.judge.clone(), game.events.len(), game.now);
    if let Some(post) = forecasts::plain_proposal(game, TAGGED, Patch::default())?
        && enacted(game, post)?.is_some()
    {
        return Ok(Some(post));
    }
    game.judge = judge;
    game.events.truncate(events);
    game.now = now;
    Ok(None)
}

/// An enactment: what came of it, and the action by which it was done.
struct TriedEnactment {
    event: Event,
    action: Name,
    /// The game before it.
    state: State,
    law: Arc<Law>,
}

impl TriedEnactment {
    /// Who did it, and by which clause.
    fn words(&self) -> (String, String) {
        let decl = self.law.actions.get(&self.action);
        let by = decl.and_then(|decl| decl.it.by.as_ref());
        let by = by.map_or_else(|| ANYBODY.to_owned(), |by| readable(by.as_str()));
        let clause = decl.map(|decl| place(&self.state, &decl.site.rule, decl.site.clause));
        (format!("voters, then {by}"), clause.unwrap_or_default())
    }
}

/// Has everybody vote for a proposal, and closes it by whoever may; none where nobody may.
fn enacted(game: &mut SimulatedGame, post: PostId) -> Result<Option<TriedEnactment>, String> {
    forecasts::vote(game, post, true)?;
    forecasts::wait(game, 49)?;
    let Some((by, action, first)) = forecasts::way(game, post) else {
        return Ok(None);
    };
    let (state, law) = (game.state().clone(), Arc::clone(game.judge.law()));
    let act = Act::Do {
        action: action.clone(),
        args: vec![(first, Value::Thing(Thing::Post(post)))],
    };
    let done = forecasts::done(game, by, act)?;
    Ok(done.ok().map(|event| TriedEnactment {
        event,
        action,
        state,
        law,
    }))
}

/// What was tried leaves no trace.
fn on_a_copy<T>(
    game: &mut SimulatedGame,
    run: impl FnOnce(&mut SimulatedGame) -> Result<T, String>,
) -> Result<T, String> {
    let (judge, events, now) = (game.judge.clone(), game.events.len(), game.now);
    let came = run(game);
    game.judge = judge;
    game.events.truncate(events);
    game.now = now;
    came
}

fn patch_of(clause: &Clause) -> Sealed<Patch> {
    let patch = Patch {
        clauses: vec![clause.clone()],
    };
    Sealed::close(patch, [0; 16])
}

/// Claims the change under the rule that declares it, then under every other; as a player without an office, then as who
/// holds most of them.
fn try_claim(game: &SimulatedGame, kind: ChangedKind, clause: &Clause, table: &mut WaysTable) {
    let home = home_of(game, clause);
    let rules = game.state().rules_in_order();
    let rules: Vec<Name> = rules.into_iter().map(|(id, _)| id.clone()).collect();
    let is_library = |id: &Name| {
        let rule = game.state().rules.get(id);
        rule.is_none_or(|rule| rule.section == LIBRARY)
    };
    let others = rules
        .iter()
        .filter(|id| Some(*id) != home.as_ref() && !is_library(id));
    let order: Vec<Name> = home.iter().chain(others).cloned().collect();
    let cell = table.entry((kind, ChangeWay::Claim)).or_default();
    let mut refused = BTreeSet::new();
    // A refusal leaves a judge as it was.
    let mut judge = game.judge.clone();
    let members = game.members();
    for (by, who) in [(members.last(), ANYBODY), (members.first(), "the founder")] {
        let Some(by) = by else { return };
        for rule in &order {
            let command = Command {
                at: game.now,
                actor: Actor::Player(*by),
                key: "a claim".into(),
                act: Act::Claim {
                    patch: patch_of(clause),
                    rule: rule.clone(),
                    reason: typed("a trial"),
                },
            };
            let came = judge.judge(&command, &Inputs::default()).event();
            match came.map(|event| event.outcome) {
                Ok(Outcome::Done) => {
                    let by = place(game.state(), rule, 0);
                    cell.open.entry(who.to_owned()).or_default().insert(by);
                    return;
                }
                Ok(_) => judge = game.judge.clone(),
                Err(refusal) => {
                    refused.insert(refused_by(game.state(), &refusal));
                }
            }
        }
    }
    cell.refused.extend(refused);
}

/// The rule that declares what a change is about.
fn home_of(game: &SimulatedGame, clause: &Clause) -> Option<Name> {
    let law = game.judge.law();
    match clause {
        Clause::SetValue { thing, name, .. } => {
            let kind = game.judge.query(game.now, |tx| tx.kind_of(thing));
            let decl = law.value(&kind.ok()?, name.as_str());
            decl.map(|decl| decl.site.rule.clone())
        }
        Clause::CreateThing { kind, .. } => {
            law.entities.get(kind).map(|decl| decl.site.rule.clone())
        }
        other => other.rule().cloned(),
    }
}

/// A player who holds no office: the last who joined.
fn ordinary(game: &SimulatedGame) -> Option<PlayerId> {
    game.members().last().copied()
}

fn try_repair(
    game: &mut SimulatedGame,
    kind: ChangedKind,
    clause: &Clause,
    table: &mut WaysTable,
) -> Result<(), String> {
    let act = Act::Repair {
        patch: patch_of(clause),
        reason: typed("a trial"),
    };
    let made = on_a_copy(game, |game| {
        let (state, law) = (game.state().clone(), Arc::clone(game.judge.law()));
        let sent = game.send(Actor::Operator, act)?.event();
        Ok(sent.is_ok_and(|event| changes(&event, &state, &law, kind)))
    })?;
    if made {
        let cell = table.entry((kind, ChangeWay::Repair)).or_default();
        cell.open.entry("operators".to_owned()).or_default();
    }
    Ok(())
}

/// Proposes the change, has everybody vote for it, and closes it by whoever may; then takes that back. True if it was made.
fn try_proposal(
    game: &mut SimulatedGame,
    kind: ChangedKind,
    clause: &Clause,
    way: ChangeWay,
    tagged: bool,
    table: &mut WaysTable,
) -> Result<bool, String> {
    let patch = Patch {
        clauses: vec![clause.clone()],
    };
    let title = if tagged { TAGGED } else { "A trial" };
    let mut found = WayCell::default();
    let mut undone = WayCell::default();
    let mut ruled = WayCell::default();
    let made = on_a_copy(game, |game| {
        let Some(post) = forecasts::plain_proposal(game, title, patch)? else {
            return Ok(false);
        };
        let Some(enactment) = enacted(game, post)? else {
            return Ok(false);
        };
        let (who, enacts) = enactment.words();
        let TriedEnactment {
            event, state, law, ..
        } = enactment;
        let is_made = patch_changed(&event, &state, &law, kind);
        if !is_made {
            let left_out = event
                .notes
                .iter()
                .filter(|note| note.kind == NoteKind::Skipped);
            found.refused.extend(left_out.map(|note| {
                if note.rule.is_empty() {
                    enacts.clone()
                } else {
                    place(&state, &note.rule, 0)
                }
            }));
            return Ok(false);
        }
        let with = if tagged { ", with its tag" } else { "" };
        let who = format!("{who}{with}");
        found.open.entry(who).or_default().insert(enacts);
        on_a_copy(game, |game| rule_on(game, &event, kind, &mut ruled))?;
        take_back(game, &event, kind, &mut undone)?;
        Ok(true)
    })?;
    let all = [
        (way, found),
        (ChangeWay::Undo, undone),
        (ChangeWay::Ruling, ruled),
    ];
    for (way, cell) in all {
        let into = table.entry((kind, way)).or_default();
        for (who, clauses) in cell.open {
            into.open.entry(who).or_default().extend(clauses);
        }
        into.refused.extend(cell.refused);
    }
    Ok(made)
}

/// Whether what a post carries changed something of a kind.
fn patch_changed(event: &Event, state: &State, law: &Law, kind: ChangedKind) -> bool {
    // Rules are changed under the clause that enacts, all else under none.
    let of_patch = event
        .steps
        .iter()
        .filter(|step| kind == ChangedKind::Rule || !state.rules.contains_key(&step.rule));
    of_patch
        .filter(|step| {
            !matches!(step.effect, Effect::Post { .. })
                || matches!(kind, ChangedKind::Status | ChangedKind::Post)
        })
        .any(|step| kind_of(state, law, &step.effect) == Some(kind))
}

/// Has each kind of matter strike an event, until one does.
fn rule_on(
    game: &mut SimulatedGame,
    event: &Event,
    kind: ChangedKind,
    cell: &mut WayCell,
) -> Result<(), String> {
    let categories = game.judge.law().category_order.clone();
    for category in categories {
        let struck = on_a_copy(game, |game| {
            let strike = Clause::Strike {
                events: vec![event.seq],
                uphold: Vec::new(),
            };
            let patch = Patch {
                clauses: vec![strike],
            };
            let Some(post) = forecasts::plain_post(game, category.clone(), TAGGED, patch)? else {
                return Ok(None);
            };
            let enactment = enacted(game, post)?;
            Ok(enactment.filter(|it| changes(&it.event, &it.state, &it.law, kind)))
        })?;
        if let Some(it) = struck {
            let (who, by) = it.words();
            cell.open.entry(who).or_default().insert(by);
            return Ok(());
        }
    }
    Ok(())
}

/// Undoes an event as a player without an office.
fn take_back(
    game: &mut SimulatedGame,
    event: &Event,
    kind: ChangedKind,
    cell: &mut WayCell,
) -> Result<(), String> {
    let Some(by) = ordinary(game) else {
        return Ok(());
    };
    let (state, law) = (game.state().clone(), Arc::clone(game.judge.law()));
    game.keys += 1;
    let command = Command {
        at: game.now,
        actor: Actor::Player(by),
        key: Name::from(format!("way {}", game.keys)),
        act: Act::Undo {
            event: event.seq,
            picks: Vec::new(),
            reason: typed("a trial"),
        },
    };
    let undo = game.judge.query(game.now, |tx| tx.home_of_act("undo"));
    match game.judged(command)?.event() {
        Ok(undone) if changes(&undone, &state, &law, kind) => {
            let by = place(&state, &undo.rule, undo.clause);
            cell.open.entry(ANYBODY.to_owned()).or_default().insert(by);
        }
        Ok(_) => {}
        Err(refusal) => {
            cell.refused.insert(refused_by(&state, &refusal));
        }
    }
    Ok(())
}

impl SimulatedGame {
    /// Changes of each kind that a patch can carry, a few of each.
    fn samples(&mut self) -> Vec<Sample> {
        let law = Arc::clone(self.judge.law());
        let mut changes = Vec::new();
        let Some(first) = self.members().first().copied() else {
            return Vec::new();
        };
        let first = Thing::Player(first);
        let name = "Quirin".to_owned();
        let thing = first.clone();
        changes.push((ChangedKind::Name, Clause::RenamePlayer { thing, name }));
        let (thing, bar) = (first.clone(), false);
        changes.push((ChangedKind::Role, Clause::RemovePlayer { thing, bar }));
        let rules = self.state().rules_in_order().into_iter();
        let rules = rules.filter(|(_, rule)| rule.section != LIBRARY);
        let amended = rules.map(|(id, rule)| Clause::AmendRule {
            id: id.clone(),
            base: Arc::clone(&rule.text),
            text: format!("{}\n99. And so it is.\n", rule.text).into(),
        });
        let amended: Vec<Clause> = amended.collect();
        changes.extend(spread(amended, 4).map(|clause| (ChangedKind::Rule, clause)));
        let term = Clause::SetTerm {
            name: "player".into(),
            one: "Newt".to_owned(),
            many: "Newts".to_owned(),
        };
        changes.push((ChangedKind::Term, term));
        let (name, text) = ("annals".into(), "Long ago.".to_owned());
        changes.push((ChangedKind::Page, Clause::SetPage { name, text }));
        let kinds = law.entities.keys().map(|kind| Clause::CreateThing {
            kind: kind.clone(),
            values: Vec::new(),
        });
        let kinds: Vec<Clause> = kinds.collect();
        changes.extend(spread(kinds, SAMPLES).map(|clause| (ChangedKind::Thing, clause)));
        let samples = changes.into_iter().map(|(kind, clause)| Sample {
            kind,
            clause,
            everywhere: true,
        });
        samples.chain(self.values(&law, &first)).collect()
    }

    /// Changes of every value of the game, of a player and of the things that there are: some contents of each.
    fn values(&mut self, law: &Law, first: &Thing) -> Vec<Sample> {
        let mut values: BTreeMap<ChangedKind, Vec<Vec<Clause>>> = BTreeMap::new();
        for (of, name) in &law.value_order {
            let thing = match of.as_str() {
                "Game" => Some(Thing::Game),
                "Player" => Some(first.clone()),
                _ if law.entities.contains_key(of) => {
                    let things = self.judge.query(self.now, |tx| tx.things_of(of));
                    things.into_iter().next()
                }
                _ => None,
            };
            let (Some(thing), Some(decl)) = (thing, law.value(of, name.as_str())) else {
                continue;
            };
            let section = law.places.get(&decl.site.rule).map(|place| &place.section);
            let kind = match of.as_str() {
                _ if section == Some(&dynastic(self.state())) => ChangedKind::Value,
                "Player" => ChangedKind::Role,
                "Game" => ChangedKind::Victory,
                _ => ChangedKind::Value,
            };
            let draws = (0..DRAWS).map(|_| Clause::SetValue {
                thing: thing.clone(),
                value: self.declared_value(&decl.it),
                name: name.clone(),
            });
            values.entry(kind).or_default().push(draws.collect());
        }
        let mut samples = Vec::new();
        for (kind, all) in values {
            let step = all.len().div_ceil(SAMPLES).max(1);
            for (nth, draws) in all.into_iter().enumerate() {
                samples.extend(draws.into_iter().enumerate().map(|(draw, clause)| Sample {
                    kind,
                    clause,
                    everywhere: draw == 0 && nth % step == 0,
                }));
            }
        }
        samples
    }
}

/// At most so many, from everywhere in a list.
fn spread<T>(list: Vec<T>, most: usize) -> impl Iterator<Item = T> {
    let step = list.len().div_ceil(most).max(1);
    list.into_iter().step_by(step)
}
