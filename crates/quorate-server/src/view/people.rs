//! People: names with their marks, and the surroundings that every page of a game has.

use quorate_engine::conventions;
use quorate_kernel::rows::{Author, Standing};
use quorate_kernel::{PlayerId, Thing, Value};
use quorate_law::capital;
use quorate_law::datum::Datum;

use crate::app::reply;
use crate::ui::urls::Href;
use crate::ui::{Banner, Chrome, GameFrame, Icon, Link, Person, Role, Section, urls};
use crate::view::game::GameView;

/// Which section of a game a page belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are the sections")]
pub enum Part {
    Blog,
    Rules,
    Tracker,
    Act,
    Boards,
    Players,
    Dynasties,
    Log,
    Messages,
    Desk,
    Elsewhere,
}

/// The feed of what a part of a game shows.
fn feed(game: &str, part: Part) -> Href {
    let form = match part {
        Part::Rules => "rules.atom",
        Part::Tracker => "values.atom",
        Part::Log => "events.atom",
        Part::Blog
        | Part::Act
        | Part::Boards
        | Part::Players
        | Part::Dynasties
        | Part::Messages
        | Part::Desk
        | Part::Elsewhere => return urls::Feed { game }.into(),
    };
    urls::FeedAs { game, form }.into()
}

/// The category that rulesets share for declarations of victory.
const VICTORY: &str = "Victory";

impl GameView {
    /// The name of somebody in the game.
    pub fn name(&self, id: PlayerId) -> String {
        let person = self.state().people.get(&id);
        let name = person.and_then(|person| person.name.shared());
        name.map_or_else(
            || format!("Player {}", id.0.event()),
            |name| name.to_string(),
        )
    }

    /// Somebody in the game, with their marks.
    pub fn person(&self, id: PlayerId) -> Person {
        let player = id.to_string();
        let link = urls::Player {
            game: self.game.as_str(),
            player: &player,
        };
        let mut person = Person::new(self.name(id), link);
        person.is_you = self.me == Some(id);
        person.roles = self.roles(id);
        person
    }

    /// What somebody is beside a player: emperor, admin, idle, by the names that rulesets share for them.
    pub fn roles(&self, id: PlayerId) -> Vec<Role> {
        let mut roles = Vec::new();
        if self.leader() == Some(id) {
            roles.push(Role {
                icon: Icon::Crown,
                word: self.word(&capital(conventions::LEADER)),
            });
        }
        if self.is_admin(id) {
            roles.push(Role {
                icon: Icon::Key,
                word: capital(&self.word("admin")),
            });
        }
        if self.has_flag(id, conventions::IDLE) {
            roles.push(Role {
                icon: Icon::Moon,
                word: capital(conventions::IDLE),
            });
        }
        roles
    }

    /// Whether somebody is among the admins, by the name that rulesets share for them.
    pub fn is_admin(&self, id: PlayerId) -> bool {
        self.has_flag(id, "admin")
    }

    /// Who leads the dynasty.
    pub fn leader(&self) -> Option<PlayerId> {
        match self.kept(&Thing::Game, conventions::LEADER)? {
            Value::Thing(Thing::Player(id)) => Some(*id),
            _ => None,
        }
    }

    /// Who wrote something, as far as the reader may know.
    pub fn author(&self, author: &Author) -> Person {
        match (self.sight().author(author), author) {
            (Some(id), _) => self.person(id),
            (None, Author::Game) => Person::named(self.title()),
            (None, _) => Person::named("Anonymous"),
        }
    }

    /// Everybody on the books, by name: those who are not idle, and those who are.
    pub fn roster(&self) -> (Vec<PlayerId>, Vec<PlayerId>) {
        let people = self.state().people.iter();
        let mut members: Vec<PlayerId> = people
            .filter(|(_, person)| person.standing == Standing::Member)
            .map(|(id, _)| *id)
            .collect();
        members.sort_by_key(|id| self.name(*id).to_lowercase());
        members
            .into_iter()
            .partition(|id| !self.has_flag(*id, conventions::IDLE))
    }

    /// Whether the reader is on the game's books.
    pub fn is_member(&self) -> bool {
        let standing = self.me.and_then(|id| self.state().people.get(&id));
        standing.is_some_and(|person| person.standing == Standing::Member)
    }

    /// The game's title.
    pub fn title(&self) -> String {
        let about = self.state().about.get(&());
        about.map_or_else(|| self.game.to_string(), |about| about.title.clone())
    }

    /// The current dynasty in a line.
    pub fn dynasty_line(&self) -> String {
        let Some((number, dynasty)) = self.state().dynasties.iter().next_back() else {
            return String::new();
        };
        let days = (self.now - dynasty.at).0 / 86_400_000 + 1;
        let title = dynasty.title.as_str();
        let theme = if title.is_empty() {
            String::new()
        } else {
            format!(": {title}")
        };
        format!("Dynasty {number}{theme}, day {days}")
    }

