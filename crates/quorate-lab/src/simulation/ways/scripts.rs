//! Changes as the one-off code of a proposal.

use quorate_engine::convert;
use quorate_kernel::patch::Clause;
use quorate_kernel::{PlayerId, Thing, Value};

use super::super::game::SimulatedGame;
use super::cells::ChangedKind;

/// The same change as one-off code, where there are words for it.
pub(super) fn of_change(game: &SimulatedGame, clause: &Clause) -> Option<Clause> {
    let code = match clause {
        Clause::SetValue { thing, name, value } => {
            format!("{}.{name} = {}", named(game, thing)?, written(game, value)?)
        }
        Clause::CreateThing { kind, values } if values.is_empty() => format!("{kind}.create()"),
        Clause::RenamePlayer { thing, name } => {
            format!("rename_player({}, {name:?})", named(game, thing)?)
        }
        Clause::RemovePlayer { thing, .. } => format!("depart({})", named(game, thing)?),
        Clause::AmendRule { id, .. } => {
            let rule = format!("[r for r in rules() if r.id == {:?}][0]", id.as_str());
            format!("amend({rule}, 1, \"And so it is.\")")
        }
        Clause::SetTerm { name, one, many } => {
            format!("rename({:?}, {one:?}, {many:?})", name.as_str())
        }
        Clause::SetStatus { post, status } => {
            let thing = named(game, &Thing::Post(*post))?;
            format!("close({thing}, {:?})", status.as_str())
        }
        _ => return None,
    };
    Some(Clause::Script { code: code.into() })
}

/// One-off code that changes what no other part of a patch can change.
pub(super) fn alone(game: &SimulatedGame) -> Vec<(ChangedKind, Clause)> {
    let script = |kind, code: String| (kind, Clause::Script { code: code.into() });
    let categories = game.judge.law().category_order.iter();
    let posts = categories.map(|category| {
        let category = category.as_str();
        script(ChangedKind::Post, format!("post({category:?}, \"A word\")"))
    });
    let first = game.members().first().map(|id| player(game, *id));
    let dynasty = first.map(|leader| {
        let code = format!("chronicle({leader}, begins = True)");
        script(ChangedKind::Dynasty, code)
    });
    posts.chain(dynasty).collect()
}

/// A thing as code finds it.
fn named(game: &SimulatedGame, thing: &Thing) -> Option<String> {
    match thing {
        Thing::Game => Some("game".to_owned()),
        Thing::Player(id) => Some(player(game, *id)),
        Thing::Post(id) => {
            let post = game.state().posts.get(id)?;
            let (category, title) = (&post.category, post.title.as_str());
            Some(format!(
                "[p for p in {category}.all() if p.title == {title:?}][0]"
            ))
        }
        _ => None,
    }
}

fn player(game: &SimulatedGame, id: PlayerId) -> String {
    let person = game.state().people.get(&id);
    let name = person.map_or("", |person| person.name.as_str());
    format!("[p for p in everyone() if p.name == {name:?}][0]")
}

/// A value as code writes it.
fn written(game: &SimulatedGame, value: &Value) -> Option<String> {
    let text = match value.open() {
        Value::Int(n) => n.to_string(),
        Value::Flag(true) => "True".to_owned(),
        Value::Flag(false) => "False".to_owned(),
        Value::None => "None".to_owned(),
        Value::Thing(thing) => return named(game, thing),
        Value::Word(_) => {
            let datum = convert::datum(value);
            let label: String = game.judge.query(game.now, |tx| tx.label(&datum));
            format!("{label:?}")
        }
        _ => return None,
    };
    Some(text)
}
