//! Pages that the law declares: kinds, boards and values together, and texts that play writes.

use std::collections::BTreeMap;

use axum::extract::{Path, Query};
use axum::response::Response;
use quorate_kernel::event::Event;
use quorate_kernel::patch::Clause;
use quorate_kernel::rows::CellKey;
use quorate_kernel::state::Effect;
use quorate_kernel::{EventSeq, Name, PlayerId, Thing};
use quorate_law::datum::Datum;

use crate::app::error::AppError;
use crate::app::reply;
use crate::requests::by_hand::by_hand;
use crate::requests::forms::{OpenedThen, SentIn, answer_in, drawn, page};
use crate::site::game_page::page::{Block, LawPage, PageBlockKind};
use crate::site::game_page::{places, tree};
use crate::ui::html::slug;
use crate::ui::urls::Href;
use crate::ui::{Fact, Field, FieldKind, Form, History, Link, urls};
use crate::view::game::GameView;
use crate::view::grid::{Plan, TableAsked};
use crate::view::kinds::{Source, Tracked, several};
use crate::view::pages::{declaration, home};
use crate::view::people::Part;
use crate::view::{boards, claims, history};

/// How many things of a kind a page shows.
const THINGS: usize = 200;

/// How many versions of a text are listed.
const VERSIONS: usize = 50;

/// `GET /g/{game}/page/{page}`.
pub(crate) async fn show(
    OpenedThen(view): OpenedThen,
    Path((_, word)): Path<(String, String)>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let at = query.get("at").map(String::as_str);
    let (game, page_word) = (view.game().as_str(), word.as_str());
    let mut here: Href = urls::Page {
        game,
        page: page_word,
    }
    .into();
    if let Some(at) = at.filter(|_| view.is_past()) {
        here = here.with("at", at);
    }
    let asked = TableAsked::read(here, &query);
    let most = history::most(&query);
    let name = Name::from(page_word);
    let gathered = async {
        let (today, changes) = history::gather(&view, &asked, most).await?;
        let versions = if query.contains_key("versions") {
            versions(&view, &name).await?
        } else {
            Vec::new()
        };
        Ok((today, changes, versions))
    };
    let (today, changes, versions) = match gathered.await {
        Ok(gathered) => gathered,
        Err(error) => return answer_in(&view, Err(error)),
    };
    drawn(view, move |view| {
        let open = asked.cell.as_ref();
        let whole = PageSource {
            view,
            today: today.as_ref(),
            asked: &asked,
            pane: open.and_then(|key| history::pane(view, &asked, key, &changes, most)),
        };
        Ok(page(view, &whole.page(&name, &versions)?))
    })
    .await
}

/// The events that wrote a page's text, newest first: each names the one before.
async fn versions(view: &GameView, name: &Name) -> Result<Vec<Event>, AppError> {
    let mut found = Vec::new();
    let mut next = view.public().pages.get(name).map(|page| page.by);
    while let Some(seq) = next.filter(|_| found.len() < VERSIONS) {
        let events = view.app().events(view.game(), &[seq]).await?;
        let Some(event) = events.into_iter().next() else {
            break;
        };
        next = written_before(&event, name).filter(|by| *by < seq);
        found.push(event);
    }
    Ok(found)
}

fn written_before(event: &Event, name: &Name) -> Option<EventSeq> {
    event.steps.iter().find_map(|step| match &step.effect {
        Effect::Page { key, old, .. } if key == name => old.as_ref().map(|page| page.by),
        _ => None,
    })
}

/// What a page is made from.
struct PageSource<'a> {
    view: &'a GameView,
    today: Option<&'a GameView>,
    asked: &'a TableAsked,
    pane: Option<History>,
}

