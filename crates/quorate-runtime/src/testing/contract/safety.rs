//! What every store of accounts must do to keep them safe.

use quorate_kernel::digest::Digest;
use quorate_kernel::{Moment, Span};

use crate::ports::{
    AccountError, AccountId, Accounts, ENTRIES_KEPT, Invitation, NewAccount, OutsideName,
    OutsideWay, Passkey, Recovery, Safety, SecurityEntry, SecurityEvent, Session, SessionUse,
    Token, TokenScopes,
};

const NOW: Moment = Moment(1_000_000);
const LATER: Moment = Moment(9_000_000);

fn named(name: &str) -> NewAccount {
    NewAccount {
        name: name.to_owned(),
        mail: None,
        password: None,
        operator: false,
        made_at: NOW,
    }
}

/// The contract. The store is empty.
pub async fn safety<S: Accounts + Safety>(store: &S) {
    invitations(store).await;
    ways(store).await;
    from_outside(store).await;
    passkeys(store).await;
    factors(store).await;
    log(store).await;
}

async fn invitations<S: Accounts + Safety>(store: &S) {
    let digest = Digest([7; 32]);
    let none = store.make_invited(&named("Uma"), digest).await;
    assert_eq!(none, Err(AccountError::NoInvitation));
    assert_eq!(store.account_by_name("Uma").await.unwrap(), None);
    let invitation = Invitation {
        digest,
        made_by: None,
        game: None,
        uses_left: 1,
        ends_at: LATER,
    };
    store.invite(&invitation).await.unwrap();
    store.make(&named("Vic")).await.unwrap();
    let taken = store.make_invited(&named("vic"), digest).await;
    assert_eq!(taken, Err(AccountError::NameTaken));
    let left = store.invitation(digest, NOW).await.unwrap();
    assert_eq!(
        left.map(|one| one.uses_left),
        Some(1),
        "a taken name uses nothing up"
    );
    store.make_invited(&named("Uma"), digest).await.unwrap();
    let again = store.make_invited(&named("Wes"), digest).await;
    assert_eq!(again, Err(AccountError::NoInvitation));
}

async fn ways<S: Accounts + Safety>(store: &S) {
    let (id, other) = (
        store.make(&named("Xia")).await.unwrap(),
        store.make(&named("Yan")).await.unwrap(),
    );
    for (account, byte) in [(id, 1), (other, 2)] {
        open(store, account, byte).await;
    }
    let used = SessionUse {
        session: Digest([1; 32]),
        at: Moment(2_000_000),
        place: "Firefox on Linux".to_owned(),
    };
    let longer = LATER + Span::days(1);
    let most = Span::days(99);
    store.use_session(&used, longer, most).await.unwrap();
    assert_eq!(store.session_uses(id).await.unwrap(), vec![used.clone()]);
    let sessions = store.sessions_of(id, LATER).await.unwrap();
    assert_eq!(sessions.len(), 1, "it counts for longer");
    let later = SessionUse {
        at: Moment(3_000_000),
        ..used
    };
    let most = Span(LATER.0 - NOW.0 + 1);
    store.use_session(&later, longer, most).await.unwrap();
    let ends_at = store.sessions_of(id, NOW).await.unwrap()[0].ends_at;
    assert_eq!(ends_at, NOW + most, "there is an end to it");
    assert_eq!(store.session_uses(id).await.unwrap(), vec![later.clone()]);
    let nowhere = SessionUse {
        session: Digest([9; 32]),
        ..later
    };
    store.use_session(&nowhere, longer, most).await.unwrap();

    store.close_ways(id).await.unwrap();
    assert!(store.sessions_of(id, NOW).await.unwrap().is_empty());
    assert!(store.session_uses(id).await.unwrap().is_empty());
    assert!(store.tokens_of(id).await.unwrap().is_empty());
    assert_eq!(
        store.use_recovery(Digest([1; 32]), NOW).await.unwrap(),
        None
    );
    assert_eq!(store.sessions_of(other, NOW).await.unwrap().len(), 1);
    assert_eq!(store.tokens_of(other).await.unwrap().len(), 1);
    assert_eq!(
        store.use_recovery(Digest([2; 32]), NOW).await.unwrap(),
        Some(other)
    );
}

