//! The one place that dresses words for readers: articles, capitals, code names.

/// The longest word of the theme, in bytes: it stands wherever a text names its term.
pub const TERM_MAX: usize = 200;

/// A word of a game with its article: "an Adventurer", "a Horde". Its first letter decides, for how a word of the players'
/// own sounds nobody can know.
pub fn with_article(word: &str) -> String {
    let vowel = word.starts_with(|letter: char| "aeiouAEIOU".contains(letter));
    format!("{} {word}", if vowel { "an" } else { "a" })
}

/// A word with its first letter as a capital.
pub fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next();
    let first = first.into_iter().flat_map(char::to_uppercase);
    first.collect::<String>() + letters.as_str()
}

/// A code name as words: `row_out` and `row-out` read "row out".
pub fn readable(name: &str) -> String {
    name.replace(['_', '-'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_letter_of_a_word_makes_its_article() {
        assert_eq!(with_article("Adventurer"), "an Adventurer");
        assert_eq!(with_article("int"), "an int");
        assert_eq!(with_article("Horde"), "a Horde");
        assert_eq!(with_article(""), "a ");
    }

    #[test]
    fn a_code_name_reads_as_words() {
        assert_eq!(capital(&readable("row_out")), "Row out");
        assert_eq!(capital("élan"), "Élan");
        assert_eq!(capital(""), "");
    }
}
