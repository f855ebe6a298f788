//! One's own account: appearance, password, sessions; its tokens stand beside this file.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::Response;
use quorate_kernel::{Moment, Span};
use quorate_runtime::ports::{
    Account, AccountError, SecurityEntry, SecurityEvent, Session, SessionUse,
};

use crate::app::error::AppError;
use crate::app::posted::Posted;
use crate::app::safety::{self, Happened};
use crate::app::state::AppState;
use crate::app::visitor::{Visitor, session_digest};
use crate::app::{passwords, reply};
use crate::requests::forget;
use crate::requests::forms::{Sent, answer};
use crate::security::password::Tried;
use crate::site::account;
use crate::site::account::page::{Settings, SettingsBlock, SettingsLine};
use crate::site::account::{discord, factor, outside, passkey, programs};
use crate::ui::urls::Href;
use crate::ui::{Choice, Field, FieldKind, Form, Theme, When, plural, urls};

/// How many entries of the security log are shown.
const ENTRIES: u32 = 30;

/// How long a session counts as one of somebody who is here now.
const FRESH: Span = Span::minutes(10);

/// `GET /settings`.
pub async fn show(State(site): State<Arc<AppState>>, visitor: Visitor) -> Response {
    let result = shown(&site, &visitor, SettingsTold::Nothing).await;
    answer(&site, &visitor, result)
}

/// What the page tells beside the settings.
enum SettingsTold<'a> {
    /// No more.
    Nothing,
    /// The secret of a token that was just made.
    Secret(String),
    /// A code that links the account to Discord.
    Code(String),
    /// What was wrong with a form, by the form's word.
    Wrong(&'a str, String),
}

async fn shown(
    site: &AppState,
    visitor: &Visitor,
    told: SettingsTold<'_>,
) -> Result<Response, AppError> {
    let account = visitor.account.as_ref().ok_or(AppError::SignIn)?;
    let tokens = site.deps.accounts.tokens_of(account.id).await?;
    let seats = site.seats_of(account.id).await?;
    let sessions = site
        .deps
        .accounts
        .sessions_of(account.id, site.now())
        .await?;
    let second = site.deps.safety.second_factor(account.id).await?;
    let uses = site.deps.safety.session_uses(account.id).await?;
    let ways = site.deps.safety.outside_ways(account.id).await?;
    let passkeys = site.deps.safety.passkeys_of(account.id).await?;
    let entries = site.deps.safety.entries(Some(account.id), ENTRIES).await?;
    let (mut secret, mut code, mut wrong) = (None, None, None);
    match told {
        SettingsTold::Nothing => {}
        SettingsTold::Secret(shown) => secret = Some(shown),
        SettingsTold::Code(shown) => code = Some(shown),
        SettingsTold::Wrong(what, error) => wrong = Some((what, error)),
    }
    let mut blocks = vec![
        appearance(visitor),
        password(visitor),
        factor::block(visitor, second.as_ref()),
        mail(site, visitor, account),
        browsers(site, visitor, &sessions, &uses),
        programs::block(site, visitor, &tokens, &seats, secret),
        history(site, &entries),
        words(visitor),
        leaving(visitor),
    ];
    if !site.deps.config.outside.is_empty() || !ways.is_empty() {
        let after = blocks.iter().position(|block| block.id == "mail-address");
        blocks.insert(after.unwrap_or(0), outside::block(site, visitor, &ways));
    }
    if passkey::site_of(site).is_some() {
        let after = blocks.iter().position(|block| block.id == "factor");
        let block = passkey::block(site, visitor, account, &passkeys)?;
        blocks.insert(after.unwrap_or(0), block);
    }
    if site.deps.config.discord.is_some() {
        let after = blocks.iter().position(|block| block.id == "history");
        blocks.insert(after.unwrap_or(0), discord::block(visitor, code));
    }
    if account.password.is_none() {
        // There is nothing to type: who has no password signed in a moment ago.
        let forms = blocks.iter_mut().filter_map(|block| block.form.as_mut());
        for form in forms {
            form.fields.retain(|field| field.name != "old");
        }
    }
    let mut status = StatusCode::OK;
    if let Some((what, error)) = wrong {
        status = StatusCode::BAD_REQUEST;
        tell(&mut blocks, what, error);
    }
    let settings = Settings {
        chrome: reply::chrome(site, visitor, "Your account"),
        name: account.name.clone(),
        blocks,
        sign_out: Form::button(visitor.send(urls::SignOut), "Sign out"),
    };
    Ok(reply::page(site, visitor, status, &settings))
}

