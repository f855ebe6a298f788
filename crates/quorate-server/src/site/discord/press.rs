//! What a button, a menu or a form stands for, in the id that Discord hands back.

use quorate_kernel::GameId;
use quorate_notices::discord::reply::limits;

/// What somebody meant by pressing, picking or sending something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Press {
    /// See what waits in the game that was picked.
    Needs,
    /// Vote on a post with an icon.
    Vote {
        game: String,
        post: String,
        icon: String,
    },
    /// See the actions of the game that was picked.
    Acts,
    /// Begin the action that was picked.
    Begin { game: String },
    /// Take an action, with what was picked or filled in. The word makes a second arrival harmless.
    Take {
        game: String,
        action: String,
        word: String,
    },
    /// Answer a question with what was picked.
    Answer { game: String, question: String },
    /// Fill in the answer to a question.
    Ask { game: String, question: String },
}

/// Between the parts of an id; no word of a game has it.
const JOINT: char = '|';

impl Press {
    /// The id; none where it is longer than Discord takes.
    pub(super) fn id(&self) -> Option<String> {
        let parts: Vec<&str> = match self {
            Self::Needs => vec!["n"],
            Self::Vote { game, post, icon } => vec!["v", game, post, icon],
            Self::Acts => vec!["a"],
            Self::Begin { game } => vec!["b", game],
            Self::Take { game, action, word } => vec!["t", game, action, word],
            Self::Answer { game, question } => vec!["q", game, question],
            Self::Ask { game, question } => vec!["f", game, question],
        };
        let id = parts.join(&JOINT.to_string());
        (id.len() <= limits::ID).then_some(id)
    }

    /// The game that an id is of, or that was picked.
    pub(super) fn game(id: &str, picked: &[String]) -> Option<GameId> {
        let game = match Self::read(id)? {
            Self::Needs | Self::Acts => picked.first()?.clone(),
            Self::Vote { game, .. }
            | Self::Begin { game }
            | Self::Take { game, .. }
            | Self::Answer { game, .. }
            | Self::Ask { game, .. } => game,
        };
        game.parse().ok()
    }

    /// What an id stands for; none where it is none of ours.
    pub(super) fn read(id: &str) -> Option<Self> {
        let parts: Vec<String> = id.split(JOINT).map(str::to_owned).collect();
        let (first, rest) = parts.split_first()?;
        Some(match (first.as_str(), rest) {
            ("n", []) => Self::Needs,
            ("v", [game, post, icon]) => Self::Vote {
                game: game.clone(),
                post: post.clone(),
                icon: icon.clone(),
            },
            ("a", []) => Self::Acts,
            ("b", [game]) => Self::Begin { game: game.clone() },
            ("t", [game, action, word]) => Self::Take {
                game: game.clone(),
                action: action.clone(),
                word: word.clone(),
            },
            ("q", [game, question]) => Self::Answer {
                game: game.clone(),
                question: question.clone(),
            },
            ("f", [game, question]) => Self::Ask {
                game: game.clone(),
                question: question.clone(),
            },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_and_a_strange_one_does_not() {
        let game = || "the-reef".to_owned();
        let question = || "open:row-out".to_owned();
        let all = [
            Press::Needs,
            Press::Vote {
                game: game(),
                post: "12".to_owned(),
                icon: "for".to_owned(),
            },
            Press::Acts,
            Press::Begin { game: game() },
            Press::Take {
                game: game(),
                action: "row-out".to_owned(),
                word: "0a1b".to_owned(),
            },
            Press::Answer {
                game: game(),
                question: question(),
            },
            Press::Ask {
                game: game(),
                question: question(),
            },
        ];
        for press in all {
            let id = press.id().expect("an id");
            assert_eq!(Press::read(&id), Some(press), "{id}");
        }
        for strange in ["", "v", "v|a|b", "n|a", "z|a|b|c", "t|a|b|c|d"] {
            assert_eq!(Press::read(strange), None, "{strange}");
        }
        let game = "r".repeat(limits::ID);
        assert_eq!(Press::Begin { game }.id(), None, "longer than it may be");
    }
}
