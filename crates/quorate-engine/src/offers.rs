//! What somebody can do: now, later with the time, or not and why.

use quorate_kernel::rows::Open;
use quorate_kernel::{Name, PlayerId, Refusal, Thing, Topic};
use quorate_law::datum::{Datum, Type};
use quorate_law::declare::{ActionDecl, CategoryDecl, Holds, Param};
use quorate_law::stop::{Site, Stop};

use crate::convert;
use crate::decide::may_abandon;
use crate::law::At;
use crate::law::lost::fault_words;
use crate::topics::guards::Attempt;
pub use crate::topics::limits::Quota;
use crate::topics::{actions, guards, labels, last_look, limits, owed, people, permission, things};
use crate::tx::{Frame, Tx};
use crate::words::WORKING_CODE;

/// An action as it is offered to a player.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// The action.
    pub action: Name,
    /// As people read it.
    pub title: String,
    /// Where it stands in the law.
    pub site: Site,
    /// What its form asks for.
    pub fields: Vec<Field>,
    /// What its limits leave.
    pub quotas: Vec<Quota>,
    /// What the law says of it to this player while it is open, such as the odds; empty where it says nothing.
    pub says: String,
    /// Whether it may be taken now; else why not, and when perhaps.
    pub open: Result<(), Refusal>,
}

/// A field of an action's form.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The parameter.
    pub name: Name,
    /// As people read it.
    pub title: String,
    /// What it takes.
    pub ty: Type,
    /// What may be picked, where that is a list; the datum and what it is called.
    pub options: Option<Vec<(Datum, String)>>,
    /// What the law says of each option, in their order, while the action is open; empty where it says nothing.
    pub remarks: Vec<String>,
    /// What it is where nothing is given.
    pub default: Option<Datum>,
}

/// The most options of a field that are listed.
const OPTIONS_MAX: usize = 500;

/// The most options of one field of which each is tried.
const PICKS_MAX: usize = 60;

/// The most ways to fill several fields in that are tried.
const WAYS_MAX: usize = 200;

/// Every action of the law as it is for a player, in law order.
pub fn offers(tx: &Tx, player: PlayerId) -> Vec<Offer> {
    let law = tx.frame().law;
    let names = law.action_order.clone();
    names
        .iter()
        .filter_map(|name| law.actions.get(name))
        .map(|decl| offer(tx, player, decl))
        .collect()
}

/// One action as it is for a player.
pub fn offer(tx: &Tx, player: PlayerId, decl: &At<ActionDecl>) -> Offer {
    let fields: Vec<Field> = decl
        .it
        .params
        .iter()
        .map(|param| field(tx, player, decl, &param.name))
        .collect();
    let open = may_now(tx, player, decl, &fields);
    made(tx, player, decl, fields, open)
}

/// The offer of these fields, where it is open with what the law says of it and of what can be picked.
fn made(
    tx: &Tx,
    player: PlayerId,
    decl: &At<ActionDecl>,
    mut fields: Vec<Field>,
    open: Result<(), Refusal>,
) -> Offer {
    let mut says = String::new();
    if open.is_ok() {
        if let Some(function) = &decl.it.says {
            says = said(tx, player, decl, function, None);
        }
        for field in &mut fields {
            field.remarks = remarks(tx, player, decl, field);
        }
    }
    Offer {
        action: decl.it.name.clone(),
        title: decl.it.title.clone(),
        site: decl.site.clone(),
        fields,
        quotas: limits::quotas(tx, &decl.it.name, &decl.it.limits, player),
        says,
        open,
    }
}

/// The frame in which the law is asked about an action that a player may take.
fn frame_of(tx: &Tx, player: PlayerId, site: &Site) -> Frame {
    Frame {
        actor: Some(player),
        site: site.clone(),
        ..tx.frame()
    }
}

