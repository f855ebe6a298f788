//! What waits for the reader.

use quorate_engine::conventions;
use quorate_kernel::rows::Post;
use quorate_kernel::{PlayerId, PostId, Thing};
use quorate_law::capital;
use quorate_law::datum::Datum;

use crate::ui::urls::Href;
use crate::ui::{Icon, Needs, NeedsLine, When, urls};
use crate::view::game::GameView;
use crate::view::{missing, waiting};

/// What waits for the reader, each matter once, most urgent first: what has a deadline by that, then questions, what they may
/// close, votes not cast, what the law obliges them to, and messages.
pub fn needs(view: &GameView) -> Needs {
    let mut lines = questions(view);
    lines.extend(waiting::for_me_alone(view));
    lines.extend(waiting::closings(view));
    lines.extend(unvoted(view));
    lines.extend(asked_by_law(view));
    lines.extend(missing::needs_line(view));
    lines.extend(waiting::applicants(view));
    lines.extend(waiting::letters(view));
    Needs {
        lines: ordered(lines),
    }
}

/// Each place once, with all that is said of it; what has a deadline first, the nearest before the others.
pub(crate) fn ordered(lines: Vec<NeedsLine>) -> Vec<NeedsLine> {
    let mut kept: Vec<NeedsLine> = Vec::new();
    for line in lines {
        let same = |known: &&mut NeedsLine| known.href == line.href && known.title == line.title;
        let Some(known) = kept.iter_mut().find(same) else {
            kept.push(line);
            continue;
        };
        if known.note != line.note {
            known.note = format!("{} · {}", known.note, line.note);
        }
        known.due = match (known.due.take(), line.due) {
            (Some(one), Some(other)) if other.millisecond() < one.millisecond() => Some(other),
            (one, other) => one.or(other),
        };
    }
    kept.sort_by_key(|line| line.due.as_ref().map_or(i64::MAX, When::millisecond));
    kept
}

fn questions(view: &GameView) -> Vec<NeedsLine> {
    let Some(me) = view.me else {
        return Vec::new();
    };
    let act: Href = urls::Act {
        game: view.game.as_str(),
    }
    .into();
    let open = view.state().open.iter().filter(|(key, _)| key.who == me);
    let open = open.map(|(key, open)| NeedsLine {
        icon: Icon::Ask,
        title: open.question.what.clone(),
        href: act.at(&format!("ask-{}", key.action)),
        after: String::new(),
        note: "Waiting for your answer".to_owned(),
        due: Some(view.when(open.deadline)),
    });
    let duties = view.state().duties.iter().filter(|(_, duty)| duty.to == me);
    let duties = duties.map(|(id, duty)| NeedsLine {
        icon: Icon::Ask,
        title: view.duty_title(duty),
        href: act.at(&format!("duty-{id}")),
        after: String::new(),
        note: "is for you to decide".to_owned(),
        due: Some(view.when(duty.deadline)),
    });
    open.chain(duties).collect()
}

fn unvoted(view: &GameView) -> Vec<NeedsLine> {
    let waiting = view.unvoted(None).into_iter();
    let lines = waiting.filter_map(|id| {
        let link = view.link_to(id)?;
        Some(NeedsLine {
            icon: Icon::Pending,
            title: link.title,
            href: link.href,
            after: String::new(),
            note: "You haven’t voted".to_owned(),
            due: None,
        })
    });
    lines.collect()
}

/// Whether a matter is open and the reader could vote on it and has not.
pub(crate) fn lacks_my_vote(view: &GameView, id: PostId, post: &Post) -> bool {
    view.waits_for_vote(id, post)
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

/// What the law itself says that is to be done, where it keeps such lists, as it says it.
pub(crate) fn listed_by_law(view: &GameView) -> Vec<(Icon, String)> {
    let lists = [
        (conventions::OBLIGATIONS, OWED),
        (conventions::REMINDERS, Icon::Star),
    ];
    let mut found = Vec::new();
    for (list, icon) in lists {
        let Some(Datum::List(items)) = view.attribute(&Thing::Game, list) else {
            continue;
        };
        found.extend(items.iter().filter_map(|item| match item {
            Datum::Text(text) => Some((icon, text.to_string())),
            _ => None,
        }));
    }
    found
}

/// The icon of what somebody owes.
const OWED: Icon = Icon::Key;

/// The same by whose it is.
pub(crate) fn law_lines(view: &GameView) -> Vec<LawLine> {
    let lines = listed_by_law(view).into_iter();
    let lines = lines.filter_map(|(icon, text)| {
        let (whose, what) = text.split_once(": ")?;
        Some(LawLine {
            whose: whose.to_owned(),
            what: capital(what),
            icon,
            note: if icon == OWED {
                "The rules ask this of you"
            } else {
                "You may do this"
            },
        })
    });
    lines.collect()
}

/// Those of the law's lines that are somebody's.
pub(crate) fn lines_of<'a>(
    view: &GameView,
    lines: &'a [LawLine],
    player: PlayerId,
) -> Vec<&'a LawLine> {
    let theirs = lines
        .iter()
        .filter(|line| view.is_called(player, &line.whose));
    theirs.collect()
}

/// What the law says that the reader owes.
pub(crate) fn asked_by_law(view: &GameView) -> Vec<NeedsLine> {
    let Some(me) = view.me else {
        return Vec::new();
    };
    let href = view.own_desk(me);
    let lines = law_lines(view);
    let mine = lines_of(view, &lines, me).into_iter();
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
            || (is(conventions::LEADER) && self.leader() == Some(me))
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

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn line(href: &str, note: &str, due: Option<i64>) -> NeedsLine {
        let now = Timestamp::UNIX_EPOCH;
        let at = |hours: i64| Timestamp::from_second(hours * 3600).expect("a moment");
        NeedsLine {
            icon: Icon::Pending,
            title: "A bell".to_owned(),
            href: Href::fragment(href),
            after: String::new(),
            note: note.to_owned(),
            due: due.map(|hours| When::new(at(hours), now)),
        }
    }

    #[test]
    fn each_matter_is_told_once_and_the_nearest_deadline_first() {
        let lines = vec![
            line("bell", "You haven’t voted", None),
            line("crate", "passes", Some(9)),
            line("bell", "can be enacted", Some(2)),
        ];
        let told: Vec<String> = ordered(lines).into_iter().map(|line| line.note).collect();
        assert_eq!(told, ["You haven’t voted · can be enacted", "passes"]);
    }
}
