//! Signing up, in and out; recovery by a link.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use quorate_engine::names;
use quorate_kernel::digest::Digest;
use quorate_runtime::ports::{
    Account, AccountError, AccountId, Invitation, NewAccount, SecurityEvent,
};

use crate::app::error::AppError;
use crate::app::mail::is_address;
use crate::app::outside::Provider;
use crate::app::passwords;
use crate::app::posted::Posted;
use crate::app::reply;
use crate::app::safety::{self, Happened};
use crate::app::state::AppState;
use crate::app::visitor::{Visitor, session_digest};
use crate::requests::forms::{Sent, answer};
use crate::security::carried::digest_of;
use crate::security::password::Tried;
use crate::security::rate::Who;
use crate::site::account::fields::{form_page, password_field};
use crate::site::account::session::begin;
use crate::site::account::{factor, passkey};
use crate::ui::urls::Href;
use crate::ui::{Field, FieldKind, Form, FormPage, Link, urls};

fn name_field(name: &str) -> Field {
    Field::new("name", "name", "Name", FieldKind::Account(name.to_owned()))
}

/// `GET /sign-in`.
pub async fn sign_in_form(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let next = query.get("next").cloned().unwrap_or_default();
    let page = sign_in_page(&site, &visitor, "", &next, None);
    reply::page(&site, &visitor, StatusCode::OK, &page)
}

pub(super) fn sign_in_page(
    site: &AppState,
    visitor: &Visitor,
    name: &str,
    next: &str,
    error: Option<String>,
) -> FormPage {
    let form = Form {
        fields: vec![name_field(name), password_field(false)],
        expected: true,
        ..Form::button(visitor.send(urls::SignIn).with("next", next), "Sign in")
    };
    let mut page = form_page(
        site,
        visitor,
        "Sign in",
        "With the name and password of your account here.",
        error,
        Some(form),
    );
    let on = |to: Href| match next {
        "" => to,
        next => to.with("next", next),
    };
    page.ways = ways(site, Some(next).filter(|next| !next.is_empty()), None);
    if passkey::site_of(site).is_some() {
        let way = Link::new("Sign in with a passkey", on(urls::SignInPasskey.into()));
        page.ways.insert(0, way);
    }
    page.ways.extend([
        Link::new("Make an account", on(urls::SignUp.into())),
        Link::new("I cannot sign in", urls::Recover),
    ]);
    page
}

/// The ways out of a page on which people sign in or up.
fn ways(site: &AppState, next: Option<&str>, invitation: Option<&str>) -> Vec<Link> {
    let way = |provider: &Provider| {
        let provider_word = provider.word.as_str();
        let mut href = Href::from(urls::SignInWith {
            provider: provider_word,
        });
        for (field, word) in [("next", next), ("invitation", invitation)] {
            if let Some(word) = word {
                href = href.with(field, word);
            }
        }
        Link::new(format!("Sign in with {}", provider.title), href)
    };
    site.deps.config.outside.iter().map(way).collect()
}

/// `POST /sign-in`.
pub async fn sign_in(State(site): State<Arc<AppState>>, sent: Sent) -> Response {
    let visitor = &sent.visitor;
    let result = match signed_in(&site, visitor, &sent.form).await {
        Err(AppError::Form(error)) => {
            let name = sent.form.one("name").unwrap_or_default();
            let next = sent.form.one("next").unwrap_or_default();
            let page = sign_in_page(&site, visitor, name, next, Some(error));
            Ok(reply::page(&site, visitor, StatusCode::UNAUTHORIZED, &page))
        }
        other => other,
    };
    answer(&site, visitor, result)
}

async fn signed_in(
    site: &Arc<AppState>,
    visitor: &Visitor,
    form: &Posted,
) -> Result<Response, AppError> {
    let name = form.filled("name").unwrap_or_default().to_owned();
    let password = form.one("password").unwrap_or_default().to_owned();
    let account = site.deps.accounts.account_by_name(&name).await?;
    count_try(site, visitor, &name, account.as_ref()).await?;
    let kept = account
        .as_ref()
        .and_then(|account| account.password.clone());
    let tried = passwords::tried(site, &password, kept).await?;
    // One answer for a wrong name and a wrong password, and as much time for both.
    let wrong = || AppError::Form("That name and password do not belong together.".to_owned());
    let (Tried::Right { is_stale }, Some(mut account)) = (tried, account.clone()) else {
        let failed = Happened {
            event: SecurityEvent::SignInFailed,
            account: account.map(|account| account.id),
            // What was typed as a name may be a password.
            about: String::new(),
        };
        safety::note(site, visitor, failed).await;
        return Err(wrong());
    };
    if is_stale {
        account.password = Some(passwords::digest(site, &password).await?);
        site.deps.accounts.change(&account).await?;
    }
    if site.deps.safety.second_factor(account.id).await?.is_some() {
        let ticket = site.tickets.issue(&account, site.now_ms());
        let next = form.one("next").unwrap_or_default();
        let page = factor::asking(site, visitor, &ticket, next, None);
        return Ok(reply::page(site, visitor, StatusCode::OK, &page));
    }
    let back = form
        .filled("next")
        .and_then(Href::returning)
        .unwrap_or_else(|| urls::Home.into());
    let notice = format!("Welcome back, {}.", account.name);
    let response = begin(site, visitor, &account, &back, &notice).await?;
    let signed_in = Happened::to(account.id, SecurityEvent::SignedIn);
    safety::note(site, visitor, signed_in).await;
    Ok(response)
}

