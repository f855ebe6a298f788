//! Samples of the pages beside this file.

use crate::site::ruling::page::{RulingPage, RulingRow};
use crate::ui::sample::world::{GAME, chrome, gauge, post, verdict};
use crate::ui::sample::{Sample, Samples};
use crate::ui::{Link, StatusKind, urls};

impl Samples for RulingPage {
    fn samples() -> Vec<Sample<Self>> {
        let row = |what: &str, stands: &str, would_be: &str| RulingRow {
            what: what.into(),
            stands: stands.into(),
            would_be: would_be.into(),
            cause: Some(Link::new(
                "event 4790",
                urls::Event {
                    game: GAME,
                    event: "4790",
                },
            )),
        };
        let page = RulingPage {
            chrome: chrome("Both gamestates", "Blog"),
            matter: Link::new("Was the Spire lamp lit in time?", post("93-0")),
            verdict: verdict(StatusKind::Pending, "Open", gauge(3, 3, 0, 5), "Tied.", "Closes at 6 FOR, or on Sun 21 Sep by the votes cast."),
            summary: "If upheld, Sennen’s lamp of 16 September is struck. 12 later events stand, 2 differ, 1 waits for an answer.".into(),
            rows: vec![row("Sennen, Lamps", "4", "3"), row("The town, Oil", "612", "640")],
            events: vec![row("4802, Juniper trims the Spire lamp", "done", "refused: no lamp there")],
        };
        vec![Sample { name: "open", page }]
    }
}
