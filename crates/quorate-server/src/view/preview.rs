//! What would happen: commands tried on a copy of the game, of which nothing stays.

use quorate_engine::judge::{Head, Inputs, Judge};
use quorate_engine::why;
use quorate_forecast::{outcome, trial_command, tried};
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::event::Event;
use quorate_kernel::{Moment, PlayerId, Refusal};

use crate::view::game::GameView;

impl GameView {
    /// Whether the law would take an act of the reader at the page's moment. Dice of the trial are not the game's own, so
    /// that nothing is learnt of those to come.
    pub fn would(&self, act: Act) -> Result<Event, Refusal> {
        let me = self
            .me
            .ok_or_else(|| Refusal::plain("a player of this game"))?;
        let mut judge = self.fork();
        self.would_on(&mut judge, Actor::Player(me), act)
    }

    /// Whether the law would take an act of a player.
    pub(crate) fn would_as(&self, who: PlayerId, act: Act) -> Result<Event, Refusal> {
        let mut judge = self.fork();
        self.would_on(&mut judge, Actor::Player(who), act)
    }

    /// The same at a later moment, as if nothing happened until then.
    pub fn would_at(&self, at: Moment, act: Act) -> Result<Event, Refusal> {
        let me = self
            .me
            .ok_or_else(|| Refusal::plain("a player of this game"))?;
        let command = trial_command(at, Actor::Player(me), act);
        outcome(self.fork().judge(&command, &Inputs::default()))
    }

    /// Whether the law would take a command, of which the events in `past` are what it is about. Nothing of it stays.
    pub fn attempt(&self, actor: Actor, act: Act, past: &[Event]) -> Result<Event, Refusal> {
        let inputs = Inputs {
            past,
            ..Inputs::default()
        };
        let command = trial_command(self.now, actor, act);
        self.fork().judge(&command, &inputs).event()
    }

    /// The same up to the command's first die or question: what comes after that nobody can know.
    pub fn allowed(&self, actor: Actor, act: Act, past: &[Event]) -> Result<(), Refusal> {
        let command = trial_command(self.now, actor, act);
        why::refused(&mut self.fork(), command, past)
    }

    /// A copy of the game to try things on. What the law's tests rest on is asked once for all copies of a page.
    pub(super) fn fork(&self) -> Judge {
        let whole = self.whole.get_or_init(|| {
            let laws = &self.site.deps.laws;
            let answers = self.answers.clone();
            let judge = Judge::open_knowing(self.state().clone(), self.head(), laws, answers);
            judge.make_ready();
            judge
        });
        whole.clone()
    }

    /// Where the game's log ends.
    pub(crate) fn head(&self) -> Head {
        self.published.head
    }

    /// Tries an act on a copy.
    pub(super) fn would_on(
        &self,
        judge: &mut Judge,
        actor: Actor,
        act: Act,
    ) -> Result<Event, Refusal> {
        let command = trial_command(self.now, actor, act);
        tried(judge, &command, &Inputs::default(), self)
    }
}