/// Counts a try at a password. Those of strangers count by the name and by their address, and lock out none who was signed in
/// from this browser before, even if the strangers come from the same address.
async fn count_try(
    site: &AppState,
    visitor: &Visitor,
    name: &str,
    account: Option<&Account>,
) -> Result<(), AppError> {
    let now = site.now_ms();
    let known = account.and_then(|account| visitor.known_for(site, account));
    let Some(word) = known else {
        let (address, named) = (Who::address(visitor.address), name.to_lowercase());
        site.sign_ins.take(address, now).await?;
        let named = Who::Account(format!("named {named}"));
        return Ok(site.sign_ins.take(named, now).await?);
    };
    let known = Who::Account(format!("known {word}"));
    Ok(site.sign_ins.take(known, now).await?)
}

/// The digest of the password that a form sets, for somebody of whom such words are known.
///
/// # Errors
/// Fails where the password is too short, too long or too common.
pub(crate) async fn new_password(
    site: &Arc<AppState>,
    form: &Posted,
    known: Vec<String>,
) -> Result<String, AppError> {
    let password = form.one("password").unwrap_or_default();
    passwords::fresh(site, password, known).await
}

/// What is known of somebody, and no good password.
pub(crate) fn words_of(account: &Account) -> Vec<String> {
    let mail = account.mail.iter().cloned();
    std::iter::once(account.name.clone()).chain(mail).collect()
}

/// The mail address that a form gives, if any.
///
/// # Errors
/// Fails where no mail could go there.
pub(crate) fn mail_in(form: &Posted) -> Result<Option<String>, AppError> {
    let mail = form.filled("mail").map(str::to_owned);
    if mail.as_deref().is_some_and(|mail| !is_address(mail)) {
        return Err(AppError::Form("That is no mail address.".to_owned()));
    }
    Ok(mail)
}

/// `POST /sign-out`.
pub async fn sign_out(State(site): State<Arc<AppState>>, sent: Sent) -> Response {
    let ended = site
        .deps
        .accounts
        .end_session(session_digest(&sent.visitor.token))
        .await;
    if let Err(error) = ended {
        return reply::failed(&site, &sent.visitor, None, error.into());
    }
    let mut response = reply::see_with(&urls::Home.into(), "You are signed out.");
    response
        .headers_mut()
        .append(header::SET_COOKIE, site.cookies.clear());
    response
}

/// `GET /sign-up`.
pub async fn sign_up_form(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let asked = SignUpAsk {
        next: query.get("next").map(String::as_str),
        ..SignUpAsk::default()
    };
    let page = sign_up_page(&site, &visitor, asked, None);
    reply::page(&site, &visitor, StatusCode::OK, &page)
}

/// What a form that makes an account is filled with.
#[derive(Clone, Copy, Default)]
struct SignUpAsk<'a> {
    name: &'a str,
    invitation: Option<&'a str>,
    /// Where somebody was who came here.
    next: Option<&'a str>,
}

fn sign_up_page(
    site: &AppState,
    visitor: &Visitor,
    asked: SignUpAsk<'_>,
    error: Option<String>,
) -> FormPage {
    let invitation = asked.invitation;
    let about = if site.deps.config.mail.is_some() {
        "Mail is for recovery alone."
    } else {
        "Only this server’s operator sees your mail address."
    };
    if !site.deps.config.is_open && invitation.is_none() {
        let closed =
            "This server makes accounts by invitation. Ask somebody who plays here for one.";
        return form_page(site, visitor, "Sign up", closed, error, None);
    }
    let mail = Field::new(
        "mail",
        "mail",
        "Mail address",
        FieldKind::Mail(String::new()),
    );
    let mut way = visitor.send(urls::SignUp);
    let along = [("invitation", invitation), ("next", asked.next)];
    for (field, word) in along {
        if let Some(word) = word {
            way = way.with(field, word);
        }
    }
    let form = Form {
        fields: vec![
            name_field(asked.name).hint("Only for signing in."),
            password_field(true),
            mail.optional(),
        ],
        expected: true,
        ..Form::button(way, "Make the account")
    };
    let mut page = form_page(site, visitor, "Sign up", about, error, Some(form));
    page.ways = ways(site, asked.next, invitation);
    page
}

/// `GET /invitation/{code}`.
pub async fn invited(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    Path(code): Path<String>,
) -> Response {
    let found = site
        .deps
        .accounts
        .invitation(digest_of(&code), site.now())
        .await;
    match found {
        Ok(Some(_)) => {
            let asked = SignUpAsk {
                invitation: Some(&code),
                ..SignUpAsk::default()
            };
            let page = sign_up_page(&site, &visitor, asked, None);
            reply::page(&site, &visitor, StatusCode::OK, &page)
        }
        Ok(None) => reply::failed(&site, &visitor, None, AppError::NotFound),
        Err(error) => reply::failed(&site, &visitor, None, error.into()),
    }
}

