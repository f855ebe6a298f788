//! Search in posts, comments, rules, events and people.

use std::collections::BTreeMap;

use axum::extract::Query;
use axum::response::Response;
use quorate_runtime::ports::{SearchPart, SearchPlace, SearchQuery};

use crate::app::error::AppError;
use crate::requests::forms::{Opened, drawn, page};
use crate::site::search::page::{Hit, Search, SearchFound};
use crate::ui::urls::Href;
use crate::ui::{Choice, Chrome, Field, FieldKind, urls};
use crate::view::dynasties;
use crate::view::game::GameView;
use crate::view::people::Part;
use crate::view::search::FoundText;
use crate::view::search_query::{SearchMistake, SearchTyped};

/// How many places a page shows.
const HITS: usize = 30;

/// `GET /g/{game}/search`.
pub(crate) async fn show(
    Opened(view): Opened,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let typed = SearchTyped::of(&query);
    let after = query.get("after").and_then(|after| after.parse().ok());
    drawn(view, move |view| {
        let mut search = Search {
            chrome: chrome(view, &typed),
            here: urls::Search {
                game: view.game().as_str(),
            }
            .into(),
            query: typed.q.clone(),
            mistake: None,
            fields: Vec::new(),
            found: None,
        };
        let mut mistake = None;
        if !typed.is_empty() {
            match typed.read(view) {
                Ok(asked) => search.found = Some(found(view, &typed, &asked, after.as_ref())?),
                Err(wrong) => mistake = Some(wrong),
            }
        }
        search.mistake = mistake.as_ref().map(ToString::to_string);
        search.fields = fields(view, &typed, mistake.as_ref());
        Ok(page(view, &search))
    })
    .await
}

/// The feed of the page is that of the search.
fn chrome(view: &GameView, typed: &SearchTyped) -> Chrome {
    let chrome = view.chrome("Search", Part::Elsewhere);
    if typed.is_empty() {
        return chrome;
    }
    let (game, form) = (view.game().as_str(), "search.atom");
    chrome.with_feed(typed.on(urls::FeedAs { game, form }))
}

fn found(
    view: &GameView,
    typed: &SearchTyped,
    asked: &SearchQuery,
    after: Option<&SearchPlace>,
) -> Result<SearchFound, AppError> {
    if *asked == SearchQuery::default() {
        // There were signs, and no word among them.
        return Ok(SearchFound::default());
    }
    let texts = view.find_texts(asked, after, HITS)?;
    let last = texts.texts.last().map(|text| text.place.to_string());
    let hits = texts.texts.iter();
    Ok(SearchFound {
        hits: hits.map(|text| hit(view, asked, text)).collect(),
        more: last
            .filter(|_| texts.has_more)
            .map(|last| here(view, typed).with("after", &last)),
        begins: after.is_none(),
        is_behind: texts.is_behind,
    })
}

/// This search as an address.
fn here(view: &GameView, typed: &SearchTyped) -> Href {
    let game = view.game().as_str();
    typed.on(urls::Search { game })
}

fn hit(view: &GameView, asked: &SearchQuery, found: &FoundText) -> Hit {
    let text = &found.text;
    let (kind, to) = view.way_to(&found.place.key, &text.title);
    Hit {
        kind,
        to,
        by: text.by.map(|by| view.name(by)),
        excerpt: text.excerpt(view, asked),
        when: text.at().map(|at| view.when(at)),
    }
}

/// The fields beside the words.
fn fields(view: &GameView, typed: &SearchTyped, mistake: Option<&SearchMistake>) -> Vec<Field> {
    let chosen = |is: bool, choice: Choice| Choice {
        chosen: is,
        ..choice
    };
    let people = view.public().people.keys().map(|id| {
        let (id, name) = (id.to_string(), view.name(*id));
        chosen(typed.by == id || typed.by == name, Choice::new(id, name))
    });
    let mut kinds: Vec<Choice> = SearchPart::ALL
        .into_iter()
        .map(|part| {
            let title = match part {
                SearchPart::Posts => "Posts of all kinds".to_owned(),
                SearchPart::Comments => "Comments".to_owned(),
                SearchPart::Rules => "Rules".to_owned(),
                SearchPart::Events => "Events".to_owned(),
                SearchPart::People => view.word("Players"),
            };
            Choice::new(part.word(), title)
        })
        .collect();
    for name in &view.law().category_order {
        if let Some(category) = view.law().categories.get(name) {
            kinds.push(Choice::new(name.as_str(), category.it.title.clone()));
        }
    }
    for kind in &mut kinds {
        kind.chosen = !typed.kind.is_empty() && kind.value == typed.kind;
    }
    let numbered = view.public().dynasties.iter().map(|(number, dynasty)| {
        let title = dynasties::title(view, *number, dynasty);
        let number = number.to_string();
        chosen(typed.dynasty == number, Choice::new(number, title))
    });
    let date = |name: &'static str, label: &str, typed: &str| {
        let field = Field::new(name, name, label, FieldKind::Line(typed.to_owned())).optional();
        field.hint("2027-05-14")
    };
    let mut fields = vec![
        Field::new("by", "by", "By", FieldKind::One(people.collect())).blank("anybody"),
        Field::new("kind", "kind", "Kind", FieldKind::One(kinds)).blank("everything"),
        Field::new(
            "dynasty",
            "dynasty",
            "Dynasty",
            FieldKind::One(numbered.collect()),
        )
        .blank("any"),
        date("from", "From", &typed.from),
        date("to", "To", &typed.to),
    ];
    for field in &mut fields {
        let wrong = mistake.filter(|wrong| wrong.field == field.name);
        field.error = wrong.map(ToString::to_string);
    }
    fields
}
