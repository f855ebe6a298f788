//! The dice line with its log, and claims that need a second look.

use quorate_kernel::EventSeq;
use quorate_kernel::command::Act;
use quorate_kernel::event::Event;
use quorate_kernel::rows::ClaimStanding;

use crate::app::error::AppError;
use crate::site::tracker::page::DiceLine;
use crate::ui::urls::Href;
use crate::ui::{Field, FieldKind, Link, Roll, Status, StatusKind, Swatch, TodoLine, urls};
use crate::view::events;
use crate::view::game::GameView;

/// How many events are looked through for rolls of the dice line.
const LOOKED_THROUGH: u64 = 600;

/// How many rolls are shown.
const ROLLS: usize = 8;

/// How many dice of a roll are drawn.
const DICE: usize = 12;

/// How many claims are shown.
const CLAIMS: usize = 20;

/// The latest rolls on the dice line, among the last events.
pub(crate) async fn latest(view: &GameView) -> Result<Vec<Event>, AppError> {
    let head = view.head().seq.0;
    let from = EventSeq(head.saturating_sub(LOOKED_THROUGH) + 1);
    let count = usize::try_from(LOOKED_THROUGH).unwrap_or(usize::MAX);
    let opens = view.app().deps.journal.events(view.game(), from, count);
    let opens = opens.await.map_err(quorate_runtime::OperatingError::from)?;
    let found = tokio::task::spawn_blocking(move || {
        let newest = opens.iter().rev();
        let events = newest.filter_map(|open| quorate_kernel::record::decode(open).ok());
        let rolls = events.filter(|event| matches!(event.act, Act::Dice { .. }));
        let seqs = rolls.map(|event| event.seq).take(ROLLS);
        seqs.collect::<Vec<_>>()
    });
    Ok(view.app().events(view.game(), &found.await?).await?)
}

/// The events of claims that are neither settled nor undone, newest first.
pub(crate) async fn claims(view: &GameView) -> Result<Vec<Event>, AppError> {
    let open = view.public().claims.iter().rev().filter(|(_, claim)| {
        matches!(
            claim.standing,
            ClaimStanding::Claimed | ClaimStanding::Disputed
        )
    });
    let seqs: Vec<EventSeq> = open.map(|(id, _)| id.event()).take(CLAIMS).collect();
    Ok(view.app().events(view.game(), &seqs).await?)
}

/// The way to all rolls.
pub(crate) fn all(view: &GameView) -> Link {
    let game = view.game().as_str();
    let log = Href::from(urls::Log { game });
    Link::new("All rolls", log.with("kind", "dice"))
}

/// The form of the dice line, where the law lets the reader roll.
pub(crate) fn line(view: &GameView) -> Option<DiceLine> {
    let me = view.me().filter(|_| !view.is_past())?;
    let allowed = view.ask(|asked| asked.may_do("roll", me, vec![]));
    allowed.ok()?;
    let game = view.game().as_str();
    let mut hint = "DICE6 is one die of six, 3DICE8 three of eight.".to_owned();
    let generators = view.law().generators.iter();
    let words: Vec<_> = generators
        .map(|generator| generator.it.word.as_str())
        .collect();
    if !words.is_empty() {
        hint.push_str(" Words that draw: ");
        hint.push_str(&words.join(", "));
        hint.push('.');
    }
    hint.push_str(" Each roll is kept and cannot be taken back.");
    let kind = FieldKind::Line(String::new());
    let field = Field::new("dice-line", "line", "What for, and which dice", kind);
    let back = Href::from(urls::Tracker { game }).at("dl-h");
    Some(DiceLine {
        send: view.send(urls::Roll { game }).with("back", back.as_str()),
        field: field.hint(hint),
    })
}

/// A roll as its log tells it.
pub(crate) fn roll(view: &GameView, event: &Event) -> Roll {
    let line = match &event.act {
        Act::Dice { line } => line.as_str().to_owned(),
        _ => String::new(),
    };
    let said: Vec<_> = event.notes.iter().map(|note| note.text.as_str()).collect();
    let said = said.join("; ");
    let dice = events::dice(event);
    // A drawn word fell by a die of its own, which says less than the word.
    let is_drawn = |what: &str| {
        let mut generators = view.law().generators.iter();
        generators.any(|generator| generator.it.word == what)
    };
    let draws = event.tape.dice.iter().any(|die| is_drawn(&die.what));
    let whole = dice.len() == event.tape.dice.len();
    let (dice, result) = if draws || !whole || dice.len() > DICE {
        (Vec::new(), said.clone())
    } else {
        let sum = dice.iter().filter_map(|die| die.shows).sum::<u64>();
        let result = if dice.len() > 1 {
            sum.to_string()
        } else {
            String::new()
        };
        (dice, result)
    };
    Roll {
        when: view.when(event.at),
        by: view.doer_name(event),
        what: line,
        dice,
        swatch: colour(&said),
        result,
    }
}

/// A colour among words: `COLOUR: #3F7F78`.
fn colour(text: &str) -> Option<Swatch> {
    let hex = text.split('#').nth(1)?.get(..6)?;
    let part = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    Some(Swatch([part(0)?, part(2)?, part(4)?]))
}

/// Values that somebody should look at again: claims that are neither settled nor taken back.
pub(crate) fn second_looks(view: &GameView, events: &[Event]) -> Vec<TodoLine> {
    events
        .iter()
        .filter_map(|event| second_look(view, event))
        .collect()
}

fn second_look(view: &GameView, event: &Event) -> Option<TodoLine> {
    let mut claims = view.public().claims.iter();
    let (_, claim) = claims.find(|(id, _)| id.event() == event.seq)?;
    let (kind, word) = match claim.standing {
        ClaimStanding::Disputed => (StatusKind::Disputed, "Disputed"),
        _ => (StatusKind::Claimed, "Claimed"),
    };
    let what = match view.values_of(event).0.as_slice() {
        [] => word.to_owned(),
        [(whose, value, old, new), more @ ..] => {
            let more = match more.len() {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            format!("{whose}, {value} {old} → {new}{more}")
        }
    };
    let (by, rule) = (view.name(claim.by), view.rule_title(&claim.rule));
    let mut text = format!("{by}: “{}” By {rule}.", claim.reason.as_str().trim());
    let against: Vec<_> = claim.disputed_by.iter().map(|id| view.name(*id)).collect();
    if !against.is_empty() {
        text.push_str(" Disputed by ");
        text.push_str(&against.join(", "));
        text.push('.');
    }
    let (game, number) = (view.game().as_str(), event.seq.to_string());
    let link = urls::Event {
        game,
        event: &number,
    };
    Some(TodoLine {
        status: Some(Status::new(kind, what)),
        text,
        more: Some(Link::new("undo or dispute", link)),
        ..TodoLine::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_is_found_among_words() {
        let teal = Some(Swatch([0x3f, 0x7f, 0x78]));
        assert_eq!(colour("COLOUR: #3F7F78; FRUIT: a pear"), teal);
        assert_eq!(colour("FRUIT: a pear"), None);
        assert_eq!(colour("number #1"), None);
    }
}
