//! The operator's panel: accounts, invitations, links for those who cannot sign in, and what sleeps where.

use std::fs::File;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use quorate_kernel::{GameId, Moment, Span};
use quorate_runtime::OperatingError;
use quorate_runtime::ports::{
    Account, AccountId, ClockStanding, GameRow, Invitation, SecurityEvent,
};
use serde::{Deserialize, Serialize};

use crate::app::download;
use crate::app::error::AppError;
use crate::app::export;
use crate::app::inquiry::{Inquiry, ask};
use crate::app::posted::Posted;
use crate::app::recovery::make_link;
use crate::app::reply;
use crate::app::reply::timestamp;
use crate::app::safety::{self, Happened};
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::requests::forms::{Sent, answer};
use crate::security::carried::{digest_of, fresh_word};
use crate::site::operator::page::{Operator, SecurityLog};
use crate::site::operator::{moderation, removal, withhold};
use crate::ui::urls::Href;
use crate::ui::{
    Cell, Column, Fact, Field, FieldKind, Form, Person, Row, Status, StatusKind, Table, TodoLine,
    When, plural, urls,
};
use crate::view::game::GameView;

/// How long an invitation and a recovery link count.
const INVITED_FOR: Span = Span::days(30);
const RECOVERY_FOR: Span = Span::days(2);

/// How many entries of the security log are shown.
const ENTRIES: u32 = 500;

/// How many accounts an invitation makes at most.
const USES_MAX: u32 = 100;

/// `GET /operator`.
pub(crate) async fn show(State(site): State<Arc<AppState>>, visitor: Visitor) -> Response {
    let result = panel(&site, &visitor, None).await;
    answer(&site, &visitor, result)
}

/// Only those who run the server get further; for everybody else there is no such page.
fn check(visitor: &Visitor) -> Result<(), AppError> {
    if visitor.is_operator() {
        Ok(())
    } else {
        Err(AppError::NotFound)
    }
}

async fn panel(
    site: &Arc<AppState>,
    visitor: &Visitor,
    secret: Option<Fact>,
) -> Result<Response, AppError> {
    check(visitor)?;
    let accounts = site.deps.accounts.accounts().await?;
    let games = site.deps.games.list().await?;
    let (health, lines) = health(site, visitor).await?;
    let uses = Field::new(
        "uses",
        "uses",
        "For how many accounts",
        FieldKind::Number {
            value: "1".to_owned(),
            min: Some(1),
            max: Some(i64::from(USES_MAX)),
        },
    );
    let name = Field::new(
        "recover-name",
        "name",
        "Account",
        FieldKind::Line(String::new()),
    );
    let factor = Field::new(
        "recover-factor",
        "factor",
        "Take the second factor away too",
        FieldKind::Flag(false),
    );
    let words = || games.iter().map(|row| row.game.as_str().to_owned());
    let panel = Operator {
        chrome: reply::chrome(site, visitor, "Operator's panel"),
        health,
        lines,
        games: kept(site, &games),
        removed: removal::lines(site, visitor).await?,
        whole_backup: urls::WholeBackup.into(),
        security_log: urls::OperatorSecurity.into(),
        accounts: table(site, &accounts),
        invite: form(visitor, "invite", vec![uses], "Make an invitation"),
        shown_once: secret,
        recover: form(
            visitor,
            "recover",
            vec![name, factor.optional()],
            "Make a recovery link",
        ),
        restrain: form(
            visitor,
            "restrain",
            moderation::fields(),
            "Change the account",
        ),
        remove: form(visitor, "remove", removal::fields(words()), "Remove it"),
        withhold: form(
            visitor,
            "withhold",
            withhold::fields(words()),
            "Withhold it permanently",
        ),
    };
    Ok(reply::page(site, visitor, StatusCode::OK, &panel))
}

/// Where rule code runs, and how that goes.
fn law(site: &AppState) -> Vec<Fact> {
    let Some(workers) = &site.deps.workers else {
        return vec![Fact::new("Rule code runs", "in the server's own process")];
    };
    let standing = workers.standing();
    let lacks = if standing.lacks.is_empty() {
        "no files, no network, no other processes, a cap on memory".to_owned()
    } else {
        format!("this system does not grant {}", standing.lacks.join("; "))
    };
    vec![
        Fact::new("Rule code runs", "in workers"),
        Fact::new("Workers", standing.count.to_string()),
        Fact::new(
            "Stopped",
            format!(
                "{} over their time, {} over memory or bugs",
                standing.stopped, standing.ended
            ),
        ),
        Fact::new("Workers have", lacks),
    ]
}

