//! What keeps a request from its answer, as RFC 9457 has it: a status, a word for programs, sentences for people.

use std::collections::BTreeMap;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use quorate_kernel::Refusal;
use quorate_kernel::digest::Digest;
use quorate_runtime::OperatingError;
use serde::Serialize;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

use crate::api::data;
use crate::app::error::AppError;
use crate::app::grant::BeyondGrant;
use crate::view::game::GameView;

/// The media type of a problem.
const MEDIA: &str = "application/problem+json";

/// Where the words of [`Problem::kind`] begin.
const KINDS: &str = "urn:quorate:problem:";

/// Why a request has no answer.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// What kind of problem it is: `urn:quorate:problem:` and a word that stays the same, such as `refused`.
    #[serde(rename = "type")]
    kind: String,
    /// What happened, as a title.
    title: String,
    /// The status of the answer.
    status: u16,
    /// What happened, in a sentence.
    detail: String,
    /// What to do about it.
    todo: String,
    /// The place in the request that is wrong: `arguments.proposal`, `changes[2].thing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    /// The scope that the token lacks: `vote`, `post`, `act` or `admin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<&'static str>,
    /// What the law says, where it is the law that says no.
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<Box<RefusalData>>,
    /// The event that came of it, where a command was refused after its first die: nothing changed, the die is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<u64>,
    /// How many seconds to wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_seconds: Option<u64>,
}

/// How the law says no.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Refusal)]
pub(crate) struct RefusalData {
    /// The title of the rule that refuses; empty where it is how things are: no such post, a name that is taken.
    rule: String,
    /// The code name of that rule.
    rule_id: String,
    /// The clause of that rule, counted from 1; 0 where it has no numbered clauses.
    clause: u32,
    /// The version of the law that refuses, by its digest; none where no game was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    law: Option<String>,
    /// The rule whose permission was overruled, where two rules clashed.
    against: Option<String>,
    /// What would have to hold.
    needs: Vec<NeedData>,
    /// The first moment at which the answer may be another, if time alone can bring that.
    #[schema(format = DateTime)]
    next_at: Option<String>,
    /// All of it in a sentence.
    sentence: String,
}

/// One thing that would have to hold.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Need)]
pub(crate) struct NeedData {
    /// What must hold, as a noun phrase.
    what: String,
    /// What there is; empty where that says nothing.
    have: String,
    /// What there must be; empty where that says nothing.
    need: String,
}

impl RefusalData {
    /// A refusal as data.
    pub(crate) fn of(refusal: &Refusal) -> Self {
        let needs = refusal.needs.iter().map(|need| NeedData {
            what: need.what.clone(),
            have: need.have.clone(),
            need: need.need.clone(),
        });
        Self {
            rule: refusal.rule.clone(),
            rule_id: refusal.rule_id.to_string(),
            clause: refusal.clause,
            law: None,
            against: refusal.against.as_ref().map(ToString::to_string),
            needs: needs.collect(),
            next_at: refusal.next_at.map(data::moment),
            sentence: refusal.to_string(),
        }
    }

    /// The same in the words of the theme.
    pub(crate) fn themed(view: &GameView, refusal: &Refusal) -> Self {
        let refusal = view.themed_refusal(refusal);
        Self::of(&refusal).under(view.law_digest())
    }

    /// The same, by this version of the law.
    pub(crate) fn under(mut self, law: Digest) -> Self {
        self.law = Some(law.to_string());
        self
    }
}

impl Problem {
    /// A problem of a kind.
    fn new(kind: &str, status: StatusCode, title: &str, detail: String, todo: &str) -> Self {
        Self {
            kind: format!("{KINDS}{kind}"),
            title: title.to_owned(),
            status: status.as_u16(),
            detail,
            todo: todo.to_owned(),
            place: None,
            scope: None,
            refusal: None,
            event: None,
            retry_after_seconds: None,
        }
    }

    /// Something in the request does not read, and where.
    pub(crate) fn bad(place: impl Into<String>, detail: impl ToString) -> Self {
        let todo = "Fix what it names and send it again.";
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        let title = "The request does not fit";
        Self {
            place: Some(place.into()).filter(|place| !place.is_empty()),
            ..Self::new("bad-input", status, title, detail.to_string(), todo)
        }
    }

    /// The body is no JSON.
    pub(crate) fn no_json(detail: String) -> Self {
        let todo = "Send one JSON value, in UTF-8.";
        Self::new(
            "no-json",
            StatusCode::BAD_REQUEST,
            "The body is no JSON",
            detail,
            todo,
        )
    }

    /// The body is of another media type.
    pub(crate) fn no_media() -> Self {
        let detail = "The body must be JSON, and say so in its Content-Type header.".to_owned();
        Self::new(
            "media-type",
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "The body is of another type",
            detail,
            "Send it with Content-Type: application/json.",
        )
    }

    /// The body is too large.
    pub(crate) fn too_large(most: usize) -> Self {
        let detail = format!("A request's body has at most {} KiB.", most / 1024);
        Self::new(
            "too-large",
            StatusCode::PAYLOAD_TOO_LARGE,
            "The body is too large",
            detail,
            "Send less; a large set of changes can be several posts.",
        )
    }

