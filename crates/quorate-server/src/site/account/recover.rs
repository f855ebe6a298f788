//! Ways back for those who cannot sign in: a link by mail where the server sends any, else one from the operator.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use quorate_kernel::Span;
use quorate_runtime::ports::{Account, SecurityEvent};

use crate::app::error::AppError;
use crate::app::mail::Mail;
use crate::app::posted::Posted;
use crate::app::recovery::{LinkError, make_link};
use crate::app::reply;
use crate::app::safety::{self, Happened};
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::requests::forms::{Sent, answer};
use crate::security::carried::digest_of;
use crate::security::rate::Who;
use crate::site::account::fields::{form_page, password_field};
use crate::site::account::handler::{new_password, words_of};
use crate::site::account::session::begin;
use crate::ui::{Field, FieldKind, Form, FormPage, Link, urls};

/// How long a link that came by mail counts.
const BY_MAIL_FOR: Span = Span::hours(2);

/// `GET /recover`.
pub async fn show(State(site): State<Arc<AppState>>, visitor: Visitor) -> Response {
    let page = asking(&site, &visitor);
    reply::page(&site, &visitor, StatusCode::OK, &page)
}

fn asking(site: &AppState, visitor: &Visitor) -> FormPage {
    let by_hand = "Ask the one who runs this server for a link that lets you set a new password. They make it on their \
                   panel, and it counts once.";
    let mut page = if site.deps.config.mail.is_some() {
        let field = Field::new(
            "mail",
            "mail",
            "Mail address",
            FieldKind::Mail(String::new()),
        );
        let form = Form {
            fields: vec![field],
            expected: true,
            ..Form::button(visitor.send(urls::Recover), "Send me a link")
        };
        let about = "If you gave a mail address with your account, a link goes there that lets you set a new password. \
                     If you gave none, the one who runs this server can make you such a link.";
        form_page(site, visitor, "I cannot sign in", about, None, Some(form))
    } else {
        form_page(site, visitor, "I cannot sign in", by_hand, None, None)
    };
    page.ways = vec![
        Link::new("Sign in", urls::SignIn),
        Link::new("Who runs this server", urls::Privacy),
    ];
    page
}

/// `POST /recover`: a link by mail. The answer is the same whether anybody has that address.
pub async fn ask(State(site): State<Arc<AppState>>, sent: Sent) -> Response {
    let visitor = &sent.visitor;
    let result = asked(&site, visitor, &sent.form).await;
    answer(&site, visitor, result)
}

async fn asked(
    site: &Arc<AppState>,
    visitor: &Visitor,
    form: &Posted,
) -> Result<Response, AppError> {
    let mail = site.deps.config.mail.clone().ok_or(AppError::NotFound)?;
    let to = form.filled("mail").unwrap_or_default().to_owned();
    site.sign_ups
        .take(Who::address(visitor.address), site.now_ms())
        .await?;
    let receiver = Who::Account(format!("mail {}", to.to_lowercase()));
    site.sign_ups.take(receiver, site.now_ms()).await?;
    // Looked up and sent behind the answer, so that neither its words nor its time tell who has an account.
    let (sending, asker) = (Arc::clone(site), visitor.clone());
    tokio::spawn(async move {
        if let Err(error) = link_by_mail(&sending, &asker, &mail, &to).await {
            tracing::error!(error = %error, "a recovery mail did not leave");
        }
    });
    let about = "If there is an account with that address, a link is on its way to it. It counts once, for two hours.";
    let mut page = form_page(site, visitor, "Look into your mail", about, None, None);
    page.ways = vec![Link::new("Sign in", urls::SignIn)];
    Ok(reply::page(site, visitor, StatusCode::OK, &page))
}

async fn link_by_mail(
    site: &AppState,
    visitor: &Visitor,
    mail: &Mail,
    to: &str,
) -> Result<(), LinkError> {
    let accounts = &*site.deps.accounts;
    let Some(account) = accounts.account_by_mail(to).await? else {
        return Ok(());
    };
    let link = make_link(accounts, account.id, site.now() + BY_MAIL_FOR).await?;
    let text = format!(
        "Somebody, most likely you, cannot sign in as {} at {}.\n\nThis link lets you set a new password. It counts once, for \
         two hours:\n\n{}{}\n\nIf it was not you, nothing happens as long as nobody follows it.\n",
        account.name,
        mail.address,
        mail.address,
        link.as_str()
    );
    let to = account.mail.as_deref().unwrap_or(to);
    mail.send(to, "A new password", text).await?;
    safety::note(
        site,
        visitor,
        Happened::to(account.id, SecurityEvent::RecoveryMailed),
    )
    .await;
    Ok(())
}

fn recovery_page(
    site: &AppState,
    visitor: &Visitor,
    code: &str,
    error: Option<String>,
) -> FormPage {
    let form = Form {
        fields: vec![password_field(true)],
        expected: true,
        ..Form::button(
            visitor.send(urls::RecoverWith { code }),
            "Set it and sign in",
        )
    };
    let about = "The link counts once. All sessions and tokens of the account end.";
    form_page(site, visitor, "A new password", about, error, Some(form))
}

/// `GET /recover/{code}`.
pub async fn form(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    Path(code): Path<String>,
) -> Response {
    let page = recovery_page(&site, &visitor, &code, None);
    reply::page(&site, &visitor, StatusCode::OK, &page)
}

/// `POST /recover/{code}`.
pub async fn recovered(
    State(site): State<Arc<AppState>>,
    Path(code): Path<String>,
    sent: Sent,
) -> Response {
    let visitor = &sent.visitor;
    let result = match recover_with(&site, visitor, &code, &sent.form).await {
        Err(AppError::Form(error)) => {
            let page = recovery_page(&site, visitor, &code, Some(error));
            Ok(reply::page(&site, visitor, StatusCode::BAD_REQUEST, &page))
        }
        other => other,
    };
    answer(&site, visitor, result)
}

async fn recover_with(
    site: &Arc<AppState>,
    visitor: &Visitor,
    code: &str,
    form: &Posted,
) -> Result<Response, AppError> {
    site.sign_ins
        .take(Who::address(visitor.address), site.now_ms())
        .await?;
    let ended = || AppError::Form("That link has been used, or has ended.".to_owned());
    let accounts = &site.deps.accounts;
    let (code, now) = (digest_of(code), site.now());
    let id = accounts.recovery(code, now).await?.ok_or_else(ended)?;
    let account = accounts.account(id).await?.ok_or(AppError::NotFound)?;
    let fresh = new_password(site, form, words_of(&account)).await?;
    accounts.use_recovery(code, now).await?.ok_or_else(ended)?;
    let account = Account {
        password: Some(fresh),
        ..account
    };
    accounts.change(&account).await?;
    safety::close_ways(site, &account).await?;
    safety::note(site, visitor, Happened::to(id, SecurityEvent::Recovered)).await;
    if site.deps.safety.second_factor(id).await?.is_some() {
        // A link in a mail is no second factor.
        let notice = "Your password is new. Sign in with it, and with a code.";
        return Ok(reply::see_with(&urls::SignIn.into(), notice));
    }
    let notice = "Your password is new. Sessions and tokens of before have ended.";
    begin(site, visitor, &account, &urls::Home.into(), notice).await
}
