//! Passwords: kept as argon2id digests, compared without telling whether an account exists.

use std::sync::{Mutex, PoisonError};

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use unicode_normalization::UnicodeNormalization;
use zxcvbn::Score;

/// How many passwords are worked on at once, each with memory of its own.
pub const AT_ONCE: usize = 2;
/// How many digits and letters a digest has, in bytes.
const DIGEST_BYTES: usize = 32;
/// Shortest password that is taken, in letters.
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
    /// One of the first that anybody would try.
    #[error(
        "that password is among the first that are tried: take a few words that do not belong together"
    )]
    Common,
}

/// The digest could not be worked out: the system has no random source or too little memory.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the password could not be worked on: {0}")]
pub struct PasswordError(String);

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
    /// Memory to work in, kept for the next one: given back and taken again, it would leave holes of its size behind.
    memory: Mutex<Vec<Vec<Block>>>,
}

/// How many letters of a password must come from somewhere else than its owner's name and address.
const NEW_LETTERS_MIN: usize = 4;

/// Whether a password is little more than words that are known of its owner, however often it says them.
fn says_nothing_new(password: &str, known: &[&str]) -> bool {
    let mut rest = password.to_lowercase();
    for word in known.iter().filter(|word| !word.is_empty()) {
        rest = rest.replace(&word.to_lowercase(), "");
    }
    rest.trim().chars().count() < NEW_LETTERS_MIN
}

impl Passwords {
    /// Today's settings: 19 MiB, two passes, one lane (OWASP's first choice for argon2id).
    pub fn new() -> Result<Self, PasswordError> {
        let params = Params::new(19 * 1024, 2, 1, None).map_err(error)?;
        Self::with(params)
    }

    fn with(params: Params) -> Result<Self, PasswordError> {
        let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let mut passwords = Self {
            argon,
            nobody: String::new(),
            memory: Mutex::default(),
        };
        passwords.nobody = passwords.digest("nobody's password")?;
        Ok(passwords)
    }

    /// Tells whether somebody may take a new password of whom such words are known: their name, their mail address.
    pub fn judge(password: &str, known: &[&str]) -> Result<(), PasswordRefused> {
        // As it is kept: whoever tries that form gets in.
        let password = &normal(password);
        if password.len() > BYTES_MAX {
            Err(PasswordRefused::Long)
        } else if password.chars().count() < LETTERS_MIN {
            Err(PasswordRefused::Short)
        } else if says_nothing_new(password, known)
            || zxcvbn::zxcvbn(password, known).score() < Score::Two
        {
            Err(PasswordRefused::Common)
        } else {
            Ok(())
        }
    }

    /// The digest to keep, with its salt and settings in it.
    pub fn digest(&self, password: &str) -> Result<String, PasswordError> {
        let salt: [u8; 16] = crate::security::chance::bytes().map_err(error)?;
        let mut out = [0; DIGEST_BYTES];
        self.work(&self.argon, password, &salt, &mut out)
            .map_err(error)?;
        let digest = PasswordHash {
            algorithm: Algorithm::Argon2id.ident(),
            version: Some(Version::V0x13.into()),
            params: ParamsString::try_from(self.argon.params()).map_err(error)?,
            salt: Some(Salt::new(&salt).map_err(error)?),
            hash: Some(Output::new(&out).map_err(error)?),
        };
        Ok(digest.to_string())
    }

    /// Works on a password, in memory that was used before where there is some.
    fn work(
        &self,
        argon: &Argon2<'_>,
        password: &str,
        salt: &[u8],
        out: &mut [u8],
    ) -> argon2::Result<()> {
        let blocks = argon.params().block_count();
        let mut memory = self.memory().pop().unwrap_or_default();
        if memory.len() < blocks {
            memory.resize(blocks, Block::default());
        }
        let password = normal(password);
        let done = argon.hash_password_into_with_memory(
            password.as_bytes(),
            salt,
            out,
            &mut memory[..blocks],
        );
        let mut kept = self.memory();
        if kept.len() < AT_ONCE {
            kept.push(memory);
        }
        done
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, Vec<Vec<Block>>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a digest is that of a password; nothing where it is no digest of ours.
    fn fits(&self, password: &str, digest: &PasswordHash) -> Option<bool> {
        let is_ours = Algorithm::try_from(digest.algorithm.as_str()) == Ok(Algorithm::Argon2id)
            && digest.version == Some(Version::V0x13.into());
        let (salt, hash) = (digest.salt.as_ref()?, digest.hash.as_ref()?);
        let params = Params::try_from(digest).ok().filter(|_| is_ours)?;
        let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let mut out = vec![0; hash.as_bytes().len()];
        self.work(&argon, password, salt, &mut out).ok()?;
        Some(crate::security::same_secret(&out, hash.as_bytes()))
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
        if self.fits(password, &parsed) != Some(true) || kept.is_none() {
            return Tried::Wrong;
        }
        let today = Params::try_from(&parsed).is_ok_and(|params| {
            params.m_cost() >= self.argon.params().m_cost()
                && params.t_cost() >= self.argon.params().t_cost()
        });
        Tried::Right { is_stale: !today }
    }
}

/// The same letters typed on another keyboard are the same password.
fn normal(password: &str) -> String {
    password.nfkc().collect()
}

fn error(cause: impl std::fmt::Display) -> PasswordError {
    PasswordError(cause.to_string())
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
    fn what_is_tried_first_is_not_taken() {
        let judge = |password: &str| Passwords::judge(password, &["Annabelle Lee"]);
        assert_eq!(judge("short"), Err(PasswordRefused::Short));
        assert_eq!(judge(&"x".repeat(2_000)), Err(PasswordRefused::Long));
        for common in [
            "1234567890",
            "qwertyuiop",
            "passw0rd123",
            "aaaaaaaaaaaa",
            "Annabelle1",
            "annabelle lee",
        ] {
            assert_eq!(judge(common), Err(PasswordRefused::Common), "{common}");
        }
        for fine in ["lamps on the quay", "correct horse battery", "vW9#kd02mZ"] {
            assert_eq!(judge(fine), Ok(()), "{fine}");
        }
    }

    #[test]
    fn memory_is_used_again_and_there_is_no_more_of_it_than_works_at_once() {
        let passwords = cheap();
        let kept = passwords.digest("correct horse battery").expect("a digest");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| passwords.try_password("correct horse battery", Some(&kept)));
            }
        });
        assert!((1..=AT_ONCE).contains(&passwords.memory().len()));
    }

    #[test]
    fn a_digest_of_another_kind_lets_nobody_in() {
        let kept = cheap().digest("correct horse battery").expect("a digest");
        for other in [
            kept.replace("argon2id", "argon2d"),
            kept.replace("v=19", "v=16"),
        ] {
            assert_eq!(
                cheap().try_password("correct horse battery", Some(&other)),
                Tried::Wrong
            );
        }
    }

    #[test]
    fn a_mangled_digest_lets_nobody_in() {
        assert_eq!(
            cheap().try_password("anything at all", Some("not a digest")),
            Tried::Wrong
        );
    }
}
