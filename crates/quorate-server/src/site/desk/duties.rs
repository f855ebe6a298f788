//! What an office lets the reader do about somebody.

use std::collections::{BTreeMap, BTreeSet};

use quorate_engine::law::At;
use quorate_kernel::{Name, PlayerId, Thing};
use quorate_law::datum::Datum;
use quorate_law::declare::ActionDecl;

use crate::ui::urls::Href;
use crate::ui::{Form, Offer, urls};
use crate::view::game::GameView;
use crate::view::player;

/// What the reader's offices let them do about people.
pub(crate) struct Duties<'a> {
    view: &'a GameView,
    /// The actions of those offices that take a player first, each with whom it takes; anybody where that is not listed.
    actions: BTreeMap<&'a Name, Option<Vec<Datum>>>,
}

impl<'a> Duties<'a> {
    /// Those of some offices.
    pub(crate) fn of(view: &'a GameView, offices: &BTreeSet<&Name>) -> Self {
        let is_of_office =
            |decl: &ActionDecl| decl.by.as_ref().is_some_and(|by| offices.contains(by));
        let decls = view.law().actions.values();
        let decls = decls.filter(|decl| is_of_office(&decl.it));
        let actions = view.ask(|asked| {
            let with_options = |decl: &'a At<ActionDecl>| {
                let me = view.me()?;
                Some((&decl.it.name, asked.first_options(me, decl)))
            };
            decls.filter_map(with_options).collect()
        });
        Self { view, actions }
    }

    /// What they let the reader do about somebody by a button alone.
    pub(crate) fn about(&self, id: PlayerId) -> Vec<Form> {
        let target = Datum::Thing(Thing::Player(id));
        let takes = |decl: &ActionDecl| {
            let listed = self.actions.get(&decl.name);
            listed.is_some_and(|listed| listed.as_ref().is_none_or(|all| all.contains(&target)))
        };
        let offers = player::offers_about(self.view, id, takes).into_iter();
        offers
            .filter(simple)
            .filter_map(|offer| offer.open.ok())
            .map(to_desk(self.view))
            .collect()
    }
}

/// An offer that a button alone can take: nothing has to be filled in.
pub(crate) fn simple(offer: &Offer) -> bool {
    let closes = |form: &Form| form.fields.iter().all(|field| field.optional);
    offer.open.as_ref().is_ok_and(closes)
}

/// The same form, coming back to the desk.
pub(crate) fn to_desk(view: &GameView) -> impl Fn(Form) -> Form + use<> {
    let back = Href::from(urls::Desk {
        game: view.game().as_str(),
    });
    move |mut form| {
        form.fields.clear();
        for (name, value) in &mut form.send.along {
            if name == "back" {
                back.as_str().clone_into(value);
            }
        }
        form.expected = true;
        form
    }
}