    /// The token does not count.
    pub(crate) fn no_token(why: &str) -> Self {
        Self {
            detail: format!("The token in the Authorization header does not count: {why}."),
            ..AppError::SignIn.into()
        }
    }

    /// There is such an address, and it does not take that method.
    pub(crate) fn no_method() -> Self {
        Self::new(
            "method",
            StatusCode::METHOD_NOT_ALLOWED,
            "Not in this way",
            "This address does not take that method.".to_owned(),
            "See /api/v1/openapi.json for what it takes.",
        )
    }

    /// A key was used for another command before.
    pub(crate) fn key_used(event: u64) -> Self {
        let mut problem = Self::bad(
            "Idempotency-Key",
            format!("This key belongs to another command, which became event {event}."),
        );
        problem.kind = format!("{KINDS}key-used");
        problem.event = Some(event);
        "A new command needs a key of its own.".clone_into(&mut problem.todo);
        problem
    }

    /// The rules say no to a command of a view's reader.
    pub(crate) fn refused(view: &GameView, refusal: &Refusal, event: Option<u64>) -> Self {
        let mut problem = Self::from(AppError::from(refusal.clone()));
        let refusal = RefusalData::themed(view, refusal);
        problem.detail.clone_from(&refusal.sentence);
        problem.refusal = Some(Box::new(refusal));
        problem.event = event;
        problem
    }

    /// The status of the answer.
    fn code(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

/// The word for an error, and what a program does about it.
fn kind_and_todo(error: &AppError) -> (&'static str, &'static str) {
    match error {
        AppError::NotFound | AppError::Operating(OperatingError::NoGame(_)) => (
            "not-found",
            "See /api/v1/games for the games there are, and /api/v1/openapi.json for addresses.",
        ),
        AppError::SignIn => (
            "sign-in",
            "Make a token on your account's page, and send it as \"Authorization: Bearer …\".",
        ),
        AppError::Forbidden(_) | AppError::Restrained(_) | AppError::NotTaken(_) => {
            ("forbidden", error.todo())
        }
        AppError::BeyondGrant(_) => ("scope", error.todo()),
        AppError::Form(_) => ("bad-input", "Fix what it names and send it again."),
        AppError::TooOften(_) => ("too-often", error.todo()),
        AppError::Refused(_) => ("refused", error.todo()),
        AppError::Operating(_) => ("unavailable", error.todo()),
        AppError::Account(_) => ("account", error.todo()),
        AppError::Broken(_) => ("broken", error.todo()),
        AppError::NotMade(_) => ("stopped", error.todo()),
    }
}

impl From<AppError> for Problem {
    fn from(error: AppError) -> Self {
        let (kind, todo) = kind_and_todo(&error);
        let status = match &error {
            AppError::Form(_) => StatusCode::UNPROCESSABLE_ENTITY,
            other => other.status(),
        };
        if status.is_server_error() {
            tracing::error!(error = %error.what(), "a request of the API failed");
        }
        let mut problem = Self::new(kind, status, error.title(), error.told(), todo);
        match &error {
            AppError::Refused(refusal) => {
                problem.refusal = Some(Box::new(RefusalData::of(refusal)));
            }
            AppError::BeyondGrant(BeyondGrant::Scope(scope)) => problem.scope = Some(scope.word()),
            AppError::TooOften(often) => {
                problem.retry_after_seconds = Some(often.retry_after_ms.div_ceil(1_000));
            }
            _ => {}
        }
        problem
    }
}

macro_rules! problems {
    ($($from:ty),+ $(,)?) => { $(
        impl From<$from> for Problem {
            fn from(error: $from) -> Self {
                AppError::from(error).into()
            }
        }
    )+ };
}

problems! {
    OperatingError,
    quorate_runtime::ports::AccountError,
    crate::security::rate::TooOften,
    tokio::task::JoinError,
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (self.code(), body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA));
        if self.code() == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer realm=\"Quorate\"");
            headers.insert(header::WWW_AUTHENTICATE, scheme);
        }
        // As RFC 6750 has it.
        if let Some(scope) = self.scope
            && let Ok(scheme) = HeaderValue::from_str(&format!(
                "Bearer realm=\"Quorate\", error=\"insufficient_scope\", scope=\"{scope}\""
            ))
        {
            headers.insert(header::WWW_AUTHENTICATE, scheme);
        }
        if let Some(seconds) = self.retry_after_seconds {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// Every operation may end in a problem; which statuses there are is told once.
impl IntoResponses for Problem {
    fn responses() -> BTreeMap<String, RefOr<utoipa::openapi::Response>> {
        let schema = Ref::from_schema_name("Problem");
        let content = ContentBuilder::new().schema(Some(schema)).build();
        let says = "What keeps the request from its answer: 400 no JSON, 401 no token that counts, 403 not yours to do, \
                    404 not there or not for you to see, 409 the law refuses, 413 too large, 415 no JSON type, \
                    422 something in it does not fit, 429 too often, 500 a bug, 503 not now.";
        let response = ResponseBuilder::new()
            .description(says)
            .content(MEDIA, content)
            .build();
        BTreeMap::from([("default".to_owned(), response.into())])
    }
}
