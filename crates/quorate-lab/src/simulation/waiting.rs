//! Whether a refusal that names a moment is another answer then.

use quorate_engine::judge::Judged;
use quorate_kernel::command::Command;
use quorate_kernel::{Name, Refusal, Span};

use super::game::SimulatedGame;

/// Of how many commands one is tried again.
const TRIED_EACH: u64 = 8;

/// How far ahead the moment may lie: what falls due until then is done.
const AHEAD: Span = Span::days(4);

impl SimulatedGame {
    /// Sends a refused command again at the moment that its refusal names, and leaves the game as it was. Rules that play has
    /// changed may name any moment.
    ///
    /// # Errors
    /// Fails where the moment has passed already, and where the command is refused then for the same reason.
    pub(super) fn reason_ends(
        &mut self,
        command: Command,
        refusal: &Refusal,
    ) -> Result<(), String> {
        let Some(next_at) = refusal.next_at else {
            return Ok(());
        };
        if next_at <= command.at {
            return Err(format!(
                "a refusal names a moment that has passed: {refusal}"
            ));
        }
        let soon = next_at >= self.now && next_at <= self.now + AHEAD;
        if !soon || !self.keys.is_multiple_of(TRIED_EACH) || !self.is_as_founded() {
            return Ok(());
        }
        let then = self.aside(|game| {
            game.now = next_at;
            game.run_due()?;
            let key = Name::from(format!("{} again", command.key));
            game.judged(Command {
                at: next_at,
                key,
                ..command
            })
        })?;
        match then {
            Judged::Refused(then) if reason(&then) == reason(refusal) => Err(format!(
                "refused until {next_at}, and then for the same reason: {then}"
            )),
            _ => Ok(()),
        }
    }
}

/// Which clause refuses, and what it asks for.
fn reason(refusal: &Refusal) -> (&Name, u32, Vec<&str>) {
    let wanted = refusal.needs.iter().map(|need| need.what.as_str());
    (&refusal.rule_id, refusal.clause, wanted.collect())
}