async fn open<S: Accounts + Safety>(store: &S, account: AccountId, byte: u8) {
    let digest = Digest([byte; 32]);
    let session = Session {
        digest,
        account,
        began_at: NOW,
        ends_at: LATER,
    };
    store.begin_session(&session).await.unwrap();
    let token = Token {
        digest,
        account,
        label: "a bot".to_owned(),
        scopes: TokenScopes::all(),
        game: None,
        made_at: NOW,
        ends_at: None,
    };
    store.make_token(&token).await.unwrap();
    let recovery = Recovery {
        digest,
        account,
        ends_at: LATER,
    };
    store.make_recovery(&recovery).await.unwrap();
}

async fn from_outside<S: Accounts + Safety>(store: &S) {
    let way = |issuer: &str, subject: &str| OutsideWay {
        name: OutsideName {
            issuer: issuer.to_owned(),
            subject: subject.to_owned(),
        },
        label: "yara".to_owned(),
        linked_at: NOW,
    };
    let (first, second) = (way("https://a.example", "1"), way("https://b.example", "1"));
    let digest = Digest([21; 32]);
    let none = store
        .make_from_outside(&named("Yara"), Some(digest), &first)
        .await;
    assert_eq!(none, Err(AccountError::NoInvitation));
    let invitation = Invitation {
        digest,
        made_by: None,
        game: None,
        uses_left: 1,
        ends_at: LATER,
    };
    store.invite(&invitation).await.unwrap();
    let id = store.make_from_outside(&named("Yara"), None, &first).await;
    let id = id.unwrap();
    let taken = store
        .make_from_outside(&named("Yannis"), Some(digest), &first)
        .await;
    assert_eq!(taken, Err(AccountError::WayTaken));
    assert_eq!(store.account_by_name("Yannis").await.unwrap(), None);
    let left = store.invitation(digest, NOW).await.unwrap();
    assert!(left.is_some(), "a way that is taken uses nothing up");
    let other = store
        .make_from_outside(&named("Yannis"), Some(digest), &second)
        .await;
    let other = other.unwrap();
    assert_eq!(
        store.link_outside(other, &first).await,
        Err(AccountError::WayTaken)
    );
    for (way, whose) in [(&first, id), (&second, other)] {
        let found = store.account_from_outside(&way.name).await.unwrap();
        assert_eq!(found, Some(whose));
    }
    let nobody = way("https://a.example", "2");
    assert_eq!(store.account_from_outside(&nobody.name).await, Ok(None));
    store.link_outside(id, &nobody).await.unwrap();
    let ways = store.outside_ways(id).await.unwrap();
    assert_eq!(ways, [first.clone(), nobody.clone()]);
    assert_eq!(store.unlink_outside(other, &first.name).await, Ok(false));
    assert_eq!(store.unlink_outside(id, &first.name).await, Ok(true));
    assert_eq!(store.unlink_outside(id, &first.name).await, Ok(false));
    store.close_ways(id).await.unwrap();
    assert_eq!(store.outside_ways(id).await.unwrap(), []);
    store.erase(other).await.unwrap();
    assert_eq!(store.account_from_outside(&second.name).await, Ok(None));
    let gone = store.link_outside(other, &second).await;
    assert_eq!(gone, Err(AccountError::NoAccount));
}

