//! Trees: who holds to whom, where a value of things of a kind is another thing of that kind.

use std::collections::BTreeMap;

use quorate_kernel::{Name, Thing};
use quorate_law::datum::{Datum, Type};
use quorate_law::declare::Holds;

use crate::site::game_page::page::{Block, Branch, PageBlockKind};
use crate::ui::Person;
use crate::ui::html::slug;
use crate::view::game::GameView;
use crate::view::kinds::{Source, Tracked};

/// The tree of a value, where it is one that leads from things of a kind to things of that kind.
pub(crate) fn block(
    view: &GameView,
    today: Option<&GameView>,
    kind: &Name,
    value: &Tracked<'_>,
) -> Option<Block> {
    if !leads_to(value, kind) {
        return None;
    }
    let things = if *kind == "Player" {
        view.roster().0.into_iter().map(Thing::Player).collect()
    } else {
        view.ask(|asked| asked.things_of(kind))
    };
    let is_seen = |thing: &Thing| {
        view.sees(thing, value) && today.is_none_or(|today| today.sees(thing, value))
    };
    let above: Vec<(Thing, Option<Thing>)> = view.ask(|asked| {
        let seen = things.into_iter().filter(is_seen);
        let told = seen.map(|thing| {
            let above = match asked.attribute(&thing, value) {
                Some(Datum::Thing(above)) => Some(above),
                _ => None,
            };
            (thing, above)
        });
        told.collect()
    });
    let title = view.themed(&value.title());
    Some(Block {
        id: format!("tree-{}", slug(value.name().as_str())),
        title,
        note: "who holds to whom".to_owned(),
        kind: PageBlockKind::Tree(grown(&above, &|thing| person(view, thing))),
        is_folded: false,
    })
}

fn leads_to(value: &Tracked<'_>, kind: &Name) -> bool {
    match value.source {
        Source::Kept(decl) => matches!(&decl.holds, Holds::Reference(to) if to == kind),
        Source::Computed(decl) => match &decl.gives {
            Type::Kind(to) => to == kind,
            Type::Optional(inner) => matches!(&**inner, Type::Kind(to) if to == kind),
            _ => false,
        },
        Source::Stated(..) => false,
    }
}

/// A thing by its name, players with their page.
pub(crate) fn person(view: &GameView, thing: &Thing) -> Person {
    match thing {
        Thing::Player(id) => view.person(*id),
        thing => Person::named(view.called(thing)),
    }
}

/// The trees that grow from pairs of a thing and what is above it. Who has nothing above, or itself, or something that
/// is not among them, is a root; of a ring the first is, with a note of whom it holds to.
fn grown(above: &[(Thing, Option<Thing>)], named: &dyn Fn(&Thing) -> Person) -> Vec<Branch> {
    let mut below: BTreeMap<&Thing, Vec<&Thing>> = BTreeMap::new();
    let is_known = |thing: &Thing| above.iter().any(|(known, _)| known == thing);
    let mut roots: Vec<&Thing> = Vec::new();
    for (thing, lord) in above {
        match lord
            .as_ref()
            .filter(|lord| *lord != thing && is_known(lord))
        {
            Some(lord) => below.entry(lord).or_default().push(thing),
            None => roots.push(thing),
        }
    }
    let mut rest: Vec<&Thing> = above.iter().map(|(thing, _)| thing).collect();
    let mut trees = Vec::new();
    for root in roots {
        trees.push(branch(root, &below, &mut rest, named));
    }
    while let Some(first) = rest.first().copied() {
        let mut tree = branch(first, &below, &mut rest, named);
        let lord = above.iter().find(|(thing, _)| thing == first);
        if let Some((_, Some(lord))) = lord {
            tree.note = format!("holds to {} in turn", named(lord).name);
        }
        trees.push(tree);
    }
    trees.sort_by_key(|tree| std::cmp::Reverse(size(tree)));
    trees
}

fn branch<'a>(
    thing: &'a Thing,
    below: &BTreeMap<&'a Thing, Vec<&'a Thing>>,
    rest: &mut Vec<&'a Thing>,
    named: &dyn Fn(&Thing) -> Person,
) -> Branch {
    rest.retain(|one| *one != thing);
    let mut branches = Vec::new();
    for one in below.get(thing).into_iter().flatten() {
        if rest.contains(one) {
            branches.push(branch(one, below, rest, named));
        }
    }
    Branch {
        who: named(thing),
        note: String::new(),
        below: branches,
    }
}

fn size(tree: &Branch) -> usize {
    1 + tree.below.iter().map(size).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_words(branch: &Branch) -> String {
        let below: Vec<_> = branch.below.iter().map(in_words).collect();
        format!("{}({})", branch.who.name, below.join(" "))
    }

    fn trees(pairs: &[(&str, &str)]) -> Vec<String> {
        let thing = |name: &str| Thing::row("Knight", name);
        let above: Vec<_> = pairs
            .iter()
            .map(|(one, lord)| (thing(one), (!lord.is_empty()).then(|| thing(lord))))
            .collect();
        let named = |thing: &Thing| {
            let name = thing.to_string();
            Person::named(name.rsplit('/').next().unwrap_or_default())
        };
        grown(&above, &named).iter().map(in_words).collect()
    }

    #[test]
    fn followers_of_followers_stand_two_below() {
        let found = trees(&[("a", "a"), ("b", "a"), ("c", "b"), ("d", "")]);
        assert_eq!(found, ["a(b(c()))", "d()"]);
    }

    #[test]
    fn a_ring_is_cut_and_nobody_is_lost() {
        assert_eq!(trees(&[("a", "b"), ("b", "a"), ("c", "b")]), ["a(b(c()))"]);
    }

    #[test]
    fn whoever_holds_to_somebody_gone_stands_alone() {
        assert_eq!(trees(&[("a", "gone")]), ["a()"]);
    }
}
