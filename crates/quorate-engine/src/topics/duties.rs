//! Duties: questions left to somebody other than the one who acts.

use quorate_kernel::event::NoteKind;
use quorate_kernel::ids::DutyId;
use quorate_kernel::rows::{DueKey, Duty};
use quorate_kernel::{Name, PlayerId, Refusal, Span, Value};
use quorate_law::datum::Datum;
use quorate_law::stop::{Answer, Stop};

use super::{hooks, labels, things};
use crate::convert;
use crate::tx::{Frame, Tx};

/// Leaves somebody a duty. Where there is nothing to choose from there is none.
pub(crate) fn leave(
    tx: &Tx,
    decision: &Name,
    to: PlayerId,
    options: &[Datum],
    within: Span,
    default: &Datum,
    context: Vec<(Name, Datum)>,
) -> Answer<()> {
    let law = tx.frame().law;
    let Some(decl) = law.decisions.get(decision) else {
        return Err(undeclared(decision));
    };
    if options.is_empty() {
        return Ok(());
    }
    let keep = |datum: &Datum| {
        let value = convert::plain_value(datum).ok_or_else(|| {
            Stop::fault(format!("a duty cannot hold {}", convert::describe(datum)))
        })?;
        // What it asks tells of what is answered.
        Ok(if decl.it.hidden {
            value.hidden(tx.salt())
        } else {
            value
        })
    };
    let duty = Duty {
        decision: decision.clone(),
        to,
        options: options.iter().map(keep).collect::<Answer<_>>()?,
        deadline: (tx.now + within).max(tx.now),
        default: keep(default)?,
        context: context
            .into_iter()
            .map(|(name, datum)| Ok((name, keep(&datum)?)))
            .collect::<Answer<_>>()?,
        hidden: decl.it.hidden,
        at: tx.now,
    };
    let key = tx.make_id()?;
    let deadline = duty.deadline;
    tx.put(key, duty);
    tx.set_due(DueKey::Duty(key), Some(deadline));
    Ok(())
}

fn undeclared(decision: &Name) -> Stop {
    Stop::fault(format!(
        "there is no decision \"{decision}\": declare it with decision(…)"
    ))
}

/// Takes back duties of a decision: of one person or of all, and about those things.
pub(crate) fn take_back(
    tx: &Tx,
    decision: &Name,
    to: Option<PlayerId>,
    context: &[(Name, Datum)],
) -> Answer<()> {
    if !tx.frame().law.decisions.contains_key(decision) {
        return Err(undeclared(decision));
    }
    tx.looks_through(tx.with_state(|state| state.duties.len()))?;
    let is_about = |duty: &Duty, (name, datum): &(Name, Datum)| {
        let mut kept = duty.context.iter();
        kept.any(|(of, value)| of == name && convert::datum(value) == *datum)
    };
    let waiting: Vec<_> = tx.with_state(|state| {
        let duties = state.duties.iter().filter(|(_, duty)| {
            duty.decision == *decision
                && to.is_none_or(|to| duty.to == to)
                && context.iter().all(|about| is_about(duty, about))
        });
        duties.map(|(id, _)| *id).collect()
    });
    for id in waiting {
        drop_duty(tx, DutyId(id));
    }
    Ok(())
}

/// The answer to a duty by the one it was left to.
pub(crate) fn answer(tx: &Tx, by: PlayerId, id: DutyId, value: &Value) -> Answer<()> {
    let duty = tx.with_state(|state| state.duties.get(&id.0).cloned());
    let Some(duty) = duty.filter(|duty| duty.to == by) else {
        return Err(Stop::no("a question that waits for your answer"));
    };
    let given = match value.open() {
        Value::Text(text) => Value::Word(Name::from(text.as_str())),
        other => other.clone(),
    };
    let chosen = duty
        .options
        .iter()
        .find(|option| {
            *option.open() == given
                || Value::Word(labels::label(tx, &convert::datum(option)).into()) == given
        })
        .cloned();
    let Some(chosen) = chosen else {
        let words: Vec<_> = duty
            .options
            .iter()
            .map(|option| labels::label(tx, &convert::datum(option)))
            .collect();
        let refusal = Refusal::plain("one of the answers offered");
        return Err(refusal.wanting(words.join(", ")).into());
    };
    drop_duty(tx, id);
    decide(tx, &duty, &chosen)
}

