//! What keeps a request from its answer, each with what to do about it.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use quorate_kernel::Refusal;
use quorate_runtime::OperatingError;
use quorate_runtime::ports::{AccountError, JobFailed, StoreError};

use crate::app::grant::BeyondGrant;
use crate::app::posted::NotTaken;
use crate::app::recovery::LinkError;
use crate::security::chance::NoChance;
use crate::security::password::PasswordError;
use crate::security::rate::TooOften;

/// Why a request has no answer. The page is made where the reader is known: see [`crate::app::reply::failed`].
#[derive(Debug)]
pub enum AppError {
    /// There is no such page, or none that this reader may see; the two look alike.
    NotFound,
    /// Somebody has to sign in first.
    SignIn,
    /// This is not theirs to do.
    Forbidden(&'static str),
    /// An operator keeps this account from it.
    Restrained(String),
    /// The token may not do this, though its account might.
    BeyondGrant(BeyondGrant),
    /// The form does not read.
    Form(String),
    /// The form came from elsewhere.
    NotTaken(NotTaken),
    /// Too often.
    TooOften(TooOften),
    /// The rules say no.
    Refused(Box<Refusal>),
    /// The games' host could not answer.
    Operating(OperatingError),
    /// Something about accounts.
    Account(AccountError),
    /// The worker that was to make it was stopped.
    NotMade(JobFailed),
    /// The system gives no random bytes, or a template failed.
    Broken(String),
}

impl AppError {
    /// The status of the answer.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::SignIn => StatusCode::UNAUTHORIZED,
            Self::Forbidden(_) | Self::Restrained(_) | Self::BeyondGrant(_) | Self::NotTaken(_) => {
                StatusCode::FORBIDDEN
            }
            Self::Form(_) => StatusCode::BAD_REQUEST,
            Self::TooOften(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Refused(_) => StatusCode::CONFLICT,
            Self::Operating(error) => match error {
                OperatingError::NoGame(_) => StatusCode::NOT_FOUND,
                OperatingError::Store(StoreError::GameExists { .. }) => StatusCode::CONFLICT,
                OperatingError::Bug => StatusCode::INTERNAL_SERVER_ERROR,
                _ => StatusCode::SERVICE_UNAVAILABLE,
            },
            Self::Account(AccountError::Store(_)) => StatusCode::SERVICE_UNAVAILABLE,
            Self::NotMade(JobFailed::Busy) => StatusCode::TOO_MANY_REQUESTS,
            Self::NotMade(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Account(_) => StatusCode::CONFLICT,
            Self::Broken(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// What happened, as a title.
    pub fn title(&self) -> &'static str {
        match self {
            Self::NotFound | Self::Operating(OperatingError::NoGame(_)) => {
                "There is nothing at this address"
            }
            Self::SignIn => "Sign in first",
            Self::Forbidden(_) | Self::Restrained(_) => "This is not yours to do",
            Self::BeyondGrant(_) => "The token may not do this",
            Self::Form(_) => "The form does not read",
            Self::NotTaken(_) => "The form was not taken",
            Self::TooOften(_) => "Too often",
            Self::Refused(_) => "The rules say no",
            Self::Operating(_) | Self::Broken(_) => "This did not work",
            Self::Account(_) => "The account was not changed",
            Self::NotMade(_) => "This was stopped",
        }
    }

    /// What happened, in a sentence.
    pub fn what(&self) -> String {
        match self {
            Self::NotFound | Self::Operating(OperatingError::NoGame(_)) => {
                "No page, post, rule or game is here, or it is not for you to see.".to_owned()
            }
            Self::SignIn => "Only somebody who is signed in can do that.".to_owned(),
            Self::Forbidden(why) => (*why).to_owned(),
            Self::Form(text) | Self::Restrained(text) | Self::Broken(text) => text.clone(),
            Self::BeyondGrant(why) => why.to_string(),
            Self::NotTaken(why) => why.to_string(),
            Self::TooOften(why) => why.to_string(),
            Self::Refused(refusal) => refusal.to_string(),
            Self::Operating(error) => error.to_string(),
            Self::Account(error) => error.to_string(),
            Self::NotMade(why) => format!("Code of the rules had to run for this: {why}."),
        }
    }

    /// What happened as a reader is told it: paths, addresses and the words of a database are the operator's, and stand in the
    /// server's log.
    pub fn told(&self) -> String {
        match self {
            Self::Operating(OperatingError::Store(error))
            | Self::Account(AccountError::Store(error)) => match error {
                StoreError::ReadOnly { .. } => {
                    "nothing can be written on this server now: its folder is read only".to_owned()
                }
                StoreError::Damaged { .. }
                | StoreError::Foreign { .. }
                | StoreError::Later { .. }
                | StoreError::Taken { .. }
                | StoreError::NoSecret { .. }
                | StoreError::OtherSecret { .. }
                | StoreError::Lost { .. }
                | StoreError::NodeReplaced { .. }
                | StoreError::ObjectLost { .. }
                | StoreError::NoObjects { .. }
                | StoreError::Failed { .. } => {
                    "what this server keeps cannot be read or written now".to_owned()
                }
                _ => self.what(),
            },
            _ => self.what(),
        }
    }

    /// What to do about it.
    pub fn todo(&self) -> &'static str {
        match self {
            Self::NotFound | Self::Operating(OperatingError::NoGame(_)) => {
                "Look for it from the front page, or search."
            }
            Self::SignIn => "Sign in, and you will be back here.",
            Self::Forbidden(_) => "Ask somebody who may, or sign in as somebody else.",
            Self::Restrained(_) => "Write to the operator if that is wrong.",
            Self::BeyondGrant(_) => {
                "Make a token on your account's page that may do this, and use that."
            }
            Self::Form(_) => "Go back, fix what it names, and send it again.",
            Self::NotTaken(_) => "Go back, load the page again, and send it once more.",
            Self::TooOften(_) => "Wait a little; nothing was lost.",
            Self::Refused(_) => {
                "Nothing was changed. The rule that it names says when it is possible."
            }
            Self::Operating(_) | Self::Broken(_) => {
                "Nothing was half-done. Try again in a moment; if it stays, tell the operator."
            }
            Self::Account(_) => "Go back and choose differently.",
            Self::NotMade(JobFailed::Busy) => "Wait until one of them is done.",
            Self::NotMade(JobFailed::TimeOver(_) | JobFailed::Ended) => {
                "Nothing was changed. If it was a change of the rules, its code does too much; make it do less."
            }
            Self::NotMade(JobFailed::NotStarted(_)) => {
                "Nothing was changed. Try again in a moment; if it stays, tell the operator."
            }
        }
    }
}

macro_rules! errors {
    ($($from:ty => $variant:ident),+ $(,)?) => { $(
        impl From<$from> for AppError {
            fn from(error: $from) -> Self {
                Self::$variant(error)
            }
        }
    )+ };
}

errors! {
    NotTaken => NotTaken,
    BeyondGrant => BeyondGrant,
    TooOften => TooOften,
    OperatingError => Operating,
    AccountError => Account,
    JobFailed => NotMade,
}

impl From<Refusal> for AppError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}

impl From<NoChance> for AppError {
    fn from(error: NoChance) -> Self {
        Self::Broken(error.to_string())
    }
}

impl From<LinkError> for AppError {
    fn from(error: LinkError) -> Self {
        match error {
            LinkError::Accounts(error) => error.into(),
            LinkError::Chance(error) => error.into(),
            LinkError::Mail(error) => Self::Broken(error.to_string()),
        }
    }
}

impl From<PasswordError> for AppError {
    fn from(error: PasswordError) -> Self {
        Self::Broken(error.to_string())
    }
}

impl From<askama::Error> for AppError {
    fn from(error: askama::Error) -> Self {
        Self::Broken(format!("a page could not be drawn: {error}"))
    }
}

impl From<tokio::task::JoinError> for AppError {
    fn from(_: tokio::task::JoinError) -> Self {
        Self::Broken("a bug in Quorate ended the making of this page".to_owned())
    }
}

/// In words alone, for requests whose reader is not known: a broken cookie store, a program without a token.
impl IntoResponse for AppError {
    fn into_response(self) -> Response {
        if self.status().is_server_error() {
            tracing::error!(error = %self.what(), "a request failed");
        }
        let text = format!("{}\n{}\n{}\n", self.title(), self.told(), self.todo());
        let mut response = (self.status(), text).into_response();
        if let Self::TooOften(often) = &self {
            let seconds = often.retry_after_ms.div_ceil(1_000).to_string();
            if let Ok(value) = HeaderValue::from_str(&seconds) {
                response.headers_mut().insert(header::RETRY_AFTER, value);
            }
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_the_operator_can_use_is_told_to_nobody_else() {
        let what = "/srv/quorate/lock".into();
        let error = AppError::from(OperatingError::Store(StoreError::ReadOnly { what }));
        assert!(error.what().contains("/srv/quorate"));
        assert!(!error.told().contains("/srv"), "{}", error.told());
        let full = AppError::from(OperatingError::Store(StoreError::Full));
        assert!(full.told().contains("the disk is full"));
    }
}
