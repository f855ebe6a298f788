//! People who play in benches and in tests of servers: what they do first, and their accounts.
#![allow(dead_code, reason = "not every bench and test needs all of it")]

use anyhow::{Context, Result};
use quorate_kernel::command::{Act, NewPost, typed};
use quorate_kernel::{EventSeq, GameId, Id, Moment, PlayerId, Span, Thing, Value};
use quorate_runtime::ports::{AccountId, Accounts, NewAccount, Seat, Session, Token, TokenScopes};
use quorate_server::app::visitor::session_digest;
use quorate_server::security::carried::digest_of;
use quorate_server::security::session::{Cookies, SessionToken};

/// How long their sessions count.
const SESSION: Span = Span::days(2);

/// Who founded a game.
pub(crate) fn founder() -> PlayerId {
    PlayerId(Id::new(EventSeq(1), 0))
}

/// A newcomer asks to be let in.
pub(crate) fn applies(name: &str) -> Act {
    Act::Apply {
        name: typed(name),
        text: typed("Let me in."),
    }
}

/// Somebody lets a newcomer in.
pub(crate) fn admits(new: PlayerId) -> Act {
    Act::Do {
        action: "admit-player".into(),
        args: vec![("applicant".into(), Value::Thing(Thing::Player(new)))],
    }
}

/// A post without changes.
pub(crate) fn posts(category: &str) -> Act {
    Act::Post(Box::new(NewPost::plain(
        category,
        "A matter of some weight",
        "Whereas much is to be said, little is.",
    )))
}

/// An account with a token, which plays somebody in some games.
pub(crate) async fn account(
    store: &(impl Accounts + ?Sized),
    name: &str,
    token: &str,
    operator: bool,
    seats: &[(GameId, PlayerId)],
) -> Result<AccountId> {
    let account = NewAccount {
        name: name.to_owned(),
        mail: None,
        password: None,
        operator,
        made_at: Moment(0),
    };
    let account = store.make(&account).await?;
    let token = Token {
        digest: digest_of(token),
        account,
        label: "a bench".to_owned(),
        scopes: TokenScopes::all(),
        game: None,
        made_at: Moment(0),
        ends_at: None,
    };
    store.make_token(&token).await?;
    for (game, player) in seats {
        let seat = Seat {
            game: game.clone(),
            player: *player,
            account,
        };
        store.take_seat(&seat).await?;
    }
    Ok(account)
}

/// The cookie of a session that begins now.
pub(crate) async fn session(
    store: &(impl Accounts + ?Sized),
    account: AccountId,
    now: Moment,
) -> Result<String> {
    let session = SessionToken::fresh().context("no session")?;
    let begun = Session {
        digest: session_digest(&session),
        account,
        began_at: now,
        ends_at: now + SESSION,
    };
    store.begin_session(&begun).await?;
    let cookie = Cookies { is_secure: false }.set(&session, 1);
    let cookie = cookie.to_str()?.split(';').next().unwrap_or_default();
    Ok(cookie.to_owned())
}
