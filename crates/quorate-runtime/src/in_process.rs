//! The law's host in this process: the engine's judge as the writer of a game sees it.
//!
//! A worker process would hold the same judge behind the same traits.

use std::sync::Arc;

use quorate_engine::{Inputs, LawCache};
use quorate_kernel::command::{Act, Command};
use quorate_kernel::event::Event;
use quorate_kernel::record;
use quorate_kernel::sealing::SealMut;
use quorate_kernel::state::State;
use quorate_kernel::{EventSeq, GameId, Moment};

use crate::judge::{GameJudge, Head, Judged, Judges, Secret};
use crate::verify::Rejudge;

/// Judges that run the law here. They share the versions of the law that were compiled.
#[derive(Clone, Default)]
pub struct InProcess {
    laws: Arc<LawCache>,
}

impl InProcess {
    /// Judges that share compiled laws with whoever else reads games in this process.
    pub fn new(laws: &Arc<LawCache>) -> Self {
        Self {
            laws: Arc::clone(laws),
        }
    }

    /// The compiled laws.
    pub fn laws(&self) -> &Arc<LawCache> {
        &self.laws
    }
}

impl Judges for InProcess {
    fn open(&self, _: &GameId, state: State, head: Head) -> Box<dyn GameJudge> {
        let judge = quorate_engine::Judge::open(state, head, &self.laws);
        Box::new(Replica {
            judge,
            past: Vec::new(),
        })
    }
}

struct Replica {
    judge: quorate_engine::Judge,
    past: Vec<Event>,
}

impl GameJudge for Replica {
    fn judge(&mut self, command: &Command, secret: &Secret) -> Judged {
        let inputs = Inputs {
            secret: *secret,
            past: &self.past,
            ..Inputs::default()
        };
        self.judge.judge(command, &inputs)
    }

    fn judge_again(&mut self, event: &Event, secret: &Secret) -> Judged {
        let inputs = Inputs {
            secret: *secret,
            past: &self.past,
            tape: Some(&event.tape),
            ..Inputs::default()
        };
        self.judge.judge(&event.command(), &inputs)
    }

    fn recall(&mut self, past: Vec<Event>) {
        self.past = past;
    }

    fn next_due(&self) -> Option<Moment> {
        self.judge.next_due()
    }

    fn due_command(&self, up_to: Moment) -> Option<Command> {
        self.judge.due_command(up_to)
    }

    fn state(&self) -> &State {
        self.judge.state()
    }

    fn head(&self) -> Head {
        self.judge.head()
    }
}

/// Finds an event of a game's past by its number.
pub type FindPast = Box<dyn Fn(EventSeq) -> Option<Event> + Send>;

/// Judges a game's log again, each event on its own tape under the law of its time.
pub struct Rejudger {
    judges: Arc<dyn Judges>,
    game: GameId,
    secret: Secret,
    find: FindPast,
    /// The judge of the event before, as long as it came to the same as the log.
    judge: Option<Box<dyn GameJudge>>,
}

impl Rejudger {
    /// For one game, by judges that run its law wherever they do. `secret` is the game's own, under which its seals were closed.
    pub fn new(judges: Arc<dyn Judges>, game: GameId, secret: Secret, find: FindPast) -> Self {
        Self {
            judges,
            game,
            secret,
            find,
            judge: None,
        }
    }

    fn judge_at(&mut self, before: &State, event: &Event) -> Box<dyn GameJudge> {
        let kept = self
            .judge
            .take()
            .filter(|judge| judge.head().hash == event.previous);
        kept.unwrap_or_else(|| {
            // The moment of the event before is not known here, and matters no further: it was no later than this one.
            let head = Head {
                seq: EventSeq(event.seq.0 - 1),
                hash: event.previous,
                at: event.at,
            };
            self.judges.open(&self.game, before.clone(), head)
        })
    }
}

