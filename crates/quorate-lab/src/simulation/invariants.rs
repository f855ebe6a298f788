//! What must hold after every step, and of the whole log when all is over.

use std::sync::Arc;

use quorate_engine::LawCache;
use quorate_engine::convert;
use quorate_engine::judge::{Head, Judge};
use quorate_engine::law::Law;
use quorate_kernel::chance;
use quorate_kernel::effect::Effect;
use quorate_kernel::event::Event;
use quorate_kernel::record;
use quorate_kernel::rows::{CellKey, Standing};
use quorate_kernel::state::State;
use quorate_kernel::{Name, PostId, Thing, Value};
use quorate_law::datum::Datum;
use quorate_law::declare::{Holds, ValueDecl};
use quorate_runtime::in_process::{self, InProcess};

/// The secret under which the dice of simulations fall.
pub(super) const SECRET: [u8; 32] = [11; 32];

/// A refusal changes nothing.
pub(super) fn unchanged(before: &State, head: Head, judge: &Judge) -> Result<(), String> {
    if judge.state() != before {
        return Err("a refusal changed the state".to_owned());
    }
    if judge.head() != head {
        return Err("a refusal moved the end of the log".to_owned());
    }
    Ok(())
}

/// What an event must be, and what must hold after it. Code that chance has `mutated` may count votes as it likes.
pub(super) fn after(
    before: &State,
    head: Head,
    event: &Event,
    judge: &Judge,
    new_law: bool,
    mutated: bool,
) -> Result<(), String> {
    chained(head, event, judge)?;
    dice_follow(before, event)?;
    let mut folded = before.clone();
    let effects = event.steps.iter().map(|step| &step.effect);
    folded
        .apply_all(effects)
        .map_err(|mismatch| format!("the event does not fold: {mismatch}"))?;
    if folded != *judge.state() {
        return Err("the event folds to another state than the judge holds".to_owned());
    }
    if judge.next_due().is_some_and(|due| due < event.at) {
        return Err(format!(
            "something is due at {:?}, before the event at {}",
            judge.next_due(),
            event.at
        ));
    }
    if judge.law().digest != judge.state().law_digest() {
        return Err("the judge's law is not the law of its state".to_owned());
    }
    let stands = judge.state();
    if new_law {
        stands
            .cells
            .iter()
            .try_for_each(|(key, cell)| in_range(stands, judge.law(), key, &cell.value))?;
    }
    for step in &event.steps {
        match &step.effect {
            Effect::Cell { key, .. } if !new_law => {
                if let Some(cell) = stands.cells.get(key) {
                    in_range(stands, judge.law(), key, &cell.value)?;
                }
            }
            Effect::Comment {
                key, new: Some(_), ..
            } if !mutated => one_vote_each(judge, key.post)?,
            _ => {}
        }
    }
    Ok(())
}

fn chained(head: Head, event: &Event, judge: &Judge) -> Result<(), String> {
    let record = record::encode(event);
    if event.seq != head.seq.next() || event.previous != head.hash || event.at < head.at {
        return Err("the event does not follow from the one before".to_owned());
    }
    if judge.head().hash != record::hash(&record.open) {
        return Err("the judge's head is not the hash of the event".to_owned());
    }
    let mut read = record::decode(&record.open)
        .map_err(|error| format!("the event does not read back: {error}"))?;
    record::restore(&mut read, &|digest| {
        record
            .seals
            .iter()
            .find(|seal| seal.digest == digest)
            .cloned()
    });
    if read != *event || record::encode(&read) != record {
        return Err("the event reads back as another".to_owned());
    }
    Ok(())
}

/// A tracked value is what its declaration says.
fn in_range(state: &State, law: &Law, key: &CellKey, value: &Value) -> Result<(), String> {
    let kind = match &key.thing {
        Thing::Game => Name::from("Game"),
        Thing::Player(_) => Name::from("Player"),
        Thing::Entity(id) => state
            .entities
            .get(id)
            .map(|entity| entity.kind.clone())
            .unwrap_or_default(),
        Thing::Post(id) => state
            .posts
            .get(id)
            .map(|post| post.category.clone())
            .unwrap_or_default(),
        Thing::Comment(..) => Name::from("Comment"),
        Thing::Row(row) => row.table.clone(),
        Thing::Rule(_) => Name::from("Rule"),
    };
    let Some(decl) = law.value(&kind, key.name.as_str()) else {
        return Ok(());
    };
    let datum = convert::datum(value);
    if fits(&decl.it, &datum) && decl.it.allows(&datum) && points_right(state, &decl.it, &datum) {
        return Ok(());
    }
    Err(format!(
        "{} of {} is {value:?}, which {:?} does not allow",
        key.name, key.thing, decl.it.holds
    ))
}

/// A reference points at a thing of its kind. A post may have changed its category since.
fn points_right(state: &State, decl: &ValueDecl, datum: &Datum) -> bool {
    match (&decl.holds, datum) {
        (Holds::Reference(kind), Datum::Thing(Thing::Entity(id))) => {
            let entity = state.entities.get(id);
            entity.is_none_or(|entity| entity.kind == *kind)
        }
        _ => true,
    }
}

