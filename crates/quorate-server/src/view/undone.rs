//! What others undid of the reader's doings: told until they have looked at it.

use std::collections::BTreeSet;

use quorate_kernel::command::Act;
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::{EventSeq, Span};

use crate::ui::urls::Href;
use crate::ui::{Icon, NeedsLine, urls};
use crate::view::game::GameView;

/// For how long it is told.
const TOLD: Span = Span::days(7);

/// How many of the latest events are looked through for who did it.
const LATEST: u64 = 200;

/// The word under which it is noted up to where an event was looked at.
pub(crate) fn of_event(seq: EventSeq) -> String {
    format!("event:{seq}")
}

impl GameView {
    /// Whether an event counts as undone, by the mark that the engine leaves.
    pub(crate) fn is_undone(&self, seq: EventSeq) -> bool {
        let mut marks = self.state().uses.keys();
        marks.any(|mark| mark.who.is_none() && mark.event == seq)
    }

    /// A line for each of the reader's doings that somebody else undid lately, with who it was and why.
    pub(crate) async fn undone_of_me(&self) -> Vec<NeedsLine> {
        let Some(me) = self.me.filter(|_| self.is_member()) else {
            return Vec::new();
        };
        let marks = self.state().uses.iter();
        let lately = marks.filter(|(mark, used)| mark.who.is_none() && self.now - used.at < TOLD);
        let undone: BTreeSet<EventSeq> = lately.map(|(mark, _)| mark.event).collect();
        if undone.is_empty() {
            return Vec::new();
        }
        let last = self.published.head.seq.0;
        let latest = (last.saturating_sub(LATEST).max(1)..=last).map(EventSeq);
        let seqs: Vec<EventSeq> = latest.chain(undone.iter().copied()).collect();
        let Ok(events) = self.site.events(&self.game, &seqs).await else {
            return Vec::new();
        };
        let mine = |event: &&Event| {
            undone.contains(&event.seq) && event.command().actor.player() == Some(me)
        };
        let mine: BTreeSet<EventSeq> = events.iter().filter(mine).map(|event| event.seq).collect();
        let lines = events.iter().filter_map(|event| {
            let Act::Undo {
                event: seq, reason, ..
            } = &event.act
            else {
                return None;
            };
            let is_news = mine.contains(seq)
                && matches!(event.outcome, Outcome::Done)
                && self.doer(event) != Some(me)
                && self.has_not_seen(*seq, event.seq);
            let what = events
                .iter()
                .find(|event| event.seq == *seq)
                .filter(|_| is_news)?;
            let number = seq.to_string();
            let to = urls::Event {
                game: self.game.as_str(),
                event: &number,
            };
            Some(NeedsLine {
                icon: Icon::Disputed,
                title: self.event_about(what),
                href: Href::from(to),
                after: String::new(),
                note: format!(
                    "{} undid this: {}",
                    self.doer_name(event),
                    reason.as_str().trim()
                ),
                due: None,
            })
        });
        lines.collect()
    }
}