/// What the law says of each option of a field.
fn remarks(tx: &Tx, player: PlayerId, decl: &At<ActionDecl>, field: &Field) -> Vec<String> {
    let mut known = decl.it.remarks.iter();
    let Some((_, function)) = known.find(|(of, _)| *of == field.name) else {
        return Vec::new();
    };
    let options = field.options.iter().flatten().take(PICKS_MAX);
    options
        .map(|(pick, _)| said(tx, player, decl, function, Some(pick)))
        .collect()
}

/// What a function of the law says to a player about an action. One that breaks or refuses says nothing: the form does not
/// hang on it.
fn said(
    tx: &Tx,
    player: PlayerId,
    decl: &At<ActionDecl>,
    function: &Name,
    pick: Option<&Datum>,
) -> String {
    let frame = frame_of(tx, player, &decl.site);
    let actor = Datum::Thing(Thing::Player(player));
    let args = std::iter::once(actor).chain(pick.cloned()).collect();
    match tx.trial(frame, || tx.call(function, args)) {
        Ok(Datum::Text(text)) => text.to_string(),
        _ => String::new(),
    }
}

/// An action as it is for a player about one thing, which its first parameter takes: what else its form asks for, and of
/// what can be picked there only what the law takes for this thing. None where the law takes nothing for it.
pub fn offer_about(
    tx: &Tx,
    player: PlayerId,
    decl: &At<ActionDecl>,
    thing: &Datum,
) -> Option<Offer> {
    let mut params = decl.it.params.iter();
    let first = params.next()?;
    let listed = options_for(tx, player, decl, first);
    if !listed.is_none_or(|options| options.contains(thing)) {
        return None;
    }
    let given = (first.name.clone(), thing.clone());
    let fields = params.map(|param| field(tx, player, decl, &param.name));
    let mut fields: Vec<Field> = fields.collect();
    let is_open = |mut args: Vec<(Name, Datum)>| {
        args.push(given.clone());
        begun(tx, player, decl, args).is_ok()
    };
    let asked: Vec<&Field> = fields
        .iter()
        .filter(|field| field.must_be_picked())
        .collect();
    if asked.is_empty() && !is_open(vec![]) || none_to_pick(tx, decl, &fields).is_err() {
        return None;
    }
    let ways = all_picks(&asked);
    if !asked.is_empty() && !ways.is_empty() {
        let open: Vec<_> = ways.iter().filter(|way| is_open((*way).clone())).collect();
        if open.is_empty() {
            return None;
        }
        for field in &mut fields {
            field.keep_picked(&ways, &open);
        }
    }
    Some(made(tx, player, decl, fields, Ok(())))
}

impl Field {
    /// Whether the form cannot be sent without it.
    fn must_be_picked(&self) -> bool {
        self.default.is_none() && !matches!(self.ty, Type::Optional(_))
    }

    /// Keeps of its options those that some open way picks, and those that no way has tried.
    fn keep_picked(&mut self, ways: &[Vec<(Name, Datum)>], open: &[&Vec<(Name, Datum)>]) {
        let Some(options) = &mut self.options else {
            return;
        };
        let picks = |way: &[(Name, Datum)], option: &Datum| {
            way.iter()
                .any(|(name, pick)| *name == self.name && pick == option)
        };
        options.retain(|(option, _)| {
            open.iter().any(|way| picks(way, option)) || !ways.iter().any(|way| picks(way, option))
        });
    }
}

