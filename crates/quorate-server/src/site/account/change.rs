//! What is changed of one's own account: from the settings, each under its form's word.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::Response;
use quorate_kernel::Span;
use quorate_runtime::ports::{Account, AccountError, SecurityEvent};

use crate::app::error::AppError;
use crate::app::posted::Posted;
use crate::app::safety::{self, Happened};
use crate::app::state::AppState;
use crate::app::visitor::{Visitor, session_digest};
use crate::app::{passwords, reply};
use crate::requests::forget;
use crate::requests::forms::{Sent, answer};
use crate::security::password::Tried;
use crate::security::rate::Who;
use crate::site::account;
use crate::site::account::settings::{SettingsTold, shown};
use crate::site::account::{discord, factor, outside, passkey, programs};
use crate::ui::{plural, urls};

/// How long a session counts as one of somebody who is here now.
const FRESH: Span = Span::minutes(10);

/// The forms that ask who it is once more: what is changed by them opens the account, or cannot be taken back.
const ASK_AGAIN: [&str; 8] = [
    "factor",
    "factor-off",
    "token",
    "outside",
    "passkey",
    "discord",
    "forget",
    "erase",
];

/// `POST /settings/{what}`.
pub async fn submit(
    State(site): State<Arc<AppState>>,
    Path(what): Path<String>,
    sent: Sent,
) -> Response {
    let result = match changed(&site, &sent.visitor, &what, &sent.form).await {
        Err(AppError::Form(error)) => {
            shown(&site, &sent.visitor, SettingsTold::Wrong(&what, error)).await
        }
        other => other,
    };
    answer(&site, &sent.visitor, result)
}

async fn ended(
    site: &Arc<AppState>,
    visitor: &Visitor,
    account: &Account,
    form: &Posted,
) -> Result<Response, AppError> {
    let wanted = form.one("session").unwrap_or_default();
    let accounts = &site.deps.accounts;
    let sessions = accounts.sessions_of(account.id, site.now()).await?;
    let session = sessions.iter().find(|one| one.digest.to_string() == wanted);
    let session = session.ok_or(AppError::NotFound)?;
    accounts.end_session(session.digest).await?;
    note(site, visitor, account, SecurityEvent::SessionEnded).await;
    Ok(reply::see_with(&urls::Settings.into(), "It is signed out."))
}

async fn changed(
    site: &Arc<AppState>,
    visitor: &Visitor,
    what: &str,
    form: &Posted,
) -> Result<Response, AppError> {
    let account = visitor.account.clone().ok_or(AppError::SignIn)?;
    if ASK_AGAIN.contains(&what) {
        check(site, visitor, &account, form).await?;
    }
    match what {
        "appearance" => Ok(tastes(form)),
        "password" => renewed(site, visitor, account, form).await,
        "mail" => mailed(site, visitor, account, form).await,
        "factor" => factor::begin_setting(site, visitor, &account).await,
        "factor-on" => factor::turned_on(site, visitor, &account, form).await,
        "factor-off" => factor::turned_off(site, visitor, &account, form).await,
        "token" => token_made(site, visitor, &account, form).await,
        "outside" => outside::begun(site, visitor, account.id, form),
        "passkey" => passkey::added(site, visitor, &account, form).await,
        "passkey-off" => passkey::removed(site, visitor, &account, form).await,
        "outside-off" => outside::unlinked(site, visitor, &account, form).await,
        "discord" => {
            let code = discord::code(site, &account, form)?;
            shown(site, visitor, SettingsTold::Code(code)).await
        }
        "revoke" => {
            let wanted = form.one("token").unwrap_or_default();
            let tokens = site.deps.accounts.tokens_of(account.id).await?;
            let token = tokens
                .iter()
                .find(|token| token.digest.to_string() == wanted);
            let token = token.ok_or(AppError::NotFound)?;
            site.deps.accounts.revoke_token(token.digest).await?;
            note(site, visitor, &account, SecurityEvent::TokenRevoked).await;
            Ok(reply::see_with(
                &urls::Settings.into(),
                "The token no longer counts.",
            ))
        }
        "end-session" => ended(site, visitor, &account, form).await,
        "forget" => {
            let names_too = form.one("names").is_some();
            let count = forget::everything(site, account.id, names_too).await?;
            let notice = format!("{} deleted permanently.", plural(count, "text", "texts"));
            Ok(reply::see_with(&urls::Settings.into(), &notice))
        }
        "erase" => {
            site.deps.accounts.erase(account.id).await?;
            let mut response = reply::see_with(&urls::Home.into(), "Your account is gone.");
            response
                .headers_mut()
                .append(header::SET_COOKIE, site.cookies.clear());
            Ok(response)
        }
        _ => Err(AppError::NotFound),
    }
}

