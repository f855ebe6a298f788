//! What the votes on a matter come to, and what would change it.

mod common;

use common::{BILLS, Game};
use quorate_engine::query::PageAccount;
use quorate_forecast::{MatterVerdict, MatterVotes, OpenMatter, Ripeness};
use quorate_kernel::audience::Reader;
use quorate_kernel::command::{Act, Actor, typed};
use quorate_kernel::{PlayerId, PostId, Thing, Value};

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

#[test]
fn what_a_flag_of_a_matter_rules_out_is_said_by_the_title_of_the_flag() {
    let flagged = BILLS.replace(
        "action(\"enact\"",
        "vetoed = flag(\"Struck down\", of = Bill)\n\n\
         def refuse_vetoed(bill: Bill):\n    require(not bill.vetoed, \"a bill that stands\")\n\n\
         def fail_bill(actor: Player, bill: Bill):\n    require(bill.vetoed, \"a bill that is struck down\")\n    close(bill, \"failed\", \"\")\n\n\
         def strike(actor: Player, bill: Bill, why: int):\n    bill.vetoed = True\n\n\
         action(\"fail\", fail_bill, title = \"Fail\")\naction(\"strike\", strike)\naction(\"enact\"",
    );
    let flagged = flagged.replace(
        "    apply(bill)",
        "    refuse_vetoed(bill)\n    apply(bill)",
    );
    let (mut game, everybody) = of_five(&flagged);
    let post = game.post("[]");
    let args = vec![
        ("bill".into(), Value::Thing(Thing::Post(post))),
        ("why".into(), Value::Int(1)),
    ];
    let act = Act::Do {
        action: "strike".into(),
        args,
    };
    game.send(Actor::Player(everybody[0]), act);
    let fails = verdict(&game, post, &everybody, None).is;
    let fate = Some("struck down".to_owned());
    let told = Ripeness::Fails {
        fate,
        outlived: None,
        can_be_saved: false,
    };
    assert_eq!(fails, told);
}
