//! Verifying a game: does its log hold together, do its effects make a state, does the law still say so?

use quorate_kernel::digest::Digest;
use quorate_kernel::event::Event;
use quorate_kernel::record;
use quorate_kernel::state::State;
use quorate_kernel::{EventSeq, GameId};

use crate::dice::{DiceCheck, DiceFound};
use crate::error::OperatingError;
use crate::fault::{LogFault, Wrong};
use crate::fold::{Chain, Fold, snapshot_of};
use crate::judge::Head;
use crate::ports::{Journal, Seals, Snapshot};
use crate::walk::{LogChunk, LogWork, Walk};

/// How closely to look.
pub enum Grade {
    /// Each event follows from the one before.
    Chain,
    /// And its effects fit the state that they change, and its dice follow from what was committed to, as far as that is shown.
    Fold,
    /// And the law of its time, given its tape, comes to the same effects. Differences are listed and stop nothing, for
    /// another build may see some things otherwise.
    Judgement(Box<dyn Rejudge>),
}

/// Judges events of the past again.
pub trait Rejudge: Send {
    /// Judges an event's command again on the state before it, and says how the outcome differs.
    ///
    /// Seals are open where their contents are still there. An event that cannot be judged without one is no difference.
    fn rejudge(&mut self, before: &State, event: &Event) -> Result<(), String>;
}

/// How far verifying has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VerifyProgress {
    /// The last event that was looked at.
    pub done: EventSeq,
    /// The last one there is.
    pub of: EventSeq,
}

/// What verifying found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verification {
    /// The last event that holds together with all before it.
    pub head: Head,
    /// The digest of the state there; none where effects were not looked at, or do not fit.
    pub state: Option<Digest>,
    /// Where the log does not hold together. Nothing after it was looked at.
    pub fault: Option<LogFault>,
    /// Where the law comes to something else today, or dice do not follow from their key, the first [`DIFFERENCES_MAX`] of them.
    pub differences: Vec<LogFault>,
    /// How many such places there are.
    pub difference_count: u64,
    /// What was found of the dice; nothing where effects were not looked at.
    pub dice: DiceFound,
}

/// How many differences a verdict lists.
pub const DIFFERENCES_MAX: usize = 100;

impl Verification {
    /// Whether all is well.
    pub fn holds(&self) -> bool {
        self.fault.is_none() && self.difference_count == 0
    }
}

/// Verifies a game from its first event to its last, calling `progress` from time to time.
pub async fn verify(
    journal: &dyn Journal,
    seals: &dyn Seals,
    game: &GameId,
    grade: Grade,
    progress: &mut (dyn FnMut(VerifyProgress) + Send),
) -> Result<Verification, OperatingError> {
    let no_game = || OperatingError::NoGame(game.clone());
    let row = journal.game(game).await?.ok_or_else(no_game)?;
    let end = row.head;
    let check = Check {
        fold: Fold::start(),
        snapshot: journal.snapshot_before(game, end.seq).await?,
        differences: Vec::new(),
        difference_count: 0,
        dice: DiceCheck::default(),
        grade,
    };
    let walk = Walk {
        journal,
        seals: matches!(check.grade, Grade::Judgement(_)).then_some(seals),
        game,
        to: end.seq,
    };
    let mut told = |done| progress(VerifyProgress { done, of: end.seq });
    let (check, mut fault) = walk.go(EventSeq(0), check, &mut told).await?;
    let head = check.fold.chain.head();
    // The store notes a log's end by itself, so a log that was cut off or put in another's place shows here.
    if fault.is_none() && (head.seq, head.hash) != (end.seq, end.hash) {
        fault = Some(LogFault {
            seq: head.seq,
            what: Wrong::End,
        });
    }
    let folded = fault.is_none() && !matches!(check.grade, Grade::Chain);
    Ok(Verification {
        head,
        state: folded.then(|| check.fold.state.digest()),
        fault,
        differences: check.differences,
        difference_count: check.difference_count,
        dice: check.dice.found(),
    })
}

struct Check {
    fold: Fold,
    grade: Grade,
    /// The newest snapshot, to be compared when its event is reached.
    snapshot: Option<Snapshot>,
    differences: Vec<LogFault>,
    difference_count: u64,
    dice: DiceCheck,
}

impl LogWork for Check {
    fn take(&mut self, chunk: &LogChunk) -> Result<(), LogFault> {
        chunk
            .opens
            .iter()
            .try_for_each(|open| self.look(open, chunk))
    }
}

impl Check {
    fn look(&mut self, open: &[u8], chunk: &LogChunk) -> Result<(), LogFault> {
        match &mut self.grade {
            Grade::Chain => return self.fold.chain.follow(open).map(drop),
            Grade::Fold => {
                let before = self.fold.state.clone();
                let event = self.fold.follow(open)?;
                self.look_at_dice(&before, &event);
            }
            Grade::Judgement(_) => self.judge(open, chunk)?,
        }
        let Fold { state, chain } = &self.fold;
        if let Some(snapshot) = &self.snapshot
            && snapshot.head.seq == chain.head().seq
            && *snapshot != snapshot_of(state, chain.head())
        {
            return Err(LogFault {
                seq: chain.head().seq,
                what: Wrong::Snapshot,
            });
        }
        Ok(())
    }

    fn judge(&mut self, open: &[u8], chunk: &LogChunk) -> Result<(), LogFault> {
        let before = self.fold.state.clone();
        let mut chain = Chain::after(self.fold.chain.head());
        let mut event = chain.follow(open)?;
        record::restore(&mut event, &|digest| chunk.seals.get(&digest).cloned());
        // Folded with its seals open, so that the next event is judged on a state that can be read.
        self.fold.take_in(&event, chain)?;
        self.look_at_dice(&before, &event);
        let Grade::Judgement(judge) = &mut self.grade else {
            return Ok(());
        };
        if let Err(difference) = judge.rejudge(&before, &event) {
            self.differs(event.seq, Wrong::Judgement(difference));
        }
        Ok(())
    }

    fn look_at_dice(&mut self, before: &State, event: &Event) {
        if let Err(astray) = self.dice.take(before, event) {
            self.differs(event.seq, Wrong::Dice(astray));
        }
    }

    fn differs(&mut self, seq: EventSeq, what: Wrong) {
        self.difference_count += 1;
        if self.differences.len() < DIFFERENCES_MAX {
            self.differences.push(LogFault { seq, what });
        }
    }
}
