//! Plays that are kept: a test function played as the first weeks of a real game.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use quorate_kernel::event::Event;
use quorate_kernel::state::State;
use quorate_kernel::{Moment, Span};
use quorate_law::objects::Host;

use super::{Failure, Runner, Stage, TestFile};
use crate::judge::Head;

/// How a play is kept.
#[derive(Clone, Copy, Debug)]
pub struct Recording {
    /// What the dice follow from, where none are dictated.
    pub secret: [u8; 32],
    /// How much later than written everything happens.
    pub later: Span,
    /// The present: the play is cut here.
    pub until: Moment,
}

/// What was played.
pub struct Recorded {
    /// Every event of the game.
    pub events: Vec<Event>,
    /// Where its log ends.
    pub head: Head,
    /// What it came to.
    pub state: State,
}

impl Recording {
    /// As it was written, to its end.
    pub(super) const PLAIN: Self = Self {
        secret: [7; 32],
        later: Span(0),
        until: Moment(i64::MAX),
    };
}

impl Runner<'_> {
    /// Plays a test function and keeps the first game that it founds. Its moments are moved by `how.later`, and it ends
    /// where its clock would pass `how.until`.
    pub fn record(&self, file: &TestFile, name: &str, how: Recording) -> Result<Recorded, Failure> {
        let stage = Rc::new(Stage {
            books: self.known_books(),
            laws: self.laws.clone(),
            begun: Rc::default(),
            law: self.law.clone(),
            is_over: self.is_over.clone(),
            recording: how,
            is_cut: Cell::new(false),
            games: RefCell::new(Vec::new()),
            objects: RefCell::new(Vec::new()),
        });
        let host: Rc<dyn Host> = Rc::clone(&stage) as Rc<dyn Host>;
        let played = file.tests.run(name, &host);
        let failure = |line, message: String| Failure {
            line,
            message,
            log: stage.log(),
        };
        if let Err(stopped) = played
            && !stage.is_cut.get()
        {
            return Err(failure(stopped.line, stopped.text));
        }
        stage.replay().map_err(|message| failure(0, message))?;
        let Some(game) = stage.games.borrow_mut().drain(..).next() else {
            return Err(failure(0, "it founds no game".to_owned()));
        };
        Ok(Recorded {
            head: game.judge.head(),
            state: game.judge.state().clone(),
            events: game.events,
        })
    }
}
