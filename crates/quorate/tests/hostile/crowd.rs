//! Four accounts that attack at once, and how long another game's readers and voters wait meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::list::{Program, bad_rule};
use crate::scene::{ATTACKERS, QUIET, Scene, VOTERS, attacker, siege_of, voter};
use crate::site::{Site, now, pause};

/// How long a reader or an attacker thinks before the next request. The client takes cores too: a flood of requests that
/// are turned away at once would be about that.
const THINKS: Duration = Duration::from_millis(20);

/// How long it is from a vote to the next one: five votes a second are more than any game has. Under thousands of votes a page would
/// take longer by itself.
const VOTES_EVERY: Duration = Duration::from_millis(200);

/// How long somebody waited, of many times.
#[derive(Clone, Default)]
pub(crate) struct Waits(Vec<Duration>);

impl Waits {
    /// The time within which so many of a hundred are.
    pub(crate) fn share(&self, percent: usize) -> Duration {
        let mut times = self.0.clone();
        times.sort_unstable();
        let last = times.len().saturating_sub(1);
        times.get(last * percent / 100).copied().unwrap_or_default()
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }
}

/// How long pages and votes of the quiet game took.
#[derive(Default)]
pub(crate) struct Quiet {
    pub(crate) pages: Waits,
    pub(crate) votes: Waits,
}

/// How long they take when nobody attacks.
pub(crate) fn at_rest(site: &Site, scene: &Scene, length: Duration) -> Quiet {
    std::thread::scope(|scope| {
        let pages = scope.spawn(|| pages(site, scene, length));
        let votes = scope.spawn(|| votes(site, scene, length));
        Quiet {
            pages: pages.join().expect("pages are drawn"),
            votes: votes.join().expect("votes are taken"),
        }
    })
}

/// How long they take while four accounts attack, and how many answers those got.
pub(crate) fn attacked(
    site: &Site,
    scene: &Scene,
    programs: &[Program],
    length: Duration,
) -> (Quiet, usize) {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let over = &over;
        let mut attacks = Vec::new();
        for nth in 0..ATTACKERS {
            attacks.push(scope.spawn(move || previews(site, programs, nth, over)));
            attacks.push(scope.spawn(move || commands(site, programs, nth, over)));
        }
        let quiet = at_rest(site, scene, length);
        over.store(true, Ordering::Relaxed);
        let answers = attacks.into_iter();
        let answers = answers.map(|attack| attack.join().expect("an attack ends"));
        (quiet, answers.sum())
    })
}

/// Previews of one account, one after the other: rules with programs and their tests.
fn previews(site: &Site, programs: &[Program], account: usize, over: &AtomicBool) -> usize {
    let path = format!("/api/v1/games/{QUIET}/preview");
    let mut answers = 0;
    for program in programs
        .iter()
        .cycle()
        .skip(account * programs.len() / ATTACKERS)
    {
        if over.load(Ordering::Relaxed) {
            break;
        }
        let text = bad_rule(&program.indented());
        let rule = json!({ "do": "add_rule", "id": "worse", "section": "rules", "text": text });
        let script = json!({ "do": "script", "code": program.script() });
        let body = format!("```starlark-test\n{}```\n", program.test());
        let draft =
            json!({ "changes": [rule, script], "tests": true, "whole": true, "body": body });
        site.ask("POST", &path, &attacker(account), &draft);
        answers += 1;
        pause(THINKS);
    }
    answers
}

/// Actions, votes against guards and pages of one account, in its own games.
fn commands(site: &Site, programs: &[Program], account: usize, over: &AtomicBool) -> usize {
    let own: Vec<usize> = (account..programs.len()).step_by(ATTACKERS).collect();
    let mut answers = 0;
    for nth in own.into_iter().cycle() {
        for action in ["run", "guarded", "stir"] {
            if over.load(Ordering::Relaxed) {
                return answers;
            }
            let body = json!({ "action": action });
            let path = format!("/api/v1/games/{}/acts", siege_of(nth));
            site.ask("POST", &path, &attacker(account), &body);
            site.ask(
                "GET",
                &format!("/g/{}/tracker", siege_of(nth)),
                "",
                &Json::Null,
            );
            answers += 2;
            pause(THINKS);
        }
    }
    answers
}

/// Pages of the quiet game, one after the other.
fn pages(site: &Site, scene: &Scene, length: Duration) -> Waits {
    let post = format!("/g/{QUIET}/post/{}", scene.matter);
    let tracker = format!("/g/{QUIET}/tracker");
    let values = format!("/api/v1/games/{QUIET}/values");
    let (begun, mut waits) = (now(), Waits::default());
    for path in [post, tracker, values].iter().cycle() {
        if now() - begun >= length {
            break;
        }
        let said = site.ask("GET", path, "", &Json::Null);
        assert_eq!(said.status, 200, "{path}: {}", said.body);
        waits.0.push(said.took);
        pause(THINKS);
    }
    waits
}

/// Votes in the quiet game, one after the other, each by another player.
fn votes(site: &Site, scene: &Scene, length: Duration) -> Waits {
    let path = format!("/api/v1/games/{QUIET}/posts/{}/comments", scene.matter);
    let (begun, mut waits) = (now(), Waits::default());
    for nth in 0.. {
        if now() - begun >= length {
            break;
        }
        let side = if (nth / VOTERS).is_multiple_of(2) {
            "for"
        } else {
            "against"
        };
        let said = site.ask(
            "POST",
            &path,
            &voter(nth % VOTERS),
            &json!({ "vote": side }),
        );
        // Whoever votes faster than anybody could is told to wait, which is no answer to measure.
        if said.status == 429 {
            break;
        }
        assert_eq!(said.status, 201, "{}", said.body);
        waits.0.push(said.took);
        pause(VOTES_EVERY);
    }
    waits
}
