//! Signing in from elsewhere: the way out and back, the account that comes of it, and the ways that lead into one's own.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use quorate_runtime::ports::{
    Account, AccountError, AccountId, NewAccount, OutsideName, OutsideWay, SecurityEvent,
};
use serde::{Deserialize, Serialize};

use crate::app::error::AppError;
use crate::app::outside::{OutsidePerson, Provider};
use crate::app::posted::Posted;
use crate::app::reply;
use crate::app::safety::{self, Happened};
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::requests::forms::{Sent, answer};
use crate::security::outside::Journey;
use crate::security::rate::Who;
use crate::site::account::factor;
use crate::site::account::fields::form_page;
use crate::site::account::handler;
use crate::site::account::session::begin;
use crate::ui::urls::Href;
use crate::ui::{
    Choice, Field, FieldKind, Form, FormPage, Link, SettingsBlock, SettingsLine, When, urls,
};

/// Somebody who came from elsewhere and has no account here yet, on their way through the form that makes one.
#[derive(Clone, Serialize, Deserialize)]
struct OutsideArrival {
    issuer: String,
    subject: String,
    label: String,
    mail: Option<String>,
    next: Option<String>,
    invitation: Option<String>,
}

/// The wish of a signed-in account to be led into from elsewhere, on its way through a link.
#[derive(Serialize, Deserialize)]
struct LinkWish {
    account: u64,
    provider: String,
}

fn provider<'a>(site: &'a AppState, word: &str) -> Result<&'a Provider, AppError> {
    let mut providers = site.deps.config.outside.iter();
    let found = providers.find(|provider| provider.word == word);
    found.ok_or(AppError::NotFound)
}

/// The address here to which an issuer sends people back.
fn back_address(site: &AppState, provider: &Provider) -> Result<String, AppError> {
    let address = site
        .deps
        .config
        .address
        .as_ref()
        .ok_or(AppError::NotFound)?;
    let word = provider.word.as_str();
    let back = Href::from(urls::SignInFrom { provider: word });
    Ok(format!("{address}{}", back.as_str()))
}

/// Shows the sign-in page with what was wrong, or any other error as it is.
fn answer_or_ask_again(
    site: &Arc<AppState>,
    visitor: &Visitor,
    result: Result<Response, AppError>,
) -> Response {
    let result = match result {
        Err(AppError::Form(error)) => {
            let page = handler::sign_in_page(site, visitor, "", "", Some(error));
            Ok(reply::page(site, visitor, StatusCode::UNAUTHORIZED, &page))
        }
        other => other,
    };
    answer(site, visitor, result)
}

/// `GET /sign-in/with/{provider}`: on to the issuer.
pub(crate) async fn go(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    Path(word): Path<String>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let result = gone(&site, &visitor, &word, &query).await;
    answer_or_ask_again(&site, &visitor, result)
}

async fn gone(
    site: &AppState,
    visitor: &Visitor,
    word: &str,
    query: &BTreeMap<String, String>,
) -> Result<Response, AppError> {
    let provider = provider(site, word)?;
    site.sign_ins
        .take(Who::address(visitor.address), site.now_ms())
        .await?;
    let back = back_address(site, provider)?;
    if visitor.is_new {
        // The way back is bound to the browser's session, which begins with a page.
        return Err(AppError::Form("Choose how to sign in.".to_owned()));
    }
    let account = match query.get("link") {
        None => None,
        Some(wish) => Some(wished(site, visitor, word, wish)?),
    };
    let journey = Journey {
        provider: word.to_owned(),
        account,
        next: query.get("next").cloned(),
        invitation: query.get("invitation").cloned(),
    };
    let secrets = site
        .journeys
        .begin(&journey, &visitor.token, site.now_ms())?;
    let door = provider.door(&back, &secrets).await.map_err(|error| {
        tracing::warn!(target: "security", %error, provider = word, "nobody can sign in from elsewhere");
        AppError::Form(format!("{} does not answer now. Try again later.", provider.title))
    })?;
    let door = HeaderValue::try_from(door).map_err(|error| AppError::Broken(error.to_string()))?;
    let mut response = StatusCode::SEE_OTHER.into_response();
    response.headers_mut().insert(header::LOCATION, door);
    Ok(response)
}

/// The account that a signed-in person wants to be led into.
fn wished(site: &AppState, visitor: &Visitor, word: &str, wish: &str) -> Result<u64, AppError> {
    let now = site.now_ms();
    let wish: Option<LinkWish> = site.journeys.open("link", wish, &visitor.token, now);
    let wish = wish.filter(|wish| wish.provider == word);
    let account = wish.map(|wish| wish.account);
    let own = account.filter(|id| visitor.id() == Some(AccountId(*id)));
    own.ok_or(AppError::NotFound)
}

