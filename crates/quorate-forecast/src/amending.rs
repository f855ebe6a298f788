//! Whether a game can still change itself: one round of proposing, voting and enacting, played on a copy by the players
//! there are; and where none goes through, who could change a rule by hand.

use quorate_engine::judge::Judge;
use quorate_kernel::command::{Act, Actor, typed};
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Name, PlayerId};
use serde::Serialize;

use crate::consequence::Called;
use crate::enactment::able;
use crate::fork::{Fork, send};
use crate::round::{MARK, Passed, Stuck, is_changed, rounds};
use crate::trial::PatchTrial;

/// Whether rules can still be changed after a post is enacted.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Amending {
    /// A round goes through.
    Passes(Passed),
    /// A trial cannot find it out, and why.
    Unknown(Stuck),
    /// No round goes through, but somebody can change rules by hand.
    ByHand {
        /// Where a round is stuck.
        stuck: Stuck,
        /// Who can.
        by: Vec<Called>,
        /// Whether that is everybody who plays, each alone.
        everybody: bool,
        /// How a round of today goes.
        today: Today,
    },
    /// A round is stuck, and nobody can change rules by hand.
    Fails {
        /// Where.
        stuck: Stuck,
        /// How a round of today goes.
        today: Today,
    },
}

/// How the same round goes under today's law.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Today {
    /// It goes through.
    Passes,
    /// It is stuck too.
    Fails,
    /// It is not known, for the time was over.
    Unknown,
}

/// Plays rounds on the copy of a trial, and where those are stuck looks who could change rules by hand, and once more how a
/// round goes in the game as it is.
pub(crate) fn amending(fork: &Fork<'_>, trial: &PatchTrial) -> Amending {
    let stuck = match rounds(fork, &trial.judge) {
        Ok(passed) => return Amending::Passes(passed),
        Err(stuck) if stuck.is_unknown() => return Amending::Unknown(stuck),
        Err(stuck) => stuck,
    };
    let today = match rounds(fork, &fork.judge) {
        Ok(_) => Today::Passes,
        Err(stuck) if stuck.is_unknown() => Today::Unknown,
        Err(_) => Today::Fails,
    };
    let players = able(fork, &trial.judge);
    let by: Vec<Called> = by_hand(fork, &trial.judge, &players)
        .into_iter()
        .map(|player| fork.player(player))
        .collect();
    if by.is_empty() {
        return Amending::Fails { stuck, today };
    }
    Amending::ByHand {
        stuck,
        everybody: by.len() == players.len(),
        by,
        today,
    }
}

/// Who can give a rule another title by a claim, citing one rule or another.
fn by_hand(fork: &Fork<'_>, judge: &Judge, players: &[PlayerId]) -> Vec<PlayerId> {
    let rules: Vec<Name> = judge.state().rules.keys().cloned().collect();
    let Some(changed) = rules.first() else {
        return Vec::new();
    };
    let claims = |player: PlayerId, rule: &Name| {
        let clauses = vec![Clause::RenameRule {
            id: changed.clone(),
            title: MARK.to_owned(),
        }];
        let act = Act::Claim {
            patch: Sealed::close(Patch { clauses }, [0; 16]),
            rule: rule.clone(),
            reason: typed("by hand"),
        };
        let mut copy = judge.clone();
        send(&mut copy, fork.now, Actor::Player(player), act).is_ok() && is_changed(&copy, changed)
    };
    // The rule that lets one change it is tried first for the others.
    let mut known: Option<&Name> = None;
    let mut found = Vec::new();
    for player in players {
        if fork.is_over() {
            break;
        }
        let cited = known
            .into_iter()
            .chain(&rules)
            .find(|rule| claims(*player, rule));
        if let Some(rule) = cited {
            known = Some(rule);
            found.push(*player);
        }
    }
    found
}
