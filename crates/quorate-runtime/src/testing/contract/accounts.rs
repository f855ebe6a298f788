//! The contract of [`Accounts`].

use std::collections::{BTreeMap, BTreeSet};

use quorate_kernel::digest::Digest;
use quorate_kernel::ids::{EventSeq, Id, PlayerId};
use quorate_kernel::{GameId, Moment};

use crate::ports::{
    Account, AccountError, AccountId, Accounts, Invitation, NewAccount, Recovery, Seat, Session,
    ShownUpTo, Token, TokenScope,
};

/// Runs the whole contract on an empty store.
pub async fn accounts<S: Accounts>(store: &S) {
    names_and_addresses_are_unique_whatever_their_case(store).await;
    a_session_counts_until_it_ends(store).await;
    a_token_counts_until_it_is_revoked(store).await;
    an_invitation_counts_until_it_ends(store).await;
    a_link_for_a_new_password_works_once(store).await;
    an_account_plays_one_player_in_a_game(store).await;
    a_conversation_stays_read_as_far_as_it_was(store).await;
    an_account_is_erased_with_all_that_is_its_own(store).await;
    what_was_asked_before_is_told_as_it_is_now(store).await;
}

const EARLY: Moment = Moment(100);
const LATE: Moment = Moment(200);

fn digest(of: &str) -> Digest {
    Digest::of(of.as_bytes())
}

fn player(n: u16) -> PlayerId {
    PlayerId(Id::new(EventSeq(1), n))
}

fn game(word: &str) -> GameId {
    word.parse().expect("tests name their games well")
}

fn newcomer(name: &str) -> NewAccount {
    NewAccount {
        name: name.to_owned(),
        mail: Some(format!("{name}@example.org")),
        password: Some("$argon2id$…".to_owned()),
        operator: false,
        made_at: EARLY,
    }
}

async fn made<S: Accounts>(store: &S, name: &str) -> AccountId {
    store.make(&newcomer(name)).await.unwrap()
}

async fn names_and_addresses_are_unique_whatever_their_case<S: Accounts>(store: &S) {
    let id = made(store, "Anna").await;
    let anna = store.account(id).await.unwrap().unwrap();
    let expected = Account {
        id,
        name: "Anna".to_owned(),
        mail: Some("Anna@example.org".to_owned()),
        password: Some("$argon2id$…".to_owned()),
        operator: false,
        made_at: EARLY,
    };
    assert_eq!(anna, expected);
    assert_eq!(store.account_by_name("aNNA").await, Ok(Some(anna.clone())));
    let by_mail = store.account_by_mail("anna@EXAMPLE.org").await;
    assert_eq!(by_mail, Ok(Some(anna.clone())));
    let same_name = NewAccount {
        mail: None,
        ..newcomer("ANNA")
    };
    let taken = store.make(&same_name).await;
    assert_eq!(taken, Err(AccountError::NameTaken));
    let mut same_mail = newcomer("Berta");
    same_mail.mail = Some("ANNA@example.org".to_owned());
    assert_eq!(store.make(&same_mail).await, Err(AccountError::MailTaken));
    let berta = made(store, "Berta").await;
    let changed = Account {
        name: "Hanna".to_owned(),
        mail: None,
        operator: true,
        ..anna.clone()
    };
    store.change(&changed).await.unwrap();
    assert_eq!(store.account(id).await, Ok(Some(changed.clone())));
    let clash = Account {
        name: "berta".to_owned(),
        ..changed.clone()
    };
    assert_eq!(store.change(&clash).await, Err(AccountError::NameTaken));
    let ids: Vec<_> = store
        .accounts()
        .await
        .unwrap()
        .iter()
        .map(|a| a.id)
        .collect();
    assert_eq!(ids, [id, berta]);
    let nobody = Account {
        id: AccountId(9_999),
        name: "Nobody".to_owned(),
        ..changed
    };
    assert_eq!(store.change(&nobody).await, Err(AccountError::NoAccount));
}

