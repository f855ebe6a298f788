//! What a patch makes of texts: rules, the words of the theme, pages, names.

use quorate_kernel::law::Rule;
use quorate_kernel::state::Effect as Change;
use quorate_kernel::{Name, rows};

use crate::ui::Effect;
use crate::view::effects::Trial;
use crate::view::game::GameView;

impl GameView {
    /// Rules, terms, pages and people's names as they would be.
    pub(crate) fn texts_changed(&self, trial: &Trial) -> Vec<Effect> {
        let mut lines = Vec::new();
        for step in &trial.event.steps {
            match &step.effect {
                Change::Rule { key, old, new } => {
                    lines.extend(self.rule_changed(key, old.as_ref(), new.as_ref()));
                }
                Change::Term { key, old, new } if old != new => {
                    let words = |term: &Option<quorate_kernel::law::Term>| {
                        let term = term.as_ref();
                        term.map_or_else(
                            || "no word".to_owned(),
                            |term| format!("{} and {}", term.one, term.many),
                        )
                    };
                    let lead = format!("The word for {key}:");
                    let text = format!("{} → {}", words(old), words(new));
                    lines.push(Effect::new(lead, text));
                }
                Change::Page { key, old, new } if old != new => {
                    let text = match (old, new) {
                        (None, _) => "is written",
                        (_, None) => "goes",
                        _ => "is rewritten",
                    };
                    lines.push(Effect::new(format!("The page {key}:"), text));
                }
                Change::Person {
                    old: Some(old),
                    new: Some(new),
                    ..
                } => lines.extend(renamed(old, new)),
                _ => {}
            }
        }
        lines
    }

    fn rule_changed(&self, id: &Name, old: Option<&Rule>, new: Option<&Rule>) -> Vec<Effect> {
        let title = |rule: &Rule| {
            let title = self.themed(&rule.title);
            if title.is_empty() {
                id.to_string()
            } else {
                title
            }
        };
        let said = |lead: &str, text: String| Effect::new(lead, text);
        let (old, new) = match (old, new) {
            (None, None) => return Vec::new(),
            (None, Some(new)) => {
                let into = self.section_title(&new.section);
                return vec![said("New rule:", format!("{}, in {into}", title(new)))];
            }
            (Some(old), None) => return vec![said("Repealed:", title(old))],
            (Some(old), Some(new)) => (old, new),
        };
        let mut lines = Vec::new();
        if old.title != new.title {
            let text = format!("{} → {}", title(old), title(new));
            lines.push(said("Renamed rule:", text));
        }
        if old.text != new.text {
            lines.push(said("Amended rule:", title(new)));
        }
        if old.active != new.active {
            let lead = if new.active {
                "Switched on:"
            } else {
                "Switched off:"
            };
            lines.push(said(lead, title(new)));
        }
        if old.section != new.section || old.parent != new.parent {
            let to = self.section_title(&new.section);
            lines.push(said("Moved rule:", format!("{}, to {to}", title(new))));
        }
        lines
    }
}

fn renamed(old: &rows::Person, new: &rows::Person) -> Option<Effect> {
    let (old, new) = (old.name.as_str(), new.name.as_str());
    (old != new).then(|| Effect::new("Renamed:", format!("{old} → {new}")))
}