fn may_now(
    tx: &Tx,
    player: PlayerId,
    decl: &At<ActionDecl>,
    fields: &[Field],
) -> Result<(), Refusal> {
    let open_fields: Vec<&Field> = fields
        .iter()
        .filter(|field| field.must_be_picked())
        .collect();
    if open_fields.is_empty() {
        return begun(tx, player, decl, vec![])
            .or_else(|refusal| some_pick_opens(tx, player, decl, fields).ok_or(refusal));
    }
    allowed(tx, player, decl)?;
    // With one thing to pick, the action is open if some pick is; the nearest refusal says why none is.
    none_to_pick(tx, decl, fields)?;
    let mut nearest: Option<Refusal> = None;
    for args in all_picks(&open_fields) {
        match begun(tx, player, decl, args) {
            Ok(()) => return Ok(()),
            Err(refusal) => {
                // Of those that time alone does not open the last stands for all: it is the newest thing's.
                let sooner = nearest.as_ref().is_none_or(|known| match known.next_at {
                    None => true,
                    Some(_) => refusal.next_at.is_some() && refusal.next_at < known.next_at,
                });
                if sooner {
                    nearest = Some(refusal);
                }
            }
        }
    }
    nearest.map_or(Ok(()), Err)
}

/// Whether the player may try the action at all, whatever is picked: who may, guards, limits.
fn allowed(tx: &Tx, player: PlayerId, decl: &At<ActionDecl>) -> Result<(), Refusal> {
    let attempt = Attempt {
        actor: player,
        action: decl.it.name.clone(),
        site: decl.site.clone(),
        post: None,
        args: vec![],
        tags: decl.it.tags.clone(),
        limits: decl.it.limits.clone(),
        body: Some(decl.it.body.clone()),
    };
    let frame = frame_of(tx, player, &decl.site);
    verdict(
        tx,
        tx.trial(frame, || permission::may(tx, &attempt, decl, &[])),
    )
}

/// Where nothing has to be picked and the bare action is refused: whether a pick for one of the fields that may stay empty
/// opens it, as a target that is named `None` at first.
fn some_pick_opens(
    tx: &Tx,
    player: PlayerId,
    decl: &At<ActionDecl>,
    fields: &[Field],
) -> Option<()> {
    let stays_empty = |field: &&Field| {
        let default = field.default.as_ref();
        default.is_none_or(|datum| matches!(datum, Datum::None) || *datum == Datum::List([].into()))
    };
    allowed(tx, player, decl).ok()?;
    let mut empty = fields.iter().filter(stays_empty);
    empty.find_map(|field| {
        let mut ways = all_picks(&[field]).into_iter();
        ways.find_map(|args| begun(tx, player, decl, args).ok())
    })
}

/// What is tried of the fields that have to be filled in: each way to fill them in, or nothing where one takes what nobody
/// can list, or where there are more ways than can be tried.
fn all_picks(fields: &[&Field]) -> Vec<Vec<(Name, Datum)>> {
    let mut ways: Vec<Vec<(Name, Datum)>> = vec![Vec::new()];
    for field in fields {
        let Some(options) = &field.options else {
            return Vec::new();
        };
        let alone = fields.len() == 1;
        let picks = picks(
            &field.ty,
            options,
            if alone { PICKS_MAX } else { WAYS_MAX + 1 },
        );
        if !alone && ways.len() * picks.len() > WAYS_MAX {
            return Vec::new();
        }
        ways = ways
            .iter()
            .flat_map(|way| {
                picks.iter().map(move |pick| {
                    let mut way = way.clone();
                    way.push((field.name.clone(), pick.clone()));
                    way
                })
            })
            .collect();
    }
    ways
}

/// What is tried of a field's options: each, or of a list each alone, all together, and none.
fn picks(ty: &Type, options: &[(Datum, String)], most: usize) -> Vec<Datum> {
    let each = options.iter().take(most).map(|(datum, _)| datum);
    if !matches!(ty, Type::List(_)) {
        return each.cloned().collect();
    }
    let list = |items: &mut dyn Iterator<Item = &Datum>| Datum::List(items.cloned().collect());
    let mut lists: Vec<Datum> = each.map(|one| list(&mut [one].into_iter())).collect();
    lists.push(list(&mut options.iter().map(|(datum, _)| datum)));
    lists.push(list(&mut [].into_iter()));
    lists
}

