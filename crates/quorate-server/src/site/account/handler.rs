//! Signing up, in and out; recovery by a link.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use quorate_kernel::Span;
use quorate_runtime::ports::{Account, AccountError, AccountId, NewAccount, Session};

use crate::app::error::AppError;
use crate::app::forms::{Sent, answer};
use crate::app::mail::is_address;
use crate::app::posted::Posted;
use crate::app::reply;
use crate::app::reply::SESSION_SECONDS;
use crate::app::state::{AppState, digest_of};
use crate::app::visitor::{Visitor, session_digest};
use crate::security::password::{Passwords, Tried};
use crate::security::rate::Who;
use crate::security::session::SessionToken;
use crate::ui::urls::Href;
use crate::ui::{Field, FieldKind, Form, FormPage, Link, urls};

/// The longest name of an account, in letters.
const NAME_LETTERS: usize = 64;

pub(crate) fn form_page(
    site: &AppState,
    visitor: &Visitor,
    title: &str,
    about: &str,
    error: Option<String>,
    form: Option<Form>,
) -> FormPage {
    FormPage {
        chrome: reply::chrome(site, visitor, title),
        title: title.to_owned(),
        about: about.to_owned(),
        error,
        form,
        ways: Vec::new(),
    }
}

fn name_field(name: &str) -> Field {
    Field::new("name", "name", "Name", FieldKind::Account(name.to_owned()))
}

