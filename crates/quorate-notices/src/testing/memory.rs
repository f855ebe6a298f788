//! An outbox in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use quorate_kernel::{GameId, Moment};
use quorate_runtime::ports::{AccountId, Accounts, StoreError};

use crate::choice::{Hours, NoticeChoices};
use crate::kind::{NoticeKind, Pace};
use crate::outbox::{
    Channel, ChannelAudience, ChannelId, FAILURES_MAX, FollowPoint, Followed, Interest, LetterId,
    LetterStanding, NewChannel, NewLetter, Outbox, OutboxLetter, ReadyMost, Recipient, Settled,
    messages,
};

/// An outbox that is gone with its process. Who plays where, it asks the accounts.
pub struct MemoryOutbox {
    accounts: Arc<dyn Accounts>,
    kept: Mutex<MemoryKept>,
}

#[derive(Default)]
struct MemoryKept {
    points: BTreeMap<GameId, FollowPoint>,
    letters: BTreeMap<LetterId, OutboxLetter>,
    channels: BTreeMap<ChannelId, Channel>,
    choices: BTreeMap<AccountId, NoticeChoices>,
    interests: BTreeMap<(AccountId, GameId), BTreeMap<Followed, Interest>>,
    last_id: u64,
    push_key: Option<Vec<u8>>,
}

impl MemoryKept {
    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    fn add(&mut self, game: &GameId, letter: &NewLetter) {
        let is_there = self.letters.values().any(|known| {
            known.channel == letter.channel
                && known.game == *game
                && known.seq == letter.seq
                && known.kind == letter.kind
                && known.topic == letter.topic
        });
        if is_there {
            return;
        }
        let id = LetterId(self.next_id());
        let letter = OutboxLetter {
            id,
            channel: letter.channel,
            bundle: letter.bundle.clone(),
            game: game.clone(),
            seq: letter.seq,
            kind: letter.kind,
            topic: letter.topic.clone(),
            at: letter.at,
            due_at: letter.due_at,
            tries: 0,
            standing: LetterStanding::Waiting,
            error: String::new(),
            done_at: None,
        };
        self.letters.insert(id, letter);
    }

    /// When a letter can leave; none where it cannot.
    fn leaves_at(&self, letter: &OutboxLetter) -> Option<Moment> {
        let channel = self.channels.get(&letter.channel)?;
        let can_leave = letter.standing == LetterStanding::Waiting && channel.is_open();
        let held_until = channel.held_until.unwrap_or(letter.due_at);
        can_leave.then_some(letter.due_at.max(held_until))
    }
}

impl MemoryOutbox {
    /// An empty one beside these accounts.
    pub fn new(accounts: Arc<dyn Accounts>) -> Self {
        Self {
            accounts,
            kept: Mutex::default(),
        }
    }

    fn kept(&self) -> MutexGuard<'_, MemoryKept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Outbox for MemoryOutbox {
    async fn follow_point(&self, game: &GameId) -> Result<FollowPoint, StoreError> {
        Ok(self.kept().points.get(game).cloned().unwrap_or_default())
    }

    async fn take_in(
        &self,
        game: &GameId,
        from: quorate_kernel::EventSeq,
        to: &FollowPoint,
        letters: &[NewLetter],
    ) -> Result<bool, StoreError> {
        let mut kept = self.kept();
        let now = kept
            .points
            .get(game)
            .map_or_else(Default::default, |it| it.seq);
        if now != from {
            return Ok(false);
        }
        kept.points.insert(game.clone(), to.clone());
        for letter in letters {
            kept.add(game, letter);
        }
        Ok(true)
    }

    async fn looks_due(&self, now: Moment) -> Result<Vec<GameId>, StoreError> {
        let kept = self.kept();
        let due = kept
            .points
            .iter()
            .filter(|(_, point)| point.look_at.is_some_and(|at| at <= now));
        Ok(due.map(|(game, _)| game.clone()).collect())
    }

    async fn next_moment(&self) -> Result<Option<Moment>, StoreError> {
        let kept = self.kept();
        let letters = kept.letters.values();
        let letters = letters.filter_map(|letter| kept.leaves_at(letter));
        let looks = kept.points.values().filter_map(|point| point.look_at);
        Ok(letters.chain(looks).min())
    }

