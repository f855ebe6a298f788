//! Places: what a page shows, drawn place by place, by the values that say where something is.

use std::collections::BTreeSet;

use crate::view::questions::Questions;
use quorate_kernel::{Name, Thing};
use quorate_law::datum::{Datum, Type};
use quorate_law::declare::Holds;

use crate::site::game_page::page::{Block, BoardPlace, PageBlockKind, There};
use crate::site::game_page::tree::person;
use crate::ui::Bar;
use crate::ui::html::slug;
use crate::view::game::GameView;
use crate::view::kinds::{Held, Source, Tracked};

/// How many things of a kind are drawn.
const THINGS: usize = 300;

/// How many values of a thing are told beside it where the page does not say which.
const NOTES: usize = 5;

/// A page's places.
pub(crate) struct Map {
    /// "Who and what is where", or by which value things are told apart.
    title: String,
    places: Vec<BoardPlace>,
    /// The kinds that are drawn in them.
    kinds: BTreeSet<Name>,
}

impl Map {
    /// The places of a page that has values to draw by.
    pub(crate) fn of(
        view: &GameView,
        today: Option<&GameView>,
        shows: &[Name],
        by: &[Name],
    ) -> Option<Self> {
        if by.is_empty() {
            return None;
        }
        let mut survey = Survey {
            view,
            today,
            shows,
            stands: stands(view, shows, by),
            kind: None,
            known: Vec::new(),
        };
        view.ask(|asked| {
            survey.kind = survey.kind_of_places(asked);
            let things = survey.kind.iter().flat_map(|kind| asked.things_of(kind));
            survey.known = things
                .map(|thing| (asked.label(&Datum::Thing(thing.clone())), thing))
                .collect();
        });
        let places = view.ask(|asked| {
            let found = survey.found(asked);
            let spots = survey.spots(asked, &found);
            let drawn = spots.iter().map(|spot| survey.place(asked, spot, &found));
            drawn.collect::<Vec<_>>()
        });
        let mut kinds: BTreeSet<Name> = survey.stands.iter().map(|s| s.kind.clone()).collect();
        kinds.extend(
            shows
                .iter()
                .filter(|name| survey.host_of(name).is_some())
                .cloned(),
        );
        kinds.extend(survey.kind.clone());
        let title = match &survey.stands[..] {
            [stand] if survey.known.is_empty() => {
                format!("By {}", view.themed(&stand.value.title()).to_lowercase())
            }
            _ => "Who and what is where".to_owned(),
        };
        Some(Self {
            title,
            places,
            kinds,
        })
    }

    /// The drawing.
    pub(crate) fn block(&self) -> Block {
        Block {
            id: "places".to_owned(),
            title: self.title.clone(),
            note: self.places.len().to_string(),
            kind: PageBlockKind::Places(self.places.clone()),
            is_folded: false,
        }
    }

    /// Whether a block of the page tells in a table what is drawn already.
    pub(crate) fn draws(&self, block: &str) -> bool {
        let mut tables = self
            .kinds
            .iter()
            .map(|kind| format!("t-{}", slug(kind.as_str())));
        tables.any(|id| id == block)
    }
}

/// A kind with the value that says where each of its things is.
struct Stand<'a> {
    kind: Name,
    value: Tracked<'a>,
}

/// A place before it is drawn: what the values call it, its order and its title.
struct Spot {
    key: Datum,
    title: String,
}

struct Survey<'a> {
    view: &'a GameView,
    today: Option<&'a GameView>,
    shows: &'a [Name],
    stands: Vec<Stand<'a>>,
    /// The kind of the places, where they are things that the page shows.
    kind: Option<Name>,
    /// Those things by what they are called.
    known: Vec<(String, Thing)>,
}

/// Something with the place where it is.
struct FoundThing<'a, 's> {
    stand: &'s Stand<'a>,
    thing: Thing,
    place: Datum,
}