/// `POST /sign-up`.
pub async fn sign_up(State(site): State<Arc<AppState>>, sent: Sent) -> Response {
    let visitor = &sent.visitor;
    let result = match signed_up(&site, visitor, &sent.form).await {
        Err(AppError::Form(error)) => {
            let asked = SignUpAsk {
                name: sent.form.one("name").unwrap_or_default(),
                invitation: sent.form.filled("invitation"),
                next: sent.form.filled("next"),
            };
            let page = sign_up_page(&site, visitor, asked, Some(error));
            Ok(reply::page(&site, visitor, StatusCode::BAD_REQUEST, &page))
        }
        other => other,
    };
    answer(&site, visitor, result)
}

async fn signed_up(
    site: &Arc<AppState>,
    visitor: &Visitor,
    form: &Posted,
) -> Result<Response, AppError> {
    site.sign_ups
        .take(Who::address(visitor.address), site.now_ms())
        .await?;
    let name = form.filled("name").unwrap_or_default();
    fit(site, name).await?;
    let accounts = &site.deps.accounts;
    let invitation = invitation(site, form.filled("invitation")).await?;
    let mail = mail_in(form)?;
    let known = std::iter::once(name.to_owned()).chain(mail.clone());
    let account = NewAccount {
        password: Some(new_password(site, form, known.collect()).await?),
        name: name.to_owned(),
        mail,
        operator: false,
        made_at: site.now(),
    };
    let by = invitation.as_ref().map(|invitation| invitation.digest);
    let mut made = make(site, &account, by).await;
    if matches!(made, Err(AccountError::MailTaken)) {
        // Whether an address has an account is not for strangers to find out, so this account is made without it.
        let without = NewAccount {
            mail: None,
            ..account
        };
        made = make(site, &without, by).await;
    }
    let id = made.map_err(of_form)?;
    let account = accounts.account(id).await?.ok_or(AppError::NotFound)?;
    safety::note(site, visitor, Happened::to(id, SecurityEvent::SignedUp)).await;
    let back = after(invitation, form.filled("next"));
    begin(site, visitor, &account, &back, &format!("Welcome, {name}.")).await
}

/// Whether a new account may have a name: it fits, and looks like nobody else's.
pub(super) async fn fit(site: &AppState, name: &str) -> Result<(), AppError> {
    names::fit(name).map_err(|what| AppError::Form(format!("Give {what}.")))?;
    // Whoever looks like somebody else could be taken for them.
    let mut others = site.deps.accounts.accounts().await?.into_iter();
    if others.any(|other| names::look_alike(&other.name, name)) {
        return Err(of_form(AccountError::NameTaken));
    }
    Ok(())
}

/// The invitation by which an account is to be made, or none where anybody may make one.
pub(super) async fn invitation(
    site: &AppState,
    code: Option<&str>,
) -> Result<Option<Invitation>, AppError> {
    match code.map(digest_of) {
        Some(digest) => {
            let known = site.deps.accounts.invitation(digest, site.now()).await?;
            let known = known.ok_or(AccountError::NoInvitation).map_err(of_form)?;
            Ok(Some(known))
        }
        None if site.deps.config.is_open => Ok(None),
        None => {
            let closed = "Accounts are made by invitation here.";
            Err(AppError::Form(closed.to_owned()))
        }
    }
}

/// Where somebody goes who has just made an account.
pub(super) fn after(invitation: Option<Invitation>, next: Option<&str>) -> Href {
    let game = invitation.and_then(|invitation| invitation.game);
    let join = game.map(|game| {
        let game = game.as_str();
        urls::Join { game }.into()
    });
    let here = || next.and_then(Href::returning);
    join.or_else(here).unwrap_or_else(|| urls::Home.into())
}

/// Makes an account, by an invitation where there is one, which is used up then and not before.
async fn make(
    site: &AppState,
    account: &NewAccount,
    invitation: Option<Digest>,
) -> Result<AccountId, AccountError> {
    match invitation {
        Some(invitation) => site.deps.safety.make_invited(account, invitation).await,
        None => site.deps.accounts.make(account).await,
    }
}

/// What the form can be mended for is told beside it.
pub(super) fn of_form(error: AccountError) -> AppError {
    match error {
        AccountError::NameTaken | AccountError::NoInvitation | AccountError::WayTaken => {
            AppError::Form(error.to_string())
        }
        AccountError::MailTaken
        | AccountError::SeatTaken
        | AccountError::NoAccount
        | AccountError::Store(_) => error.into(),
    }
}

/// A cookie that only looks: light or dark, keys on or off.
pub fn taste(name: &str, value: &str) -> Option<HeaderValue> {
    let text = format!("{name}={value}; Path=/; Max-Age=31536000; SameSite=Lax");
    HeaderValue::from_str(&text).ok()
}
