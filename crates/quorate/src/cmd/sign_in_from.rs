//! The file that names by whom people can sign in from elsewhere.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result, bail, ensure};
use quorate_server::app::outside::{Provider, ProviderKind};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct NamedFile {
    /// The ways, each under its word in addresses.
    sign_in: Vec<NamedProvider>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct NamedProvider {
    word: String,
    title: String,
    kind: NamedKind,
    issuer: Option<String>,
    server: Option<String>,
    client: String,
    secret_file: PathBuf,
    #[serde(default)]
    own_network: bool,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum NamedKind {
    Oidc,
    Discord,
    Github,
}

/// Reads such a file. Secrets stand in files of their own, beside it unless their path says otherwise.
pub(super) fn read(file: &Path) -> Result<Vec<Provider>> {
    let text = std::fs::read_to_string(file);
    let text = text.with_context(|| format!("cannot read {}", file.display()))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let read = providers(&text, |secret| {
        let at = folder.join(secret);
        let text = std::fs::read_to_string(&at);
        text.with_context(|| format!("cannot read {}", at.display()))
    });
    read.with_context(|| format!("{} does not say where people sign in", file.display()))
}

fn providers(text: &str, secret: impl Fn(&Path) -> Result<String>) -> Result<Vec<Provider>> {
    let named: NamedFile = toml::from_str(text)?;
    let mut words = BTreeSet::new();
    let mut providers = Vec::new();
    for one in named.sign_in {
        let word = one.word;
        let is_plain =
            |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == '-';
        ensure!(
            !word.is_empty() && word.chars().all(is_plain),
            "the word \"{word}\" stands in addresses: use small letters, digits and hyphens"
        );
        ensure!(
            words.insert(word.clone()),
            "the word \"{word}\" is there twice"
        );
        let kind = match (one.kind, one.issuer, one.server) {
            (NamedKind::Oidc, Some(issuer), None) => ProviderKind::Oidc { issuer },
            (NamedKind::Oidc, _, _) => bail!("\"{word}\" needs its issuer, and no server"),
            (NamedKind::Discord, None, server) => ProviderKind::Discord { server },
            (NamedKind::Github, None, server) => ProviderKind::Github { server },
            (NamedKind::Discord | NamedKind::Github, Some(_), _) => {
                bail!("\"{word}\" has no issuer; name its server, if it is not the usual one")
            }
        };
        let secret = secret(&one.secret_file)?.trim_end().to_owned();
        ensure!(!secret.is_empty(), "the secret of \"{word}\" is empty");
        providers.push(Provider {
            word,
            title: one.title,
            kind,
            client: one.client,
            secret,
            own_network: one.own_network,
            web: OnceLock::new(),
        });
    }
    Ok(providers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Provider>, String> {
        let secret = |_: &Path| Ok("between us\n".to_owned());
        providers(text, secret).map_err(|error| error.to_string())
    }

    const HOME: &str = r#"
[[sign-in]]
word = "home"
title = "Home"
kind = "oidc"
issuer = "https://id.example.org"
client = "games"
secret-file = "home.secret"
"#;

    #[test]
    fn a_file_names_issuers_with_their_secrets() {
        let more = "[[sign-in]]\nword = \"hub\"\ntitle = \"GitHub\"\nkind = \"github\"\nclient = \"1\"\nsecret-file = \"x\"\n";
        let read = read(&format!("{HOME}{more}")).expect("it reads");
        let issuers: Vec<_> = read.iter().map(Provider::issuer).collect();
        assert_eq!(issuers, ["https://id.example.org", "https://github.com"]);
        assert_eq!(read[0].secret, "between us");
        assert!(!format!("{read:?}").contains("between us"));
        assert!(!read[0].own_network);
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (wrong, told) in [
            (HOME.replace("\"home\"", "\"Home!\""), "small letters"),
            (format!("{HOME}{HOME}"), "twice"),
            (HOME.replace("issuer =", "server ="), "needs its issuer"),
            (HOME.replace("\"oidc\"", "\"discord\""), "has no issuer"),
            (
                HOME.replace("client =", "secret = \"x\"\nclient ="),
                "unknown field",
            ),
        ] {
            let error = read(&wrong).expect_err("it is wrong");
            assert!(error.contains(told), "{error}");
        }
    }
}
