//! The pictures that stand for values and things.

use quorate_engine::tx::Tx;
use quorate_kernel::rows::CellKey;
use quorate_kernel::{Thing, Value};
use quorate_law::declare::{Holds, ShownTo, ValueDecl};

use crate::ui::urls;
use crate::ui::urls::Href;
use crate::view::game::GameView;

impl GameView {
    /// The picture that stands for a value: itself, or that of the thing it leads to. Whether the reader may see the value
    /// was asked before.
    pub(crate) fn pictured(&self, tx: &Tx, key: &CellKey, value: &Value) -> Option<Href> {
        match value {
            Value::Picture(picture) if picture.png().is_some() => {
                let (game, thing) = (self.game.as_str(), key.thing.to_string());
                let digest = picture.digest.to_string();
                let link = urls::Picture {
                    game,
                    thing: &thing,
                    name: key.name.as_str(),
                    digest: &digest,
                };
                Some(link.into())
            }
            Value::Thing(thing) => self.own_picture(tx, thing),
            _ => None,
        }
    }

    /// The picture that stands for a thing: one that it has itself, or that of something it has.
    pub(crate) fn portrait(&self, tx: &Tx, thing: &Thing) -> Option<Href> {
        if !self.has_pictures() {
            return None;
        }
        self.own_picture(tx, thing).or_else(|| {
            let is_reference = |decl: &ValueDecl| matches!(decl.holds, Holds::Reference(_));
            self.first_of(tx, thing, is_reference)
        })
    }

    fn own_picture(&self, tx: &Tx, thing: &Thing) -> Option<Href> {
        if !self.has_pictures() {
            return None;
        }
        self.first_of(tx, thing, |decl| decl.holds == Holds::Picture)
    }

    fn has_pictures(&self) -> bool {
        let mut kept = self.law.values.values();
        kept.any(|decl| decl.it.holds == Holds::Picture)
    }

    /// The first picture among those values of a thing that everybody may see and that are wanted.
    fn first_of(
        &self,
        tx: &Tx,
        thing: &Thing,
        wanted: impl Fn(&ValueDecl) -> bool,
    ) -> Option<Href> {
        let kind = tx.kind_of(thing).ok()?;
        let values = self.law.values.iter().filter(|((of, _), decl)| {
            *of == kind && decl.it.shown_to == ShownTo::All && wanted(&decl.it)
        });
        let mut found = values.filter_map(|((_, name), _)| {
            let key = CellKey {
                thing: thing.clone(),
                name: name.clone(),
            };
            let cell = self.state().cells.get(&key)?;
            let value = cell.value.open();
            let is_shown = self.sight().shown(&key);
            is_shown.then(|| self.pictured(tx, &key, value)).flatten()
        });
        found.next()
    }
}
