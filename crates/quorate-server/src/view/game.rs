//! A game as one reader sees it at one moment: what all pages of a game are made from.
//!
//! Whatever a page shows comes through here: values and texts by the engine's [`View`], answers of the law by a run that
//! changes nothing. A page never looks at a state in any other way.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use quorate_engine::Law;
use quorate_engine::judge::Judge;
use quorate_engine::memo::Answers;
use quorate_engine::query::{PageAccount, Position};
use quorate_engine::tx::Tx;
use quorate_engine::view::View;
use quorate_kernel::audience::Reader;
use quorate_kernel::rows::CellKey;
use quorate_kernel::state::State;
use quorate_kernel::{EventSeq, GameId, Moment, Name, PlayerId, PostId, Thing, Value};
use quorate_law::datum::Datum;
use quorate_runtime::Published;
use quorate_runtime::ports::ShownUpTo;

use crate::app::error::AppError;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::ui::Send;
use crate::ui::markup::{People, Terms};
use crate::ui::urls::Href;
use crate::view::terms::terms;

/// A game, a reader and a moment.
pub struct GameView {
    /// The site.
    pub(super) site: Arc<AppState>,
    /// Which game.
    pub(super) game: GameId,
    /// Its newest state on disk.
    pub(super) published: Arc<Published>,
    /// The law of that state.
    pub(super) law: Arc<Law>,
    /// The moment of the request.
    pub(super) now: Moment,
    /// Who asks.
    pub(super) visitor: Visitor,
    /// Whom they play here.
    pub(super) me: Option<PlayerId>,
    /// Which of their letters they have read.
    pub(super) read: ShownUpTo,
    /// The words of the theme, by token.
    pub(super) terms: Terms,
    /// Whether this is a moment of the past, at which nothing can be done any more.
    pub(super) is_past: bool,
    /// How many forms the page has so far.
    forms: AtomicU32,
    /// What the page's questions to the law have used so far.
    spent: Arc<PageAccount>,
    /// What the law has answered about this state, to whomever.
    pub(super) answers: Answers,
    /// The game as the reader sees it, to try things on.
    pub(super) blind: OnceLock<Judge>,
    /// The whole game, to try on what the law would take.
    pub(super) whole: OnceLock<Judge>,
    /// Who can be named by an @.
    pub(super) people: OnceLock<People>,
    /// The posts whose status may still change.
    pub(super) open: OnceLock<Vec<PostId>>,
}

/// A game and who reads it, before anything is made of its law.
pub struct GameContext {
    /// The site.
    pub(super) site: Arc<AppState>,
    /// Which game.
    pub(super) game: GameId,
    /// Its newest state on disk.
    pub(super) published: Arc<Published>,
    /// The moment of the request.
    pub(super) now: Moment,
    /// Who asks.
    pub(super) visitor: Visitor,
    /// Whom they play here.
    pub(super) me: Option<PlayerId>,
    /// Which of their letters they have read.
    pub(super) read: ShownUpTo,
}

impl GameContext {
    /// The site.
    pub fn app(&self) -> &Arc<AppState> {
        &self.site
    }

    /// Which game.
    pub fn game(&self) -> &GameId {
        &self.game
    }

    /// Who asks.
    pub fn visitor(&self) -> &Visitor {
        &self.visitor
    }

    /// Whom they play here.
    pub fn me(&self) -> Option<PlayerId> {
        self.me
    }

    /// The moment of the request.
    pub fn now(&self) -> Moment {
        self.now
    }

    /// Which of their messages they have read.
    pub fn read(&self) -> &ShownUpTo {
        &self.read
    }

    /// The number of the newest event, its moment and its hash.
    pub fn head(&self) -> quorate_kernel::event::Head {
        self.published.head
    }

    /// The game's title.
    pub fn title(&self) -> String {
        let about = self.published.state.about.get(&());
        about.map_or_else(|| self.game.to_string(), |about| about.title.clone())
    }

    /// The rulebook that it was founded of.
    pub fn rulebook(&self) -> String {
        let about = self.published.state.about.get(&());
        about.map_or_else(String::new, |about| about.rulebook.to_string())
    }

    /// Finds the game and whom the visitor plays in it.
    pub async fn at(site: &Arc<AppState>, visitor: &Visitor, game: &str) -> Result<Self, AppError> {
        let game: GameId = game.parse().map_err(|_| AppError::NotFound)?;
        let published = site.deps.games.snapshot(&game).await?;
        let accounts = &site.deps.accounts;
        let (mut me, mut read) = (None, ShownUpTo::default());
        if let Some(id) = visitor.id() {
            me = accounts.seat(id, &game).await?;
            if me.is_some() {
                read = accounts.messages_read(id, &game).await?;
            }
        }
        Ok(Self {
            site: Arc::clone(site),
            now: site.now().max(published.head.at),
            game,
            published,
            visitor: visitor.clone(),
            me,
            read,
        })
    }

    /// The game as this reader sees it.
    pub async fn view(self) -> Result<GameView, AppError> {
        let site = Arc::clone(&self.site);
        let published = Arc::clone(&self.published);
        let made = tokio::task::spawn_blocking(move || {
            let law = site.deps.laws.law(&published.state);
            let terms = terms(&published.state, &law);
            let answers = site.law_answers.about(&published, &law);
            (law, terms, answers)
        });
        let (law, terms, answers) = made.await?;
        Ok(GameView {
            site: self.site,
            game: self.game,
            published: self.published,
            law,
            now: self.now,
            visitor: self.visitor,
            me: self.me,
            read: self.read,
            terms,
            is_past: false,
            forms: AtomicU32::new(0),
            spent: Arc::default(),
            answers,
            blind: OnceLock::new(),
            whole: OnceLock::new(),
            people: OnceLock::new(),
            open: OnceLock::new(),
        })
    }
}

