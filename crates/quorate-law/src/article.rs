//! The one place that puts an article before a word.

/// A word of a game with its article: "an Adventurer", "a Horde". Its first letter decides, for how a word of the players'
/// own sounds nobody can know.
pub fn with_article(word: &str) -> String {
    let vowel = word.starts_with(|letter: char| "aeiouAEIOU".contains(letter));
    format!("{} {word}", if vowel { "an" } else { "a" })
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
}
