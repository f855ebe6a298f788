//! Actions that the law declares: what they are given, the tests before them, the deed and the hooks after it.

use std::sync::Arc;

use quorate_kernel::rows::{Open, OpenKey};
use quorate_kernel::{Name, PlayerId, Refusal, Thing, Topic};
use quorate_law::datum::{Datum, Type};
use quorate_law::declare::ActionDecl;
use quorate_law::stop::{Answer, Stop};
use quorate_law::with_article;

use super::guards::Attempt;
use super::{built_in_acts, hooks, labels, limits, permission, things};
use crate::convert;
use crate::law::At;
use crate::tx::{Frame, Tx};

/// Takes an action: all tests but those waived, then the body and the hooks after it.
pub(crate) fn act(
    tx: &Tx,
    action: &Name,
    actor: PlayerId,
    args: Vec<(Name, Datum)>,
    waive: &[Name],
) -> Answer<()> {
    let law = tx.frame().law;
    let Some(decl) = law.actions.get(action).cloned() else {
        return built_in_acts::attempt(tx, action, actor, args);
    };
    let args = arguments(tx, &decl, args)?;
    let attempt = attempt_of(&decl, actor, &args);
    permission::may(tx, &attempt, &decl, waive)?;
    let stranger = permission::stranger(tx, &attempt, &decl)?;
    let mut given = vec![Datum::Thing(Thing::Player(actor))];
    given.extend(args.into_iter().map(|(_, datum)| datum));
    let trial = tx.frame().trial;
    let frame = Frame {
        actor: Some(actor),
        site: decl.site.clone(),
        action: Some(action.clone()),
        law: Arc::clone(&law),
        trial,
    };
    tx.within(frame, || {
        tx.call(&decl.it.body, given.clone())?;
        // The rule's own words about them go before these.
        stranger.map_or(Ok(()), Err)?;
        limits::use_up(tx, action, &decl.it.limits, actor);
        hooks_after(tx, &decl, &given)
    })
}

/// Refuses to begin an action that the player has begun already, and that waits for an answer.
pub(crate) fn check_not_open(tx: &Tx, action: &Name, player: PlayerId) -> Result<(), Refusal> {
    let key = OpenKey {
        who: player,
        action: action.clone(),
    };
    if tx.row::<Open>(&key).is_none() {
        return Ok(());
    }
    let Some(decl) = tx.law.actions.get(action) else {
        return Err(Refusal::no_action(action));
    };
    let what = "an answer to the question that this action waits for, or to give it up";
    Err(tx.refusal_at(&decl.site, what))
}

fn attempt_of(decl: &At<ActionDecl>, actor: PlayerId, args: &[(Name, Datum)]) -> Attempt {
    let post = args.iter().find_map(|(_, datum)| {
        if let Datum::Thing(Thing::Post(id)) = datum {
            Some(*id)
        } else {
            None
        }
    });
    Attempt {
        actor,
        action: decl.it.name.clone(),
        site: decl.site.clone(),
        post,
        args: args.to_vec(),
        tags: decl.it.tags.clone(),
        limits: decl.it.limits.clone(),
        body: Some(decl.it.body.clone()),
    }
}

/// Runs the hooks on an action. A hook is given the action's arguments that it has parameters for, by their names.
fn hooks_after(tx: &Tx, decl: &At<ActionDecl>, given: &[Datum]) -> Answer<()> {
    // The law that judged the action has its hooks, though the action may have changed the law.
    let law = Arc::clone(&tx.law);
    let of_action = |name: &Name| {
        decl.it
            .params
            .iter()
            .position(|param| param.name == *name)
            .map(|index| index + 1)
    };
    for hook in law.after.iter().filter(|hook| hook.it.on == decl.it.name) {
        let params = law
            .code
            .signature(hook.it.hook.as_str())
            .map(|signature| signature.params.clone())
            .unwrap_or_default();
        let args = params.iter().enumerate().map(|(index, param)| {
            let at = if index == 0 {
                Some(0)
            } else {
                of_action(&param.name).or(Some(index))
            };
            at.and_then(|at| given.get(at)).cloned().unwrap_or_default()
        });
        hooks::run(tx, &hook.site, &hook.it.hook, args.collect())?;
    }
    Ok(())
}

