//! One message, before anybody's way of writing it.

use serde::{Deserialize, Serialize};

/// A notice in words, as its reader may see them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NoticeText {
    /// What happened, in a line: "Your vote is wanted: More rope".
    pub heading: String,
    /// What there is to know of it, in paragraphs of plain text; empty where the heading says it all.
    pub body: String,
    /// Why the reader gets it, with the clause: "You play in The Reef, and Votes, clause 2, asks every player."
    pub reason: String,
    /// The clause that it rests on, with its address, where there is one.
    pub clause: Option<(String, String)>,
    /// Where the reader does something about it, or reads on. A whole address.
    pub link: String,
    /// What stands on the button that leads there.
    pub to_do: String,
    /// What mail of one conversation has in common, such as a post.
    pub thread: String,
    /// What an answer by mail does: "to comment on it"; empty where nothing can be answered.
    pub answered: String,
    /// The address of its own for an answer by mail, where the way and the server take one.
    pub answer_to: Option<String>,
}

/// One message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dispatch {
    /// By which its receiver knows it when it comes twice.
    pub key: String,
    /// The game's title, or the site's for several games.
    pub from: String,
    /// What it tells, oldest first; never none.
    pub notices: Vec<NoticeText>,
    /// Where one click turns such messages off, without signing in. Rooms have none.
    pub off: Option<String>,
    /// Where its reader chooses what to hear.
    pub choices: String,
}

impl Dispatch {
    /// What it is about, in a line.
    pub fn subject(&self) -> String {
        match self.notices.as_slice() {
            [one] => format!("[{}] {}", self.from, one.heading),
            all => format!("[{}] {} notices", self.from, all.len()),
        }
    }
}

/// What stands on what turns such messages off.
pub const OFF: &str = "No more of this";

/// A text cut to so many signs.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}
