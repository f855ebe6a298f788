//! A game that is removed is gone from every node at once, whoever owns it, and comes back on every node.

use crate::cluster::{Cluster, NoAnswer, head, roll};
use crate::history::Game;

const GAME: Game = "reef";

/// How often a node may be asked before it knows.
const ASKED_MOST: usize = 5_000;

/// Asks until a node says no such game, or says where its log ends.
fn comes_to_say(site: &str, is_there: bool) {
    let knows = |_: &usize| match head(site, GAME) {
        Ok(_) => is_there,
        Err(NoAnswer::Said(404, _)) => !is_there,
        Err(_) => false,
    };
    assert!(
        (0..ASKED_MOST).any(|nth| knows(&nth)),
        "{site} does not know"
    );
}

fn removes(cluster: &Cluster, arguments: &[&str]) {
    let done = cluster.command(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{arguments:?}: {said}");
}

#[test]
fn a_removed_game_is_gone_from_every_node_until_it_is_put_back() {
    let Some(cluster) = Cluster::start(2) else {
        return;
    };
    let tokens = cluster.found(&[GAME]);
    let (owner, follower) = (&cluster.nodes[0].site, &cluster.nodes[1].site);
    roll(owner, GAME, &tokens[0], "one").expect("a die");
    let end = head(owner, GAME).expect("it is there");
    assert_eq!(head(follower, GAME).expect("on both"), end);
    removes(&cluster, &["remove", GAME]);
    for site in [owner, follower] {
        comes_to_say(site, false);
        let refused = roll(site, GAME, &tokens[0], "two");
        assert!(
            matches!(refused, Err(NoAnswer::Said(404, _))),
            "{refused:?}"
        );
    }
    removes(&cluster, &["remove", GAME, "--back"]);
    for site in [owner, follower] {
        comes_to_say(site, true);
        assert_eq!(
            head(site, GAME).expect("it is back"),
            end,
            "with all that was in it"
        );
    }
    roll(follower, GAME, &tokens[0], "three").expect("a die");
}
