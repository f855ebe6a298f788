//! What was said beforehand of the dice, and whether they fell as it had to be.

use quorate_kernel::EventSeq;
use quorate_runtime::dice::DiceFound;
use quorate_runtime::verify::{Grade, verify};

use crate::app::error::AppError;
use crate::site::dynasty::page::CommitmentTold;
use crate::ui::{Link, plural, urls};
use crate::view::game::GameView;

/// Goes through the log and holds every die against the key that was committed to.
pub(crate) async fn check(view: &GameView) -> Result<String, AppError> {
    let site = view.app();
    site.checks.take(view.visitor().who(), site.now_ms())?;
    let (journal, seals) = (&*site.deps.journal, &*site.deps.seals);
    let verdict = verify(journal, seals, view.game(), Grade::Fold, &mut |_| {}).await?;
    let wrong = verdict.fault.iter().chain(&verdict.differences).next();
    let DiceFound { proven, unproven } = verdict.dice;
    let dice = |count: u64| plural(usize::try_from(count).unwrap_or(usize::MAX), "die", "dice");
    Ok(match wrong {
        Some(wrong) => format!("Checked now, and something is wrong: {wrong}."),
        None => format!(
            "Checked now: {} shown as they had to be, and {} still to be proven, whose key is not shown yet.",
            dice(proven),
            dice(unproven)
        ),
    })
}

/// What was said of the dice that fell between two events: by the commitment that stood at the first, and any made later.
pub(crate) fn commitments(view: &GameView, first: EventSeq, last: EventSeq) -> Vec<CommitmentTold> {
    let all = view.public().commitments;
    let standing = all.range(..=first).next_back();
    let standing = standing.map_or(first, |(event, _)| *event);
    let told = all.range(standing..=last).map(|(event, commitment)| {
        let word = event.to_string();
        let link = urls::Event {
            game: view.game().as_str(),
            event: &word,
        };
        CommitmentTold {
            event: Link::new(&word, link),
            said: commitment.said.to_string(),
            key: commitment.shown.map(|key| key.shown()),
        }
    });
    told.collect()
}
