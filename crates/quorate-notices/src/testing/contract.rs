//! What every outbox must do.

use quorate_kernel::ids::Id;
use quorate_kernel::{EventSeq, GameId, Moment, PlayerId, PostId, Span};
use quorate_runtime::ports::{AccountId, Accounts, NewAccount, Seat};

use crate::budget::NoticeBudget;
use crate::choice::{Hour, Hours, ReaderZone, WeekDay};
use crate::kind::{NoticeKind, Pace};
use crate::outbox::{
    Channel, ChannelAudience, ChannelId, ChannelSort, FAILURES_MAX, FollowPoint, Followed,
    Interest, LetterId, LetterStanding, NewChannel, NewLetter, Outbox, OutboxLetter, ReadyMost,
    Settled, failed,
};
use crate::topic::NoticeTopic;

const MOST: ReadyMost = ReadyMost {
    of_each: 9,
    in_all: 9,
};

const ONE: ReadyMost = ReadyMost {
    of_each: 1,
    in_all: 9,
};

const NOW: Moment = Moment(1_900_000_000_000);

fn game(word: &str) -> GameId {
    word.parse().unwrap()
}

fn point(seq: u64) -> FollowPoint {
    FollowPoint {
        seq: EventSeq(seq),
        ..FollowPoint::default()
    }
}

async fn person(accounts: &dyn Accounts, name: &str, seat: u64) -> AccountId {
    let account = NewAccount {
        name: name.to_owned(),
        mail: None,
        password: None,
        operator: false,
        made_at: NOW,
    };
    let account = accounts.make(&account).await.unwrap();
    let player = PlayerId(Id::new(EventSeq(seat), 0));
    let seat = Seat {
        game: game("reef"),
        player,
        account,
    };
    accounts.take_seat(&seat).await.unwrap();
    account
}

fn own(account: AccountId) -> NewChannel {
    NewChannel {
        account,
        audience: ChannelAudience::ALL,
        sort: ChannelSort::Mail,
        address: "anna@post.example".to_owned(),
        secret: String::new(),
        made_at: NOW,
        confirmed_at: Some(NOW),
    }
}

fn letter(channel: ChannelId, seq: u64, bundle: &str) -> NewLetter {
    NewLetter {
        channel,
        bundle: bundle.to_owned(),
        seq: EventSeq(seq),
        kind: NoticeKind::VoteWanted,
        topic: NoticeTopic::Post(PostId(Id::new(EventSeq(seq), 0))),
        at: NOW,
        due_at: NOW,
    }
}

/// All of it, on an outbox that is empty, and the accounts beside it.
pub async fn outbox(outbox: &dyn Outbox, accounts: &dyn Accounts) {
    let anna = person(accounts, "Anna", 3).await;
    let bo = person(accounts, "Bo", 4).await;
    follows_by_number(outbox, anna).await;
    settles(outbox, anna).await;
    keeps_channels(outbox, anna).await;
    keeps_choices(outbox, anna).await;
    finds_recipients(outbox, anna, bo).await;
    keeps_the_first_key(outbox).await;
    accounts.erase(anna).await.unwrap();
}

async fn keeps_the_first_key(outbox: &dyn Outbox) {
    for fresh in [b"first", b"other"] {
        assert_eq!(outbox.push_key(fresh).await.unwrap(), b"first");
    }
}

