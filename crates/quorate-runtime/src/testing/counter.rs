//! A game that needs no law: one number, which players raise, and an alarm that rings.

use quorate_kernel::command::{Act, Actor, Command, Founding, typed};
use quorate_kernel::effect::{Effect, Step, Way};
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::ids::{EventSeq, Id, PlayerId};
use quorate_kernel::record;
use quorate_kernel::rows::{Breaks, Cell, CellKey, ClauseKey, Due, DueKey, PageText};
use quorate_kernel::state::State;
use quorate_kernel::tape::Tape;
use quorate_kernel::{GameId, Moment, Name, Refusal, Thing, Value};

use crate::judge::{Culprit, GameJudge, Head, Judged, Judges, Secret};

/// Judges of counting games. The actions of such a game:
///
/// - `add` with `n` raises the number; `low` is refused while the number is above its `n`.
/// - `ring` with `at` has something fall due then, which raises the number of rings.
/// - `stuck` with `at` has something fall due then that panics the judge, `again` something that never passes.
/// - `say` writes a page, whose text is sealed.
/// - `costly` with `n` costs the judge too much, until the clause of that number sleeps; then it raises the number. `shared` costs
///   too much until the clauses from 1 to that number sleep, of which the judge finds one at a time. `alarm` has
///   the like fall due: `costly` clauses 1 and 2 in turn, until both sleep.
/// - `modern` has the law written in an edition of its language.
/// - `reign` begins a dynasty. `panic` panics the judge, and `lie` makes an event that does not fit the state.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters;

struct CountingJudge {
    state: State,
    head: Head,
    culprit: Option<Culprit>,
}

/// What a counting game begins with.
pub fn founding() -> Founding {
    Founding {
        title: "Counting".to_owned(),
        rulebook: "counting".into(),
        edition: 1,
        new_rules: Name::default(),
        unnamed: String::new(),
        founder: typed("Anna"),
        sections: vec![],
        rules: vec![],
        terms: vec![],
    }
}

/// The command to take an action with one number.
pub fn plays(action: &str, number: i64) -> Act {
    let (name, value) = match action {
        "ring" | "stuck" | "again" | "alarm" => ("at", Value::Moment(Moment(number))),
        "say" => ("text", Value::Text(typed(&format!("said {number}")))),
        _ => ("n", Value::Int(number)),
    };
    Act::Do {
        action: action.into(),
        args: vec![(name.into(), value)],
    }
}

/// The number of a counting game.
pub fn count(state: &State) -> i64 {
    number(state, "count")
}

/// How often the alarm of a counting game has rung.
pub fn rings(state: &State) -> i64 {
    number(state, "rings")
}

fn number(state: &State, name: &str) -> i64 {
    match state.cells.get(&cell_key(name)).map(|cell| &cell.value) {
        Some(Value::Int(n)) => *n,
        _ => 0,
    }
}

fn cell_key(name: &str) -> CellKey {
    CellKey {
        thing: Thing::Game,
        name: name.into(),
    }
}

impl Judges for Counters {
    fn open(&self, _: &GameId, state: State, head: Head) -> Box<dyn GameJudge> {
        Box::new(CountingJudge {
            state,
            head,
            culprit: None,
        })
    }
}

impl GameJudge for CountingJudge {
    fn judge(&mut self, command: &Command, _: &Secret) -> Judged {
        self.culprit = self.costs(command);
        if let Some(culprit) = &self.culprit {
            let fence = culprit.clause.fence;
            return Judged::Refused(Refusal::plain(format!("time for clause {fence}")));
        }
        let effects = match self.effects(command) {
            Ok(effects) => effects,
            Err(refusal) => return Judged::Refused(refusal),
        };
        let event = Event {
            seq: self.head.seq.next(),
            at: command.at,
            actor: command.actor,
            hidden_actor: None,
            key: command.key.clone(),
            act: command.act.clone(),
            law: self.state.law_digest(),
            outcome: Outcome::Done,
            tape: Tape::default(),
            steps: effects.into_iter().map(step).collect(),
            notes: vec![],
            previous: self.head.hash,
        };
        // A lie does not fit this judge's own state either.
        if let Err(mismatch) = self.state.apply_all(event.steps.iter().map(|s| &s.effect)) {
            tracing::debug!(%mismatch, "the judge lies");
        }
        self.head = Head {
            seq: event.seq,
            hash: record::hash(&record::encode(&event).open),
            at: event.at,
        };
        Judged::Event(Box::new(event))
    }

    fn take_culprit(&mut self) -> Option<Culprit> {
        self.culprit.take()
    }

    fn next_due(&self) -> Option<Moment> {
        self.state.next_due().map(|(at, _)| at)
    }

    fn due_command(&self, up_to: Moment) -> Option<Command> {
        let (at, keys) = self.state.next_due().filter(|(at, _)| *at <= up_to)?;
        Some(Command {
            at,
            actor: Actor::Game,
            key: format!("due {at}").into(),
            act: Act::Due { keys },
        })
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn head(&self) -> Head {
        self.head
    }
}

impl CountingJudge {
    /// The clause of the command that costs too much, unless it sleeps.
    fn costs(&self, command: &Command) -> Option<Culprit> {
        let fences = match &command.act {
            Act::Do { action, args } if action == "costly" => match args.first() {
                Some((_, Value::Int(fence))) => vec![u32::try_from(*fence).unwrap_or(0)],
                _ => Vec::new(),
            },
            Act::Do { action, args } if action == "shared" => match args.first() {
                Some((_, Value::Int(last))) => (1..=u32::try_from(*last).unwrap_or(0)).collect(),
                _ => Vec::new(),
            },
            Act::Due { keys } if keys.contains(&alarm_key("alarm")) => vec![1, 2],
            _ => Vec::new(),
        };
        let clause = |fence| ClauseKey {
            rule: "costs".into(),
            fence,
        };
        let asleep = |clause: &ClauseKey| self.state.breaks.contains_key(clause);
        let clause = fences.into_iter().map(clause).find(|one| !asleep(one))?;
        let why = "it took too long".to_owned();
        Some(Culprit { clause, why })
    }

