//! A game begins.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use quorate_kernel::command::{Command, Founding};
use quorate_kernel::effect::Way;
use quorate_kernel::event::Outcome;
use quorate_kernel::law::{RANK_STEP, Rule};
use quorate_kernel::rows::{About, Person, Standing};
use quorate_kernel::state::{Effect, State};
use quorate_kernel::tape::SeedId;
use quorate_kernel::{EventSeq, PlayerId, Refusal, Thing};
use quorate_law::datum::Datum;
use quorate_law::stop::{Site, Stop};

use super::{Draft, draft, finish, under_new_law};
use crate::judge::Inputs;
use crate::law::Law;
use crate::lens::Caches;
use crate::names;
use crate::tx::{Deck, Frame, Lot, Tx};

/// Founds a game: its rules, its words, its values, its first player.
pub(crate) fn found(
    state: &State,
    seq: EventSeq,
    command: &Command,
    founding: &Founding,
    inputs: &Inputs<'_>,
) -> Result<Draft, Refusal> {
    if !state.about.is_empty() {
        return Err(Refusal::plain("a game that has not been founded yet"));
    }
    if founding.title.trim().is_empty() || founding.title.chars().count() > 120 {
        return Err(Refusal::plain("a title of 1 to 120 characters"));
    }
    names::check(state, founding.founder.as_str(), None)?;
    let text = write_text(state, seq, command, founding);
    let law = Arc::new(Law::of(&text.state()));
    let caches = Rc::new(RefCell::new(Caches::default()));
    let id = SeedId {
        player: None,
        key: command.key.clone(),
    };
    let lot = Lot::of(&inputs.secret, state, &id, false);
    let tx = Tx::new(
        &text.state(),
        seq,
        command.at,
        &law,
        Deck::seeded(lot),
        &caches,
    );
    let frame = Frame {
        actor: None,
        site: Site::default(),
        action: None,
        law: Arc::clone(&law),
        trial: false,
    };
    let begun = tx.within(frame.clone(), || {
        tx.commit_to_dice();
        tx.bring_terms(&law);
        let founder = PlayerId(tx.make_id());
        tx.write_defaults(&Thing::Game, &"Game".into());
        write_founder(&tx, founder, founding);
        tx.admit_person(founder)?;
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
fn write_text(state: &State, seq: EventSeq, command: &Command, founding: &Founding) -> Rc<Tx> {
    let caches = Rc::new(RefCell::new(Caches::default()));
    let empty = Arc::new(Law::of(state));
    let tx = Tx::new(state, seq, command.at, &empty, Deck::nowhere(), &caches);
    let about = About {
        title: founding.title.trim().to_owned(),
        rulebook: founding.rulebook.clone(),
        edition: founding.edition,
        founded_at: command.at,
        new_rules: founding.new_rules.clone(),
        unnamed: founding.unnamed.clone(),
    };
    tx.write(
        Effect::About {
            key: (),
            old: None,
            new: Some(about),
        },
        Way::Set,
    );
    for (name, section) in &founding.sections {
        tx.write(
            Effect::Section {
                key: name.clone(),
                old: None,
                new: Some(section.clone()),
            },
            Way::Set,
        );
    }
    for (name, term) in &founding.terms {
        tx.write(
            Effect::Term {
                key: name.clone(),
                old: None,
                new: Some(term.clone()),
            },
            Way::Set,
        );
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
        let old = tx.with_state(|state| state.rules.get(&rule.id).cloned());
        tx.write(
            Effect::Rule {
                key: rule.id.clone(),
                old,
                new: Some(row),
            },
            Way::Set,
        );
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
    tx.write(
        Effect::Person {
            key: id,
            old: None,
            new: Some(person),
        },
        Way::Set,
    );
}
