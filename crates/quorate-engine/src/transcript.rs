//! A game's log in lines for people.

use quorate_kernel::Value;
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::state::State;

use crate::convert;

/// Who acts, by name.
#[must_use]
pub fn actor_name(state: &State, actor: Actor) -> String {
    match actor {
        Actor::Player(id) => state
            .people
            .get(&id)
            .map_or_else(|| id.to_string(), |person| person.name.as_str().to_owned()),
        Actor::Newcomer => "a newcomer".to_owned(),
        Actor::Game => "the game".to_owned(),
        Actor::Operator => "the operator".to_owned(),
        Actor::Hidden => "somebody".to_owned(),
    }
}

/// An event in a line of the log.
#[must_use]
pub fn event_line(state: &State, event: &Event) -> String {
    let who = actor_name(state, event.actor);
    let mut line = format!("{} {} {who}: {}", event.seq, event.at, event.act.name());
    if let Act::Do { args, .. } = &event.act {
        let words: Vec<_> = args
            .iter()
            .map(|(name, value)| format!("{name} {}", short(value)))
            .collect();
        line.push_str(&format!(" ({})", words.join(", ")));
    }
    if let Act::Claim { rule, reason, .. } = &event.act {
        line.push_str(&format!(" ({rule}: {})", reason.as_str()));
    }
    let refusal = event.refusal();
    match &event.outcome {
        Outcome::Opened(key) => line.push_str(&format!(" — waits for an answer ({})", key.action)),
        Outcome::Lapsed(_) => line.push_str(&match refusal {
            Some(refusal) => format!(" — lapsed: {refusal}"),
            None => " — given up".to_owned(),
        }),
        Outcome::Done | Outcome::Refused(_) => {
            line.extend(refusal.map(|no| format!(" — refused: {no}")));
        }
    }
    for die in &event.tape.dice {
        line.push_str(&format!(
            "; {} (of {}): {}",
            die.what, die.sides, die.result
        ));
    }
    for note in &event.notes {
        line.push_str(&format!("; {}", note.text));
    }
    line
}

fn short(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("\"{}\"", text.as_str()),
        other => convert::describe(&convert::datum(other)),
    }
}

#[cfg(test)]
mod tests {
    use quorate_kernel::command::{Act, Actor};

    use super::event_line;
    use crate::tiny_game::game;

    #[test]
    fn an_action_that_its_player_gave_up_is_told_as_such() {
        let mut game = game(
            r#"def doubt(actor: Player):
    choose("Well?", ["yes", "no"])

action("doubt", doubt)"#,
        );
        game.act("doubt", &[]).expect("anybody may");
        let anna = Actor::Player(game.anna);
        let action = "doubt".into();
        let given_up = game.send(anna, Act::Abandon { action });
        given_up.expect_err("it lapses");
        let last = game.log.last().expect("it is in the log");
        let line = event_line(game.judge.state(), last);
        assert!(line.ends_with("doubt — given up"), "{line}");
    }
}
