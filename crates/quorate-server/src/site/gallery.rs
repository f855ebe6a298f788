//! Every page with every sample: well-formed, legible without a script, labelled, in outline, in budget.
//!
//! [`every_sample`] is the one list of pages: a page without samples does not compile in it, and a page that is not in it
//! is not tested.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

use askama::Template as _;
use flate2::{Compression, write::GzEncoder};
use scraper::{ElementRef, Html, Selector};

use crate::site::account::page::Settings;
use crate::site::act::page::ActPage;
use crate::site::api_page::page::ApiPage;
use crate::site::blog::page::Front;
use crate::site::board::page::BoardPage;
use crate::site::charts::page::Charts;
use crate::site::compose::page::Compose;
use crate::site::desk::page::Desk;
use crate::site::dynasty::page::{Dynasties, DynastyPage};
use crate::site::forecast::page::EffectsPage;
use crate::site::game_page::page::LawPage;
use crate::site::help::page::{GuidePage, Help, Privacy};
use crate::site::home::page::Home;
use crate::site::log::page::{EventPage, LogPage};
use crate::site::messages::page::{Messages, Thread};
use crate::site::notices::page::Notices;
use crate::site::operator::page::{Operator, SecurityLog};
use crate::site::people::page::{PlayerPage, Players};
use crate::site::post::page::PostPage;
use crate::site::ruleset::page::{Compare, RuleHistoryPage, Ruleset};
use crate::site::ruling::page::RulingPage;
use crate::site::search::page::Search;
use crate::site::tracker::page::Tracker;
use crate::site::versions::page::Versions;
use crate::ui::assets;
use crate::ui::error_page::{ErrorPage, RefusalPage};
use crate::ui::form_page::FormPage;
use crate::ui::sample::Samples;

/// What a page may weigh over the wire, with styles and scripts.
const PAGE_BYTES_MAX: usize = 40_000;

/// A sample as HTML.
struct Rendered {
    /// "post, stranger": for test messages and file names.
    name: String,
    /// The whole page.
    html: String,
}

macro_rules! register_pages {
    ($($name:literal => $page:ty),+ $(,)?) => {
        /// Renders every sample of every page.
        fn every_sample() -> askama::Result<Vec<Rendered>> {
            let mut all = Vec::new();
            $(
                for sample in <$page as Samples>::samples() {
                    let name = format!("{}, {}", $name, sample.name);
                    all.push(Rendered { name, html: sample.page.render()? });
                }
            )+
            Ok(all)
        }
    };
}

register_pages! {
    "home" => Home,
    "front" => Front,
    "compose" => Compose,
    "post" => PostPage,
    "effects" => EffectsPage,
    "versions" => Versions,
    "ruleset" => Ruleset,
    "rule history" => RuleHistoryPage,
    "compare" => Compare,
    "api" => ApiPage,
    "search" => Search,
    "notices" => Notices,
    "tracker" => Tracker,
    "act" => ActPage,
    "board" => BoardPage,
    "law page" => LawPage,
    "desk" => Desk,
    "players" => Players,
    "player" => PlayerPage,
    "dynasties" => Dynasties,
    "dynasty" => DynastyPage,
    "log" => LogPage,
    "event" => EventPage,
    "ruling" => RulingPage,
    "charts" => Charts,
    "messages" => Messages,
    "thread" => Thread,
    "settings" => Settings,
    "form page" => FormPage,
    "help" => Help,
    "privacy" => Privacy,
    "guide" => GuidePage,
    "error" => ErrorPage,
    "refusal" => RefusalPage,
    "operator" => Operator,
    "operator-security" => SecurityLog,
}

/// Writes every sample page with its assets to a folder, to be looked at in a browser:
/// `QUORATE_GALLERY=OUTDIR cargo test -p quorate-server --lib the_gallery`.
///
/// Pages name their styles by absolute addresses, so serve the folder (`python3 -m http.server -d OUTDIR`).
#[test]
fn the_gallery_is_written() -> Result<(), Box<dyn std::error::Error>> {
    let nobody_looks = tempfile::tempdir()?;
    let out =
        env::var("QUORATE_GALLERY").map_or_else(|_| nobody_looks.path().to_owned(), PathBuf::from);
    let folder = out.join("assets").join(&*assets::VERSION);
    fs::create_dir_all(&folder)?;
    for (name, bytes) in assets::plain() {
        fs::write(folder.join(name), bytes)?;
    }
    let mut index = String::from("<!doctype html><meta charset=utf-8><title>Gallery</title><ul>");
    for sample in every_sample()? {
        let file = format!("{}.html", sample.name.replace(", ", "--").replace(' ', "-"));
        write!(index, "<li><a href=\"{file}\">{}</a>", sample.name)?;
        fs::write(out.join(&file), sample.html)?;
    }
    fs::write(out.join("index.html"), index)?;
    Ok(())
}

