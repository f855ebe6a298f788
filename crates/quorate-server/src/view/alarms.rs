//! Who on a board carries a mark: what the law says of some of them and leaves empty of others, such as "in danger".

use std::collections::BTreeMap;

use quorate_kernel::{EventSeq, Name, Square, Thing};
use quorate_law::datum::Type;

use crate::ui::urls::Href;
use crate::view::game::GameView;
use crate::view::kinds::{Source, Tracked};

/// Something that stands on a board.
pub(crate) struct BoardStanding {
    /// What.
    pub(crate) thing: Thing,
    /// Where.
    pub(crate) square: Square,
    /// What it is called.
    pub(crate) name: String,
    /// What it is, for its drawing: the thing its kind is told by, or its name.
    pub(crate) sort: String,
    /// The event that put it there.
    pub(crate) by: EventSeq,
    /// The picture that stands for it.
    pub(crate) picture: Option<Href>,
}

/// What is said of each, with the titles of what is said.
#[derive(Default)]
pub(crate) struct Alarms {
    /// In words: "In danger: a bomb is attached".
    pub(crate) of: BTreeMap<Thing, Vec<String>>,
    /// What the mark means.
    pub(crate) titles: Vec<String>,
}

/// A tracked text that a function of the law works out of each player, empty of some and not of others, is a mark.
pub(crate) fn alarms(view: &GameView, standing: &[BoardStanding]) -> Alarms {
    let kind = Name::from("Player");
    let players: Vec<&Thing> = standing
        .iter()
        .map(|one| &one.thing)
        .filter(|thing| matches!(thing, Thing::Player(_)))
        .collect();
    let is_text = |value: &Tracked<'_>| matches!(value.source, Source::Computed(decl) if decl.gives == Type::Text);
    let mut values = view.tracked_of(&kind);
    values.retain(is_text);
    let mut found = Alarms::default();
    for value in &values {
        let told: Vec<(Thing, String)> = view.trial_run(|tx| {
            let said = players.iter().filter(|thing| view.sees(thing, value));
            said.map(|thing| ((*thing).clone(), view.held(tx, thing, value).text))
                .collect()
        });
        let (clear, alarmed): (Vec<_>, Vec<_>) =
            told.into_iter().partition(|(_, text)| text.is_empty());
        if clear.is_empty() || alarmed.is_empty() {
            continue;
        }
        let title = view.themed(&value.title());
        for (thing, text) in alarmed {
            let line = format!("{}: {text}", title.to_lowercase());
            found.of.entry(thing).or_default().push(line);
        }
        found.titles.push(title);
    }
    found
}
