//! Posts, pages and logs in a test as one reader sees them.

use quorate_kernel::audience::Reader;
use quorate_kernel::rows::CellKey;
use quorate_kernel::state::State;
use quorate_kernel::{Name, Thing};
use quorate_law::datum::Datum;
use quorate_law::stop::Stop;

use super::changes::Given;
use super::{Stage, fail};
use crate::convert;
use crate::law::{Law, PageDecl};
use crate::transcript;
use crate::view::{Seen, View};

/// What a reader reads where something is hidden from them.
const HIDDEN: &str = "hidden";

impl Stage {
    /// `log_of(who)`, `page_of(who, title)` and `post_of(who, post)`; `who` is a player, or None for a stranger.
    pub(super) fn sight(&self, game: usize, method: &str, mut given: Given) -> Result<Datum, Stop> {
        let reader = match given.take("who") {
            None | Some(Datum::None) => Reader::Stranger,
            Some(who) => match self.thing_of(&who)? {
                Thing::Player(id) => Reader::Player(id),
                other => return Err(fail(format!("{other} is no player"))),
            },
        };
        match method {
            "log_of" => Ok(self.log_of(game, reader)),
            "page_of" => {
                let title = given.text("title")?;
                self.page_of(game, reader, &title)
            }
            _ => {
                let post = self.post_of(&mut given)?;
                Ok(self.with(game, |game| {
                    let (state, law) = (game.judge.state(), game.judge.law());
                    let view = View { state, law, reader };
                    let Some(post) = state.posts.get(&post).filter(|post| view.post(post)) else {
                        return Datum::None;
                    };
                    let author = view.author(&post.author);
                    let author = author.and_then(|id| state.people.get(&id));
                    let author = author.map_or("nobody", |person| person.name.as_str());
                    let text = format!(
                        "{} by {author}: {}",
                        post.title.as_str(),
                        post.body.as_str()
                    );
                    Datum::Text(text.into())
                }))
            }
        }
    }

    /// The log in lines. Of an act that was given hidden and of what is hidden from the reader, it tells that it was.
    fn log_of(&self, game: usize, reader: Reader) -> Datum {
        let lines = self.with(game, |game| {
            let (state, law) = (game.judge.state(), game.judge.law());
            let view = View { state, law, reader };
            let lines = game.events.iter().map(|event| {
                let is_own = event.actor.player().map(Reader::Player) == Some(reader);
                if event.act.is_given_hidden() && !is_own {
                    return format!("{} {} {HIDDEN}", event.seq, event.at);
                }
                let mut line = transcript::event_line(state, event);
                for step in &event.steps {
                    if let quorate_kernel::effect::Effect::Cell { key, old, new } = &step.effect
                        && view.change(key, old.as_ref(), new.as_ref())
                        && let Some(new) = new
                    {
                        let value = convert::describe(&convert::datum(new.value.open()));
                        line.push_str(&format!("; {} {} = {value}", key.thing, key.name));
                    }
                }
                line
            });
            lines.map(|line| Datum::Text(line.into())).collect()
        });
        Datum::List(lines)
    }

    /// What a declared page shows: a dictionary from `value of thing` to what the reader sees. What the law does not track of
    /// somebody is left out, as it is on the site.
    fn page_of(&self, game: usize, reader: Reader, title: &str) -> Result<Datum, Stop> {
        self.with(game, |game| {
            let (state, law) = (game.judge.state(), game.judge.law());
            let page = law
                .pages
                .iter()
                .find(|page| page.it.title == title || page.it.name == title);
            let Some(page) = page else {
                let known = law.pages.iter().map(|page| page.it.title.as_str());
                let what = format!("the law declares no page {title}");
                return Err(super::names::unknown(&what, title, known));
            };
            let view = View { state, law, reader };
            let is_tracked = |key: &CellKey| {
                let decl = law.value(&Name::from("Player"), key.name.as_str());
                match (&key.thing, decl) {
                    (Thing::Player(id), Some(decl)) => game
                        .judge
                        .query(game.now, |tx| tx.tracks(*id, &decl.site.rule)),
                    _ => true,
                }
            };
            let shown = shown(state, law, &page.it).into_iter();
            let seen = shown.filter(is_tracked).filter_map(|key| {
                let value = match view.cell(&key) {
                    Seen::Value(value) => convert::datum(&value),
                    Seen::Hidden => Datum::Text(HIDDEN.into()),
                    Seen::Nothing => return None,
                };
                let label = game
                    .judge
                    .query(game.now, |tx| tx.label(&Datum::Thing(key.thing.clone())));
                Some((
                    Datum::Text(format!("{} of {label}", key.name).into()),
                    value,
                ))
            });
            Ok(Datum::Dict(seen.collect()))
        })
    }
}

/// The values that a page shows: those named, and all of the kinds named.
fn shown(state: &State, law: &Law, page: &PageDecl) -> Vec<CellKey> {
    let kind_of = |thing: &Thing| match thing {
        Thing::Game => Name::from("Game"),
        Thing::Player(_) => Name::from("Player"),
        Thing::Entity(id) => {
            let entity = state.entities.get(id);
            entity.map(|entity| entity.kind.clone()).unwrap_or_default()
        }
        Thing::Row(key) => key.table.clone(),
        _ => Name::default(),
    };
    let is_shown = |key: &&CellKey| {
        let kind = kind_of(&key.thing);
        let is_declared = law.value(&kind, key.name.as_str()).is_some();
        is_declared && (page.shows.contains(&key.name) || page.shows.contains(&kind))
    };
    state.cells.keys().filter(is_shown).cloned().collect()
}