async fn passkeys<S: Accounts + Safety>(store: &S) {
    let id = store.make(&named("Pia")).await.unwrap();
    let other = store.make(&named("Pim")).await.unwrap();
    let passkey = |name: u8, account| Passkey {
        id: vec![name, 0, 255],
        account,
        key: vec![1, 2, 3],
        sign_count: 0,
        label: "Phone".to_owned(),
        made_at: NOW,
        used_at: None,
    };
    let (plain, counting) = (passkey(1, id), passkey(2, id));
    store.add_passkey(&plain).await.unwrap();
    store.add_passkey(&counting).await.unwrap();
    let taken = store.add_passkey(&passkey(1, other)).await;
    assert_eq!(taken, Err(AccountError::WayTaken));
    let own = store.passkeys_of(id).await.unwrap();
    assert_eq!(own, [plain.clone(), counting.clone()]);
    assert_eq!(store.passkey(&plain.id).await.unwrap(), Some(plain.clone()));
    assert_eq!(store.passkey(b"none").await.unwrap(), None);
    // One that never counts may be used again, one that counts must go on.
    for (name, count, wanted) in [
        (&plain.id, 0, true),
        (&plain.id, 0, true),
        (&counting.id, 7, true),
        (&counting.id, 7, false),
        (&counting.id, 0, false),
        (&counting.id, u32::MAX, true),
    ] {
        let used = store.use_passkey(name, count, LATER).await.unwrap();
        assert_eq!(used, wanted, "{count}");
    }
    let used = store.passkey(&counting.id).await.unwrap().unwrap();
    assert_eq!((used.sign_count, used.used_at), (u32::MAX, Some(LATER)));
    assert!(!store.drop_passkey(other, &plain.id).await.unwrap());
    assert!(store.drop_passkey(id, &plain.id).await.unwrap());
    store.close_ways(id).await.unwrap();
    assert_eq!(store.passkeys_of(id).await.unwrap(), []);
    store.add_passkey(&passkey(3, other)).await.unwrap();
    store.erase(other).await.unwrap();
    assert_eq!(store.passkey(&[3, 0, 255]).await.unwrap(), None);
    let gone = store.add_passkey(&passkey(4, other)).await;
    assert_eq!(gone, Err(AccountError::NoAccount));
}

async fn factors<S: Accounts + Safety>(store: &S) {
    let id = store.make(&named("Una")).await.unwrap();
    assert_eq!(store.second_factor(id).await.unwrap(), None);
    let codes = [Digest([31; 32]), Digest([32; 32])];
    store
        .set_second_factor(id, b"first", 5, &codes[..1])
        .await
        .unwrap();
    store
        .set_second_factor(id, b"second", 10, &codes)
        .await
        .unwrap();
    let factor = store.second_factor(id).await.unwrap().unwrap();
    assert_eq!(
        (factor.secret, factor.last_step, factor.code_count),
        (b"second".to_vec(), 10, 2)
    );
    for (step, counts) in [
        (9, false),
        (10, false),
        (12, true),
        (12, false),
        (11, false),
        (13, true),
    ] {
        assert_eq!(store.use_step(id, step).await.unwrap(), counts, "{step}");
    }
    assert!(!store.use_recovery_code(id, Digest([33; 32])).await.unwrap());
    assert!(store.use_recovery_code(id, codes[0]).await.unwrap());
    assert!(
        !store.use_recovery_code(id, codes[0]).await.unwrap(),
        "it counts once"
    );
    store.close_ways(id).await.unwrap();
    let factor = store.second_factor(id).await.unwrap().unwrap();
    assert_eq!(
        (factor.last_step, factor.code_count),
        (13, 1),
        "a new password leaves it"
    );
    store.drop_second_factor(id).await.unwrap();
    assert_eq!(store.second_factor(id).await.unwrap(), None);
    assert!(!store.use_step(id, 99).await.unwrap());
    assert!(!store.use_recovery_code(id, codes[1]).await.unwrap());
    store
        .set_second_factor(id, b"third", 1, &codes)
        .await
        .unwrap();
    store.erase(id).await.unwrap();
    assert_eq!(store.second_factor(id).await.unwrap(), None);
}

async fn log<S: Accounts + Safety>(store: &S) {
    let id = store.make(&named("Zoe")).await.unwrap();
    let entry = |at: i64, event, account| SecurityEntry {
        at: Moment(at),
        event,
        account,
        by: None,
        about: "x".to_owned(),
        place: "here".to_owned(),
    };
    let mut written = Vec::new();
    for (at, event) in (0..).zip(SecurityEvent::ALL) {
        let one = entry(at, event, Some(id).filter(|_| at % 2 == 0));
        store.note(&one).await.unwrap();
        written.insert(0, one);
    }
    assert_eq!(store.entries(None, 100).await.unwrap(), written);
    assert_eq!(store.entries(None, 3).await.unwrap(), written[..3]);
    written.retain(|one| one.account.is_some());
    assert_eq!(store.entries(Some(id), 100).await.unwrap(), written);
    store.drop_entries(Moment(5) + ENTRIES_KEPT).await.unwrap();
    let left = store.entries(None, 100).await.unwrap();
    assert_eq!(left.last().map(|one| one.at), Some(Moment(5)));
    store.erase(id).await.unwrap();
    assert!(store.entries(Some(id), 100).await.unwrap().is_empty());
}
