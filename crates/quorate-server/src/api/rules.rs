//! The ruleset, now or as it was, and one rule with all its versions.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use quorate_kernel::law::{LIBRARY, Rule};
use quorate_kernel::{EventSeq, Name};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api::asked::{Ask, blocking};
use crate::api::caller::Caller;
use crate::api::data::moment;
use crate::api::problem::Problem;
use crate::app::error::AppError;
use crate::app::state::AppState;
use crate::view::game::GameView;
use crate::view::{rules, versions};

/// Which moment.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct AtQuery {
    /// An event's number, after which, or a day (`2027-05-14`), at whose end; now, if nothing is given.
    pub at: Option<String>,
}

/// The ruleset.
#[derive(Serialize, ToSchema)]
#[schema(as = Ruleset)]
pub(crate) struct RulesetData {
    /// The moment at which it stood so.
    #[schema(format = DateTime)]
    at: String,
    /// The event that last changed it.
    changed_by: u64,
    /// The digest of the law.
    law: String,
    /// The sections, in order; that of library texts last.
    sections: Vec<SectionData>,
    /// The rules, in order.
    rules: Vec<RuleData>,
}

/// A section of the ruleset.
#[derive(Serialize, ToSchema)]
#[schema(as = Section)]
pub(crate) struct SectionData {
    /// Its code name.
    id: String,
    /// Its title.
    title: String,
}

/// A rule.
#[derive(Serialize, ToSchema)]
#[schema(as = Rule)]
pub(crate) struct RuleData {
    /// Its code name.
    id: String,
    /// Its number in the ruleset; empty for library texts.
    number: String,
    /// Its title.
    title: String,
    /// The section that it stands in.
    section: String,
    /// The rule that it is nested in.
    parent: Option<String>,
    /// Whether it is switched on.
    active: bool,
    /// Words by which other rules find it.
    tags: Vec<String>,
    /// The event that last changed it.
    changed_by: u64,
    /// Its Markdown text: prose, with code in fences. Tokens such as `{player}` stand for words of the theme.
    text: String,
    /// Its code that sleeps.
    asleep: Vec<AsleepData>,
}

/// Code that sleeps.
#[derive(Serialize, ToSchema)]
#[schema(as = Asleep)]
pub(crate) struct AsleepData {
    /// Its place among the fences of the rule's text, counted from 1.
    fence: usize,
    /// Why.
    why: String,
}

/// A rule with its history.
#[derive(Serialize, ToSchema)]
pub(crate) struct RuleHistory {
    /// The rule.
    rule: RuleData,
    /// Its versions, newest first.
    history: Vec<VersionData>,
}

/// A version of a rule.
#[derive(Serialize, ToSchema)]
#[schema(as = RuleVersion)]
pub(crate) struct VersionData {
    /// The event that made it.
    event: u64,
    /// When.
    #[schema(format = DateTime)]
    at: String,
    /// What was done.
    how: String,
    /// Whose command that was.
    by: String,
    /// Its title.
    title: String,
    /// Its text.
    text: String,
    /// Whether it was switched on.
    active: bool,
}

/// The ruleset, now or as it was.
#[utoipa::path(get, path = "/games/{game}/rules", tag = "law", operation_id = "rules",
    params(("game" = String, Path, description = "The game's word."), AtQuery),
    responses((status = 200, description = "The ruleset.", body = RulesetData), Problem))]
pub(crate) async fn list(
    State(site): State<Arc<AppState>>,
    caller: Caller,
    Path(game): Path<String>,
    Ask(query): Ask<AtQuery>,
) -> Result<Json<RulesetData>, Problem> {
    let view = then(&site, &caller, &game, &query).await?;
    let told = blocking(Arc::new(view), |view| Ok(rules(view)));
    told.await.map(Json)
}

/// The game as its reader sees it at the moment that is asked for.
pub(crate) async fn then(
    site: &Arc<AppState>,
    caller: &Caller,
    game: &str,
    query: &AtQuery,
) -> Result<GameView, Problem> {
    let view = GameView::then(site, &caller.visitor, game, query.at.as_deref()).await;
    view.map_err(|error| match error {
        AppError::Form(text) => Problem::bad("query.at", text),
        other => other.into(),
    })
}

