//! Tracked values: what a law keeps of the game and of things, in the order in which it declares them.

use quorate_kernel::rows::{CellKey, Duty};
use quorate_kernel::{Name, Thing};

use crate::ui::{Fact, urls};
use crate::view::game::GameView;

impl GameView {
    /// The game's own values that are tracked under a title, kept and computed ones, in law order. Those that hold
    /// nothing are left out.
    pub fn tracked_facts(&self, under: &str) -> Vec<Fact> {
        let of_game = self
            .law
            .value_order
            .iter()
            .filter(|(kind, _)| *kind == "Game");
        let mut facts: Vec<Fact> = of_game
            .filter_map(|(kind, name)| self.law.values.get(&(kind.clone(), name.clone())))
            .filter(|decl| decl.it.tracked == under)
            .filter_map(|decl| self.fact(&Thing::Game, &decl.it.name, &decl.it.title))
            .collect();
        let computed = self
            .law
            .derived
            .iter()
            .filter(|((kind, _), decl)| *kind == "Game" && decl.it.tracked == under);
        for ((_, name), decl) in computed {
            if let Some(datum) = self.attribute(&Thing::Game, name.as_str()) {
                let words = self.datum_words(&datum);
                if !words.is_empty() {
                    facts.push(Fact::new(self.themed(&decl.it.title), words));
                }
            }
        }
        facts
    }

    /// One value of a thing as a figure with its name; none where it holds nothing.
    pub fn fact(&self, thing: &Thing, name: &Name, title: &str) -> Option<Fact> {
        let key = CellKey {
            thing: thing.clone(),
            name: name.clone(),
        };
        let words = self.shown(&key);
        if words.is_empty() || words == "none" {
            return None;
        }
        let history = urls::Tracker {
            game: self.game.as_str(),
        };
        let cell = format!("{thing}.{name}");
        let href = urls::Href::from(history).with("cell", &cell).at("history");
        Some(Fact::new(self.themed(title), words).to(href))
    }

    /// An answer of the law in words, things by what they are called.
    pub fn datum_words(&self, datum: &quorate_law::datum::Datum) -> String {
        use quorate_law::datum::Datum;
        match datum {
            Datum::None => String::new(),
            Datum::Bool(true) => "yes".to_owned(),
            Datum::Bool(false) => "no".to_owned(),
            Datum::Moment(at) => self.when(*at).full(),
            Datum::List(items) => {
                let words: Vec<_> = items.iter().map(|item| self.datum_words(item)).collect();
                words.join(", ")
            }
            other => self.trial_run(|tx| tx.label(other)),
        }
    }

    /// What somebody is asked by a duty.
    pub fn duty_title(&self, duty: &Duty) -> String {
        let decision = self.law.decisions.get(&duty.decision);
        decision.map_or_else(
            || duty.decision.to_string(),
            |decision| self.themed(&decision.it.title),
        )
    }
}