/// The kinds that have one of the values, players first, then as the page shows them.
fn stands<'a>(view: &'a GameView, shows: &[Name], by: &[Name]) -> Vec<Stand<'a>> {
    let known = view.law().values.keys().chain(view.law().derived.keys());
    let kinds = known.filter(|(kind, name)| *kind != "Game" && by.contains(name));
    let kinds: BTreeSet<&Name> = kinds.map(|(kind, _)| kind).collect();
    let mut found: Vec<Stand<'a>> = kinds
        .into_iter()
        .filter_map(|kind| {
            let mut values = view.values_of_kind(kind).into_iter();
            let value = values.find(|value| by.contains(value.name()))?;
            let kind = kind.clone();
            Some(Stand { kind, value })
        })
        .collect();
    found.sort_by_key(|stand| {
        let shown = shows.iter().position(|name| *name == stand.kind);
        (stand.kind != "Player", shown.unwrap_or(usize::MAX))
    });
    found
}

impl<'a> Survey<'a> {
    /// Everything that is somewhere, where the reader may see it.
    fn found(&self, asked: &Questions<'_>) -> Vec<FoundThing<'a, '_>> {
        let mut found = Vec::new();
        for stand in &self.stands {
            for thing in self.things(asked, &stand.kind) {
                if let Some(place) = self.where_is(asked, stand, &thing) {
                    found.push(FoundThing {
                        stand,
                        thing,
                        place,
                    });
                }
            }
        }
        found
    }

    /// The places in the order of the law, then those that only somebody's value names; numbered ones from the least.
    fn spots(&self, asked: &Questions<'_>, found: &[FoundThing<'_, '_>]) -> Vec<Spot> {
        let shown = self.known.iter();
        let mut keys: Vec<Datum> = shown
            .map(|(_, thing)| Datum::Thing(thing.clone()))
            .collect();
        if keys.is_empty() {
            keys.extend(self.stands.iter().flat_map(|s| stated(asked, &s.value)));
        }
        keys.extend(found.iter().map(|one| one.place.clone()));
        let mut spots: Vec<Spot> = Vec::new();
        for key in keys {
            if !spots.iter().any(|spot| spot.key == key) {
                let title = self.title(asked, &key);
                spots.push(Spot { key, title });
            }
        }
        spots.sort_by_key(|spot| match spot.key {
            Datum::Int(number) => number,
            _ => i64::MIN,
        });
        spots
    }

    fn title(&self, asked: &Questions<'_>, key: &Datum) -> String {
        let label = asked.said(key);
        match (key, self.stands.first()) {
            (Datum::Int(_), Some(stand)) => {
                format!("{} {label}", self.view.themed(&stand.value.title()))
            }
            _ => label,
        }
    }

    fn things(&self, asked: &Questions<'_>, kind: &Name) -> Vec<Thing> {
        if *kind == "Player" {
            return self
                .view
                .roster()
                .0
                .into_iter()
                .map(Thing::Player)
                .collect();
        }
        let mut things = asked.things_of(kind);
        if things.len() > THINGS {
            things.drain(..things.len() - THINGS);
        }
        things
    }

    fn sees(&self, thing: &Thing, value: &Tracked<'_>) -> bool {
        let today = self.today.is_none_or(|today| today.sees(thing, value));
        today && self.view.sees(thing, value)
    }

    fn where_is(&self, asked: &Questions<'_>, stand: &Stand<'_>, thing: &Thing) -> Option<Datum> {
        if !self.sees(thing, &stand.value) {
            return None;
        }
        let place = asked.attribute(thing, &stand.value)?;
        let is_somewhere = match &place {
            Datum::None => false,
            Datum::Text(text) => !text.is_empty(),
            _ => true,
        };
        is_somewhere.then(|| self.spot_of(place))
    }

    /// The place that a value names: a name stands for the thing of that name among the places.
    fn spot_of(&self, place: Datum) -> Datum {
        let Datum::Text(name) = &place else {
            return place;
        };
        let mut known = self.known.iter();
        match known.find(|(label, _)| *label == **name) {
            Some((_, thing)) => Datum::Thing(thing.clone()),
            None => place,
        }
    }

