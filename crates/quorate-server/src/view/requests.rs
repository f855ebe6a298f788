//! What the reader asks to be done, read against what they may see.

use quorate_engine::request::{CommandReader, CommandRequest, RequestError};
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::event::Event;

use crate::view::game::GameView;

impl GameView {
    /// The act that a request stands for; `past` holds the event that it undoes, if it undoes one.
    pub fn read_request(
        &self,
        request: CommandRequest,
        past: &[Event],
    ) -> Result<Act, RequestError> {
        let account = self.visitor.account.as_ref();
        self.trial_run(|tx| {
            let reader = CommandReader {
                tx,
                view: self.sight(),
                actor: self.me.map_or(Actor::Newcomer, Actor::Player),
                name: account.map_or("", |account| account.name.as_str()),
                past,
            };
            reader.act(request)
        })
    }
}
