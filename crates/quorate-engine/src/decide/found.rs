//! A game begins.

use std::rc::Rc;
use std::sync::Arc;

use quorate_kernel::command::Founding;
use quorate_kernel::event::Outcome;
use quorate_kernel::law::{RANK_STEP, Rule};
use quorate_kernel::rows::{About, Person, Standing};
use quorate_kernel::tape::SeedId;
use quorate_kernel::{PlayerId, Refusal, Thing};
use quorate_law::datum::Datum;
use quorate_law::stop::Stop;

use super::draft::{Case, EventDraft, draft, finish, under_new_law};
use crate::inputs::Inputs;
use crate::memo::Caches;
use crate::names;
use crate::topics::{dynasties, new_law, people, values};
use crate::tx::{Deck, Frame, Lot, Tx};

/// Founds a game: its rules, its words, its values, its first player.
pub(crate) fn found(
    case: &Case<'_>,
    founding: &Founding,
    inputs: &Inputs<'_>,
) -> Result<EventDraft, Refusal> {
    let Case { state, command, .. } = case;
    if !state.about.is_empty() {
        return Err(Refusal::plain("a game that has not been founded yet"));
    }
    if founding.title.trim().is_empty() || founding.title.chars().count() > 120 {
        return Err(Refusal::plain("a title of 1 to 120 characters"));
    }
    names::check(state, founding.founder.as_str(), None)?;
    let text = write_text(case, founding);
    let law = case.laws.law(&text.state());
    let id = SeedId {
        player: None,
        key: command.key.clone(),
    };
    let lot = Lot::of(&inputs.secret, state, &id, false);
    let (ruleset, deck) = (text.state(), Deck::seeded(lot));
    let tx = Tx::new(
        &ruleset,
        case.seq,
        command.at,
        &law,
        deck,
        Caches::default(),
    );
    let frame = Frame::of(&law);
    let begun = tx.within(frame.clone(), || {
        dynasties::commit_to_dice(&tx);
        new_law::bring_terms(&tx, &law);
        let founder = PlayerId(tx.make_id()?);
        values::write_defaults(&tx, &Thing::Game, &"Game".into());
        write_founder(&tx, founder, founding);
        people::admit(&tx, founder)?;
        tx.happen(
            "founded",
            "Game",
            vec![
                Datum::Thing(Thing::Game),
                Datum::Thing(Thing::Player(founder)),
            ],
        );
        finish(&tx)
    });
    match begun {
        Ok(()) => {}
        Err(Stop::Refused(refusal)) => return Err(*refusal),
        Err(Stop::Broken(fault)) => {
            return Err(Refusal::plain(format!(
                "a rulebook whose founding works: {}",
                fault.text
            )));
        }
        Err(Stop::Asks(question)) => {
            return Err(Refusal::plain(format!(
                "a rulebook that asks nothing at its founding: {}",
                question.what
            )));
        }
    }
    tx.within(frame.clone(), || under_new_law(&tx, &law));
    let mut draft = draft(&tx, Outcome::Done, frame);
    let mut steps = text.finish().steps;
    steps.append(&mut draft.steps);
    draft.steps = steps;
    draft.new_law = Some(law);
    Ok(draft)
}

/// Writes the ruleset into an empty game.
fn write_text(case: &Case<'_>, founding: &Founding) -> Rc<Tx> {
    let (state, seq, at) = (case.state, case.seq, case.command.at);
    let empty = case.laws.law(state);
    let tx = Tx::new(state, seq, at, &empty, Deck::nowhere(), Caches::default());
    let about = About {
        title: founding.title.trim().to_owned(),
        rulebook: founding.rulebook.clone(),
        edition: founding.edition,
        founded_at: at,
        new_rules: founding.new_rules.clone(),
        unnamed: founding.unnamed.clone(),
    };
    tx.put((), about);
    for (name, section) in &founding.sections {
        tx.put(name.clone(), section.clone());
    }
    for (name, term) in &founding.terms {
        tx.put(name.clone(), term.clone());
    }
    let mut rank = 0;
    for rule in &founding.rules {
        rank += RANK_STEP;
        let row = Rule {
            section: rule.section.clone(),
            parent: rule.parent.clone(),
            rank,
            title: rule.title.clone(),
            text: Arc::clone(&rule.text),
            active: rule.active,
            tags: rule.tags.clone(),
            changed_by: seq,
        };
        tx.put(rule.id.clone(), row);
    }
    tx
}

fn write_founder(tx: &Tx, id: PlayerId, founding: &Founding) {
    let person = Person {
        name: founding.founder.clone(),
        standing: Standing::Applicant,
        applied_at: tx.now,
        joined_at: None,
        left_at: None,
        seen_at: tx.now,
    };
    tx.put(id, person);
}
