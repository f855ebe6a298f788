//! A board with the moves it allows.

use askama::Template;

use crate::ui::urls::Href;
use crate::ui::{Board, Chrome, Field, Link, Outcome, Send, Table};

/// An action that can be done on the board.
#[derive(Clone, Debug)]
pub struct Tab {
    /// "Step".
    pub title: String,
    /// "1 AP", "Mon".
    pub note: String,
    /// The board with it chosen, or the page that says why not.
    pub href: Href,
    /// Whether the board shows it.
    pub is_current: bool,
    /// Whether it is not possible now.
    pub is_closed: bool,
}

/// The squares of the chosen action as a list.
#[derive(Clone, Debug)]
pub struct Moves {
    /// "Step from E3".
    pub title: String,
    /// "7 squares".
    pub count: String,
    /// "2 AP · 1 Main Action spent since 18:20 yesterday".
    pub about: String,
    /// What the law says of it to this reader, such as the odds.
    pub says: String,
    /// Where it goes.
    pub send: Send,
    /// Whom or what it can be done with, each leading to the board with it chosen.
    pub with: Vec<Tab>,
    /// The parameter that takes the square.
    pub name: String,
    /// What else the action asks for.
    pub fields: Vec<Field>,
    /// "Step to {}, 1 AP"; the braces take the square.
    pub button: String,
    /// What cannot be chosen, and why.
    pub note: String,
}

/// A board.
#[derive(Clone, Debug, Template)]
#[template(path = "site/board/board.html")]
pub struct BoardPage {
    /// Around it.
    pub chrome: Chrome,
    /// Its title.
    pub title: String,
    /// "Turn 12, begun Thu 13 May, 12:00 UTC."
    pub about: String,
    /// The same board at other moments.
    pub ways: Vec<Link>,
    /// Actions on it.
    pub tabs: Vec<Tab>,
    /// The drawing.
    pub board: Board,
    /// The chosen action's squares.
    pub moves: Option<Moves>,
    /// Latest first.
    pub results: Vec<Outcome>,
    /// Those on it, with their values.
    pub table: Option<(String, String, Table)>,
}

impl BoardPage {
    /// How many actions stand folded, because none of them is possible now.
    fn closed(&self) -> usize {
        let tabs = self.tabs.iter();
        tabs.filter(|tab| tab.is_closed && !tab.is_current).count()
    }

    fn button(&self) -> String {
        let Some(moves) = &self.moves else {
            return String::new();
        };
        let chosen = self.board.targets.iter().find(|target| target.is_chosen);
        if let Some(target) = chosen {
            return moves.button.replace("{}", &target.title);
        }
        let bare = moves.button.replace("{}", "");
        bare.trim_end_matches([' ', ':']).to_owned()
    }
}
