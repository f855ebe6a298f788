//! What the law lets the reader do with a post, and until when: asked by trials, for the site knows no such rule.

use quorate_engine::conventions;
use quorate_engine::judge::Judge;
use quorate_kernel::command::{Act, Actor, typed};
use quorate_kernel::{Moment, Name, PlayerId, PostId, Span, Thing, rows};
use quorate_law::datum::Datum;

use crate::ui::urls;
use crate::ui::votes::EditWindow;
use crate::view::game::GameView;

/// How far ahead the end of an edit window is looked for.
const AHEAD: Span = Span::days(14);

/// The window in which the reader may still edit a post, if they may now.
pub(crate) fn edit_window(view: &GameView, id: PostId, post: &rows::Post) -> Option<EditWindow> {
    let me = view.me?;
    if view.sight().author(&post.author) != Some(me) {
        return None;
    }
    let act = Act::EditPost {
        post: id,
        title: post.title.clone(),
        body: post.body.clone(),
        flavour: post.flavour.clone(),
        patch: post.patch.clone(),
    };
    let may = |at| view.would_at(at, act.clone()).is_ok();
    if !may(view.now) {
        return None;
    }
    let until = last(view.now, AHEAD, may);
    let word = id.to_string();
    let href = urls::PostEdit {
        game: view.game.as_str(),
        post: &word,
    };
    Some(EditWindow {
        href: href.into(),
        until: until.map(|at| view.when(at)),
    })
}

/// The first second from which something that is allowed now is not allowed any more, found by halving; none where it is
/// still allowed at the end of the time looked at.
fn last(now: Moment, ahead: Span, may: impl Fn(Moment) -> bool) -> Option<Moment> {
    let second = Span(1_000);
    let (mut open, mut shut) = (now, now + second);
    let mut step = Span::minutes(1);
    while may(shut) {
        open = shut;
        shut = shut + step;
        step = step + step;
        if shut - now > ahead {
            if may(now + ahead) {
                return None;
            }
            shut = now + ahead;
            break;
        }
    }
    while shut - open > second {
        let middle = open + Span((shut - open).0 / 2);
        if may(middle) {
            open = middle;
        } else {
            shut = middle;
        }
    }
    Some(shut)
}

/// The icons of a matter that the reader could cast with effect now: the law takes the comment, and the vote that then
/// counts for them is that icon. Somebody idle, whose vote is none, is offered what the law does not refuse.
pub(crate) fn usable_icons(view: &GameView, id: PostId, me: PlayerId, icons: &[Name]) -> Vec<Name> {
    let counts =
        view.law.code.signature("ballot").is_some() && !view.has_flag(me, conventions::IDLE);
    let usable = |icon: &&Name| {
        let mut judge = view.fork();
        let act = Act::Comment {
            post: id,
            text: typed(&format!(":{icon}:")),
        };
        view.would_on(&mut judge, Actor::Player(me), act).is_ok()
            && (!counts || ballot(view, &judge, id, me).is_none_or(|word| word == icon.as_str()))
    };
    icons.iter().filter(usable).cloned().collect()
}

fn ballot(view: &GameView, judge: &Judge, id: PostId, me: PlayerId) -> Option<String> {
    let args = vec![
        Datum::Thing(Thing::Post(id)),
        Datum::Thing(Thing::Player(me)),
    ];
    match judge.query(view.now, |tx| tx.call(&Name::from("ballot"), args)) {
        Ok(Datum::Text(word)) => Some(word.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_window_is_found_to_the_second() {
        let now = Moment(1_800_000_000_000);
        let end = now + Span::minutes(15);
        let found = last(now, AHEAD, |at| at < end).expect("the window ends");
        assert!(found >= end && found - end < Span(1_000), "{found}");
    }

    #[test]
    fn a_window_that_stays_open_has_no_end() {
        assert_eq!(last(Moment(0), AHEAD, |_| true), None);
    }

    #[test]
    fn a_window_that_closes_late_is_found_all_the_same() {
        let end = Moment(0) + Span::days(13);
        let found = last(Moment(0), AHEAD, |at| at < end).expect("the window ends");
        assert!(found >= end && found - end < Span(1_000), "{found}");
    }
}
