//! What keeps strangers from doing things in somebody's name, and from doing them too often.
//!
//! **Invariant:** nothing in here knows a game. Who may do what in a game is decided by the game's law and by the one place
//! that authorises commands; this is about requests.

pub mod bodies;
pub mod browser;
pub mod carried;
pub mod chance;
pub mod connections;
mod cose;
pub mod csrf;
pub mod factor;
pub mod headers;
pub mod known;
pub mod outside;
pub mod passkey;
pub mod password;
pub mod rate;
pub mod session;
pub mod turns;
mod unstalled;
pub mod uses;
mod waiting;

/// Compares two secrets in a time that does not depend on where they differ.
pub fn same_secret(a: &[u8], b: &[u8]) -> bool {
    // Digests of equal length are compared in constant time by blake3; the secrets' lengths may show.
    blake3::hash(a) == blake3::hash(b)
}

#[cfg(test)]
mod tests {
    use crate::security::same_secret;

    #[test]
    fn secrets_are_the_same_only_if_they_are_equal() {
        assert!(same_secret(b"abc", b"abc"));
        assert!(!same_secret(b"abc", b"abd"));
        assert!(!same_secret(b"abc", b"ab"));
        assert!(same_secret(b"", b""));
    }
}
