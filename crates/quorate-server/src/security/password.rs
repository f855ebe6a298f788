//! Passwords: kept as argon2id digests, compared without telling whether an account exists.

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use unicode_normalization::UnicodeNormalization;

/// Shortest password that is taken, in letters. Length is all that is asked.
pub const LETTERS_MIN: usize = 10;
/// Longest, in bytes; beyond this somebody wants to keep the server busy.
pub const BYTES_MAX: usize = 1_024;

/// Why a new password was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasswordRefused {
    /// Too short.
    #[error("a password has at least {LETTERS_MIN} letters")]
    Short,
    /// Too long.
    #[error("a password has at most {BYTES_MAX} bytes")]
    Long,
}

/// The digest could not be worked out: the system has no random source or too little memory.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the password could not be worked on: {0}")]
pub struct PasswordTrouble(String);

/// How a try at a password ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    /// It is the password.
    Right {
        /// It was kept under weaker settings than today's and should be kept anew.
        is_stale: bool,
    },
    /// It is not, or there is no such account.
    Wrong,
}

/// Makes and compares digests. One try costs 19 MiB and some hundredths of a second on purpose, so callers run it on a
/// blocking thread.
pub struct Passwords {
    argon: Argon2<'static>,
    /// A digest of nothing, worked on when there is no account, so that both cases take as long.
    nobody: String,
}

impl Passwords {
    /// Today's settings: 19 MiB, two passes, one lane (OWASP's first choice for argon2id).
    pub fn new() -> Result<Self, PasswordTrouble> {
        let params = Params::new(19 * 1024, 2, 1, None).map_err(trouble)?;
        Self::with(params)
    }

    fn with(params: Params) -> Result<Self, PasswordTrouble> {
        let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let nobody = digest(&argon, "nobody's password")?;
        Ok(Self { argon, nobody })
    }

    /// Tells whether a new password may be used.
    pub fn judge(password: &str) -> Result<(), PasswordRefused> {
        if password.len() > BYTES_MAX {
            Err(PasswordRefused::Long)
        } else if password.chars().count() < LETTERS_MIN {
            Err(PasswordRefused::Short)
        } else {
            Ok(())
        }
    }

    /// The digest to keep, with its salt and settings in it.
    pub fn digest(&self, password: &str) -> Result<String, PasswordTrouble> {
        digest(&self.argon, password)
    }

    /// Tries a password against the kept digest of an account, or against none.
    pub fn try_password(&self, password: &str, kept: Option<&str>) -> Tried {
        let text = kept.unwrap_or(&self.nobody);
        if password.len() > BYTES_MAX {
            return Tried::Wrong;
        }
        let Ok(parsed) = PasswordHash::new(text) else {
            return Tried::Wrong;
        };
        let is_right = self
            .argon
            .verify_password(normal(password).as_bytes(), &parsed)
            .is_ok();
        if !is_right || kept.is_none() {
            return Tried::Wrong;
        }
        let today = Params::try_from(&parsed).is_ok_and(|params| {
            params.m_cost() >= self.argon.params().m_cost()
                && params.t_cost() >= self.argon.params().t_cost()
        });
        Tried::Right { is_stale: !today }
    }
}

fn digest(argon: &Argon2<'_>, password: &str) -> Result<String, PasswordTrouble> {
    let salt: [u8; 16] = crate::security::chance::bytes().map_err(trouble)?;
    argon
        .hash_password_with_salt(normal(password).as_bytes(), &salt)
        .map(|hash| hash.to_string())
        .map_err(trouble)
}

/// The same letters typed on another keyboard are the same password.
fn normal(password: &str) -> String {
    password.nfkc().collect()
}

fn trouble(cause: impl std::fmt::Display) -> PasswordTrouble {
    PasswordTrouble(cause.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cheap() -> Passwords {
        Passwords::with(Params::new(64, 1, 1, None).expect("settings")).expect("a random source")
    }

    #[test]
    fn a_password_is_known_again_and_another_is_not() {
        let passwords = cheap();
        let kept = passwords.digest("correct horse battery").expect("a digest");
        assert!(kept.starts_with("$argon2id$"), "{kept}");
        assert_eq!(
            passwords.try_password("correct horse battery", Some(&kept)),
            Tried::Right { is_stale: false }
        );
        assert_eq!(
            passwords.try_password("correct horse batterz", Some(&kept)),
            Tried::Wrong
        );
    }

    #[test]
    fn nobody_can_sign_in_without_an_account() {
        assert_eq!(
            cheap().try_password("nobody's password", None),
            Tried::Wrong
        );
    }

    #[test]
    fn two_digests_of_one_password_differ() {
        let passwords = cheap();
        assert_ne!(
            passwords.digest("the same words"),
            passwords.digest("the same words")
        );
    }

    #[test]
    fn a_digest_under_weaker_settings_is_to_be_renewed() {
        let kept = cheap().digest("correct horse battery").expect("a digest");
        let strong = Passwords::with(Params::new(128, 2, 1, None).expect("settings"))
            .expect("a random source");
        assert_eq!(
            strong.try_password("correct horse battery", Some(&kept)),
            Tried::Right { is_stale: true }
        );
    }

    #[test]
    fn a_composed_and_a_decomposed_letter_are_one() {
        let passwords = cheap();
        let kept = passwords
            .digest("Gr\u{fc}nes Boot am Pier")
            .expect("a digest");
        assert_ne!(
            passwords.try_password("Gru\u{308}nes Boot am Pier", Some(&kept)),
            Tried::Wrong
        );
    }

    #[test]
    fn length_is_all_that_is_asked() {
        assert_eq!(Passwords::judge("short"), Err(PasswordRefused::Short));
        assert_eq!(
            Passwords::judge(&"x".repeat(2_000)),
            Err(PasswordRefused::Long)
        );
        assert_eq!(Passwords::judge("ten letters"), Ok(()));
    }

    #[test]
    fn a_mangled_digest_lets_nobody_in() {
        assert_eq!(
            cheap().try_password("anything at all", Some("not a digest")),
            Tried::Wrong
        );
    }
}
