//! What a request may do on behalf of its account: everything for a browser, and what its token says for a program.

use quorate_kernel::GameId;
use quorate_runtime::ports::{Token, TokenScope, TokenScopes};

/// What a request may do on behalf of its account.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grant {
    scopes: TokenScopes,
    game: Option<GameId>,
}

/// What a token does not let its bearer do.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BeyondGrant {
    /// It lacks a scope.
    #[error("This token lacks the scope `{}`, so it may not {}.", .0.word(), describe(*.0))]
    Scope(TokenScope),
    /// It is for another game.
    #[error("This token is for the game {0} alone.")]
    Game(GameId),
}

impl Grant {
    /// Everything that the account may do.
    pub fn whole() -> Self {
        Self {
            scopes: TokenScopes::all(),
            game: None,
        }
    }

    /// What a token says.
    pub fn of(token: &Token) -> Self {
        Self {
            scopes: token.scopes.clone(),
            game: token.game.clone(),
        }
    }

    /// The scopes.
    pub fn scopes(&self) -> &TokenScopes {
        &self.scopes
    }

    /// The one game that it is for, where it is for one.
    pub fn game(&self) -> Option<&GameId> {
        self.game.as_ref()
    }

    /// Whether a scope is granted.
    ///
    /// # Errors
    /// Fails where it is not.
    pub fn check(&self, scope: TokenScope) -> Result<(), BeyondGrant> {
        if self.scopes.has(scope) {
            Ok(())
        } else {
            Err(BeyondGrant::Scope(scope))
        }
    }

    /// Whether it is good for the game of this word.
    ///
    /// # Errors
    /// Fails where it is for another game.
    pub fn check_game(&self, word: &str) -> Result<(), BeyondGrant> {
        match &self.game {
            Some(game) if game.as_str() != word => Err(BeyondGrant::Game(game.clone())),
            _ => Ok(()),
        }
    }

    /// Whether a game can be founded with it.
    ///
    /// # Errors
    /// Fails where it is for one game, or lacks the scope.
    pub fn check_founding(&self) -> Result<(), BeyondGrant> {
        match &self.game {
            Some(game) => Err(BeyondGrant::Game(game.clone())),
            None => self.check(TokenScope::Admin),
        }
    }
}

/// What somebody may do with a scope, behind "may".
pub(crate) fn describe(scope: TokenScope) -> &'static str {
    match scope {
        TokenScope::Vote => "comment and vote",
        TokenScope::Post => "write posts and messages",
        TokenScope::Act => {
            "take actions, roll dice, answer questions, claim, dispute, undo, join or leave"
        }
        TokenScope::Admin => "do what is kept for admins and operators, or found games",
    }
}
