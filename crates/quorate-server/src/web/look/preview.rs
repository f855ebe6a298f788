//! What would happen: commands tried on a copy of the game, of which nothing stays.

use quorate_engine::judge::{Head, Inputs, Judge};
use quorate_kernel::Refusal;
use quorate_kernel::command::{Act, Actor, Command};
use quorate_kernel::event::{Event, Outcome};

use super::Look;

impl Look {
    /// Whether the law would take an act of the reader at the page's moment. Dice of the trial are not the game's own, so
    /// that nothing is learnt of those to come.
    pub fn would(&self, act: Act) -> Result<Event, Refusal> {
        let me = self
            .me
            .ok_or_else(|| Refusal::plain("a player of this game"))?;
        let mut judge = self.fork();
        self.would_on(&mut judge, Actor::Player(me), act)
    }

    /// A copy of the game to try things on.
    pub fn fork(&self) -> Judge {
        let head = self.published.head;
        let head = Head {
            seq: head.seq,
            hash: head.hash,
            at: head.at,
        };
        Judge::open(self.state().clone(), head, &self.site.parts.laws)
    }

    /// Tries an act on a copy.
    pub fn would_on(&self, judge: &mut Judge, actor: Actor, act: Act) -> Result<Event, Refusal> {
        let command = Command {
            at: self.now,
            actor,
            key: "trial".into(),
            act,
        };
        let event = judge.judge(&command, &mut Inputs::default()).event()?;
        match &event.outcome {
            Outcome::Refused(refusal) | Outcome::Lapsed(refusal) => Err(refusal.clone()),
            Outcome::Done | Outcome::Opened(_) => Ok(event),
        }
    }
}