/// The arguments of an action in the order of its parameters, each of its type.
fn arguments(
    tx: &Tx,
    decl: &At<ActionDecl>,
    mut given: Vec<(Name, Datum)>,
) -> Answer<Vec<(Name, Datum)>> {
    let mut args = Vec::with_capacity(decl.it.params.len());
    for param in &decl.it.params {
        let index = given.iter().position(|(name, _)| *name == param.name);
        let datum = match (index.map(|index| given.remove(index).1), &param.default) {
            (Some(datum), _) => datum,
            (None, Some(default)) => default.clone(),
            (None, None) if matches!(param.ty, Type::Optional(_)) => Datum::None,
            (None, None) => {
                return Err(bad_argument(
                    tx,
                    decl,
                    param.name.as_str(),
                    &param.ty,
                    "nothing",
                ));
            }
        };
        if !argument_fits(tx, &param.ty, &datum) {
            let have = match &datum {
                Datum::Thing(thing) if !things::is_there(tx, thing) => {
                    "one that is gone".to_owned()
                }
                there => labels::label(tx, there),
            };
            return Err(bad_argument(
                tx,
                decl,
                param.name.as_str(),
                &param.ty,
                &have,
            ));
        }
        args.push((param.name.clone(), datum));
    }
    if let Some((name, _)) = given.first() {
        let known: Vec<_> = decl
            .it
            .params
            .iter()
            .map(|param| param.name.as_str())
            .collect();
        let what = format!("only what {} asks for: {}", decl.it.title, known.join(", "));
        let mut refusal = tx.refusal_at(&decl.site, &what);
        refusal.needs[0].have = name.to_string();
        refusal.needs[0].topic = Topic::Argument(name.clone());
        return Err(Stop::refused(refusal));
    }
    Ok(args)
}

fn argument_fits(tx: &Tx, ty: &Type, datum: &Datum) -> bool {
    match (ty, datum) {
        (Type::Kind(wanted), Datum::Thing(thing)) => {
            things::is_there(tx, thing)
                && things::kind_of(tx, thing).is_ok_and(|kind| things::is_a(tx, &kind, wanted))
        }
        (Type::Optional(_), Datum::None) => true,
        (Type::Optional(inner), datum) => argument_fits(tx, inner, datum),
        (Type::List(item), Datum::List(items)) => {
            items.iter().all(|datum| argument_fits(tx, item, datum))
        }
        (ty, datum) => convert::fits(ty, datum),
    }
}

fn bad_argument(tx: &Tx, decl: &At<ActionDecl>, name: &str, ty: &Type, have: &str) -> Stop {
    let what = wanted(tx, &permission::field_label(name), ty);
    let mut refusal = tx.refusal_at(&decl.site, &what);
    refusal.needs[0].have = have.to_owned();
    refusal.needs[0].topic = Topic::Argument(name.into());
    Stop::refused(refusal)
}

/// What a field takes, for a refusal: "a Battle as Fight".
pub(crate) fn wanted(tx: &Tx, label: &str, ty: &Type) -> String {
    let type_words = convert::type_words(ty, &|kind| things::kind_word(tx, kind));
    format!("{type_words} as {label}")
}

/// Whether a field's title says what it is, and not only how it is used.
pub(crate) fn is_telling(label: &str) -> bool {
    !PREPOSITIONS.contains(&label.to_lowercase().as_str())
}

/// What an action lacks for a field where nothing can be picked: "an applicant to pick". A field that is called by how it
/// is used, such as `to`, says what it takes.
pub(crate) fn to_pick(tx: &Tx, label: &str, ty: &Type) -> String {
    let label = label.to_lowercase();
    if is_telling(&label) {
        return format!("{} to pick", with_article(&label));
    }
    match ty {
        Type::Kind(_) | Type::Square => {
            let type_words = convert::type_words(ty, &|kind| things::kind_word(tx, kind));
            format!("{type_words} to pick")
        }
        _ => format!("something to pick as {label}"),
    }
}

/// Words by which a field can be called that are no name of what it takes.
const PREPOSITIONS: [&str; 16] = [
    "about", "after", "at", "before", "by", "for", "from", "in", "into", "of", "on", "onto",
    "over", "through", "to", "with",
];

#[cfg(test)]
mod tests {
    use quorate_kernel::Value;

    use crate::tiny_game::game;

    const FEED: &str = "fish = number(\"Fish\", of = player)\n\ndef feed(actor: Player, count: int):\n    actor.fish = count\n\naction(\"feed\", feed)";

    #[test]
    fn an_action_does_what_its_body_says() {
        let mut game = game(FEED);
        game.act("feed", &[("count", Value::Int(3))])
            .expect("anybody may");
        assert_eq!(game.value("fish"), quorate_law::datum::Datum::Int(3));
    }

    #[test]
    fn what_is_missing_or_of_another_type_is_refused_under_its_name() {
        let mut game = game(FEED);
        let missing = game.act("feed", &[]).expect_err("it has no default");
        assert_eq!(missing.argument(), Some(&"count".into()));
        let word = game.act("feed", &[("count", Value::Flag(true))]);
        assert_eq!(
            word.expect_err("no number").what(),
            "a whole number as Count"
        );
        let unknown = [("count", Value::Int(1)), ("color", Value::Int(1))];
        let unknown = game.act("feed", &unknown).expect_err("it is not asked for");
        assert_eq!(unknown.argument(), Some(&"color".into()));
    }
}