async fn follows_by_number(outbox: &dyn Outbox, anna: AccountId) {
    let reef = game("reef");
    let channel = outbox.make_channel(&own(anna)).await.unwrap();
    assert_eq!(outbox.follow_point(&reef).await.unwrap(), point(0));
    let letters = [letter(channel, 1, "a"), letter(channel, 2, "b")];
    let taken = outbox
        .take_in(&reef, EventSeq(0), &point(2), &letters)
        .await;
    assert!(taken.unwrap());
    // Whoever comes second with the same events changes nothing.
    let late = [letter(channel, 3, "c")];
    let taken = outbox.take_in(&reef, EventSeq(0), &point(3), &late).await;
    assert!(!taken.unwrap());
    assert_eq!(outbox.follow_point(&reef).await.unwrap(), point(2));
    assert_eq!(outbox.letters_of(channel, 9).await.unwrap().len(), 2);
    // The same notice is written once.
    let mut standing = point(4);
    standing
        .standing
        .insert("can-close post:2".to_owned(), EventSeq(4));
    standing.look_at = Some(NOW + Span::hours(1));
    standing.budget = NoticeBudget {
        day: 21_990,
        used: [("rule the-reef".to_owned(), 3)].into(),
    };
    let same = [letter(channel, 2, "d")];
    assert!(
        outbox
            .take_in(&reef, EventSeq(2), &standing, &same)
            .await
            .unwrap()
    );
    assert_eq!(outbox.letters_of(channel, 9).await.unwrap().len(), 2);
    assert_eq!(outbox.follow_point(&reef).await.unwrap(), standing);
    assert!(outbox.looks_due(NOW).await.unwrap().is_empty());
    assert_eq!(
        outbox.looks_due(NOW + Span::hours(1)).await.unwrap(),
        std::slice::from_ref(&reef)
    );
    assert_eq!(outbox.next_moment().await.unwrap(), Some(NOW));
    let calm = point(5);
    assert!(
        outbox
            .take_in(&reef, EventSeq(4), &calm, &[])
            .await
            .unwrap()
    );
    outbox.drop_channel(channel).await.unwrap();
    assert_eq!(outbox.next_moment().await.unwrap(), None);
}

#[allow(
    clippy::too_many_lines,
    reason = "a delivery is told from its beginning to its end"
)]
async fn settles(outbox: &dyn Outbox, anna: AccountId) {
    let tower = game("tower");
    let channel = outbox.make_channel(&own(anna)).await.unwrap();
    let letters = [
        letter(channel, 1, "digest"),
        letter(channel, 2, "digest"),
        letter(channel, 3, "alone"),
    ];
    assert!(
        outbox
            .take_in(&tower, EventSeq(0), &point(3), &letters)
            .await
            .unwrap()
    );
    assert!(
        outbox
            .ready(NOW - Span(1), &[], MOST)
            .await
            .unwrap()
            .is_empty()
    );
    let ready = outbox.ready(NOW, &[], MOST).await.unwrap();
    let sizes: Vec<usize> = ready.iter().map(|(_, letters)| letters.len()).collect();
    assert_eq!(sizes, [2, 1]);
    assert_eq!(
        outbox.ready(NOW, &[], ONE).await.unwrap()[0].1.len(),
        2,
        "a bundle is whole"
    );

    assert!(
        outbox
            .ready(NOW, &[channel], MOST)
            .await
            .unwrap()
            .is_empty()
    );
    let none = ReadyMost { in_all: 0, ..MOST };
    assert!(outbox.ready(NOW, &[], none).await.unwrap().is_empty());

    let ids: Vec<_> = ready[0].1.iter().map(|letter| letter.id).collect();
    tries_again(outbox, channel, &ids).await;
    puts_off(outbox, channel, &ids).await;
    pauses(outbox, channel, &ids).await;
    outbox.drop_channel(channel).await.unwrap();
}