impl Rejudge for Rejudger {
    fn rejudge(&mut self, before: &State, event: &Event) -> Result<(), String> {
        let mut judge = self.judge_at(before, event);
        let past = match &event.act {
            Act::Undo { event: undone, .. } => (self.find)(*undone),
            _ => None,
        };
        judge.recall(past.into_iter().collect());
        let mut judged = judge.judge_again(event, &self.secret);
        if matches!(judged, Judged::NeedsPast) {
            let past = (1..event.seq.0).filter_map(|seq| (self.find)(EventSeq(seq)));
            judge.recall(past.collect());
            judged = judge.judge_again(event, &self.secret);
        }
        let again = match judged.event() {
            Ok(again) => again,
            Err(refusal) => {
                return unless_forgotten(before, event, format!("refused now: it {refusal}"));
            }
        };
        match difference(event, &again) {
            None => {
                self.judge = Some(judge);
                Ok(())
            }
            Some(what) => unless_forgotten(before, event, what),
        }
    }
}

/// Has judges judge a whole log again from its beginning, as another host of the law would: it must come to the same events.
///
/// # Errors
/// Says where it does not.
pub fn judged_again(judges: &dyn Judges, events: &[Event], secret: &Secret) -> Result<(), String> {
    JudgedAgain::begin(judges)?.up_to(events, secret)
}

/// A log that is judged again as it grows.
pub struct JudgedAgain {
    judge: Box<dyn GameJudge>,
    /// How many events were judged again.
    done: usize,
}

impl JudgedAgain {
    /// Before the first event.
    ///
    /// # Errors
    /// Fails where no name for a game can be made.
    pub fn begin(judges: &dyn Judges) -> Result<Self, String> {
        let game: GameId = "game"
            .parse()
            .map_err(|_| "no word for a game".to_owned())?;
        let judge = judges.open(&game, State::default(), Head::default());
        Ok(Self { judge, done: 0 })
    }

    /// Judges what has come to a log since: each event must come out the same.
    ///
    /// # Errors
    /// Says where one does not.
    pub fn up_to(&mut self, events: &[Event], secret: &Secret) -> Result<(), String> {
        for (nth, event) in events.iter().enumerate().skip(self.done) {
            self.event(&events[..nth], event, secret)?;
            self.done = nth + 1;
        }
        Ok(())
    }

    fn event(&mut self, before: &[Event], event: &Event, secret: &Secret) -> Result<(), String> {
        let past = match &event.act {
            Act::Undo { event: undone, .. } => before.iter().find(|past| past.seq == *undone),
            _ => None,
        };
        self.judge.recall(past.cloned().into_iter().collect());
        let mut judged = self.judge.judge_again(event, secret);
        if matches!(judged, Judged::NeedsPast) {
            self.judge.recall(before.to_vec());
            judged = self.judge.judge_again(event, secret);
        }
        let different = match judged.event() {
            Ok(again) => difference(event, &again),
            Err(refusal) => Some(format!("refused: {refusal}")),
        };
        match different {
            None => Ok(()),
            Some(what) => {
                let (seq, act) = (event.seq, event.act.name());
                Err(format!(
                    "judged again, event {seq} ({act}) comes out otherwise: {what}"
                ))
            }
        }
    }
}

/// How an event that was judged again differs from the one in the log.
pub fn difference(logged: &Event, again: &Event) -> Option<String> {
    if record::encode(logged).open == record::encode(again).open {
        return None;
    }
    if logged.law != again.law {
        return Some("another version of the law judges it".to_owned());
    }
    if logged.outcome != again.outcome {
        return Some(format!(
            "the log says {:?}, now {:?}",
            logged.outcome, again.outcome
        ));
    }
    if logged.tape != again.tape {
        return Some(format!(
            "the tape is used otherwise: {:?}, now {:?}",
            logged.tape, again.tape
        ));
    }
    let unlike = logged
        .steps
        .iter()
        .zip(&again.steps)
        .position(|(a, b)| a != b);
    if let Some(at) = unlike {
        return Some(format!(
            "effect {at} was {:?}, now {:?}",
            logged.steps[at], again.steps[at]
        ));
    }
    if logged.steps.len() != again.steps.len() {
        return Some(format!(
            "it had {} effects, now {}",
            logged.steps.len(),
            again.steps.len()
        ));
    }
    Some("its lines for the log or its place differ".to_owned())
}

/// A difference counts only where nothing was forgotten that the judgement may have leant on.
fn unless_forgotten(before: &State, event: &Event, difference: String) -> Result<(), String> {
    let mut closed = false;
    let mut look = |seal: SealMut<'_>| closed |= seal.bytes().is_none();
    event.clone().each_seal(&mut look);
    for mut effect in before.effects() {
        effect.seals(&mut look);
    }
    if closed { Ok(()) } else { Err(difference) }
}