/// Tells beside a form what was wrong with it.
fn tell(blocks: &mut [SettingsBlock], what: &str, error: String) {
    let to = Href::from(urls::SettingsDo { what });
    // The second factor has one form at a time, and pages of its own.
    let of_factor = what.starts_with("factor");
    let mut forms = blocks.iter_mut().filter_map(|block| {
        let is_its = of_factor && block.id == "factor";
        let form = block.form.as_mut();
        form.filter(|form| is_its || form.send.to == to)
    });
    let field = forms.next().and_then(|form| form.fields.last_mut());
    if let Some(field) = field {
        field.error = Some(error);
    }
}

/// A moment as the page tells it.
fn when(site: &AppState, at: Moment) -> String {
    When::new(reply::timestamp(at), reply::timestamp(site.now())).full()
}

fn block(id: &str, title: &str, about: &str) -> SettingsBlock {
    SettingsBlock {
        id: id.to_owned(),
        title: title.to_owned(),
        about: about.to_owned(),
        lines: Vec::new(),
        shown_once: None,
        form: None,
    }
}

fn form(visitor: &Visitor, what: &str, fields: Vec<Field>, button: &str) -> Form {
    Form {
        fields,
        ..Form::button(visitor.send(urls::SettingsDo { what }), button)
    }
}

fn appearance(visitor: &Visitor) -> SettingsBlock {
    let choice = |value: &str, title: &str, chosen| Choice {
        chosen,
        ..Choice::new(value, title)
    };
    let themes = vec![
        choice(
            "system",
            "Same as the system",
            visitor.theme == Theme::System,
        ),
        choice("light", "Light", visitor.theme == Theme::Light),
        choice("dark", "Dark", visitor.theme == Theme::Dark),
    ];
    let fields = vec![
        Field::new("theme", "theme", "Colours", FieldKind::OneInSight(themes)),
        Field::new(
            "keys",
            "keys",
            "Keyboard shortcuts (press ? for the list)",
            FieldKind::Flag(visitor.has_keys),
        )
        .optional(),
    ];
    SettingsBlock {
        form: Some(form(visitor, "appearance", fields, "Save")),
        ..block("appearance", "Appearance", "Saved in this browser.")
    }
}

fn password(visitor: &Visitor) -> SettingsBlock {
    let kind = |fresh| FieldKind::Password { fresh };
    let fields = vec![
        Field::new("old", "old", "Current password", kind(false)),
        Field::new("password", "password", "New password", kind(true)),
    ];
    let about = "A new password ends all your other sessions, every token, every passkey, signing in from elsewhere, and every place but your mail address to which your notices go.";
    SettingsBlock {
        form: Some(form(visitor, "password", fields, "Change password")),
        ..block("password", "Password", about)
    }
}

/// Where mail goes, for a link when the password is lost.
fn mail(site: &AppState, visitor: &Visitor, account: &Account) -> SettingsBlock {
    let kept = account.mail.clone().unwrap_or_default();
    let fields = vec![
        Field::new("mail", "mail", "Mail address", FieldKind::Mail(kept))
            .optional()
            .hint("Leave it empty to remove it."),
        Field::new(
            "mail-old",
            "old",
            "Your password",
            FieldKind::Password { fresh: false },
        ),
    ];
    let about = if site.deps.config.mail.is_some() {
        "A link for a new password goes there when you ask for one. Nobody else sees it."
    } else {
        "This server sends no mail. Its operator sees the address and may write to you."
    };
    SettingsBlock {
        form: Some(form(visitor, "mail", fields, "Save")),
        ..block("mail-address", "Mail", about)
    }
}

/// Where one is signed in.
fn browsers(
    site: &AppState,
    visitor: &Visitor,
    sessions: &[Session],
    uses: &[SessionUse],
) -> SettingsBlock {
    let lines = sessions.iter().map(|session| {
        let is_this = session.digest == session_digest(&visitor.token);
        let used = uses.iter().find(|used| used.session == session.digest);
        let last = used.map_or_else(String::new, |used| {
            format!(", last used {}", when(site, used.at))
        });
        let place = used.map_or("A browser", |used| used.place.as_str());
        let this = if is_this { " (this browser)" } else { "" };
        SettingsLine {
            title: format!("{place}{this}"),
            about: format!("since {}{last}", when(site, session.began_at)),
            form: (!is_this).then(|| {
                let to = visitor.send(urls::SettingsDo {
                    what: "end-session",
                });
                Form::button(
                    to.with("session", session.digest.to_string()),
                    "Sign it out",
                )
            }),
        }
    });
    SettingsBlock {
        lines: lines.collect(),
        ..block(
            "sessions",
            "Where you are signed in",
            "Sign out browsers that you no longer use or don’t recognise. A browser that isn’t used for 30 days is signed out by itself.",
        )
    }
}

