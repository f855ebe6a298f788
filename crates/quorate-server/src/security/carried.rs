//! Words that somebody carries and that are kept as digests: keys of programs, invitations, links.

use quorate_kernel::digest::Digest;

use crate::security::chance;

/// A word that nobody can guess, for keys and links.
pub fn fresh_word() -> Result<String, chance::NoChance> {
    let bytes: [u8; 32] = chance::bytes()?;
    Ok(blake3::Hash::from_bytes(bytes).to_hex().to_string())
}

/// What is kept of such a word.
pub fn digest_of(word: &str) -> Digest {
    Digest(blake3::derive_key(
        "quorate 2026 carried word",
        word.as_bytes(),
    ))
}
