//! Private messages as conversations of the same people, and which of them the reader has read.

use std::collections::{BTreeMap, BTreeSet};

use quorate_kernel::PlayerId;
use quorate_kernel::ids::MessageId;
use quorate_kernel::rows::Message;
use quorate_kernel::state::State;
use quorate_runtime::ports::ShownUpTo;

use crate::view::game::GameView;

/// The people of a conversation, the reader left out. The game itself is nobody of them.
pub type Circle = BTreeSet<PlayerId>;

/// The conversation that a message belongs to.
pub fn circle(message: &Message, me: PlayerId) -> Circle {
    let people = message.to.iter().copied().chain(message.from);
    people.filter(|player| *player != me).collect()
}

/// The word of a circle in addresses.
pub fn word(circle: &Circle) -> String {
    let ids: Vec<String> = circle.iter().map(ToString::to_string).collect();
    if ids.is_empty() {
        "game".to_owned()
    } else {
        ids.join("~")
    }
}

/// The circle of such a word.
pub fn read_circle(word: &str) -> Option<Circle> {
    if word == "game" {
        return Some(Circle::new());
    }
    word.split('~').map(|id| id.parse().ok()).collect()
}

/// How many messages of each conversation somebody has not read.
pub(crate) fn unread(state: &State, me: PlayerId, read: &ShownUpTo) -> BTreeMap<Circle, usize> {
    let mut unread = BTreeMap::new();
    let messages = state.messages.iter();
    for (_, message) in messages.filter(|(id, message)| is_unread(**id, message, me, read)) {
        *unread.entry(circle(message, me)).or_default() += 1;
    }
    unread
}

/// Whether somebody was sent a message and was not shown it.
fn is_unread(id: MessageId, message: &Message, me: PlayerId, read: &ShownUpTo) -> bool {
    message.from != Some(me)
        && message.to.contains(&me)
        && read.by_word().get(&word(&circle(message, me))) < Some(&id.0.event())
}

impl GameView {
    /// How many messages of each conversation the reader has not read; nothing is unread in the past.
    pub fn unread(&self) -> BTreeMap<Circle, usize> {
        match self.me {
            Some(me) if !self.is_past => unread(self.state(), me, &self.read),
            _ => BTreeMap::new(),
        }
    }

    /// Whether the reader has not read a message.
    pub fn has_unread(&self, id: MessageId, message: &Message) -> bool {
        self.me
            .is_some_and(|me| is_unread(id, message, me, &self.read))
    }

    /// Who hears an answer to a message that the reader got; nobody where a rule sent it.
    pub(crate) fn writers(&self, id: MessageId) -> Option<Vec<PlayerId>> {
        let message = self.state().messages.get(&id)?;
        let me = self.me?;
        let is_heard = message.from.is_some() && self.sight().message(message);
        is_heard.then(|| circle(message, me).into_iter().collect())
    }

    /// The names of a conversation's people.
    pub fn circle_names(&self, circle: &Circle) -> String {
        let names: Vec<String> = circle.iter().map(|id| self.name(*id)).collect();
        match names.as_slice() {
            [] => self.title(),
            [one] => one.clone(),
            [before @ .., last] => format!("{} and {last}", before.join(", ")),
        }
    }
}
