//! How workers of readers are kept, and whose turn it is.

use tokio::net::UnixStream;

use super::pool::{JOBS_BEYOND, JOBS_MAX, LEFT_TURN};
use super::*;

fn pool() -> Arc<Pool> {
    let nothing = Program {
        path: "nothing".into(),
        words: Vec::new(),
    };
    Pool::new(nothing, Vec::new(), 1, 1)
}

/// A worker that has done so many jobs.
fn worker(pool: &Arc<Pool>, jobs: u32) -> ReadersWorker {
    pool.count.fetch_add(1, Ordering::Relaxed);
    let (socket, _) = UnixStream::pair().expect("a socket");
    ReadersWorker {
        pool: Arc::clone(pool),
        process: None,
        socket,
        game: None,
        jobs,
        has_successor: false,
        forgets: 0,
        began: Duration::ZERO,
        worked: Duration::ZERO,
        ended: Duration::ZERO,
        stands_back: false,
    }
}

fn jobs_of_idle(pool: &Pool) -> Vec<u32> {
    let idle = locked(&pool.idle);
    idle.iter().map(|worker| worker.jobs).collect()
}

#[tokio::test]
async fn who_goes_away_before_a_job_is_done_keeps_their_turn_for_a_while() {
    let pool = pool();
    let turn = pool.turn("anna").expect("the first");
    let mut done = WatchedTurn::of(&turn);
    assert_eq!(pool.turn("anna").err(), Some(JobFailed::Busy));
    done.is_done = true;
    drop((done, turn));
    let turn = pool.turn("anna").expect("that job is done");
    let left = WatchedTurn::of(&turn);
    drop((left, turn));
    tokio::time::sleep(LEFT_TURN / 4).await;
    assert_eq!(pool.turn("anna").err(), Some(JobFailed::Busy));
    assert!(pool.turn("bert").is_ok());
}

#[tokio::test]
async fn a_worker_that_has_done_enough_stays_until_another_one_is_ready() {
    let pool = pool();
    assert!(!pool.put(worker(&pool, JOBS_MAX - 1)));
    let mut tired = locked(&pool.idle).remove(0);
    tired.jobs += 1;
    assert!(pool.put(tired), "another one is made ready");
    let mut tired = locked(&pool.idle).remove(0);
    tired.jobs += 1;
    assert!(!pool.put(tired), "but only one");
    assert_eq!(jobs_of_idle(&pool), [JOBS_MAX + 1], "it goes on meanwhile");
    pool.put_new(worker(&pool, 0));
    assert_eq!(jobs_of_idle(&pool), [0]);
    assert_eq!(pool.count.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn one_more_worker_is_kept_than_can_work_and_those_used_least_go() {
    let pool = pool();
    for jobs in 1..=3 {
        pool.put(worker(&pool, jobs));
    }
    assert_eq!(jobs_of_idle(&pool), [2, 3]);
}

#[tokio::test]
async fn workers_that_stand_back_are_counted_apart() {
    let pool = pool();
    let behind = |jobs| {
        let mut behind = worker(&pool, jobs);
        behind.stands_back = true;
        behind
    };
    for jobs in [1, 2, 3] {
        pool.put(behind(jobs));
    }
    assert!(pool.is_short_of(false) && !pool.is_short_of(true));
    pool.put(worker(&pool, 9));
    assert!(!pool.is_short_of(false));
    let why = "the one used least went, and only for one of its sort";
    assert_eq!(jobs_of_idle(&pool), [2, 3, 9], "{why}");
}

#[tokio::test]
async fn a_worker_whose_successor_does_not_come_goes_all_the_same() {
    let pool = pool();
    pool.put(worker(&pool, JOBS_MAX + JOBS_BEYOND));
    assert_eq!(jobs_of_idle(&pool), [0; 0]);
}

#[tokio::test]
async fn a_worker_from_before_words_were_forgotten_is_not_kept() {
    let pool = pool();
    let before = worker(&pool, 1);
    pool.forgets.fetch_add(1, Ordering::SeqCst);
    pool.put(before);
    assert_eq!(jobs_of_idle(&pool), [0; 0]);
}