fn rules(view: &GameView) -> RulesetData {
    let sections = rules::ordered_sections(view);
    let numbers = rules::numbers(view);
    let last = view
        .public()
        .rules
        .values()
        .map(|rule| rule.changed_by)
        .max();
    let mut rules = view.rules_in_order();
    rules.sort_by_key(|(_, rule)| rule.section == LIBRARY);
    RulesetData {
        at: moment(view.now()),
        changed_by: last.unwrap_or(EventSeq(1)).0,
        law: view.law_digest().to_string(),
        sections: sections
            .into_iter()
            .map(|(id, section)| SectionData {
                id: id.to_string(),
                title: view.themed(&section.title),
            })
            .collect(),
        rules: rules
            .into_iter()
            .map(|(id, one)| rule(view, id, one, &numbers))
            .collect(),
    }
}

fn rule(view: &GameView, id: &Name, rule: &Rule, numbers: &BTreeMap<Name, String>) -> RuleData {
    RuleData {
        id: id.to_string(),
        number: numbers.get(id).cloned().unwrap_or_default(),
        title: view.themed(&rule.title),
        section: rule.section.to_string(),
        parent: rule.parent.as_ref().map(ToString::to_string),
        active: rule.active,
        tags: rule.tags.iter().map(ToString::to_string).collect(),
        changed_by: rule.changed_by.0,
        text: rule.text.to_string(),
        asleep: asleep(view, id),
    }
}

/// What sleeps of a rule: what does not check, and what broke too often.
fn asleep(view: &GameView, id: &Name) -> Vec<AsleepData> {
    let unchecked = view.law().asleep.iter().filter(|asleep| asleep.rule == *id);
    let unchecked = unchecked.map(|asleep| AsleepData {
        fence: asleep.fence + 1,
        why: match asleep.diagnostics.first() {
            Some(finding) => format!("line {}: {}", finding.line, finding.text),
            None => "it does not check".to_owned(),
        },
    });
    let breaks = view.public().breaks.iter();
    let broken = breaks
        .filter(|(key, breaks)| key.rule == *id && breaks.asleep)
        .map(|(key, breaks)| AsleepData {
            fence: key.fence as usize,
            why: format!("it broke {} times: {}", breaks.times, breaks.last),
        });
    unchecked.chain(broken).collect()
}

/// One rule, now or as it was, with its versions up to then.
#[utoipa::path(get, path = "/games/{game}/rules/{rule}", tag = "law", operation_id = "rule",
    params(("game" = String, Path, description = "The game's word."),
        ("rule" = String, Path, description = "The rule's code name."), AtQuery),
    responses((status = 200, description = "The rule.", body = RuleHistory), Problem))]
pub(crate) async fn one(
    State(site): State<Arc<AppState>>,
    caller: Caller,
    Path((game, id)): Path<(String, String)>,
    Ask(query): Ask<AtQuery>,
) -> Result<Json<RuleHistory>, Problem> {
    let view = then(&site, &caller, &game, &query).await?;
    let id = Name::from(id);
    let versions = versions::versions(&view, &id).await?;
    let told = blocking(Arc::new(view), move |view| {
        let known = view.public().rules.get(&id).ok_or(AppError::NotFound)?;
        Ok(RuleHistory {
            rule: rule(view, &id, known, &rules::numbers(view)),
            history: versions
                .iter()
                .filter_map(|one| version(view, one))
                .collect(),
        })
    });
    told.await.map(Json)
}

fn version(view: &GameView, version: &versions::Version) -> Option<VersionData> {
    let rule = version.after.as_ref()?;
    let event = &version.event;
    Some(VersionData {
        event: event.seq.0,
        at: moment(event.at),
        how: view.event_title(event),
        by: view.doer_name(event),
        title: view.themed(&rule.title),
        text: rule.text.to_string(),
        active: rule.active,
    })
}
