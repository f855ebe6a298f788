//! What closes a matter: the actions that take one and need nothing else.

use quorate_engine::Law;
use quorate_engine::law::At;
use quorate_engine::offers;
use quorate_engine::tx::Tx;
use quorate_kernel::{Name, PlayerId, PostId, Refusal, Thing};
use quorate_law::datum::{Datum, Type};
use quorate_law::declare::ActionDecl;

/// The actions of a law that close matters of a category: those that take one and need nothing else. Where some of them are
/// for those of an office alone, the others are none, for everybody may do something with a matter that does not close it.
pub fn closings_of<'a>(law: &'a Law, category: &Name) -> Vec<&'a At<ActionDecl>> {
    let actions = law.action_order.iter();
    let actions = actions.filter_map(|name| law.actions.get(name));
    let mut fits = actions
        .filter(|decl| needs_only(&decl.it, category))
        .peekable();
    if fits.peek().is_none() {
        return enacts_any(law);
    }
    let (of_office, of_all): (Vec<_>, Vec<_>) = fits.partition(|decl| decl.it.by.is_some());
    if of_office.is_empty() {
        of_all
    } else {
        of_office
    }
}

/// The actions of an office that take a post of any kind, need nothing else and can enact it: what closes a matter whose kind
/// no action names.
pub(crate) fn enacts_any(law: &Law) -> Vec<&At<ActionDecl>> {
    let actions = law.action_order.iter();
    let actions = actions.filter_map(|name| law.actions.get(name));
    let any = Name::from("Post");
    let fits = actions.filter(|decl| {
        needs_only(&decl.it, &any) && decl.it.by.is_some() && law.enacts.contains(&decl.it.body)
    });
    fits.collect()
}

/// Whether an action takes a matter of a category and needs nothing else.
pub(crate) fn needs_only(decl: &ActionDecl, category: &Name) -> bool {
    let mut params = decl.params.iter();
    params
        .next()
        .is_some_and(|first| matches!(&first.ty, Type::Kind(kind) if kind == category))
        && params.all(|param| param.default.is_some())
}

/// Whether the law lets somebody take an action on a matter that needs nothing but the matter.
pub fn tried_on(tx: &Tx, by: PlayerId, decl: &At<ActionDecl>, id: PostId) -> Result<(), Refusal> {
    let matter = decl.it.params.iter().take(1);
    let args = matter.map(|first| (first.name.clone(), Datum::Thing(Thing::Post(id))));
    offers::tried(tx, by, decl, args.collect())
}

/// The titles of the closings of a matter that the law would let somebody take, as it has them.
pub fn closable<'a>(tx: &Tx, law: &'a Law, by: PlayerId, id: PostId) -> Vec<&'a str> {
    let category = tx.with_state(|state| state.posts.get(&id).map(|post| post.category.clone()));
    let Some(category) = category else {
        return Vec::new();
    };
    closings_of(law, &category)
        .into_iter()
        .filter(|decl| tried_on(tx, by, decl, id).is_ok())
        .map(|decl| decl.it.title.as_str())
        .collect()
}

/// How many votes the law counts on a side of a matter, by the function that rulesets share for it: `votes(post, side)`. None
/// where it has none, or counts in secret.
pub fn votes(tx: &Tx, post: PostId, side: &str) -> Option<i64> {
    let args = vec![Datum::Thing(Thing::Post(post)), Datum::Text(side.into())];
    match tx.call(&"votes".into(), args) {
        Ok(Datum::Int(count)) => Some(count),
        _ => None,
    }
}

/// What somebody's vote on a matter counts as, by the function that rulesets share for it: `ballot(post, player)`; empty where
/// they have not voted. None where the law has no such function.
pub fn ballot(tx: &Tx, post: PostId, player: PlayerId) -> Option<String> {
    let (post, player) = (Thing::Post(post), Thing::Player(player));
    tx.law.code.signature("ballot")?;
    match tx.call(
        &"ballot".into(),
        vec![Datum::Thing(post), Datum::Thing(player)],
    ) {
        Ok(Datum::Text(word)) => Some(word.to_string()),
        _ => Some(String::new()),
    }
}
