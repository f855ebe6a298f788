//! A game that is being simulated: how it begins, how time passes in it, and how a command is judged, with what must hold
//! looked at after each.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use quorate_engine::judge::{Inputs, Judge, Judged};
use quorate_engine::rulebook::Rulebook;
use quorate_engine::words::WORKING_CODE;
use quorate_engine::{LawCache, Remains, testing, transcript};
use quorate_kernel::command::{Act, Actor, Command, typed};
use quorate_kernel::event::{Event, NoteKind, Outcome};
use quorate_kernel::law::Rule;
use quorate_kernel::rows::Standing;
use quorate_kernel::state::{OrdMap, State};
use quorate_kernel::{Moment, Name, PlayerId, Refusal, Span, Thing, Value};

use super::invariants;
use crate::chance::Chance;

/// When simulated games begin.
const BEGINNING: &str = "2031-05-04T09:00Z";

/// What one seed came to.
#[derive(Clone, Debug, Default)]
pub struct SimulationTally {
    /// Steps taken.
    pub steps: u64,
    /// Events in the log, those that fell due by themselves included.
    pub events: u64,
    /// Commands that were refused.
    pub refused: u64,
    /// Versions of the law that were in force.
    pub laws: u64,
    /// How often it was looked at whether all matters close.
    pub closed: u64,
    /// How many matters were open at those looks.
    pub matters: u64,
}

/// A seed that failed.
#[derive(Debug)]
pub struct SimulationFailure {
    /// At which step; 0 before the first, and one past the last for what is looked at when all is over.
    pub step: u64,
    /// What did not hold.
    pub what: String,
    /// The last lines of the log, and the command at which it happened.
    pub log: Vec<String>,
}

/// A game that is being simulated.
pub(super) struct SimulatedGame {
    pub(super) judge: Judge,
    pub(super) laws: Arc<LawCache>,
    pub(super) now: Moment,
    pub(super) events: Vec<Event>,
    pub(super) chance: Chance,
    /// How many commands were sent.
    pub(super) keys: u64,
    pub(super) tally: SimulationTally,
    /// Whether nobody proposes or claims changes of the rules.
    pub(super) keeps_law: bool,
    /// The rules that it was founded with, and what they themselves made of that while nobody else changed them: a rule may
    /// repeal others when its time comes.
    pub(super) founded: OrdMap<Name, Rule>,
    /// The flags that its founder had then.
    pub(super) founders_marks: BTreeSet<Name>,
    /// Whether code that chance has changed is or was law.
    pub(super) mutated: bool,
    /// What rule code broke of, lately.
    pub(super) broke: Vec<String>,
    /// The conditions of changes that did not hold in the last command.
    pub(super) remains: Remains,
    /// The command that is being judged, for the report.
    doing: String,
}

/// How many lines of the log a report shows.
const LINES_SHOWN: usize = 12;

/// How much memory compiled laws may take. A ruling judges a part of the log again, with the laws of that part and the rulings in it;
/// if these don't all fit, each is compiled again and again.
const LAWS_BYTES: usize = 1 << 30;

/// The most that may fall due between two steps. More is a rule that sets itself off for ever.
const DUES_MAX: usize = 20_000;

impl SimulatedGame {
    /// A game that eleven more people have joined.
    pub(super) fn begin(book: &Rulebook, seed: u64) -> Result<Self, SimulationFailure> {
        Self::create(book, seed).map_err(|error| SimulationFailure {
            step: 0,
            what: format!("{error:#}"),
            log: vec![],
        })
    }

