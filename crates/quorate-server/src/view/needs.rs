//! What waits for the reader.

use quorate_kernel::rows::Post;
use quorate_kernel::{PlayerId, PostId, Thing};
use quorate_law::capital;
use quorate_law::datum::Datum;

use crate::ui::urls::Href;
use crate::ui::{Icon, Needs, NeedsLine, urls};
use crate::view::game::GameView;
use crate::view::{missing, waiting};

/// What waits for the reader: questions, votes not cast, what the law obliges them to.
pub fn needs(look: &GameView) -> Needs {
    let mut lines = questions(look);
    lines.extend(waiting::letters(look));
    lines.extend(unvoted(look));
    lines.extend(asked_by_law(look));
    lines.extend(missing::needs_line(look));
    lines.extend(waiting::closings(look));
    Needs { lines }
}

fn questions(look: &GameView) -> Vec<NeedsLine> {
    let Some(me) = look.me else {
        return Vec::new();
    };
    let act: Href = urls::Act {
        game: look.game.as_str(),
    }
    .into();
    let open = look.state().open.iter().filter(|(key, _)| key.who == me);
    let open = open.map(|(key, open)| NeedsLine {
        icon: Icon::Ask,
        title: open.question.what.clone(),
        href: act.at(&format!("ask-{}", key.action)),
        after: String::new(),
        note: "waits for your answer".to_owned(),
        due: Some(look.when(open.deadline)),
    });
    let duties = look.state().duties.iter().filter(|(_, duty)| duty.to == me);
    let duties = duties.map(|(id, duty)| NeedsLine {
        icon: Icon::Ask,
        title: look.duty_title(duty),
        href: act.at(&format!("duty-{id}")),
        after: String::new(),
        note: "is left to you".to_owned(),
        due: Some(look.when(duty.deadline)),
    });
    open.chain(duties).collect()
}

fn unvoted(look: &GameView) -> Vec<NeedsLine> {
    let posts = look.state().posts.iter();
    let silent = posts.filter(|(id, post)| lacks_my_vote(look, **id, post));
    silent
        .map(|(id, post)| {
            let word = id.to_string();
            NeedsLine {
                icon: Icon::Pending,
                title: look.themed(post.title.as_str()),
                href: urls::Post {
                    game: look.game.as_str(),
                    post: &word,
                }
                .into(),
                after: String::new(),
                note: "has no vote of yours".to_owned(),
                due: None,
            }
        })
        .collect()
}

/// Whether a matter is open and the reader could vote on it and has not.
pub(crate) fn lacks_my_vote(look: &GameView, id: PostId, post: &Post) -> bool {
    let is_open = look.view().post(post) && look.is_open(post) && look.is_matter(post);
    if !is_open {
        return false;
    }
    let playing = look
        .me
        .filter(|me| look.is_member() && !look.has_flag(*me, "idle"));
    let Some(me) = playing else {
        return false;
    };
    let icons = &look.law.categories[&post.category].it.icons;
    let has_voted = look.state().comments_of(id).any(|(_, comment)| {
        look.view().author(&comment.author) == Some(me)
            && comment.icons.iter().any(|icon| icons.contains(&icon.name))
    });
    !has_voted && look.view().author(&post.author) != Some(me)
}

/// A line of the law on what somebody owes, or what is only well done.
pub(crate) struct LawLine {
    /// Whose it is, by name or by what they are.
    whose: String,
    /// What.
    pub(crate) what: String,
    icon: Icon,
    note: &'static str,
}

/// What the law itself says that people owe, where it keeps such lists (`obligations`, and `reminders` for what is only well
/// done): lines that begin with whose they are, by name or by what they are, and a colon.
pub(crate) fn law_lines(look: &GameView) -> Vec<LawLine> {
    let mut found = Vec::new();
    for (list, icon, note) in [
        ("obligations", Icon::Key, "the rules ask this of you"),
        ("reminders", Icon::Star, "the rules leave this to you"),
    ] {
        let Some(Datum::List(items)) = look.attribute(&Thing::Game, list) else {
            continue;
        };
        found.extend(items.iter().filter_map(|item| {
            let Datum::Text(text) = item else { return None };
            let (whose, what) = text.split_once(": ")?;
            Some(LawLine {
                whose: whose.to_owned(),
                what: capital(what),
                icon,
                note,
            })
        }));
    }
    found
}

/// Those of the law's lines that are somebody's.
pub(crate) fn lines_of<'a>(
    look: &GameView,
    lines: &'a [LawLine],
    player: PlayerId,
) -> Vec<&'a LawLine> {
    let theirs = lines
        .iter()
        .filter(|line| look.is_called(player, &line.whose));
    theirs.collect()
}

/// What the law says that the reader owes.
pub(crate) fn asked_by_law(look: &GameView) -> Vec<NeedsLine> {
    let Some(me) = look.me else {
        return Vec::new();
    };
    let href = look.own_desk(me);
    let lines = law_lines(look);
    let mine = lines_of(look, &lines, me).into_iter();
    mine.map(|line| NeedsLine {
        icon: line.icon,
        title: line.what.clone(),
        href: href.clone(),
        after: String::new(),
        note: line.note.to_owned(),
        due: None,
    })
    .collect()
}

impl GameView {
    /// Whether a line that begins with a name or a group is for somebody.
    fn is_called(&self, me: PlayerId, whose: &str) -> bool {
        let is = |token: &str| {
            whose.eq_ignore_ascii_case(&self.word(token)) || whose.eq_ignore_ascii_case(token)
        };
        whose == self.name(me)
            || (is("players") || whose == "Everybody")
            || ((is("admin") || is("admins")) && self.has_flag(me, "admin"))
            || (is("emperor") && self.emperor() == Some(me))
    }

    /// Where somebody does what the rules ask of them.
    fn own_desk(&self, me: PlayerId) -> Href {
        let game = self.game.as_str();
        if self.has_flag(me, "admin") {
            urls::Desk { game }.into()
        } else {
            urls::Act { game }.into()
        }
    }
}