async fn a_session_counts_until_it_ends<S: Accounts>(store: &S) {
    let account = made(store, "Clara").await;
    let session = |word: &str| Session {
        digest: digest(word),
        account,
        began_at: EARLY,
        ends_at: LATE,
    };
    for word in ["one", "two", "three"] {
        store.begin_session(&session(word)).await.unwrap();
    }
    let now = Moment(199);
    let whose = async |word: &str, now| {
        let found = store.account_of_session(digest(word), now).await;
        found.unwrap().map(|account| account.id)
    };
    assert_eq!(whose("one", now).await, Some(account));
    assert_eq!(whose("one", LATE).await, None);
    assert_eq!(whose("four", now).await, None);
    let of = |sessions: Vec<Session>| sessions.into_iter().map(|one| one.digest);
    let theirs: BTreeSet<_> = of(store.sessions_of(account, now).await.unwrap()).collect();
    assert_eq!(theirs, ["one", "two", "three"].map(digest).into());
    assert_eq!(store.sessions_of(account, LATE).await, Ok(Vec::new()));
    store.end_session(digest("one")).await.unwrap();
    assert_eq!(whose("one", now).await, None);
    assert_eq!(whose("two", now).await, Some(account));
    let stray = Session {
        account: AccountId(9_999),
        ..session("stray")
    };
    let refused = store.begin_session(&stray).await;
    assert_eq!(refused, Err(AccountError::NoAccount));
}

async fn a_token_counts_until_it_is_revoked<S: Accounts>(store: &S) {
    let account = made(store, "Dora").await;
    let token = |word: &str, ends_at: Option<Moment>| Token {
        digest: digest(word),
        account,
        label: word.to_owned(),
        scopes: TokenScope::ALL.into_iter().skip(1).collect(),
        game: ends_at.map(|_| "the-reef".parse().unwrap()),
        made_at: EARLY,
        ends_at,
    };
    let (lasting, ending) = (token("lasting", None), token("ending", Some(LATE)));
    store.make_token(&lasting).await.unwrap();
    store.make_token(&ending).await.unwrap();
    let far = Moment(i64::MAX);
    assert_eq!(
        store.token(lasting.digest, far).await,
        Ok(Some(lasting.clone()))
    );
    assert_eq!(store.token(ending.digest, far).await, Ok(None));
    let all = store.tokens_of(account).await;
    assert_eq!(all, Ok(vec![lasting.clone(), ending]));
    store.revoke_token(lasting.digest).await.unwrap();
    assert_eq!(store.token(lasting.digest, EARLY).await, Ok(None));
}

async fn an_invitation_counts_until_it_ends<S: Accounts>(store: &S) {
    let made_by = Some(made(store, "Emma").await);
    let invitation = Invitation {
        digest: digest("come"),
        made_by,
        game: Some(game("lighthouse")),
        uses_left: 2,
        ends_at: LATE,
    };
    store.invite(&invitation).await.unwrap();
    let (word, now) = (invitation.digest, Moment(150));
    assert_eq!(store.invitation(word, now).await, Ok(Some(invitation)));
    assert_eq!(store.invitation(word, LATE).await, Ok(None));
}

async fn a_link_for_a_new_password_works_once<S: Accounts>(store: &S) {
    let account = made(store, "Frieda").await;
    let recovery = |word: &str| Recovery {
        digest: digest(word),
        account,
        ends_at: LATE,
    };
    for word in ["first", "second"] {
        store.make_recovery(&recovery(word)).await.unwrap();
    }
    let now = Moment(150);
    assert_eq!(store.use_recovery(digest("first"), LATE).await, Ok(None));
    assert_eq!(store.recovery(digest("first"), LATE).await, Ok(None));
    let whose = store.recovery(digest("first"), now).await;
    assert_eq!(whose, Ok(Some(account)), "to look is not to use");
    let used = store.use_recovery(digest("first"), now).await;
    assert_eq!(used, Ok(Some(account)));
    assert_eq!(store.use_recovery(digest("first"), now).await, Ok(None));
    let other = store.use_recovery(digest("second"), now).await;
    assert_eq!(other, Ok(None), "all links went with the first");
}

async fn an_account_plays_one_player_in_a_game<S: Accounts>(store: &S) {
    let greta = made(store, "Greta").await;
    let hilde = made(store, "Hilde").await;
    let seat = |account, word: &str, n| Seat {
        game: game(word),
        player: player(n),
        account,
    };
    store.take_seat(&seat(greta, "reef", 1)).await.unwrap();
    store.take_seat(&seat(greta, "moor", 1)).await.unwrap();
    store.take_seat(&seat(hilde, "reef", 2)).await.unwrap();
    let same_player = store.take_seat(&seat(hilde, "moor", 1)).await;
    assert_eq!(same_player, Err(AccountError::SeatTaken));
    let second_player = store.take_seat(&seat(greta, "reef", 3)).await;
    assert_eq!(second_player, Err(AccountError::SeatTaken));
    assert_eq!(store.seat(greta, &game("reef")).await, Ok(Some(player(1))));
    assert_eq!(store.seat(hilde, &game("moor")).await, Ok(None));
    let all = store.seats_of(greta).await;
    assert_eq!(
        all,
        Ok(vec![seat(greta, "moor", 1), seat(greta, "reef", 1)])
    );
    let all = store.seats_in(&game("reef")).await;
    assert_eq!(
        all,
        Ok(vec![seat(greta, "reef", 1), seat(hilde, "reef", 2)])
    );
    store.leave_seat(&game("reef"), player(1)).await.unwrap();
    assert_eq!(store.seat(greta, &game("reef")).await, Ok(None));
    store.take_seat(&seat(greta, "reef", 3)).await.unwrap();
}

