//! How a vote stands: the count, each vote and how it was reached, and what would still change it.

use quorate_engine::conventions;
use quorate_forecast::leaning;
use quorate_kernel::rows::CommentKey;
use quorate_kernel::{Name, PlayerId, PostId, Refusal, Thing, rows};
use quorate_law::capital;
use quorate_law::datum::Datum;

use crate::ui::urls::Href;
use crate::ui::votes::{If, VoteLine, Votes};
use crate::ui::{Ballot, Fact, Icon, Tone};
use crate::view::game::GameView;
use crate::view::matters::Count;
use crate::view::standing::news;

/// The panel beside a matter.
pub(crate) fn votes_on(view: &GameView, id: PostId, post: &rows::Post, count: &Count) -> Votes {
    let is_open = view.is_open(post);
    let cast = count.ballots.iter().filter(|(_, word)| !word.is_empty());
    let cast = cast.count();
    let mut lines: Vec<VoteLine> = count
        .ballots
        .iter()
        .map(|(player, word)| VoteLine {
            person: view.person(*player),
            vote: (!word.is_empty()).then(|| Ballot::new(word.clone())),
            how: how(view, id, post, *player, word, count),
            comment: view.cast_by(id, *player, &count.icons).pop().map(comment),
            is_void: false,
        })
        .collect();
    lines.extend(void_votes(view, id, count));
    let mut gauge = count.gauge();
    gauge.large = true;
    Votes {
        law: "as the law counts now".to_owned(),
        tally: count.tally(),
        silent: gauge.silent,
        gauge,
        facts: facts(view, id, post, count),
        ifs: if is_open {
            ifs(view, id, count)
        } else {
            Vec::new()
        },
        counted: format!("{cast} of {} cast", count.ballots.len()),
        lines,
    }
}

fn facts(view: &GameView, id: PostId, post: &rows::Post, count: &Count) -> Vec<Fact> {
    let mut facts = Vec::new();
    if let Some(enough) = count.enough {
        facts.push(Fact::new(capital(conventions::ENOUGH), enough.to_string()));
    }
    facts.push(Fact::new("Open since", view.when(post.open_at).full()));
    if !view.is_open(post) {
        return facts;
    }
    if let Some(words) = view.trial_run(|tx| leaning(tx, id)) {
        facts.push(Fact::new("It is now", words));
    }
    // What keeps several ways to close it from being taken is told once.
    let mut ways: Vec<(String, String, Refusal)> = Vec::new();
    for (title, refusal) in view.obstacles(id) {
        let reason = view.refusal(&title, &refusal).reason();
        match ways.iter_mut().find(|(_, known, _)| *known == reason) {
            Some((titles, _, _)) => *titles = format!("{titles}, {title}"),
            None => ways.push((title, reason, refusal)),
        }
    }
    for (title, reason, refusal) in ways {
        let fact = Fact::new(title, "not yet").note(reason);
        facts.push(match refusal.next_at {
            Some(at) => fact.due(view.when(at)),
            None => fact,
        });
    }
    facts
}

/// What more votes for a side, or time alone, would change first.
fn ifs(view: &GameView, id: PostId, count: &Count) -> Vec<If> {
    let ifs = view.matter_ifs(id, count);
    let more = ifs.more.iter().map(|more| {
        let (icon, tone) = match more.side.as_str() {
            "for" => (Icon::For, Tone::For),
            _ => (Icon::Against, Tone::Against),
        };
        If {
            icon,
            tone,
            lead: format!("{} more {}:", more.votes, more.side.to_uppercase()),
            text: format!("{}.", news(&more.then, &ifs.now)),
        }
    });
    let later = ifs.later.iter().map(|later| {
        let from = view.when(later.at).full();
        If {
            icon: Icon::Pending,
            tone: Tone::None,
            lead: "No more votes:".to_owned(),
            text: format!("from {from} on {}.", news(&later.then, &ifs.now)),
        }
    });
    more.chain(later).collect()
}