fn form(visitor: &Visitor, what: &str, fields: Vec<Field>, button: &str) -> Form {
    Form {
        fields,
        ..Form::button(visitor.send(urls::OperatorDo { what }), button)
    }
}

/// A link to hand on: with where the site is reached, if its operator said so.
fn whole(site: &AppState, href: &Href) -> String {
    let address = site.deps.config.address.as_deref().unwrap_or_default();
    format!("{address}{}", href.as_str())
}

/// A moment as the panel tells it.
fn when(site: &AppState, at: Moment) -> String {
    When::new(timestamp(at), timestamp(site.now())).full()
}

fn table(site: &AppState, accounts: &[Account]) -> Table {
    let rows = accounts.iter().map(|account| Row {
        id: format!("account-{}", account.id.0),
        owner: Person::named(account.name.clone()),
        cells: vec![
            Cell::text(if account.operator { "operator" } else { "" }),
            Cell::text(when(site, account.made_at)),
        ],
        changed: None,
        history: None,
    });
    Table {
        id: "accounts".to_owned(),
        label: "Accounts".to_owned(),
        owner: Column::words("Name"),
        columns: ["Role", "Made"].map(Column::words).to_vec(),
        rows: rows.collect(),
        pseudo: Vec::new(),
        tells_change: false,
    }
}

/// The games, each with the way to what was withheld in it, and with itself as a file.
fn kept(site: &AppState, rows: &[GameRow]) -> Table {
    let rows = rows.iter().map(|row| {
        let game = row.game.as_str();
        let due = row.next_due.map(|at| {
            let at = When::new(timestamp(at), timestamp(site.now()));
            format!("{}, {}", at.date(), at.clock())
        });
        let withheld = Href::from(urls::Log { game }).with("kind", "repair");
        Row {
            id: format!("game-{game}"),
            owner: Person::new(game, urls::Game { game }),
            cells: vec![
                Cell::text(row.head.seq.to_string()),
                Cell::text(due.unwrap_or_else(|| "nothing".to_owned())),
                Cell::to("in its log", withheld),
                Cell::to("download", urls::Backup { game }),
            ],
            changed: None,
            history: None,
        }
    });
    Table {
        id: "games".to_owned(),
        label: "Games".to_owned(),
        owner: Column::words("Game"),
        columns: vec![
            Column {
                is_number: true,
                ..Column::words("Events")
            },
            Column::words("Next due"),
            Column::words("Repairs"),
            Column::words("Backup"),
        ],
        rows: rows.collect(),
        pseudo: Vec::new(),
        tells_change: false,
    }
}

/// `GET /operator/backup/{game}`: a game as a file, with all that lies beside its log.
pub(crate) async fn backup(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    Path(game): Path<String>,
) -> Response {
    if let Err(error) = check(&visitor) {
        return reply::failed(&site, &visitor, None, error);
    }
    match export::as_file(&site, &game, true).await {
        Ok(response) => {
            note(&site, &visitor, SecurityEvent::CopyTaken, None, game).await;
            response
        }
        Err(error) => reply::failed(&site, &visitor, None, error),
    }
}

async fn note(
    site: &AppState,
    visitor: &Visitor,
    event: SecurityEvent,
    account: Option<AccountId>,
    about: String,
) {
    let happened = Happened {
        event,
        account,
        about,
    };
    safety::note(site, visitor, happened).await;
}

/// `GET /operator/security`: the security log.
pub(crate) async fn security(State(site): State<Arc<AppState>>, visitor: Visitor) -> Response {
    let result = security_log(&site, &visitor).await;
    answer(&site, &visitor, result)
}

