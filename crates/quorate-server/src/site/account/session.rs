//! Where a session begins.

use axum::http::header;
use axum::response::Response;
use quorate_runtime::ports::{Account, SecurityEvent, Session};

use crate::app::error::AppError;
use crate::app::moderation;
use crate::app::reply::{self, SESSION_SECONDS};
use crate::app::safety::{self, Happened};
use crate::app::state::AppState;
use crate::app::visitor::{Visitor, in_use, session_digest};
use crate::security::session::SessionToken;
use crate::security::uses::SESSION_IDLE;
use crate::ui::urls::Href;

/// Begins a session under a new secret and goes on.
pub(crate) async fn begin(
    site: &AppState,
    visitor: &Visitor,
    account: &Account,
    to: &Href,
    notice: &str,
) -> Result<Response, AppError> {
    if let Err(error) = moderation::may_sign_in(site, account.id).await {
        let failed = Happened::to(account.id, SecurityEvent::SignInFailed);
        safety::note(site, visitor, failed).await;
        return Err(error);
    }
    let token = SessionToken::fresh()?;
    let began_at = site.now();
    let session = Session {
        digest: session_digest(&token),
        account: account.id,
        began_at,
        ends_at: began_at + SESSION_IDLE,
    };
    site.deps
        .accounts
        .end_session(session_digest(&visitor.token))
        .await?;
    site.deps.accounts.begin_session(&session).await?;
    in_use(site, visitor.place(), session.digest).await;
    let mut response = reply::see_with(to, notice);
    if let Some(password) = &account.password {
        let known = site.known.set(account.id.0, password)?;
        response.headers_mut().append(header::SET_COOKIE, known);
    }
    response.headers_mut().append(
        header::SET_COOKIE,
        site.cookies.set(&token, SESSION_SECONDS),
    );
    Ok(response)
}