/// What did not leave is tried again under its own name, and what left can be sent once more.
async fn tries_again(outbox: &dyn Outbox, channel: ChannelId, ids: &[LetterId]) {
    let later = failed(0, NOW, "no answer".to_owned(), None);
    assert_eq!(
        later,
        Settled::Later(NOW + Span::seconds(5), "no answer".to_owned())
    );
    outbox.settle(channel, ids, &later, NOW).await.unwrap();
    let then = NOW + Span::seconds(5);
    let at_once = outbox.ready(then - Span(1), &[], MOST).await.unwrap();
    assert!(at_once.is_empty(), "what else waits there waits as long");
    assert_eq!(outbox.next_moment().await.unwrap(), Some(then));
    let again = outbox.ready(then, &[], MOST).await.unwrap();
    assert_eq!(again.len(), 2);
    let again = again
        .iter()
        .find(|(_, letters)| letters.len() == 2)
        .unwrap();
    assert_eq!(
        (again.1[0].tries, again.1[0].error.as_str()),
        (1, "no answer")
    );
    assert_eq!(again.1[0].bundle, "digest", "it keeps its key");
    assert_eq!((again.0.failures, again.0.held_until), (1, Some(then)));
    outbox
        .settle(channel, ids, &Settled::Sent, NOW)
        .await
        .unwrap();
    let sent = outbox.letter(ids[0]).await.unwrap().unwrap();
    assert_eq!(
        (sent.standing, sent.done_at),
        (LetterStanding::Sent, Some(NOW))
    );
    let kept = outbox.channel(channel).await.unwrap().unwrap();
    assert_eq!((kept.failures, kept.held_until), (0, None));

    // Whoever asks for it need not wait until then.
    let alone = outbox.ready(NOW, &[], MOST).await.unwrap()[0].1[0].id;
    outbox.settle(channel, &[alone], &later, NOW).await.unwrap();
    outbox.send_again(alone, NOW).await.unwrap();
    assert_eq!(outbox.ready(NOW, &[], MOST).await.unwrap().len(), 1);

    outbox
        .send_again(ids[0], NOW + Span::hours(1))
        .await
        .unwrap();
    assert_eq!(
        outbox
            .ready(NOW + Span::hours(1), &[], MOST)
            .await
            .unwrap()
            .len(),
        2
    );
    outbox
        .settle(channel, ids, &Settled::Moot, NOW)
        .await
        .unwrap();
}

/// What cannot be put into words now waits alone, under a name that nothing left under.
async fn puts_off(outbox: &dyn Outbox, channel: ChannelId, ids: &[LetterId]) {
    outbox.send_again(ids[0], NOW).await.unwrap();
    let then = NOW + Span::minutes(10);
    let off = Settled::PutOff(then, "the game cannot be read".to_owned());
    let before = outbox.channel(channel).await.unwrap().unwrap();
    outbox.settle(channel, &ids[..1], &off, NOW).await.unwrap();
    let ready = |at| outbox.ready(at, &[], MOST);
    let of_digest = |found: Vec<(Channel, Vec<OutboxLetter>)>| {
        let mut all = found.into_iter();
        all.find(|(_, letters)| letters[0].bundle == "digest")
    };
    let (free, others) = of_digest(ready(NOW).await.unwrap()).expect("the others leave");
    assert_eq!(others.iter().map(|it| it.id).collect::<Vec<_>>(), ids[1..]);
    assert_eq!(free, before, "the channel is not to blame");
    outbox
        .settle(channel, &ids[1..], &Settled::Sent, NOW)
        .await
        .unwrap();
    let alone = ready(then).await.unwrap();
    let alone = alone.iter().find(|(_, letters)| letters[0].id == ids[0]);
    let letter = &alone.expect("it leaves then").1[0];
    assert_eq!((letter.tries, letter.due_at), (0, then));
    assert!(letter.bundle.starts_with("digest."), "{}", letter.bundle);
    outbox
        .settle(channel, ids, &Settled::Moot, NOW)
        .await
        .unwrap();
}

/// A channel that fails again and again is paused until its owner opens it.
async fn pauses(outbox: &dyn Outbox, channel: ChannelId, ids: &[LetterId]) {
    for _ in 0..FAILURES_MAX {
        let dead = Settled::Dead("gone".to_owned());
        outbox.settle(channel, &ids[..1], &dead, NOW).await.unwrap();
    }
    let paused = outbox.channel(channel).await.unwrap().unwrap();
    assert_eq!(paused.paused.as_deref(), Some("gone"));
    assert!(
        outbox.ready(NOW, &[], MOST).await.unwrap().is_empty(),
        "a paused channel waits"
    );
    let later = failed(0, NOW, "gone".to_owned(), None);
    outbox.settle(channel, &[], &later, NOW).await.unwrap();
    outbox.pause_channel(channel, None).await.unwrap();
    assert_eq!(outbox.ready(NOW, &[], MOST).await.unwrap().len(), 1);
    outbox.sweep_letters(NOW + Span(1)).await.unwrap();
    assert!(outbox.letters_of(channel, 9).await.unwrap().is_empty());
}