/// What happened to the account.
fn history(site: &AppState, entries: &[SecurityEntry]) -> SettingsBlock {
    let lines = entries.iter().map(|entry| SettingsLine {
        title: safety::describe(entry.event).to_owned(),
        about: format!(
            "{}, {}",
            when(site, entry.at),
            safety::place_for_owner(entry)
        ),
        form: None,
    });
    SettingsBlock {
        lines: lines.collect(),
        ..block(
            "history",
            "What happened to your account",
            "The last 60 days, newest first. If something wasn’t you, change your password.",
        )
    }
}

fn words(visitor: &Visitor) -> SettingsBlock {
    let fields = vec![
        Field::new(
            "words-names",
            "names",
            "My names too, in games that I have left",
            FieldKind::Flag(false),
        )
        .optional(),
        Field::new(
            "words-old",
            "old",
            "Your password",
            FieldKind::Password { fresh: false },
        ),
    ];
    let about = "The texts of your posts, comments and messages are deleted permanently, in every game. That you wrote something \
                 there, how you voted and what the rules are stays, so that the game still adds up. Matters that still pend \
                 keep their words until they are closed.";
    SettingsBlock {
        form: Some(form(visitor, "forget", fields, "Erase my words")),
        ..block("words", "Erase my words", about)
    }
}

fn leaving(visitor: &Visitor) -> SettingsBlock {
    let field = Field::new(
        "erase-old",
        "old",
        "Your password",
        FieldKind::Password { fresh: false },
    );
    let about = "Your account goes, with its sessions and tokens. Your players stay in their games, played by nobody; \
                 leave those games first if their rules should know.";
    SettingsBlock {
        form: Some(form(visitor, "erase", vec![field], "Erase my account")),
        ..block("leaving", "Leaving this server", about)
    }
}

/// `POST /settings/{what}`.
pub async fn submit(
    State(site): State<Arc<AppState>>,
    Path(what): Path<String>,
    sent: Sent,
) -> Response {
    let result = match changed(&site, &sent.visitor, &what, &sent.form).await {
        Err(AppError::Form(error)) => {
            shown(&site, &sent.visitor, SettingsTold::Wrong(&what, error)).await
        }
        other => other,
    };
    answer(&site, &sent.visitor, result)
}

async fn ended(
    site: &Arc<AppState>,
    visitor: &Visitor,
    account: &Account,
    form: &Posted,
) -> Result<Response, AppError> {
    let wanted = form.one("session").unwrap_or_default();
    let accounts = &site.deps.accounts;
    let sessions = accounts.sessions_of(account.id, site.now()).await?;
    let session = sessions.iter().find(|one| one.digest.to_string() == wanted);
    let session = session.ok_or(AppError::NotFound)?;
    accounts.end_session(session.digest).await?;
    note(site, visitor, account, SecurityEvent::SessionEnded).await;
    Ok(reply::see_with(&urls::Settings.into(), "It is signed out."))
}

async fn changed(
    site: &Arc<AppState>,
    visitor: &Visitor,
    what: &str,
    form: &Posted,
) -> Result<Response, AppError> {
    let account = visitor.account.clone().ok_or(AppError::SignIn)?;
    match what {
        "appearance" => Ok(tastes(form)),
        "password" => renewed(site, visitor, account, form).await,
        "mail" => mailed(site, visitor, account, form).await,
        "factor" => {
            check(site, visitor, &account, form).await?;
            factor::begin_setting(site, visitor, &account).await
        }
        "factor-on" => factor::turned_on(site, visitor, &account, form).await,
        "factor-off" => {
            check(site, visitor, &account, form).await?;
            factor::turned_off(site, visitor, &account, form).await
        }
        "token" => {
            check(site, visitor, &account, form).await?;
            token_made(site, visitor, &account, form).await
        }
        "outside" => {
            check(site, visitor, &account, form).await?;
            outside::begun(site, visitor, account.id, form)
        }
        "passkey" => {
            check(site, visitor, &account, form).await?;
            passkey::added(site, visitor, &account, form).await
        }
        "passkey-off" => passkey::removed(site, visitor, &account, form).await,
        "outside-off" => outside::unlinked(site, visitor, &account, form).await,
        "discord" => {
            check(site, visitor, &account, form).await?;
            let code = discord::code(site, &account, form)?;
            shown(site, visitor, SettingsTold::Code(code)).await
        }
        "revoke" => {
            let wanted = form.one("token").unwrap_or_default();
            let tokens = site.deps.accounts.tokens_of(account.id).await?;
            let token = tokens
                .iter()
                .find(|token| token.digest.to_string() == wanted);
            let token = token.ok_or(AppError::NotFound)?;
            site.deps.accounts.revoke_token(token.digest).await?;
            note(site, visitor, &account, SecurityEvent::TokenRevoked).await;
            Ok(reply::see_with(
                &urls::Settings.into(),
                "The token no longer counts.",
            ))
        }
        "end-session" => ended(site, visitor, &account, form).await,
        "forget" => {
            check(site, visitor, &account, form).await?;
            let names_too = form.one("names").is_some();
            let count = forget::everything(site, account.id, names_too).await?;
            let notice = format!("{} deleted permanently.", plural(count, "text", "texts"));
            Ok(reply::see_with(&urls::Settings.into(), &notice))
        }
        "erase" => {
            check(site, visitor, &account, form).await?;
            site.deps.accounts.erase(account.id).await?;
            let mut response = reply::see_with(&urls::Home.into(), "Your account is gone.");
            response
                .headers_mut()
                .append(header::SET_COOKIE, site.cookies.clear());
            Ok(response)
        }
        _ => Err(AppError::NotFound),
    }
}

