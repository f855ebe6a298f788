//! Dice that rules change, draws by weight, and choices of the one who acts.

use std::sync::Arc;

use quorate_law::datum::{Datum, Record};
use quorate_law::stop::{Answer, Question, Site, Stop};

use super::labels;
use super::payments::beyond_numbers;
use crate::convert;
use crate::tx::Tx;

/// How many dice are looked through as fast as a row.
const DICE_A_ROW: usize = 4;

/// One die after the filters of `"roll"`.
pub(crate) fn die(tx: &Tx, sides: i64, what: &str) -> Answer<i64> {
    if ends_here(tx) {
        return Err(Stop::Asks(Box::new(trial_end(what))));
    }
    let said = said(tx, sides, what)?;
    if let Some(said) = said {
        return Ok(said);
    }
    // How many of its name came before is looked up among all that fell.
    let before = tx.deck().rolled().len();
    tx.looks_through(before / DICE_A_ROW)?;
    let by = tx.actor();
    tx.deck()
        .die(what, sides, by)
        .ok_or_else(|| Stop::Asks(Box::new(trial_end(what))))
}

/// What a rule says that a die shows, if one does.
fn said(tx: &Tx, sides: i64, what: &str) -> Answer<Option<i64>> {
    let law = tx.frame().law;
    let Some(filters) = law.filters.get("roll") else {
        return Ok(None);
    };
    let by = tx.actor().map_or(Datum::None, |id| {
        Datum::Thing(quorate_kernel::Thing::Player(id))
    });
    let mut said = Datum::None;
    for filter in filters {
        let roll = Record {
            kind: "Roll",
            fields: vec![
                ("by", by.clone()),
                ("count", Datum::Int(1)),
                ("sides", Datum::Int(sides)),
                ("what", Datum::Text(what.into())),
            ],
        };
        said = tx.call_at(
            &filter.site,
            &filter.it,
            vec![said, Datum::Record(Arc::new(roll))],
        )?;
    }
    match said {
        Datum::Int(n) => Ok(Some(n)),
        _ => Ok(None),
    }
}

/// The index of what one die picks by weight.
pub(crate) fn pick(tx: &Tx, what: &str, count: usize, weights: Option<&[i64]>) -> Answer<usize> {
    let even = vec![1; count];
    let weights = weights.unwrap_or(&even);
    if weights.len() != count || weights.iter().any(|&weight| weight < 0) {
        return Err(Stop::fault(format!(
            "\"{what}\" needs one weight, 0 or more, for each of its {count} options"
        )));
    }
    let total = weights
        .iter()
        .try_fold(0_i64, |sum, &weight| sum.checked_add(weight))
        .ok_or_else(beyond_numbers)?;
    if total == 0 {
        return Err(Stop::fault(format!("\"{what}\" has nothing to draw from")));
    }
    let mut left = die(tx, total, what)?;
    for (index, &weight) in weights.iter().enumerate() {
        left -= weight;
        if left <= 0 && weight > 0 {
            return Ok(index);
        }
    }
    Err(Stop::fault(format!(
        "\"{what}\": the die shows more than the weights sum to"
    )))
}

/// What the one who acts picks.
pub(crate) fn choice(tx: &Tx, question: Question) -> Answer<Datum> {
    if ends_here(tx) {
        return Err(Stop::Asks(Box::new(question)));
    }
    if question.options.is_empty() {
        if question.may_decline {
            return Ok(Datum::None);
        }
        return Err(Stop::refused(tx.refusal_at(
            &question.site,
            &format!("something to choose from for \"{}\"", question.what),
        )));
    }
    let made = tx.deck().choice(&question.what);
    let dictated = match made {
        Some(_) => None,
        None => tx.deck().dictated_choice(),
    };
    let fits = |datum: &Datum| {
        question.options.contains(datum) || (question.may_decline && *datum == Datum::None)
    };
    let chosen = made.or_else(|| dictated.clone()).and_then(|datum| {
        if fits(&datum) {
            Some(datum)
        } else {
            by_label(tx, &datum, &question.options)
        }
    });
    match chosen {
        Some(datum) => {
            let value = convert::plain_value(&datum).unwrap_or_default();
            tx.deck().take(&question.what, value);
            Ok(datum)
        }
        // An answer that is no longer offered is asked again.
        None => {
            if let Some(datum) = dictated {
                let words = |datum: &Datum| format!("\"{}\"", labels::label(tx, datum));
                let offered: Vec<_> = question.options.iter().map(words).collect();
                let (given, what, offered) = (words(&datum), &question.what, offered.join(", "));
                tx.deck()
                    .does_not_fit(format!("{given} is not offered for \"{what}\": {offered}"));
            }
            Err(Stop::Asks(Box::new(question)))
        }
    }
}

