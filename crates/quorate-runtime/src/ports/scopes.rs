//! What a token lets the program do that carries it.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Something that a token may do. Each may read what its account sees; that needs no scope.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum TokenScope {
    /// Comment, and so vote.
    Vote,
    /// Write posts and private messages.
    Post,
    /// Do what the rules let every player do, and answer what they ask.
    Act,
    /// Do what the rules keep for some players, and what only operators may do; found games.
    Admin,
}

impl TokenScope {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Vote, Self::Post, Self::Act, Self::Admin];

    /// The word for it, in forms, in the API and in the store.
    pub fn word(self) -> &'static str {
        match self {
            Self::Vote => "vote",
            Self::Post => "post",
            Self::Act => "act",
            Self::Admin => "admin",
        }
    }
}

/// What a token may do beside reading.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TokenScopes(BTreeSet<TokenScope>);

impl TokenScopes {
    /// Everything.
    pub fn all() -> Self {
        TokenScope::ALL.into_iter().collect()
    }

    /// Whether this is one of them.
    pub fn has(&self, scope: TokenScope) -> bool {
        self.0.contains(&scope)
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = TokenScope> {
        self.0.iter().copied()
    }
}

impl FromIterator<TokenScope> for TokenScopes {
    fn from_iter<I: IntoIterator<Item = TokenScope>>(scopes: I) -> Self {
        Self(scopes.into_iter().collect())
    }
}

/// The words, with spaces between them.
impl fmt::Display for TokenScopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.iter().map(TokenScope::word).collect();
        f.write_str(&words.join(" "))
    }
}

/// A word that names no scope.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no scope {0:?}; there are vote, post, act and admin")]
pub struct NoSuchScope(String);

impl FromStr for TokenScope {
    type Err = NoSuchScope;

    fn from_str(word: &str) -> Result<Self, NoSuchScope> {
        let found = Self::ALL.into_iter().find(|scope| scope.word() == word);
        found.ok_or_else(|| NoSuchScope(word.to_owned()))
    }
}

impl FromStr for TokenScopes {
    type Err = NoSuchScope;

    fn from_str(words: &str) -> Result<Self, NoSuchScope> {
        words.split_whitespace().map(str::parse).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_kept_as_their_words() {
        for text in ["", "vote", "vote act", "vote post act admin"] {
            let scopes: TokenScopes = text.parse().expect("scopes");
            assert_eq!(scopes.to_string(), text);
        }
        let all = TokenScopes::all().to_string();
        assert_eq!(all, "vote post act admin", "as tokens of before have them");
        assert!("vote rule".parse::<TokenScopes>().is_err());
    }
}
