//! History judged again for a ruling: without what is struck and with what is upheld.
//!
//! A ruling names events, not results. Its line of history starts before the first struck event and judges each later
//! one again under that line's law, with its own time, seed and answers. What people wrote stands, and so does the
//! closing of a matter, unless it is named. The log never branches: what the two lines differ in becomes the effects of
//! the event that enacts the ruling.

use quorate_kernel::command::{Act, Actor, Command};
use quorate_kernel::effect::{Step, Way};
use quorate_kernel::event::{Event, Head, Judged, Outcome};
use quorate_kernel::rows::{CellKey, Claim, ClaimStanding, DueKey};
use quorate_kernel::state::{Effect, State};
use quorate_kernel::{EventSeq, Moment, Name, Refusal, Value};

use crate::inputs::{Inputs, Remains};
use crate::ruling::{Fate, NamedRuling, Ruling};

/// How many events may be judged again for one ruling; a game that strikes what lies further back mends it by changes.
pub const EVENTS_MAX: usize = 5_000;

/// How much may fall due on the line of a ruling that did not fall due in the log.
const EXTRA_DUES_MAX: u32 = 2_000;

/// What a ruling is judged with.
pub struct Bench<'a> {
    /// The state at the end of the log.
    pub now: &'a State,
    /// The whole log, from its first event.
    pub past: &'a [Event],
    /// The number of the event that makes the ruling.
    pub seq: EventSeq,
    /// The secret under which the game's seeds are derived.
    pub secret: [u8; 32],
}

/// A replica of the game that goes on along another line of history.
pub trait JudgeAgain {
    /// Its state.
    fn state(&self) -> &State;
    /// Where it stands.
    fn head(&self) -> Head;
    /// Judges a command as the event after a number.
    fn judge_after(
        &mut self,
        before: EventSeq,
        command: &Command,
        inputs: &Inputs<'_>,
    ) -> (Judged, Remains);
    /// The command for what falls due first, if that is no later than a moment.
    fn due_command(&self, up_to: Moment) -> Option<Command>;
    /// Goes on from another state.
    fn stand_on(&mut self, state: State, head: Head);
}

/// Judges history again, on a replica that `open` takes up where a state and its head say.
pub fn rule<R: JudgeAgain>(
    bench: &Bench<'_>,
    named: &NamedRuling,
    open: impl FnOnce(State, Head) -> R,
) -> Result<Ruling, Refusal> {
    let first = first_of(bench, named)?;
    let mut line = OtherLine::before(bench, first, open)?;
    let from = bench.past.partition_point(|event| event.seq < first);
    for event in &bench.past[from..] {
        let fate = line.take(event, named)?;
        if let Some(fate) = fate {
            line.fates.push((event.seq, fate));
        }
    }
    line.extra_dues(line.judge.head().at, false)?;
    let mut effects = bench.now.differences(line.judge.state());
    // What was said of the dice stays said.
    effects.retain(|effect| !matches!(effect, Effect::Commitment { .. }));
    let claims = bench.now.claims.keys();
    Ok(Ruling {
        effects: effects.into_iter().map(keep_struck_claims).collect(),
        settled: claims
            .filter(|claim| named.uphold.contains(&claim.event()))
            .copied()
            .collect(),
        fates: line.fates,
    })
}

/// The first event whose lot the ruling changes, if what it names can be named.
fn first_of(bench: &Bench<'_>, named: &NamedRuling) -> Result<EventSeq, Refusal> {
    let all = || named.strike.iter().chain(&named.uphold);
    if let Some(unknown) = all().find(|seq| **seq >= bench.seq || seq.0 == 0) {
        return Err(Refusal::plain(format!(
            "events of the log; there is no event {unknown}"
        )));
    }
    if all().any(|seq| seq.0 == 1) {
        return Err(Refusal::plain(
            "events of the game's play: its founding is none",
        ));
    }
    if let Some(both) = named.strike.intersection(&named.uphold).next() {
        return Err(Refusal::plain(format!(
            "to either strike or uphold event {both}"
        )));
    }
    let Some(first) = all().min().copied() else {
        return Err(Refusal::plain("an event to strike or uphold"));
    };
    let later = bench.past.len() - bench.past.partition_point(|event| event.seq < first);
    if later > EVENTS_MAX {
        return Err(Refusal {
            needs: vec![quorate_kernel::Need {
                what: "a ruling on the latest events; what lies further back is put right by changes of values"
                    .to_owned(),
                have: format!("{later} events since"),
                need: format!("{EVENTS_MAX} at most"),
                ..quorate_kernel::Need::default()
            }],
            ..Refusal::default()
        });
    }
    Ok(first)
}