    /// The surroundings of a page of this game.
    pub fn chrome(&self, title: &str, part: Part) -> Chrome {
        let game = self.game.as_str();
        let mut chrome = reply::chrome(&self.site, &self.visitor, title);
        chrome.now = self.when(self.now);
        if let (Some(reader), Some(me)) = (&mut chrome.reader, self.me) {
            reader.name = self.name(me);
            reader.mail = Some((self.unread().values().sum(), urls::Messages { game }.into()));
        }
        chrome.game = Some(GameFrame {
            name: self.title(),
            href: urls::Game { game }.into(),
            line: self.dynasty_line(),
            motto: None,
            sections: self.sections(part),
            banners: self.banners(),
            law: format!("As of {}", self.when(self.published.head.at).full()),
            stream: (!self.is_past).then(|| urls::Stream { game }.into()),
            rules: urls::Ruleset { game }.into(),
            feed: feed(game, part),
            search: urls::Search { game }.into(),
        });
        chrome
    }

    fn sections(&self, part: Part) -> Vec<Section> {
        let game = self.game.as_str();
        let mut sections = Vec::new();
        let waiting = self.me.map_or(0, |me| self.asked(me));
        let mut add = |title: &str, href: Href, of: Part| {
            sections.push(Section {
                title: title.to_owned(),
                href,
                is_current: of == part,
                waiting: if of == Part::Act { waiting } else { 0 },
                fresh: match of {
                    Part::Blog => self.fresh_posts(),
                    Part::Rules => self.fresh_rules(),
                    Part::Tracker => self.fresh_values(),
                    _ => 0,
                },
                is_apart: of == Part::Desk,
            });
        };
        add("Blog", urls::Game { game }.into(), Part::Blog);
        add("Rules", urls::Ruleset { game }.into(), Part::Rules);
        add("Tracker", urls::Tracker { game }.into(), Part::Tracker);
        for (name, board) in &self.law.boards {
            let board_name = name.as_str();
            let href = urls::Board {
                game,
                board: board_name,
            };
            add(&board.it.title, href.into(), Part::Boards);
        }
        if self.me.is_some() {
            add("Act", urls::Act { game }.into(), Part::Act);
        }
        let players = self.word("Players");
        add(&players, urls::Players { game }.into(), Part::Players);
        add(
            "Dynasties",
            urls::Dynasties { game }.into(),
            Part::Dynasties,
        );
        add("Log", urls::Log { game }.into(), Part::Log);
        if self.me.is_some_and(|me| self.has_flag(me, "admin")) {
            add("Desk", urls::Desk { game }.into(), Part::Desk);
        }
        sections
    }

    /// Who has declared victory, and the declaration, where one is open.
    fn victory_claimed(&self) -> Option<(String, Link)> {
        let mut open = self.open_posts();
        let (id, post) = open.find(|(_, post)| post.category == VICTORY)?;
        Some((self.author(&post.author).name, self.link_to(*id)?))
    }

    /// How many questions wait for somebody.
    fn asked(&self, me: PlayerId) -> usize {
        let state = self.state();
        state.open.iter().filter(|(key, _)| key.who == me).count()
            + state.duties.values().filter(|duty| duty.to == me).count()
    }

    /// States of the whole game that change what is possible, by the names that rulesets share for them.
    fn banners(&self) -> Vec<Banner> {
        let stands = |name: &str| self.attribute(&Thing::Game, name) == Some(Datum::Bool(true));
        let game = self.game.as_str();
        let possible = self
            .me
            .map(|_| Link::new("What is possible now", urls::Act { game }));
        let banner = |icon, lead: &str, text: &str| Banner {
            icon,
            lead: lead.to_owned(),
            text: text.to_owned(),
            until: None,
            more: possible.clone(),
        };
        let mut banners = Vec::new();
        // A season in which the game rests is a hiatus as well, and its own name says more.
        if stands("downtime") {
            let text = "The game rests for the season. Some actions have to wait; each says which rule stops it.";
            banners.push(banner(Icon::Sleep, "Downtime.", text));
        } else if stands(conventions::PAUSED) {
            let (text, more) = if let Some((who, claim)) = self.victory_claimed() {
                let text = format!(
                    "{who} declared victory. Most of the game waits until that is decided:"
                );
                (text, Some(claim))
            } else if let Some((who, decl)) = self.awaited() {
                let is_me = self.me == Some(who);
                let name = self.name(who);
                let title = lower_first(&self.themed(&decl.it.title));
                let who = if is_me { "you" } else { name.as_str() };
                let act: Href = urls::Act { game }.into();
                let more =
                    is_me.then(|| Link::new("Do it now", act.at(&format!("act-{}", decl.it.name))));
                (format!("The game waits for {who} to {title}."), more)
            } else {
                let text = "Some actions have to wait; each says which rule stops it.";
                (text.to_owned(), None)
            };
            let resting = format!("{}.", capital(conventions::PAUSED));
            banners.push(Banner {
                more,
                ..banner(Icon::Moon, &resting, &text)
            });
        }
        if stands("dormant") {
            let text = "Too few people play for the core rules to work as usual.";
            banners.push(banner(Icon::Sleep, "Dormant.", text));
        }
        banners
    }
}

/// A title as the end of a sentence: "post the Ascension Address".
fn lower_first(title: &str) -> String {
    let mut letters = title.chars();
    let first = letters.next().into_iter().flat_map(char::to_lowercase);
    first.chain(letters).collect()
}
