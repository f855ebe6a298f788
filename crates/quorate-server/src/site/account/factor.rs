//! A second factor: turned on with an app's code, asked for after the password, turned off again.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use quorate_runtime::ports::{Account, AccountId, SecondFactor, SecurityEvent};

use crate::app::error::AppError;
use crate::app::posted::Posted;
use crate::app::reply;
use crate::app::safety::{self, Happened};
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::requests::forms::{Sent, answer};
use crate::security::carried::digest_of;
use crate::security::factor::{FactorKey, Tickets, normal, recovery_codes};
use crate::security::rate::Who;
use crate::site::account::fields::form_page;
use crate::site::account::session::begin;
use crate::ui::urls::Href;
use crate::ui::{Field, FieldKind, Form, FormPage, Link, SettingsBlock, urls};

/// The second factor among the settings.
pub(crate) fn block(visitor: &Visitor, factor: Option<&SecondFactor>) -> SettingsBlock {
    let button = |what: &str, fields: Vec<Field>, words: &str| Form {
        fields,
        ..Form::button(visitor.send(urls::SettingsDo { what }), words)
    };
    let password = |id: &str| {
        Field::new(
            id,
            "old",
            "Your password",
            FieldKind::Password { fresh: false },
        )
    };
    let (about, form) = match factor {
        None => (
            "With a second factor, signing in takes a code of an app on your phone beside the password.".to_owned(),
            button("factor", vec![password("factor-old")], "Set it up"),
        ),
        Some(factor) => (
            format!(
                "Signing in takes a code of your app beside the password. You have {} codes left for when you lose it.",
                factor.code_count
            ),
            button(
                "factor-off",
                vec![password("factor-old"), code_field("factor-code")],
                "Turn it off",
            ),
        ),
    };
    SettingsBlock {
        forms: vec![form],
        ..SettingsBlock::new("factor", "Second factor", about)
    }
}

fn code_field(id: &str) -> Field {
    Field::new(id, "code", "Code", FieldKind::Line(String::new()))
        .hint("Six digits from the app, or one of the codes that you wrote down.")
}

/// Begins to set a second factor, for somebody who has just typed the password.
pub(crate) async fn begin_setting(
    site: &AppState,
    visitor: &Visitor,
    account: &Account,
) -> Result<Response, AppError> {
    check_free(site, account).await?;
    let ticket = site.tickets.issue(account, site.now_ms());
    Ok(begun(site, visitor, &FactorKey::fresh()?, &ticket, None))
}

/// One that is on is turned off first, which takes a code of it.
async fn check_free(site: &AppState, account: &Account) -> Result<(), AppError> {
    if site.deps.safety.second_factor(account.id).await?.is_none() {
        return Ok(());
    }
    let on = "The second factor is on. Turn it off first.";
    Err(AppError::Form(on.to_owned()))
}

/// The page that gives the key; an app's code proves that it has it.
fn begun(
    site: &AppState,
    visitor: &Visitor,
    key: &FactorKey,
    ticket: &str,
    error: Option<String>,
) -> Response {
    let name = visitor
        .account
        .as_ref()
        .map_or("", |account| account.name.as_str());
    let about = format!(
        "Type this key into an authenticator app, or open the link on the phone that has it: {} \u{2014} {}",
        key.words(),
        key.link(name)
    );
    let way = visitor.send(urls::SettingsDo { what: "factor-on" });
    let code = Field::new(
        "code",
        "code",
        "The code that it shows",
        FieldKind::Line(String::new()),
    );
    let form = Form {
        fields: vec![code],
        expected: true,
        ..Form::button(
            way.with("key", key.words()).with("ticket", ticket),
            "Turn it on",
        )
    };
    let mut page = form_page(site, visitor, "A second factor", &about, error, Some(form));
    page.ways = vec![Link::new("Back to the settings", urls::Settings)];
    reply::page(site, visitor, StatusCode::OK, &page)
}

/// Turns a second factor on, once the app shows the right code, for whoever has the ticket that the password gave.
pub(crate) async fn turned_on(
    site: &AppState,
    visitor: &Visitor,
    account: &Account,
    form: &Posted,
) -> Result<Response, AppError> {
    let key = form
        .filled("key")
        .and_then(FactorKey::parse)
        .ok_or(AppError::NotFound)?;
    check_free(site, account).await?;
    let ticket = form.one("ticket").unwrap_or_default();
    if !site.tickets.admits(ticket, account, site.now_ms()) {
        let stale = "That took too long. Type your password again.";
        return Err(AppError::Form(stale.to_owned()));
    }
    let code = form.filled("code").unwrap_or_default();
    let Some(step) = key.step_of(code, site.now_ms()) else {
        let wrong = "That is not what the app shows now: look at its clock, and try the next code.";
        return Ok(begun(site, visitor, &key, ticket, Some(wrong.to_owned())));
    };
    let codes = recovery_codes()?;
    let digests: Vec<_> = codes.iter().map(|code| digest_of(&normal(code))).collect();
    let safe = &site.deps.safety;
    safe.set_second_factor(account.id, key.bytes(), step, &digests)
        .await?;
    safety::note(
        site,
        visitor,
        Happened::to(account.id, SecurityEvent::FactorOn),
    )
    .await;
    let about = format!(
        "From now on signing in takes a code. Write these down for when you lose the app; each counts once, and they are shown \
         this once: {}",
        codes.join(", ")
    );
    let mut page = form_page(site, visitor, "The second factor is on", &about, None, None);
    page.ways = vec![Link::new("Back to the settings", urls::Settings)];
    Ok(reply::page(site, visitor, StatusCode::OK, &page))
}