async fn keeps_channels(outbox: &dyn Outbox, anna: AccountId) {
    let room = NewChannel {
        audience: ChannelAudience::Room(game("reef"), vec![NoticeKind::Posted, NoticeKind::Closed]),
        sort: ChannelSort::Discord,
        secret: "s".to_owned(),
        confirmed_at: None,
        ..own(anna)
    };
    let id = outbox.make_channel(&room).await.unwrap();
    let kept = outbox.channel(id).await.unwrap().unwrap();
    assert_eq!((&kept.audience, kept.sort), (&room.audience, room.sort));
    assert!(!kept.is_open());
    outbox.confirm_channel(id, NOW).await.unwrap();
    assert!(outbox.channel(id).await.unwrap().unwrap().is_open());
    assert_eq!(outbox.channels_of(anna).await.unwrap().len(), 1);
    outbox.drop_channel(id).await.unwrap();
    assert!(outbox.channel(id).await.unwrap().is_none());
    for (game, kinds) in [
        (
            None,
            Some(vec![NoticeKind::VoteWanted, NoticeKind::DueSoon]),
        ),
        (Some(game("reef")), Some(Vec::new())),
        (Some(game("reef")), None),
    ] {
        let some = NewChannel {
            audience: ChannelAudience::Own(game, kinds),
            ..own(anna)
        };
        let id = outbox.make_channel(&some).await.unwrap();
        let kept = outbox.channel(id).await.unwrap().unwrap();
        assert_eq!(kept.audience, some.audience);
        outbox.drop_channel(id).await.unwrap();
    }
}

async fn keeps_choices(outbox: &dyn Outbox, anna: AccountId) {
    let reef = game("reef");
    let kind = NoticeKind::Closed;
    outbox.choose(anna, None, kind, Pace::Weekly).await.unwrap();
    outbox
        .choose(anna, Some(&reef), kind, Pace::Daily)
        .await
        .unwrap();
    outbox
        .choose(anna, Some(&reef), kind, Pace::Off)
        .await
        .unwrap();
    let hours = Hours {
        zone: ReaderZone::named("Asia/Tokyo").unwrap(),
        hour: Hour::new(19).unwrap(),
        day: WeekDay::new(4).unwrap(),
        quiet: Some((Hour::new(22).unwrap(), Hour::new(6).unwrap())),
    };
    outbox.set_hours(anna, &hours).await.unwrap();
    let kept = outbox.choices_of(anna).await.unwrap();
    assert_eq!(kept.hours, hours);
    assert_eq!(kept.pace(&reef, kind), Pace::Off);
    assert_eq!(kept.pace(&game("tower"), kind), Pace::Weekly);
    let rule = Followed::Rule("the-reef".into());
    let follows = Some(Interest::Follows);
    outbox
        .take_interest(anna, &reef, &rule, follows)
        .await
        .unwrap();
    let mutes = Some(Interest::Mutes);
    outbox
        .take_interest(anna, &reef, &rule, mutes)
        .await
        .unwrap();
    let interests = outbox.interests_of(anna, &reef).await.unwrap();
    assert_eq!(interests.get(&rule), Some(&Interest::Mutes));
    outbox
        .take_interest(anna, &reef, &rule, None)
        .await
        .unwrap();
    assert!(outbox.interests_of(anna, &reef).await.unwrap().is_empty());
    outbox
        .take_interest(anna, &reef, &rule, follows)
        .await
        .unwrap();
}

async fn finds_recipients(outbox: &dyn Outbox, anna: AccountId, bo: AccountId) {
    let reef = game("reef");
    let mine = outbox.make_channel(&own(anna)).await.unwrap();
    let elsewhere = NewChannel {
        audience: ChannelAudience::Own(Some(game("tower")), None),
        ..own(bo)
    };
    outbox.make_channel(&elsewhere).await.unwrap();
    let found = outbox.recipients(&reef).await.unwrap();
    let [one] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!((one.account, one.channels[0].id), (anna, mine));
    assert_eq!(one.player, Some(PlayerId(Id::new(EventSeq(3), 0))));
    assert_eq!(one.interests.len(), 1);
    assert_eq!(one.choices.hours.zone.name(), "Asia/Tokyo");
    assert!(
        outbox
            .recipients(&game("nowhere"))
            .await
            .unwrap()
            .is_empty()
    );
}
