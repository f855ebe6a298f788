//! Tracked values by kind: which values the law tracks of a kind of things, and what each thing holds.

use quorate_engine::convert;
use quorate_engine::law::{At, DerivedDecl};
use quorate_engine::tx::Tx;
use quorate_engine::words::{kind_title, spaced};
use quorate_kernel::rows::{Cell, CellKey, ClaimStanding};
use quorate_kernel::{Moment, Name, Thing};
use quorate_law::datum::{Datum, Type};
use quorate_law::declare::{Holds, ShownTo, ValueDecl};
use quorate_law::stop::{Site, Stop};
use quorate_law::{capital, readable};

use crate::ui::ClaimMark;
use crate::ui::urls::Href;
use crate::view::game::GameView;
use crate::view::words::bundled;

/// The title under which rulebooks track what is on the books about a player and is no part of the dynasty's game. Such
/// columns stand here when they are asked for.
pub(crate) const ROSTER: &str = "roster";

/// How a tracked value comes to be.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    /// It is kept, with a history.
    Kept(&'a ValueDecl),
    /// A function of the law computes it.
    Computed(&'a DerivedDecl),
    /// The law states it in a row of a table.
    Stated(&'a Name, &'a Type),
}

/// A value that the law tracks of a kind of things.
#[derive(Clone, Copy)]
pub struct Tracked<'a> {
    /// Where it is declared.
    pub site: &'a Site,
    /// What is declared.
    pub source: Source<'a>,
}

impl<'a> Tracked<'a> {
    /// Its code name.
    pub fn name(&self) -> &'a Name {
        match self.source {
            Source::Kept(decl) => &decl.name,
            Source::Computed(decl) => &decl.name,
            Source::Stated(name, _) => name,
        }
    }

    /// As people read it.
    pub fn title(&self) -> String {
        match self.source {
            Source::Kept(decl) => decl.title.clone(),
            Source::Computed(decl) => decl.title.clone(),
            Source::Stated(name, _) => capital(&readable(name.as_str())),
        }
    }

    /// The table or page that it is tracked on; empty where it is tracked nowhere.
    pub fn under(&self) -> &'a str {
        match self.source {
            Source::Kept(decl) => &decl.tracked,
            Source::Computed(decl) => &decl.tracked,
            Source::Stated(..) => "table",
        }
    }

    /// Who may see it.
    pub fn shown_to(&self) -> ShownTo {
        match self.source {
            Source::Kept(decl) => decl.shown_to,
            Source::Computed(decl) => decl.shown_to,
            Source::Stated(..) => ShownTo::All,
        }
    }

    /// Whether it is a number.
    pub fn is_number(&self) -> bool {
        match self.source {
            Source::Kept(decl) => {
                matches!(decl.holds, Holds::Number { .. } | Holds::Ledger { .. })
            }
            Source::Computed(decl) => decl.gives == Type::Int,
            Source::Stated(_, ty) => *ty == Type::Int,
        }
    }
}

/// What a thing holds of a value, as far as the reader may know it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// In words; empty for nothing.
    pub text: String,
    /// The number, where it is one.
    pub number: Option<i64>,
    /// When it last changed, where it is kept and was ever written.
    pub at: Option<Moment>,
    /// Whether it is claimed or disputed.
    pub claim: Option<ClaimMark>,
    /// Whether it may not be seen by this reader.
    pub is_hidden: bool,
    /// Whether the law says that such a player has none.
    pub is_untracked: bool,
    /// Whether it is kept and so has a history.
    pub is_kept: bool,
    /// The picture that it is, or that stands for it.
    pub picture: Option<Href>,
    /// Why the code that computes it breaks, where it does.
    pub broken: Option<String>,
}

impl GameView {
    /// The attribute by which things of a kind are called, where the law names one.
    pub fn label_of(&self, kind: &Name) -> Option<&Name> {
        self.law.entities.get(kind)?.it.label.as_ref()
    }

