//! Why a request is no command.

use quorate_kernel::{Name, Refusal};

use crate::lookup;

/// Why no command came of a request. Each names the argument that it is about, by its path: `to[1]`,
/// `changes[0].thing`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The law declares no action of that name, and no built-in act is called so.
    #[error("there is no action called \"{action}\": there are {}", listed(known))]
    NoAction {
        /// What was asked for.
        action: String,
        /// What can be asked for.
        known: Vec<Name>,
    },
    /// No rule of the game is called so.
    #[error("there is no rule {rule}{}", suggested(near.as_deref()))]
    NoRule {
        /// What was given as `rule`.
        rule: String,
        /// The code name that is spelt most like it.
        near: Option<String>,
    },
    /// Something is needed that was not given.
    #[error("{argument} is missing")]
    Missing {
        /// The argument.
        argument: String,
    },
    /// Something was given that the command has no use for.
    #[error("nothing asks for {argument}")]
    Unasked {
        /// The argument.
        argument: String,
    },
    /// What was given cannot be read, or names nothing that is there.
    #[error("{text}")]
    Unfit {
        /// The argument.
        argument: String,
        /// What is wrong with it.
        text: String,
    },
    /// The law says already that what was given does not fit.
    #[error("{refusal}")]
    Refused {
        /// The argument.
        argument: String,
        /// How it says so.
        refusal: Box<Refusal>,
    },
}

impl RequestError {
    pub(super) fn missing(argument: &str) -> Self {
        let argument = argument.to_owned();
        Self::Missing { argument }
    }

    pub(super) fn unfit(argument: impl Into<String>, text: impl ToString) -> Self {
        Self::Unfit {
            argument: argument.into(),
            text: text.to_string(),
        }
    }

    pub(super) fn refused(argument: impl Into<String>, refusal: Refusal) -> Self {
        Self::Refused {
            argument: argument.into(),
            refusal: Box::new(refusal),
        }
    }

    /// The path of the argument that it is about; none where it is about the action itself.
    pub fn argument(&self) -> Option<&str> {
        match self {
            Self::NoAction { .. } => None,
            Self::NoRule { .. } => Some("rule"),
            Self::Missing { argument }
            | Self::Unasked { argument }
            | Self::Unfit { argument, .. }
            | Self::Refused { argument, .. } => Some(argument),
        }
    }

    /// The law's refusal, where it is the law that says no: of an action that it does not know, with the one that is
    /// spelt most like it, and of what does not fit.
    ///
    /// # Errors
    /// Gives the error back where the request itself is wrong.
    pub fn into_refusal(self) -> Result<Refusal, Self> {
        match self {
            Self::NoAction { action, known } => {
                let near = lookup::near(&action, known.iter().map(Name::as_str));
                let need = near.map(|name| format!("one that there is, such as {name}"));
                let refusal = Refusal::no_action(&action.as_str().into());
                Ok(refusal.wanting(need.unwrap_or_default()))
            }
            Self::Refused { refusal, .. } => Ok(*refusal),
            other => Err(other),
        }
    }
}

fn suggested(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean {near}?"))
}

fn listed(names: &[Name]) -> String {
    let names: Vec<_> = names.iter().map(Name::as_str).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_action_is_the_laws_refusal_with_the_one_spelt_most_like_it() {
        let error = |action: &str| RequestError::NoAction {
            action: action.to_owned(),
            known: vec!["withdraw".into(), "vote".into()],
        };
        assert_eq!(error("fly").argument(), None);
        let need = |action: &str| {
            let refusal = error(action).into_refusal().expect("the law says no");
            refusal.needs[0].need.clone()
        };
        assert_eq!(need("wihdraw"), "one that there is, such as withdraw");
        assert_eq!(need("fly"), "");
        let told = error("fly").to_string();
        assert_eq!(
            told,
            "there is no action called \"fly\": there are withdraw, vote"
        );
    }

    #[test]
    fn a_request_that_is_wrong_itself_is_no_refusal() {
        let missing = RequestError::missing("text");
        assert_eq!(missing.argument(), Some("text"));
        assert_eq!(missing.clone().into_refusal(), Err(missing));
        let refused = RequestError::refused("post", Refusal::plain("a post"));
        assert_eq!(refused.argument(), Some("post"));
        assert_eq!(refused.into_refusal(), Ok(Refusal::plain("a post")));
    }
}