/// Turns it off, with a code.
pub(crate) async fn turned_off(
    site: &AppState,
    visitor: &Visitor,
    account: &Account,
    form: &Posted,
) -> Result<Response, AppError> {
    let checked = check(site, account.id, form.filled("code").unwrap_or_default()).await;
    if let Err(AppError::Form(_)) = &checked {
        let failed = Happened::to(account.id, SecurityEvent::CheckFailed);
        safety::note(site, visitor, failed).await;
    }
    checked?;
    site.deps.safety.drop_second_factor(account.id).await?;
    safety::note(
        site,
        visitor,
        Happened::to(account.id, SecurityEvent::FactorOff),
    )
    .await;
    Ok(reply::see_with(
        &urls::Settings.into(),
        "The second factor is off.",
    ))
}

/// Whether a code is one of the account's, which it then is no longer.
async fn check(site: &AppState, id: AccountId, code: &str) -> Result<(), AppError> {
    let tries = Who::Account(format!("code {}", id.0));
    site.sign_ins.take(tries, site.now_ms()).await?;
    let safe = &site.deps.safety;
    let factor = safe.second_factor(id).await?.ok_or(AppError::NotFound)?;
    let key = FactorKey::of(factor.secret);
    let is_right = match key.step_of(code, site.now_ms()) {
        Some(step) => safe.use_step(id, step).await?,
        None => safe.use_recovery_code(id, digest_of(&normal(code))).await?,
    };
    if is_right {
        Ok(())
    } else {
        Err(AppError::Form(
            "That code does not count, or was used already.".to_owned(),
        ))
    }
}

/// The page that asks for the code, after the right password.
pub(crate) fn asking(
    site: &AppState,
    visitor: &Visitor,
    ticket: &str,
    next: &str,
    error: Option<String>,
) -> FormPage {
    let way = visitor
        .send(urls::SignInCode)
        .with("ticket", ticket)
        .with("next", next);
    let form = Form {
        fields: vec![code_field("code")],
        expected: true,
        ..Form::button(way, "Sign in")
    };
    let about = "Your account has a second factor.";
    form_page(site, visitor, "The code", about, error, Some(form))
}

/// `POST /sign-in/code`: the code after the password.
pub(crate) async fn sign_in(State(site): State<Arc<AppState>>, sent: Sent) -> Response {
    let (visitor, form) = (&sent.visitor, &sent.form);
    let result = match signed_in(&site, visitor, form).await {
        Err(AppError::Form(error)) => {
            let ticket = form.one("ticket").unwrap_or_default();
            let next = form.one("next").unwrap_or_default();
            let page = asking(&site, visitor, ticket, next, Some(error));
            Ok(reply::page(&site, visitor, StatusCode::UNAUTHORIZED, &page))
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
    let ticket = form.one("ticket").unwrap_or_default();
    let id = Tickets::claimed(ticket).ok_or(AppError::SignIn)?;
    let account = site.deps.accounts.account(id).await?;
    let account = account.ok_or(AppError::SignIn)?;
    if !site.tickets.admits(ticket, &account, site.now_ms()) {
        return Err(AppError::SignIn);
    }
    if visitor.known_for(site, &account).is_none() {
        let address = Who::address(visitor.address);
        site.sign_ins.take(address, site.now_ms()).await?;
    }
    let checked = check(site, account.id, form.filled("code").unwrap_or_default()).await;
    if let Err(AppError::Form(_)) = &checked {
        let failed = Happened::to(account.id, SecurityEvent::SignInFailed);
        safety::note(site, visitor, failed).await;
    }
    checked?;
    let back = form.filled("next").and_then(Href::returning);
    let back = back.unwrap_or_else(|| urls::Home.into());
    let notice = format!("Welcome back, {}.", account.name);
    let response = begin(site, visitor, &account, &back, &notice).await?;
    let signed_in = Happened::to(account.id, SecurityEvent::SignedIn);
    safety::note(site, visitor, signed_in).await;
    Ok(response)
}