/// `GET /sign-in/from/{provider}`: back from the issuer.
pub(crate) async fn back(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    Path(word): Path<String>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let result = came(&site, &visitor, &word, &query).await;
    answer_or_ask_again(&site, &visitor, result)
}

/// What comes back was counted when it went, and comes back once.
async fn came(
    site: &AppState,
    visitor: &Visitor,
    word: &str,
    query: &BTreeMap<String, String>,
) -> Result<Response, AppError> {
    let provider = provider(site, word)?;
    let back = back_address(site, provider)?;
    let said = |word: &str| query.get(word).map_or("", String::as_str);
    let journey = site
        .journeys
        .back(said("state"), &visitor.token, site.now_ms());
    let ended = || {
        let ended = "That way in has ended, was used, or began in another browser. Start again.";
        AppError::Form(ended.to_owned())
    };
    let (journey, secrets) = journey.ok_or_else(ended)?;
    if !site.is_first_use(said("state")).await || journey.provider != word {
        return Err(ended());
    }
    let failed = AppError::Form(format!("{} did not sign you in.", provider.title));
    let is_other = query
        .get("iss")
        .is_some_and(|iss| *iss != provider.issuer());
    if is_other || query.contains_key("error") || said("code").is_empty() {
        return Err(failed);
    }
    let person = provider.person(said("code"), &back, &secrets, site.now());
    let person = match person.await {
        Ok(person) => person,
        Err(error) => {
            tracing::warn!(target: "security", %error, provider = word, "an answer from elsewhere was refused");
            let refused = Happened {
                event: SecurityEvent::SignInFailed,
                account: None,
                about: format!("from {}", provider.title),
            };
            safety::note(site, visitor, refused).await;
            return Err(failed);
        }
    };
    let known = site.deps.safety.account_from_outside(&person.name).await?;
    match (journey.account.map(AccountId), known) {
        (Some(id), known) => linked(site, visitor, provider, person, id, known).await,
        (None, Some(id)) => enter(site, visitor, provider, id, journey.next.as_deref()).await,
        (None, None) => {
            let arrival = OutsideArrival {
                issuer: person.name.issuer,
                subject: person.name.subject,
                label: person.label,
                mail: person.mail,
                next: journey.next,
                invitation: journey.invitation,
            };
            let page = arrived(site, visitor, provider, &arrival, None)?;
            Ok(reply::page(site, visitor, StatusCode::OK, &page))
        }
    }
}

/// Signs somebody in whose account the way leads into.
async fn enter(
    site: &AppState,
    visitor: &Visitor,
    provider: &Provider,
    id: AccountId,
    next: Option<&str>,
) -> Result<Response, AppError> {
    let account = site.deps.accounts.account(id).await?;
    let account = account.ok_or(AppError::NotFound)?;
    if site.deps.safety.second_factor(id).await?.is_some() {
        let ticket = site.tickets.issue(&account, site.now_ms());
        let page = factor::asking(site, visitor, &ticket, next.unwrap_or_default(), None);
        return Ok(reply::page(site, visitor, StatusCode::OK, &page));
    }
    let to = next.and_then(Href::returning);
    let to = to.unwrap_or_else(|| urls::Home.into());
    let notice = format!("Welcome back, {}.", account.name);
    let response = begin(site, visitor, &account, &to, &notice).await?;
    let signed_in = Happened {
        about: format!("from {}", provider.title),
        ..Happened::to(id, SecurityEvent::SignedIn)
    };
    safety::note(site, visitor, signed_in).await;
    Ok(response)
}

/// Adds the way to the account of whoever asked for it, and who is still the same.
async fn linked(
    site: &AppState,
    visitor: &Visitor,
    provider: &Provider,
    person: OutsidePerson,
    id: AccountId,
    known: Option<AccountId>,
) -> Result<Response, AppError> {
    if visitor.id() != Some(id) {
        return Err(AppError::SignIn);
    }
    let settings = urls::Settings.into();
    if known == Some(id) {
        return Ok(reply::see_with(&settings, "That leads here already."));
    }
    let way = OutsideWay {
        name: person.name,
        label: person.label,
        linked_at: site.now(),
    };
    match site.deps.safety.link_outside(id, &way).await {
        Err(AccountError::WayTaken) => {
            let taken = "That leads into another account here.";
            return Ok(reply::see_with(&settings, taken));
        }
        done => done?,
    }
    let linked = Happened {
        about: provider.title.clone(),
        ..Happened::to(id, SecurityEvent::OutsideLinked)
    };
    safety::note(site, visitor, linked).await;
    let notice = format!("You can sign in with {} now.", provider.title);
    Ok(reply::see_with(&settings, &notice))
}