/// The deadline of a duty: its default is the answer. Nobody is there to be refused: where the law refuses it, or breaks, nothing
/// comes of it.
pub(crate) fn fall_due(tx: &Tx, id: DutyId) -> Answer<()> {
    let Some(duty) = tx.with_state(|state| state.duties.get(&id.0).cloned()) else {
        return Ok(());
    };
    drop_duty(tx, id);
    let law = tx.frame().law;
    let decl = law.decisions.get(&duty.decision);
    let site = decl.map(|decl| decl.site.clone()).unwrap_or_default();
    let decided = || match decide(tx, &duty, &duty.default) {
        Err(Stop::Asks(_)) => Err(Stop::no("an answer that asks nothing more at its deadline")),
        decided => decided,
    };
    hooks::by_itself(tx, &site, decided).map(drop)
}

fn drop_duty(tx: &Tx, id: DutyId) {
    tx.remove::<Duty>(id.0);
    tx.set_due(DueKey::Duty(id.0), None);
}

fn decide(tx: &Tx, duty: &Duty, answer: &Value) -> Answer<()> {
    let law = tx.frame().law;
    let Some(decl) = law.decisions.get(&duty.decision) else {
        tx.say(
            NoteKind::Held,
            format!(
                "the decision {} is no longer part of the law",
                duty.decision
            ),
        );
        return Ok(());
    };
    let gone =
        |value: &Value| matches!(value.open(), Value::Thing(thing) if !things::exists(tx, thing));
    // Context that is gone gives the default.
    let answer = if duty.context.iter().any(|(_, value)| gone(value)) || gone(answer) {
        &duty.default
    } else {
        answer
    };
    let args = vec![
        Datum::Thing(quorate_kernel::Thing::Player(duty.to)),
        convert::datum(answer),
    ];
    let named = duty
        .context
        .iter()
        .map(|(name, value)| {
            (
                name.clone(),
                if gone(value) {
                    Datum::None
                } else {
                    convert::datum(value)
                },
            )
        })
        .collect();
    let frame = Frame {
        actor: Some(duty.to),
        site: decl.site.clone(),
        ..tx.frame()
    };
    let function = decl.it.answer.clone();
    tx.within(frame, || tx.call_named(&function, args, named))
        .map(|_| ())
}

#[cfg(test)]
mod tests {
    use quorate_kernel::command::{Act, Actor};
    use quorate_kernel::event::{Event, NoteKind};
    use quorate_kernel::ids::DutyId;
    use quorate_kernel::{EventSeq, Id, PlayerId, Refusal, Span, Value};
    use quorate_law::datum::Datum;
    use quorate_law::stop::Stop;

    use crate::tiny_game::{TinyGame, game};

    const CRATES: &str = r#"crate = entity("Crate")
gold = number("Gold", of = player)

def opened(who: Player, answer: str, box: Crate | None):
    who.gold += 1 if answer == "open" else 10

decision("opening", opened)

def find(actor: Player):
    ask("opening", actor, options = ["open", "leave"], default = "leave", box = crate.create())

def sink(actor: Player):
    for box in crate.all():
        remove(box)

def lock(actor: Player):
    unask("opening", actor, box = crate.all()[-1])

def forget(actor: Player):
    unask("opening")

action("lock", lock)
action("forget", forget)
action("find", find)
action("sink", sink)"#;

    /// A game in which Anna has found a crate and is asked what to do with it.
    fn asked() -> (TinyGame, DutyId) {
        let mut game = game(CRATES);
        game.act("find", &[]).expect("anybody may");
        let mut duties = game.judge.state().duties.keys();
        let duty = DutyId(*duties.next().expect("she is asked"));
        (game, duty)
    }

    fn answer(game: &mut TinyGame, duty: DutyId, word: &str) -> Result<Event, Refusal> {
        let value = Value::Word(word.into());
        game.send(Actor::Player(game.anna), Act::Decide { duty, value })
    }

