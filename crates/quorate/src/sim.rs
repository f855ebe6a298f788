//! Simulation: random play against a judge, with what must hold looked at after every step.

mod chance;
mod hold;
mod matters;
mod patches;
mod picks;
mod values;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use anyhow::{Result, anyhow};
use quorate_engine::judge::{Inputs, Judge, Judged};
use quorate_engine::rulebook::Rulebook;
use quorate_engine::{LawCache, testing};
use quorate_kernel::command::{Act, Actor, Command, typed};
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::rows::Standing;
use quorate_kernel::state::State;
use quorate_kernel::{Moment, Name, PlayerId, Span, Thing, Value};

use crate::out::Out;
use crate::words;
use chance::Chance;

/// The secret under which the dice of simulations fall.
pub(crate) const SECRET: [u8; 32] = [11; 32];

/// When simulated games are founded.
const BEGINNING: &str = "2031-05-04T09:00Z";

/// What one seed came to.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Steps taken.
    pub steps: u64,
    /// Events in the log, those that fell due by themselves included.
    pub events: u64,
    /// Commands that were refused.
    pub refused: u64,
    /// Versions of the law that were in force.
    pub laws: u64,
}

/// A seed that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    /// At which step; 0 before the first, and one past the last for what is looked at when all is over.
    pub step: u64,
    /// What did not hold.
    pub what: String,
    /// The last lines of the log, and the command at which it happened.
    pub log: Vec<String>,
}

/// A game that is being simulated.
pub(crate) struct Sim {
    judge: Judge,
    laws: Arc<LawCache>,
    now: Moment,
    events: Vec<Event>,
    chance: Chance,
    keys: u64,
    tally: Tally,
    /// The command that is being judged, for the report.
    doing: String,
}

/// How many lines of the log a report shows.
const LINES_SHOWN: usize = 12;

/// The most that may fall due between two steps. More is a rule that sets itself off for ever.
const DUES_MAX: usize = 20_000;

/// Plays one seed.
pub(crate) fn play(
    book: &Rulebook,
    seed: u64,
    steps: u64,
    progress: &dyn Fn(u64),
) -> Result<Tally, Failure> {
    let mut sim = match Sim::found(book, seed) {
        Ok(sim) => sim,
        Err(error) => {
            return Err(Failure {
                step: 0,
                what: format!("{error:#}"),
                log: vec![],
            });
        }
    };
    for step in 1..=steps {
        let stepped = catch_unwind(AssertUnwindSafe(|| sim.step()));
        if let Err(what) = stepped.unwrap_or_else(|panic| Err(panic_words(&*panic))) {
            return Err(sim.failure(step, what));
        }
        sim.tally.steps = step;
        progress(step);
    }
    let ended = catch_unwind(AssertUnwindSafe(|| hold::whole(&sim)));
    match ended.unwrap_or_else(|panic| Err(panic_words(&*panic))) {
        Ok(()) => Ok(sim.tally),
        Err(what) => Err(sim.failure(steps + 1, what)),
    }
}

fn panic_words(panic: &(dyn std::any::Any + Send)) -> String {
    let said = panic.downcast_ref::<&str>().map(ToString::to_string);
    let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
    format!(
        "a panic: {}",
        said.unwrap_or_else(|| "it said nothing".to_owned())
    )
}

impl Sim {
    /// Founds a game and has eleven more people join it.
    fn found(book: &Rulebook, seed: u64) -> Result<Self> {
        let laws = Arc::new(LawCache::default());
        let now: Moment = BEGINNING.parse()?;
        let mut sim = Self {
            judge: Judge::unfounded(&laws),
            laws,
            now,
            events: Vec::new(),
            chance: Chance::new(seed),
            keys: 0,
            tally: Tally::default(),
            doing: String::new(),
        };
        let founding = book.founding(&book.manifest.title, testing::NAMES[0])?;
        sim.setup(Actor::Operator, Act::Found(Box::new(founding)))?;
        let founder = sim.state().people.keys().next().copied();
        let founder = founder.ok_or_else(|| anyhow!("the founding makes no player"))?;
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
        let judged = self
            .judge_one(actor, act)
            .map_err(|what| anyhow!("{what}"))?;
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

    fn state(&self) -> &State {
        self.judge.state()
    }

    fn members(&self) -> Vec<PlayerId> {
        let members = self
            .state()
            .people
            .iter()
            .filter(|(_, person)| person.standing == Standing::Member);
        members.map(|(id, _)| *id).collect()
    }

    /// One step: time passes, what is due happens, and somebody tries something.
    fn step(&mut self) -> Result<(), String> {
        self.now = self.now + self.passes();
        self.run_due()?;
        let (actor, act) = self.pick();
        self.judge_one(actor, act)?;
        Ok(())
    }

    /// How much time passes before a step: mostly minutes, sometimes days.
    fn passes(&mut self) -> Span {
        match self.chance.below(40) {
            0 => Span::days(self.chance.between(1, 9)),
            1..=4 => Span::hours(self.chance.between(1, 30)),
            5..=12 => Span::minutes(self.chance.between(30, 300)),
            13..=18 => Span(0),
            _ => Span(self.chance.between(1, 900_000)),
        }
    }

    fn run_due(&mut self) -> Result<(), String> {
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

    fn judge_one(&mut self, actor: Actor, act: Act) -> Result<Judged, String> {
        self.keys += 1;
        // Now and then a clock that goes backwards.
        let at = if self.chance.one_in(50) {
            self.now + Span(-3_600_000)
        } else {
            self.now
        };
        let key = Name::from(format!("step {}", self.keys));
        self.judged(Command {
            at,
            actor,
            key,
            act,
        })
    }

    /// Judges a command and looks at what must hold.
    fn judged(&mut self, command: Command) -> Result<Judged, String> {
        self.doing = format!(
            "{:?} {:?}: {}",
            command.at,
            command.actor,
            shortened(&format!("{:?}", command.act))
        );
        let (before, head) = (self.judge.state().clone(), self.judge.head());
        let mut inputs = Inputs {
            secret: SECRET,
            past: &self.events,
            ..Inputs::default()
        };
        let judged = self.judge.judge(&command, &mut inputs);
        match &judged {
            Judged::Refused(_) | Judged::NeedsPast => {
                self.tally.refused += 1;
                hold::unchanged(&before, head, &self.judge)?;
            }
            Judged::Event(event) => {
                self.tally.events += 1;
                let new_law = event
                    .steps
                    .iter()
                    .any(|step| matches!(step.effect.table(), "rules" | "breaks" | "sections"));
                self.tally.laws += u64::from(new_law);
                self.events.push((**event).clone());
                hold::after(&before, head, event, &self.judge, new_law)?;
            }
        }
        Ok(judged)
    }

    fn failure(&self, step: u64, what: String) -> Failure {
        let from = self.events.len().saturating_sub(LINES_SHOWN);
        let (state, plain) = (self.judge.state(), Out::new(true));
        let mut log: Vec<String> = self.events[from..]
            .iter()
            .flat_map(|event| words::event_lines(state, event, &plain))
            .collect();
        log.push(format!("at: {}", self.doing));
        Failure { step, what, log }
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
