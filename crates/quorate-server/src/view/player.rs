//! What stands about somebody: where they are, and their figures.

use quorate_engine::offers;
use quorate_kernel::rows::CellKey;
use quorate_kernel::{PlayerId, Thing};
use quorate_law::datum::{Datum, Type};
use quorate_law::declare::ActionDecl;

use crate::ui::urls::Href;
use crate::ui::{Fact, Offer, urls};
use crate::view::game::GameView;
use crate::view::history;
use crate::view::kinds::ROSTER;

/// What somebody holds, as far as the reader may know it, computed values included: a character sheet.
pub(crate) fn facts(view: &GameView, id: PlayerId) -> Vec<Fact> {
    let thing = Thing::Player(id);
    let mut tracked = view.tracked_of(&"Player".into());
    // The dynasty's values first; what stands on the books about everybody is on the tracker.
    tracked.retain(|value| value.under() != ROSTER);
    let held = view.trial_run(|tx| {
        let held = tracked.iter().map(|value| view.held(tx, &thing, value));
        held.collect::<Vec<_>>()
    });
    let shown = tracked.iter().zip(held).filter_map(|(value, held)| {
        if held.is_hidden || matches!(held.text.as_str(), "" | "none") {
            return None;
        }
        let key = CellKey {
            thing: thing.clone(),
            name: value.name().clone(),
        };
        let mut fact = Fact::new(view.themed(&value.title()), held.text);
        if let Some(why) = held.broken {
            fact = fact.note(why);
        }
        Some(if held.is_kept {
            fact.to(history::on_tracker(view, &key))
        } else {
            fact
        })
    });
    shown.collect()
}

/// Whether the law lets somebody do something about a player that needs nothing else: let them in, for instance.
pub(crate) fn can_deal_with(view: &GameView, who: PlayerId, id: PlayerId) -> bool {
    let target = Datum::Thing(Thing::Player(id));
    view.ask(|asked| {
        let mut decls = view.law.actions.values();
        decls.any(|decl| {
            let mut params = decl.it.params.iter();
            let Some(first) = params.next() else {
                return false;
            };
            matches!(&first.ty, Type::Kind(kind) if *kind == "Player")
                && params.all(|param| param.default.is_some())
                && asked
                    .tried(who, decl, vec![(first.name.clone(), target.clone())])
                    .is_ok()
        })
    })
}

/// What the reader may do about somebody: actions whose first parameter takes a player and that the law does not refuse.
pub(crate) fn about(view: &GameView, id: PlayerId) -> Vec<Offer> {
    offers_about(view, id, |_| true)
}

/// The same, of some actions.
pub(crate) fn offers_about(
    view: &GameView,
    id: PlayerId,
    is_meant: impl Fn(&ActionDecl) -> bool,
) -> Vec<Offer> {
    let Some(me) = view.me else {
        return Vec::new();
    };
    let (game, player) = (view.game.as_str(), id.to_string());
    let player = urls::Player {
        game,
        player: &player,
    };
    let back: Href = player.into();
    let target = Datum::Thing(Thing::Player(id));
    let mut found = Vec::new();
    for name in &view.law.action_order {
        let decl = view.law.actions.get(name);
        let Some(decl) = decl.filter(|decl| is_meant(&decl.it)) else {
            continue;
        };
        let takes = decl
            .it
            .params
            .first()
            .filter(|param| matches!(&param.ty, Type::Kind(kind) if *kind == "Player"));
        let Some(first) = takes else { continue };
        let offer = view.trial_run(|tx| offers::offer_about(tx, me, decl, &target));
        let given = (first.name.as_str(), Thing::Player(id));
        found.extend(offer.map(|offer| view.offer_with(&offer, given, &back)));
    }
    found
}
