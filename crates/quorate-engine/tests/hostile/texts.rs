//! Hostile texts: as a title, a name, a comment, a message, a line of dice, the text of a rule.

use libtest_mimic::Failed;
use quorate_kernel::command::{Act, Actor, NewPost, typed};
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Id, PostId, Thing};

use crate::list::HostileText;
use crate::table::Game;

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
