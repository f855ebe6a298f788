//! A game of a real rulebook with many players, and the commands that are sent to it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use quorate_engine::rulebook::Rulebook;
use quorate_engine::{Inputs, Judge, LawCache};
use quorate_kernel::command::{Act, Actor, Command, NewPost, typed};
use quorate_kernel::event::Event;
use quorate_kernel::state::Effect;
use quorate_kernel::{Moment, Name, PlayerId, PostId, Span, Thing, Value};

/// Under which the dice fall.
pub(crate) const SECRET: [u8; 32] = [9; 32];

/// The rulebook that is played: the one with the most rules about votes.
const BOOK: &str = "adventurers-2019";

/// A game and what is needed to go on with it.
pub(crate) struct Game {
    pub(crate) judge: Judge,
    pub(crate) players: Vec<PlayerId>,
    /// All events so far.
    pub(crate) events: Vec<Event>,
    now: Moment,
    keys: u64,
}

impl Game {
    /// A game with so many players.
    pub(crate) fn found(player_count: usize) -> Self {
        let book = rulebook();
        let laws: Arc<LawCache> = Arc::default();
        let mut game = Self {
            judge: Judge::unfounded(&laws),
            players: Vec::new(),
            events: Vec::new(),
            now: "2031-05-04T09:00Z".parse().expect("a moment"),
            keys: 0,
        };
        let founding = book
            .founding("A big game", "Player 0")
            .expect("the rulebook reads");
        game.must(Actor::Operator, Act::Found(Box::new(founding)));
        let founder = *game.judge.state().people.keys().next().expect("a founder");
        game.players.push(founder);
        for n in 1..player_count {
            game.join(founder, &format!("Player {n}"));
        }
        game
    }

    fn join(&mut self, admin: PlayerId, name: &str) {
        let apply = Act::Apply {
            name: typed(name),
            text: typed("I should like to join."),
        };
        self.must(Actor::Newcomer, apply);
        let people = self.judge.state().people.iter();
        let applicant = people
            .map(|(id, _)| *id)
            .find(|id| !self.players.contains(id))
            .expect("an applicant");
        let args = vec![(
            Name::from("applicant"),
            Value::Thing(Thing::Player(applicant)),
        )];
        let admit = Act::Do {
            action: "admit-player".into(),
            args,
        };
        self.must(Actor::Player(admin), admit);
        self.players.push(applicant);
    }

    /// A new post; its number.
    pub(crate) fn post(&mut self, who: usize, category: &str) -> PostId {
        let post = NewPost::plain(
            category,
            "A matter of some weight",
            "Whereas much is to be said, little is.",
        );
        self.must(Actor::Player(self.players[who]), Act::Post(Box::new(post)));
        let steps = &self.events.last().expect("an event").steps;
        let made = steps.iter().find_map(|step| match step.effect {
            Effect::Post { key, old: None, .. } => Some(key),
            _ => None,
        });
        made.expect("a post was made")
    }

    /// A comment.
    pub(crate) fn comment(&mut self, who: usize, post: PostId, text: &str) {
        let command = self.comment_command(who, post, text);
        self.send(&command);
    }

    /// A comment that is yet to be sent.
    pub(crate) fn comment_command(&mut self, who: usize, post: PostId, text: &str) -> Command {
        let act = Act::Comment {
            post,
            text: typed(text),
        };
        self.command(Actor::Player(self.players[who]), act)
    }

    /// An action that is yet to be taken.
    pub(crate) fn action_command(&mut self, who: usize, action: &str) -> Command {
        let act = Act::Do {
            action: action.into(),
            args: Vec::new(),
        };
        self.command(Actor::Player(self.players[who]), act)
    }

    fn must(&mut self, actor: Actor, act: Act) {
        let command = self.command(actor, act);
        self.send(&command);
    }

    fn command(&mut self, actor: Actor, act: Act) -> Command {
        self.keys += 1;
        self.now = self.now + Span(1);
        Command {
            at: self.now,
            actor,
            key: Name::from(format!("k{}", self.keys)),
            act,
        }
    }

    /// Judges a command, which the law must allow.
    pub(crate) fn send(&mut self, command: &Command) {
        let inputs = Inputs {
            secret: SECRET,
            ..Inputs::default()
        };
        match self.judge.judge(command, &inputs).event() {
            Ok(event) => self.events.push(event),
            Err(refusal) => panic!("{} was refused: {refusal}", command.act.name()),
        }
    }

    /// The commands of the events so far, to be judged again.
    pub(crate) fn commands(&self) -> Vec<Command> {
        let command = |event: &Event| Command {
            at: event.at,
            actor: event.actor,
            key: event.key.clone(),
            act: event.act.clone(),
        };
        self.events.iter().map(command).collect()
    }
}

/// The rulebook, read from the repository.
pub(crate) fn rulebook() -> Rulebook {
    let books = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulebooks");
    let book = books.join(BOOK);
    let read = |path: PathBuf| std::fs::read_to_string(path).expect("the rulebook is there");
    let manifest: quorate_engine::rulebook::Manifest =
        toml::from_str(&read(book.join("rulebook.toml"))).expect("the manifest reads");
    let library = manifest.std.iter();
    let library = library.map(|stem| {
        let file = books.join("std").join(format!("{stem}.star"));
        (stem.clone(), read(file))
    });
    let library = library.collect();
    let mut rules = Vec::new();
    for folder in listed(&book.join("rules")) {
        for file in listed(&folder) {
            let path = file.strip_prefix(book.join("rules")).expect("a rule");
            rules.push((path.to_string_lossy().into_owned(), read(file.clone())));
        }
    }
    Rulebook {
        name: BOOK.into(),
        manifest,
        library,
        rules,
        tests: Vec::new(),
    }
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the rulebook is there");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