impl<'a> PageSource<'a> {
    fn page(&self, name: &Name, versions: &[Event]) -> Result<LawPage, AppError> {
        let view = self.view;
        let decl = declaration(view, name);
        let text = view.public().pages.get(name);
        if decl.is_none() && text.is_none() {
            return Err(AppError::NotFound);
        }
        let title = decl.map_or_else(|| name.to_string(), |page| view.themed(&page.title));
        let mut blocks = Vec::new();
        if let Some(text) = text {
            blocks.push(Block {
                id: "text".to_owned(),
                title: "Text".to_owned(),
                note: format!("as of event {}", text.by),
                kind: PageBlockKind::Prose(view.prose(text.text.as_str(), 3)),
                is_folded: false,
            });
        }
        let shows = decl.map_or(&[][..], |page| &page.shows);
        let by = decl.map_or(&[][..], |page| &page.by);
        let drawn = places::Map::of(view, self.today, shows, by);
        blocks.extend(drawn.iter().map(places::Map::block));
        let mut told = self.blocks(shows);
        if let Some(map) = &drawn {
            for block in &mut told {
                let is_open = matches!(&block.kind, PageBlockKind::Table(table)
                    if table.rows.iter().chain(&table.pseudo).any(|row| row.history.is_some()));
                block.is_folded = map.draws(&block.id) && !is_open;
            }
        }
        blocks.extend(told);
        if !versions.is_empty() {
            blocks.push(self.versions_block(versions));
        }
        let (game, page) = (view.game().as_str(), name.as_str());
        let here = Href::from(urls::Page { game, page });
        let is_text = text.is_some() || shows.is_empty();
        let rule = view.rule_title(&home(view, name));
        Ok(LawPage {
            chrome: view.chrome(&title, Part::Tracker),
            title,
            about: match (view.is_past(), rule.as_str()) {
                (true, _) => format!("As it was on {}.", view.when(view.now()).full()),
                (false, "") => "Kept by those who play.".to_owned(),
                (false, rule) => format!("Declared by {rule}."),
            },
            blocks,
            history: text.map(|_| Link::new("Its versions", here.with("versions", "yes"))),
            edit: is_text.then(|| edit(view, name)).flatten(),
        })
    }

