//! What every store must do for moderation.

use quorate_kernel::digest::Digest;
use quorate_kernel::{GameId, Moment};

use crate::ports::{
    AccountId, Accounts, Moderation, NewAccount, Report, Restraint, RestraintKind, Session, Token,
    TokenScopes,
};

/// The contract. The store is empty.
pub async fn moderation<S: Accounts + Moderation>(store: &S) {
    let account = NewAccount {
        name: "Tom".to_owned(),
        mail: None,
        password: None,
        operator: false,
        made_at: Moment(0),
    };
    let id = store.make(&account).await.unwrap();
    restraints(store, id).await;
    reports(store, id).await;
}

async fn restraints<S: Accounts + Moderation>(store: &S, id: AccountId) {
    let at = async |moment: i64| store.restraint(id, Moment(moment)).await.unwrap();
    assert_eq!(at(0).await, None);
    let (session, token) = keys(store, id).await;
    let is_in = async |moment: i64| {
        let account = store.account_of_session(session, Moment(moment)).await;
        let token = store.token(token, Moment(moment)).await;
        (account.unwrap().is_some(), token.unwrap().is_some())
    };
    let muted = Restraint {
        kind: RestraintKind::Muted,
        until: Some(Moment(100)),
        why: "shouting".to_owned(),
    };
    store.restrain(id, &muted).await.unwrap();
    assert_eq!(at(99).await, Some(muted.clone()));
    assert_eq!(at(100).await, None, "it ends by itself");
    assert_eq!(is_in(99).await, (true, true), "who is muted may read");
    let suspended = Restraint {
        kind: RestraintKind::Suspended,
        until: None,
        ..muted
    };
    store.restrain(id, &suspended).await.unwrap();
    assert_eq!(at(1_000_000).await, Some(suspended.clone()));
    assert_eq!(
        is_in(99).await,
        (false, false),
        "who is suspended is not in"
    );
    let for_now = Restraint {
        until: Some(Moment(150)),
        ..suspended
    };
    store.restrain(id, &for_now).await.unwrap();
    assert_eq!(is_in(149).await, (false, false));
    assert_eq!(is_in(150).await, (true, true));
    assert_eq!(
        store.restraint(AccountId(999), Moment(0)).await.unwrap(),
        None
    );
    store.lift(id).await.unwrap();
    assert_eq!(at(0).await, None);
    assert_eq!(is_in(99).await, (true, true));
}

/// A session and a token of an account.
async fn keys<S: Accounts>(store: &S, account: AccountId) -> (Digest, Digest) {
    let session = Session {
        digest: Digest::of(b"a session"),
        account,
        began_at: Moment(0),
        ends_at: Moment(1_000),
    };
    store.begin_session(&session).await.unwrap();
    let token = Token {
        digest: Digest::of(b"a token"),
        account,
        label: "a bot".to_owned(),
        scopes: TokenScopes::all(),
        game: None,
        made_at: Moment(0),
        ends_at: None,
    };
    store.make_token(&token).await.unwrap();
    (session.digest, token.digest)
}

async fn reports<S: Accounts + Moderation>(store: &S, id: AccountId) {
    let game: GameId = "lighthouse".parse().unwrap();
    let report = |at: i64| Report {
        at: Moment(at),
        by: Some(id),
        game: game.clone(),
        about: format!("post:{at}"),
        why: "an insult".to_owned(),
    };
    for at in 1..=3 {
        store.report(&report(at)).await.unwrap();
    }
    let open = store.reports().await.unwrap();
    let kept: Vec<_> = open.iter().map(|(_, report)| report.clone()).collect();
    assert_eq!(kept, [report(1), report(2), report(3)]);
    let second = open[1].0;
    assert!(store.settle_report(second, Moment(9)).await.unwrap());
    assert!(
        !store.settle_report(second, Moment(9)).await.unwrap(),
        "it is settled once"
    );
    assert!(!store.settle_report(u64::MAX >> 1, Moment(9)).await.unwrap());
    store.erase(id).await.unwrap();
    let left = store.reports().await.unwrap();
    let left: Vec<_> = left
        .iter()
        .map(|(_, report)| (report.at, report.by))
        .collect();
    assert_eq!(left, [(Moment(1), None), (Moment(3), None)]);
}
