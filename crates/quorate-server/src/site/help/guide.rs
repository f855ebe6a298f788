//! The rule author's guide, as it stands in the documents of this release.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use quorate_engine::icons::IconWords;

use crate::app::error::AppError;
use crate::app::reply;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::requests::forms::answer;
use crate::site::help::page::GuidePage;
use crate::ui::markup::{self, Markup, People, Reading, Terms};

macro_rules! pages {
    ($($name:literal),+ $(,)?) => {
        /// The pages by their names, each as it was written.
        const PAGES: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../../../../docs/guide/", $name, ".md"))),)+
            ("reference", include_str!("../../../../../docs/reference.md")),
        ];
    };
}

pages![
    "README",
    "actions",
    "boards-and-pages",
    "broken-code",
    "claims-and-rulings",
    "dice-and-choices",
    "guards",
    "hooks",
    "language",
    "law",
    "posts-and-votes",
    "proposals",
    "quantities",
    "rulebooks",
    "rules-ask",
    "scams",
    "secrets",
    "tests",
    "things",
    "time",
    "tutorial",
    "values",
    "words",
];

/// The page that the guide begins with.
const FIRST: &str = "README";

/// The pages with their titles, made once.
static DRAWN: LazyLock<BTreeMap<&'static str, (String, Markup)>> = LazyLock::new(|| {
    let drawn = PAGES.iter().map(|(name, text)| (*name, draw(text)));
    drawn.collect()
});

/// `GET /guide`.
pub async fn first(State(site): State<Arc<AppState>>, visitor: Visitor) -> Response {
    answer(&site, &visitor, shown(&site, &visitor, FIRST))
}

/// `GET /guide/{page}`.
pub async fn show(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    Path(name): Path<String>,
) -> Response {
    answer(&site, &visitor, shown(&site, &visitor, &name))
}

fn shown(site: &AppState, visitor: &Visitor, name: &str) -> Result<Response, AppError> {
    let (title, text) = DRAWN.get(name).ok_or(AppError::NotFound)?;
    let page = GuidePage {
        chrome: reply::chrome(site, visitor, title),
        title: title.clone(),
        text: text.clone(),
        is_first: name == FIRST,
    };
    Ok(reply::page(site, visitor, StatusCode::OK, &page))
}

/// A page's title and its text, with its links leading to pages of the site.
fn draw(text: &str) -> (String, Markup) {
    let (title, body) = text.split_once('\n').unwrap_or_default();
    // The index of the reference would weigh as much as all else on its page; the browser's own search does as well.
    let body = body.split("\n## Index\n").next().unwrap_or_default();
    let reading = Reading {
        terms: &Terms::new(),
        icons: &IconWords::default(),
        people: &People::new(),
        keeps_lines: false,
        pictures: None,
        heading: Some(2),
    };
    let title = title.trim_start_matches("# ").to_owned();
    (title, markup::render(&led(body), reading))
}

/// The text with its links as they are here: to other pages of the guide, and none to other documents.
fn led(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        let Some((to, tail)) = after.split_once(')') else {
            break;
        };
        let page = to.split('#').next().unwrap_or_default();
        let name = page.trim_start_matches("../").trim_start_matches("guide/");
        let name = name.strip_suffix(".md").unwrap_or(name);
        if PAGES.iter().any(|(known, _)| *known == name) {
            out.push_str(&format!("{before}](/guide/{name})"));
        } else if let Some((kept, words)) = before.rsplit_once('[') {
            // What leads elsewhere stays as its words.
            out.push_str(&format!("{kept}{words}"));
        } else {
            out.push_str(&format!("{before}]({to})"));
        }
        rest = tail;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_pages_of_the_site_or_are_words() {
        assert_eq!(
            led("See [values](values.md#x), [all](../reference.md) and [notices](../notices.md)."),
            "See [values](/guide/values), [all](/guide/reference) and notices."
        );
    }

    #[test]
    fn every_page_is_there_with_its_title_and_its_code() {
        for (name, (title, text)) in &*DRAWN {
            assert!(!title.is_empty() && !title.starts_with('#'), "{name}");
            let leads_elsewhere = ["href=\"../", ".md\" rel"];
            for way in leads_elsewhere {
                assert!(!text.as_str().contains(way), "{name}: {way}");
            }
        }
        let (_, tutorial) = &DRAWN["tutorial"];
        assert!(tutorial.as_str().contains("<pre "), "{}", tutorial.as_str());
    }

    #[test]
    fn every_page_of_the_documents_is_served() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide");
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .expect("the documents are there")
            .filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_str()?.to_owned()))
            .collect();
        names.push("reference".to_owned());
        names.sort();
        let served: Vec<&str> = DRAWN.keys().copied().collect();
        assert_eq!(names, served);
    }
}
