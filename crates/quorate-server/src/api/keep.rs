//! Does the log hold together, the log as a file, and a game off the site.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::response::Response;
use quorate_kernel::{EventSeq, GameId};
use quorate_runtime::LogFault;
use quorate_runtime::in_process::Rejudger;
use quorate_runtime::ports::{SecurityEvent, TokenScope};
use quorate_runtime::verify;
use quorate_runtime::verify::Grade;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api::asked::Ask;
use crate::api::caller::{Caller, Signed};
use crate::api::problem::Problem;
use crate::app::error::AppError;
use crate::app::safety::{self, Happened};
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::app::{export, removal};

/// How closely to look.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct VerifyQuery {
    /// How closely to look.
    #[param(inline)]
    grade: Option<GradeWord>,
}

/// How closely to look at a log.
#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum GradeWord {
    /// Each event follows from the one before.
    Chain,
    /// And its effects fit the state that they change.
    #[default]
    Fold,
    /// And the law of its time, on the same dice, comes to the same effects. For operators: it takes long, and what
    /// differs may be private.
    Judgement,
}

/// What verifying found.
#[derive(Serialize, ToSchema)]
#[schema(as = Verdict)]
pub(crate) struct VerdictData {
    /// Whether all is well.
    holds: bool,
    /// How many events hold together.
    events: u64,
    /// The hash of the last of them.
    head: String,
    /// The digest of the state there.
    state: Option<String>,
    /// Where the log does not hold together.
    fault: Option<FaultData>,
    /// Where the law comes to something else today.
    differences: Vec<FaultData>,
    /// How many such places there are.
    difference_count: u64,
    /// What was found of the dice; nothing where the grade is `chain`.
    dice: DiceData,
}

/// Dice, held against the keys that were committed to before they fell and shown afterwards.
#[derive(Serialize, ToSchema)]
#[schema(as = DiceFound)]
pub(crate) struct DiceData {
    /// How many follow from a key that is shown.
    proven: u64,
    /// How many nobody can check yet: their key is shown when the dynasty ends.
    unproven: u64,
}

/// Something that is wrong with an event.
#[derive(Serialize, ToSchema)]
#[schema(as = LogFault)]
pub(crate) struct FaultData {
    /// The event.
    seq: u64,
    /// What is wrong.
    what: String,
}

/// Whether a game's log holds together.
#[utoipa::path(get, path = "/games/{game}/verify", tag = "log", operation_id = "verify",
    params(("game" = String, Path, description = "The game's word."), VerifyQuery),
    responses((status = 200, description = "What was found.", body = VerdictData), Problem))]
pub(crate) async fn verify(
    State(site): State<Arc<AppState>>,
    caller: Caller,
    Path(game): Path<String>,
    Ask(query): Ask<VerifyQuery>,
) -> Result<Json<VerdictData>, Problem> {
    site.checks.take(caller.visitor.who(), site.now_ms())?;
    let game: GameId = game.parse().map_err(|_| AppError::NotFound)?;
    let grade = match query.grade.unwrap_or_default() {
        GradeWord::Chain => Grade::Chain,
        GradeWord::Fold => Grade::Fold,
        GradeWord::Judgement => {
            operator(&caller.visitor)?;
            Grade::Judgement(Box::new(rejudger(&site, &game).await?))
        }
    };
    let (journal, seals) = (&*site.deps.journal, &*site.deps.seals);
    let verdict = verify::verify(journal, seals, &game, grade, &mut |_| {}).await?;
    let place = |fault: &LogFault| FaultData {
        seq: fault.seq.0,
        what: fault.what.to_string(),
    };
    Ok(Json(VerdictData {
        holds: verdict.holds(),
        events: verdict.head.seq.0,
        head: verdict.head.hash.to_string(),
        state: verdict.state.map(|digest| digest.to_string()),
        fault: verdict.fault.as_ref().map(place),
        differences: verdict.differences.iter().map(place).collect(),
        difference_count: verdict.difference_count,
        dice: DiceData {
            proven: verdict.dice.proven,
            unproven: verdict.dice.unproven,
        },
    }))
}

