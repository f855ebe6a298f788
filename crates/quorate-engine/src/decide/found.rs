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
        finish(&tx, &command.act)
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

#[cfg(test)]
mod tests {
    use quorate_kernel::command::Founding;
    use quorate_kernel::rows::Standing;
    use quorate_law::datum::Datum;

    use crate::tiny_game::{TinyGame, founding, game};

    fn refused(founding: Founding) -> String {
        let sent = TinyGame::unfounded().found(founding);
        sent.expect_err("it is refused").what().to_owned()
    }

    #[test]
    fn a_game_is_founded_once_under_a_title_that_fits() {
        let titled = |title: &str| Founding {
            title: title.to_owned(),
            ..founding("")
        };
        let wanted = "a title of 1 to 120 characters";
        assert_eq!(refused(titled(" ")), wanted);
        assert_eq!(refused(titled(&"ä".repeat(121))), wanted);
        let mut game = TinyGame::unfounded();
        game.found(titled(&"ä".repeat(120))).expect("it fits");
        let again = game.found(titled("Again")).expect_err("there is a game");
        assert_eq!(again.what(), "a game that has not been founded yet");
    }

    #[test]
    fn the_founder_is_a_member_and_has_what_players_have() {
        let game = game("gold = number(\"Gold\", of = player, default = 5)");
        let anna = &game.judge.state().people[&game.anna];
        assert_eq!(
            (anna.standing, anna.joined_at),
            (Standing::Member, Some(game.now))
        );
        assert_eq!(game.value("gold"), Datum::Int(5));
    }

    #[test]
    fn a_rulebook_that_refuses_its_founding_or_asks_something_founds_no_game() {
        let with_hook = |body: &str| {
            let hook = "def begin(g: Game, founder: Player):\n    ";
            founding(&format!("{hook}{body}\n\non(\"founded\", begin)"))
        };
        assert_eq!(refused(with_hook("refuse(\"not today\")")), "not today");
        assert_eq!(
            refused(with_hook("choose(\"Which way?\", [\"left\"])")),
            "a rulebook that asks nothing at its founding: Which way?"
        );
    }
}
