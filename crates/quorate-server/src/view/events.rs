//! Events as far as the reader may know them: who did what, and what it changed.

use std::collections::BTreeSet;

use quorate_engine::convert;
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::rows::{Cell, CellKey, DueKey};
use quorate_kernel::seal::Sealed;
use quorate_kernel::state::Effect;
use quorate_kernel::{EventSeq, GameId, Moment, Name, PlayerId, PostId, Thing};
use quorate_law::datum::Datum;
use quorate_law::declare::{Holds, ValueDecl};
use quorate_law::{capital, readable};

use crate::app::error::AppError;
use crate::app::state::AppState;
use crate::ui;
use crate::ui::{Die, Link, plural, urls};
use crate::view::game::GameView;
use crate::view::kinds::ROSTER;
use crate::view::words::written;

/// How many notes of an event are told where it is one of several.
const NOTES: usize = 6;

/// How something ended that was done: its dice and what it says of itself.
pub fn outcome(view: &GameView, event: &Event) -> ui::Outcome {
    let dice = event.tape.dice.iter().filter_map(|die| {
        let sides = u64::try_from(die.sides).ok()?;
        Some(Die::rolled(sides, u64::try_from(die.result).ok()?))
    });
    let notes: Vec<_> = event.notes.iter().map(|note| note.text.as_str()).collect();
    let number = event.seq.to_string();
    let link = urls::Event {
        game: view.game.as_str(),
        event: &number,
    };
    let text = match &event.outcome {
        Outcome::Opened(_) => "waits for your answer.".to_owned(),
        Outcome::Done if notes.is_empty() && view.may_know(event) => view.effects_in_short(event),
        _ => in_short(&notes),
    };
    ui::Outcome {
        when: view.when(event.at),
        what: view.event_title(event),
        dice: dice.collect(),
        text,
        event: Some(Link::new("in the log", link)),
    }
}

/// The first notes of an event as sentences, and how many more there are.
fn in_short(notes: &[&str]) -> String {
    if let [only] = notes {
        return (*only).to_owned();
    }
    let (told, rest) = notes.split_at(notes.len().min(NOTES));
    let mut told: Vec<String> = told.iter().map(|note| (*note).to_owned()).collect();
    if !rest.is_empty() {
        told.push(plural(rest.len(), "more note.", "more notes."));
    }
    sentences(&told)
}

/// Words as sentences, each with its full stop; words that stand alone need none.
pub(crate) fn sentences(words: &[String]) -> String {
    if let [only] = words {
        return only.clone();
    }
    let ended = words.iter().map(|words| {
        let ends = words.ends_with(['.', '!', '?', ':', ';', ',']);
        format!("{words}{}", if ends { "" } else { "." })
    });
    ended.collect::<Vec<_>>().join(" ")
}

impl GameView {
    /// What was done, in the law's words.
    pub fn act_title(&self, act: &Act) -> String {
        let action = |name: &Name| self.action_title(name, None);
        match act {
            Act::Found(_) => "founds the game".to_owned(),
            Act::Apply { .. } => "asks to join".to_owned(),
            Act::Leave { .. } => "leaves".to_owned(),
            Act::Do { action: name, .. } => action(name),
            Act::Answer {
                action: name,
                value,
            } => {
                format!("{}: {}", action(name), self.label(value))
            }
            Act::Abandon { action: name } => format!("gives up {}", action(name)),
            Act::Decide { .. } => "answers a question".to_owned(),
            Act::Post(post) => {
                let decl = self.law.categories.get(&post.category);
                let kind = decl.map_or_else(|| "Post".to_owned(), |decl| decl.it.title.clone());
                format!("{kind}: {}", post.title.as_str())
            }
            Act::EditPost { .. } => "edits a post".to_owned(),
            Act::Recategorise { .. } => "moves a post to another category".to_owned(),
            Act::Withdraw { .. } => "withdraws a post".to_owned(),
            Act::Comment { post, .. } => match self.state().posts.get(post) {
                Some(post) => format!("comments on {}", self.themed(post.title.as_str())),
                None => "comments".to_owned(),
            },
            Act::Message { .. } => "sends a private message".to_owned(),
            Act::Claim { .. } => "records a change by hand".to_owned(),
            Act::Dispute { .. } => "disputes a change".to_owned(),
            Act::Undo { .. } => "undoes an earlier event".to_owned(),
            Act::Dice { .. } => "rolls on the dice line".to_owned(),
            Act::Wake { .. } => "switches a clause’s code on again".to_owned(),
            Act::Due { keys } => due_title(keys),
            Act::Downtime { .. } => "the server was down".to_owned(),
            Act::Repair { .. } => "repairs the game".to_owned(),
            Act::Sleep { clause, .. } => {
                format!("a clause of {} sleeps", self.law.place(&clause.rule).title)
            }
        }
    }
}