    async fn ready(
        &self,
        now: Moment,
        busy: &[ChannelId],
        most: ReadyMost,
    ) -> Result<Vec<(Channel, Vec<OutboxLetter>)>, StoreError> {
        let kept = self.kept();
        let due = kept.letters.values().filter(|letter| {
            kept.leaves_at(letter).is_some_and(|at| at <= now) && !busy.contains(&letter.channel)
        });
        let channels = kept.channels.values().cloned().collect();
        Ok(messages(due.cloned().collect(), channels, most))
    }

    async fn settle(
        &self,
        channel: ChannelId,
        letters: &[LetterId],
        how: &Settled,
        now: Moment,
    ) -> Result<(), StoreError> {
        let mut kept = self.kept();
        for id in letters {
            let Some(letter) = kept.letters.get_mut(id) else {
                continue;
            };
            letter.tries += u32::from(how.is_tried());
            letter.bundle.push_str(&how.bundle_end());
            let (standing, error) = match how {
                Settled::Sent => (LetterStanding::Sent, String::new()),
                Settled::Moot => (LetterStanding::Moot, String::new()),
                Settled::Dead(why) => (LetterStanding::Dead, why.clone()),
                Settled::Later(at, why) | Settled::PutOff(at, why) => {
                    letter.due_at = *at;
                    (LetterStanding::Waiting, why.clone())
                }
            };
            (letter.standing, letter.error) = (standing, error);
            letter.done_at = (standing != LetterStanding::Waiting).then_some(now);
        }
        if let Some(channel) = kept.channels.get_mut(&channel) {
            match how {
                Settled::Sent => (channel.failures, channel.held_until) = (0, None),
                Settled::Moot | Settled::PutOff(..) => {}
                Settled::Later(_, why) | Settled::Dead(why) => {
                    channel.held_until = how.tried_again();
                    channel.failures += 1;
                    if channel.failures >= FAILURES_MAX {
                        channel.paused.get_or_insert_with(|| why.clone());
                    }
                }
            }
        }
        Ok(())
    }

    async fn letters_of(
        &self,
        channel: ChannelId,
        most: u32,
    ) -> Result<Vec<OutboxLetter>, StoreError> {
        let kept = self.kept();
        let letters = kept
            .letters
            .values()
            .rev()
            .filter(|letter| letter.channel == channel);
        Ok(letters.take(most as usize).cloned().collect())
    }

    async fn letter(&self, id: LetterId) -> Result<Option<OutboxLetter>, StoreError> {
        Ok(self.kept().letters.get(&id).cloned())
    }

    async fn send_again(&self, id: LetterId, now: Moment) -> Result<(), StoreError> {
        let mut kept = self.kept();
        let Some((channel, bundle)) = kept
            .letters
            .get(&id)
            .map(|it| (it.channel, it.bundle.clone()))
        else {
            return Ok(());
        };
        let same =
            |letter: &&mut OutboxLetter| letter.channel == channel && letter.bundle == bundle;
        for letter in kept.letters.values_mut().filter(same) {
            letter.standing = LetterStanding::Waiting;
            (letter.tries, letter.due_at, letter.done_at) = (0, now, None);
        }
        if let Some(channel) = kept.channels.get_mut(&channel) {
            channel.held_until = None;
        }
        Ok(())
    }

    async fn make_channel(&self, channel: &NewChannel) -> Result<ChannelId, StoreError> {
        let mut kept = self.kept();
        let id = ChannelId(kept.next_id());
        let channel = Channel {
            id,
            account: channel.account,
            audience: channel.audience.clone(),
            sort: channel.sort,
            address: channel.address.clone(),
            secret: channel.secret.clone(),
            made_at: channel.made_at,
            confirmed_at: channel.confirmed_at,
            paused: None,
            failures: 0,
            held_until: None,
        };
        kept.channels.insert(id, channel);
        Ok(id)
    }

    async fn channel(&self, id: ChannelId) -> Result<Option<Channel>, StoreError> {
        Ok(self.kept().channels.get(&id).cloned())
    }

    async fn channels_of(&self, account: AccountId) -> Result<Vec<Channel>, StoreError> {
        let kept = self.kept();
        let own = kept
            .channels
            .values()
            .filter(|channel| channel.account == account);
        Ok(own.cloned().collect())
    }

