//! What every store must do for drafts.

use quorate_kernel::{GameId, Moment};

use crate::ports::{
    AccountId, Accounts, DRAFT_BYTES_MAX, DRAFTS_BYTES_MAX, DRAFTS_MAX, DraftKept, Drafts,
    KeptDraft, NewAccount,
};

/// The contract. The store is empty.
pub async fn drafts<S: Accounts + Drafts>(store: &S) {
    let (tom, una) = (made(store, "Tom").await, made(store, "Una").await);
    kept_for_its_writer_alone(store, tom, una).await;
    bounded(store, una).await;
    gone_with_the_account(store, tom, una).await;
}

async fn made<S: Accounts>(store: &S, name: &str) -> AccountId {
    let account = NewAccount {
        name: name.to_owned(),
        mail: None,
        password: None,
        operator: false,
        made_at: Moment(0),
    };
    store.make(&account).await.unwrap()
}

fn reef() -> GameId {
    "reef".parse().unwrap()
}

fn draft(at: i64, form: &str, fields: &str) -> KeptDraft {
    KeptDraft {
        game: reef(),
        form: form.to_owned(),
        title: format!("Draft of {form}"),
        at: Moment(at),
        fields: fields.to_owned(),
    }
}

async fn kept_for_its_writer_alone<S: Drafts>(store: &S, tom: AccountId, una: AccountId) {
    let (old, new) = (
        draft(1, "post/1", "text=Salt"),
        draft(9, "post/1", "text=More"),
    );
    let other = draft(5, "new/Story", "title=A");
    for one in [&old, &other, &new] {
        assert_eq!(store.keep_draft(tom, one).await.unwrap(), DraftKept::Kept);
    }
    let found = store.draft(tom, &reef(), "post/1").await.unwrap();
    assert_eq!(
        found,
        Some(new.clone()),
        "it took the place of the one before"
    );
    assert_eq!(
        store.drafts(tom, &reef()).await.unwrap(),
        [new.clone(), other]
    );
    // Neither another account nor another game has it.
    assert_eq!(store.draft(una, &reef(), "post/1").await.unwrap(), None);
    assert_eq!(store.drafts(una, &reef()).await.unwrap(), []);
    let lagoon: GameId = "lagoon".parse().unwrap();
    assert_eq!(store.draft(tom, &lagoon, "post/1").await.unwrap(), None);
    assert_eq!(store.drafts(tom, &lagoon).await.unwrap(), []);
    assert!(!store.drop_draft(una, &reef(), "post/1").await.unwrap());
    assert!(store.drop_draft(tom, &reef(), "new/Story").await.unwrap());
    assert!(!store.drop_draft(tom, &reef(), "new/Story").await.unwrap());
    assert_eq!(store.drafts(tom, &reef()).await.unwrap(), [new]);
}

async fn bounded<S: Drafts>(store: &S, una: AccountId) {
    let long = "x".repeat(DRAFT_BYTES_MAX);
    let longer = draft(1, "post/1", &format!("{long}x"));
    assert_eq!(
        store.keep_draft(una, &longer).await.unwrap(),
        DraftKept::TooLong
    );
    let whole = DRAFTS_BYTES_MAX / DRAFT_BYTES_MAX;
    for number in 0..whole {
        let one = draft(1, &format!("post/{number}"), &long);
        assert_eq!(store.keep_draft(una, &one).await.unwrap(), DraftKept::Kept);
    }
    let more = draft(1, "post/more", "x");
    assert_eq!(
        store.keep_draft(una, &more).await.unwrap(),
        DraftKept::TooLong
    );
    // What takes the place of another counts once.
    for number in 0..whole {
        let one = draft(2, &format!("post/{number}"), "x");
        assert_eq!(store.keep_draft(una, &one).await.unwrap(), DraftKept::Kept);
    }
    for number in whole..usize::try_from(DRAFTS_MAX).unwrap() {
        let one = draft(2, &format!("post/{number}"), "x");
        assert_eq!(store.keep_draft(una, &one).await.unwrap(), DraftKept::Kept);
    }
    assert_eq!(
        store.keep_draft(una, &more).await.unwrap(),
        DraftKept::TooMany
    );
    let again = draft(3, "post/0", "y");
    assert_eq!(
        store.keep_draft(una, &again).await.unwrap(),
        DraftKept::Kept
    );
    let kept = store.drafts(una, &reef()).await.unwrap();
    assert_eq!(kept.len(), usize::try_from(DRAFTS_MAX).unwrap());
}

async fn gone_with_the_account<S: Accounts + Drafts>(store: &S, tom: AccountId, una: AccountId) {
    store.erase(una).await.unwrap();
    assert_eq!(store.drafts(una, &reef()).await.unwrap(), []);
    assert_eq!(store.drafts(tom, &reef()).await.unwrap().len(), 1);
    let nobody = draft(1, "post/1", "x");
    assert!(store.keep_draft(una, &nobody).await.is_err());
}
