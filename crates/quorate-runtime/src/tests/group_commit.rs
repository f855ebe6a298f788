//! Group commit: what waits goes to disk together, and order holds.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

#[tokio::test]
async fn while_one_append_runs_the_next_gathers_the_batches_of_all_games() {
    let world = World::new().await;
    let words = ["moor", "fen", "dune"];
    for word in words {
        world.found(word).await;
    }
    let before = world.memory.appends().len();
    world.memory.hold();
    let first = world.plays("k", "add", 1);
    let rest = async {
        // The first append is on its way before the others begin to wait.
        world.memory.begun(before + 1).await;
        let games: Vec<_> = words.iter().map(|word| game(word)).collect();
        let send = |n: usize| {
            world
                .games
                .send(&games[n], anna(), "k".into(), plays("add", 1))
        };
        let (one, two, three) = tokio::join!(send(0), send(1), send(2));
        [one, two, three].map(kept)
    };
    let release = async {
        // Judging happens on other threads, and each game has one batch on its way.
        until(async || world.games.0.committer.waiting() == words.len()).await;
        world.memory.let_through(99);
    };
    let (first, ..) = tokio::join!(first, rest, release);
    kept(first);
    let appends = world.memory.appends();
    assert!(appends.len() < before + 4, "{:?}", &appends[before..]);
}

#[tokio::test]
async fn who_hangs_up_before_their_command_is_judged_takes_it_back() {
    let world = World::new().await;
    let before = world.memory.appends().len();
    world.memory.hold();
    let line = Arc::new(());
    let sender = crate::CommandSender::holding(&line);
    let taken_back = async {
        // The one before is on its way to disk, so that this one waits to be judged.
        world.memory.begun(before + 1).await;
        let (games, act) = (&world.games, plays("add", 10));
        games
            .send_for(&world.reef, anna(), "back".into(), act, sender)
            .await
    };
    let hangs_up = async {
        world.memory.begun(before + 1).await;
        tokio::task::yield_now().await;
        drop(line);
        world.memory.let_through(99);
    };
    let first = world.plays("first", "add", 1);
    let (first, taken_back, ()) = tokio::join!(first, taken_back, hangs_up);
    kept(first);
    assert!(
        matches!(taken_back, Err(OperatingError::Interrupted)),
        "{taken_back:?}"
    );
    kept(world.plays("last", "add", 100).await);
    assert_eq!(world.count().await, 101);
}

#[tokio::test]
async fn a_game_whose_log_moved_does_not_take_others_with_it() {
    let world = World::new().await;
    let moor = world.found("moor").await;
    let published = world.games.snapshot(&moor).await.unwrap();
    let elsewhere = crate::ports::Batch {
        game: moor.clone(),
        epoch: crate::ports::Epoch(1),
        after: published.head,
        events: vec![],
        head: crate::judge::Head {
            seq: EventSeq(9),
            ..published.head
        },
        next_due: None,
        arrival: None,
    };
    world.memory.append(&[elsewhere]).await.unwrap();
    let there = world.games.send(&moor, anna(), "k".into(), plays("add", 1));
    let (there, here) = tokio::join!(there, world.plays("k", "add", 1));
    assert!(there.is_err());
    kept(here);
}

/// What one sender does: to which of three games, with which action, how much.
type Plan = Vec<(usize, bool, i64)>;

fn plans() -> impl Strategy<Value = Vec<Plan>> {
    let step = (0_usize..3, any::<bool>(), 1_i64..9);
    prop::collection::vec(prop::collection::vec(step, 1..12), 1..7)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn however_senders_race_each_log_is_whole_and_in_their_order(plans in plans()) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build();
        runtime.unwrap().block_on(race(plans));
    }
}

async fn race(plans: Vec<Plan>) {
    let world = Arc::new(World::new().await);
    let mut games = vec![world.reef.clone()];
    for word in ["moor", "fen"] {
        games.push(world.found(word).await);
    }
    let mut senders = tokio::task::JoinSet::new();
    for (sender, plan) in plans.into_iter().enumerate() {
        let (world, games) = (Arc::clone(&world), games.clone());
        senders.spawn(async move { follow(&world, &games, sender, plan).await });
    }
    let done = senders.join_all().await;
    for game in &games {
        let opens = world
            .memory
            .events(game, EventSeq(1), 10_000)
            .await
            .unwrap();
        let mut fold = crate::fold::Fold::start();
        let events: Vec<_> = opens
            .iter()
            .map(|open| fold.follow(open).unwrap())
            .collect();
        let published = world.games.snapshot(game).await.unwrap();
        assert_eq!(
            (&fold.state, fold.chain.head()),
            (&published.state, published.head)
        );
        // Every receipt is an event of the log, and a sender's come in the order of sending.
        let mut seen = BTreeMap::new();
        for (sender, key, seq) in done
            .iter()
            .flatten()
            .filter(|d| d.0 == *game)
            .map(|d| (d.1, &d.2, d.3))
        {
            assert_eq!(events[usize::try_from(seq.0 - 1).unwrap()].key, *key);
            let before = seen.insert(sender, seq).unwrap_or_default();
            assert!(before < seq);
        }
        let receipt_count = done.iter().flatten().filter(|d| d.0 == *game).count();
        assert_eq!(
            events.len(),
            receipt_count + 1,
            "nothing but what was acknowledged"
        );
    }
    for append in world.memory.appends() {
        let mut games = append.clone();
        games.dedup();
        games.sort();
        games.dedup();
        assert_eq!(games.len(), append.len(), "a game is in an append once");
    }
}

type Done = (GameId, usize, quorate_kernel::Name, EventSeq);

async fn follow(world: &World, games: &[GameId], sender: usize, plan: Plan) -> Vec<Done> {
    let mut done = Vec::new();
    for (step, (game, add, number)) in plan.into_iter().enumerate() {
        let game = &games[game];
        let key = quorate_kernel::Name::from(format!("{sender} {step}"));
        let act = plays(if add { "add" } else { "low" }, number);
        let answer = world
            .games
            .send(game, anna(), key.clone(), act)
            .await
            .unwrap();
        if let Answer::Kept(receipt) = answer {
            done.push((game.clone(), sender, key, receipt.seq));
        }
    }
    done
}