impl GameView {
    /// Which game.
    pub fn game(&self) -> &GameId {
        &self.game
    }

    /// Who asks.
    pub fn visitor(&self) -> &Visitor {
        &self.visitor
    }

    /// Whom they play here.
    pub fn me(&self) -> Option<PlayerId> {
        self.me
    }

    /// Which of their messages they have read.
    pub fn read(&self) -> &ShownUpTo {
        &self.read
    }

    /// The reader was shown the messages of a conversation, up to an event.
    pub fn note_read(&mut self, conversation: String, up_to: EventSeq) {
        self.read = self.read.with(conversation, up_to);
    }

    /// The same as strangers see it.
    #[must_use]
    pub fn as_stranger(mut self) -> Self {
        self.me = None;
        self
    }

    /// The site.
    pub fn app(&self) -> &Arc<AppState> {
        &self.site
    }

    /// The law, which everybody may read.
    pub fn law(&self) -> &Arc<Law> {
        &self.law
    }

    /// The moment of the page.
    pub fn now(&self) -> Moment {
        self.now
    }

    /// The words of the theme, by token.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Whether this is a moment of the past, at which nothing can be done any more.
    pub fn is_past(&self) -> bool {
        self.is_past
    }

    /// Looks at a game for a visitor.
    pub async fn at(site: &Arc<AppState>, visitor: &Visitor, game: &str) -> Result<Self, AppError> {
        GameContext::at(site, visitor, game).await?.view().await
    }

    /// The same reader over another state of the game, such as one of the past.
    #[must_use]
    pub fn over(&self, state: State, law: Arc<Law>, at: Moment) -> Self {
        let terms = terms(&state, &law);
        let published = Published {
            game: self.game.clone(),
            state,
            head: self.published.head,
        };
        Self {
            site: Arc::clone(&self.site),
            game: self.game.clone(),
            published: Arc::new(published),
            law,
            now: at,
            visitor: self.visitor.clone(),
            me: self.me,
            read: self.read.clone(),
            terms,
            is_past: true,
            forms: AtomicU32::new(0),
            spent: Arc::clone(&self.spent),
            answers: Answers::default(),
            blind: OnceLock::new(),
            whole: OnceLock::new(),
            people: OnceLock::new(),
            open: OnceLock::new(),
        }
    }

    /// What the game holds. It stays within this folder.
    pub(super) fn state(&self) -> &State {
        &self.published.state
    }

    /// Who reads, as the engine knows readers.
    pub fn reader(&self) -> Reader {
        self.me.map_or(Reader::Stranger, Reader::Player)
    }

    /// What the reader may see.
    pub(super) fn sight(&self) -> View<'_> {
        View {
            state: self.state(),
            law: &self.law,
            reader: self.reader(),
        }
    }

    /// Asks the law something about the state, at the moment of the page. Nothing is changed.
    pub(super) fn trial_run<T>(&self, question: impl FnOnce(&Tx) -> T) -> T {
        let seq = self.published.head.seq.next();
        let asked = |tx: &Tx| {
            tx.keep_laws_in(&self.site.deps.laws);
            question(tx)
        };
        let position = Position {
            state: self.state(),
            seq,
            now: self.now,
            law: &self.law,
        };
        self.spent.run(position, &self.answers, asked)
    }

    /// What a function of the law answers, if the law has one of that name and it answers.
    pub fn law_says(&self, function: &str, args: Vec<Datum>) -> Option<Datum> {
        self.law.code.signature(function)?;
        self.trial_run(|tx| tx.call(&Name::from(function), args))
            .ok()
    }

    /// A value that the law computes of a thing, or keeps, under a name that rulesets share (`idle`, `emperor`).
    pub fn attribute(&self, thing: &Thing, name: &str) -> Option<Datum> {
        let key = CellKey {
            thing: thing.clone(),
            name: name.into(),
        };
        if !self.sight().shown(&key) || !self.sight().computed(thing, name) {
            return None;
        }
        self.trial_run(|tx| tx.attribute(thing, name)).ok()
    }

    /// A tracked value as kept, where everybody may see it.
    pub fn kept(&self, thing: &Thing, name: &str) -> Option<&Value> {
        let key = CellKey {
            thing: thing.clone(),
            name: name.into(),
        };
        let cell = self.state().cells.get(&key)?;
        self.sight().shown(&key).then(|| cell.value.open())
    }

    /// A flag of a player, such as `idle`.
    pub fn has_flag(&self, player: PlayerId, name: &str) -> bool {
        match self.kept(&Thing::Player(player), name) {
            Some(value) => *value == Value::Flag(true),
            None => self.attribute(&Thing::Player(player), name) == Some(Datum::Bool(true)),
        }
    }

    /// A form's way in: the session's token and a key of its own.
    pub fn send(&self, to: impl Into<Href>) -> Send {
        let words = &self.visitor.words;
        let nth = self.forms.fetch_add(1, Ordering::Relaxed);
        Send::new(to, words.token.clone()).keyed(words.key_of(nth).as_str())
    }
}