fn fits(decl: &ValueDecl, datum: &Datum) -> bool {
    match (&decl.holds, datum) {
        (Holds::Number { min, max, .. }, Datum::Int(n)) => {
            min.is_none_or(|min| *n >= min) && max.is_none_or(|max| *n <= max)
        }
        (Holds::Choice(options), Datum::Text(word)) => {
            options.iter().any(|option| *option == **word)
        }
        (Holds::Moment, Datum::Moment(_) | Datum::None)
        | (Holds::Picture, Datum::Picture(_) | Datum::None)
        | (Holds::Reference(_), Datum::Thing(_) | Datum::None)
        | (Holds::Place { .. }, Datum::Square(_) | Datum::None)
        | (Holds::Text, Datum::Text(_))
        | (Holds::Flag, Datum::Bool(_))
        | (Holds::Ledger { .. }, _) => true,
        (Holds::Listing { unique, .. }, Datum::List(items)) => {
            !unique
                || items
                    .iter()
                    .enumerate()
                    .all(|(at, item)| !items[..at].contains(item))
        }
        _ => false,
    }
}

/// Nobody's vote counts twice under the code of a rulebook: the votes for and against a matter are no more than there are people
/// who are members or were some day, for a count may be final while its voters leave.
fn one_vote_each(judge: &Judge, post: PostId) -> Result<(), String> {
    let law = judge.law();
    let Some(row) = judge.state().posts.get(&post) else {
        return Ok(());
    };
    let votable = law
        .categories
        .get(&row.category)
        .is_some_and(|decl| !decl.it.icons.is_empty());
    if !votable || law.code.signature("votes").is_none() || row.closed_at.is_some() {
        return Ok(());
    }
    let mut counted = 0;
    for side in ["for", "against"] {
        let args = vec![Datum::Thing(Thing::Post(post)), Datum::Text(side.into())];
        match judge.query(judge.head().at, |tx| tx.call(&Name::from("votes"), args)) {
            Ok(Datum::Int(n)) => counted += n,
            // A law that play has changed may count otherwise, or break while it counts.
            _ => return Ok(()),
        }
    }
    let people = judge.state().people.values();
    let voters = people
        .filter(|person| person.standing != Standing::Applicant)
        .count();
    if usize::try_from(counted).is_ok_and(|counted| counted <= voters) {
        return Ok(());
    }
    Err(format!(
        "{counted} votes of {voters} people are counted on post {post}"
    ))
}

/// Every die that fell follows from the key that was committed to.
fn dice_follow(before: &State, event: &Event) -> Result<(), String> {
    let key = chance::current_key(&SECRET, before);
    let fell = chance::fallen(before, event);
    match fell.iter().find(|fallen| !fallen.follows_from(&key)) {
        None => Ok(()),
        Some(astray) => Err(format!(
            "the die for \"{}\" follows from no key: it shows {}",
            astray.die.what, astray.die.result
        )),
    }
}

/// Of the whole log: it folds to the state, and judged again on its own tapes it comes to the same events.
pub(super) fn whole(judge: &Judge, laws: &Arc<LawCache>, events: &[Event]) -> Result<(), String> {
    folds(judge, events)?;
    in_process::judged_again(&InProcess::new(laws), events, &SECRET)
}

/// The whole log folds to the state, and so does a snapshot of it.
pub(super) fn folds(judge: &Judge, events: &[Event]) -> Result<(), String> {
    let effects = events
        .iter()
        .flat_map(|event| event.steps.iter().map(|step| &step.effect));
    let folded =
        State::fold(effects).map_err(|mismatch| format!("the log does not fold: {mismatch}"))?;
    if folded.digest() != judge.state().digest() {
        return Err("the log folds to another state than the one that was played".to_owned());
    }
    let snapshot =
        record::decode_state(&record::encode_state(&folded)).map_err(|error| error.to_string())?;
    let again = State::fold(&snapshot)
        .map_err(|mismatch| format!("the snapshot does not fold: {mismatch}"))?;
    if again.digest() != folded.digest() {
        return Err("a snapshot holds another state than it was taken of".to_owned());
    }
    Ok(())
}

/// The law in force, of which much was kept from versions before, is the one that is compiled from nothing.
pub(super) fn law_from_nothing(judge: &Judge) -> Result<(), String> {
    let (kept, fresh) = (judge.law(), Law::of(judge.state()));
    let parts = [
        ("its digest", kept.digest == fresh.digest),
        ("its text", kept.code.text() == fresh.code.text()),
        ("what sleeps", kept.asleep == fresh.asleep),
        ("its warnings", kept.warnings == fresh.warnings),
        ("what functions read", kept.reads == fresh.reads),
        ("what enacts", kept.enacts == fresh.enacts),
        ("what leans on lost names", kept.leans == fresh.leans),
        ("what breaks", kept.breaking == fresh.breaking),
        ("its lost values", kept.lost_values == fresh.lost_values),
        ("where rules stand", kept.places == fresh.places),
        ("its actions", kept.action_order == fresh.action_order),
        ("its values", kept.value_order == fresh.value_order),
    ];
    match parts.iter().find(|(_, same)| !same) {
        None => Ok(()),
        Some((what, _)) => Err(format!(
            "compiled from nothing, the law is another: {what} differs"
        )),
    }
}