    fn place(
        &self,
        asked: &Questions<'_>,
        spot: &Spot,
        found: &[FoundThing<'_, '_>],
    ) -> BoardPlace {
        let mut there = Vec::new();
        for stand in &self.stands {
            let here = found
                .iter()
                .filter(|one| one.stand.kind == stand.kind && one.place == spot.key);
            let those: Vec<There> = here
                .map(|one| {
                    self.one(
                        asked,
                        &stand.kind,
                        &one.thing,
                        &spot.title,
                        stand.value.name(),
                    )
                })
                .collect();
            if !those.is_empty() {
                there.push((self.view.plural_of(&stand.kind), those));
            }
        }
        let is_you = |one: &There| one.who.as_ref().is_some_and(|who| who.is_you);
        let is_here = there.iter().flat_map(|(_, those)| those).any(is_you);
        BoardPlace {
            title: spot.title.clone(),
            is_here,
            facts: self.facts(asked, spot, &there),
            there,
        }
    }

    /// Something in a place, with what belongs to it.
    fn one(
        &self,
        asked: &Questions<'_>,
        kind: &Name,
        thing: &Thing,
        place: &str,
        by: &Name,
    ) -> There {
        let mut who = person(self.view, thing);
        if let Some(end) = who.name.strip_suffix(&format!(" in {place}")).map(str::len) {
            who.name.truncate(end);
        }
        let name = who.name.clone();
        let mut with = Vec::new();
        for guest in self.shows {
            let Some((_, value)) = self.host_of(guest).filter(|(host, _)| host == kind) else {
                continue;
            };
            for one in self.things(asked, guest) {
                let host = asked.attribute(&one, &value);
                if self.sees(&one, &value) && host == Some(Datum::Thing(thing.clone())) {
                    with.push(self.one(asked, guest, &one, place, value.name()));
                }
            }
        }
        There {
            // A thing that is called as its place is there as what it holds.
            who: Some(who).filter(|who| !place.ends_with(&who.name)),
            notes: self.notes(asked, kind, thing, &name, by),
            with,
        }
    }

    /// The kind on whose things those of a kind hang, which have no place of their own, and by which value.
    fn host_of(&self, kind: &Name) -> Option<(Name, Tracked<'a>)> {
        let view: &'a GameView = self.view;
        let stands = |kind: &Name| self.stands.iter().any(|stand| stand.kind == *kind);
        if stands(kind) {
            return None;
        }
        let values = view.values_of_kind(kind).into_iter();
        let mut hosts = values.filter_map(|value| match value.source {
            Source::Kept(decl) => match &decl.holds {
                Holds::Reference(host) => stands(host).then(|| (host.clone(), value)),
                _ => None,
            },
            _ => None,
        });
        hosts.next()
    }

    /// What is told beside a thing: the values of its kind that the page names; else, of what is no player, the first few.
    fn notes(
        &self,
        asked: &Questions<'_>,
        kind: &Name,
        thing: &Thing,
        name: &str,
        by: &Name,
    ) -> Vec<(String, Option<Bar>)> {
        let named = |value: &Tracked<'_>| self.shows.contains(value.name());
        let all = self.view.values_of_kind(kind);
        let (values, most) = if all.iter().any(named) || *kind == "Player" {
            (
                all.into_iter().filter(named).collect::<Vec<_>>(),
                usize::MAX,
            )
        } else {
            (self.view.tracked_of(kind), NOTES)
        };
        let label = self.view.label_of(kind);
        let told = values
            .into_iter()
            .filter(|value| value.name() != by && Some(value.name()) != label);
        let told = told.filter(|value| self.sees(thing, value));
        let notes = told.filter_map(|value| {
            let held = asked.held(thing, &value);
            note(self.view, &value, &held).filter(|(text, _)| text != name)
        });
        notes.take(most).collect()
    }

