//! Every library comes from the public registry under a licence that `deny.toml` allows. The same
//! list serves cargo-deny, which a bare machine does not have.

use serde::Deserialize;
use spdx::{Expression, Licensee};

use super::finding::Finding;
use super::repo::{Library, Repo};

const LIST: &str = "deny.toml";

#[derive(Deserialize)]
struct Deny {
    licenses: Licences,
}

#[derive(Deserialize)]
struct Licences {
    allow: Vec<String>,
}

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let Some(text) = repo.texts.get(LIST) else {
        return vec![Finding::error(
            LIST,
            1,
            "the list of allowed licences is missing",
        )];
    };
    let deny: Deny = match toml::from_str(text) {
        Ok(deny) => deny,
        Err(error) => return vec![Finding::error(LIST, 1, error.to_string())],
    };
    let allowed: Result<Vec<Licensee>, _> = deny
        .licenses
        .allow
        .iter()
        .map(|name| Licensee::parse(name))
        .collect();
    let allowed = match allowed {
        Ok(allowed) => allowed,
        Err(error) => return vec![Finding::error(LIST, 1, error.to_string())],
    };
    let wrong = repo
        .libraries
        .iter()
        .filter_map(|l| Some((l, complaint(l, &allowed)?)));
    wrong
        .map(|(l, message)| {
            Finding::error(
                "Cargo.lock",
                1,
                format!("{} {}: {message}", l.name, l.version),
            )
        })
        .collect()
}

fn complaint(library: &Library, allowed: &[Licensee]) -> Option<String> {
    if !library.published {
        return Some("does not come from the public registry".into());
    }
    let Some(licence) = &library.licence else {
        return Some("names no licence".into());
    };
    // Old manifests write a slash for "or".
    let expression = match Expression::parse_mode(licence, spdx::ParseMode::LAX) {
        Ok(expression) => expression,
        Err(error) => return Some(format!("its licence `{licence}` cannot be read: {error}")),
    };
    let is_allowed = expression.evaluate(|need| allowed.iter().any(|a| a.satisfies(need)));
    (!is_allowed).then(|| format!("its licence `{licence}` is not allowed"))
}

#[cfg(test)]
mod tests {
    use super::super::{assert_holds, found};
    use super::*;

    #[test]
    fn every_library_has_an_allowed_licence() {
        assert_holds(check);
    }

    #[test]
    fn one_allowed_choice_is_enough_and_one_missing_part_is_not() {
        let mut repo = Repo::of(&[(LIST, "[licenses]\nallow = ['MIT', 'ISC', 'MPL-2.0']")]);
        let licences = [
            ("a", Some("MIT/Apache-2.0")),
            ("b", Some("GPL-3.0-only OR ISC")),
            ("c", Some("MIT AND GPL-3.0-only")),
            ("d", None),
            ("e", Some("MPL-2.0+")),
        ];
        repo.libraries
            .extend(licences.map(|(name, licence)| Library {
                name: name.into(),
                version: "1.0.0".into(),
                licence: licence.map(Into::into),
                published: true,
            }));
        assert_eq!(
            found(check, &repo),
            [
                "Cargo.lock:1: c 1.0.0: its licence `MIT AND GPL-3.0-only` is not allowed",
                "Cargo.lock:1: d 1.0.0: names no licence",
            ]
        );
    }

    #[test]
    fn a_library_from_a_branch_is_refused() {
        let mut repo = Repo::of(&[(LIST, "[licenses]\nallow = ['MIT']")]);
        repo.libraries.push(Library {
            name: "a".into(),
            version: "1.0.0".into(),
            licence: Some("MIT".into()),
            published: false,
        });
        assert!(found(check, &repo)[0].contains("public registry"));
    }
}
