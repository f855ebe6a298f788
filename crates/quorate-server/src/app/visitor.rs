//! Who makes a request: a session, an account where somebody is signed in.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::http::uri::PathAndQuery;
use quorate_kernel::digest::Digest;
use quorate_runtime::ports::{Account, AccountId, SessionUse};

use crate::app::error::AppError;
use crate::app::form_words::{FormWords, GivenWords};
use crate::app::grant::Grant;
use crate::app::notice;
use crate::app::state::AppState;
use crate::security::browser::browser;
use crate::security::known;
use crate::security::rate::Who;
use crate::security::session::SessionToken;
use crate::security::uses::{SESSION_IDLE, SESSION_MAX};
use crate::ui::urls::Href;
use crate::ui::{Link, Send, Theme};

/// Who makes a request.
#[derive(Clone)]
pub struct Visitor {
    /// The secret of the session; one is made up for somebody who has none yet.
    pub token: SessionToken,
    /// Whether the browser does not have that secret yet.
    pub is_new: bool,
    /// The account, where somebody is signed in.
    pub account: Option<Account>,
    /// What the request may do on its behalf.
    pub grant: Grant,
    /// Where the request came from.
    pub address: IpAddr,
    /// The page that was asked for, to come back to; none where a form was sent.
    pub here: Option<Href>,
    /// What the page's forms carry.
    pub words: FormWords,
    /// Light, dark, or as the system has it.
    pub theme: Theme,
    /// Whether single keys act.
    pub has_keys: bool,
    /// What was just done, told once.
    pub notice: Option<String>,
    /// With what somebody comes: "Firefox on Linux".
    pub browser: String,
    /// What the browser is known by, if it was signed in before.
    pub known: Option<String>,
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

    /// The word of this browser, if that account was signed in from it before.
    pub fn known_for(&self, site: &AppState, account: &Account) -> Option<String> {
        let (cookie, digest) = (self.known.as_ref()?, account.password.as_ref()?);
        site.known.read(cookie, account.id.0, digest)
    }

    /// With what and from where somebody comes: "Firefox on Linux, from 192.0.2.7".
    pub fn place(&self) -> String {
        format!("{}, from {}", self.browser, self.address)
    }

    /// The way in of a form that belongs to no game.
    pub fn send(&self, to: impl Into<Href>) -> Send {
        Send::new(to, self.words.token.clone())
    }

    /// The ways in, for somebody who is not signed in.
    pub fn ways_in(&self) -> Vec<Link> {
        let home = Href::from(crate::ui::urls::Home);
        let here = self.here.as_ref().filter(|here| **here != home);
        let and_back = |way: Href| match here {
            Some(here) => way.with("next", here.as_str()),
            None => way,
        };
        vec![
            Link::new("Sign in", and_back(crate::ui::urls::SignIn.into())),
            Link::new("Sign up", and_back(crate::ui::urls::SignUp.into())),
        ]
    }
}

impl Visitor {
    /// An account, or nobody, without any request of theirs: for what is told to them while they are away.
    pub(crate) fn without_request(account: Option<Account>) -> Result<Self, AppError> {
        Ok(Self {
            token: SessionToken::fresh()?,
            is_new: false,
            account,
            grant: Grant::whole(),
            address: IpAddr::from([127, 0, 0, 1]),
            here: None,
            words: FormWords::without_forms()?,
            theme: Theme::System,
            has_keys: false,
            notice: None,
            browser: String::new(),
            known: None,
        })
    }
}

/// What the server's log says of a request says whose it is, if somebody's.
pub(crate) fn log_whose(account: Option<&Account>) {
    if let Some(account) = account {
        tracing::Span::current().record("account", account.id.0);
    }
}

/// The digest under which a session is kept.
pub fn session_digest(token: &SessionToken) -> Digest {
    Digest(token.digest().0)
}

/// Notes that a session is in use.
pub async fn in_use(site: &AppState, place: String, session: Digest) {
    let at = site.now();
    let used = SessionUse { session, at, place };
    let noted = site
        .deps
        .safety
        .use_session(&used, at + SESSION_IDLE, SESSION_MAX);
    if let Err(error) = noted.await {
        // Whoever cannot write can still be read from.
        tracing::debug!(%error, "the use of a session was not noted");
    }
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

impl Visitor {
    /// Who makes a request, without words for forms: those are made of chance, and most pages that are kept need none.
    pub(crate) async fn wordless(parts: &Parts, site: &Arc<AppState>) -> Result<Self, AppError> {
        let address = address_of(parts, site);
        let carried = site.cookies.read(&parts.headers);
        let account = match &carried {
            Some(token) => {
                let digest = session_digest(token);
                let accounts = &site.deps.accounts;
                accounts.account_of_session(digest, site.now()).await?
            }
            None => None,
        };
        log_whose(account.as_ref());
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
        let notice = cookie(parts, notice::COOKIE).and_then(|text| notice::read(&text));
        let asked = parts.uri.path_and_query().map(PathAndQuery::as_str);
        let here = asked
            .filter(|_| parts.method.is_safe())
            .and_then(Href::returning);
        let visitor = Self {
            here,
            token,
            is_new,
            account,
            grant: Grant::whole(),
            address,
            words: FormWords::default(),
            theme,
            has_keys: cookie(parts, "keys").as_deref() != Some("off"),
            notice,
            browser: browser(&parts.headers),
            known: cookie(parts, known::COOKIE),
        };
        if visitor.account.is_some() {
            let session = session_digest(&visitor.token);
            if site.uses.is_due(session, site.now()) {
                in_use(site, visitor.place(), session).await;
            }
        }
        Ok(visitor)
    }

    /// The same with words for forms.
    pub(crate) fn with_words(self, site: &AppState) -> Result<Self, AppError> {
        let words = FormWords::new(&site.csrf, &self.token)?;
        Ok(Self { words, ..self })
    }
}

impl FromRequestParts<Arc<AppState>> for Visitor {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<AppState>) -> Result<Self, AppError> {
        if let Some(known) = parts.extensions.get::<Self>() {
            return Ok(known.clone());
        }
        let visitor = Self::wordless(parts, site).await?;
        match parts.extensions.get::<GivenWords>() {
            Some(GivenWords(words)) => Ok(Self {
                words: words.clone(),
                ..visitor
            }),
            None => visitor.with_words(site),
        }
    }
}

/// Where a request comes from. Behind a proxy that is what the proxy itself adds: the last of the addresses that it passes
/// on, for whatever stands before that one can be anybody's invention.
pub(crate) fn address_of(parts: &Parts, site: &AppState) -> IpAddr {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    let peer = peer.map_or(IpAddr::from([127, 0, 0, 1]), |info| info.0.ip());
    if site.deps.config.is_proxied {
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
