//! Plays that are kept: a test function played as the first weeks of a real game.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use quorate_kernel::event::Event;
use quorate_kernel::state::State;
use quorate_law::objects::Host;

use super::recording::Recording;
use super::{Failure, Runner, Stage, TestFile};
use crate::judge::Head;

/// What was played.
pub struct Recorded {
    /// Every event of the game.
    pub events: Vec<Event>,
    /// Where its log ends.
    pub head: Head,
    /// What it came to.
    pub state: State,
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
            account: self.account.clone(),
            again: self.again.clone(),
            recording: how,
            is_cut: Cell::new(false),
            printed: RefCell::default(),
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

impl Stage {
    /// Folds each game's log anew and compares: every test is a replay test.
    pub(super) fn replay(&self) -> Result<(), String> {
        for game in self.games.borrow().iter() {
            let effects = game
                .events
                .iter()
                .flat_map(|event| event.steps.iter().map(|step| &step.effect));
            let folded = State::fold(effects)
                .map_err(|mismatch| format!("the log does not fold: {mismatch}"))?;
            if folded != *game.judge.state() {
                return Err(
                    "the log folds to another state than the one that was played".to_owned(),
                );
            }
            game.dictated_well()?;
            if let Some(again) = &self.again {
                again(&game.events, &game.secret)?;
            }
        }
        Ok(())
    }
}
