//! Pages that the law declares: kinds, boards and values together, and texts that play writes.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use quorate_engine::law::{At, PageDecl};
use quorate_kernel::rows::CellKey;
use quorate_kernel::{Name, Thing};
use quorate_law::datum::Datum;

use super::board;
use super::cells::Order;
use crate::pages::{Block, BlockKind, Fact, LawPage, Link};
use crate::urls;
use crate::web::forms::{game_page, page};
use crate::web::look::Look;
use crate::web::look::people::Part;
use crate::web::site::Site;
use crate::web::trouble::Trouble;
use crate::web::visitor::Visitor;

/// `GET /g/{game}/page/{page}`.
pub(crate) async fn show(
    State(site): State<Arc<Site>>,
    visitor: Visitor,
    Path((game, name)): Path<(String, String)>,
) -> Response {
    game_page(site, visitor, &game, move |look| {
        let name = Name::from(name);
        let decl = look.law.pages.iter().find(|decl| decl.it.name == name);
        let made = match decl {
            Some(decl) => declared(look, decl),
            None => written(look, &name).ok_or(Trouble::NotFound)?,
        };
        Ok(page(look, &made))
    })
    .await
}

fn declared(look: &Look, decl: &At<PageDecl>) -> LawPage {
    let title = look.themed(&decl.it.title);
    let mut blocks: Vec<Block> = decl
        .it
        .shows
        .iter()
        .filter_map(|name| block(look, name))
        .collect();
    if let Some(text) = look.state().pages.get(&decl.it.name) {
        blocks.insert(0, prose(look, &decl.it.name, text.text.as_str()));
    }
    LawPage {
        chrome: look.chrome(&title, Part::Elsewhere),
        title,
        about: look.about_clause(&decl.site.rule, decl.site.clause),
        blocks,
        history: None,
        edit: None,
    }
}

/// A page that play wrote and no rule declares.
fn written(look: &Look, name: &Name) -> Option<LawPage> {
    let text = look.state().pages.get(name)?;
    let event = text.by.to_string();
    let link = urls::Event {
        game: look.game.as_str(),
        event: &event,
    };
    Some(LawPage {
        chrome: look.chrome(name.as_str(), Part::Elsewhere),
        title: name.to_string(),
        about: "Written by players.".to_owned(),
        blocks: vec![prose(look, name, text.text.as_str())],
        history: Some(Link::new(format!("last changed by event {event}"), link)),
        edit: None,
    })
}

fn prose(look: &Look, name: &Name, text: &str) -> Block {
    Block {
        id: format!("text-{}", name.as_str().replace(' ', "-")),
        title: name.to_string(),
        note: String::new(),
        kind: BlockKind::Prose(look.prose(text, 3)),
    }
}

/// What a page shows under a name: a board, the things of a kind, the posts of a category, or a value of the game.
fn block(look: &Look, name: &Name) -> Option<Block> {
    let id = format!("b-{}", name.as_str().replace(' ', "-"));
    let made = |title: String, note: String, kind: BlockKind| Block {
        id: id.clone(),
        title,
        note,
        kind,
    };
    if let Some(decl) = look.law.boards.get(name) {
        let drawing = board::drawing(look, name, decl);
        return Some(made(
            look.themed(&decl.it.title),
            String::new(),
            BlockKind::Board(drawing),
        ));
    }
    if let Some(table) = look.kind_table(name, &format!("t-{name}"), &Order::default()) {
        let note = format!("{}", table.rows.len());
        return Some(made(table.label.clone(), note, BlockKind::Table(table)));
    }
    if let Some(decl) = look.law.categories.get(name) {
        return Some(made(
            decl.it.title.clone(),
            String::new(),
            BlockKind::List(posts(look, name)),
        ));
    }
    value_of_game(look, name, &made)
}

fn posts(look: &Look, category: &Name) -> Vec<(String, Option<Link>)> {
    let posts = look
        .state()
        .posts
        .iter()
        .filter(|(_, post)| post.category == *category && look.view().post(post));
    let lines = posts.map(|(id, post)| {
        let word = id.to_string();
        let link = urls::Post {
            game: look.game.as_str(),
            post: &word,
        };
        (
            look.when(post.at).brief(),
            Some(Link::new(look.themed(post.title.as_str()), link)),
        )
    });
    lines.collect()
}

fn value_of_game(
    look: &Look,
    name: &Name,
    made: &dyn Fn(String, String, BlockKind) -> Block,
) -> Option<Block> {
    let key = CellKey {
        thing: Thing::Game,
        name: name.clone(),
    };
    if !look.view().shown(&key) {
        return None;
    }
    let of = (Name::from("Game"), name.clone());
    let kept = look.law.values.get(&of).map(|decl| decl.it.title.clone());
    let title = kept.or_else(|| look.law.derived.get(&of).map(|decl| decl.it.title.clone()))?;
    let title = look.themed(&title);
    let kind = match look.attribute(&Thing::Game, name.as_str()) {
        Some(Datum::List(items)) => {
            let lines = items.iter().map(|item| (look.datum_words(item), None));
            BlockKind::List(lines.collect())
        }
        Some(datum) => BlockKind::Sheet(vec![Fact::new(title.clone(), look.datum_words(&datum))]),
        None => return None,
    };
    Some(made(title, String::new(), kind))
}

impl Look {
    /// The pages that the law declares and those that play wrote, for lists of ways.
    pub(crate) fn page_links(&self) -> Vec<Link> {
        let game = self.game.as_str();
        let mut links: Vec<Link> = self
            .law
            .pages
            .iter()
            .map(|decl| {
                let page = decl.it.name.as_str();
                Link::new(self.themed(&decl.it.title), urls::Page { game, page })
            })
            .collect();
        for name in self.state().pages.keys() {
            if !self.law.pages.iter().any(|decl| decl.it.name == *name) {
                let page = name.as_str();
                links.push(Link::new(page, urls::Page { game, page }));
            }
        }
        links
    }
}