/// The page on which somebody from elsewhere makes an account.
fn arrived(
    site: &AppState,
    visitor: &Visitor,
    provider: &Provider,
    arrival: &OutsideArrival,
    wrong: Option<(&str, String)>,
) -> Result<FormPage, AppError> {
    let (typed, error) = match wrong {
        Some((typed, error)) => (typed, Some(error)),
        None => (arrival.label.as_str(), None),
    };
    let title = &provider.title;
    if !site.deps.config.is_open && arrival.invitation.is_none() {
        let about = format!(
            "{title} knows you, but no account here does. This server makes accounts by invitation. If you have an account, sign \
             in with its password and add {title} on the page of your account."
        );
        let mut page = form_page(site, visitor, "No account yet", &about, error, None);
        page.ways = vec![Link::new("Sign in", urls::SignIn)];
        return Ok(page);
    }
    let word = site
        .journeys
        .seal("arrival", arrival, &visitor.token, site.now_ms())?;
    let provider = provider.word.as_str();
    let way = visitor.send(urls::SignInFrom { provider });
    let name = Field::new("name", "name", "Name", FieldKind::Account(typed.to_owned()));
    let form = Form {
        fields: vec![name],
        expected: true,
        ..Form::button(way.with("arrival", word), "Make the account")
    };
    let about = format!(
        "This makes a new account, which you sign in to with {title}. If you have an account here already, sign in to it and add \
         {title} on its page."
    );
    let mut page = form_page(site, visitor, "Make an account", &about, error, Some(form));
    page.ways = vec![Link::new("I have an account", urls::SignIn)];
    Ok(page)
}

/// `POST /sign-in/from/{provider}`: makes an account for somebody from elsewhere.
pub(crate) async fn make(
    State(site): State<Arc<AppState>>,
    Path(word): Path<String>,
    sent: Sent,
) -> Response {
    let result = made(&site, &sent.visitor, &word, &sent.form).await;
    answer_or_ask_again(&site, &sent.visitor, result)
}

async fn made(
    site: &AppState,
    visitor: &Visitor,
    word: &str,
    form: &Posted,
) -> Result<Response, AppError> {
    let provider = provider(site, word)?;
    site.sign_ups
        .take(Who::address(visitor.address), site.now_ms())
        .await?;
    let sealed = form.one("arrival").unwrap_or_default();
    let arrival: Option<OutsideArrival> =
        site.journeys
            .open("arrival", sealed, &visitor.token, site.now_ms());
    let arrival = arrival
        .filter(|arrival| arrival.issuer == provider.issuer())
        .ok_or_else(|| AppError::Form("That took too long. Start again.".to_owned()))?;
    let name = form.filled("name").unwrap_or_default().to_owned();
    match account_of(site, &arrival, &name).await {
        Err(AppError::Form(error)) => {
            let page = arrived(site, visitor, provider, &arrival, Some((&name, error)))?;
            Ok(reply::page(site, visitor, StatusCode::BAD_REQUEST, &page))
        }
        Err(error) => Err(error),
        Ok((account, to)) => {
            let signed_up = Happened {
                about: format!("from {}", provider.title),
                ..Happened::to(account.id, SecurityEvent::SignedUp)
            };
            safety::note(site, visitor, signed_up).await;
            let notice = format!("Welcome, {}.", account.name);
            begin(site, visitor, &account, &to, &notice).await
        }
    }
}

/// Makes the account as registration permits; gives it, and where its owner goes.
async fn account_of(
    site: &AppState,
    arrival: &OutsideArrival,
    name: &str,
) -> Result<(Account, Href), AppError> {
    handler::fit(site, name).await?;
    let invitation = handler::invitation(site, arrival.invitation.as_deref()).await?;
    let by = invitation.as_ref().map(|invitation| invitation.digest);
    let way = OutsideWay {
        name: OutsideName {
            issuer: arrival.issuer.clone(),
            subject: arrival.subject.clone(),
        },
        label: arrival.label.clone(),
        linked_at: site.now(),
    };
    let account = NewAccount {
        name: name.to_owned(),
        mail: arrival.mail.clone(),
        password: None,
        operator: false,
        made_at: site.now(),
    };
    let safe = &site.deps.safety;
    let mut made = safe.make_from_outside(&account, by, &way).await;
    if matches!(made, Err(AccountError::MailTaken)) {
        // Whose address that is here is not for strangers to find out, and it makes nobody the owner of another account.
        let without = NewAccount {
            mail: None,
            ..account
        };
        made = safe.make_from_outside(&without, by, &way).await;
    }
    let id = made.map_err(handler::of_form)?;
    let account = site.deps.accounts.account(id).await?;
    let account = account.ok_or(AppError::NotFound)?;
    Ok((account, handler::after(invitation, arrival.next.as_deref())))
}