/// Lets nobody through but those who run the server.
fn operator(visitor: &Visitor) -> Result<(), Problem> {
    match &visitor.account {
        None => Err(AppError::SignIn.into()),
        Some(account) if account.operator => Ok(()),
        Some(_) => Err(AppError::Forbidden("Only an operator of this server can do that.").into()),
    }
}

async fn rejudger(site: &Arc<AppState>, game: &GameId) -> Result<Rejudger, Problem> {
    let row = site.deps.journal.game(game).await;
    let row = row.map_err(quorate_runtime::OperatingError::from)?;
    let row = row.ok_or(AppError::NotFound)?;
    let secret = row.secret.unwrap_or_else(|| site.deps.secret.of_game(game));
    let (finding, of) = (Arc::clone(site), game.clone());
    let handle = tokio::runtime::Handle::current();
    let find = move |seq: EventSeq| {
        let found = handle.block_on(finding.events(&of, &[seq]));
        found.ok().and_then(|mut events| events.pop())
    };
    let judges = (site.deps.again)();
    Ok(Rejudger::new(judges, game.clone(), secret, Box::new(find)))
}

/// What goes into the file.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ExportQuery {
    /// The open log alone: it verifies, and no word that anybody typed is in it.
    #[serde(default)]
    open: bool,
}

/// The whole game as a file, which `quorate import` reads. For those who run the server.
#[utoipa::path(get, path = "/games/{game}/export", tag = "log", operation_id = "export",
    params(("game" = String, Path, description = "The game's word."), ExportQuery),
    responses((status = 200, description = "A line of JSON for each event, after a heading.", body = String,
        content_type = "application/x-ndjson"), Problem), security(("token" = [])))]
pub(crate) async fn export(
    State(site): State<Arc<AppState>>,
    Signed(visitor): Signed,
    Path(game): Path<String>,
    Ask(query): Ask<ExportQuery>,
) -> Result<Response, Problem> {
    operator(&visitor)?;
    visitor
        .grant
        .check(TokenScope::Admin)
        .map_err(AppError::from)?;
    site.checks.take(visitor.who(), site.now_ms())?;
    let file = export::as_file(&site, &game, !query.open).await?;
    let happened = Happened {
        event: SecurityEvent::CopyTaken,
        account: None,
        about: game,
    };
    safety::note(&site, &visitor, happened).await;
    Ok(file)
}

/// A game that was removed, or put back.
#[derive(Serialize, ToSchema)]
pub(crate) struct Removal {
    /// Its word in addresses.
    game: String,
    /// Whether it is off the site.
    removed: bool,
}

/// Takes a game off the site, for everybody at once. Nothing of it is lost; `put_back` brings it back. For operators.
#[utoipa::path(delete, path = "/games/{game}", tag = "log", operation_id = "remove",
    params(("game" = String, Path, description = "The game's word.")),
    responses((status = 200, description = "It is off the site.", body = Removal), Problem), security(("token" = [])))]
pub(crate) async fn remove(
    State(site): State<Arc<AppState>>,
    Signed(visitor): Signed,
    Path(game): Path<String>,
) -> Result<Json<Removal>, Problem> {
    set_removed(&site, &visitor, &game, true).await
}

/// Puts a removed game back. What fell due meanwhile happens now. For operators.
#[utoipa::path(post, path = "/games/{game}/put-back", tag = "log", operation_id = "put_back",
    params(("game" = String, Path, description = "The game's word.")),
    responses((status = 200, description = "It is back.", body = Removal), Problem), security(("token" = [])))]
pub(crate) async fn put_back(
    State(site): State<Arc<AppState>>,
    Signed(visitor): Signed,
    Path(game): Path<String>,
) -> Result<Json<Removal>, Problem> {
    set_removed(&site, &visitor, &game, false).await
}

async fn set_removed(
    site: &Arc<AppState>,
    visitor: &Visitor,
    game: &str,
    is_removed: bool,
) -> Result<Json<Removal>, Problem> {
    operator(visitor)?;
    let grant = visitor.grant.check(TokenScope::Admin);
    grant.map_err(AppError::from)?;
    let game = removal::set_removed(site, visitor, game, is_removed).await?;
    Ok(Json(Removal {
        game: game.to_string(),
        removed: is_removed,
    }))
}