    fn create(book: &Rulebook, seed: u64) -> Result<Self> {
        let laws = Arc::new(LawCache::of_bytes(LAWS_BYTES));
        let now: Moment = BEGINNING.parse()?;
        let mut sim = Self {
            judge: Judge::unfounded(&laws),
            laws,
            now,
            events: Vec::new(),
            chance: Chance::new(seed),
            keys: 0,
            tally: SimulationTally::default(),
            keeps_law: false,
            founded: OrdMap::new(),
            founders_marks: BTreeSet::new(),
            mutated: false,
            remains: Remains::default(),
            broke: Vec::new(),
            doing: String::new(),
        };
        let founding = book.founding(&book.manifest.title, testing::NAMES[0])?;
        sim.setup(Actor::Operator, Act::Found(Box::new(founding)))?;
        sim.founded = sim.state().rules.clone();
        let founder = sim.state().people.keys().next().copied();
        let founder = founder.ok_or_else(|| anyhow!("the founding makes no player"))?;
        sim.founders_marks = sim.marks_of(founder);
        for name in &testing::NAMES[1..] {
            sim.setup(
                Actor::Newcomer,
                Act::Apply {
                    name: typed(name),
                    text: typed(""),
                },
            )?;
            sim.admit(founder, name)?;
        }
        sim.tally.laws = 1;
        Ok(sim)
    }

    fn setup(&mut self, actor: Actor, act: Act) -> Result<()> {
        self.now = self.now + Span::minutes(1);
        let name = act.name();
        self.run_due().map_err(|what| anyhow!("{what}"))?;
        let judged = self.send(actor, act).map_err(|what| anyhow!("{what}"))?;
        match judged.event() {
            Ok(event) if event.outcome == Outcome::Done => Ok(()),
            Ok(event) => Err(anyhow!("{name} ended as {:?}", event.outcome)),
            Err(refusal) => Err(anyhow!("{name}: {refusal}")),
        }
    }

    /// Has an applicant admitted, where the law asks somebody to.
    fn admit(&mut self, admin: PlayerId, name: &str) -> Result<()> {
        let newcomer = self
            .state()
            .people
            .iter()
            .find(|(_, person)| person.name.as_str() == name);
        let Some((id, person)) = newcomer.map(|(id, person)| (*id, person.clone())) else {
            return Ok(());
        };
        if person.standing != Standing::Applicant {
            return Ok(());
        }
        let law = Arc::clone(self.judge.law());
        let admitting = law
            .actions
            .iter()
            .find(|(action, _)| action.as_str().starts_with("admit"));
        let Some((action, decl)) = admitting else {
            return Ok(());
        };
        let Some(param) = decl.it.params.first() else {
            return Ok(());
        };
        let args = vec![(param.name.clone(), Value::Thing(Thing::Player(id)))];
        self.setup(
            Actor::Player(admin),
            Act::Do {
                action: action.clone(),
                args,
            },
        )
    }

    pub(super) fn state(&self) -> &State {
        self.judge.state()
    }

    /// The flags that somebody has.
    pub(super) fn marks_of(&self, who: PlayerId) -> BTreeSet<Name> {
        let theirs = self.state().cells.iter().filter(|(key, cell)| {
            key.thing == Thing::Player(who) && cell.value == Value::Flag(true)
        });
        theirs.map(|(key, _)| key.name.clone()).collect()
    }

    pub(super) fn members(&self) -> Vec<PlayerId> {
        let members = self
            .state()
            .people
            .iter()
            .filter(|(_, person)| person.standing == Standing::Member);
        members.map(|(id, _)| *id).collect()
    }

    /// How much time passes before a step: mostly minutes, sometimes days.
    pub(super) fn passes(&mut self) -> Span {
        match self.chance.below(40) {
            0 => Span::days(self.chance.between(1, 9)),
            1..=4 => Span::hours(self.chance.between(1, 30)),
            5..=12 => Span::minutes(self.chance.between(30, 300)),
            13..=18 => Span(0),
            _ => Span(self.chance.between(1, 900_000)),
        }
    }

    pub(super) fn run_due(&mut self) -> Result<(), String> {
        let mut before: Option<Command> = None;
        for _ in 0..DUES_MAX {
            let Some(command) = self.judge.due_command(self.now) else {
                return Ok(());
            };
            if before.as_ref() == Some(&command) {
                return Err(format!(
                    "what fell due at {} happened and is due again at once: {:?}",
                    command.at, command.act
                ));
            }
            let judged = self.judged(command.clone())?;
            if let Err(refusal) = judged.event() {
                return Err(format!(
                    "what fell due was refused and would fall due for ever: {refusal}; {:?}",
                    command.act
                ));
            }
            before = Some(command);
        }
        Err(format!(
            "more than {DUES_MAX} things fell due up to {}",
            self.now
        ))
    }

