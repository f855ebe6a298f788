//! Passkeys: added on one's own page, used to sign in, removed again.
//!
//! A passkey is checked by its owner's finger, face or code before it signs, so it stands for password and second factor both.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use quorate_runtime::ports::{Account, AccountError, AccountId, Passkey, SecurityEvent};

use crate::app::error::AppError;
use crate::app::posted::Posted;
use crate::app::reply;
use crate::app::safety::{self, Happened};
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::requests::forms::{Sent, answer};
use crate::security::chance::NoChance;
use crate::security::passkey::{PasskeyAnswer, PasskeyError, PasskeyFound, PasskeySite};
use crate::security::rate::Who;
use crate::site::account::fields::form_page;
use crate::site::account::session::begin;
use crate::ui::urls::Href;
use crate::ui::{
    Field, FieldKind, Form, FormPage, Link, Send, SettingsBlock, SettingsLine, When, urls,
};

/// The kind of word with which a browser is asked for a new key.
const ADDING: &str = "passkey";
/// And for one that it knows.
const ENTERING: &str = "passkey-in";

/// The most that an account has.
const PASSKEYS_MAX: usize = 20;

/// The longest name that its owner gives one, in letters.
const LABEL_MAX: usize = 60;

/// This site as browsers know it; none where the operator hasn't said where it is.
pub(crate) fn site_of(site: &AppState) -> Option<PasskeySite> {
    PasskeySite::at(site.deps.config.address.as_deref()?)
}

/// The passkeys among the settings.
///
/// # Errors
/// Fails where the system gives no random bytes.
pub(crate) fn block(
    site: &AppState,
    visitor: &Visitor,
    account: &Account,
    passkeys: &[Passkey],
) -> Result<SettingsBlock, NoChance> {
    let lines = passkeys.iter().map(|passkey| {
        let when = |at| When::new(reply::timestamp(at), reply::timestamp(site.now())).full();
        let used = passkey.used_at.map_or_else(
            || ", not used yet".to_owned(),
            |at| format!(", last used {}", when(at)),
        );
        let way = visitor.send(urls::SettingsDo {
            what: "passkey-off",
        });
        let way = way.with("passkey", URL_SAFE_NO_PAD.encode(&passkey.id));
        SettingsLine {
            title: passkey.label.clone(),
            about: format!("since {}{used}", when(passkey.made_at)),
            forms: vec![Form::button(way, "Remove it")],
            more: None,
        }
    });
    let known: Vec<String> = passkeys
        .iter()
        .map(|passkey| URL_SAFE_NO_PAD.encode(&passkey.id))
        .collect();
    let way = visitor.send(urls::SettingsDo { what: "passkey" });
    let way = asking(site, visitor, way, ADDING)?
        .with("user", account.name.clone())
        .with("handle", account.id.0.to_string())
        .with("known", known.join(" "))
        .with("public", "");
    let label = FieldKind::Line(String::new());
    let password = FieldKind::Password { fresh: false };
    let form = Form {
        fields: vec![
            Field::new("passkey-label", "label", "What to call it", label)
                .hint("Where it lies: “Phone”, “Laptop”.")
                .optional(),
            Field::new("passkey-old", "old", "Your password", password),
        ],
        ..Form::button(way, "Add a passkey")
    };
    let about = "A passkey signs you in with the lock of your phone or computer: no password, no code, and nothing that another \
                 site could take from you.";
    Ok(SettingsBlock {
        lines: lines.collect(),
        forms: vec![form],
        ..SettingsBlock::new("passkeys", "Passkeys", about)
    })
}

/// A form that asks the browser for a key under a fresh word, with room for what it says.
fn asking(site: &AppState, visitor: &Visitor, way: Send, kind: &str) -> Result<Send, NoChance> {
    let word = site
        .journeys
        .seal(kind, &(), &visitor.token, site.now_ms())?;
    let rooms = ["credential", "client", "data"];
    let way = way.with("challenge", word);
    Ok(rooms.into_iter().fold(way, |way, room| way.with(room, "")))
}

/// What the browser said; none where it said nothing.
fn said(form: &Posted) -> Option<PasskeyAnswer> {
    Some(PasskeyAnswer {
        id: bytes(form, "credential")?,
        client: bytes(form, "client")?,
        data: bytes(form, "data")?,
    })
}

fn bytes(form: &Posted, name: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(form.filled(name)?).ok()
}

fn nothing_said() -> AppError {
    let nothing = "Your browser gave no passkey. It needs scripts and a screen lock, and you have to say yes.";
    AppError::Form(nothing.to_owned())
}

/// Whether an answer is one to a word that this browser was given lately, and the first to it.
async fn is_first(site: &AppState, visitor: &Visitor, kind: &str, found: &PasskeyFound) -> bool {
    let (word, now) = (&found.challenge, site.now_ms());
    let opened = site.journeys.open::<()>(kind, word, &visitor.token, now);
    opened.is_some() && site.is_first_use(word).await
}

