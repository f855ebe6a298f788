//! Who calls: whoever the bearer token acts for, or a stranger.

use std::sync::Arc;

use axum::RequestPartsExt;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use quorate_runtime::ports::Account;

use crate::api::problem::Problem;
use crate::app::error::AppError;
use crate::app::form_words::{FormWords, GivenWords};
use crate::app::grant::Grant;
use crate::app::state::AppState;
use crate::app::visitor::{Visitor, address_of, log_whose};
use crate::security::browser::browser;
use crate::security::carried::digest_of;

/// Somebody who calls, with a token or without one. A token that does not count is an error, so that a program notices it.
pub(crate) struct Caller {
    /// The reader, as looks know readers.
    pub visitor: Visitor,
    /// The token, for whoever has to ask again whether it still counts.
    pub token: Option<String>,
}

/// Somebody who calls with a token. Asked for first, so that nobody else's body is read.
pub(crate) struct Signed(pub Visitor);

impl FromRequestParts<Arc<AppState>> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<AppState>) -> Result<Self, Problem> {
        let token = carried(parts)?;
        let (account, grant) = match &token {
            Some(token) => {
                let (account, grant) = account_of(site, token).await?;
                (Some(account), grant)
            }
            None => (None, Grant::whole()),
        };
        log_whose(account.as_ref());
        // An address without parameters has none to tell.
        if let Ok(named) = parts.extract::<RawPathParams>().await
            && let Some((_, game)) = named.iter().find(|(name, _)| *name == "game")
        {
            grant.check_game(game).map_err(AppError::from)?;
        }
        let address = address_of(parts, site);
        // A worker that begins anew with a request sends its command under the same key.
        let words = match parts.extensions.get::<GivenWords>() {
            Some(GivenWords(words)) => words.clone(),
            None => FormWords::without_forms().map_err(AppError::from)?,
        };
        let visitor = Visitor {
            grant,
            address,
            words,
            browser: browser(&parts.headers),
            ..Visitor::without_request(account)?
        };
        Ok(Self { visitor, token })
    }
}

impl FromRequestParts<Arc<AppState>> for Signed {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<AppState>) -> Result<Self, Problem> {
        let caller = Caller::from_request_parts(parts, site).await?;
        match caller.visitor.account {
            Some(_) => Ok(Self(caller.visitor)),
            None => Err(AppError::SignIn.into()),
        }
    }
}

/// The token that a request carries.
fn carried(parts: &Parts) -> Result<Option<String>, Problem> {
    let Some(header) = parts.headers.get(AUTHORIZATION) else {
        return Ok(None);
    };
    let text = header.to_str().unwrap_or_default();
    match text.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => {
            Ok(Some(token.trim().to_owned()))
        }
        _ => Err(Problem::no_token("it is not of the form \"Bearer …\"")),
    }
}

/// The account that a token acts for, as long as the token counts, and what it may do for it.
pub(crate) async fn account_of(site: &AppState, token: &str) -> Result<(Account, Grant), Problem> {
    let accounts = &site.deps.accounts;
    let known = accounts.token(digest_of(token), site.now()).await;
    let found = match known.map_err(AppError::from)? {
        Some(known) => {
            let account = accounts.account(known.account).await;
            let account = account.map_err(AppError::from)?;
            account.map(|account| (account, Grant::of(&known)))
        }
        None => None,
    };
    found.ok_or_else(|| Problem::no_token("it is unknown, has ended or was revoked"))
}