impl GameView {
    /// The event that undid another, where one did; the nearest that says so. It waits for the log: only where a page is made.
    pub(crate) fn undone_by(&self, undone: EventSeq) -> Option<Event> {
        let last = self.published.head.seq.0.min(undone.0 + LATER);
        let seqs: Vec<EventSeq> = (undone.0 + 1..=last).map(EventSeq).collect();
        for some in seqs.chunks(CHUNK) {
            let reading = self.site.events(&self.game, some);
            let events = tokio::runtime::Handle::current().block_on(reading).ok()?;
            let undoes =
                |event: &Event| matches!(&event.act, Act::Undo { event, .. } if *event == undone);
            let mut done = events.into_iter();
            let found = done.find(|event| undoes(event) && matches!(event.outcome, Outcome::Done));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The titles and texts that a post has had, oldest first, each with its moment. It waits for the log: only where a page is
    /// made.
    pub(crate) fn texts_of(&self, id: PostId) -> Vec<(Moment, String, String)> {
        let Some(post) = self.post(id) else {
            return Vec::new();
        };
        let mut texts = Vec::new();
        let first = id.0.event();
        let last = self.published.head.seq.0.min(first.0 + LATER);
        let seqs: Vec<EventSeq> = (first.0..=last).map(EventSeq).collect();
        for some in seqs.chunks(CHUNK) {
            let reading = self.site.events(&self.game, some);
            let events = tokio::runtime::Handle::current().block_on(reading);
            for event in events.unwrap_or_default() {
                if post.edited_at.is_none_or(|edited| event.at > edited) && event.seq != first {
                    return texts;
                }
                let text = |title: &Sealed<str>, body: &Sealed<str>| {
                    (
                        event.at,
                        written(title).to_owned(),
                        written(body).to_owned(),
                    )
                };
                match &event.act {
                    Act::Post(new) if event.seq == first => texts.push(text(&new.title, &new.body)),
                    Act::EditPost {
                        post, title, body, ..
                    } if *post == id && matches!(event.outcome, Outcome::Done) => {
                        texts.push(text(title, body));
                    }
                    _ => {}
                }
            }
        }
        texts
    }

    /// The latest events that the reader may know, and those that are named, each in words and the latest first. It waits
    /// for the log: only where a page is made.
    pub(crate) fn events_to_pick(&self, latest: u64, named: &[u64]) -> Vec<(u64, String)> {
        let last = self.published.head.seq.0;
        let mut numbers: Vec<u64> = (last.saturating_sub(latest).max(1)..=last).collect();
        numbers.extend(named.iter().filter(|number| (1..=last).contains(*number)));
        numbers.sort_unstable_by(|one, other| other.cmp(one));
        numbers.dedup();
        let seqs: Vec<EventSeq> = numbers.into_iter().map(EventSeq).collect();
        let reading = self.site.events(&self.game, &seqs);
        let events = tokio::runtime::Handle::current().block_on(reading);
        let known = events.unwrap_or_default().into_iter();
        let known = known.filter(|event| self.may_know(event));
        let told = known.map(|event| {
            let (who, what) = (self.doer_name(&event), self.event_title(&event));
            let when = self.when(event.at).brief();
            (event.seq.0, format!("{who}: {what}, {when}"))
        });
        told.collect()
    }
}

/// The event that an address or a form names by its number.
pub(crate) async fn find(view: &GameView, word: &str) -> Result<Event, AppError> {
    numbered(&view.site, &view.game, word).await
}

/// The event of a game by its number.
pub(crate) async fn numbered(
    site: &AppState,
    game: &GameId,
    word: &str,
) -> Result<Event, AppError> {
    let seq = EventSeq(word.parse().map_err(|_| AppError::NotFound)?);
    let events = site.events(game, &[seq]).await?;
    events.into_iter().next().ok_or(AppError::NotFound)
}

/// How many later events are looked through for the one that undid another, and how many at a time.
const LATER: u64 = 2_000;
const CHUNK: usize = 250;

/// What there was of a value before it came to be.
const NOTHING: &str = "nothing";

/// What fell due, in the law's own names: "Turn boundary".
fn due_title(keys: &[DueKey]) -> String {
    let mut titles: Vec<String> = Vec::new();
    for key in keys {
        let title = match key {
            DueKey::Automatic(name, _) | DueKey::Recheck(name, _) => {
                capital(&readable(name.as_str()))
            }
            DueKey::Duty(_) | DueKey::Open(..) => "Time to answer is over".to_owned(),
            DueKey::Claim(_) => "A change by hand is settled".to_owned(),
        };
        if !titles.contains(&title) {
            titles.push(title);
        }
    }
    titles.join(", ")
}

/// The cells that an event wrote, each once: what it held before the first time and after the last.
fn cells_of(event: &Event) -> Vec<(&CellKey, Option<&Cell>, Option<&Cell>)> {
    let mut cells: Vec<(&CellKey, Option<&Cell>, Option<&Cell>)> = Vec::new();
    for step in &event.steps {
        let Effect::Cell { key, old, new } = &step.effect else {
            continue;
        };
        match cells.iter_mut().find(|(known, ..)| *known == key) {
            Some((.., last)) => *last = new.as_ref(),
            None => cells.push((key, old.as_ref(), new.as_ref())),
        }
    }
    cells
}

/// The dice that fell in an event.
pub(crate) fn dice(event: &Event) -> Vec<Die> {
    let dice = event.tape.dice.iter().filter_map(|die| {
        let sides = u64::try_from(die.sides).ok()?;
        Some(Die::rolled(sides, u64::try_from(die.result).ok()?))
    });
    dice.collect()
}

impl GameView {
    /// Who did something, as far as the reader may know: a hidden author knows their own.
    pub(crate) fn doer(&self, event: &Event) -> Option<PlayerId> {
        match event.actor {
            Actor::Hidden => {
                let known = event.command().actor.player();
                known.filter(|player| self.me == Some(*player))
            }
            actor => actor.player(),
        }
    }

    /// The name of who did something.
    pub(crate) fn doer_name(&self, event: &Event) -> String {
        match (self.doer(event), event.actor) {
            (Some(player), _) => self.name(player),
            (None, Actor::Newcomer) => match &event.act {
                Act::Apply { name, .. } => written(name).to_owned(),
                _ => "Somebody new".to_owned(),
            },
            (None, Actor::Operator) => "The operator".to_owned(),
            (None, Actor::Game) if matches!(event.act, Act::Due { .. }) => "Automatic".to_owned(),
            (None, Actor::Game) => "The game".to_owned(),
            (None, _) => "Somebody".to_owned(),
        }
    }

    /// Whether the reader may know what was done: messages are their senders' and readers' affair, answers to hidden
    /// questions those of whoever was asked, and what was done to a private post that of its readers.
    pub(crate) fn may_know(&self, event: &Event) -> bool {
        let post = |id| {
            self.state()
                .posts
                .get(id)
                .is_none_or(|post| self.sight().post(post))
        };
        let is_doer = self.doer(event).is_some() && self.doer(event) == self.me;
        match &event.act {
            Act::Message { to, .. } => is_doer || self.me.is_some_and(|me| to.contains(&me)),
            Act::Decide { .. } | Act::Answer { .. } => is_doer || !hides(event),
            Act::Comment { post: id, .. } | Act::EditPost { post: id, .. } => post(id),
            Act::Do { .. } => is_doer || !hides(event),
            _ => true,
        }
    }

    /// What an event changed, in a few words.
    pub(crate) fn effects_in_short(&self, event: &Event) -> String {
        let mut words = Vec::new();
        if let Act::Repair { reason, .. } = &event.act {
            words.push(reason.as_str().to_owned());
        }
        let rules = rules_of(event);
        if rules > 0 {
            words.push(plural(rules, "rule changed", "rules changed"));
        }
        let mut more = 0;
        let speaks = matches!(event.act, Act::Post(_) | Act::Comment { .. });
        let is_there = |key: &CellKey| self.trial_run(|tx| tx.exists(&key.thing));
        let was_there = |key: &CellKey| !cell_of_new(event, key) && is_there(key);
        let is_tracked = |decl: &ValueDecl| !decl.tracked.is_empty() && decl.tracked != ROSTER;
        let (mut changed, begun) =
            self.values_where(event, &|key, decl| is_tracked(decl) && was_there(key));
        if changed.is_empty() {
            // What is only on the books of whoever speaks goes without saying.
            let untold = |decl: &ValueDecl| speaks && decl.tracked == ROSTER;
            let told = |key: &CellKey, decl: &ValueDecl| !untold(decl) && is_there(key);
            // What came to be is told by its name, once; its values stand where it stands.
            let of_new = |key: &CellKey, decl: &ValueDecl| told(key, decl) && !was_there(key);
            let things = self.values_where(event, &of_new).0.into_iter();
            let things: BTreeSet<String> = things.map(|(thing, ..)| thing).collect();
            if !things.is_empty() {
                let things: Vec<String> = things.into_iter().collect();
                words.push(format!("new: {}", things.join(", ")));
            }
            // What is only on the books is told where there is nothing else to tell.
            if words.is_empty() {
                let of_old = |key: &CellKey, decl: &ValueDecl| told(key, decl) && was_there(key);
                changed = self.values_where(event, &of_old).0;
            }
        }
        let begun = if speaks { 0 } else { begun };
        for (whose, value, old, new) in changed {
            if words.len() < 3 {
                // The event's title says already which post it is.
                let of = match &event.act {
                    Act::Post(post) if self.themed(post.title.as_str()) == whose => "",
                    _ => whose.as_str(),
                };
                let what = format!("{of} {value}");
                words.push(match old.as_str() {
                    NOTHING => format!("{}: {new}", what.trim_start()),
                    old => format!("{} {old} → {new}", what.trim_start()),
                });
            } else {
                more += 1;
            }
        }
        if more > 0 {
            words.push(format!("{more} more"));
        }
        if begun > 0 && words.is_empty() {
            words.push(plural(begun, "new value", "new values"));
        }
        words.join("; ")
    }

    /// The tracked values that an event changed and the reader may see: whose, which, before, after; and how many more
    /// came to be as the law says that they begin.
    pub(crate) fn values_of(
        &self,
        event: &Event,
    ) -> (Vec<(String, String, String, String)>, usize) {
        self.values_where(event, &|_, _| true)
    }

    /// How soon a change is told: where things stand first, then what is tracked, then moments and what is only on the books.
    fn rank(&self, key: &CellKey) -> u8 {
        match self.declared(key) {
            Some(decl) if matches!(decl.holds, Holds::Place { .. }) => 0,
            Some(decl) if matches!(decl.holds, Holds::Moment) => 2,
            Some(decl) if !decl.tracked.is_empty() && decl.tracked != ROSTER => 1,
            _ => 2,
        }
    }

    /// The same of the values that are wanted.
    pub(super) fn values_where(
        &self,
        event: &Event,
        wanted: &dyn Fn(&CellKey, &ValueDecl) -> bool,
    ) -> (Vec<(String, String, String, String)>, usize) {
        let mut rows = Vec::new();
        let mut begun = 0;
        for (key, old, new) in cells_of(event) {
            if !self.sight().change(key, old, new)
                || self.declared(key).is_some_and(|decl| !wanted(key, decl))
            {
                continue;
            }
            // Of a thing that is gone it says enough that it went.
            if new.is_none() && !self.trial_run(|tx| tx.exists(&key.thing)) {
                continue;
            }
            // What no law of now declares begins under the law that the event makes.
            let is_known = self.declared(key).is_some();
            if old.is_none() && new.is_some_and(|new| !is_known || self.begins(key, new)) {
                begun += 1;
                continue;
            }
            let words = |cell: Option<&Cell>| {
                cell.map_or_else(|| NOTHING.to_owned(), |cell| self.label(cell.value.open()))
            };
            let (old, new) = match (old, new) {
                (Some(old), Some(new)) => {
                    let moved = self.list_change(old.value.open(), new.value.open());
                    moved.unwrap_or_else(|| {
                        (self.label(old.value.open()), self.label(new.value.open()))
                    })
                }
                (old, new) => (words(old), words(new)),
            };
            if old != new {
                let title = self.title_then(event, key);
                let row = (self.whose(key), title, old, new);
                // What was made with the event stands behind what it did.
                let is_new = cell_of_new(event, key);
                rows.push((if is_new { 3 } else { self.rank(key) }, row));
            }
        }
        rows.sort_by_key(|(rank, _)| *rank);
        let rows = rows.into_iter().map(|(_, row)| row).collect();
        (rows, begun)
    }

    /// Whether a value that came to be is the one that the law begins with.
    fn begins(&self, key: &CellKey, new: &Cell) -> bool {
        let value = convert::datum(new.value.open());
        self.declared(key).is_some_and(|decl| decl.default == value)
    }

    /// Where a value is declared: of its kind where that is known by the thing, else of any kind that play creates.
    fn declared(&self, key: &CellKey) -> Option<&ValueDecl> {
        self.declared_of(&key.thing, &key.name)
    }

    /// The same by the thing and the value's code name.
    pub(crate) fn declared_of(&self, thing: &Thing, of: &Name) -> Option<&ValueDecl> {
        let of_kind = |kind: &Name| match thing {
            Thing::Player(_) => *kind == "Player",
            Thing::Game => *kind == "Game",
            _ => *kind != "Player" && *kind != "Game",
        };
        let mut decls = self.law.values.iter();
        let found = decls.find(|((kind, name), _)| name == of && of_kind(kind));
        found.map(|(_, decl)| &decl.it)
    }

    /// Whose value a key is.
    pub(crate) fn whose(&self, key: &CellKey) -> String {
        match &key.thing {
            Thing::Game => String::new(),
            Thing::Player(id) => self.name(*id),
            thing => self.trial_run(|tx| {
                let is_there = tx.exists(thing);
                let name = is_there.then(|| tx.label(&Datum::Thing(thing.clone())));
                name.unwrap_or_else(|| "(no longer there)".to_owned())
            }),
        }
    }

    /// What a value was called when an event changed it: its rule may be gone since.
    fn title_then(&self, event: &Event, key: &CellKey) -> String {
        let is_gone = self.declared(key).is_none();
        let then = is_gone.then(|| self.site.deps.laws.known(event.law));
        let title = then.flatten().and_then(|law| {
            let mut values = law.values.iter();
            let (_, decl) = values.find(|((_, name), _)| *name == key.name)?;
            Some(self.themed(&decl.it.title))
        });
        title.unwrap_or_else(|| self.value_title(key))
    }

    /// What a value is called.
    pub(crate) fn value_title(&self, key: &CellKey) -> String {
        let decl = self.law.values.iter().find(|((kind, name), _)| {
            *name == key.name && (matches!(&key.thing, Thing::Player(_)) == (*kind == "Player"))
        });
        decl.map_or_else(
            || capital(&readable(key.name.as_str())),
            |(_, decl)| self.themed(&decl.it.title),
        )
    }
}

/// Whether a value is of something that came into the game with the event.
fn cell_of_new(event: &Event, key: &CellKey) -> bool {
    matches!(&key.thing, Thing::Entity(id) if id.0.event() == event.seq)
}

/// How many rules an event changed; the founding changes none.
fn rules_of(event: &Event) -> usize {
    let rules = event.steps.iter().filter_map(|step| match &step.effect {
        Effect::Rule { key, .. } if event.seq != EventSeq(1) => Some(key),
        _ => None,
    });
    rules.collect::<BTreeSet<_>>().len()
}

/// Whether an event left somebody a hidden question or answered one.
fn hides(event: &Event) -> bool {
    event.steps.iter().any(|step| match &step.effect {
        Effect::Duty { old, new, .. } => old.iter().chain(new.iter()).any(|duty| duty.hidden),
        _ => false,
    })
}

impl GameView {
    /// When an event happened, as far as the state knows without asking the log.
    pub(crate) fn moment_of(&self, seq: EventSeq) -> Option<Moment> {
        if seq == EventSeq(1) {
            return self.state().about.get(&()).map(|about| about.founded_at);
        }
        let posts = self.state().posts.iter().map(|(id, post)| (id.0, post.at));
        let mut known = posts.chain(
            self.state()
                .comments
                .iter()
                .map(|(key, comment)| (key.id.0, comment.at)),
        );
        let found = known.find(|(id, _)| id.event() == seq).map(|(_, at)| at);
        // An enactment writes values as a rule, and each tells when it was written.
        found.or_else(|| {
            let mut cells = self.state().cells.values();
            cells.find(|cell| cell.by == seq).map(|cell| cell.at)
        })
    }
}