struct Page {
    name: String,
    html: String,
    tree: Html,
}

impl Page {
    fn all<'a>(&'a self, selector: &str) -> impl Iterator<Item = ElementRef<'a>> {
        let selector = Selector::parse(selector).expect("a selector");
        self.tree.select(&selector).collect::<Vec<_>>().into_iter()
    }

    fn count(&self, selector: &str) -> usize {
        self.all(selector).count()
    }
}

fn every_page() -> Vec<Page> {
    every_sample()
        .expect("every sample renders")
        .into_iter()
        .map(|sample| Page {
            tree: Html::parse_document(&sample.html),
            name: sample.name,
            html: sample.html,
        })
        .collect()
}

fn words(element: ElementRef<'_>) -> String {
    let spoken = element.value().attr("aria-label").unwrap_or_default();
    let mut text: String = element.text().collect::<Vec<_>>().join(" ");
    for inner in element.descendent_elements() {
        text.push_str(inner.value().attr("aria-label").unwrap_or_default());
    }
    format!("{spoken} {text}").trim().to_owned()
}

#[test]
fn every_page_is_well_formed_html() {
    for page in every_page() {
        assert!(
            page.tree.errors.is_empty(),
            "{}: {:?}",
            page.name,
            page.tree.errors
        );
        assert!(page.html.starts_with("<!doctype html>"), "{}", page.name);
    }
}

#[test]
fn every_page_has_one_h1_and_no_gap_in_its_headings() {
    for page in every_page() {
        assert_eq!(page.count("h1"), 1, "{}", page.name);
        let mut last = 0;
        for heading in page.all("h1, h2, h3, h4, h5, h6") {
            if heading
                .ancestors()
                .filter_map(ElementRef::wrap)
                .any(|e| e.value().name() == "dialog")
            {
                continue;
            }
            let level = usize::from(heading.value().name().as_bytes()[1] - b'0');
            assert!(
                level <= last + 1,
                "{}: h{level} after h{last}: {}",
                page.name,
                words(heading)
            );
            assert!(
                !words(heading).is_empty(),
                "{}: an empty heading",
                page.name
            );
            last = level;
        }
    }
}

#[test]
fn every_page_has_its_landmarks_and_a_way_to_skip_to_them() {
    for page in every_page() {
        for landmark in [
            "main#main",
            ".wrap > header",
            "footer",
            r##"a.skip[href="#main"]"##,
            "html[lang=en]",
            "head > title",
        ] {
            assert_eq!(page.count(landmark), 1, "{}: {landmark}", page.name);
        }
        for nav in page.all("nav, aside, section, [role=region]") {
            let named = nav.value().attr("aria-label").is_some()
                || nav.value().attr("aria-labelledby").is_some();
            assert!(
                named,
                "{}: a landmark without a name: {}",
                page.name,
                nav.html().chars().take(120).collect::<String>()
            );
        }
    }
}

#[test]
fn every_control_has_a_label() {
    for page in every_page() {
        for control in page.all("input:not([type=hidden]), select, textarea") {
            let id = control.value().attr("id");
            let by_for = id.is_some_and(|id| {
                page.all("label[for]")
                    .any(|label| label.value().attr("for") == Some(id) && !words(label).is_empty())
            });
            let wrapped = control
                .ancestors()
                .filter_map(ElementRef::wrap)
                .any(|above| above.value().name() == "label" && !words(above).is_empty());
            assert!(by_for || wrapped, "{}: {}", page.name, control.html());
        }
        for button in page.all("button, a[href], summary") {
            assert!(
                !words(button).is_empty(),
                "{}: {}",
                page.name,
                button.html()
            );
        }
        for drawing in page.all("svg") {
            let hidden = drawing.value().attr("aria-hidden") == Some("true");
            let named = drawing.value().attr("aria-label").is_some()
                || drawing.value().attr("aria-labelledby").is_some();
            assert!(
                hidden != named,
                "{}: a drawing is either named or hidden: {}",
                page.name,
                drawing.html()
            );
        }
        for group in page.all("fieldset") {
            let legend = Selector::parse("legend").expect("a selector");
            assert!(
                group.select(&legend).any(|l| !words(l).is_empty()),
                "{}: a group without a legend",
                page.name
            );
        }
    }
}

