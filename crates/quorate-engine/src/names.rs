//! Names of people: what may be one, and which look too much alike.

use quorate_kernel::rows::Standing;
use quorate_kernel::state::State;
use quorate_kernel::{Need, PlayerId, Refusal};
use unicode_normalization::UnicodeNormalization;
use unicode_security::{MixedScript, skeleton};

/// The most characters of a name.
const CHARACTERS_MAX: usize = 64;

/// Whether a name can be one, or what it would have to be.
///
/// # Errors
/// Fails with the words for what is asked of a name and missing here.
pub fn fit(name: &str) -> Result<(), &'static str> {
    if name.trim().is_empty() {
        return Err("a name that is not empty");
    }
    if name.trim() != name || name.contains("  ") {
        return Err("a name without space at its ends or double spaces");
    }
    if name.chars().count() > CHARACTERS_MAX {
        return Err("a name of at most 64 characters");
    }
    if name.chars().any(|c| c.is_control() || is_invisible(c)) {
        return Err("a name without control or invisible characters");
    }
    if !name.is_single_script() {
        return Err("a name in one script: letters of several look alike");
    }
    Ok(())
}

/// Whether somebody may go by a name.
pub fn check(state: &State, name: &str, who: Option<PlayerId>) -> Result<(), Refusal> {
    let no = |what: &str| {
        Err(Refusal {
            needs: vec![Need {
                what: what.to_owned(),
                have: short(name),
                ..Need::default()
            }],
            ..Refusal::default()
        })
    };
    if let Err(what) = fit(name) {
        return no(what);
    }
    for (id, person) in &state.people {
        let taken = matches!(
            person.standing,
            Standing::Member | Standing::Applicant | Standing::Barred
        );
        if Some(*id) == who || !taken {
            continue;
        }
        let Some(other) = person.name.plain() else {
            continue;
        };
        if other == name {
            return no("a name that nobody has yet");
        }
        if look_alike(other, name) {
            return no("a name that does not look like another player's");
        }
    }
    Ok(())
}

/// Whether two names could be taken for each other: as they are written, or without case.
pub fn look_alike(one: &str, other: &str) -> bool {
    let lower = |name: &str| -> String { name.nfkc().flat_map(char::to_lowercase).collect() };
    let alike = |one: &str, other: &str| skeleton(one).eq(skeleton(other));
    // A nought looks like the large O alone.
    let round = |name: &str| lower(&skeleton(&lower(name)).collect::<String>());
    alike(one, other) || alike(&round(one), &round(other))
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

fn short(name: &str) -> String {
    name.chars()
        .filter(|c| !c.is_control() && !is_invisible(*c))
        .take(80)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_cannot_be_told_apart_or_seen_are_refused() {
        let state = State::default();
        for bad in [
            "",
            "  ",
            " Anna",
            "An  na",
            "An\u{200b}na",
            "An\tna",
            "Аnna",
            &"x".repeat(65),
        ] {
            assert!(check(&state, bad, None).is_err(), "{bad:?}");
        }
        for good in ["Anna", "Jürgen", "Zoë 2", "小林", "d'Arc", &"x".repeat(64)] {
            assert!(check(&state, good, None).is_ok(), "{good:?}");
        }
    }

    #[test]
    fn look_alikes_look_alike() {
        assert!(look_alike("Paul", "PAUL"));
        assert!(look_alike("Bill", "BiIl"));
        assert!(look_alike("Matteo", "Matte0") && look_alike("OLGA", "0lga"));
        assert!(!look_alike("Anna", "Anno"));
    }
}