/// A token that acts for the account, whose secret the page shows once.
async fn token_made(
    site: &Arc<AppState>,
    visitor: &Visitor,
    account: &Account,
    form: &Posted,
) -> Result<Response, AppError> {
    let seats = site.seats_of(account.id).await?;
    let wish = programs::wish(form, &seats)?;
    let secret = programs::make_token(site, account.id, wish).await?;
    note(site, visitor, account, SecurityEvent::TokenMade).await;
    shown(site, visitor, SettingsTold::Secret(secret)).await
}

/// Another mail address, or none.
async fn mailed(
    site: &Arc<AppState>,
    visitor: &Visitor,
    account: Account,
    form: &Posted,
) -> Result<Response, AppError> {
    check(site, visitor, &account, form).await?;
    let changed = Account {
        mail: account::handler::mail_in(form)?,
        ..account.clone()
    };
    match site.deps.accounts.change(&changed).await {
        // Who else has it is nobody's business.
        Err(AccountError::MailTaken) => Err(AppError::Form(
            "That address cannot be kept here.".to_owned(),
        )),
        Err(error) => Err(error.into()),
        Ok(()) => {
            let moved = Happened::to(account.id, SecurityEvent::MailChanged);
            safety::tell_before(site, visitor, &account, moved);
            note(site, visitor, &changed, SecurityEvent::MailChanged).await;
            Ok(reply::see_with(&urls::Settings.into(), "Kept."))
        }
    }
}

fn tastes(form: &Posted) -> Response {
    let mut response = reply::see_with(&urls::Settings.into(), "Kept.");
    let theme = match form.one("theme") {
        Some("light") => "light",
        Some("dark") => "dark",
        _ => "system",
    };
    let keys = if form.filled("keys").is_some() {
        "on"
    } else {
        "off"
    };
    for (name, value) in [("theme", theme), ("keys", keys)] {
        if let Some(cookie) = account::handler::taste(name, value) {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
    }
    response
}

async fn note(site: &AppState, visitor: &Visitor, account: &Account, event: SecurityEvent) {
    safety::note(site, visitor, Happened::to(account.id, event)).await;
}

/// A new password, which closes every other way in.
async fn renewed(
    site: &Arc<AppState>,
    visitor: &Visitor,
    account: Account,
    form: &Posted,
) -> Result<Response, AppError> {
    check(site, visitor, &account, form).await?;
    let words = account::handler::words_of(&account);
    let is_first = account.password.is_none();
    let fresh = Account {
        password: Some(account::handler::new_password(site, form, words).await?),
        ..account
    };
    site.deps.accounts.change(&fresh).await?;
    if !is_first {
        safety::close_ways(site, &fresh).await?;
    }
    note(site, visitor, &fresh, SecurityEvent::PasswordChanged).await;
    let (to, notice) = (urls::Settings.into(), "Your password is new.");
    account::session::begin(site, visitor, &fresh, &to, notice).await
}

/// Whether the password that was typed is the account's. Who has none must have signed in a moment ago.
async fn check(
    site: &Arc<AppState>,
    visitor: &Visitor,
    account: &Account,
    form: &Posted,
) -> Result<(), AppError> {
    // Strangers who try their luck at signing in do not stand in the way of somebody who is.
    let who = Who::Account(format!("own {}", account.id.0));
    site.sign_ins.take(who, site.now_ms()).await?;
    if account.password.is_none() {
        let now = site.now();
        let sessions = site.deps.accounts.sessions_of(account.id, now).await?;
        let this = session_digest(&visitor.token);
        let mut fresh = sessions.iter().filter(|one| now - one.began_at < FRESH);
        if fresh.any(|one| one.digest == this) {
            return Ok(());
        }
        let stale = "Sign out and in again, then do this within ten minutes.";
        return Err(AppError::Form(stale.to_owned()));
    }
    let typed = form.one("old").unwrap_or_default();
    match passwords::tried(site, typed, account.password.clone()).await? {
        Tried::Right { .. } => Ok(()),
        Tried::Wrong => {
            note(site, visitor, account, SecurityEvent::CheckFailed).await;
            Err(AppError::Form("That is not your password.".to_owned()))
        }
    }
}
