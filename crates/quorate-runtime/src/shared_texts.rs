//! The texts of rules, which games of one rulebook have in common: each is in memory once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use quorate_kernel::digest::Digest;
use quorate_kernel::effect::Effect;

/// The texts that the states of this process hold.
#[derive(Default)]
struct SharedTexts {
    known: HashMap<Digest, Weak<str>>,
    /// How many there were when those that nobody holds any more were last let go.
    held: usize,
}

static TEXTS: Mutex<Option<SharedTexts>> = Mutex::new(None);

/// Gives the rules that a state is made of the texts that others hold already.
pub(crate) fn share(effects: &mut [Effect]) {
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    texts.get_or_insert_default().share(effects);
}

impl SharedTexts {
    fn share(&mut self, effects: &mut [Effect]) {
        for effect in effects {
            let Effect::Rule {
                new: Some(rule), ..
            } = effect
            else {
                continue;
            };
            let digest = Digest::of(rule.text.as_bytes());
            match self.known.get(&digest).and_then(Weak::upgrade) {
                Some(text) => rule.text = text,
                None => drop(self.known.insert(digest, Arc::downgrade(&rule.text))),
            }
        }
        // A text takes memory until nobody points to it, this included.
        if self.known.len() > 2 * self.held {
            self.known.retain(|_, text| text.strong_count() > 0);
            self.held = self.known.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use quorate_kernel::EventSeq;
    use quorate_kernel::law::Rule;

    use super::*;

    fn rule(name: &str, text: &str) -> Effect {
        Effect::Rule {
            key: name.into(),
            old: None,
            new: Some(Rule {
                section: "core".into(),
                parent: None,
                rank: 1,
                title: name.to_owned(),
                text: text.into(),
                active: true,
                tags: Vec::new(),
                changed_by: EventSeq(1),
            }),
        }
    }

    fn text(effects: &[Effect]) -> Arc<str> {
        match effects {
            [
                Effect::Rule {
                    new: Some(rule), ..
                },
            ] => Arc::clone(&rule.text),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn equal_texts_of_rules_are_in_memory_once_and_go_with_the_last_that_holds_them() {
        let mut texts = SharedTexts::default();
        let [mut one, mut same, mut other] = [
            [rule("tea", "Tea is at four.")],
            [rule("cake", "Tea is at four.")],
            [rule("tea", "Tea is at five.")],
        ];
        for effects in [&mut one, &mut same, &mut other] {
            texts.share(effects);
        }
        assert!(Arc::ptr_eq(&text(&one), &text(&same)));
        assert_eq!(&*text(&other), "Tea is at five.");
        drop((one, same));
        for nth in 0..3 {
            texts.share(&mut [rule("tea", &nth.to_string())]);
        }
        let knows = |text: &str| texts.known.contains_key(&Digest::of(text.as_bytes()));
        assert!(knows("Tea is at five.") && !knows("Tea is at four."));
        assert!(texts.known.len() <= 4, "{} texts", texts.known.len());
    }
}
