//! Code that cost its judge too much is put to sleep, and the command is judged without it.

use quorate_kernel::Span;
use quorate_kernel::command::Act;
use quorate_kernel::rows::ClauseKey;

use super::*;
use crate::judge::Culprit;

fn clause(fence: u32) -> ClauseKey {
    ClauseKey {
        rule: "costs".into(),
        fence,
    }
}

/// The acts of the log after its founding, with the clause that was put to sleep.
async fn acts(world: &World) -> Vec<(String, Option<u32>)> {
    let fence = |act: &Act| match act {
        Act::Sleep { clause, .. } => Some(clause.fence),
        _ => None,
    };
    let events = world.events().await;
    let after = events.iter().skip(1);
    after
        .map(|event| (event.act.name().to_string(), fence(&event.act)))
        .collect()
}

#[tokio::test]
async fn what_costs_too_much_sleeps_in_an_event_before_the_command_that_goes_on_without_it() {
    let world = World::new().await;
    kept(world.plays("k1", "costly", 2).await);
    kept(world.plays("k2", "costly", 2).await);
    assert_eq!(world.count().await, 4);
    let expected = [("sleep", Some(2)), ("costly", None), ("costly", None)];
    let expected = expected.map(|(act, fence)| (act.to_owned(), fence));
    assert_eq!(acts(&world).await, expected);
    assert_eq!(world.events().await[1].actor, Actor::Game);
    // What was judged is judged again from the log, where no clock is asked.
    let world = world.restarted().await;
    assert_eq!(world.count().await, 4);
}

#[tokio::test]
async fn of_many_clauses_that_share_the_time_three_sleep_a_command() {
    let world = World::new().await;
    let refused = world.plays("k1", "shared", 5).await;
    let refused = refused.expect("an answer");
    assert!(matches!(refused, Answer::Refused(_)), "{refused:?}");
    let sleeps = |from: u32, to: u32| (from..=to).map(|fence| ("sleep".to_owned(), Some(fence)));
    assert_eq!(acts(&world).await, sleeps(1, 3).collect::<Vec<_>>());
    kept(world.plays("k2", "shared", 5).await);
    let kept = ("shared".to_owned(), None);
    let all: Vec<_> = sleeps(1, 5).chain([kept]).collect();
    assert_eq!(acts(&world).await, all);
}

#[tokio::test]
async fn a_due_moment_counts_as_past_when_all_that_costs_too_much_sleeps() {
    let world = World::new().await;
    let mut heard = world.games.subscribe(&world.reef);
    kept(world.plays("k", "alarm", START_MS + 70).await);
    heard.recv().await.unwrap();
    world.clock.pass(Span(500));
    for act in ["sleep", "sleep", "due"] {
        let notice = heard.recv().await.unwrap();
        assert_eq!(
            (notice.act.as_str(), notice.at),
            (act, Moment(START_MS + 70))
        );
    }
    kept(world.plays("next", "add", 1).await);
}

#[tokio::test]
async fn what_cost_a_page_too_much_sleeps_by_an_act_that_nobody_else_can_send() {
    let world = World::new().await;
    let why = "it took too long".to_owned();
    let culprit = Culprit {
        clause: clause(3),
        why: why.clone(),
    };
    let slept = world.games.put_to_sleep(&world.reef, culprit).await;
    kept(slept);
    assert_eq!(acts(&world).await, [("sleep".to_owned(), Some(3))]);
    let act = Act::Sleep {
        clause: clause(4),
        why,
    };
    let key = "forged".into();
    let forged = world.games.send(&world.reef, Actor::Game, key, act).await;
    assert!(matches!(forged, Ok(Answer::Refused(_))), "{forged:?}");
}
