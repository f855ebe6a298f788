//! How long what people write may be.

use quorate_kernel::command::Act;
use quorate_kernel::{Refusal, Topic};
use quorate_law::stop::Answer;

/// The largest text that a person may post, in bytes.
const TEXT_MAX: usize = 256 * 1024;

/// And of a title, and of a line with dice.
const LINE_MAX: usize = 1_000;

/// Refuses an act with a text that is too long.
pub(crate) fn of_act(act: &Act) -> Answer<()> {
    match act {
        Act::EditPost {
            title,
            body,
            flavour,
            ..
        } => of_post(title.as_str(), body.as_str(), flavour.as_str()),
        Act::Apply { text, .. } | Act::Leave { text } | Act::Message { text, .. } => {
            of_text(text.as_str(), "text")
        }
        Act::Claim { reason, .. } | Act::Dispute { reason, .. } | Act::Undo { reason, .. } => {
            of_text(reason.as_str(), "reason")
        }
        Act::Dice { line } => {
            let what = "a line of at most 1,000 bytes";
            fits_in(line.as_str(), LINE_MAX, "line", what)
        }
        _ => Ok(()),
    }
}

/// Refuses a post with a text that is too long.
pub(crate) fn of_post(title: &str, body: &str, flavour: &str) -> Answer<()> {
    fits_in(title, LINE_MAX, "title", "a title of at most 1,000 bytes")?;
    of_text(body, "body")?;
    fits_in(
        flavour,
        TEXT_MAX,
        "flavour",
        "a flavour text of at most 256 KiB",
    )
}

/// Refuses a comment that is too long.
pub(crate) fn of_comment(text: &str) -> Answer<()> {
    fits_in(text, TEXT_MAX, "text", "a comment of at most 256 KiB")
}

fn of_text(text: &str, name: &str) -> Answer<()> {
    fits_in(text, TEXT_MAX, name, "a text of at most 256 KiB")
}

fn fits_in(text: &str, bytes_max: usize, name: &str, what: &str) -> Answer<()> {
    if text.len() <= bytes_max {
        return Ok(());
    }
    let refusal = Refusal::plain(what).about(Topic::Argument(name.into()));
    Err(refusal.having(format!("{} bytes", text.len())).into())
}

#[cfg(test)]
mod tests {
    use quorate_kernel::PostId;
    use quorate_kernel::command::{Act, Actor, typed};

    use super::{LINE_MAX, TEXT_MAX};
    use crate::tiny_game::{TinyGame, game, new_post};

    /// What is said to Anna's act where something in it is too long; nothing where it is not.
    fn said(game: &mut TinyGame, act: Act) -> Option<String> {
        let by = Actor::Player(game.anna);
        let refused = game.send(by, act).err()?;
        refused
            .what()
            .contains("at most")
            .then(|| refused.what().to_owned())
    }

    fn edit(post: PostId, title: &str, body: &str) -> Act {
        Act::EditPost {
            post,
            title: typed(title),
            body: typed(body),
            flavour: typed(""),
            patch: None,
        }
    }

    #[test]
    fn no_text_is_longer_than_it_may_be_however_it_comes() {
        let mut game = game("category(\"Letter\")");
        let post = game
            .post(new_post("Letter", "Dear all"))
            .expect("anybody may");
        let (line, text) = ("x".repeat(LINE_MAX + 1), "x".repeat(TEXT_MAX + 1));
        let anna = game.anna;
        let (title_said, text_said) = (
            "a title of at most 1,000 bytes",
            "a text of at most 256 KiB",
        );
        for (act, wanted) in [
            (edit(post, &line, "So be it."), title_said),
            (edit(post, "Dear all", &text), text_said),
            (
                Act::Message {
                    to: vec![anna],
                    text: typed(&text),
                },
                text_said,
            ),
            (Act::Leave { text: typed(&text) }, text_said),
            (
                Act::Dice {
                    line: typed(&format!("DICE6 {line}")),
                },
                "a line of at most 1,000 bytes",
            ),
        ] {
            let name = act.name();
            assert_eq!(said(&mut game, act).as_deref(), Some(wanted), "{name}");
        }
        assert_eq!(said(&mut game, edit(post, &line[1..], "So be it.")), None);
    }

    #[test]
    fn a_line_throws_a_hundred_dice_and_no_more() {
        let mut game = game("category(\"Letter\")");
        let line = |count: usize| Act::Dice {
            line: typed(&"9DICE6 ".repeat(count)),
        };
        assert_eq!(said(&mut game, line(11)), None);
        let refused = said(&mut game, line(12));
        assert_eq!(refused.as_deref(), Some("at most 100 dice in one line"));
    }
}
