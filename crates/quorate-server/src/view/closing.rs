//! Closing a matter: the button with the vote on it, and what it would do before it is done.

use std::collections::BTreeSet;

use quorate_engine::conventions;
use quorate_engine::convert;
use quorate_kernel::command::Act;
use quorate_kernel::rows::CellKey;
use quorate_kernel::state::Effect;
use quorate_kernel::{Name, PostId, Thing, Value};
use quorate_law::datum::Datum;
use quorate_law::declare::{Holds, ValueDecl};

use crate::ui::{Offer, plural};
use crate::view::game::GameView;
use crate::view::kinds::ROSTER;
use crate::view::matters::Count;
use crate::view::standing::participle;

/// How many values are told one by one.
const TOLD: usize = 3;

impl Count {
    /// A button that closes the matter, as its result will read: "Enact, 7–1".
    #[must_use]
    pub fn on_button(&self, title: &str) -> String {
        match self.ending(title) {
            Some(votes) => format!(
                "{}{votes}",
                title.split_whitespace().next().unwrap_or(title)
            ),
            None => title.to_owned(),
        }
    }

    /// The votes that an action closes the matter with, as the end of a line: ", 7–1".
    pub(crate) fn ending(&self, title: &str) -> Option<String> {
        let has = |side: &str| self.icons.iter().any(|icon| *icon == side);
        // A veto stands whatever the votes are.
        let counts = participle(title).is_some_and(|done| done != conventions::STOPPED);
        let (in_favour, against) = (self.side("for"), self.side("against"));
        (has("for") && has("against") && counts).then(|| format!(", {in_favour}–{against}"))
    }
}

impl GameView {
    /// What an action on a matter would do, found by trying it on a copy: "changes 1 rule; Anna Points 0 → 6". None where the
    /// law refuses it or asks something first.
    pub(crate) fn closing_does(&self, id: PostId, action: &Name) -> Option<String> {
        let first = self.law.actions.get(action)?.it.params.first()?;
        let act = Act::Do {
            action: action.clone(),
            args: vec![(first.name.clone(), Value::Thing(Thing::Post(id)))],
        };
        let event = self.would(act).ok()?;
        let (mut added, mut changed, mut gone) =
            (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for step in &event.steps {
            if let Effect::Rule { key, old, new } = &step.effect {
                let kind = match (old.is_some(), new.is_some()) {
                    (false, _) => &mut added,
                    (true, true) => &mut changed,
                    (true, false) => &mut gone,
                };
                kind.insert(key.clone());
            }
        }
        changed.retain(|rule| !added.contains(rule) && !gone.contains(rule));
        let mut words: Vec<String> = Vec::new();
        let counts = [("adds", &added), ("changes", &changed), ("repeals", &gone)];
        for (verb, rules) in counts.into_iter().filter(|(_, rules)| !rules.is_empty()) {
            words.push(format!("{verb} {}", plural(rules.len(), "rule", "rules")));
        }
        if event.tape.dice.is_empty() {
            let tracked = |tracked: &str| !tracked.is_empty() && tracked != ROSTER;
            let (values, begun) = self.values_where(&event, &|_, decl| tracked(&decl.tracked));
            for (whose, value, old, new) in values.iter().take(TOLD) {
                words.push(
                    format!("{whose} {value} {old} → {new}")
                        .trim_start()
                        .to_owned(),
                );
            }
            let more = values.len().saturating_sub(TOLD);
            if more > 0 {
                words.push(plural(more, "more value changes", "more values change"));
            }
            if begun > 0 {
                words.push(plural(begun, "value begins", "values begin"));
            }
        } else {
            words.push(format!(
                "rolls {}",
                plural(event.tape.dice.len(), "die", "dice")
            ));
        }
        if words.is_empty() {
            words.push("changes no rule and no value".to_owned());
        }
        Some(words.join("; "))
    }

    /// What an action would do to tracked values, places aside: found by trying it on a copy. Empty where it does nothing else.
    pub(crate) fn act_does(&self, action: &Name, args: &[(Name, Datum)]) -> Option<Vec<String>> {
        let given = args
            .iter()
            .map(|(name, datum)| Some((name.clone(), convert::plain_value(datum)?)));
        let act = Act::Do {
            action: action.clone(),
            args: given.collect::<Option<_>>()?,
        };
        let event = self.would(act).ok()?;
        // Moments are told elsewhere, and a thing that the act makes has no name yet.
        let is_told = |key: &CellKey, decl: &ValueDecl| {
            let is_elsewhere = matches!(decl.holds, Holds::Place { .. } | Holds::Moment);
            let is_tracked = !decl.tracked.is_empty() && decl.tracked != ROSTER;
            is_tracked && !is_elsewhere && self.trial_run(|tx| tx.exists(&key.thing))
        };
        let mut words = Vec::new();
        if event.tape.dice.is_empty() {
            let (values, _) = self.values_where(&event, &is_told);
            for (whose, value, old, new) in values.iter().take(TOLD) {
                words.push(
                    format!("{whose} {value} {old} → {new}")
                        .trim_start()
                        .to_owned(),
                );
            }
        } else {
            words.push(format!(
                "rolls {}",
                plural(event.tape.dice.len(), "die", "dice")
            ));
        }
        Some(words)
    }

    /// The same offer of a closing: its button with the vote on it, and what it would do.
    pub(crate) fn with_vote(&self, id: PostId, count: &Count, mut offer: Offer) -> Offer {
        let action = Name::from(offer.action.as_str());
        if let Ok(form) = &mut offer.open
            && self.is_closing(id, &action)
        {
            form.button = count.on_button(&form.button);
            if let Some(does) = self
                .closing_does(id, &action)
                .filter(|_| offer.says.is_empty())
            {
                offer.says = format!("It {does}.");
            }
        }
        offer
    }

    fn is_closing(&self, id: PostId, action: &Name) -> bool {
        let category = self.post(id).map(|post| &post.category);
        let closings =
            category.map(|category| quorate_forecast::matters::closings_of(&self.law, category));
        let mut closings = closings.into_iter().flatten();
        closings.any(|decl| decl.it.name == *action)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_button_reads_as_its_result_will() {
        let count = |icons: &[&str]| Count {
            icons: icons.iter().map(|icon| Name::from(*icon)).collect(),
            ballots: Vec::new(),
            sides: vec![("for".into(), 7), ("against".into(), 1)],
            enough: None,
        };
        let votes = count(&["for", "against"]);
        assert_eq!(votes.on_button("Enact the proposal"), "Enact, 7–1");
        assert_eq!(votes.on_button("Weigh it"), "Weigh it");
        assert_eq!(votes.on_button("Veto"), "Veto");
        assert_eq!(count(&["for"]).on_button("Close it"), "Close it");
    }
}
