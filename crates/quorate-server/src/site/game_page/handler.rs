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
    OpenedThen(look): OpenedThen,
    Path((_, word)): Path<(String, String)>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let at = query.get("at").map(String::as_str);
    let (game, page_word) = (look.game().as_str(), word.as_str());
    let mut here: Href = urls::Page {
        game,
        page: page_word,
    }
    .into();
    if let Some(at) = at.filter(|_| look.is_past()) {
        here = here.with("at", at);
    }
    let asked = TableAsked::read(here, &query);
    let most = history::most(&query);
    let name = Name::from(page_word);
    let gathered = async {
        let (today, changes) = history::gather(&look, &asked, most).await?;
        let versions = if query.contains_key("versions") {
            versions(&look, &name).await?
        } else {
            Vec::new()
        };
        Ok((today, changes, versions))
    };
    let (today, changes, versions) = match gathered.await {
        Ok(gathered) => gathered,
        Err(error) => return answer_in(&look, Err(error)),
    };
    drawn(look, move |look| {
        let open = asked.cell.as_ref();
        let whole = PageSource {
            look,
            today: today.as_ref(),
            asked: &asked,
            pane: open.and_then(|key| history::pane(look, &asked, key, &changes, most)),
        };
        Ok(page(look, &whole.page(&name, &versions)?))
    })
    .await
}

