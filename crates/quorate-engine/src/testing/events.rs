//! What a test sees of an event.

use quorate_kernel::EventSeq;
use quorate_kernel::effect::{Effect, Step};
use quorate_kernel::event::Outcome;
use quorate_kernel::rows::Cell;
use quorate_law::datum::Datum;
use quorate_law::stop::Stop;

use super::{Object, Stage, fail};
use crate::convert;

/// What an event has.
const EVENT_ATTRIBUTES: [&str; 8] = [
    "dice", "sides", "notes", "effects", "clauses", "seq", "open", "hidden",
];

impl Stage {
    pub(super) fn event_attribute(
        &self,
        game: usize,
        seq: EventSeq,
        attribute: &str,
    ) -> Result<Datum, Stop> {
        let event = self.with(game, |game| {
            game.events.iter().find(|event| event.seq == seq).cloned()
        });
        let event = event.ok_or_else(|| fail(format!("there is no event {seq}")))?;
        Ok(match attribute {
            "dice" => {
                let generators = self.with(game, |game| game.judge.law().generators.clone());
                let shown = |die: &quorate_kernel::tape::Die| {
                    let index = usize::try_from(die.result - 1).unwrap_or(usize::MAX);
                    let word = generators
                        .iter()
                        .find(|g| g.it.word == die.what.as_str())
                        .and_then(|g| g.it.outcomes.get(index));
                    match word {
                        Some(word) => Datum::Text(word.as_str().into()),
                        None => i64::try_from(die.result).map_or_else(
                            |_| Datum::Text(die.result.to_string().into()),
                            Datum::Int,
                        ),
                    }
                };
                Datum::List(event.tape.dice.iter().map(shown).collect())
            }
            "notes" => Datum::List(
                event
                    .notes
                    .iter()
                    .map(|note| Datum::Text(note.text.as_str().into()))
                    .collect(),
            ),
            "sides" => Datum::List(
                event
                    .tape
                    .dice
                    .iter()
                    .map(|die| {
                        i64::try_from(die.sides).map(Datum::Int).map_err(|_| {
                            fail(format!("a die of {} sides is beyond 64 bits", die.sides))
                        })
                    })
                    .collect::<Result<_, _>>()?,
            ),
            "effects" => {
                let words = event
                    .steps
                    .iter()
                    .filter_map(|step| self.effect(game, step));
                Datum::List(words.map(|words| Datum::Text(words.into())).collect())
            }
            "clauses" => {
                let mut clauses: Vec<String> = Vec::new();
                for step in event.steps.iter().filter(|step| !step.rule.is_empty()) {
                    let clause = format!("{} {}", step.rule, step.clause);
                    if !clauses.contains(&clause) {
                        clauses.push(clause);
                    }
                }
                Datum::List(clauses.into_iter().map(|c| Datum::Text(c.into())).collect())
            }
            "seq" => Datum::Int(i64::try_from(seq.0).unwrap_or(i64::MAX)),
            "open" => Datum::Bool(matches!(event.outcome, Outcome::Opened(_))),
            "hidden" => Datum::Bool(event.act.is_given_hidden()),
            _ => {
                return Err(fail(format!(
                    "an event has no {attribute}: it has {}",
                    EVENT_ATTRIBUTES.join(", ")
                )));
            }
        })
    }

    /// What a step changed, in words: `coins of Bert: 1 → 3`. None where nothing that tests look at has changed.
    fn effect(&self, game: usize, step: &Step) -> Option<String> {
        let called = |thing| self.describe(&Object::Thing(game, thing));
        match &step.effect {
            Effect::Cell { key, old, new } => {
                let value = |cell: &Option<Cell>| {
                    let datum = cell.as_ref().map(|cell| convert::datum(cell.value.open()));
                    self.words(&self.wrap(game, &datum.unwrap_or_default()))
                };
                let (old, new) = (value(old), value(new));
                let owner = called(key.thing.clone());
                (old != new).then(|| format!("{} of {owner}: {old} → {new}", key.name))
            }
            Effect::Entity { key, old, new } => {
                let entity = new.as_ref().or(old.as_ref())?;
                let how = if new.is_some() { "made" } else { "removed" };
                Some(format!("{} {key}: {how}", entity.kind))
            }
            Effect::Post { key, old, new } => {
                let status = |post: &Option<quorate_kernel::rows::Post>| {
                    post.as_ref().map(|post| post.status.to_string())
                };
                let (old, new) = (status(old), status(new)?);
                (old.as_ref() != Some(&new)).then(|| format!("post {key}: {new}"))
            }
            Effect::Rule { key, old, new } => Some(match (old, new) {
                (None, _) => format!("rule {key}: added"),
                (_, None) => format!("rule {key}: repealed"),
                _ => format!("rule {key}: changed"),
            }),
            Effect::Person { key, old, new } => {
                let old = old.as_ref().map(|person| person.standing);
                let new = new.as_ref().map(|person| person.standing)?;
                let name = called(quorate_kernel::Thing::Player(*key));
                (old != Some(new)).then(|| format!("{name}: {}", new.as_str()))
            }
            _ => None,
        }
    }
}
