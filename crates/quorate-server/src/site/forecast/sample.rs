//! Samples of the pages beside this file.

#![expect(
    clippy::too_many_lines,
    reason = "a sample is one literal that fills every field of a page"
)]

use crate::site::forecast::page::EffectsPage;
use crate::ui::sample::pieces::changes;
use crate::ui::sample::world::{GAME, chrome};
use crate::ui::sample::{Sample, Samples};
use crate::ui::{Effect, EffectGroup, Link, urls};

impl Samples for EffectsPage {
    fn samples() -> Vec<Sample<Self>> {
        let group = |id: &str, title: &str, note: &str, lines| EffectGroup {
            id: id.into(),
            title: title.into(),
            note: note.into(),
            lines,
            later: None,
        };
        let mut tests = group(
            "tests",
            "Tests of the rules",
            "Those of the proposal itself, and those that name the rules it touches.",
            Vec::new(),
        );
        tests.later = Some(
            urls::Proof {
                game: GAME,
                post: "92-0",
            }
            .into(),
        );
        let post = urls::Post {
            game: GAME,
            post: "92-0",
        };
        let page = EffectsPage {
            chrome: chrome("What it would do", "Blog"),
            post: Link::new("Ferries at ebb", post),
            note: "Each part is tried on a copy of the game at 16:40 UTC; nothing of it stays."
                .into(),
            groups: vec![
                group(
                    "alone",
                    "If it were enacted now",
                    "",
                    vec![
                        Effect::new("Ilse Oil:", "12 → 6"),
                        Effect::new("New value:", "casts_off_at (of landing)"),
                        Effect::new("Code of The ferry wouldn’t run:", "")
                            .found("error: there is no `eb`\n --> ferry:6:11\n6 | pay(actor, eb())")
                            .alarm(),
                    ],
                ),
                group(
                    "change",
                    "Whether rules can still be changed afterwards",
                    "One more proposal is written, voted for by everybody and enacted, as a trial on the same copy.",
                    vec![
                        Effect::new(
                            "No rule could be changed any more:",
                            "no proposal could be made: nobody may post.",
                        )
                        .alarm(),
                    ],
                ),
                group(
                    "queue",
                    "In the queue",
                    "The same after everything ahead of it, and what it would do to what is pending.",
                    vec![
                        Effect::new(
                            "What is behind it could no longer be done:",
                            "the rule is gone",
                        )
                        .alarm()
                        .to(Link::new("Toll at the Spire", post)),
                    ],
                ),
                tests,
            ],
            changes: changes(),
        };
        vec![Sample {
            name: "of a proposal",
            page,
        }]
    }
}