/// A claim that was struck is still a claim that was made.
fn keep_struck_claims(effect: Effect) -> Effect {
    match effect {
        Effect::Claim {
            key,
            old: Some(old),
            new: None,
        } => {
            let new = Some(Claim {
                standing: ClaimStanding::Undone,
                ..old.clone()
            });
            Effect::Claim {
                key,
                old: Some(old),
                new,
            }
        }
        other => other,
    }
}

/// The other line of history.
struct OtherLine<'a, R> {
    bench: &'a Bench<'a>,
    judge: R,
    /// Its events, for undos of them.
    events: Vec<Event>,
    fates: Vec<(EventSeq, Fate)>,
    extra: u32,
    /// How many things the extra events made, which all bear the ruling's number.
    made: u16,
}

impl<'a, R: JudgeAgain> OtherLine<'a, R> {
    fn before(
        bench: &'a Bench<'a>,
        first: EventSeq,
        open: impl FnOnce(State, Head) -> R,
    ) -> Result<Self, Refusal> {
        let to = bench.past.partition_point(|event| event.seq < first);
        let steps = bench.past[..to].iter().flat_map(|event| &event.steps);
        let state = State::fold(steps.map(|step| &step.effect))
            .map_err(|_| Refusal::plain("a log that makes a state"))?;
        let at = bench.past[..to].last().map_or(Moment(0), |event| event.at);
        let head = Head {
            seq: EventSeq(first.0 - 1),
            at,
            ..Head::default()
        };
        Ok(Self {
            bench,
            judge: open(state, head),
            events: bench.past[..to].to_vec(),
            fates: Vec::new(),
            extra: 0,
            made: 0,
        })
    }

    /// Takes the next event of the log into the line.
    fn take(&mut self, event: &Event, named: &NamedRuling) -> Result<Option<Fate>, Refusal> {
        self.extra_dues(event.at, matches!(event.act, Act::Due { .. }))?;
        if named.strike.contains(&event.seq) {
            self.write(event, is_writing)?;
            return Ok(Some(Fate::Struck));
        }
        if named.uphold.contains(&event.seq) {
            self.write(event, |_| true)?;
            return Ok(Some(Fate::Upheld));
        }
        let Some(command) = self.command_of(event) else {
            return Ok(None);
        };
        Ok(match self.judge_at(event, &command) {
            Judged::Event(again) => {
                let fate = fate_of(event, &again);
                self.events.push(*again);
                fate
            }
            // A ruling of before is a fact: what it changed, it changes here too.
            Judged::NeedsPast => {
                self.write(event, |_| true)?;
                None
            }
            Judged::Refused(_) if closes(event) => {
                self.write(event, |_| true)?;
                Some(Fate::Stands)
            }
            Judged::Refused(refusal) => {
                self.write(event, is_writing)?;
                Some(Fate::Refused(Box::new(refusal)))
            }
        })
    }

    /// The event's command as the line sees it; none where nothing of it is due here.
    fn command_of(&self, event: &Event) -> Option<Command> {
        let mut command = event.command();
        if let Act::Due { keys } = &event.act {
            let state = self.judge.state();
            let is_due = |key: &&DueKey| state.dues.get(*key).is_some_and(|due| due.at <= event.at);
            let keys: Vec<DueKey> = keys.iter().filter(is_due).cloned().collect();
            if keys.is_empty() {
                return None;
            }
            command.act = Act::Due { keys };
        }
        Some(command)
    }

