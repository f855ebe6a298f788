//! Search in posts, comments, rules, events and people.

use std::collections::BTreeMap;

use axum::extract::Query;
use axum::response::Response;
use quorate_kernel::PostId;
use quorate_runtime::ports::{SearchKey, SearchPart, SearchPlace, SearchQuery};

use crate::app::error::AppError;
use crate::app::forms::{Opened, drawn, page};
use crate::site::search::page::{Found, Hit, Search};
use crate::ui::urls::Href;
use crate::ui::{Choice, Field, FieldKind, Link, urls};
use crate::view::dynasties;
use crate::view::game::GameView;
use crate::view::people::Part;
use crate::view::search::FoundText;
use crate::view::search_query::{SearchMistake, SearchTyped};

/// How many places a page shows.
const HITS: usize = 30;

/// What an address asks for.
fn typed(query: &BTreeMap<String, String>) -> SearchTyped {
    let one = |name: &str| query.get(name).map_or("", |text| text.trim()).to_owned();
    SearchTyped {
        q: one("q"),
        by: one("by"),
        kind: one("kind"),
        from: one("from"),
        to: one("to"),
        dynasty: one("dynasty"),
    }
}

/// `GET /g/{game}/search`.
pub(crate) async fn show(
    Opened(look): Opened,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let typed = typed(&query);
    let after = query.get("after").and_then(|after| after.parse().ok());
    drawn(look, move |look| {
        let mut search = Search {
            chrome: look.chrome("Search", Part::Elsewhere),
            here: urls::Search {
                game: look.game().as_str(),
            }
            .into(),
            query: typed.q.clone(),
            mistake: None,
            fields: Vec::new(),
            found: None,
        };
        let mut mistake = None;
        if !typed.is_empty() {
            match typed.read(look) {
                Ok(asked) => search.found = Some(found(look, &typed, &asked, after.as_ref())?),
                Err(wrong) => mistake = Some(wrong),
            }
        }
        search.mistake = mistake.as_ref().map(ToString::to_string);
        search.fields = fields(look, &typed, mistake.as_ref());
        Ok(page(look, &search))
    })
    .await
}

fn found(
    look: &GameView,
    typed: &SearchTyped,
    asked: &SearchQuery,
    after: Option<&SearchPlace>,
) -> Result<Found, AppError> {
    if *asked == SearchQuery::default() {
        // There were signs, and no word among them.
        return Ok(Found::default());
    }
    let texts = look.find_texts(asked, after, HITS)?;
    let last = texts.texts.last().map(|text| text.place.to_string());
    let hits = texts.texts.iter();
    Ok(Found {
        hits: hits.map(|text| hit(look, asked, text)).collect(),
        more: last
            .filter(|_| texts.has_more)
            .map(|last| here(look, typed).with("after", &last)),
        begins: after.is_none(),
        is_behind: texts.is_behind,
    })
}

/// This search as an address.
fn here(look: &GameView, typed: &SearchTyped) -> Href {
    let mut href: Href = urls::Search {
        game: look.game().as_str(),
    }
    .into();
    for (name, value) in [
        ("q", &typed.q),
        ("by", &typed.by),
        ("kind", &typed.kind),
        ("from", &typed.from),
        ("to", &typed.to),
        ("dynasty", &typed.dynasty),
    ] {
        if !value.is_empty() {
            href = href.with(name, value);
        }
    }
    href
}

fn hit(look: &GameView, asked: &SearchQuery, found: &FoundText) -> Hit {
    let text = &found.text;
    let (kind, to) = way(look, &found.place.key, &text.title);
    Hit {
        kind,
        to,
        by: text.by.map(|by| look.name(by)),
        excerpt: text.excerpt(look, asked),
        when: text.at().map(|at| look.when(at)),
    }
}

/// What a text is called, and the way to it.
fn way(look: &GameView, key: &SearchKey, title: &str) -> (String, Link) {
    let game = look.game().as_str();
    let of_post = |id: PostId| -> Href {
        let post = id.to_string();
        urls::Post { game, post: &post }.into()
    };
    match key {
        SearchKey::Post(id) => {
            let kind = look.post(*id).map(|post| look.category_title(post));
            (kind.unwrap_or_default(), Link::new(title, of_post(*id)))
        }
        SearchKey::Comment(id, comment) => {
            let above = look.post(*id);
            let above = above.map(|post| look.themed(post.title.as_str()));
            let comment = comment.to_string();
            // The post may have several pages of them.
            let href = of_post(*id).with("comment", &comment);
            let href = href.at(&format!("c{comment}"));
            let title = format!("under {}", above.unwrap_or_default());
            ("Comment".to_owned(), Link::new(title, href))
        }
        SearchKey::Rule(id) => {
            let rule = urls::Rule {
                game,
                rule: id.as_str(),
            };
            ("Rule".to_owned(), Link::new(title, rule))
        }
        SearchKey::Event(seq) => {
            let event = seq.to_string();
            let event = urls::Event {
                game,
                event: &event,
            };
            ("Event".to_owned(), Link::new(title, event))
        }
        SearchKey::Person(id) => {
            let player = id.to_string();
            let player = urls::Player {
                game,
                player: &player,
            };
            (look.word("Player"), Link::new(title, player))
        }
    }
}

/// The fields beside the words.
fn fields(look: &GameView, typed: &SearchTyped, mistake: Option<&SearchMistake>) -> Vec<Field> {
    let chosen = |is: bool, choice: Choice| Choice {
        chosen: is,
        ..choice
    };
    let people = look.public().people.keys().map(|id| {
        let (id, name) = (id.to_string(), look.name(*id));
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
                SearchPart::People => look.word("Players"),
            };
            Choice::new(part.word(), title)
        })
        .collect();
    for name in &look.law().category_order {
        if let Some(category) = look.law().categories.get(name) {
            kinds.push(Choice::new(name.as_str(), category.it.title.clone()));
        }
    }
    for kind in &mut kinds {
        kind.chosen = !typed.kind.is_empty() && kind.value == typed.kind;
    }
    let numbered = look.public().dynasties.iter().map(|(number, dynasty)| {
        let title = dynasties::title(look, *number, dynasty);
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
