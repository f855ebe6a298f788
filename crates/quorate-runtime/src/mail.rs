//! What comes to a game's writer.

use std::sync::{Arc, Weak};

use quorate_kernel::Name;
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::digest::Digest;
use tokio::sync::oneshot;

use crate::error::OperatingError;
use crate::published::{Answer, Published};

/// What comes into a game's mailbox.
pub(crate) enum WriterMail {
    /// A command.
    Order(Order),
    /// Contents to be dropped for good.
    Forget(Vec<Digest>, oneshot::Sender<Result<usize, OperatingError>>),
    /// What the game holds now, other nodes' events included.
    Look(oneshot::Sender<Arc<Published>>),
    /// Another node may have written to the game.
    Grown,
    /// Something is due, and no node owns the game.
    Unowned,
    /// Somebody's words were dropped for good, also from the memory of those who follow; or a game was removed.
    Forgotten,
    /// This node takes no games any more: give this one up.
    GiveUp,
    /// No more mail will be taken after this.
    Close,
}

/// A command and where its answer goes.
pub(crate) struct Order {
    pub(crate) actor: Actor,
    pub(crate) key: Name,
    pub(crate) act: Act,
    pub(crate) sender: CommandSender,
    pub(crate) reply: Reply,
}

/// Whoever sent a command. One who hangs up before it is judged takes it back.
#[derive(Clone)]
pub struct CommandSender(Option<Weak<()>>);

impl CommandSender {
    /// One who stays as long as that is held.
    pub fn holding(held: &Arc<()>) -> Self {
        Self(Some(Arc::downgrade(held)))
    }

    /// One who stays.
    pub fn staying() -> Self {
        Self(None)
    }

    pub(crate) fn hung_up(&self) -> bool {
        let held = self.0.as_ref();
        held.is_some_and(|held| held.strong_count() == 0)
    }
}

pub(crate) type Reply = oneshot::Sender<Result<Answer, OperatingError>>;