/// The events that wrote a page's text, newest first: each names the one before.
async fn versions(look: &GameView, name: &Name) -> Result<Vec<Event>, AppError> {
    let mut found = Vec::new();
    let mut next = look.public().pages.get(name).map(|page| page.by);
    while let Some(seq) = next.filter(|_| found.len() < VERSIONS) {
        let events = look.app().events(look.game(), &[seq]).await?;
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
    look: &'a GameView,
    today: Option<&'a GameView>,
    asked: &'a TableAsked,
    pane: Option<History>,
}

impl<'a> PageSource<'a> {
    fn page(&self, name: &Name, versions: &[Event]) -> Result<LawPage, AppError> {
        let look = self.look;
        let decl = declaration(look, name);
        let text = look.public().pages.get(name);
        if decl.is_none() && text.is_none() {
            return Err(AppError::NotFound);
        }
        let title = decl.map_or_else(|| name.to_string(), |page| look.themed(&page.title));
        let mut blocks = Vec::new();
        if let Some(text) = text {
            blocks.push(Block {
                id: "text".to_owned(),
                title: "Text".to_owned(),
                note: format!("as of event {}", text.by),
                kind: PageBlockKind::Prose(look.prose(text.text.as_str(), 3)),
                is_folded: false,
            });
        }
        let shows = decl.map_or(&[][..], |page| &page.shows);
        let by = decl.map_or(&[][..], |page| &page.by);
        let drawn = places::Map::of(look, self.today, shows, by);
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
        let (game, page) = (look.game().as_str(), name.as_str());
        let here = Href::from(urls::Page { game, page });
        let is_text = text.is_some() || shows.is_empty();
        let rule = look.rule_title(&home(look, name));
        Ok(LawPage {
            chrome: look.chrome(&title, Part::Tracker),
            title,
            about: match (look.is_past(), rule.as_str()) {
                (true, _) => format!("As it was on {}.", look.when(look.now()).full()),
                (false, "") => "Kept by those who play.".to_owned(),
                (false, rule) => format!("Declared by {rule}."),
            },
            blocks,
            history: text.map(|_| Link::new("Its versions", here.with("versions", "yes"))),
            edit: is_text.then(|| edit(look, name)).flatten(),
        })
    }

    /// What the page shows, in the order of its declaration; values of one kind that stand together make one table.
    fn blocks(&self, shows: &[Name]) -> Vec<Block> {
        let look = self.look;
        let mut blocks: Vec<Block> = Vec::new();
        let mut group: Option<(Name, Vec<Tracked<'_>>)> = None;
        for name in shows {
            if let Some((kind, value)) = value_named(look, name) {
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
        let look = self.look;
        if look.law().boards.contains_key(name) {
            let board = boards::drawing(look, name)?;
            return Some(Block {
                id: format!("board-{}", slug(name.as_str())),
                title: board.title.clone(),
                note: String::new(),
                kind: PageBlockKind::Board(board),
                is_folded: false,
            });
        }
        if let Some(category) = look.law().categories.get(name) {
            let title = several(&look.themed(&category.it.title));
            let posts = posts(look, name);
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
        Some(self.table(name, look.tracked_of(name), look.plural_of(name)))
    }

    fn finish(&self, group: Option<(Name, Vec<Tracked<'a>>)>, blocks: &mut Vec<Block>) {
        let Some((kind, values)) = group else { return };
        if kind != "Game" {
            for value in &values {
                blocks.extend(tree::block(self.look, self.today, &kind, value));
            }
            let title = self.look.plural_of(&kind);
            blocks.push(self.table(&kind, values, title));
            return;
        }
        let mut facts: Vec<Fact> = Vec::new();
        for value in values {
            let name = value.name().as_str();
            match self.look.attribute(&Thing::Game, name) {
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
        let look = self.look;
        let seen = |look: &GameView| look.sees(&Thing::Game, value);
        if !seen(look) || !self.today.is_none_or(seen) {
            return None;
        }
        let held = look.ask(|asked| asked.held(&Thing::Game, value));
        let text = if held.text.is_empty() {
            "–".to_owned()
        } else {
            held.text
        };
        let fact = Fact::new(look.themed(&value.title()), text);
        let key = CellKey {
            thing: Thing::Game,
            name: value.name().clone(),
        };
        Some(if held.is_kept {
            fact.to(history::on_tracker(look, &key))
        } else {
            fact
        })
    }

    fn list(&self, value: &Tracked<'_>, items: &[Datum]) -> Block {
        let look = self.look;
        let lines = items
            .iter()
            .map(|item| (look.themed(&look.datum_words(item)), None));
        let title = look.themed(&value.title());
        listed(slug(value.name().as_str()), title, lines.collect())
    }

    fn table(&self, kind: &Name, mut columns: Vec<Tracked<'a>>, title: String) -> Block {
        let look = self.look;
        // What a thing is called stands before its row already.
        let label = look.label_of(kind);
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
                .map(|thing| (look.called(thing), None));
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
            kind: PageBlockKind::Table(plan.table(look, self.pane.as_ref())),
            is_folded: false,
        }
    }

    /// The things of a kind: players with the idle apart, rows in law order, what play makes newest first.
    fn things(&self, kind: &Name) -> (Vec<Thing>, Vec<Thing>, String) {
        let look = self.look;
        if *kind == "Player" {
            let (active, idle) = look.roster();
            let of = |ids: Vec<PlayerId>| ids.into_iter().map(Thing::Player).collect();
            return (of(active), of(idle), String::new());
        }
        let mut things = look.ask(|asked| asked.things_of(kind));
        let count = things.len();
        let note = if count > THINGS {
            things.drain(..count - THINGS);
            format!("the newest {THINGS} of {count}")
        } else {
            count.to_string()
        };
        if !look.law().tables.contains_key(kind) {
            things.reverse();
        }
        (things, Vec::new(), note)
    }

    fn versions_block(&self, versions: &[Event]) -> Block {
        let look = self.look;
        let lines = versions.iter().map(|event| {
            let how = history::how(look, event, look.may_know(event));
            let (game, number) = (look.game().as_str(), event.seq.to_string());
            let link = urls::Event {
                game,
                event: &number,
            };
            let text = format!("{}: {how}.", look.when(event.at).full());
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
fn posts(look: &GameView, category: &Name) -> Vec<(Link, String, Vec<Fact>)> {
    let posts = look.posts().rev();
    let posts = posts.filter(|(_, post)| post.category == *category && look.sees_post(post));
    let values = look.tracked_of(category);
    let told = posts.take(THINGS).map(|(id, post)| {
        let (game, word) = (look.game().as_str(), id.to_string());
        let link = urls::Post { game, post: &word };
        let title = look.themed(post.title.as_str());
        let facts = look.ask(|asked| {
            let held = values.iter().filter_map(|value| {
                let held = asked.held(&Thing::Post(*id), value);
                let title = look.themed(&value.title());
                (!held.text.is_empty()).then(|| Fact::new(title, held.text))
            });
            held.collect()
        });
        (Link::new(title, link), look.when(post.at).full(), facts)
    });
    told.collect()
}

/// A value by its name: of players, of the game, or else of the first kind that has one.
fn value_named<'a>(look: &'a GameView, name: &Name) -> Option<(Name, Tracked<'a>)> {
    let kept = look.law().values.keys();
    let computed = look.law().derived.keys();
    let of_name = kept.chain(computed).filter(|(_, known)| known == name);
    let kind = of_name
        .map(|(kind, _)| kind)
        .min_by_key(|kind| match kind.as_str() {
            "Player" => 0,
            "Game" => 1,
            _ => 2,
        })?;
    let values = look.values_of_kind(kind).into_iter();
    let mut found = values.filter(|value| !matches!(value.source, Source::Stated(..)));
    let found = found.find(|value| value.name() == name)?;
    Some((kind.clone(), found))
}

/// The form that writes a page's text by hand, where the law lets the reader.
fn edit(look: &GameView, name: &Name) -> Option<Form> {
    let me = look.me().filter(|_| !look.is_past())?;
    let home = home(look, name);
    claims::may_claim(look, me, &home).ok()?;
    let text = look.public().pages.get(name);
    let text = text.map_or(String::new(), |page| page.text.as_str().to_owned());
    let (game, page) = (look.game().as_str(), name.as_str());
    Some(Form {
        fields: vec![
            Field::new("page-text", "text", "Text", FieldKind::Prose(text)),
            claims::rules_field(look, "page", Some(&home)),
            claims::reason_field("page"),
        ],
        ..Form::button(look.send(urls::Page { game, page }), "Keep this version")
    })
}

/// `POST /g/{game}/page/{page}`.
pub(crate) async fn take(
    Path((_, word)): Path<(String, String)>,
    SentIn { look, form }: SentIn,
) -> Response {
    let name = Name::from(word.as_str());
    if declaration(&look, &name).is_none() && !look.public().pages.contains_key(&name) {
        return answer_in(&look, Err(AppError::NotFound));
    }
    let (game, page) = (look.game().as_str(), word.as_str());
    let back = Href::from(urls::Page { game, page });
    let text = form.one("text").unwrap_or_default().to_owned();
    let home = home(&look, &name);
    let clause = Clause::SetPage {
        name,
        text: text.clone(),
    };
    match by_hand(&look, clause, &home, &form).await {
        Ok(()) => reply::see_with(&back, "This version is kept."),
        Err(AppError::Refused(refusal)) => {
            let refusal = look.refusal("Writing the page", &refusal);
            let chrome = look.chrome("The rules say no", Part::Tracker);
            let way = Link::new("Back to the page", back);
            reply::refused(look.app(), look.visitor(), chrome, refusal, Some(text), way)
        }
        Err(error) => answer_in(&look, Err(error)),
    }
}
