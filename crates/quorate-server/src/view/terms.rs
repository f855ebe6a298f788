//! The words of a game's theme.

use quorate_engine::Law;
use quorate_kernel::state::State;
use quorate_law::declare::ShownTo;
use quorate_law::{capital, with_article};

use crate::ui::markup::Terms;

/// The words of a game's theme by token: for one and for many, with an article, with and without a capital; and the
/// game's own values that everybody may see, by their names.
pub(crate) fn terms(state: &State, law: &Law) -> Terms {
    let mut terms = Terms::new();
    for ((kind, name), decl) in &law.values {
        if *kind == "Game" && decl.it.shown_to == ShownTo::All {
            let token = format!("{{{name}}}");
            let words = quorate_engine::words::worded(state, &token);
            if words != token {
                terms.insert(name.to_string(), words);
            }
        }
    }
    for (name, term) in &state.terms {
        let mut put = |token: &str, word: &str| {
            terms.insert(token.to_owned(), word.to_owned());
            terms.insert(capital(token), capital(word));
        };
        put(name.as_str(), &term.one);
        put(&format!("{name}s"), &term.many);
        for token in ["a", "an"] {
            put(&format!("{token} {name}"), &with_article(&term.one));
        }
    }
    terms
}