/// Adds a passkey to an account whose owner has typed the password.
pub(crate) async fn added(
    site: &AppState,
    visitor: &Visitor,
    account: &Account,
    form: &Posted,
) -> Result<Response, AppError> {
    let own = site_of(site).ok_or(AppError::NotFound)?;
    let said = said(form).ok_or_else(nothing_said)?;
    let key = bytes(form, "public").ok_or_else(nothing_said)?;
    let found = own.made(&said, &key).map_err(|error| {
        tracing::info!(target: "security", %error, "a passkey was not added");
        AppError::Form(match error {
            PasskeyError::UnknownKind => "This server can't read that kind of key.".to_owned(),
            _ => "That passkey can't be used here.".to_owned(),
        })
    })?;
    if !is_first(site, visitor, ADDING, &found).await {
        let stale = "The page was open too long. Try again.";
        return Err(AppError::Form(stale.to_owned()));
    }
    let safe = &site.deps.safety;
    if safe.passkeys_of(account.id).await?.len() >= PASSKEYS_MAX {
        let full = format!("You have {PASSKEYS_MAX} passkeys. Remove one first.");
        return Err(AppError::Form(full));
    }
    let label: String = form
        .filled("label")
        .unwrap_or("A passkey")
        .chars()
        .take(LABEL_MAX)
        .collect();
    let passkey = Passkey {
        id: said.id,
        account: account.id,
        key,
        sign_count: found.sign_count,
        label,
        made_at: site.now(),
        used_at: None,
    };
    match safe.add_passkey(&passkey).await {
        Err(AccountError::WayTaken) => {
            let taken = "That passkey leads into an account here already.";
            return Err(AppError::Form(taken.to_owned()));
        }
        done => done?,
    }
    let happened = Happened {
        about: passkey.label,
        ..Happened::to(account.id, SecurityEvent::PasskeyAdded)
    };
    safety::note(site, visitor, happened).await;
    let notice = "You can sign in with that passkey now.";
    Ok(reply::see_with(&urls::Settings.into(), notice))
}

/// Removes a passkey.
pub(crate) async fn removed(
    site: &AppState,
    visitor: &Visitor,
    account: &Account,
    form: &Posted,
) -> Result<Response, AppError> {
    let id = bytes(form, "passkey").ok_or(AppError::NotFound)?;
    if !site.deps.safety.drop_passkey(account.id, &id).await? {
        return Err(AppError::NotFound);
    }
    let removed = Happened::to(account.id, SecurityEvent::PasskeyRemoved);
    safety::note(site, visitor, removed).await;
    Ok(reply::see_with(
        &urls::Settings.into(),
        "The passkey is removed.",
    ))
}

/// `GET /sign-in/passkey`.
pub(crate) async fn sign_in_form(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let next = query.get("next").map_or("", String::as_str);
    let page = page(&site, &visitor, next, None);
    let page = page.map(|page| reply::page(&site, &visitor, StatusCode::OK, &page));
    answer(&site, &visitor, page)
}

fn page(
    site: &AppState,
    visitor: &Visitor,
    next: &str,
    error: Option<String>,
) -> Result<FormPage, AppError> {
    site_of(site).ok_or(AppError::NotFound)?;
    let way = asking(site, visitor, visitor.send(urls::SignInPasskey), ENTERING)?
        .with("signature", "")
        .with("next", next);
    let form = Form {
        expected: true,
        ..Form::button(way, "Use your passkey")
    };
    let about = "Your phone or computer asks you to unlock it, and you are in.";
    let mut page = form_page(
        site,
        visitor,
        "Sign in with a passkey",
        about,
        error,
        Some(form),
    );
    let mut password = Href::from(urls::SignIn);
    if !next.is_empty() {
        password = password.with("next", next);
    }
    page.ways = vec![Link::new("Sign in with your password", password)];
    Ok(page)
}

/// `POST /sign-in/passkey`.
pub(crate) async fn sign_in(State(site): State<Arc<AppState>>, sent: Sent) -> Response {
    let (visitor, form) = (&sent.visitor, &sent.form);
    let result = match signed_in(&site, visitor, form).await {
        Err(AppError::Form(error)) => {
            let next = form.one("next").unwrap_or_default();
            page(&site, visitor, next, Some(error))
                .map(|page| reply::page(&site, visitor, StatusCode::UNAUTHORIZED, &page))
        }
        other => other,
    };
    answer(&site, visitor, result)
}

async fn signed_in(
    site: &AppState,
    visitor: &Visitor,
    form: &Posted,
) -> Result<Response, AppError> {
    let own = site_of(site).ok_or(AppError::NotFound)?;
    site.sign_ins
        .take(Who::address(visitor.address), site.now_ms())
        .await?;
    let said = said(form).ok_or_else(nothing_said)?;
    let signature = bytes(form, "signature").ok_or_else(nothing_said)?;
    let safe = &site.deps.safety;
    let passkey = safe.passkey(&said.id).await?;
    let account = passkey.as_ref().map(|passkey| passkey.account);
    let is_right = match &passkey {
        None => false,
        Some(passkey) => match own.used(&said, &signature, &passkey.key) {
            Ok(found) => {
                is_first(site, visitor, ENTERING, &found).await
                    && safe
                        .use_passkey(&said.id, found.sign_count, site.now())
                        .await?
            }
            Err(error) => {
                tracing::info!(target: "security", %error, "a passkey did not count");
                false
            }
        },
    };
    let Some(account) = entering(site, account.filter(|_| is_right)).await? else {
        let failed = Happened {
            event: SecurityEvent::SignInFailed,
            account,
            about: "by passkey".to_owned(),
        };
        safety::note(site, visitor, failed).await;
        let wrong = "That passkey did not sign you in. Try again, or use your password.";
        return Err(AppError::Form(wrong.to_owned()));
    };
    let back = form.filled("next").and_then(Href::returning);
    let back = back.unwrap_or_else(|| urls::Home.into());
    let notice = format!("Welcome back, {}.", account.name);
    let response = begin(site, visitor, &account, &back, &notice).await?;
    let happened = Happened {
        about: "by passkey".to_owned(),
        ..Happened::to(account.id, SecurityEvent::SignedIn)
    };
    safety::note(site, visitor, happened).await;
    Ok(response)
}

async fn entering(site: &AppState, id: Option<AccountId>) -> Result<Option<Account>, AppError> {
    match id {
        None => Ok(None),
        Some(id) => Ok(site.deps.accounts.account(id).await?),
    }
}
