//! Tokens, by which programs act for an account.

use quorate_kernel::{GameId, Span};
use quorate_runtime::ports::{AccountId, Seat, Token, TokenScope, TokenScopes};

use crate::app::error::AppError;
use crate::app::grant;
use crate::app::posted::Posted;
use crate::app::reply;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::security::carried::{digest_of, fresh_word};
use crate::ui::{Choice, Fact, Field, FieldKind, Form, SettingsBlock, SettingsLine, When, urls};

/// For how long a token can be made to count, in days.
const TOKEN_DAYS: [(i64, &str); 3] = [(30, "30 days"), (90, "90 days"), (365, "a year")];

/// A token that somebody wants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TokenWish {
    /// What its owner calls it.
    pub label: String,
    /// What it may do beside reading.
    pub scopes: TokenScopes,
    /// The one game that it is for; none where it is for all.
    pub game: Option<GameId>,
    /// How long it counts; none where it counts until it is revoked.
    pub span: Option<Span>,
}

/// The tokens that there are, and a form for another.
pub(super) fn block(
    site: &AppState,
    visitor: &Visitor,
    tokens: &[Token],
    seats: &[Seat],
    secret: Option<String>,
) -> SettingsBlock {
    let lines = tokens.iter().map(|token| SettingsLine {
        title: token.label.clone(),
        about: format!("{}; {}", may(token), counts(site, token)),
        forms: vec![Form::button(
            visitor
                .send(urls::SettingsDo { what: "revoke" })
                .with("token", token.digest.to_string()),
            "Revoke",
        )],
        more: None,
    });
    let about = "A token lets a program use the API as you: read all that you can read, and do what you tick here. Tick as \
                 little as it needs.";
    SettingsBlock {
        lines: lines.collect(),
        shown_once: secret.map(|secret| {
            Fact::new("The new token", secret).note("shown this once and never again")
        }),
        forms: vec![Form {
            fields: fields(seats),
            ..Form::button(
                visitor.send(urls::SettingsDo { what: "token" }),
                "Make a token",
            )
        }],
        ..SettingsBlock::new("programs", "Programs that act for you", about)
    }
}

fn fields(seats: &[Seat]) -> Vec<Field> {
    let label = Field::new(
        "label",
        "label",
        "What it is for",
        FieldKind::Line(String::new()),
    );
    let scopes = TokenScope::ALL.map(|scope| {
        let title = format!("{}: {}", scope.word(), grant::describe(scope));
        Choice::new(scope.word(), title)
    });
    let scopes = FieldKind::Many(scopes.to_vec());
    let scopes = Field::new("token-scopes", "scopes", "Besides reading, it may", scopes).optional();
    let games = seats.iter().map(|seat| {
        let word = seat.game.as_str();
        Choice::new(word, word)
    });
    let game = Field::new(
        "token-game",
        "game",
        "Where",
        FieldKind::One(games.collect()),
    )
    .blank("in all games");
    let spans = TOKEN_DAYS.map(|(days, title)| Choice::new(days.to_string(), title));
    let until = Field::new(
        "token-days",
        "days",
        "Valid for",
        FieldKind::One(spans.to_vec()),
    )
    .blank("until you revoke it");
    let password = FieldKind::Password { fresh: false };
    let password = Field::new("token-old", "old", "Your password", password);
    vec![label, scopes, game, until, password]
}

/// What a token may do: "may read, comment and vote, in the-reef alone".
fn may(token: &Token) -> String {
    let scopes = token
        .scopes
        .iter()
        .map(|scope| format!(" {};", scope.word()));
    let scopes: String = scopes.collect();
    let scopes = scopes.trim_end_matches(';').replace(';', ",");
    let scopes = match scopes.as_str() {
        "" => "may only read".to_owned(),
        scopes => format!("may read,{scopes}"),
    };
    match &token.game {
        Some(game) => format!("{scopes}, in {game} alone"),
        None => scopes,
    }
}

fn counts(site: &AppState, token: &Token) -> String {
    let when = |at| When::new(reply::timestamp(at), reply::timestamp(site.now())).full();
    match token.ends_at {
        Some(at) if at <= site.now() => format!("ended {}", when(at)),
        Some(at) => format!("since {}, until {}", when(token.made_at), when(at)),
        None => format!("since {}", when(token.made_at)),
    }
}

/// The token that a form asks for.
///
/// # Errors
/// Fails where it names what cannot be chosen there.
pub(super) fn wish(form: &Posted, seats: &[Seat]) -> Result<TokenWish, AppError> {
    let strange = || AppError::Form("Choose one of these.".to_owned());
    let scopes = form.all("scopes").iter().map(|word| word.parse());
    let scopes: Result<TokenScopes, _> = scopes.collect();
    let game = match form.filled("game") {
        Some(word) => {
            let seat = seats.iter().find(|seat| seat.game.as_str() == word);
            Some(seat.ok_or_else(strange)?.game.clone())
        }
        None => None,
    };
    let span = match form.filled("days") {
        Some(days) => {
            let mut known = TOKEN_DAYS.iter();
            let known = known.find(|(known, _)| known.to_string() == days);
            Some(Span::days(known.ok_or_else(strange)?.0))
        }
        None => None,
    };
    Ok(TokenWish {
        label: form.filled("label").unwrap_or("A program").to_owned(),
        scopes: scopes.map_err(|_| strange())?,
        game,
        span,
    })
}

/// Makes a token that acts for an account, and gives its secret, which is kept nowhere.
///
/// # Errors
/// Fails where the store does, and where the system has no random bytes.
pub async fn make_token(
    site: &AppState,
    account: AccountId,
    wish: TokenWish,
) -> Result<String, AppError> {
    let secret = format!("q_{}", fresh_word()?);
    let token = Token {
        digest: digest_of(&secret),
        account,
        label: wish.label.chars().take(100).collect(),
        scopes: wish.scopes,
        game: wish.game,
        made_at: site.now(),
        ends_at: wish.span.map(|span| site.now() + span),
    };
    site.deps.accounts.make_token(&token).await?;
    Ok(secret)
}
