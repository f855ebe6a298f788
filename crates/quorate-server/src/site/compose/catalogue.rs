//! The catalogue: the rules of the server's rulebooks, of which a proposal can take one over.

use quorate_engine::rulebook::body_of;

use crate::site::compose::edit::titled;
use crate::ui::Choice;
use crate::view::game::GameView;

/// All of them, each as the folder of its rulebook and the path of its file.
pub(super) fn choices(view: &GameView) -> Vec<Choice> {
    let rules = view.app().deps.books.iter().flat_map(|book| {
        let rules = book.rules.iter();
        rules.map(move |(path, text)| {
            let title = view.themed(title_of(text));
            let title = format!("{}: {title}", book.manifest.title);
            Choice::new(format!("{}/{path}", book.name), title)
        })
    });
    rules.collect()
}

/// The text of one, with its title as a heading.
pub(super) fn text(view: &GameView, word: &str) -> Option<String> {
    let (book, path) = word.split_once('/')?;
    let mut books = view.app().deps.books.iter();
    let rules = &books.find(|one| one.name == *book)?.rules;
    let (_, text) = rules.iter().find(|(known, _)| known == path)?;
    Some(titled(title_of(text), &body_of(text)))
}

fn title_of(text: &str) -> &str {
    let title = text.lines().find_map(|line| line.strip_prefix("# "));
    title.unwrap_or_default().trim()
}
