//! What the votes on a matter come to, and what would change it.

mod common;

use common::{BILLS, Game};
use quorate_engine::query::PageAccount;
use quorate_forecast::{MatterVerdict, MatterVotes, OpenMatter, Ripeness};
use quorate_kernel::audience::Reader;
use quorate_kernel::command::{Act, Actor, typed};
use quorate_kernel::{PlayerId, PostId};

/// Anna and four more.
fn of_five(bills: &str) -> (Game, Vec<PlayerId>) {
    let open = "def let_in(p: Player, text: str):\n    admit(p)\n\non(\"applied\", let_in, of = player)\naction(\"enact\"";
    let mut game = Game::found_under(&bills.replace("action(\"enact\"", open));
    for name in ["Bert", "Cleo", "Dora", "Egon"] {
        let (name, text) = (typed(name), typed(""));
        game.send(Actor::Newcomer, Act::Apply { name, text });
    }
    let everybody = game.judge.state().people.keys().copied().collect();
    (game, everybody)
}

fn verdict(
    game: &Game,
    post: PostId,
    everybody: &[PlayerId],
    leader: Option<PlayerId>,
) -> MatterVerdict {
    let state = game.judge.state();
    let ballots = everybody.iter().map(|player| {
        let own = state
            .comments_of(post)
            .filter(|(_, comment)| comment.author.shown() == Some(*player));
        let last = own.flat_map(|(_, comment)| &comment.icons).last();
        (
            *player,
            last.map_or_else(String::new, |icon| icon.name.to_string()),
        )
    });
    let votes = MatterVotes {
        icons: vec!["for".into(), "against".into()],
        ballots: ballots.collect(),
        deferring: 0,
        leader,
        closer: everybody.first().copied(),
        role: None,
        enough: None,
    };
    let account = PageAccount::of_preview();
    game.forked(&account, Reader::Law, false, |fork| {
        OpenMatter::new(fork, post, &votes).verdict()
    })
}

fn vote(game: &mut Game, post: PostId, who: PlayerId, side: &str) {
    let text = typed(&format!(":{side}:"));
    game.send(Actor::Player(who), Act::Comment { post, text });
}

#[test]
fn a_matter_needs_votes_until_one_decides_and_then_none_can_stop_it() {
    let (mut game, everybody) = of_five(BILLS);
    let post = game.post("[]");
    let first = verdict(&game, post, &everybody, None);
    assert_eq!((first.is, first.out), (Ripeness::Undecided, 5));
    assert_eq!(first.now.shut.len(), 1);
    for voter in &everybody[..2] {
        vote(&mut game, post, *voter, "for");
    }
    let one = verdict(&game, post, &everybody, None);
    let Ripeness::OneVote { votes } = &one.is else {
        panic!("{one:?}");
    };
    assert_eq!(votes.len(), 1);
    assert_eq!((votes[0].side.as_str(), votes[0].by), ("for", None));
    assert_eq!(votes[0].then.titles(), ["Enact"]);
    vote(&mut game, post, everybody[2], "for");
    let ripe = verdict(&game, post, &everybody, None);
    assert_eq!(ripe.is, Ripeness::Ripe { stopped_by: None });
    assert_eq!(ripe.out, 2);
}

#[test]
fn what_time_alone_brings_is_told_with_its_moment() {
    let waiting = BILLS.replace(
        "    require(votes(bill",
        "    require(now >= bill.at + hours(20), \"twenty hours\")\n    require(votes(bill",
    );
    let (mut game, everybody) = of_five(&waiting);
    let post = game.post("[]");
    for voter in &everybody[..3] {
        vote(&mut game, post, *voter, "for");
    }
    let verdict = verdict(&game, post, &everybody, None);
    assert_eq!(verdict.is, Ripeness::Undecided);
    let later = verdict.later.expect("the law knows when");
    assert_eq!(later.at, game.now + quorate_kernel::Span::hours(20));
    assert_eq!(later.then.titles(), ["Enact"]);
    assert_eq!(verdict.until, Some(later.at));
}