async fn security_log(site: &AppState, visitor: &Visitor) -> Result<Response, AppError> {
    check(visitor)?;
    let entries = site.deps.safety.entries(None, ENTRIES).await?;
    let accounts = site.deps.accounts.accounts().await?;
    let name = |id: Option<AccountId>| {
        let account = accounts.iter().find(|account| Some(account.id) == id);
        account.map_or_else(String::new, |account| account.name.clone())
    };
    let rows = (0..).zip(&entries).map(|(nth, entry)| Row {
        id: format!("entry-{nth}"),
        owner: Person::named(safety::describe(entry.event).to_owned()),
        cells: vec![
            Cell::text(when(site, entry.at)),
            Cell::text(name(entry.account)),
            Cell::text(name(entry.by)),
            Cell::text(entry.about.clone()),
            Cell::text(entry.place.clone()),
        ],
        changed: None,
        history: None,
    });
    let entries = Table {
        id: "entries".to_owned(),
        label: "Security log".to_owned(),
        owner: Column::words("What"),
        columns: ["When", "Account", "By", "About", "From"]
            .map(Column::words)
            .to_vec(),
        rows: rows.collect(),
        pseudo: Vec::new(),
        tells_change: false,
    };
    let page = SecurityLog {
        chrome: reply::chrome(site, visitor, "Security log"),
        entries,
    };
    Ok(reply::page(site, visitor, StatusCode::OK, &page))
}

/// `GET /operator/backup`: everything that the server keeps as one file, which `quorate restore` takes.
pub(crate) async fn whole_backup(State(site): State<Arc<AppState>>, visitor: Visitor) -> Response {
    match packed(&site, &visitor).await {
        Ok(file) => download::attachment("quorate.tar", "application/x-tar", file),
        Err(error) => reply::failed(&site, &visitor, None, error),
    }
}

async fn packed(site: &AppState, visitor: &Visitor) -> Result<File, AppError> {
    check(visitor)?;
    let backup = site.deps.backup.as_ref().ok_or(AppError::NotFound)?;
    site.checks.take(visitor.who(), site.now_ms())?;
    let file = tempfile::tempfile()
        .map_err(|error| AppError::Broken(format!("the file could not be made: {error}")))?;
    let copied = backup.back_up(&std::env::temp_dir(), &file).await;
    copied.map_err(OperatingError::from)?;
    let about = "the whole server".to_owned();
    note(site, visitor, SecurityEvent::CopyTaken, None, about).await;
    Ok(file)
}

/// What players told.
async fn reports(site: &Arc<AppState>, visitor: &Visitor) -> Result<Vec<TodoLine>, AppError> {
    let mut lines = Vec::new();
    let reports = site.deps.moderation.reports().await?;
    let admins = moderation::admins_among(site, &reports).await?;
    for (id, report) in reports {
        let settle = form(visitor, "settle", Vec::new(), "Settled");
        lines.push(TodoLine {
            status: Some(Status::new(StatusKind::Claimed, "Reported")),
            text: moderation::describe_report(site, &report, &admins).await?,
            more: moderation::place(&report.game, &report.about),
            forms: vec![Form {
                send: settle.send.clone().with("report", id.to_string()),
                ..settle.expected()
            }],
            ..TodoLine::default()
        });
    }
    Ok(lines)
}

/// What is wrong with the machine's clock, and the button that says it is right.
fn clock(site: &AppState, visitor: &Visitor) -> Option<TodoLine> {
    let (span, way) = match site.deps.clock.standing() {
        ClockStanding::Even => return None,
        ClockStanding::Ahead(span) => (span, "ahead"),
        ClockStanding::Behind(span) => (span, "back"),
    };
    let hours = span.0 / Span::hours(1).0;
    let text = format!(
        "It jumped {way} by some {hours} hours. Games go on by the time before; set the clock right, or say that it is."
    );
    Some(TodoLine {
        status: Some(Status::new(
            StatusKind::Failed,
            "The machine\u{2019}s clock",
        )),
        text,
        forms: vec![form(visitor, "clock", Vec::new(), "It is right").expected()],
        ..TodoLine::default()
    })
}

async fn health(
    site: &Arc<AppState>,
    visitor: &Visitor,
) -> Result<(Vec<Fact>, Vec<TodoLine>), AppError> {
    let rows = site.deps.games.list().await?;
    let awake = rows
        .iter()
        .filter(|row| site.deps.games.is_awake(&row.game))
        .count();
    let mut facts = vec![
        Fact::new("Version", env!("CARGO_PKG_VERSION")),
        Fact::new("Games", rows.len().to_string()).note(format!("{awake} awake")),
        Fact::new(
            "Mail",
            if site.deps.config.mail.is_some() {
                "is sent"
            } else {
                "none is sent"
            },
        ),
    ];
    facts.extend(law(site));
    let mut lines: Vec<_> = clock(site, visitor).into_iter().collect();
    lines.extend(reports(site, visitor).await?);
    for row in &rows {
        let game = row.game.clone();
        let told = match ask(site, AsleepAsked { game }).await {
            Ok(asleep) => asleep
                .into_iter()
                .map(|(rule, why)| {
                    let status = Status::new(StatusKind::Asleep, "Asleep");
                    (status, format!("{}: {rule}: {why}", row.game))
                })
                .collect(),
            Err(error) => {
                let status = Status::new(StatusKind::Failed, "Cannot be opened");
                vec![(status, format!("{}: {}", row.game, error.what()))]
            }
        };
        lines.extend(told.into_iter().map(|(status, text)| TodoLine {
            status: Some(status),
            text,
            ..TodoLine::default()
        }));
    }
    Ok((facts, lines))
}

