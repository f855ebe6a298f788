//! Moderation: reports, and what accounts are kept from.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::response::Response;
use quorate_kernel::{GameId, Span};
use quorate_runtime::ports::{Account, AccountId, Report, Restraint, RestraintKind, SecurityEvent};
use serde::{Deserialize, Serialize};

use crate::app::error::AppError;
use crate::app::inquiry::{Inquiry, ask};
use crate::app::moderation;
use crate::app::posted::Posted;
use crate::app::reply;
use crate::app::safety::{self, Happened};
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::ui::{Choice, Field, FieldKind, Link, plural, urls};
use crate::view::game::GameView;

/// The fields of the form: whom, from what, how long, why.
pub(crate) fn fields() -> Vec<Field> {
    let ways = [
        ("muted", "Mute: they read and act, and write nothing"),
        ("suspended", "Suspend: they cannot sign in"),
        ("lift", "Lift whatever they are kept from"),
        (
            "end",
            "End the account permanently: its players stay, played by nobody",
        ),
    ];
    let ways = ways
        .map(|(value, title)| Choice::new(value, title))
        .to_vec();
    let days = FieldKind::Number {
        value: String::new(),
        min: Some(1),
        max: Some(3_650),
    };
    vec![
        Field::new("mo-name", "name", "Account", FieldKind::Line(String::new())),
        Field::new("mo-way", "way", "What", FieldKind::One(ways)),
        Field::new("mo-days", "days", "For how many days", days)
            .optional()
            .hint("Empty: until it is lifted."),
        Field::new("mo-why", "why", "Reason", FieldKind::Line(String::new()))
            .optional()
            .hint("They are told."),
    ]
}

/// Those of some players who are their game's admins.
#[derive(Serialize, Deserialize)]
pub(crate) struct AdminsAsked {
    game: GameId,
    players: Vec<String>,
}

impl Inquiry for AdminsAsked {
    type Answer = Vec<String>;
    const WORD: &'static str = "admins";

    fn game(&self) -> &GameId {
        &self.game
    }

    async fn answer(self, site: &Arc<AppState>) -> Result<Self::Answer, AppError> {
        let view = GameView::for_account(site, None, self.game.as_str()).await?;
        let mut admins = self.players;
        admins.retain(|player| player.parse().is_ok_and(|id| view.is_admin(id)));
        Ok(admins)
    }
}

/// Which accounts play an admin of the games in which something was reported: what those ask for weighs more.
pub(crate) async fn admins_among(
    site: &Arc<AppState>,
    reports: &[(u64, Report)],
) -> Result<BTreeSet<(GameId, AccountId)>, AppError> {
    let games: BTreeSet<&GameId> = reports.iter().map(|(_, report)| &report.game).collect();
    let mut found = BTreeSet::new();
    for game in games {
        let seats = site.deps.accounts.seats_in(game).await?;
        let asked = AdminsAsked {
            game: game.clone(),
            players: seats.iter().map(|seat| seat.player.to_string()).collect(),
        };
        // What was reported in a game that cannot be asked is told all the same.
        let admins = ask(site, asked).await.unwrap_or_default();
        let seats = seats.into_iter();
        let seats = seats.filter(|seat| admins.contains(&seat.player.to_string()));
        found.extend(seats.map(|seat| (game.clone(), seat.account)));
    }
    Ok(found)
}

/// What a report says, with the account that plays whom it is about.
pub(crate) async fn describe_report(
    site: &AppState,
    report: &Report,
    admins: &BTreeSet<(GameId, AccountId)>,
) -> Result<String, AppError> {
    let accounts = &site.deps.accounts;
    let name = async |id| -> Result<String, AppError> {
        let account = accounts.account(id).await?;
        Ok(account.map_or_else(
            || "an account that is gone".to_owned(),
            |account| account.name,
        ))
    };
    let by = match report.by {
        Some(by) if admins.contains(&(report.game.clone(), by)) => {
            format!("{}, an admin there,", name(by).await?)
        }
        Some(by) => name(by).await?,
        None => "an account that is gone".to_owned(),
    };
    let played = match report
        .about
        .strip_prefix("player:")
        .and_then(|id| id.parse().ok())
    {
        Some(player) => {
            let seats = accounts.seats_in(&report.game).await?;
            match seats.iter().find(|seat| seat.player == player) {
                Some(seat) => format!(", played by the account {}", name(seat.account).await?),
                None => String::new(),
            }
        }
        None => String::new(),
    };
    Ok(format!(
        "{} in {}{played}. {by} says: {}",
        report.about, report.game, report.why
    ))
}

