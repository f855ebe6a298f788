//! What could tell of something hidden by a way around it: what was given to an action that wrote it, a change that was
//! tried, an old value whose declaration is gone.

use quorate_engine::judge::Judge;
use quorate_kernel::command::Act;
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::rows::{Cell, CellKey};
use quorate_kernel::state::Effect;
use quorate_kernel::{Name, Refusal, Thing, Value};
use quorate_law::declare::ShownTo;
use quorate_law::{capital, readable};

use crate::view::game::GameView;

impl GameView {
    /// Whether the law keeps anything that not everybody may see.
    fn has_secrets(&self) -> bool {
        let mut kept = self.law.values.values();
        kept.any(|decl| decl.it.shown_to != ShownTo::All)
    }

    /// Whether the reader may see what a value was and became. One that was hidden when it was written stays so where the
    /// law no longer says from whom.
    pub(crate) fn sees_change(
        &self,
        key: &CellKey,
        old: Option<&Cell>,
        new: Option<&Cell>,
    ) -> bool {
        let mut cells = old.into_iter().chain(new);
        self.view().shown(key)
            && (self.is_declared(key) || !cells.any(|cell| matches!(cell.value, Value::Hidden(_))))
    }

    fn is_declared(&self, key: &CellKey) -> bool {
        let kind = match &key.thing {
            Thing::Game => Some("Game".into()),
            Thing::Player(_) => Some("Player".into()),
            thing => self.ask(|tx| tx.kind_of(thing).ok()),
        };
        kind.is_some_and(|kind| self.law.value(&kind, key.name.as_str()).is_some())
    }

    /// Whether the reader may see a computed value: those too are shown to all, to their owner, or to nobody.
    pub(crate) fn sees_computed(&self, thing: &Thing, name: &str) -> bool {
        let of = match thing {
            Thing::Game => "Game",
            Thing::Player(_) => "Player",
            _ => "",
        };
        let mut decls = self
            .law
            .derived
            .iter()
            .filter(|((kind, known), _)| *known == name && (of.is_empty() || *kind == of));
        decls.all(|(_, decl)| match decl.it.shown_to {
            ShownTo::All => true,
            ShownTo::Owner => self.me.map(Thing::Player).as_ref() == Some(thing),
            ShownTo::Nobody => false,
        })
    }

    /// Whether the reader may know what was given to an action or answered: not where it went into something that they may
    /// not see, nor while nobody can say yet where it will go.
    pub(crate) fn may_know_given(&self, event: &Event) -> bool {
        if !self.may_know(event) {
            return false;
        }
        let acts = matches!(
            event.act,
            Act::Do { .. } | Act::Answer { .. } | Act::Decide { .. }
        );
        let is_doer = self.me.is_some() && self.doer(event) == self.me;
        if !acts || is_doer {
            return true;
        }
        let hidden = |key: &CellKey, old: Option<&Cell>, new: Option<&Cell>| {
            !self.sees_change(key, old, new)
        };
        let wrote = event.steps.iter().any(|step| match &step.effect {
            Effect::Cell { key, old, new } => hidden(key, old.as_ref(), new.as_ref()),
            _ => false,
        });
        let is_over = matches!(event.outcome, Outcome::Done);
        !wrote && (is_over || !self.has_secrets())
    }

    /// What an event was, as far as the reader may know it.
    pub(crate) fn event_title(&self, event: &Event) -> String {
        match &event.act {
            _ if !self.may_know(event) => "something private".to_owned(),
            Act::Answer { action, .. } if !self.may_know_given(event) => {
                self.action_title(action, Some(event))
            }
            Act::Do { action, .. } => self.action_title(action, Some(event)),
            act => self.act_title(act),
        }
    }

    /// What an action is called, or was when the event came whose rule may be gone since.
    pub(crate) fn action_title(&self, action: &Name, event: Option<&Event>) -> String {
        if let Some(decl) = self.law.actions.get(action) {
            return self.themed(&decl.it.title);
        }
        let then = event.and_then(|event| self.site.parts.laws.known(event.law));
        let title = then.and_then(|law| Some(law.actions.get(action)?.it.title.clone()));
        title.map_or_else(
            || capital(&readable(action.as_str())),
            |title| self.themed(&title),
        )
    }

    /// A copy of the game to try changes on of which the reader sees all effects: what is hidden from them counts there as
    /// never set, for code among the changes could carry it to where everybody sees it.
    pub(crate) fn blind(&self) -> Judge {
        let made = self.blind.get_or_init(|| {
            let mut judge = self.blinded();
            judge.make_ready();
            judge
        });
        made.clone()
    }

    fn blinded(&self) -> Judge {
        let mut state = self.state().clone();
        let hidden: Vec<Effect> = state
            .cells
            .iter()
            .filter(|(key, cell)| self.hides_cell(key, cell))
            .map(|(key, cell)| Effect::Cell {
                key: key.clone(),
                old: Some(cell.clone()),
                new: None,
            })
            .collect();
        // Each effect was read from this very state, so it fits.
        let fits = state.apply_all(&hidden);
        debug_assert!(fits.is_ok(), "{fits:?}");
        Judge::open(state, self.head(), &self.site.parts.laws)
    }

    fn hides_cell(&self, key: &CellKey, cell: &Cell) -> bool {
        let is_secret = || matches!(cell.value, Value::Hidden(_)) && !self.is_declared(key);
        !self.view().shown(key) || is_secret()
    }

    /// Whether anything is left out where changes are tried for the reader.
    pub(crate) fn tries_blindly(&self) -> bool {
        let kept = self.state().cells.iter();
        let mut hidden = kept.filter(|(_, cell)| matches!(cell.value, Value::Hidden(_)));
        hidden.any(|(key, cell)| !self.sees_change(key, Some(cell), None))
    }

    /// Changes that cannot be tried for the reader without telling them what is hidden: a ruling plays the game again with
    /// all that was given to it, and whatever stands beside it would find that.
    pub(crate) fn may_try(&self, patch: &Patch) -> Result<(), Refusal> {
        let alone =
            |clause: &Clause| matches!(clause, Clause::Strike { .. } | Clause::Prose { .. });
        let is_mixed = patch.clauses.iter().any(strikes) && !patch.clauses.iter().all(alone);
        if is_mixed && self.has_secrets() {
            return Err(Refusal::plain(
                "a ruling without other changes, for tried together they could tell what is hidden",
            ));
        }
        Ok(())
    }
}

/// Whether a change has history judged again, on a condition or without.
pub(crate) fn strikes(clause: &Clause) -> bool {
    match clause {
        Clause::Strike { .. } => true,
        Clause::When { clauses, .. } => clauses.iter().any(strikes),
        _ => false,
    }
}
