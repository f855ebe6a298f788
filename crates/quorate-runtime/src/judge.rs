//! The law's host, as the writer of a game sees it: somebody who holds a replica of the game and judges commands.
//!
//! Whether the law runs in this process or in one of its own is nobody's business here. What a judge answers is
//! checked like a stranger's input before it is kept.

use quorate_kernel::command::{Act, Actor, Command};
use quorate_kernel::event::Event;
pub use quorate_kernel::event::{Head, Judged};
use quorate_kernel::rows::ClauseKey;
use quorate_kernel::state::State;
use quorate_kernel::{EventSeq, GameId, Moment};

/// Thirty-two bytes from which all dice and salts of a game follow.
pub type Secret = [u8; 32];

/// A replica of one game's state with its compiled law. Synchronous, and pure: the same calls give the same answers.
pub trait GameJudge: Send {
    /// Judges a command. Where it became an event, the replica has taken it in already.
    fn judge(&mut self, command: &Command, secret: &Secret) -> Judged;

    /// Judges an event of a log again: its command, on the tape on which it was judged. Where it became an event, the replica has
    /// taken that in.
    fn judge_again(&mut self, event: &Event, secret: &Secret) -> Judged {
        self.judge(&event.command(), secret)
    }

    /// How many commands it takes at once. A judge whose bugs panic here takes one, so that nobody else's command is lost to it.
    fn row_max(&self) -> usize {
        1
    }

    /// Judges commands one after another, each on the state that the one before leaves, up to the first that wants the past, or after
    /// which something falls due by its moment. Gives the answers so far: at least one, if there is a command.
    fn judge_in_row(&mut self, commands: &[Command], secret: &Secret) -> Vec<Judged> {
        let mut judged = Vec::with_capacity(commands.len());
        for command in commands {
            let answer = self.judge(command, secret);
            let ends = ends_row(&answer, self.next_due(), command);
            judged.push(answer);
            if ends {
                break;
            }
        }
        judged
    }

    /// The clause whose code cost the last command, which was refused for it, if one did. It is to be put to sleep. Where the
    /// law runs in this process nothing is ever ended, and so there is none.
    fn take_culprit(&mut self) -> Option<Culprit> {
        None
    }

    /// Hands over events of the past, seals open, that the commands to come are about: those to be undone, or
    /// for a ruling all. They replace what was handed over before. A judge whose law has no undo need not look at them.
    fn recall(&mut self, past: Vec<Event>) {
        drop(past);
    }

    /// The first moment at which something falls due.
    fn next_due(&self) -> Option<Moment>;

    /// The command by which all that falls due first happens, stamped with its own due moment; none where nothing
    /// falls due up to `up_to`, itself included.
    fn due_command(&self, up_to: Moment) -> Option<Command>;

    /// The replica.
    fn state(&self) -> &State;

    /// The end of the log that the replica has taken in.
    fn head(&self) -> Head;
}

/// Whether nothing may be judged right after a command before what it brought about is seen to.
pub fn ends_row(judged: &Judged, next_due: Option<Moment>, command: &Command) -> bool {
    match judged {
        Judged::NeedsPast => true,
        Judged::Refused(_) => false,
        Judged::Event(_) => next_due.is_some_and(|due| due <= command.at),
    }
}

/// A clause whose code took more time or memory than there is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Culprit {
    /// Which clause.
    pub clause: ClauseKey,
    /// What it did, in words.
    pub why: String,
}

impl Culprit {
    /// The command by which its code sleeps, as the game's own. `seq` is the number of the last event.
    pub fn command(self, at: Moment, seq: EventSeq) -> Command {
        let Self { clause, why } = self;
        let key = format!("sleep {} {} {}", clause.rule, clause.fence, seq.next());
        Command {
            at,
            actor: Actor::Game,
            key: key.into(),
            act: Act::Sleep { clause, why },
        }
    }
}

/// Where judges come from.
pub trait Judges: Send + Sync {
    /// A judge for a game at a state, compiled law and all. May take as long as compiling does.
    fn open(&self, game: &GameId, state: State, head: Head) -> Box<dyn GameJudge>;
}