/// Where what is reported is found.
pub(crate) fn place(game: &GameId, about: &str) -> Option<Link> {
    let game = game.as_str();
    match about.split_once(':')? {
        ("post", post) => Some(Link::new("See it", urls::Post { game, post })),
        ("player", player) => Some(Link::new("See it", urls::Player { game, player })),
        _ => None,
    }
}

/// Settles a report.
pub(crate) async fn settled(
    site: &AppState,
    visitor: &Visitor,
    form: &Posted,
) -> Result<Response, AppError> {
    let id: Option<u64> = form.filled("report").and_then(|id| id.parse().ok());
    let id = id.ok_or(AppError::NotFound)?;
    if !site.deps.moderation.settle_report(id, site.now()).await? {
        return Err(AppError::NotFound);
    }
    let happened = Happened {
        event: SecurityEvent::ReportSettled,
        account: None,
        about: format!("report {id}"),
    };
    safety::note(site, visitor, happened).await;
    Ok(reply::see_with(
        &urls::Operator.into(),
        "The report is settled.",
    ))
}

/// Keeps an account from something, or lifts that.
pub(crate) async fn done(
    site: &AppState,
    visitor: &Visitor,
    form: &Posted,
) -> Result<Response, AppError> {
    let name = form.filled("name").unwrap_or_default();
    let account = site.deps.accounts.account_by_name(name).await?;
    let account =
        account.ok_or_else(|| AppError::Form("There is no account of that name.".to_owned()))?;
    if account.operator {
        let theirs = "This account is an operator’s, and operators can’t be restricted. `quorate operator` takes the mark away.";
        return Err(AppError::Form(theirs.to_owned()));
    }
    let way = form.filled("way").unwrap_or_default();
    if way == "end" {
        return ended(site, visitor, &account, form).await;
    }
    let (event, about) = if way == "lift" {
        site.deps.moderation.lift(account.id).await?;
        (SecurityEvent::Lifted, String::new())
    } else {
        let restraint = restraint(site, way, form)?;
        site.deps
            .moderation
            .restrain(account.id, &restraint)
            .await?;
        if restraint.kind == RestraintKind::Suspended {
            moderation::shut_out(site, account.id).await?;
        }
        let event = match restraint.kind {
            RestraintKind::Muted => SecurityEvent::Muted,
            RestraintKind::Suspended => SecurityEvent::Suspended,
        };
        (event, restraint.why)
    };
    let happened = Happened {
        event,
        account: Some(account.id),
        about,
    };
    safety::note(site, visitor, happened).await;
    let notice = format!("{}: {}.", account.name, safety::describe(event));
    Ok(reply::see_with(&urls::Operator.into(), &notice))
}

/// Ends an account, as if its owner had erased it.
async fn ended(
    site: &AppState,
    visitor: &Visitor,
    account: &Account,
    form: &Posted,
) -> Result<Response, AppError> {
    let why = reason(form)?;
    let told = Happened {
        about: why.clone(),
        ..Happened::to(account.id, SecurityEvent::Ended)
    };
    site.deps.accounts.erase(account.id).await?;
    safety::tell_before(site, visitor, account, told);
    // What the log has of the account goes with it, and this stays.
    let happened = Happened {
        event: SecurityEvent::Ended,
        account: None,
        about: format!("{}: {why}", account.name),
    };
    safety::note(site, visitor, happened).await;
    let notice = format!("The account {} is gone.", account.name);
    Ok(reply::see_with(&urls::Operator.into(), &notice))
}

fn reason(form: &Posted) -> Result<String, AppError> {
    let why = form.filled("why").map(str::to_owned);
    why.ok_or_else(|| AppError::Form("Give a reason; they are told.".to_owned()))
}

fn restraint(site: &AppState, way: &str, form: &Posted) -> Result<Restraint, AppError> {
    let kind = RestraintKind::of_word(way);
    let kind = kind.ok_or_else(|| AppError::Form("Say what they are kept from.".to_owned()))?;
    let why = reason(form)?;
    let until = match form.filled("days") {
        Some(days) => {
            let days: Option<i64> = days.parse().ok().filter(|days| (1..=3_650).contains(days));
            let days = days.ok_or_else(|| {
                AppError::Form(format!("Give {}.", plural(3_650, "day", "days at most")))
            })?;
            Some(site.now() + Span::days(days))
        }
        None => None,
    };
    Ok(Restraint { kind, until, why })
}
