//! One's own account: appearance, password, sessions; its tokens stand beside this file.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use quorate_kernel::Moment;
use quorate_runtime::ports::{Account, SecurityEntry, Session, SessionUse};

use crate::app::error::AppError;
use crate::app::reply;
use crate::app::safety;
use crate::app::state::AppState;
use crate::app::visitor::{Visitor, session_digest};
use crate::requests::forms::answer;
use crate::site::account::page::Settings;
use crate::site::account::{discord, factor, outside, passkey, programs};
use crate::ui::urls::Href;
use crate::ui::{Choice, Field, FieldKind, Form, SettingsBlock, SettingsLine, Theme, When, urls};

/// How many entries of the security log are shown.
const ENTRIES: u32 = 30;

/// `GET /settings`.
pub async fn show(State(site): State<Arc<AppState>>, visitor: Visitor) -> Response {
    let result = shown(&site, &visitor, SettingsTold::Nothing).await;
    answer(&site, &visitor, result)
}

/// What the page tells beside the settings.
pub(super) enum SettingsTold<'a> {
    /// No more.
    Nothing,
    /// The secret of a token that was just made.
    Secret(String),
    /// A code that links the account to Discord.
    Code(String),
    /// What was wrong with a form, by the form's word.
    Wrong(&'a str, String),
}

/// The page, and what else it tells.
pub(super) async fn shown(
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
        for form in blocks.iter_mut().flat_map(|block| &mut block.forms) {
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
    let mut forms = blocks.iter_mut().flat_map(|block| {
        let is_its = of_factor && block.id == "factor";
        block.forms.iter_mut().map(move |form| (is_its, form))
    });
    let form = forms.find(|(is_its, form)| *is_its || form.send.to == to);
    let field = form.and_then(|(_, form)| form.fields.last_mut());
    if let Some(field) = field {
        field.error = Some(error);
    }
}

/// A moment as the page tells it.
fn when(site: &AppState, at: Moment) -> String {
    When::new(reply::timestamp(at), reply::timestamp(site.now())).full()
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
        forms: vec![form(visitor, "appearance", fields, "Save")],
        ..SettingsBlock::new("appearance", "Appearance", "Saved in this browser.")
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
        forms: vec![form(visitor, "password", fields, "Change password")],
        ..SettingsBlock::new("password", "Password", about)
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
        forms: vec![form(visitor, "mail", fields, "Save")],
        ..SettingsBlock::new("mail-address", "Mail", about)
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
            forms: if is_this {
                Vec::new()
            } else {
                let what = "end-session";
                let to = visitor.send(urls::SettingsDo { what });
                let to = to.with("session", session.digest.to_string());
                vec![Form::button(to, "Sign it out")]
            },
            more: None,
        }
    });
    SettingsBlock {
        lines: lines.collect(),
        ..SettingsBlock::new(
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
        ..SettingsLine::default()
    });
    SettingsBlock {
        lines: lines.collect(),
        ..SettingsBlock::new(
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
        forms: vec![form(visitor, "forget", fields, "Erase my words")],
        ..SettingsBlock::new("words", "Erase my words", about)
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
        forms: vec![form(visitor, "erase", vec![field], "Erase my account")],
        ..SettingsBlock::new("leaving", "Leaving this server", about)
    }
}
