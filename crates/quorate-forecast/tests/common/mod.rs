//! A small game with bills and gold, and its forecasts.

#![allow(dead_code, reason = "each test binary uses its part of it")]

use std::sync::Arc;

use quorate_engine::changes::{self, Change};
use quorate_engine::query::PageAccount;
use quorate_engine::rulebook::Rulebook;
use quorate_engine::view::View;
use quorate_engine::{Inputs, Judge, LawCache};
use quorate_forecast::{Extent, Forecast, Fork, PastEvents, Proposed, trial_command};
use quorate_kernel::audience::Reader;
use quorate_kernel::command::{Act, Actor, NewPost};
use quorate_kernel::event::Event;
use quorate_kernel::patch::Patch;
use quorate_kernel::{EventSeq, Moment, PlayerId, PostId, Refusal};

const MANIFEST: &str =
    "title = \"T\"\nabout = \"T\"\n[[section]]\nid = \"rules\"\ntitle = \"Rules\"\n";

pub(crate) const BILLS: &str = r#"---
section: rules
---
# Bills

1. A bill is law as soon as more than half of all are for it.

```starlark
category("Bill", icons = ["for", "against"], statuses = ["pending", "enacted", "failed"])

def votes(post: Post, side: str) -> int:
    return len([i for i in icons(post) if i.counted and i.name == side])

def enact(actor: Player, bill: Bill):
    require(bill.status == "pending", "a pending bill")
    require(votes(bill, "for") * 2 > len(players()), "more than half of all")
    apply(bill)
    close(bill, "enacted", "")

action("enact", enact, title = "Enact")
```
"#;

const GOLD: &str = r#"---
section: rules
---
# Gold

1. Everybody has gold, and a purse that they alone know of.

```starlark
gold = number("Gold", of = player, default = 1)
purse = number("Purse", of = player, shown_to = "owner")

def dig(actor: Player):
    actor.gold += 1

def save(actor: Player):
    actor.purse += 42

action("dig", dig, title = "Dig")
action("save", save, title = "Save")
```
"#;

struct Empty;

impl PastEvents for Empty {
    fn event(&self, _: EventSeq) -> Option<Event> {
        None
    }

    fn log(&self) -> Result<Vec<Event>, Refusal> {
        Ok(Vec::new())
    }
}

/// A game of one player, Anna.
pub(crate) struct Game {
    pub(crate) judge: Judge,
    pub(crate) laws: Arc<LawCache>,
    pub(crate) anna: PlayerId,
    pub(crate) now: Moment,
}

impl Game {
    pub(crate) fn found() -> Self {
        Self::found_under(BILLS)
    }

    pub(crate) fn found_under(bills: &str) -> Self {
        let rule = |name: &str, text: &str| (format!("1-rules/{name}.md"), text.to_owned());
        let book = Rulebook {
            name: "t".into(),
            manifest: toml::from_str(MANIFEST).expect("it reads"),
            library: Vec::new(),
            rules: vec![rule("01-bills", bills), rule("02-gold", GOLD)],
            tests: Vec::new(),
        };
        let laws: Arc<LawCache> = Arc::default();
        let mut game = Self {
            judge: Judge::unfounded(&laws),
            laws,
            anna: PlayerId(quorate_kernel::Id::new(EventSeq(1), 0)),
            now: "2031-05-04T09:00Z".parse().expect("a moment"),
        };
        let founding = book.founding("A game", "Anna").expect("it reads");
        game.send(Actor::Operator, Act::Found(Box::new(founding)));
        assert!(
            game.judge.law().asleep.is_empty(),
            "{:?}",
            game.judge.law().asleep
        );
        let mut people = game.judge.state().people.keys();
        game.anna = *people.next().expect("the founder");
        game
    }

    pub(crate) fn send(&mut self, actor: Actor, act: Act) -> EventSeq {
        let command = trial_command(self.now, actor, act);
        let judged = self.judge.judge(&command, &Inputs::default()).event();
        judged
            .unwrap_or_else(|refusal| panic!("refused: {refusal}"))
            .seq
    }

    pub(crate) fn post(&mut self, changes: &str) -> PostId {
        let patch = self.patch(changes);
        let post = NewPost::plain("Bill", "A bill", "So be it.").with_patch(patch);
        let seq = self.send(Actor::Player(self.anna), Act::Post(Box::new(post)));
        PostId(quorate_kernel::Id::new(seq, 0))
    }

    pub(crate) fn patch(&self, changes: &str) -> Patch {
        let listed: Vec<Change> = serde_json::from_str(changes).expect("it reads");
        let patch = self.judge.query(self.now, |tx| changes::patch(tx, &listed));
        patch.unwrap_or_else(|bad| panic!("{bad}"))
    }

    pub(crate) fn forecast(&self, changes: &str, reader: Reader, is_over: bool) -> Forecast {
        let proposed = Proposed::changes(self.judge.law(), self.patch(changes));
        self.forecast_of(&proposed, reader, is_over)
    }

    pub(crate) fn forecast_of(
        &self,
        proposed: &Proposed,
        reader: Reader,
        is_over: bool,
    ) -> Forecast {
        self.forecast_paid_from(&PageAccount::of_preview(), proposed, reader, is_over)
    }

    pub(crate) fn forecast_paid_from(
        &self,
        account: &Arc<PageAccount>,
        proposed: &Proposed,
        reader: Reader,
        is_over: bool,
    ) -> Forecast {
        self.forked(account, reader, is_over, |fork| {
            Forecast::of(fork, proposed, Extent::Whole)
        })
    }

    pub(crate) fn forked<T>(
        &self,
        account: &Arc<PageAccount>,
        reader: Reader,
        is_over: bool,
        ask: impl FnOnce(&Fork<'_>) -> T,
    ) -> T {
        let view = View {
            state: self.judge.state(),
            law: self.judge.law(),
            reader,
        };
        ask(&Fork {
            judge: Judge::open(view.blind(), self.judge.head(), &self.laws).paid_from(account),
            reader,
            is_blind: reader == Reader::Stranger,
            now: self.now,
            past: &Empty,
            time_is_over: &|| is_over,
        })
    }

    pub(crate) fn whole(&self, changes: &str) -> Forecast {
        self.forecast(changes, Reader::Player(self.anna), false)
    }
}