/// Where on the page a vote was cast.
fn comment((key, _): (CommentKey, Name)) -> Href {
    Href::fragment(&format!("c{}", key.id))
}

/// How somebody's vote came to be what it is.
fn how(
    view: &GameView,
    id: PostId,
    post: &rows::Post,
    player: PlayerId,
    word: &str,
    count: &Count,
) -> String {
    let cast = view.cast_by(id, player, &count.icons);
    let Some((key, icon)) = cast.last() else {
        let author = view.sight().author(&post.author) == Some(player);
        return match (author, word.is_empty()) {
            (true, false) => "as its author".to_owned(),
            (_, false) => by_rule(view),
            (_, true) => "not voted".to_owned(),
        };
    };
    let at = view.state().comments.get(key).map(|comment| comment.at);
    let when = at.map(|at| view.when(at).brief()).unwrap_or_default();
    let shout = |icon: &Name| icon.as_str().to_uppercase();
    if icon.as_str() != word {
        let earlier = cast.iter().any(|(_, icon)| icon.as_str() == word);
        let kept = if word.is_empty() {
            String::new()
        } else if earlier {
            "an earlier one stands; ".to_owned()
        } else {
            format!("{}; ", by_rule(view))
        };
        return format!("{kept}{} of {when} does not count", shout(icon));
    }
    let mut words = format!("own, {when}");
    if let Some((_, before)) = cast.len().checked_sub(2).and_then(|nth| cast.get(nth))
        && before != icon
    {
        words.push_str("; was ");
        words.push_str(&shout(before));
    }
    if word == conventions::FOLLOWING {
        words.push_str("; ");
        words.push_str(&followed(view, player, count));
    }
    words
}

/// The rule that says what counts as somebody's vote.
fn by_rule(view: &GameView) -> String {
    let site = view.law.code.site_of("ballot");
    site.map_or_else(
        || "by a rule".to_owned(),
        |site| format!("by the rule “{}”", view.rule_title(&site.rule)),
    )
}

/// Whom a deferential vote follows, and what it counts as for that.
fn followed(view: &GameView, player: PlayerId, count: &Count) -> String {
    let plain = |side: &str| {
        let cast = count.ballots.iter().filter(|(_, word)| word == side);
        u32::try_from(cast.count()).unwrap_or(u32::MAX)
    };
    let side = ["for", "against"]
        .into_iter()
        .find(|side| count.side(side) > plain(side));
    let leader = match view.attribute(&Thing::Game, conventions::LEADER) {
        Some(Datum::Thing(Thing::Player(leader))) if leader != player => Some(leader),
        _ => None,
    };
    match (leader, side) {
        (Some(leader), Some(side)) => {
            format!(
                "follows {}: counts {}",
                view.name(leader),
                side.to_uppercase()
            )
        }
        (Some(leader), None) => {
            format!("follows {}, who hasn’t voted", view.name(leader))
        }
        (None, Some(side)) => format!("counts {}", side.to_uppercase()),
        (None, None) => "counts on no side yet".to_owned(),
    }
}

/// Votes of those who do not count now.
fn void_votes(view: &GameView, id: PostId, count: &Count) -> Vec<VoteLine> {
    let (_, idle) = view.roster();
    let voted = idle.into_iter().filter_map(|player| {
        let is_counted = count.ballots.iter().any(|(known, _)| *known == player);
        let cast = view.cast_by(id, player, &count.icons).pop()?;
        (!is_counted).then_some((player, cast))
    });
    voted
        .map(|(player, cast)| (player, cast.1.as_str().to_uppercase(), cast))
        .map(|(player, icon, cast)| VoteLine {
            person: view.person(player),
            vote: None,
            how: format!("cast {icon}, void because idle"),
            comment: Some(comment(cast)),
            is_void: true,
        })
        .collect()
}