    fn effects(&self, command: &Command) -> Result<Vec<Effect>, Refusal> {
        match &command.act {
            Act::Found(founding) if self.head.seq == EventSeq(0) => {
                if founding.title.is_empty() {
                    return Err(Refusal::plain("a title"));
                }
                Ok(vec![self.raise("founded", 1, command.at)])
            }
            Act::Found(_) => Err(Refusal::plain("a game that is not founded yet")),
            Act::Do { action, args } => {
                let value = args.first().map_or(Value::None, |(_, value)| value.clone());
                self.play(action.as_str(), &value, command)
            }
            Act::Due { keys } => Ok(keys.iter().flat_map(|key| self.fall_due(key)).collect()),
            Act::Downtime { since } => {
                let lost_ms = (command.at - *since).0;
                Ok(vec![self.raise("downtime_ms", lost_ms, command.at)])
            }
            Act::Sleep { clause, why } => {
                let new = Some(Breaks {
                    times: 1,
                    last: why.clone(),
                    asleep: true,
                });
                let key = clause.clone();
                Ok(vec![Effect::Breaks {
                    key,
                    old: None,
                    new,
                }])
            }
            other => Err(Refusal::plain(format!(
                "a game that knows {}",
                other.name()
            ))),
        }
    }

    fn play(&self, action: &str, value: &Value, command: &Command) -> Result<Vec<Effect>, Refusal> {
        match (action, value) {
            ("add" | "costly" | "shared", Value::Int(n)) => {
                Ok(vec![self.raise("count", *n, command.at)])
            }
            ("low", Value::Int(n)) if count(&self.state) > *n => Err(Refusal::plain("a low count")),
            ("low", _) => Ok(vec![self.raise("count", 1, command.at)]),
            ("ring" | "stuck" | "again" | "alarm", Value::Moment(at)) => {
                let key = alarm_key(action);
                let old = self.state.dues.get(&key).cloned();
                let new = Some(Due { at: *at });
                Ok(vec![Effect::Due { key, old, new }])
            }
            ("say", Value::Text(text)) => {
                let key = Name::from(format!("page {}", self.head.seq.next()));
                let new = Some(PageText {
                    text: text.clone(),
                    by: self.head.seq.next(),
                });
                Ok(vec![Effect::Page {
                    key,
                    old: None,
                    new,
                }])
            }
            ("reign", Value::Int(n)) => Ok(vec![dynasty(*n, self.head.seq.next(), command.at)]),
            ("modern", Value::Int(n)) => Ok(vec![self.modern(*n, command.at)]),
            ("panic", _) => panic!("the counting game was told to panic"),
            ("lie", _) => {
                let mut lie = self.raise("count", 1, command.at);
                if let Effect::Cell { old, .. } = &mut lie {
                    *old = Some(cell(i64::MIN, command.at, EventSeq(0)));
                }
                Ok(vec![lie])
            }
            _ => Err(Refusal::plain("an action of the counting game")),
        }
    }

    /// From now on the law is written in that edition of its language.
    fn modern(&self, edition: i64, at: Moment) -> Effect {
        Effect::About {
            key: (),
            old: self.state.about.get(&()).cloned(),
            new: Some(quorate_kernel::rows::About {
                title: "Counting".to_owned(),
                rulebook: "counting".into(),
                edition: u16::try_from(edition).unwrap_or(0),
                founded_at: at,
                new_rules: Name::default(),
                unnamed: String::new(),
            }),
        }
    }

    fn fall_due(&self, key: &DueKey) -> Vec<Effect> {
        let DueKey::Automatic(action, _) = key else {
            return vec![];
        };
        assert!(action != "stuck", "the counting game was told to get stuck");
        let old = self.state.dues.get(key).cloned();
        let at = old.as_ref().map_or(Moment(0), |due| due.at);
        let mut effects = vec![self.raise("rings", 1, at)];
        if action != "again" {
            effects.push(Effect::Due {
                key: key.clone(),
                old,
                new: None,
            });
        }
        effects
    }

    fn raise(&self, name: &str, by: i64, at: Moment) -> Effect {
        let key = cell_key(name);
        let old = self.state.cells.get(&key).cloned();
        let now = number(&self.state, name).saturating_add(by);
        Effect::Cell {
            key,
            old,
            new: Some(cell(now, at, self.head.seq.next())),
        }
    }
}

fn alarm_key(action: &str) -> DueKey {
    DueKey::Automatic(action.into(), Thing::Game)
}

fn step(effect: Effect) -> Step {
    Step {
        effect,
        way: Way::Set,
        rule: Name::default(),
        clause: 0,
    }
}

fn cell(n: i64, at: Moment, by: EventSeq) -> Cell {
    Cell {
        value: Value::Int(n),
        at,
        by,
        claimed: false,
    }
}

fn dynasty(number: i64, event: EventSeq, at: Moment) -> Effect {
    let number = u32::try_from(number).unwrap_or(0);
    Effect::Dynasty {
        key: number,
        old: None,
        new: Some(quorate_kernel::rows::Dynasty {
            title: typed("Counting"),
            leader: Some(PlayerId(Id::new(EventSeq(1), 0))),
            at,
            event,
            dice: quorate_kernel::digest::Digest::default(),
        }),
    }
}