fn none_to_pick(tx: &Tx, decl: &At<ActionDecl>, fields: &[Field]) -> Result<(), Refusal> {
    let empty = fields.iter().find(|field| {
        field.default.is_none()
            && !matches!(field.ty, Type::Optional(_) | Type::List(_))
            && field.options.as_ref().is_some_and(Vec::is_empty)
    });
    match empty {
        Some(field) => {
            let what = actions::to_pick(tx, &field.title, &field.ty);
            Err(tx
                .refusal_at(&decl.site, &what)
                .about(Topic::NothingToPick {
                    argument: field.name.clone(),
                    is_telling: actions::is_telling(&field.title),
                }))
        }
        None => Ok(()),
    }
}

/// Whether a player may give up an action of theirs that waits for an answer.
pub fn may_give_up(tx: &Tx, player: PlayerId, action: &Name, open: &Open) -> Result<(), Refusal> {
    let frame = Frame {
        actor: Some(player),
        ..tx.frame()
    };
    verdict(
        tx,
        tx.trial(frame.clone(), || {
            may_abandon(tx, &frame, action, open).map_err(Stop::refused)
        }),
    )
}

/// Tries an action up to its first die, question or end: whether the law refuses it with these arguments.
pub fn tried(
    tx: &Tx,
    player: PlayerId,
    decl: &At<ActionDecl>,
    args: Vec<(Name, Datum)>,
) -> Result<(), Refusal> {
    tried_as(tx, player, decl, args, owed::check)
}

/// The same of a form in which more may be filled in than these.
fn begun(
    tx: &Tx,
    player: PlayerId,
    decl: &At<ActionDecl>,
    args: Vec<(Name, Datum)>,
) -> Result<(), Refusal> {
    tried_as(tx, player, decl, args, owed::check_begun)
}

fn tried_as(
    tx: &Tx,
    player: PlayerId,
    decl: &At<ActionDecl>,
    args: Vec<(Name, Datum)>,
    check: impl Fn(&Tx, &Name, PlayerId, &[(Name, Datum)]) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let frame = frame_of(tx, player, &decl.site);
    verdict(
        tx,
        tx.trial(frame, || {
            let action = &decl.it.name;
            actions::check_not_open(tx, action, player).map_err(Stop::refused)?;
            check(tx, action, player, &args).map_err(Stop::refused)?;
            actions::act(tx, action, player, args, &[])?;
            last_look::check(tx)
        }),
    )
}

fn verdict(tx: &Tx, answer: Result<(), Stop>) -> Result<(), Refusal> {
    match answer {
        Ok(()) | Err(Stop::Asks(_)) => Ok(()),
        Err(Stop::Refused(refusal)) => Err(*refusal),
        Err(Stop::Broken(fault)) => {
            tx.broke(&fault.site, &fault);
            let refusal = tx.refusal_at(&fault.site, WORKING_CODE);
            let said = tx.with_state(|state| fault_words(state, &fault));
            let topic = Topic::BrokenCode { in_line: false };
            Err(refusal.about(topic).having(said))
        }
    }
}

fn field(tx: &Tx, player: PlayerId, decl: &At<ActionDecl>, name: &Name) -> Field {
    let param = decl
        .it
        .params
        .iter()
        .find(|param| param.name == *name)
        .expect("the name is of a parameter of this action");
    let options = options_for(tx, player, decl, param);
    Field {
        name: name.clone(),
        title: quorate_law::readable(name.as_str()),
        ty: param.ty.clone(),
        options: options.map(|options| labelled(tx, options)),
        remarks: Vec::new(),
        default: param.default.clone(),
    }
}

/// What a player may pick for the first parameter of an action; none where it is not listed.
pub fn first_options(tx: &Tx, player: PlayerId, decl: &At<ActionDecl>) -> Option<Vec<Datum>> {
    options_for(tx, player, decl, decl.it.params.first()?)
}