/// The option that is called so.
fn by_label(tx: &Tx, datum: &Datum, options: &[Datum]) -> Option<Datum> {
    let Datum::Text(text) = datum else {
        return None;
    };
    options
        .iter()
        .find(|option| labels::label(tx, option) == **text)
        .cloned()
}

/// Whether a trial ends at this die or question.
fn ends_here(tx: &Tx) -> bool {
    tx.frame().trial && !tx.deck().leads_on()
}

/// The end of a trial at its first die or question.
fn trial_end(what: &str) -> Question {
    Question {
        what: what.to_owned(),
        options: Vec::new(),
        may_decline: false,
        within: None,
        default: None,
        site: Site::default(),
    }
}

#[cfg(test)]
mod tests {
    use quorate_kernel::Value;
    use quorate_law::datum::Datum;
    use quorate_law::stop::Stop;

    use super::pick;
    use crate::tiny_game::game;

    #[test]
    fn a_die_picks_by_weight_and_never_what_weighs_nothing() {
        let mut game = game(
            "tool = table(\"Tool\", weight = int)\n\
             row(tool, \"saw\", weight = 0)\nrow(tool, \"axe\", weight = 2)\n\
             row(tool, \"tub\", weight = 0)\nrow(tool, \"hoe\", weight = 3)\n\
             grip = text(\"Grip\", of = player)\n\n\
             def grab(actor: Player):\n    tools = tool.all()\n    \
             actor.grip = tool.draw(\"a tool\", tools, weights = [t.weight for t in tools]).name\n\n\
             action(\"grab\", grab)",
        );
        for (die, grip) in [(1, "axe"), (2, "axe"), (3, "hoe"), (5, "hoe")] {
            let event = game
                .act_throwing("grab", &[], &[die])
                .expect("there are tools");
            assert_eq!(event.tape.dice[0].sides, 5);
            assert_eq!(game.value("grip"), Datum::Text(grip.into()), "{die}");
        }
    }

    #[test]
    fn weights_are_one_for_each_and_weigh_something() {
        let game = game("");
        let fault = |weights: &[i64]| match game.ask(|tx| pick(tx, "a tool", 2, Some(weights))) {
            Err(Stop::Broken(fault)) => fault.text,
            other => panic!("{weights:?}: {other:?}"),
        };
        let wanted = "\"a tool\" needs one weight, 0 or more, for each of its 2 options";
        assert_eq!(fault(&[1]), wanted);
        assert_eq!(fault(&[2, -1]), wanted);
        assert_eq!(fault(&[0, 0]), "\"a tool\" has nothing to draw from");
    }

    #[test]
    fn where_a_rule_says_what_a_die_shows_none_falls() {
        let mut game = game(
            "shown = number(\"Shown\", of = player)\n\n\
             def loaded(said: int | None, r: Roll) -> int | None:\n    \
             return 6 if r.what == \"the loaded one\" else said\n\n\
             modify(\"roll\", loaded)\n\n\
             def throw(actor: Player, what: str):\n    actor.shown = roll(6, what)\n\n\
             action(\"throw\", throw)",
        );
        for (what, shown, fallen) in [("the loaded one", 6, 0), ("the other", 2, 1)] {
            let what = [("what", Value::Word(what.into()))];
            let event = game
                .act_throwing("throw", &what, &[2])
                .expect("anybody may");
            assert_eq!(game.value("shown"), Datum::Int(shown));
            assert_eq!(event.tape.dice.len(), fallen);
        }
    }

    #[test]
    fn of_nothing_nobody_picks_and_who_may_decline_does() {
        let mut game = game(
            "crate = entity(\"Crate\")\nway = text(\"Way\", of = player)\n\n\
             def turn(actor: Player):\n    actor.way = choose(\"Which way?\", [])\n\n\
             def peek(actor: Player):\n    \
             actor.way = \"none\" if crate.offer(\"Which crate?\", []) == None else \"one\"\n\n\
             action(\"turn\", turn)\naction(\"peek\", peek)",
        );
        let refused = game.act("turn", &[]).expect_err("there is no way");
        assert_eq!(
            refused.what(),
            "something to choose from for \"Which way?\""
        );
        game.act("peek", &[]).expect("nothing is an answer");
        assert_eq!(game.value("way"), Datum::Text("none".into()));
    }
}
