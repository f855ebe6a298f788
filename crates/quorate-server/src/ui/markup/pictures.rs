//! Pictures in texts: which are this server's, and those that were uploaded for a text, which names them by a word.

/// What texts write before the word of a picture that was uploaded for them.
pub const UPLOADED: &str = "picture:";

/// How many signs the word of an uploaded picture has.
pub const UPLOAD_WORD: usize = 32;

/// The word of an uploaded picture, where an address in a text names one.
pub fn uploaded(url: &str) -> Option<&str> {
    let word = url.strip_prefix(UPLOADED)?;
    let is_one = word.len() == UPLOAD_WORD && word.chars().all(|c| c.is_ascii_hexdigit());
    is_one.then_some(word)
}

/// Whether an address is that of a picture in a game of this server: of a thing (`/g/{game}/picture/{thing}/{name}/{digest}`),
/// under a post or in a draft.
pub(super) fn is_own_picture(url: &str) -> bool {
    let parts: Vec<&str> = url.split('/').collect();
    let is_plain = |part: &&str| {
        let mut letters = part.chars();
        !part.is_empty() && letters.all(|c| c.is_ascii_alphanumeric() || "-_:%".contains(c))
    };
    matches!(
        parts.as_slice(),
        ["", "g", _, "picture", _, _, _]
            | ["", "g", _, "post", _, "picture", _]
            | ["", "g", _, "uploads", _]
    ) && parts[2..].iter().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_its_length_and_its_digits() {
        let word = "0123456789abcdef0123456789abcdef";
        assert_eq!(uploaded(&format!("picture:{word}")), Some(word));
        for other in [
            word.to_owned(),
            format!("picture:{word}0"),
            "picture:../../../operator/x".to_owned(),
            "picture:".to_owned(),
        ] {
            assert_eq!(uploaded(&other), None, "{other}");
        }
    }
}