    async fn confirm_channel(&self, id: ChannelId, now: Moment) -> Result<(), StoreError> {
        if let Some(channel) = self.kept().channels.get_mut(&id) {
            channel.confirmed_at.get_or_insert(now);
        }
        Ok(())
    }

    async fn pause_channel(&self, id: ChannelId, why: Option<&str>) -> Result<(), StoreError> {
        if let Some(channel) = self.kept().channels.get_mut(&id) {
            channel.paused = why.map(str::to_owned);
            (channel.failures, channel.held_until) = (0, None);
        }
        Ok(())
    }

    async fn drop_channel(&self, id: ChannelId) -> Result<(), StoreError> {
        let mut kept = self.kept();
        kept.channels.remove(&id);
        kept.letters.retain(|_, letter| letter.channel != id);
        Ok(())
    }

    async fn choices_of(&self, account: AccountId) -> Result<NoticeChoices, StoreError> {
        Ok(self
            .kept()
            .choices
            .get(&account)
            .cloned()
            .unwrap_or_default())
    }

    async fn choose(
        &self,
        account: AccountId,
        game: Option<&GameId>,
        kind: NoticeKind,
        pace: Pace,
    ) -> Result<(), StoreError> {
        let mut kept = self.kept();
        let choices = kept.choices.entry(account).or_default();
        choices.paces.insert((game.cloned(), kind), pace);
        Ok(())
    }

    async fn set_hours(&self, account: AccountId, hours: &Hours) -> Result<(), StoreError> {
        self.kept().choices.entry(account).or_default().hours = hours.clone();
        Ok(())
    }

    async fn interests_of(
        &self,
        account: AccountId,
        game: &GameId,
    ) -> Result<BTreeMap<Followed, Interest>, StoreError> {
        let kept = self.kept();
        let found = kept.interests.get(&(account, game.clone()));
        Ok(found.cloned().unwrap_or_default())
    }

    async fn take_interest(
        &self,
        account: AccountId,
        game: &GameId,
        what: &Followed,
        interest: Option<Interest>,
    ) -> Result<(), StoreError> {
        let mut kept = self.kept();
        let all = kept.interests.entry((account, game.clone())).or_default();
        match interest {
            Some(interest) => all.insert(what.clone(), interest),
            None => all.remove(what),
        };
        Ok(())
    }

    async fn recipients(&self, game: &GameId) -> Result<Vec<Recipient>, StoreError> {
        let seats = self.accounts.seats_in(game).await;
        let seats = seats.map_err(|error| StoreError::Failed {
            cause: error.to_string().into(),
        })?;
        let kept = self.kept();
        let mut found: BTreeMap<AccountId, Recipient> = BTreeMap::new();
        for channel in kept.channels.values() {
            let seat = seats.iter().find(|seat| seat.account == channel.account);
            let is_for_game = match &channel.audience {
                ChannelAudience::Own(None, _) => seat.is_some(),
                ChannelAudience::Own(Some(own), _) => own == game && seat.is_some(),
                ChannelAudience::Room(room, _) => room == game,
            };
            if !is_for_game {
                continue;
            }
            let account = channel.account;
            let recipient = found.entry(account).or_insert_with(|| Recipient {
                account,
                player: seat.map(|seat| seat.player),
                channels: Vec::new(),
                choices: kept.choices.get(&account).cloned().unwrap_or_default(),
                interests: kept
                    .interests
                    .get(&(account, game.clone()))
                    .cloned()
                    .unwrap_or_default(),
            });
            recipient.channels.push(channel.clone());
        }
        Ok(found.into_values().collect())
    }

    async fn push_key(&self, fresh: &[u8]) -> Result<Vec<u8>, StoreError> {
        let mut kept = self.kept();
        let key = kept.push_key.get_or_insert_with(|| fresh.to_vec());
        Ok(key.clone())
    }

    async fn sweep_letters(&self, before: Moment) -> Result<(), StoreError> {
        self.kept()
            .letters
            .retain(|_, letter| match letter.done_at {
                Some(at) => at >= before,
                None => letter.due_at >= before,
            });
        Ok(())
    }
}
