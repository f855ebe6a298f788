//! What would happen: a command or a set of changes tried on a copy of the game, of which nothing stays.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use quorate_engine::changes::Change;
use quorate_engine::lookup;
use quorate_engine::request::CommandRequest;
use quorate_forecast::words;
use quorate_forecast::{Extent, Forecast, Proof, Proposed};
use quorate_kernel::command::{Actor, typed};
use quorate_kernel::patch::Patch;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::asked::{Body, blocking};
use crate::api::caller::Signed;
use crate::api::log::EffectData;
use crate::api::problem::{Problem, RefusalData};
use crate::api::{commands, log};
use crate::app::state::AppState;
use crate::requests::send;
use crate::view::game::GameView;

/// Whether a command would be taken.
#[derive(Serialize, ToSchema)]
pub(crate) struct Trial {
    /// Whether the law would take it now, up to its first die or question: what comes after that nobody can know.
    allowed: bool,
    /// Why not.
    refusal: Option<RefusalData>,
}

/// Whether the law would take a command of yours now, and if not, why and when. Nothing is done.
#[utoipa::path(post, path = "/games/{game}/why", tag = "play", operation_id = "why", request_body = CommandRequest,
    params(("game" = String, Path, description = "The game's word.")),
    responses((status = 200, description = "The answer.", body = Trial), Problem), security(("token" = [])))]
pub(crate) async fn why(
    State(site): State<Arc<AppState>>,
    Signed(visitor): Signed,
    Path(game): Path<String>,
    Body(request): Body<CommandRequest>,
) -> Result<Json<Trial>, Problem> {
    site.checks.take(visitor.who(), site.now_ms())?;
    let view = Arc::new(GameView::at(&site, &visitor, &game).await?);
    let actor = match (request.action.as_str(), view.me()) {
        ("apply-to-join", None) => Actor::Newcomer,
        _ => Actor::Player(send::player(&view)?),
    };
    let past = commands::past(&view, &request).await?;
    let act = commands::act(&view, request, past.clone()).await?;
    let told = blocking(view, move |view| {
        let answer = view.allowed(actor, act, &past);
        Ok(Trial {
            allowed: answer.is_ok(),
            refusal: answer.err().map(|no| RefusalData::themed(view, &no)),
        })
    });
    told.await.map(Json)
}

/// Changes to be tried.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PreviewDraft)]
pub(crate) struct PreviewDraft {
    /// The changes.
    changes: Vec<Change>,
    /// Whether tests are to run as well, which takes longer: those that name the rules it touches, and its own.
    #[serde(default)]
    tests: bool,
    /// Whether everything is to be tried that the site's report has, which takes longer: what players could do, claims,
    /// what is pending, and whether rules could still be changed.
    #[serde(default)]
    whole: bool,
    /// The text of the post that is to carry the changes; its fences of the language `starlark-test` hold tests of its own.
    #[serde(default)]
    body: String,
    /// Its category; where it is left out, that of the posts by which rules are changed.
    #[serde(default)]
    category: Option<String>,
    /// Its title, on which rules may look: tags, for example.
    #[serde(default)]
    title: Option<String>,
    /// The post that carries these changes already, or would by an edit: its place in the queue counts.
    #[serde(default)]
    post: Option<String>,
}

/// What changes would do.
#[derive(Serialize, ToSchema)]
pub(crate) struct Preview {
    /// The digest of the changes, by which a post that carries the same ones is known.
    digest: String,
    /// Why they cannot be tried at all.
    refusal: Option<RefusalData>,
    /// What they would change once the law enacts them, as far as you may see it.
    effects: Vec<EffectData>,
    /// The whole report for people, as the site shows it, a line each.
    report: Vec<String>,
    /// The same as data, part by part, as the documentation of the API describes it. Without `whole` it has no part but
    /// `needs`, `said`, `alone`, `conditions` and `collisions`.
    #[schema(value_type = Object)]
    forecast: Arc<Forecast>,
    /// How the tests went, where they were asked for.
    tests: Option<Proof>,
}

/// What changes would do to this very game if they were made now. Nothing is done.
#[utoipa::path(post, path = "/games/{game}/preview", tag = "law", operation_id = "preview", request_body = PreviewDraft,
    params(("game" = String, Path, description = "The game's word.")),
    responses((status = 200, description = "What would happen.", body = Preview), Problem), security(("token" = [])))]
pub(crate) async fn preview(
    State(site): State<Arc<AppState>>,
    Signed(visitor): Signed,
    Path(game): Path<String>,
    Body(draft): Body<PreviewDraft>,
) -> Result<Json<Preview>, Problem> {
    site.checks.take(visitor.who(), site.now_ms())?;
    let view = GameView::at(&site, &visitor, &game).await?;
    let _turn = if draft.tests {
        Some(site.proving.lock().await)
    } else {
        None
    };
    let told = blocking(Arc::new(view), move |view| would(view, &draft));
    told.await.map(Json)
}

fn would(view: &GameView, draft: &PreviewDraft) -> Result<Preview, Problem> {
    let patch = view.ask(|asked| asked.patch(&draft.changes));
    let patch = patch.map_err(|bad| Problem::bad(bad.place, bad.text))?;
    let extent = if draft.whole {
        Extent::Whole
    } else {
        Extent::Alone
    };
    let proposed = proposed(view, draft, patch)?;
    let forecast = view.forecast(&proposed, extent);
    let refusal = forecast.refused.as_ref();
    let is_tried = refusal.is_none();
    let sections = words::sections(&forecast, view).into_iter();
    let report = sections
        .filter(|_| is_tried)
        .flat_map(|section| section.lines);
    let proof = (is_tried && draft.tests).then(|| view.proof(&proposed, &draft.body));
    Ok(Preview {
        digest: forecast.digest.clone(),
        refusal: refusal.map(|refusal| RefusalData::themed(view, refusal)),
        effects: log::effects(view, &forecast.steps),
        report: report.map(|line| line.whole()).collect(),
        tests: proof.and_then(|proof| Some(Proof::clone(&*proof.ok()?))),
        forecast,
    })
}

/// The post that is tried: one that is there, as it would be edited, or a new one.
fn proposed(view: &GameView, draft: &PreviewDraft, patch: Patch) -> Result<Proposed, Problem> {
    let mut new = match Proposed::changes(view.law(), patch) {
        Proposed::Draft(new) => new,
        there => return Ok(there),
    };
    if let Some(category) = &draft.category {
        let known = lookup::category(view.law(), category);
        new.category = known.unwrap_or_else(|| category.as_str().into());
    }
    if let Some(title) = &draft.title {
        new.title = typed(title);
    }
    if !draft.body.is_empty() {
        new.body = typed(&draft.body);
    }
    let Some(word) = &draft.post else {
        return Ok(Proposed::Draft(new));
    };
    let id = word.trim_start_matches("post:").parse().ok();
    let there = id.and_then(|id| Some((id, view.post(id)?)));
    let (id, post) =
        there.ok_or_else(|| Problem::bad("post", format!("no post is called \"{word}\"")))?;
    new.category = post.category.clone();
    if draft.title.is_none() {
        new.title = post.title.clone();
    }
    if draft.body.is_empty() {
        new.body = post.body.clone();
    }
    Ok(Proposed::Edit(id, new))
}
