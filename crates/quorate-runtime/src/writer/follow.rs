//! Following a game that another node writes to, or nobody: a copy of its state grows with the log.

use std::sync::Arc;

use quorate_kernel::Span;
use quorate_kernel::state::State;

use super::{MAIL_AT_ONCE, Writer};
use crate::error::OperatingError;
use crate::fold::{self, Chain, Fold};
use crate::host::{Purpose, TurnEnd};
use crate::judge::Head;
use crate::mail::WriterMail;
use crate::ports::NodeRow;
use crate::published::{Notice, Published};
use crate::registry::{NodeRole, WriterStanding};

use super::round::WaitingItem;

/// How often a follower looks at the log by itself, for word of it may get lost.
const LOOK_EVERY: Span = Span(3_000);

/// How many events are read at a time.
const EVENTS_AT_ONCE: usize = 256;

/// A game as far as its log was read.
struct FollowedGame {
    state: State,
    head: Head,
    /// To whom commands go.
    owner: Option<Arc<NodeRow>>,
}

/// What the mail of a follower asks for.
#[derive(Default)]
struct WantedOfOwner {
    looks: Vec<tokio::sync::oneshot::Sender<Arc<Published>>>,
    /// Whether the game is to be claimed.
    claim: bool,
    /// Whether what is known is to be thrown away and read again.
    again: bool,
    /// Whether all ends.
    close: bool,
}

impl Writer {
    /// Follows the log until the game is to be claimed or nobody reads along any more.
    pub(super) async fn follow(
        &mut self,
        owner: Option<NodeRow>,
    ) -> Result<TurnEnd, OperatingError> {
        let ports = &self.host.ports;
        let opened = fold::open(&*ports.journal, &*ports.seals, &self.game).await?;
        self.check_edition(&opened.state)?;
        let mut followed = FollowedGame {
            state: opened.state,
            head: opened.row.head,
            owner: owner.map(Arc::new),
        };
        self.publish_followed(&followed);
        loop {
            let wanted = self.hear().await;
            self.catch_up(&mut followed).await?;
            for reply in wanted.looks {
                // Whoever does not wait any more looks again when they want to know.
                drop(reply.send(self.seen(&followed)));
            }
            if wanted.close || (self.is_unread() && self.inbox.is_empty()) {
                self.inbox.close();
                return Ok(TurnEnd::Asleep);
            }
            if wanted.claim {
                self.standing.send_replace(WriterStanding::Waking);
                return Ok(TurnEnd::Again(Purpose::Use));
            }
            if wanted.again {
                return Ok(TurnEnd::Again(Purpose::Read));
            }
        }
    }

    /// Waits for mail, or until it is time to look.
    async fn hear(&mut self) -> WantedOfOwner {
        let clock = Arc::clone(&self.host.ports.clock);
        let until = clock.now() + LOOK_EVERY;
        let mut mail = Vec::new();
        let mut wanted = WantedOfOwner::default();
        tokio::select! {
            biased;
            count = self.inbox.recv_many(&mut mail, MAIL_AT_ONCE) => wanted.close = count == 0,
            () = clock.until(until) => {}
        }
        for one in mail {
            match one {
                WriterMail::Order(order) => {
                    self.waiting.push_back(WaitingItem::Order(order));
                    wanted.claim = true;
                }
                WriterMail::Look(reply) => wanted.looks.push(reply),
                WriterMail::Grown | WriterMail::GiveUp => {}
                WriterMail::Unowned => wanted.claim = true,
                WriterMail::Forgotten => wanted.again = true,
                // Only an owner does that; whoever asked hears that nobody answers, and asks again.
                WriterMail::Forget(_, reply) => {
                    drop(reply);
                    wanted.claim = true;
                }
                WriterMail::Close => wanted.close = true,
            }
        }
        wanted
    }

    /// Takes in what was written since.
    async fn catch_up(&self, followed: &mut FollowedGame) -> Result<(), OperatingError> {
        let ports = &self.host.ports;
        let row = ports.journal.game(&self.game).await?;
        let row = row.ok_or_else(|| OperatingError::NoGame(self.game.clone()))?;
        while followed.head.seq < row.head.seq {
            let from = followed.head.seq.next();
            let opens = ports
                .journal
                .events(&self.game, from, EVENTS_AT_ONCE)
                .await?;
            let read = fold::with_seals(&*ports.seals, &self.game, from, &opens).await?;
            let mut grown = Fold {
                state: followed.state.clone(),
                chain: Chain::after(followed.head),
            };
            let mut notices = Vec::with_capacity(read.len());
            for (open, read) in opens.iter().zip(&read) {
                let event = &read.event;
                let mut chain = grown.chain;
                let taken = chain.follow(open).and_then(|_| grown.take_in(event, chain));
                taken.map_err(|fault| OperatingError::Damaged {
                    game: self.game.clone(),
                    fault,
                })?;
                notices.push(Notice::of(&self.game, event, chain.head().hash));
            }
            if notices.is_empty() {
                return Err(fold::damaged(&self.game, from, crate::fault::Wrong::End));
            }
            followed.state = grown.state;
            followed.head = grown.chain.head();
            self.check_edition(&followed.state)?;
            self.publish_followed(followed);
            self.host.registry.tell(&self.game, notices);
        }
        Ok(())
    }

    fn seen(&self, followed: &FollowedGame) -> Arc<Published> {
        Arc::new(Published {
            game: self.game.clone(),
            state: followed.state.clone(),
            head: followed.head,
        })
    }

    fn publish_followed(&self, followed: &FollowedGame) {
        let role = NodeRole::Follower(followed.owner.clone());
        let standing = WriterStanding::Awake(self.seen(followed), role);
        self.standing.send_replace(standing);
    }

    /// Whether nobody has read for so long that the copy is not worth its memory.
    fn is_unread(&self) -> bool {
        let now = self.host.ports.clock.now();
        let is_old = self.slot.used_at() + self.host.settings.asleep_after <= now;
        is_old && !self.host.registry.is_heard(&self.game)
    }
}
