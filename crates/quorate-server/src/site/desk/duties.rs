//! What an office lets the reader do about somebody.

use std::collections::BTreeSet;

use quorate_kernel::{Name, PlayerId};
use quorate_law::declare::ActionDecl;

use crate::ui::urls::Href;
use crate::ui::{Form, Offer, urls};
use crate::view::game::GameView;
use crate::view::player;

/// The reader's duties about somebody: what an office lets them do by a button alone.
pub(crate) fn duties(view: &GameView, offices: &BTreeSet<&Name>, id: PlayerId) -> Vec<Form> {
    let of_office = |decl: &ActionDecl| decl.by.as_ref().is_some_and(|by| offices.contains(by));
    let offers = player::offers_about(view, id, of_office).into_iter();
    offers
        .filter(simple)
        .filter_map(|offer| offer.open.ok())
        .map(to_desk(view))
        .collect()
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
