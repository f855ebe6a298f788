//! Who calls: whoever the bearer token acts for, or a stranger.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use quorate_runtime::ports::Account;

use crate::api::problem::Problem;
use crate::app::error::AppError;
use crate::app::safety;
use crate::app::state::{AppState, digest_of};
use crate::app::visitor::{Visitor, address_of};

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
        let account = match &token {
            Some(token) => Some(account_of(site, token).await?),
            None => None,
        };
        let address = address_of(parts, site);
        let visitor = Visitor {
            address,
            browser: safety::browser(&parts.headers),
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

/// The account that a token acts for, as long as the token counts.
pub(crate) async fn account_of(site: &AppState, token: &str) -> Result<Account, Problem> {
    let accounts = &site.parts.accounts;
    let known = accounts.token(digest_of(token), site.now()).await;
    let account = match known.map_err(AppError::from)? {
        Some(known) => accounts
            .account(known.account)
            .await
            .map_err(AppError::from)?,
        None => None,
    };
    account.ok_or_else(|| Problem::no_token("it is unknown, has ended or was revoked"))
}