#[test]
fn ids_are_unique_and_whatever_points_to_one_finds_it() {
    for page in every_page() {
        let mut ids = BTreeSet::new();
        for element in page.all("[id]") {
            let id = element.value().attr("id").expect("selected by it");
            assert!(
                !id.is_empty() && ids.insert(id.to_owned()),
                "{}: id {id} twice",
                page.name
            );
        }
        for attribute in [
            "aria-labelledby",
            "aria-describedby",
            "for",
            "data-form",
            "data-shows",
        ] {
            for element in page.all(&format!("[{attribute}]")) {
                let value = element.value().attr(attribute).expect("selected by it");
                for id in value.split_whitespace() {
                    assert!(
                        ids.contains(id),
                        "{}: {attribute} points to {id}",
                        page.name
                    );
                }
            }
        }
        for link in page.all(r##"a[href^="#"]"##) {
            let id = link
                .value()
                .attr("href")
                .expect("selected by it")
                .trim_start_matches('#');
            assert!(ids.contains(id), "{}: a link to #{id}", page.name);
        }
        for live in page.all("[data-live]") {
            assert!(
                live.value().attr("id").is_some(),
                "{}: a live part without an id",
                page.name
            );
        }
        for list in page.all("[data-live=list] > *") {
            assert!(
                list.value().attr("id").is_some(),
                "{}: an item of a live list without an id",
                page.name
            );
        }
    }
}

#[test]
fn nothing_is_inline_and_nothing_comes_from_elsewhere() {
    for page in every_page() {
        assert_eq!(
            page.count("style, iframe, object, embed, base, img"),
            0,
            "{}",
            page.name
        );
        for element in page.tree.root_element().descendent_elements() {
            for (name, value) in element.value().attrs() {
                assert!(
                    name != "style" && !name.starts_with("on"),
                    "{}: {name}={value}",
                    page.name
                );
                let is_request =
                    matches!(name, "src" | "srcset" | "action" | "formaction" | "poster")
                        || (name == "href" && element.value().name() != "a");
                assert!(
                    !is_request || value.starts_with('/') || value.starts_with('#'),
                    "{}: {name}={value}",
                    page.name
                );
                assert!(
                    !value.trim().to_lowercase().starts_with("javascript:"),
                    "{}: {value}",
                    page.name
                );
            }
        }
        for script in page.all("script") {
            assert!(
                script.value().attr("src").is_some() && script.inner_html().is_empty(),
                "{}",
                page.name
            );
        }
        for link in page.all("a[href]") {
            let href = link.value().attr("href").expect("selected by it");
            let inside = href.starts_with('/') || href.starts_with('#');
            assert!(
                inside
                    || link
                        .value()
                        .attr("rel")
                        .is_some_and(|rel| rel.contains("nofollow")),
                "{}: {href}",
                page.name
            );
        }
    }
}

#[test]
fn every_form_that_changes_something_carries_the_sessions_token() {
    for page in every_page() {
        for form in page.all("form[method=post]") {
            let token =
                Selector::parse("input[type=hidden][name=csrf][value]").expect("a selector");
            let button = Selector::parse("button").expect("a selector");
            assert_eq!(
                form.select(&token).count(),
                1,
                "{}: {}",
                page.name,
                form.html()
            );
            assert!(
                form.select(&button).count() >= 1,
                "{}: a form that cannot be sent",
                page.name
            );
        }
    }
}

#[test]
fn tables_name_their_rows_and_columns() {
    for page in every_page() {
        for head in page.all("main th") {
            let in_prose = head
                .ancestors()
                .filter_map(ElementRef::wrap)
                .any(|e| e.value().classes().any(|c| c == "prose"));
            assert!(
                in_prose || head.value().attr("scope").is_some(),
                "{}: {}",
                page.name,
                head.html()
            );
        }
    }
}

#[test]
fn every_page_weighs_less_than_forty_kilobytes_over_the_wire() {
    for page in every_page() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        std::io::Write::write_all(&mut encoder, page.html.as_bytes()).expect("into memory");
        let bytes = encoder.finish().expect("into memory").len() + assets::compressed_bytes();
        assert!(bytes < PAGE_BYTES_MAX, "{}: {bytes} bytes", page.name);
    }
}
