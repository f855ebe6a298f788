//! Whether a command would be refused, asked without doing it.

use quorate_kernel::Refusal;
use quorate_kernel::command::{Act, Command};
use quorate_kernel::event::Event;

use crate::inputs::Inputs;
use crate::judge::Judge;
use crate::{convert, offers};

/// Tries a command up to its first die or question; what comes after that nobody can know. The judge is one that may
/// move on: a fork, or one that is asked nothing else. `past` holds the event that is undone, where one is.
///
/// # Errors
/// Gives the refusal.
pub fn refused(judge: &mut Judge, command: Command, past: &[Event]) -> Result<(), Refusal> {
    if let (Act::Do { action, args }, Some(player)) = (&command.act, command.actor.player())
        && let Some(decl) = judge.law().actions.get(action)
    {
        let args = args.iter();
        let args = args.map(|(name, value)| (name.clone(), convert::datum(value)));
        let args = args.collect();
        return judge.query(command.at, |tx| offers::tried(tx, player, decl, args));
    }
    // Under a secret of its own, so that nothing is learnt of dice that are yet to fall.
    let inputs = Inputs {
        past,
        ..Inputs::default()
    };
    judge.judge(&command, &inputs).event().map(|_| ())
}