/// The ways into one's own account, with their ends, and a form that adds one.
pub(super) fn block(site: &AppState, visitor: &Visitor, ways: &[OutsideWay]) -> SettingsBlock {
    let providers = &site.deps.config.outside;
    let line = |way: &OutsideWay| {
        let mut known = providers.iter();
        let known = known.find(|provider| provider.issuer() == way.name.issuer);
        let place = known.map_or(way.name.issuer.as_str(), |provider| &provider.title);
        let since = When::new(
            reply::timestamp(way.linked_at),
            reply::timestamp(site.now()),
        );
        let to = visitor.send(urls::SettingsDo {
            what: "outside-off",
        });
        let to = to.with("issuer", way.name.issuer.clone());
        SettingsLine {
            title: match way.label.as_str() {
                "" => place.to_owned(),
                label => format!("{place}, as {label}"),
            },
            about: format!("since {}", since.full()),
            forms: vec![Form::button(
                to.with("subject", way.name.subject.clone()),
                "Remove",
            )],
            more: None,
        }
    };
    let choice = |(index, provider): (usize, &Provider)| Choice {
        chosen: index == 0,
        ..Choice::new(&provider.word, &provider.title)
    };
    let choices = providers.iter().enumerate().map(choice).collect();
    let fields = vec![
        Field::new(
            "outside-provider",
            "provider",
            "Sign in with",
            FieldKind::OneInSight(choices),
        ),
        Field::new(
            "outside-old",
            "old",
            "Your password",
            FieldKind::Password { fresh: false },
        ),
    ];
    let way = visitor.send(urls::SettingsDo { what: "outside" });
    let form = (!providers.is_empty()).then(|| Form {
        fields,
        ..Form::button(way, "Add it")
    });
    let about = "Who controls your account there can sign in here.";
    SettingsBlock {
        lines: ways.iter().map(line).collect(),
        forms: form.into_iter().collect(),
        ..SettingsBlock::new("outside", "Signing in from elsewhere", about)
    }
}

/// The page that leads on to the issuer that shall lead into the account.
pub(super) fn begun(
    site: &AppState,
    visitor: &Visitor,
    account: AccountId,
    form: &Posted,
) -> Result<Response, AppError> {
    let provider = provider(site, form.one("provider").unwrap_or_default())?;
    let wish = LinkWish {
        account: account.0,
        provider: provider.word.clone(),
    };
    let wish = site
        .journeys
        .seal("link", &wish, &visitor.token, site.now_ms())?;
    let title = format!("Sign in with {}", provider.title);
    let about = format!(
        "Sign in there once, and {} leads into this account from then on.",
        provider.title
    );
    let word = provider.word.as_str();
    let href = Href::from(urls::SignInWith { provider: word }).with("link", &wish);
    let mut page = form_page(site, visitor, &title, &about, None, None);
    page.ways = vec![
        Link::new(format!("Go on to {}", provider.title), href),
        Link::new("Back to the settings", urls::Settings),
    ];
    Ok(reply::page(site, visitor, StatusCode::OK, &page))
}

/// Removes a way, unless it is the last one into the account.
pub(super) async fn unlinked(
    site: &AppState,
    visitor: &Visitor,
    account: &Account,
    form: &Posted,
) -> Result<Response, AppError> {
    let settings = urls::Settings.into();
    let ways = site.deps.safety.outside_ways(account.id).await?;
    if account.password.is_none() && ways.len() <= 1 {
        let last = "That is the only way into your account. Set a password first.";
        return Ok(reply::see_with(&settings, last));
    }
    let name = OutsideName {
        issuer: form.one("issuer").unwrap_or_default().to_owned(),
        subject: form.one("subject").unwrap_or_default().to_owned(),
    };
    if !site.deps.safety.unlink_outside(account.id, &name).await? {
        return Err(AppError::NotFound);
    }
    let unlinked = Happened {
        about: name.issuer,
        ..Happened::to(account.id, SecurityEvent::OutsideUnlinked)
    };
    safety::note(site, visitor, unlinked).await;
    Ok(reply::see_with(&settings, "It no longer leads here."))
}