    /// What the page shows, in the order of its declaration; values of one kind that stand together make one table.
    fn blocks(&self, shows: &[Name]) -> Vec<Block> {
        let view = self.view;
        let mut blocks: Vec<Block> = Vec::new();
        let mut group: Option<(Name, Vec<Tracked<'_>>)> = None;
        for name in shows {
            if let Some((kind, value)) = value_named(view, name) {
                if shows.contains(&kind) {
                    // It is told of each of its kind, which has a table of its own.
                    continue;
                }
                match &mut group {
                    Some((of, values)) if *of == kind => values.push(value),
                    _ => self.finish(group.replace((kind, vec![value])), &mut blocks),
                }
                continue;
            }
            self.finish(group.take(), &mut blocks);
            blocks.extend(self.block(name));
        }
        self.finish(group, &mut blocks);
        blocks
    }

    /// A board, the posts of a category, or the things of a kind.
    fn block(&self, name: &Name) -> Option<Block> {
        let view = self.view;
        if view.law().boards.contains_key(name) {
            let board = boards::drawing(view, name)?;
            return Some(Block {
                id: format!("board-{}", slug(name.as_str())),
                title: board.title.clone(),
                note: String::new(),
                kind: PageBlockKind::Board(board),
                is_folded: false,
            });
        }
        if let Some(category) = view.law().categories.get(name) {
            let title = several(&view.themed(&category.it.title));
            let posts = posts(view, name);
            if posts.is_empty() {
                return Some(listed(slug(name.as_str()), title, Vec::new()));
            }
            return Some(Block {
                id: slug(name.as_str()),
                title,
                note: posts.len().to_string(),
                kind: PageBlockKind::Posts(posts),
                is_folded: false,
            });
        }
        Some(self.table(name, view.tracked_of(name), view.plural_of(name)))
    }

    fn finish(&self, group: Option<(Name, Vec<Tracked<'a>>)>, blocks: &mut Vec<Block>) {
        let Some((kind, values)) = group else { return };
        if kind != "Game" {
            for value in &values {
                blocks.extend(tree::block(self.view, self.today, &kind, value));
            }
            let title = self.view.plural_of(&kind);
            blocks.push(self.table(&kind, values, title));
            return;
        }
        let mut facts: Vec<Fact> = Vec::new();
        for value in values {
            let name = value.name().as_str();
            match self.view.attribute(&Thing::Game, name) {
                Some(Datum::List(items)) => blocks.push(self.list(&value, &items)),
                _ => facts.extend(self.fact(&value)),
            }
        }
        if !facts.is_empty() {
            blocks.push(Block {
                id: format!("game-{}", blocks.len()),
                title: "The game itself".to_owned(),
                note: String::new(),
                kind: PageBlockKind::Sheet(facts),
                is_folded: false,
            });
        }
    }

    fn fact(&self, value: &Tracked<'_>) -> Option<Fact> {
        let view = self.view;
        let seen = |view: &GameView| view.sees(&Thing::Game, value);
        if !seen(view) || !self.today.is_none_or(seen) {
            return None;
        }
        let held = view.ask(|asked| asked.held(&Thing::Game, value));
        let text = if held.text.is_empty() {
            "–".to_owned()
        } else {
            held.text
        };
        let fact = Fact::new(view.themed(&value.title()), text);
        let key = CellKey {
            thing: Thing::Game,
            name: value.name().clone(),
        };
        Some(if held.is_kept {
            fact.to(history::on_tracker(view, &key))
        } else {
            fact
        })
    }

    fn list(&self, value: &Tracked<'_>, items: &[Datum]) -> Block {
        let view = self.view;
        let lines = items
            .iter()
            .map(|item| (view.themed(&view.datum_words(item)), None));
        let title = view.themed(&value.title());
        listed(slug(value.name().as_str()), title, lines.collect())
    }

    fn table(&self, kind: &Name, mut columns: Vec<Tracked<'a>>, title: String) -> Block {
        let view = self.view;
        // What a thing is called stands before its row already.
        let label = view.label_of(kind);
        let asked = self.asked.cell.as_ref().map(|key| &key.name);
        columns.retain(|value| Some(value.name()) != label || Some(value.name()) == asked);
        let (things, apart, note) = self.things(kind);
        let id = format!("t-{}", slug(kind.as_str()));
        if things.is_empty() && apart.is_empty() {
            return listed(id, title, Vec::new());
        }
        if columns.is_empty() && asked.is_none() {
            let names = things
                .iter()
                .chain(&apart)
                .map(|thing| (view.called(thing), None));
            return listed(id, title, names.collect());
        }
        let plan = Plan {
            id: format!("{id}-table"),
            label: title.clone(),
            kind: kind.clone(),
            things,
            apart,
            columns,
            asked: self.asked,
            today: self.today,
        };
        Block {
            id,
            title,
            note,
            kind: PageBlockKind::Table(plan.table(view, self.pane.as_ref())),
            is_folded: false,
        }
    }

    /// The things of a kind: players with the idle apart, rows in law order, what play makes newest first.
    fn things(&self, kind: &Name) -> (Vec<Thing>, Vec<Thing>, String) {
        let view = self.view;
        if *kind == "Player" {
            let (active, idle) = view.roster();
            let of = |ids: Vec<PlayerId>| ids.into_iter().map(Thing::Player).collect();
            return (of(active), of(idle), String::new());
        }
        let mut things = view.ask(|asked| asked.things_of(kind));
        let count = things.len();
        let note = if count > THINGS {
            things.drain(..count - THINGS);
            format!("the newest {THINGS} of {count}")
        } else {
            count.to_string()
        };
        if !view.law().tables.contains_key(kind) {
            things.reverse();
        }
        (things, Vec::new(), note)
    }

    fn versions_block(&self, versions: &[Event]) -> Block {
        let view = self.view;
        let lines = versions.iter().map(|event| {
            let how = history::how(view, event, view.may_know(event));
            let (game, number) = (view.game().as_str(), event.seq.to_string());
            let link = urls::Event {
                game,
                event: &number,
            };
            let text = format!("{}: {how}.", view.when(event.at).full());
            (text, Some(Link::new(format!("event {number}"), link)))
        });
        listed(
            "versions".to_owned(),
            "Versions".to_owned(),
            lines.collect(),
        )
    }
}

fn listed(id: String, title: String, mut lines: Vec<(String, Option<Link>)>) -> Block {
    let note = lines.len().to_string();
    if lines.is_empty() {
        lines.push(("There is none.".to_owned(), None));
    }
    Block {
        id,
        title,
        note,
        kind: PageBlockKind::List(lines),
        is_folded: false,
    }
}

/// The posts of a category, newest first, each with what is tracked of it.
fn posts(view: &GameView, category: &Name) -> Vec<(Link, String, Vec<Fact>)> {
    let posts = view.posts().rev();
    let posts = posts.filter(|(_, post)| post.category == *category && view.sees_post(post));
    let values = view.tracked_of(category);
    let told = posts.take(THINGS).map(|(id, post)| {
        let (game, word) = (view.game().as_str(), id.to_string());
        let link = urls::Post { game, post: &word };
        let title = view.themed(post.title.as_str());
        let facts = view.ask(|asked| {
            let held = values.iter().filter_map(|value| {
                let held = asked.held(&Thing::Post(*id), value);
                let title = view.themed(&value.title());
                (!held.text.is_empty()).then(|| Fact::new(title, held.text))
            });
            held.collect()
        });
        (Link::new(title, link), view.when(post.at).full(), facts)
    });
    told.collect()
}

/// A value by its name: of players, of the game, or else of the first kind that has one.
fn value_named<'a>(view: &'a GameView, name: &Name) -> Option<(Name, Tracked<'a>)> {
    let kept = view.law().values.keys();
    let computed = view.law().derived.keys();
    let of_name = kept.chain(computed).filter(|(_, known)| known == name);
    let kind = of_name
        .map(|(kind, _)| kind)
        .min_by_key(|kind| match kind.as_str() {
            "Player" => 0,
            "Game" => 1,
            _ => 2,
        })?;
    let values = view.values_of_kind(kind).into_iter();
    let mut found = values.filter(|value| !matches!(value.source, Source::Stated(..)));
    let found = found.find(|value| value.name() == name)?;
    Some((kind.clone(), found))
}

/// The form that writes a page's text by hand, where the law lets the reader.
fn edit(view: &GameView, name: &Name) -> Option<Form> {
    let me = view.me().filter(|_| !view.is_past())?;
    let home = home(view, name);
    claims::may_claim(view, me, &home).ok()?;
    let text = view.public().pages.get(name);
    let text = text.map_or(String::new(), |page| page.text.as_str().to_owned());
    let (game, page) = (view.game().as_str(), name.as_str());
    Some(Form {
        fields: vec![
            Field::new("page-text", "text", "Text", FieldKind::Prose(text)),
            claims::rules_field(view, "page", Some(&home)),
            claims::reason_field("page"),
        ],
        ..Form::button(view.send(urls::Page { game, page }), "Keep this version")
    })
}

/// `POST /g/{game}/page/{page}`.
pub(crate) async fn submit(
    Path((_, word)): Path<(String, String)>,
    SentIn { view, form }: SentIn,
) -> Response {
    let name = Name::from(word.as_str());
    if declaration(&view, &name).is_none() && !view.public().pages.contains_key(&name) {
        return answer_in(&view, Err(AppError::NotFound));
    }
    let (game, page) = (view.game().as_str(), word.as_str());
    let back = Href::from(urls::Page { game, page });
    let text = form.one("text").unwrap_or_default().to_owned();
    let home = home(&view, &name);
    let clause = Clause::SetPage {
        name,
        text: text.clone(),
    };
    match by_hand(&view, clause, &home, &form).await {
        Ok(()) => reply::see_with(&back, "This version is kept."),
        Err(AppError::Refused(refusal)) => {
            let refusal = view.refusal("Writing the page", &refusal);
            let chrome = view.chrome("The rules say no", Part::Tracker);
            let way = Link::new("Back to the page", back);
            reply::refused(view.app(), view.visitor(), chrome, refusal, Some(text), way)
        }
        Err(error) => answer_in(&view, Err(error)),
    }
}