    #[test]
    fn an_answer_is_one_of_those_offered_and_given_once() {
        let (mut game, duty) = asked();
        let refused = answer(&mut game, duty, "burn").expect_err("not offered");
        assert_eq!(refused.what(), "one of the answers offered");
        assert_eq!(refused.needs[0].need, "open, leave");
        answer(&mut game, duty, "open").expect("that one is");
        assert_eq!(game.value("gold"), Datum::Int(1));
        let refused = answer(&mut game, duty, "open").expect_err("it was answered");
        assert_eq!(refused.what(), "a question that waits for your answer");
        assert!(game.wait(game.now + Span::days(3)).is_empty());
    }

    #[test]
    fn nobody_answers_for_another() {
        let (game, duty) = asked();
        let other = PlayerId(Id::new(EventSeq(99), 0));
        let open = Value::Word("open".into());
        match game.ask(|tx| super::answer(tx, other, duty, &open)) {
            Err(Stop::Refused(no)) => {
                assert_eq!(no.what(), "a question that waits for your answer");
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn at_the_deadline_the_default_is_the_answer() {
        let (mut game, _) = asked();
        let deadline = game.now + Span::hours(48);
        assert!(game.wait(deadline - Span::minutes(1)).is_empty());
        game.wait(deadline);
        assert_eq!(game.value("gold"), Datum::Int(10));
    }

    #[test]
    fn a_default_that_the_law_refuses_or_that_breaks_comes_to_nothing_and_play_goes_on() {
        let bodies = [
            ("refuse(\"not today\")", "not today"),
            ("who.gold = 1 // (who.gold - who.gold)", "divi"),
            ("choose(\"And then?\", [\"a\", \"b\"])", "asks nothing more"),
        ];
        for (body, told) in bodies {
            let code = CRATES.replace(
                "who.gold += 1 if answer == \"open\" else 10",
                &format!("who.gold += 1\n    {body}"),
            );
            let mut game = game(&code);
            game.act("find", &[]).expect("anybody may");
            let events = game.wait(game.now + Span::days(3));
            let notes: Vec<&str> = events
                .iter()
                .flat_map(|event| &event.notes)
                .map(|note| note.text.as_str())
                .collect();
            assert!(notes.iter().any(|note| note.contains(told)), "{notes:?}");
            assert!(game.judge.state().duties.is_empty());
            assert_eq!(game.value("gold"), Datum::Int(0), "{body}");
            game.act("find", &[]).expect("play goes on");
        }
    }

    #[test]
    fn what_was_asked_about_is_gone_and_so_the_default_is_the_answer() {
        let (mut game, duty) = asked();
        game.act("sink", &[]).expect("anybody may");
        answer(&mut game, duty, "open").expect("it is still asked");
        assert_eq!(game.value("gold"), Datum::Int(10));
    }

    #[test]
    fn what_is_taken_back_is_asked_no_more_and_never_answered() {
        let (mut game, first) = asked();
        game.act("find", &[]).expect("anybody may");
        game.act("lock", &[]).expect("anybody may");
        let left: Vec<_> = game.judge.state().duties.keys().copied().collect();
        assert_eq!(left, [first.0], "the question about the other crate stays");
        game.act("forget", &[]).expect("anybody may");
        let refused = answer(&mut game, first, "open").expect_err("nobody asks");
        assert_eq!(refused.what(), "a question that waits for your answer");
        assert!(game.wait(game.now + Span::days(3)).is_empty());
        assert_eq!(game.value("gold"), Datum::Int(0));
    }

    #[test]
    fn an_answer_to_a_decision_that_left_the_law_changes_nothing_and_the_log_says_so() {
        let (mut game, duty) = asked();
        let gone = game.amendment("decision(\"opening\", opened)", "");
        game.change(vec![gone]);
        let event = answer(&mut game, duty, "open").expect("it is still asked");
        let told = "the decision opening is no longer part of the law";
        let held = |note: &&quorate_kernel::event::Note| note.kind == NoteKind::Held;
        let note = event.notes.iter().find(held).expect("the log says so");
        assert_eq!(note.text, told);
        assert!(game.judge.state().duties.is_empty());
    }
}
