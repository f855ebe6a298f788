//! Who makes a request: a session, an account where somebody is signed in.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::http::uri::PathAndQuery;
use quorate_kernel::digest::Digest;
use quorate_runtime::ports::{Account, AccountId};

use crate::app::error::AppError;
use crate::app::state::{AppState, fresh_word};
use crate::security::rate::Who;
use crate::security::session::SessionToken;
use crate::ui::urls::Href;
use crate::ui::{Link, Theme};

/// Who makes a request.
#[derive(Clone)]
pub struct Visitor {
    /// The secret of the session; one is made up for somebody who has none yet.
    pub token: SessionToken,
    /// Whether the browser does not have that secret yet.
    pub is_new: bool,
    /// The account, where somebody is signed in.
    pub account: Option<Account>,
    /// Where the request came from.
    pub address: IpAddr,
    /// The page that was asked for, to come back to; none where a form was sent.
    pub here: Option<Href>,
    /// A word for the keys of the page's forms.
    pub word: String,
    /// Light, dark, or as the system has it.
    pub theme: Theme,
    /// Whether single keys act.
    pub has_keys: bool,
    /// What was just done, told once.
    pub notice: Option<String>,
}

impl Visitor {
    /// The account's number.
    pub fn id(&self) -> Option<AccountId> {
        self.account.as_ref().map(|account| account.id)
    }

    /// Whether this is one of those who run the server.
    pub fn is_operator(&self) -> bool {
        self.account
            .as_ref()
            .is_some_and(|account| account.operator)
    }

    /// Whose allowance a request counts against.
    pub fn who(&self) -> Who {
        match self.id() {
            Some(id) => Who::Account(id.0.to_string()),
            None => Who::address(self.address),
        }
    }

    /// The ways in, for somebody who is not signed in.
    pub fn ways_in(&self) -> Vec<Link> {
        let sign_in = Href::from(crate::ui::urls::SignIn);
        let home = Href::from(crate::ui::urls::Home);
        let sign_in = match self.here.as_ref().filter(|here| **here != home) {
            Some(here) => sign_in.with("next", here.as_str()),
            None => sign_in,
        };
        vec![
            Link::new("Sign in", sign_in),
            Link::new("Sign up", crate::ui::urls::SignUp),
        ]
    }
}

/// The digest under which a session is kept.
pub fn session_digest(token: &SessionToken) -> Digest {
    Digest(token.digest().0)
}

/// The value of a plain cookie.
fn cookie(parts: &Parts, name: &str) -> Option<String> {
    let lines = parts.headers.get_all(axum::http::header::COOKIE).iter();
    let pairs = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    pairs
        .filter(|(key, _)| *key == name)
        .map(|(_, value)| value.to_owned())
        .next()
}

impl FromRequestParts<Arc<AppState>> for Visitor {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<AppState>) -> Result<Self, AppError> {
        let address = address_of(parts, site);
        let carried = site.cookies.read(&parts.headers);
        let account = match &carried {
            Some(token) => {
                let digest = session_digest(token);
                let accounts = &site.parts.accounts;
                accounts.account_of_session(digest, site.now()).await?
            }
            None => None,
        };
        let is_new = carried.is_none();
        let token = match carried {
            Some(token) => token,
            None => SessionToken::fresh()?,
        };
        let theme = match cookie(parts, "theme").as_deref() {
            Some("light") => Theme::Light,
            Some("dark") => Theme::Dark,
            _ => Theme::System,
        };
        let notice = cookie(parts, crate::app::reply::NOTICE)
            .and_then(|text| crate::app::reply::read_notice(&text));
        let asked = parts.uri.path_and_query().map(PathAndQuery::as_str);
        let here = asked
            .filter(|_| parts.method.is_safe())
            .and_then(Href::returning);
        Ok(Self {
            here,
            token,
            is_new,
            account,
            address,
            word: fresh_word()?,
            theme,
            has_keys: cookie(parts, "keys").as_deref() != Some("off"),
            notice,
        })
    }
}

/// Where a request comes from. Behind a proxy that is what the proxy itself adds: the last of the addresses that it passes
/// on, for whatever stands before that one can be anybody's invention.
pub(crate) fn address_of(parts: &Parts, site: &AppState) -> IpAddr {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    let peer = peer.map_or(IpAddr::from([127, 0, 0, 1]), |info| info.0.ip());
    if site.parts.house.is_proxied {
        forwarded(&parts.headers).unwrap_or(peer)
    } else {
        peer
    }
}

fn forwarded(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all("x-forwarded-for").iter().next_back()?;
    let last = last.to_str().ok()?.rsplit(',').next()?;
    last.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_forwarded_addresses_the_proxys_own_is_believed() {
        let mut headers = HeaderMap::new();
        let sent = "10.0.0.1, 203.0.113.7".parse().expect("a header");
        headers.append("x-forwarded-for", sent);
        assert_eq!(forwarded(&headers), Some(IpAddr::from([203, 0, 113, 7])));
        headers.append("x-forwarded-for", "no address".parse().expect("a header"));
        assert_eq!(forwarded(&headers), None);
    }
}
