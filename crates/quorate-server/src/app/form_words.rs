//! What the forms of one page carry.

use quorate_kernel::Name;
use serde::{Deserialize, Serialize};

use crate::security::carried::fresh_word;
use crate::security::chance::NoChance;
use crate::security::csrf::Csrf;
use crate::security::session::SessionToken;

/// How many letters of its page's word a form's key has.
pub(super) const KEY_LETTERS: usize = 24;

/// What the forms of one page carry, that belongs to one session and to one page alone.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FormWords {
    /// The proof that a form came from a page of ours.
    pub token: String,
    /// A word for the keys of the commands that the forms send.
    pub word: String,
}

impl FormWords {
    /// Words for the forms of a page.
    ///
    /// # Errors
    /// Fails where the system has no random bytes.
    pub fn new(csrf: &Csrf, session: &SessionToken) -> Result<Self, NoChance> {
        Ok(Self {
            token: csrf.issue(session)?,
            word: fresh_word()?,
        })
    }

    /// Words for somebody who is shown no form, but whose commands need keys.
    ///
    /// # Errors
    /// Fails where the system has no random bytes.
    pub fn without_forms() -> Result<Self, NoChance> {
        Ok(Self {
            token: String::new(),
            word: fresh_word()?,
        })
    }

    /// With what the keys begin.
    pub fn key(&self) -> &str {
        self.word.get(..KEY_LETTERS).unwrap_or(&self.word)
    }

    /// The key of the page's nth form.
    pub fn key_of(&self, nth: u32) -> Name {
        format!("{}.{nth}", self.key()).into()
    }
}

/// Words that the server gave a worker with a request, so that it can lay others into the page later.
#[derive(Clone)]
pub struct GivenWords(pub FormWords);
