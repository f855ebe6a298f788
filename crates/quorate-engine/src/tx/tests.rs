use quorate_kernel::rows::{About, Cell as Row};
use quorate_kernel::{Id, Span, Value};

use super::*;
use crate::tiny_game::{TinyGame, game};
use crate::topics::values;

const PURSE: &str = r#"gold = number("Gold", of = player)

def earn(actor: Player):
    for i in range(3): actor.gold += 1

action("earn", earn)"#;

fn set(tx: &Tx, game: &TinyGame, gold: i64) {
    let anna = Thing::Player(game.anna);
    values::set_attribute(tx, &anna, "gold", Datum::Int(gold)).expect("it is a number");
}

fn gold(tx: &Tx, game: &TinyGame) -> Datum {
    let anna = Thing::Player(game.anna);
    tx.attribute(&anna, "gold").expect("it is declared")
}

#[test]
fn what_is_only_tried_is_taken_back_with_all_that_rests_on_it() {
    let game = game(PURSE);
    game.ask(|tx| {
        set(tx, &game, 2);
        let tried = tx.trial(tx.frame(), || {
            set(tx, &game, 7);
            tx.say(NoteKind::Said, "seven");
            (gold(tx, &game), tx.frame().trial)
        });
        assert_eq!(tried, (Datum::Int(7), true));
        assert_eq!(gold(tx, &game), Datum::Int(2));
        assert!(!tx.frame().trial);
        let done = tx.finish();
        assert_eq!((done.steps.len(), done.notes.len()), (1, 0));
    });
}

#[test]
fn going_back_keeps_what_was_done_before_and_what_broke_since() {
    let game = game(PURSE);
    game.ask(|tx| {
        set(tx, &game, 2);
        let mark = tx.mark();
        set(tx, &game, 7);
        let Stop::Broken(fault) = Stop::fault("a clause") else {
            unreachable!("it is one");
        };
        tx.broke(&tx.frame().site, &fault);
        tx.go_back(mark);
        assert_eq!(gold(tx, &game), Datum::Int(2));
        let broken = tx.finish().broken;
        assert_eq!(broken.len(), 1, "it is counted all the same");
        tx.start_again();
        assert_eq!(gold(tx, &game), Datum::Int(0));
    });
}

#[test]
fn what_one_clause_does_to_a_value_is_one_step() {
    let mut game = game(PURSE);
    let event = game.act("earn", &[]).expect("anybody may");
    let numbers = |step: &Step| match &step.effect {
        Effect::Cell { old, new, .. } => {
            let number = |row: &Option<Row>| row.as_ref().map(|row| row.value.clone());
            Some((number(old), number(new)))
        }
        _ => None,
    };
    let changes: Vec<_> = event.steps.iter().filter_map(numbers).collect();
    assert_eq!(changes, [(Some(Value::Int(0)), Some(Value::Int(3)))]);
    game.ask(|tx| {
        set(tx, &game, 9);
        set(tx, &game, 3);
        assert_eq!(tx.with_steps(<[Step]>::len), 2);
        assert_eq!(tx.finish().steps.len(), 1);
    });
}

#[test]
fn what_is_read_counts_for_all_who_asked_and_a_moment_that_has_passed_for_nobody() {
    let game = game(PURSE);
    let later = game.now + Span::hours(1);
    game.ask(|tx| {
        let (((), inner), outer) = tx.reading(|| {
            tx.read_clock(later);
            tx.reading(|| {
                tx.read(ReadKey::People);
                tx.read_clock(game.now + Span::hours(-1));
            })
        });
        assert_eq!((inner.keys().len(), inner.until), (1, None));
        assert_eq!((outer.keys().len(), outer.until), (1, Some(later)));
        let ((), now) = tx.reading(|| tx.read_clock(game.now));
        assert_eq!(
            now.until,
            Some(Moment(game.now.0 + 1)),
            "it turns right after"
        );
    });
}

#[test]
fn what_is_needed_counts_as_met_where_a_run_takes_it_so_but_in_no_trial() {
    let game = game(PURSE);
    let no = || Err(Stop::refused(Refusal::plain("a purse")));
    game.ask(|tx| {
        assert!(tx.met(no()).is_err());
        tx.take_needs_as_met(true);
        assert!(tx.met(no()).is_ok());
        assert!(tx.trial(tx.frame(), || tx.met(no())).is_err());
        assert_eq!(tx.unmet(), [Refusal::plain("a purse")]);
        tx.note_enacted(PostId(Id::new(EventSeq(2), 0)));
        assert!(tx.met(no()).is_err(), "the changes are made");
    });
}

#[test]
fn a_change_whose_condition_does_not_hold_is_not_told_as_left_out() {
    let game = game(PURSE);
    game.ask(|tx| {
        tx.note_unmet(&"False".into());
        assert_eq!(tx.left_out(), None);
        tx.say(NoteKind::Said, "so it is");
        tx.say(NoteKind::Skipped, "there is no such rule");
        let told = tx.left_out().map(|note| note.text);
        assert_eq!(told.as_deref(), Some("there is no such rule"));
        assert_eq!(tx.unmet_conditions().len(), 1);
    });
}

#[test]
fn a_row_that_is_written_as_it_was_is_no_step() {
    let game = game(PURSE);
    game.ask(|tx| {
        let about = tx.row::<About>(&());
        let about = about.expect("a game has one");
        tx.put((), about.clone());
        assert!(!tx.law_changed());
        assert_eq!(tx.with_steps(<[Step]>::len), 0);
        let title = "Another".to_owned();
        tx.put((), About { title, ..about });
        assert!(
            tx.law_changed(),
            "the edition of the law stands in the same row"
        );
        assert_eq!(tx.with_steps(<[Step]>::len), 1);
    });
}

#[test]
fn an_event_makes_so_many_things_and_no_more() {
    let game = game(PURSE);
    game.ask(|tx| {
        let first = tx.make_id().expect("it is the first");
        assert_eq!(first.event(), tx.seq);
        assert_ne!(tx.make_id(), Ok(first));
        tx.count_from(u16::try_from(Limits::MADE).expect("it fits"));
        let Err(Stop::Broken(fault)) = tx.make_id() else {
            panic!("it goes on");
        };
        assert_eq!(fault.text, "more than 10000 things are made at once");
    });
}