/// What code of a game's rules is asleep: the rule's title, and why.
#[derive(Serialize, Deserialize)]
pub(crate) struct AsleepAsked {
    game: GameId,
}

impl Inquiry for AsleepAsked {
    type Answer = Vec<(String, String)>;
    const WORD: &'static str = "asleep";

    fn game(&self) -> &GameId {
        &self.game
    }

    async fn answer(self, site: &Arc<AppState>) -> Result<Self::Answer, AppError> {
        let view = GameView::for_account(site, None, self.game.as_str()).await?;
        let asleep = view.law().asleep.iter().map(|asleep| {
            let why = asleep.diagnostics.first();
            let why = why.map(|finding| finding.text.clone());
            (view.rule_title(&asleep.rule), why.unwrap_or_default())
        });
        Ok(asleep.collect())
    }
}

/// `POST /operator/{what}`.
pub(crate) async fn submit(
    State(site): State<Arc<AppState>>,
    Path(what): Path<String>,
    sent: Sent,
) -> Response {
    let result = done(&site, &sent.visitor, &what, &sent.form).await;
    answer(&site, &sent.visitor, result)
}

async fn done(
    site: &Arc<AppState>,
    visitor: &Visitor,
    what: &str,
    form: &Posted,
) -> Result<Response, AppError> {
    check(visitor)?;
    let secret = match what {
        "invite" => {
            let word = fresh_word()?;
            let uses = form
                .filled("uses")
                .and_then(|uses| uses.parse().ok())
                .unwrap_or(1);
            let invitation = Invitation {
                digest: digest_of(&word),
                made_by: visitor.id(),
                game: None,
                uses_left: u32::clamp(uses, 1, USES_MAX),
                ends_at: site.now() + INVITED_FOR,
            };
            site.deps.accounts.invite(&invitation).await?;
            let uses = format!(
                "for {}",
                plural(invitation.uses_left as usize, "account", "accounts")
            );
            note(site, visitor, SecurityEvent::Invited, None, uses).await;
            Fact::new(
                "Invitation",
                whole(site, &urls::Invitation { code: &word }.into()),
            )
            .note("Counts for 30 days; shown this once.")
        }
        "recover" => {
            let name = form.filled("name").unwrap_or_default();
            let account = site.deps.accounts.account_by_name(name).await?;
            let account = account
                .ok_or_else(|| AppError::Form("There is no account of that name.".to_owned()))?;
            if form.one("factor").is_some() {
                site.deps.safety.drop_second_factor(account.id).await?;
                let (event, about) = (SecurityEvent::FactorOff, String::new());
                note(site, visitor, event, Some(account.id), about).await;
            }
            let ends_at = site.now() + RECOVERY_FOR;
            let link = make_link(&*site.deps.accounts, account.id, ends_at).await?;
            let event = SecurityEvent::RecoveryMade;
            note(site, visitor, event, Some(account.id), String::new()).await;
            Fact::new(format!("For {}", account.name), whole(site, &link))
                .note("Counts once, for two days; shown this once.")
        }
        "clock" => {
            site.deps.clock.trust();
            let about = String::new();
            note(site, visitor, SecurityEvent::ClockTrusted, None, about).await;
            let notice = "The machine\u{2019}s clock is followed again.";
            return Ok(reply::see_with(&urls::Operator.into(), notice));
        }
        "settle" => return moderation::settled(site, visitor, form).await,
        "restrain" => return moderation::done(site, visitor, form).await,
        "remove" => return removal::done(site, visitor, form, true).await,
        "put-back" => return removal::done(site, visitor, form, false).await,
        "withhold" => return withhold::done(site, visitor, form).await,
        _ => return Err(AppError::NotFound),
    };
    panel(site, visitor, Some(secret)).await
}