    /// The kind of the places, where they are things that the page shows: the one that the values refer to, or else one
    /// whose things are called as the values say.
    fn kind_of_places(&self, asked: &Questions<'_>) -> Option<Name> {
        let mut referred = self.stands.iter().filter_map(|s| leads_to(&s.value));
        if let Some(kind) = referred.find(|kind| self.shows.contains(kind)) {
            return Some(kind);
        }
        let words: Vec<Datum> = self
            .stands
            .iter()
            .flat_map(|s| stated(asked, &s.value))
            .collect();
        let is_named =
            |thing: Thing| words.contains(&Datum::Text(asked.label(&Datum::Thing(thing)).into()));
        let law = self.view.law();
        let mut kinds = self
            .shows
            .iter()
            .filter(|name| law.tables.contains_key(*name) || law.entities.contains_key(*name));
        let named = kinds.find(|kind| {
            self.stands.iter().all(|stand| stand.kind != **kind)
                && asked.things_of(kind).into_iter().any(is_named)
        });
        named.cloned()
    }

    /// A place's own values; what names those who are there is drawn already.
    fn facts(
        &self,
        asked: &Questions<'_>,
        spot: &Spot,
        there: &[(String, Vec<There>)],
    ) -> Vec<(String, String, Option<Bar>)> {
        let (Some(kind), Datum::Thing(thing)) = (&self.kind, &spot.key) else {
            return Vec::new();
        };
        let label = self.view.label_of(kind);
        let values = self.view.tracked_of(kind).into_iter();
        let values = values.filter(|value| Some(value.name()) != label && self.sees(thing, value));
        let facts = values.filter_map(|value| {
            let held = asked.held(thing, &value);
            let people = there.iter().flat_map(|(_, those)| those);
            let mut names = people.filter_map(|one| one.who.as_ref());
            // A list of those who are there; one name may be somebody's who is there by chance, such as the owner.
            let is_drawn = lists_things(&value) && names.any(|who| held.text.contains(&who.name));
            if matches!(held.text.as_str(), "" | "no") || is_drawn {
                return None;
            }
            let bar = Bar::parse(&held.text);
            Some((self.view.themed(&value.title()), held.text, bar))
        });
        facts.collect()
    }
}

/// Whether a value holds several things.
fn lists_things(value: &Tracked<'_>) -> bool {
    match value.source {
        Source::Kept(decl) => matches!(decl.holds, Holds::Listing { .. }),
        Source::Computed(decl) => matches!(decl.gives, Type::List(_)),
        Source::Stated(_, ty) => matches!(ty, Type::List(_)),
    }
}

/// The places that the law itself names for a value.
fn stated(asked: &Questions<'_>, value: &Tracked<'_>) -> Vec<Datum> {
    if let Some(kind) = leads_to(value) {
        return asked
            .things_of(&kind)
            .into_iter()
            .map(Datum::Thing)
            .collect();
    }
    match value.source {
        Source::Kept(decl) => match &decl.holds {
            Holds::Choice(words) => {
                let words = words.iter().map(|word| Datum::Text(word.as_str().into()));
                words.collect()
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The kind whose things a value names.
fn leads_to(value: &Tracked<'_>) -> Option<Name> {
    match value.source {
        Source::Kept(decl) => match &decl.holds {
            Holds::Reference(kind) => Some(kind.clone()),
            _ => None,
        },
        Source::Computed(decl) => match &decl.gives {
            Type::Kind(kind) => Some(kind.clone()),
            Type::Optional(inner) => match &**inner {
                Type::Kind(kind) => Some(kind.clone()),
                _ => None,
            },
            _ => None,
        },
        Source::Stated(..) => None,
    }
}

/// A value in a few words: a number or a bare share after its title, a flag by its title alone, everything else as it is.
fn note(view: &GameView, value: &Tracked<'_>, held: &Held) -> Option<(String, Option<Bar>)> {
    let title = || view.themed(&value.title());
    let bar = Bar::parse(&held.text);
    let is_bare = |text: &str| !text.contains(char::is_alphabetic);
    let text = match (held.number, held.text.as_str()) {
        (_, "" | "no" | "nothing" | "none") => return None,
        (None, "yes") => title(),
        (Some(number), text) => {
            if number == 0 {
                return None;
            }
            format!("{} {text}", title())
        }
        (None, text) if bar.is_some() && is_bare(text) => format!("{} {text}", title()),
        (None, text) => text.to_owned(),
    };
    Some((text, bar))
}