pub(crate) fn password_field(fresh: bool) -> Field {
    let field = Field::new(
        "password",
        "password",
        "Password",
        FieldKind::Password { fresh },
    );
    if fresh {
        field.hint("At least ten letters; a few words do well.")
    } else {
        field
    }
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

fn sign_in_page(
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
    page.ways = vec![
        Link::new("Make an account", urls::SignUp),
        Link::new("I cannot sign in", urls::Recover),
    ];
    page
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
    site.sign_ins
        .take(Who::address(visitor.address), site.now_ms())?;
    site.sign_ins
        .take(Who::Account(name.to_lowercase()), site.now_ms())?;
    let account = site.parts.accounts.account_by_name(&name).await?;
    let kept = account
        .as_ref()
        .and_then(|account| account.password.clone());
    let (trying, typed) = (Arc::clone(site), password.clone());
    let tried =
        tokio::task::spawn_blocking(move || trying.passwords.try_password(&typed, kept.as_deref()));
    // One answer for a wrong name and a wrong password, and as much time for both.
    let wrong = || AppError::Form("That name and password do not belong together.".to_owned());
    let (Tried::Right { is_stale }, Some(account)) = (tried.await?, account) else {
        return Err(wrong());
    };
    if is_stale {
        renew_digest(site, &account, &password).await?;
    }
    let back = form
        .filled("next")
        .and_then(Href::returning)
        .unwrap_or_else(|| urls::Home.into());
    begin(
        site,
        visitor,
        account.id,
        &back,
        &format!("Welcome back, {}.", account.name),
    )
    .await
}

async fn renew_digest(
    site: &Arc<AppState>,
    account: &Account,
    password: &str,
) -> Result<(), AppError> {
    let digest = digest(site, password).await?;
    let account = Account {
        password: Some(digest),
        ..account.clone()
    };
    Ok(site.parts.accounts.change(&account).await?)
}

/// The digest of a password, worked out where it may take its time.
pub async fn digest(site: &Arc<AppState>, password: &str) -> Result<String, AppError> {
    let (working, password) = (Arc::clone(site), password.to_owned());
    Ok(tokio::task::spawn_blocking(move || working.passwords.digest(&password)).await??)
}

/// The digest of the password that a form sets.
///
/// # Errors
/// Fails where the password is too short or too long.
pub(crate) async fn new_password(site: &Arc<AppState>, form: &Posted) -> Result<String, AppError> {
    let password = form.one("password").unwrap_or_default();
    Passwords::judge(password).map_err(|why| AppError::Form(why.to_string()))?;
    digest(site, password).await
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

/// Begins a session under a new secret and goes on.
pub async fn begin(
    site: &AppState,
    visitor: &Visitor,
    account: AccountId,
    to: &Href,
    notice: &str,
) -> Result<Response, AppError> {
    let token = SessionToken::fresh()?;
    let began_at = site.now();
    let session = Session {
        digest: session_digest(&token),
        account,
        began_at,
        ends_at: began_at + Span(i64::try_from(SESSION_SECONDS * 1_000).unwrap_or(i64::MAX)),
    };
    site.parts
        .accounts
        .end_session(session_digest(&visitor.token))
        .await?;
    site.parts.accounts.begin_session(&session).await?;
    let mut response = reply::see_with(to, notice);
    response.headers_mut().append(
        header::SET_COOKIE,
        site.cookies.set(&token, SESSION_SECONDS),
    );
    Ok(response)
}

/// `POST /sign-out`.
pub async fn sign_out(State(site): State<Arc<AppState>>, sent: Sent) -> Response {
    let ended = site
        .parts
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
pub async fn sign_up_form(State(site): State<Arc<AppState>>, visitor: Visitor) -> Response {
    let page = sign_up_page(&site, &visitor, "", None, None);
    reply::page(&site, &visitor, StatusCode::OK, &page)
}

fn sign_up_page(
    site: &AppState,
    visitor: &Visitor,
    name: &str,
    invitation: Option<&str>,
    error: Option<String>,
) -> FormPage {
    let about = if site.parts.house.mail.is_some() {
        "A name and a password; a mail address only if you want to recover it by mail."
    } else {
        "A name and a password. This server sends no mail, so an address is only for whoever runs it to reach you."
    };
    if !site.parts.house.is_open && invitation.is_none() {
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
    if let Some(word) = invitation {
        way = way.with("invitation", word);
    }
    let form = Form {
        fields: vec![
            name_field(name)
                .hint("You sign in with it; what you are called in a game you choose there."),
            password_field(true),
            mail.optional(),
        ],
        expected: true,
        ..Form::button(way, "Make the account")
    };
    form_page(site, visitor, "Sign up", about, error, Some(form))
}

/// `GET /invitation/{code}`.
pub async fn invited(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    Path(code): Path<String>,
) -> Response {
    let found = site
        .parts
        .accounts
        .invitation(digest_of(&code), site.now())
        .await;
    match found {
        Ok(Some(_)) => {
            let page = sign_up_page(&site, &visitor, "", Some(&code), None);
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
            let name = sent.form.one("name").unwrap_or_default();
            let page = sign_up_page(
                &site,
                visitor,
                name,
                sent.form.filled("invitation"),
                Some(error),
            );
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
        .take(Who::address(visitor.address), site.now_ms())?;
    let name = form.filled("name").unwrap_or_default();
    let letters = name.chars().count();
    if letters == 0 || letters > NAME_LETTERS || name.chars().any(char::is_control) {
        return Err(AppError::Form(format!(
            "Give a name of 1 to {NAME_LETTERS} letters."
        )));
    }
    let password = new_password(site, form).await?;
    let invitation = form.filled("invitation").map(digest_of);
    let to = match invitation {
        Some(invitation) => Some(accept(site, invitation).await?),
        None if site.parts.house.is_open => None,
        None => {
            return Err(AppError::Form(
                "Accounts are made by invitation here.".to_owned(),
            ));
        }
    };
    let account = NewAccount {
        name: name.to_owned(),
        mail: mail_in(form)?,
        password: Some(password),
        operator: false,
        made_at: site.now(),
    };
    let mut made = site.parts.accounts.make(&account).await;
    if matches!(made, Err(AccountError::MailTaken)) {
        // Whether an address has an account is not for strangers to find out, so this account is made without it.
        let without = NewAccount {
            mail: None,
            ..account
        };
        made = site.parts.accounts.make(&without).await;
    }
    let id = made.map_err(|error| match error {
        AccountError::NameTaken => AppError::Form(error.to_string()),
        other => other.into(),
    })?;
    let back = to.flatten().unwrap_or_else(|| urls::Home.into());
    begin(site, visitor, id, &back, &format!("Welcome, {name}.")).await
}

/// Uses an invitation up, and gives where it leads.
async fn accept(
    site: &AppState,
    digest: quorate_kernel::digest::Digest,
) -> Result<Option<Href>, AppError> {
    let no_more = || AppError::Form("That invitation has been used, or has ended.".to_owned());
    let invitation = site.parts.accounts.invitation(digest, site.now()).await?;
    let invitation = invitation.ok_or_else(no_more)?;
    if !site
        .parts
        .accounts
        .use_invitation(digest, site.now())
        .await?
    {
        return Err(no_more());
    }
    Ok(invitation.game.map(|game| {
        urls::Join {
            game: game.as_str(),
        }
        .into()
    }))
}

/// A cookie that only looks: light or dark, keys on or off.
pub fn taste(name: &str, value: &str) -> Option<HeaderValue> {
    let text = format!("{name}={value}; Path=/; Max-Age=31536000; SameSite=Lax");
    HeaderValue::from_str(&text).ok()
}
