//! Hostile texts: as a title, a name, a comment, a message, a line of dice, the text of a rule.

use libtest_mimic::Failed;
use quorate_kernel::command::{Act, Actor, NewPost, typed};
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Id, PostId, Thing};

use crate::table::Game;

/// A hostile text.
pub(crate) struct HostileText {
    /// What it is.
    pub(crate) name: &'static str,
    text: String,
}

fn repeated(name: &'static str, part: &str, count: usize) -> HostileText {
    let text = part.repeat(count);
    HostileText { name, text }
}

/// All of them.
pub(crate) fn texts() -> Vec<HostileText> {
    vec![
        repeated("nothing", "", 1),
        repeated("spaces alone", " ", 1_000),
        repeated("a megabyte", "a", 1 << 20),
        repeated("a text just within its bound", "ä", 128 << 10),
        repeated("a sign of no width", "a\u{200b}", 20),
        repeated("letters written backwards", "\u{202e}abc", 3),
        repeated("a mixture of look-alikes", "pаypal", 1),
        repeated("marks upon marks", "e\u{301}\u{302}\u{303}\u{304}", 20_000),
        repeated("control signs", "\u{7}\u{1b}[2J\0", 10),
        repeated("markup that runs", "<script>alert(1)</script>", 40),
        repeated("stars", "*", 60_000),
        repeated("open brackets", "[", 60_000),
        repeated("open links", "[a](", 30_000),
        repeated("quotes within quotes", "> ", 60_000),
        repeated("backquotes of all lengths", "`` ` ``` ", 12_000),
        repeated("a wide table", "|a", 60_000),
        repeated("lists within lists", "- ", 60_000),
        repeated("icons", ":for: :against: ", 8_000),
        repeated("words for dice", "DICE6 ", 20_000),
        repeated("a die of many digits", "DICE99999999999999999999999999", 1),
        repeated("fences that never end", "```starlark\nx = 1\n", 6_000),
        repeated(
            "fences within clauses",
            "1. a\n\n```starlark\nx = (\n```\n",
            4_000,
        ),
        repeated("a heading of front matter", "---\nsection: rules\n", 5_000),
        repeated("names in braces", "{player} {", 20_000),
        repeated("ends of lines", "\r\n\u{2028}\u{85}", 20_000),
        repeated("joined faces", "👩‍👩‍👧‍👦", 4_000),
    ]
}

/// Each place takes the text or says what it needs, and the game goes on.
pub(crate) fn is_taken_or_refused(text: &HostileText) -> Result<(), Failed> {
    let mut game = Game::of_code("");
    let seen = typed(&text.text);
    let posted = |title: &Sealed<str>, body: &Sealed<str>| {
        Act::Post(Box::new(NewPost {
            category: "".into(),
            title: title.clone(),
            body: body.clone(),
            flavour: typed(""),
            fields: Vec::new(),
            patch: None,
        }))
    };
    let plain = typed("A title");
    let player = Actor::Player(game.who);
    let first = game.send(player, posted(&plain, &plain));
    let post = PostId(Id::new(first.map_err(|no| no.to_string())?.seq, 0));
    let rule = Clause::AddRule {
        id: "bad-text".into(),
        section: "rules".into(),
        parent: None,
        after: None,
        title: text.text.clone(),
        text: text.text.as_str().into(),
        tags: Vec::new(),
    };
    let name = Clause::RenamePlayer {
        thing: Thing::Player(game.who),
        name: text.text.clone(),
    };
    let page = Clause::SetPage {
        name: "notes".into(),
        text: text.text.clone(),
    };
    let comment = Act::Comment {
        post,
        text: seen.clone(),
    };
    let message = Act::Message {
        to: vec![game.who],
        text: seen.clone(),
    };
    let newcomer = Act::Apply {
        name: seen.clone(),
        text: seen.clone(),
    };
    let tries = [
        (player, posted(&seen, &plain)),
        (player, posted(&plain, &seen)),
        (player, comment),
        (player, message),
        (player, Act::Dice { line: seen.clone() }),
        (Actor::Newcomer, newcomer),
        (Actor::Operator, repair(rule, &plain)),
        (Actor::Operator, repair(page, &plain)),
        (Actor::Operator, repair(name, &seen)),
    ];
    for (actor, act) in tries {
        if let Err(no) = game.send(actor, act.clone())
            && no.what().is_empty()
        {
            return Err(format!("{} is refused without a word", act.name()).into());
        }
        game.goes_on();
    }
    Ok(())
}

fn repair(clause: Clause, reason: &Sealed<str>) -> Act {
    let clauses = vec![clause];
    Act::Repair {
        patch: Sealed::close(Patch { clauses }, [0; 16]),
        reason: reason.clone(),
    }
}