    /// The values that the law tracks of a kind, in law order: those that somebody may see.
    pub fn tracked_of(&self, kind: &Name) -> Vec<Tracked<'_>> {
        let mut found = self.values_of_kind(kind);
        found.retain(|value| !value.under().is_empty());
        found
    }

    /// All values of a kind that somebody may see, tracked or not, in law order.
    pub fn values_of_kind(&self, kind: &Name) -> Vec<Tracked<'_>> {
        let law = &self.law;
        let kept =
            law.values
                .iter()
                .filter(|((of, _), _)| of == kind)
                .map(|(_, At { site, it })| Tracked {
                    site,
                    source: Source::Kept(it),
                });
        let computed =
            law.derived
                .iter()
                .filter(|((of, _), _)| of == kind)
                .map(|(_, At { site, it })| Tracked {
                    site,
                    source: Source::Computed(it),
                });
        let stated = law
            .tables
            .get(kind)
            .into_iter()
            .flat_map(|At { site, it }| {
                let told = it.iter().filter(|(_, ty)| *ty != Type::Function);
                told.map(move |(name, ty)| Tracked {
                    site,
                    source: Source::Stated(name, ty),
                })
            });
        let mut found: Vec<_> = stated
            .chain(kept)
            .chain(computed)
            .filter(|value| value.shown_to() != ShownTo::Nobody)
            .collect();
        found.sort_by_key(|value| {
            let order = law.places.get(&value.site.rule).map(|place| place.order);
            (order, value.site.clause, value.site.line)
        });
        found
    }

    /// Whether the reader may see a value of a thing, computed ones included.
    pub fn sees(&self, thing: &Thing, value: &Tracked<'_>) -> bool {
        match value.shown_to() {
            ShownTo::All => {}
            ShownTo::Owner if self.me.map(Thing::Player).as_ref() == Some(thing) => {}
            ShownTo::Owner | ShownTo::Nobody => return false,
        }
        let key = CellKey {
            thing: thing.clone(),
            name: value.name().clone(),
        };
        !matches!(value.source, Source::Kept(_)) || self.sight().shown(&key)
    }

    /// What a thing holds of a value. `tx` is a question's own, so that a table asks all of its cells in one run.
    pub fn held(&self, tx: &Tx, thing: &Thing, value: &Tracked<'_>) -> Held {
        let is_kept = matches!(value.source, Source::Kept(_));
        if !self.sees(thing, value) {
            return Held {
                is_hidden: true,
                is_kept,
                ..Held::default()
            };
        }
        if let Thing::Player(id) = thing
            && !tx.tracks(*id, &value.site.rule)
        {
            return Held {
                is_untracked: true,
                ..Held::default()
            };
        }
        let key = CellKey {
            thing: thing.clone(),
            name: value.name().clone(),
        };
        match value.source {
            Source::Computed(decl) => match tx.attribute(thing, decl.name.as_str()) {
                Ok(datum) => self.held_datum(tx, &datum),
                Err(Stop::Broken(fault)) => broken(fault.text),
                Err(Stop::Asks(_)) => broken("nobody can answer it for a value".to_owned()),
                Err(Stop::Refused(_)) => Held::default(),
            },
            Source::Stated(name, _) => {
                let datum = tx.attribute(thing, name.as_str());
                self.held_datum(tx, &datum.unwrap_or(Datum::None))
            }
            Source::Kept(decl) if matches!(decl.holds, Holds::Ledger { .. }) => {
                let lines: Vec<_> = self.state().lines_of(&key).collect();
                let sum = lines.iter().map(|(_, line)| line.amount).sum::<i64>();
                Held {
                    text: if lines.is_empty() {
                        String::new()
                    } else {
                        sum.to_string()
                    },
                    number: Some(sum),
                    ..Held::default()
                }
            }
            Source::Kept(_) => {
                if let Some(cell) = self.state().cells.get(&key) {
                    return Held {
                        at: Some(cell.at),
                        claim: self.claim_on(cell),
                        is_kept,
                        picture: self.pictured(tx, &key, cell.value.open()),
                        ..self.held_datum(tx, &convert::datum(cell.value.open()))
                    };
                }
                // Nobody has written it yet: it is what the law says it is at first.
                let datum = tx.attribute(thing, value.name().as_str());
                Held {
                    is_kept,
                    ..self.held_datum(tx, &datum.unwrap_or(Datum::None))
                }
            }
        }
    }

    fn held_datum(&self, tx: &Tx, datum: &Datum) -> Held {
        Held {
            text: self.said(tx, datum),
            number: match datum {
                Datum::Int(n) => Some(*n),
                Datum::Moment(at) => Some(at.0),
                _ => None,
            },
            ..Held::default()
        }
    }

    /// An answer of the law in few words, for cells.
    pub fn said(&self, tx: &Tx, datum: &Datum) -> String {
        match datum {
            Datum::None => String::new(),
            Datum::Bool(true) => "yes".to_owned(),
            Datum::Bool(false) => "no".to_owned(),
            Datum::Moment(at) => self.when(*at).in_row(),
            Datum::List(items) => {
                let words: Vec<_> = items.iter().map(|item| self.said(tx, item)).collect();
                if items.iter().any(|item| matches!(item, Datum::Int(_))) {
                    words.join(", ")
                } else {
                    bundled(words).join(", ")
                }
            }
            other => tx.label(other),
        }
    }

    /// What is said about a value beside the value: it was put there by hand and is not settled, or somebody opposes it.
    pub fn claim_on(&self, cell: &Cell) -> Option<ClaimMark> {
        if !cell.claimed {
            return None;
        }
        let standing = self
            .state()
            .claims
            .iter()
            .find(|(id, _)| id.event() == cell.by)
            .map(|(_, claim)| claim.standing);
        match standing {
            Some(ClaimStanding::Disputed) => Some(ClaimMark::Disputed),
            Some(ClaimStanding::Claimed) => Some(ClaimMark::Claimed),
            // Where play went on from a value that was put there by hand, what it holds now came about by play.
            None | Some(ClaimStanding::Settled | ClaimStanding::Undone) => None,
        }
    }

    /// The kind of a thing; none for what is gone.
    pub fn kind_of(&self, thing: &Thing) -> Option<Name> {
        self.trial_run(|tx| tx.exists(thing).then(|| tx.kind_of(thing).ok()).flatten())
    }

    /// What a thing is called.
    pub fn called(&self, thing: &Thing) -> String {
        match thing {
            Thing::Game => self.title(),
            Thing::Player(id) => self.name(*id),
            thing => self.trial_run(|tx| tx.label(&Datum::Thing(thing.clone()))),
        }
    }

    /// A kind's word for several of its things.
    pub fn plural_of(&self, kind: &Name) -> String {
        if *kind == "Player" {
            return self.word("Players");
        }
        match self.law.entities.get(kind) {
            Some(entity) if entity.it.plural == format!("{kind}s") => {
                several(&spaced(kind.as_str()))
            }
            Some(entity) => self.themed(&entity.it.plural),
            None => several(&spaced(kind.as_str())),
        }
    }

    /// A kind's word for one of its things.
    pub fn singular_of(&self, kind: &Name) -> String {
        kind_title(self.state(), &self.law, kind)
    }
}

/// What stands in place of a value whose code breaks.
fn broken(why: String) -> Held {
    Held {
        text: "doesn’t work".to_owned(),
        broken: Some(why),
        ..Held::default()
    }
}

/// A word for one as the word for several, where the law gives none: "Scratch" as "Scratches".
pub fn several(one: &str) -> String {
    let is_hissed = ["ch", "sh", "x", "z"].iter().any(|end| one.ends_with(end));
    let stem = one.strip_suffix('y');
    match stem.filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u'])) {
        Some(stem) => format!("{stem}ies"),
        None if one.ends_with('s') => one.to_owned(),
        None if is_hissed => format!("{one}es"),
        None => format!("{one}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_of_a_kind_have_their_word() {
        let words = ["Post", "Scratch", "Entry", "Relay", "Spoils"].map(several);
        assert_eq!(words, ["Posts", "Scratches", "Entries", "Relays", "Spoils"]);
    }
}
