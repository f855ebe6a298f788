//! Who is named in a text: `@name`.

/// Those of `names` that a text names after an `@`, each once, in the order of `names`. A longer name goes before a shorter
/// one that it begins with, and lines that quote somebody else name nobody.
pub fn mentioned<'a, K: Copy + PartialEq>(
    text: &str,
    names: impl IntoIterator<Item = (K, &'a str)>,
) -> Vec<K> {
    let names: Vec<(K, String)> = names
        .into_iter()
        .filter(|(_, name)| !name.trim().is_empty())
        .map(|(key, name)| (key, name.to_lowercase()))
        .collect();
    let mut found = Vec::new();
    for line in text
        .lines()
        .filter(|line| !line.trim_start().starts_with('>'))
    {
        let line = line.to_lowercase();
        let mut before = ' ';
        for (at, sign) in line.char_indices() {
            if sign == '@' && !before.is_alphanumeric() {
                let rest = &line[at + 1..];
                let named = names.iter().filter(|(_, name)| begins_with(rest, name));
                if let Some((key, _)) = named.max_by_key(|(_, name)| name.len())
                    && !found.contains(key)
                {
                    found.push(*key);
                }
            }
            before = sign;
        }
    }
    let order = |key: &K| names.iter().position(|(known, _)| known == key);
    found.sort_by_key(order);
    found
}

/// Whether a text begins with a name that ends there.
fn begins_with(text: &str, name: &str) -> bool {
    text.strip_prefix(name)
        .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<u8> {
        mentioned(text, [(1, "Anna"), (2, "Anna Bell"), (3, "Bo"), (4, "")])
    }

    #[test]
    fn a_name_after_an_at_sign_is_found_in_any_case() {
        assert_eq!(named("ask @bo, or @ANNA."), [1, 3]);
        assert_eq!(named("@Bo @bo"), [3]);
        assert!(named("Bo and Anna").is_empty());
    }

    #[test]
    fn the_longest_name_is_meant() {
        assert_eq!(named("thanks @Anna Bell"), [2]);
        assert_eq!(named("thanks @Anna Belle"), [1]);
    }

    #[test]
    fn addresses_parts_of_words_and_quotations_name_nobody() {
        assert!(named("write to x@bo").is_empty());
        assert!(named("@bob").is_empty());
        assert!(named("> @bo said so").is_empty());
    }
}