async fn a_conversation_stays_read_as_far_as_it_was<S: Accounts>(store: &S) {
    let account = made(store, "Jonna").await;
    let reef = game("reef");
    let read = async |circle: &str, up_to| {
        let noted = store.note_messages_read(account, &reef, circle, EventSeq(up_to));
        assert_eq!(noted.await, Ok(()));
    };
    assert_eq!(
        store.messages_read(account, &reef).await,
        Ok(ShownUpTo::default())
    );
    read("2", 7).await;
    read("2~3", 9).await;
    read("2", 4).await;
    let both = BTreeMap::from([
        ("2".to_owned(), EventSeq(7)),
        ("2~3".to_owned(), EventSeq(9)),
    ]);
    assert_eq!(store.messages_read(account, &reef).await, Ok(both.into()));
    let elsewhere = store.messages_read(account, &game("moor")).await;
    assert_eq!(elsewhere, Ok(ShownUpTo::default()));
}

async fn an_account_is_erased_with_all_that_is_its_own<S: Accounts>(store: &S) {
    let account = made(store, "Ida").await;
    let session = Session {
        digest: digest("ida"),
        account,
        began_at: EARLY,
        ends_at: LATE,
    };
    store.begin_session(&session).await.unwrap();
    let seat = Seat {
        game: game("ida"),
        player: player(1),
        account,
    };
    store.take_seat(&seat).await.unwrap();
    let read = store.note_messages_read(account, &seat.game, "2", EventSeq(7));
    read.await.unwrap();
    let invitation = Invitation {
        digest: digest("by ida"),
        made_by: Some(account),
        game: None,
        uses_left: 1,
        ends_at: LATE,
    };
    store.invite(&invitation).await.unwrap();
    store.erase(account).await.unwrap();
    assert_eq!(store.account(account).await, Ok(None));
    assert_eq!(store.account_by_name("Ida").await, Ok(None));
    let read = store.messages_read(account, &seat.game).await;
    assert_eq!(read, Ok(ShownUpTo::default()));
    let session = store.account_of_session(session.digest, EARLY).await;
    assert_eq!(session, Ok(None));
    assert_eq!(store.seats_in(&game("ida")).await, Ok(vec![]));
    assert_eq!(store.invitation(invitation.digest, EARLY).await, Ok(None));
    assert_eq!(store.erase(account).await, Err(AccountError::NoAccount));
    let next = made(store, "Ida").await;
    assert_ne!(next, account, "a number is not given out again");
    store.sweep(LATE).await.unwrap();
    assert!(store.account(next).await.unwrap().is_some());
}

/// A store may remember what it told: only until somebody writes.
async fn what_was_asked_before_is_told_as_it_is_now<S: Accounts>(store: &S) {
    let account = made(store, "Runa").await;
    let (session, fjord) = (digest("runa"), game("fjord"));
    let name = async |now| {
        let told = store.account_of_session(session, now).await.unwrap();
        told.map(|account| account.name)
    };
    let seated = async || store.seat(account, &fjord).await.unwrap();
    let begun = Session {
        digest: session,
        account,
        began_at: EARLY,
        ends_at: LATE,
    };
    for _ in 0..2 {
        assert_eq!(name(EARLY).await, None);
        assert_eq!(seated().await, None);
    }
    store.begin_session(&begun).await.unwrap();
    let seat = Seat {
        game: fjord.clone(),
        player: player(5),
        account,
    };
    store.take_seat(&seat).await.unwrap();
    for _ in 0..2 {
        assert_eq!(name(EARLY).await.as_deref(), Some("Runa"));
        assert_eq!(name(LATE).await, None, "it has ended by then");
        assert_eq!(seated().await, Some(player(5)));
    }
    let mut changed = store.account(account).await.unwrap().unwrap();
    "Rune".clone_into(&mut changed.name);
    store.change(&changed).await.unwrap();
    store.leave_seat(&fjord, player(5)).await.unwrap();
    for _ in 0..2 {
        assert_eq!(name(EARLY).await.as_deref(), Some("Rune"));
        assert_eq!(seated().await, None);
    }
    store.end_session(session).await.unwrap();
    assert_eq!(name(EARLY).await, None);
}
