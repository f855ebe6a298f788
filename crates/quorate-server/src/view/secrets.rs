//! What could tell of something hidden by a way around it: what was given to an action that wrote it.

use quorate_kernel::command::Act;
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::rows::{Cell, CellKey};
use quorate_kernel::state::Effect;
use quorate_kernel::{Name, Thing, Value};
use quorate_law::{capital, readable};

use crate::view::enactments::post_of;
use crate::view::game::GameView;
use crate::view::standing::participle;

impl GameView {
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
            !self.sight().change(key, old, new)
        };
        let wrote = event.steps.iter().any(|step| match &step.effect {
            Effect::Cell { key, old, new } => hidden(key, old.as_ref(), new.as_ref()),
            _ => false,
        });
        let is_over = matches!(event.outcome, Outcome::Done);
        !wrote && (is_over || !self.law.keeps_secrets())
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

    /// What an event was, with what it was about, as far as the reader may know it: "enacted “A bell”", "Admit: Bert".
    pub(crate) fn event_about(&self, event: &Event) -> String {
        let title = self.event_title(event);
        if !self.may_know(event) || !self.may_know_given(event) {
            return title;
        }
        if let Some(post) = post_of(event).and_then(|id| self.post(id)) {
            let post = self.themed(post.title.as_str());
            return match participle(&title).filter(|_| matches!(event.outcome, Outcome::Done)) {
                Some(done) => format!("{done} “{post}”"),
                None => format!("{title}: {post}"),
            };
        }
        let Act::Do { args, .. } = &event.act else {
            return title;
        };
        match args.first().map(|(_, value)| value.open()) {
            Some(Value::Thing(Thing::Player(id))) => format!("{title}: {}", self.name(*id)),
            _ => title,
        }
    }

    /// Who did what, as one line: "Anna enacted “A bell”", "Anna: Admit: Bert".
    pub(crate) fn event_line(&self, event: &Event) -> String {
        let (who, what) = (self.doer_name(event), self.event_about(event));
        let gap = if begins_with_capital(&what) {
            ": "
        } else {
            " "
        };
        format!("{who}{gap}{what}")
    }

    /// What an action is called, or was when the event came whose rule may be gone since.
    pub(crate) fn action_title(&self, action: &Name, event: Option<&Event>) -> String {
        if let Some(decl) = self.law.actions.get(action) {
            return self.themed(&decl.it.title);
        }
        let then = event.and_then(|event| self.site.deps.laws.known(event.law));
        let title = then.and_then(|law| Some(law.actions.get(action)?.it.title.clone()));
        title.map_or_else(
            || capital(&readable(action.as_str())),
            |title| self.themed(&title),
        )
    }
}

/// Whether words are a title, which stands behind a colon, and no end of a sentence.
pub(crate) fn begins_with_capital(words: &str) -> bool {
    words.starts_with(|first: char| !first.is_lowercase())
}
