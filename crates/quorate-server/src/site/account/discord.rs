//! Codes by which somebody links their account to Discord.

use quorate_runtime::ports::{Account, TokenScope, TokenScopes};

use crate::app::error::AppError;
use crate::app::notice_words::{self, LINK_COUNTS, WordFor};
use crate::app::posted::Posted;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::ui::{Fact, Field, FieldKind, Form, SettingsBlock, urls};

/// A form that makes a code, and the code.
pub(super) fn block(visitor: &Visitor, code: Option<String>) -> SettingsBlock {
    let admin = Field::new(
        "discord-admin",
        "admin",
        "Also what is kept for admins",
        FieldKind::Flag(false),
    )
    .optional();
    let about = "Vote, roll and act from Discord, with /needs-me, /roll and /act. Make a code and send it there with /link, \
                 within ten minutes. Give it to nobody: anyone who sends it plays as you. What is linked stands among the \
                 programs that act for you, and ends there.";
    SettingsBlock {
        shown_once: code.map(|code| Fact::new("Send in Discord", format!("/link code:{code}"))),
        forms: vec![Form {
            fields: vec![
                admin,
                Field::new(
                    "discord-old",
                    "old",
                    "Your password",
                    FieldKind::Password { fresh: false },
                ),
            ],
            ..Form::button(
                visitor.send(urls::SettingsDo { what: "discord" }),
                "Make a code",
            )
        }],
        ..SettingsBlock::new("discord", "Discord", about)
    }
}

/// A code for an account.
///
/// # Errors
/// Fails where nobody plays from Discord here.
pub(super) fn code(site: &AppState, account: &Account, form: &Posted) -> Result<String, AppError> {
    if site.deps.config.discord.is_none() {
        return Err(AppError::NotFound);
    }
    let mut scopes = vec![TokenScope::Vote, TokenScope::Act];
    if form.filled("admin").is_some() {
        scopes.push(TokenScope::Admin);
    }
    let scopes: TokenScopes = scopes.into_iter().collect();
    let mark = notice_words::mark(account);
    let word = WordFor::Link(account.id, scopes, site.now() + LINK_COUNTS, mark);
    Ok(notice_words::write(site, &word))
}