    pub(super) fn send(&mut self, actor: Actor, act: Act) -> Result<Judged, String> {
        self.keys += 1;
        // Now and then a clock that goes backwards.
        let at = if self.chance.one_in(50) {
            self.now + Span(-3_600_000)
        } else {
            self.now
        };
        let key = Name::from(format!("step {}", self.keys));
        let command = Command {
            at,
            actor,
            key,
            act,
        };
        let judged = self.judged(command.clone())?;
        if let Judged::Refused(refusal) = &judged {
            self.reason_ends(command, refusal)?;
        }
        Ok(judged)
    }

    /// Does something, and leaves the game as it was.
    pub(super) fn aside<T>(&mut self, does: impl FnOnce(&mut Self) -> T) -> T {
        let (judge, events, now) = (self.judge.clone(), self.events.len(), self.now);
        let (chance, keys, tally) = (self.chance.clone(), self.keys, self.tally.clone());
        let (founded, keeps_law) = (self.founded.clone(), self.keeps_law);
        let done = does(self);
        self.judge = judge;
        self.events.truncate(events);
        self.now = now;
        (self.chance, self.keys, self.tally) = (chance, keys, tally);
        (self.founded, self.keeps_law) = (founded, keeps_law);
        done
    }

    /// Judges a command and looks at what must hold.
    pub(super) fn judged(&mut self, command: Command) -> Result<Judged, String> {
        self.doing = format!(
            "{:?} {:?}: {}",
            command.at,
            command.actor,
            shortened(&format!("{:?}", command.act))
        );
        let (before, head) = (self.judge.state().clone(), self.judge.head());
        let inputs = Inputs {
            secret: invariants::SECRET,
            past: &self.events,
            ..Inputs::default()
        };
        let (judged, remains) = self.judge.judge_on(&command, &inputs);
        self.remains = remains;
        match &judged {
            Judged::Refused(_) | Judged::NeedsPast => {
                self.tally.refused += 1;
                if let Judged::Refused(refusal) = &judged {
                    self.note_break(refusal);
                }
                invariants::unchanged(&before, head, &self.judge)?;
            }
            Judged::Event(event) => {
                self.tally.events += 1;
                let new_law = event
                    .steps
                    .iter()
                    .any(|step| matches!(step.effect.table(), "rules" | "breaks" | "sections"));
                self.tally.laws += u64::from(new_law);
                if new_law && self.keeps_law {
                    self.founded = self.judge.state().rules.clone();
                }
                self.note_breaks(event);
                self.events.push((**event).clone());
                invariants::after(&before, head, event, &self.judge, new_law, self.mutated)?;
            }
        }
        Ok(judged)
    }

    /// Keeps what rule code broke of in an event.
    fn note_breaks(&mut self, event: &Event) {
        let broke = event
            .notes
            .iter()
            .filter(|note| note.kind == NoteKind::Broke);
        self.broke.extend(broke.map(|note| note.text.clone()));
        match &event.outcome {
            Outcome::Refused(refusal) | Outcome::Lapsed(refusal) => self.note_break(refusal),
            Outcome::Done | Outcome::Opened(_) => {}
        }
    }

    /// The same of a refusal.
    pub(super) fn note_break(&mut self, refusal: &Refusal) {
        if refusal.needs.iter().any(|need| need.what == WORKING_CODE) {
            self.broke.push(refusal.to_string());
        }
    }

    pub(super) fn failure(&self, step: u64, what: String) -> SimulationFailure {
        let from = self.events.len().saturating_sub(LINES_SHOWN);
        let events = self.events[from..].iter();
        let mut log: Vec<String> = events
            .map(|event| transcript::event_line(self.state(), event))
            .collect();
        log.push(format!("at: {}", self.doing));
        SimulationFailure { step, what, log }
    }
}

/// Enough of a long text to know it by.
fn shortened(text: &str) -> String {
    const ENOUGH: usize = 1_500;
    match text.char_indices().nth(ENOUGH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
