//! What every store must do for pictures in texts.

use quorate_kernel::{GameId, Moment};

use crate::ports::{AccountId, Accounts, NewAccount, UPLOADS_MAX, Upload, UploadKept, Uploads};

/// The contract. Both are of one store, which is empty.
pub async fn uploads(accounts: &impl Accounts, store: &impl Uploads) {
    let tom = somebody(accounts, "Tom").await;
    let una = somebody(accounts, "Una").await;
    kept_by_game_and_word(store, tom, una).await;
    dropped_for_one_or_for_all(store, tom, una).await;
    bounded_and_gone_with_the_account(accounts, store, tom, una).await;
}

/// A new account of that name.
pub async fn somebody(accounts: &impl Accounts, name: &str) -> AccountId {
    let account = NewAccount {
        name: name.to_owned(),
        mail: None,
        password: None,
        operator: false,
        made_at: Moment(0),
    };
    accounts.make(&account).await.unwrap()
}

fn reef() -> GameId {
    "reef".parse().unwrap()
}

fn picture(word: &str, at: i64) -> Upload {
    Upload {
        game: reef(),
        word: word.to_owned(),
        at: Moment(at),
        file: vec![0, 159, 146, 150],
    }
}

async fn kept_by_game_and_word<S: Uploads>(store: &S, tom: AccountId, una: AccountId) {
    let first = picture("a1", 1);
    assert_eq!(
        store.keep_upload(tom, &first).await.unwrap(),
        UploadKept::Kept
    );
    let again = picture("a1", 9);
    assert_eq!(
        store.keep_upload(tom, &again).await.unwrap(),
        UploadKept::Kept
    );
    for by in [None, Some(tom)] {
        let found = store.upload(&reef(), "a1", by).await.unwrap();
        assert_eq!(found, Some(first.clone()), "the first stays");
    }
    assert_eq!(store.upload(&reef(), "a1", Some(una)).await.unwrap(), None);
    assert_eq!(store.upload(&reef(), "b2", None).await.unwrap(), None);
    let lagoon: GameId = "lagoon".parse().unwrap();
    assert_eq!(store.upload(&lagoon, "a1", None).await.unwrap(), None);
}

async fn dropped_for_one_or_for_all<S: Uploads>(store: &S, tom: AccountId, una: AccountId) {
    store.keep_upload(una, &picture("a1", 2)).await.unwrap();
    assert_eq!(
        store.drop_upload(&reef(), "a1", Some(una)).await.unwrap(),
        1
    );
    assert_eq!(
        store.drop_upload(&reef(), "a1", Some(una)).await.unwrap(),
        0
    );
    let left = store.upload(&reef(), "a1", None).await.unwrap();
    assert!(left.is_some(), "that of somebody else stays");
    store.keep_upload(una, &picture("a1", 2)).await.unwrap();
    assert_eq!(store.drop_upload(&reef(), "a1", None).await.unwrap(), 2);
    assert_eq!(store.upload(&reef(), "a1", None).await.unwrap(), None);
    for word in ["c3", "d4"] {
        store.keep_upload(tom, &picture(word, 3)).await.unwrap();
    }
    assert_eq!(store.drop_uploads_of(tom).await.unwrap(), 2);
    assert_eq!(store.upload(&reef(), "c3", None).await.unwrap(), None);
}

async fn bounded_and_gone_with_the_account(
    accounts: &impl Accounts,
    store: &impl Uploads,
    tom: AccountId,
    una: AccountId,
) {
    for number in 0..UPLOADS_MAX {
        let one = picture(&format!("n{number}"), 1);
        assert_eq!(
            store.keep_upload(una, &one).await.unwrap(),
            UploadKept::Kept
        );
    }
    let more = picture("more", 1);
    assert_eq!(
        store.keep_upload(una, &more).await.unwrap(),
        UploadKept::TooMany
    );
    let again = store.keep_upload(una, &picture("n0", 2)).await.unwrap();
    assert_eq!(again, UploadKept::Kept, "what is there takes no more room");
    assert_eq!(
        store.keep_upload(tom, &more).await.unwrap(),
        UploadKept::Kept
    );
    accounts.erase(una).await.unwrap();
    assert_eq!(store.upload(&reef(), "n0", None).await.unwrap(), None);
    assert!(store.upload(&reef(), "more", None).await.unwrap().is_some());
    assert!(store.keep_upload(una, &more).await.is_err());
}