/// A token that acts for the account, whose secret the page shows once.
async fn token_made(
    site: &Arc<AppState>,
    visitor: &Visitor,
    account: &Account,
    form: &Posted,
) -> Result<Response, AppError> {
    let seats = site.seats_of(account.id).await?;
    let wish = programs::wish(form, &seats)?;
    let secret = programs::make_token(site, account.id, wish).await?;
    note(site, visitor, account, SecurityEvent::TokenMade).await;
    shown(site, visitor, SettingsTold::Secret(secret)).await
}

/// Another mail address, or none.
async fn mailed(
    site: &Arc<AppState>,
    visitor: &Visitor,
    account: Account,
    form: &Posted,
) -> Result<Response, AppError> {
    check(site, visitor, &account, form).await?;
    let changed = Account {
        mail: account::handler::mail_in(form)?,
        ..account.clone()
    };
    match site.deps.accounts.change(&changed).await {
        // Who else has it is nobody's business.
        Err(AccountError::MailTaken) => Err(AppError::Form(
            "That address cannot be kept here.".to_owned(),
        )),
        Err(error) => Err(error.into()),
        Ok(()) => {
            let moved = Happened::to(account.id, SecurityEvent::MailChanged);
            safety::tell_before(site, visitor, &account, moved);
            note(site, visitor, &changed, SecurityEvent::MailChanged).await;
            Ok(reply::see_with(&urls::Settings.into(), "Kept."))
        }
    }
}

fn tastes(form: &Posted) -> Response {
    let mut response = reply::see_with(&urls::Settings.into(), "Kept.");
    let theme = match form.one("theme") {
        Some("light") => "light",
        Some("dark") => "dark",
        _ => "system",
    };
    let keys = if form.filled("keys").is_some() {
        "on"
    } else {
        "off"
    };
    for (name, value) in [("theme", theme), ("keys", keys)] {
        if let Some(cookie) = account::handler::taste(name, value) {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
    }
    response
}

async fn note(site: &AppState, visitor: &Visitor, account: &Account, event: SecurityEvent) {
    safety::note(site, visitor, Happened::to(account.id, event)).await;
}

/// A new password, which closes every other way in.
async fn renewed(
    site: &Arc<AppState>,
    visitor: &Visitor,
    account: Account,
    form: &Posted,
) -> Result<Response, AppError> {
    check(site, visitor, &account, form).await?;
    let words = account::handler::words_of(&account);
    let is_first = account.password.is_none();
    let fresh = Account {
        password: Some(account::handler::new_password(site, form, words).await?),
        ..account
    };
    site.deps.accounts.change(&fresh).await?;
    if !is_first {
        safety::close_ways(site, &fresh).await?;
    }
    note(site, visitor, &fresh, SecurityEvent::PasswordChanged).await;
    let (to, notice) = (urls::Settings.into(), "Your password is new.");
    account::session::begin(site, visitor, &fresh, &to, notice).await
}

/// Whether the password that was typed is the account's. Who has none must have signed in a moment ago.
async fn check(
    site: &Arc<AppState>,
    visitor: &Visitor,
    account: &Account,
    form: &Posted,
) -> Result<(), AppError> {
    // Strangers who try their luck at signing in do not stand in the way of somebody who is.
    let who = crate::security::rate::Who::Account(format!("own {}", account.id.0));
    site.sign_ins.take(who, site.now_ms()).await?;
    if account.password.is_none() {
        let now = site.now();
        let sessions = site.deps.accounts.sessions_of(account.id, now).await?;
        let this = session_digest(&visitor.token);
        let mut fresh = sessions.iter().filter(|one| now - one.began_at < FRESH);
        if fresh.any(|one| one.digest == this) {
            return Ok(());
        }
        let stale = "Sign out and in again, then do this within ten minutes.";
        return Err(AppError::Form(stale.to_owned()));
    }
    let typed = form.one("old").unwrap_or_default();
    match passwords::tried(site, typed, account.password.clone()).await? {
        Tried::Right { .. } => Ok(()),
        Tried::Wrong => {
            note(site, visitor, account, SecurityEvent::CheckFailed).await;
            Err(AppError::Form("That is not your password.".to_owned()))
        }
    }
}
