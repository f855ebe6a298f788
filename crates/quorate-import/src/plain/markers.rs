//! What begins an item of a list in plain text.

use crate::blocks::Marker;

/// A bullet or number at the beginning of a line, and the words after it.
pub(super) fn marker(line: &str) -> Option<(Marker, &str)> {
    let line = line.trim();
    for bullet in ["•", "◦", "▪", "·", "-", "*", "–"] {
        if let Some(words) = line.strip_prefix(bullet)
            && words.starts_with([' ', '\t'])
        {
            return Some((Marker::Bullet, words.trim()));
        }
    }
    let bracketed = line.strip_prefix('(');
    let body = bracketed.unwrap_or(line);
    let sign = body.find(['.', ')'])?;
    let (count, rest) = body.split_at(sign);
    let is_number =
        !count.is_empty() && count.len() <= 3 && count.bytes().all(|b| b.is_ascii_digit());
    let is_letter = count.len() == 1 && count.bytes().all(|b| b.is_ascii_lowercase());
    let words = rest[1..].strip_prefix([' ', '\t'])?;
    if !is_number && !is_letter {
        return None;
    }
    // Markdown counts with digits; a letter is kept as the item's first word.
    if is_letter {
        return Some((Marker::Bullet, line));
    }
    let closing = &rest[..1];
    Some((
        Marker::Number(Some(format!("{count}{closing}"))),
        words.trim(),
    ))
}