/// What a player may pick for a parameter of an action; none where it is not listed.
fn options_for(
    tx: &Tx,
    player: PlayerId,
    decl: &At<ActionDecl>,
    param: &Param,
) -> Option<Vec<Datum>> {
    let mut listed = decl.it.options.iter();
    let Some((_, function)) = listed.find(|(of, _)| *of == param.name) else {
        return all_of(tx, &decl.site.rule, &decl.it.admits, &param.ty);
    };
    let frame = frame_of(tx, player, &decl.site);
    let answer = tx.trial(frame, || {
        tx.call(function, vec![Datum::Thing(Thing::Player(player))])
    });
    match answer {
        Ok(Datum::List(items)) => Some(items.to_vec()),
        _ => None,
    }
}

/// What may be picked for a tracked value of a post, such as a field of its category's form: the words of a choice,
/// or everything of its type that can be listed. `rule` is the one that asks who counts as a player.
pub fn options_of(tx: &Tx, rule: &Name, ty: &Type, holds: &Holds) -> Option<Vec<(Datum, String)>> {
    let options = match holds {
        Holds::Choice(words) => words
            .iter()
            .map(|word| Datum::Text(word.as_str().into()))
            .collect(),
        _ => all_of(tx, rule, &[], ty)?,
    };
    Some(labelled(tx, options))
}

/// Why a player may not post in a category at all now, whatever the post says; guards that look at the post itself
/// speak when there is one.
pub fn may_post(tx: &Tx, player: PlayerId, decl: &At<CategoryDecl>) -> Result<(), Refusal> {
    let name = Name::from(format!("post {}", decl.it.name));
    let attempt = guards::built_in(tx, &name, player, None, vec![]);
    let frame = frame_of(tx, player, &decl.site);
    verdict(
        tx,
        tx.trial(frame, || {
            permission::who(tx, &attempt, decl.it.by.as_ref(), &decl.it.admits)?;
            limits::check(tx, &name, &decl.it.limits, player, &decl.site)
        }),
    )
}

fn labelled(tx: &Tx, options: Vec<Datum>) -> Vec<(Datum, String)> {
    options
        .into_iter()
        .take(OPTIONS_MAX)
        .map(|datum| (datum.clone(), labels::label(tx, &datum)))
        .collect()
}

/// Everything of a type that can be listed.
fn all_of(tx: &Tx, rule: &Name, admits: &[Name], ty: &Type) -> Option<Vec<Datum>> {
    match ty {
        Type::Optional(inner) | Type::List(inner) => all_of(tx, rule, admits, inner),
        Type::Kind(kind) if *kind == "Player" => {
            let players = people::players_for(tx, rule, admits).unwrap_or_default();
            let players = players.into_iter();
            Some(players.map(|id| Datum::Thing(Thing::Player(id))).collect())
        }
        Type::Kind(kind) if *kind == "Rule" => {
            let rules = tx.with_state(|state| {
                state
                    .rules_in_order()
                    .into_iter()
                    .filter(|(_, rule)| rule.section != quorate_kernel::law::LIBRARY)
                    .map(|(id, _)| Datum::Thing(Thing::Rule(id.clone())))
                    .collect()
            });
            Some(rules)
        }
        Type::Kind(kind) => Some(
            things::things_of(tx, kind)
                .into_iter()
                .map(Datum::Thing)
                .collect(),
        ),
        Type::Square => {
            let law = tx.frame().law;
            let mut squares = Vec::new();
            for (name, board) in &law.boards {
                for row in 0..board.it.rows.len() {
                    for column in 0..board.it.columns.len() {
                        let number = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
                        squares.push(Datum::Square(quorate_kernel::Square {
                            board: name.clone(),
                            column: number(column),
                            row: number(row),
                        }));
                    }
                }
            }
            Some(squares)
        }
        _ => None,
    }
}

/// A field's default in words.
pub fn default_words(field: &Field) -> String {
    field
        .default
        .as_ref()
        .map(convert::describe)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