    /// Judges a command of the log in its place.
    fn judge_at(&mut self, event: &Event, command: &Command) -> Judged {
        let before = EventSeq(event.seq.0 - 1);
        let inputs = Inputs {
            secret: self.bench.secret,
            past: &self.events,
            known: Some(&event.tape),
            on_another_line: true,
            ..Inputs::default()
        };
        self.judge.judge_after(before, command, &inputs).0
    }

    /// Lets happen what falls due on this line and did not in the log.
    fn extra_dues(&mut self, up_to: Moment, before_dues: bool) -> Result<(), Refusal> {
        // A due event of the log at this very moment comes first.
        let up_to = if before_dues {
            Moment(up_to.0 - 1)
        } else {
            up_to
        };
        let mut last = None;
        while let Some(mut command) = self.judge.due_command(up_to) {
            command.key = Name::from(format!("{} of ruling {}", command.key, self.extra));
            self.extra += 1;
            let keys = match &command.act {
                Act::Due { keys } => (command.at, keys.clone()),
                _ => (command.at, Vec::new()),
            };
            if self.extra > EXTRA_DUES_MAX || last.as_ref() == Some(&keys) {
                return Err(Refusal::plain(
                    "a line of history on which what falls due comes to an end",
                ));
            }
            last = Some(keys);
            let before = EventSeq(self.bench.seq.0 - 1);
            let inputs = Inputs {
                secret: self.bench.secret,
                made: self.made,
                on_another_line: true,
                ..Inputs::default()
            };
            let (judged, remains) = self.judge.judge_after(before, &command, &inputs);
            self.made = remains.made;
            if !matches!(judged, Judged::Event(_)) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Writes what an event changed, as far as it fits here, without asking the law.
    fn write(&mut self, event: &Event, which: impl Fn(&Effect) -> bool) -> Result<(), Refusal> {
        let mut state = self.judge.state().clone();
        let mut steps = Vec::new();
        for step in event.steps.iter().filter(|step| which(&step.effect)) {
            let effect = carried(&state, step)?;
            if !effect.is_idle() && state.apply(&effect).is_ok() {
                steps.push(Step {
                    effect,
                    ..step.clone()
                });
            }
        }
        let event = Event {
            steps,
            ..event.clone()
        };
        let head = Head {
            seq: event.seq,
            at: event.at.max(self.judge.head().at),
            ..Head::default()
        };
        self.judge.stand_on(state, head);
        self.events.push(event);
        Ok(())
    }
}

/// An effect of the log on another state: a number moves by as much as it moved then, all else is set as it was set.
fn carried(state: &State, step: &Step) -> Result<Effect, Refusal> {
    if let Effect::Cell { key, old, new } = &step.effect {
        let now = state.cells.get(key).cloned();
        let number = |cell: &Option<quorate_kernel::rows::Cell>| {
            cell.as_ref().and_then(|cell| match cell.value.open() {
                Value::Int(n) => Some(*n),
                _ => None,
            })
        };
        let moved = match (step.way, number(old), number(new), number(&now)) {
            (Way::Add, Some(old), Some(new), Some(now)) => {
                let number = i128::from(now) + (i128::from(new) - i128::from(old));
                Some(i64::try_from(number).map_err(|_| beyond(key, number))?)
            }
            _ => None,
        };
        let new = match (moved, new.clone()) {
            (Some(moved), Some(mut cell)) => {
                cell.value = Value::Int(moved);
                Some(cell)
            }
            (_, new) => new,
        };
        return Ok(Effect::Cell {
            key: key.clone(),
            old: now,
            new,
        });
    }
    Ok(step.effect.clone().onto(state))
}

/// The refusal of a ruling whose line of history makes a number which none of the game's numbers can be.
fn beyond(key: &CellKey, number: i128) -> Refusal {
    let what = format!(
        "a history in which {} of {} stays within 64 bits",
        key.name, key.thing
    );
    Refusal::plain(what).having(number.to_string())
}

/// Whether an effect is something that people wrote.
fn is_writing(effect: &Effect) -> bool {
    match effect {
        Effect::Comment { .. } | Effect::Message { .. } => true,
        Effect::Post { old, new, .. } => match (old, new) {
            (None, Some(_)) => true,
            (Some(old), Some(new)) => old.status == new.status,
            _ => false,
        },
        _ => false,
    }
}

/// Whether an event closed a matter.
fn closes(event: &Event) -> bool {
    event.steps.iter().any(|step| match &step.effect {
        Effect::Post {
            old: Some(old),
            new: Some(new),
            ..
        } => old.closed_at.is_none() && new.closed_at.is_some(),
        _ => false,
    })
}

/// What became of an event that was judged again; nothing where it came to the same.
fn fate_of(event: &Event, again: &Event) -> Option<Fate> {
    if let (Outcome::Opened(_), Outcome::Done) = (&again.outcome, &event.outcome) {
        return Some(Fate::Waits);
    }
    if let (Outcome::Refused(refusal) | Outcome::Lapsed(refusal), Outcome::Done) =
        (&again.outcome, &event.outcome)
    {
        return Some(Fate::Refused(Box::new(refusal.clone())));
    }
    let same = event.actor == Actor::Game || again.outcome == event.outcome;
    let moved = |event: &Event| -> Vec<String> {
        event.steps.iter().map(|step| gist(&step.effect)).collect()
    };
    (!same || moved(event) != moved(again)).then_some(Fate::Differs)
}

/// What an effect does, apart from where it starts: `+3` to a number, or what a row becomes.
fn gist(effect: &Effect) -> String {
    match effect {
        Effect::Cell { key, old, new } => {
            let number = |cell: &Option<quorate_kernel::rows::Cell>| match cell
                .as_ref()
                .map(|cell| cell.value.open().clone())
            {
                Some(Value::Int(n)) => Some(n),
                _ => None,
            };
            match (number(old), number(new)) {
                (Some(old), Some(new)) => {
                    format!("{key:?} {}", i128::from(new) - i128::from(old))
                }
                _ => format!("{key:?} {:?}", new.as_ref().map(|cell| &cell.value)),
            }
        }
        other => format!("{:?}", other.clone().onto(&State::default())),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::judge::Judge;
    use crate::tiny_game::{TinyGame, game, new_post};

    const GOLD: &str = r#"gold = number("Gold", of = player)
category("Bill", statuses = ["pending", "enacted"])

def gain(actor: Player):
    actor.gold += 2

def double(actor: Player):
    actor.gold = actor.gold * 2

def spend(actor: Player):
    pay(actor, gold = 2)

def finish(actor: Player, bill: Bill):
    require(actor.gold >= 2, "2 Gold")
    close(bill, "enacted")

action("gain", gain)
action("double", double)
action("spend", spend)
action("finish", finish)"#;

    fn ruling(game: &TinyGame, strike: &[u64], uphold: &[u64]) -> Result<Ruling, Refusal> {
        let bench = Bench {
            now: game.judge.state(),
            past: &game.log,
            seq: game.judge.head().seq.next(),
            secret: [0; 32],
        };
        let named = NamedRuling {
            strike: strike.iter().copied().map(EventSeq).collect(),
            uphold: uphold.iter().copied().map(EventSeq).collect(),
        };
        rule(&bench, &named, |state, head| {
            Judge::open(state, head, &Arc::default())
        })
    }

    /// What Anna's gold becomes by a ruling, where it becomes something else.
    fn gold(ruling: &Ruling) -> Option<Value> {
        ruling.effects.iter().find_map(|effect| match effect {
            Effect::Cell { key, new, .. } if key.name == "gold" => {
                new.as_ref().map(|cell| cell.value.clone())
            }
            _ => None,
        })
    }

    fn fates(ruling: &Ruling) -> Vec<(u64, String)> {
        let fates = ruling.fates.iter();
        fates.map(|(seq, fate)| (seq.0, fate.word())).collect()
    }

    #[test]
    fn a_ruling_names_events_of_play_and_each_on_one_side() {
        let mut game = game(GOLD);
        game.act("gain", &[]).expect("anybody may");
        let refused = |strike: &[u64], uphold: &[u64]| {
            let refusal = ruling(&game, strike, uphold).expect_err("it cannot be named");
            refusal.what().to_owned()
        };
        assert_eq!(refused(&[3], &[]), "events of the log; there is no event 3");
        assert_eq!(
            refused(&[1], &[]),
            "events of the game's play: its founding is none"
        );
        assert_eq!(refused(&[2], &[2]), "to either strike or uphold event 2");
        assert_eq!(refused(&[], &[]), "an event to strike or uphold");
    }

    #[test]
    fn a_line_of_history_makes_no_number_beyond_64_bits() {
        let mut game = game(GOLD);
        for gold in [i64::MAX, 0] {
            game.change(vec![game.set("gold", gold)]);
        }
        game.act("gain", &[]).expect("anybody may");
        let refused = ruling(&game, &[3], &[4]).expect_err("it is too much");
        let of = format!("player:{}", game.anna);
        assert_eq!(
            refused.what(),
            format!("a history in which gold of {of} stays within 64 bits")
        );
        assert_eq!(refused.needs[0].have, "9223372036854775809");
    }

    #[test]
    fn what_follows_a_struck_event_is_judged_again_as_if_it_had_not_been() {
        let mut game = game(GOLD);
        for action in ["gain", "double", "gain"] {
            game.act(action, &[]).expect("anybody may");
        }
        let ruling = ruling(&game, &[2], &[]).expect("it can be struck");
        assert_eq!(gold(&ruling), Some(Value::Int(2)), "6 before");
        let told = [(2, "struck"), (3, "comes to something else")];
        assert_eq!(
            fates(&ruling),
            told.map(|(seq, word)| (seq, word.to_owned()))
        );
    }

    #[test]
    fn what_the_law_refuses_without_it_is_struck_too_but_for_a_closing_which_stands() {
        let mut game = game(GOLD);
        let bill = game
            .post(new_post("Bill", "More rope"))
            .expect("anybody may");
        game.act("gain", &[]).expect("anybody may");
        let bill = Value::Thing(quorate_kernel::Thing::Post(bill));
        game.act("finish", &[("bill", bill)])
            .expect("there is gold");
        game.act("spend", &[]).expect("there is gold");
        let ruling = ruling(&game, &[3], &[]).expect("it can be struck");
        let fates = fates(&ruling);
        assert_eq!(fates[0], (3, "struck".to_owned()));
        assert_eq!(fates[1], (4, "stands as it was".to_owned()));
        assert!(
            fates[2].1.starts_with("struck too, for it needs Gold"),
            "{fates:?}"
        );
        let reopens = |effect: &Effect| matches!(effect, Effect::Post { .. });
        assert!(!ruling.effects.iter().any(reopens), "{:?}", ruling.effects);
    }

    #[test]
    fn what_people_wrote_stands_though_it_is_struck() {
        let mut game = game(GOLD);
        let bill = game
            .post(new_post("Bill", "More rope"))
            .expect("anybody may");
        let comment = game.comment(bill, "Indeed").expect("anybody may").seq;
        let ruling = ruling(&game, &[comment.0], &[]).expect("it can be struck");
        assert_eq!(fates(&ruling), [(comment.0, "struck".to_owned())]);
        assert!(ruling.effects.is_empty(), "{:?}", ruling.effects);
    }

    #[test]
    fn a_claim_that_is_upheld_is_settled() {
        let mut game = game("gold = number(\"Gold\", of = player)");
        let event = game.claim(vec![game.set("gold", 4)]).expect("anybody may");
        let ruling = ruling(&game, &[], &[event.seq.0]).expect("it can be upheld");
        let claims: Vec<_> = game.judge.state().claims.keys().copied().collect();
        assert_eq!(ruling.settled, claims);
        assert_eq!(fates(&ruling), [(event.seq.0, "upheld".to_owned())]);
    }
}
