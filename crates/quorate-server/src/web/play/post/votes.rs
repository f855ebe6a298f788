//! How a vote stands: the count, each vote and how it was reached, and what would still change it.

use quorate_engine::judge::Judge;
use quorate_kernel::command::{Act, Actor, typed};
use quorate_kernel::rows::{self, CommentKey};
use quorate_kernel::{Moment, Name, PlayerId, PostId, Span, Thing};
use quorate_law::datum::Datum;

use crate::pages::{Fact, If, VoteLine, Votes};
use crate::parts::{Ballot, Icon, Tone, plural};
use crate::web::look::Look;
use crate::web::look::matters::Count;

/// How many more votes for one side are tried.
const TRIED: usize = 12;

/// How far ahead and in what steps it is looked what time alone would change.
const AHEAD: (Span, Span) = (Span::days(8), Span::hours(6));

/// The panel beside a matter.
pub(super) fn told(look: &Look, id: PostId, post: &rows::Post, count: &Count) -> Votes {
    let is_open = look.is_open(post);
    let cast = count.ballots.iter().filter(|(_, word)| !word.is_empty());
    let cast = cast.count();
    let mut lines: Vec<VoteLine> = count
        .ballots
        .iter()
        .map(|(player, word)| VoteLine {
            person: look.person(*player),
            vote: (!word.is_empty()).then(|| Ballot::new(word.clone())),
            how: how(look, id, post, *player, word, count),
            is_void: false,
        })
        .collect();
    lines.extend(void_votes(look, id, count));
    let mut gauge = count.gauge();
    gauge.large = true;
    Votes {
        law: "as the law counts now".to_owned(),
        tally: count.tally(),
        silent: gauge.silent,
        gauge,
        facts: facts(look, id, post, count),
        ifs: if is_open {
            ifs(look, id, count)
        } else {
            Vec::new()
        },
        counted: format!("{cast} of {} cast", count.ballots.len()),
        lines,
    }
}

fn facts(look: &Look, id: PostId, post: &rows::Post, count: &Count) -> Vec<Fact> {
    let mut facts = Vec::new();
    if let Some(quorum) = count.quorum {
        facts.push(Fact::new("Quorum", quorum.to_string()));
    }
    facts.push(Fact::new("Open since", look.when(post.open_at).full()));
    if !look.is_open(post) {
        return facts;
    }
    if let Some(words) = leaning(&look.fork(), look.now, id) {
        facts.push(Fact::new("It is now", words));
    }
    for (title, refusal) in look.obstacles(id) {
        let reason = look.refusal(&title, &refusal).reason();
        let fact = Fact::new(title, "not yet").note(reason);
        facts.push(match refusal.next_at {
            Some(at) => fact.due(look.when(at)),
            None => fact,
        });
    }
    facts
}

/// Whether a matter is popular or unpopular, where the law knows these words.
fn leaning(judge: &Judge, at: Moment, id: PostId) -> Option<String> {
    let law = judge.law();
    let known = ["popular", "unpopular"];
    if !known.iter().all(|word| law.code.signature(word).is_some()) {
        return None;
    }
    let word = known.into_iter().find(|word| {
        let matter = vec![Datum::Thing(Thing::Post(id))];
        let said = judge.look(at, |tx| tx.call(&Name::from(*word), matter));
        said.ok() == Some(Datum::Bool(true))
    });
    Some(word.unwrap_or("neither popular nor unpopular").to_owned())
}

/// Everything that may flip: how it leans, and which closings are possible.
fn standing(look: &Look, judge: &Judge, at: Moment, id: PostId) -> Vec<String> {
    let leaning = leaning(judge, at, id).map(|word| format!("it is {word}"));
    let closings = look.closable_at(judge, at, id).into_iter();
    let closings = closings.map(|title| format!("“{title}” is possible"));
    leaning.into_iter().chain(closings).collect()
}

/// What more votes for a side, or time alone, would change first; found by trying it on a copy.
fn ifs(look: &Look, id: PostId, count: &Count) -> Vec<If> {
    let here = look.fork();
    let before = standing(look, &here, look.now, id);
    if before.is_empty() {
        return Vec::new();
    }
    let news = |after: &[String]| {
        let fresh = after.iter().filter(|word| !before.contains(word)).cloned();
        let gone = before.iter().filter(|word| !after.contains(word));
        let gone = gone
            .filter(|word| word.starts_with('“'))
            .map(|word| word.replace(" is possible", " is possible no longer"));
        fresh.chain(gone).collect::<Vec<_>>().join(", ")
    };
    let mut lines = Vec::new();
    let sides = [
        ("for", Icon::For, Tone::For),
        ("against", Icon::Against, Tone::Against),
    ];
    for (side, icon, tone) in sides {
        if !count.icons.iter().any(|known| *known == side) {
            continue;
        }
        if let Some((votes, after)) = enough(look, id, count, side, &before) {
            let more = plural(
                votes,
                &format!("more {}", side.to_uppercase()),
                &format!("more {}", side.to_uppercase()),
            );
            lines.push(If {
                icon,
                tone,
                lead: format!("{more}:"),
                text: format!("{}.", news(&after)),
            });
        }
    }
    if let Some((at, after)) = in_time(look, &here, id, &before) {
        lines.push(If {
            icon: Icon::Pending,
            tone: Tone::None,
            lead: "No more votes:".to_owned(),
            text: format!("from {} on {}.", look.when(at).full(), news(&after)),
        });
    }
    lines
}

/// The least number of further votes for a side, by those who have none yet, that changes something.
fn enough(
    look: &Look,
    id: PostId,
    count: &Count,
    side: &str,
    before: &[String],
) -> Option<(usize, Vec<String>)> {
    let mut judge = look.fork();
    let silent = count.ballots.iter().filter(|(_, word)| word.is_empty());
    for (nth, (player, _)) in silent.take(TRIED).enumerate() {
        let act = Act::Comment {
            post: id,
            text: typed(&format!(":{side}:")),
        };
        look.would_on(&mut judge, Actor::Player(*player), act)
            .ok()?;
        let after = standing(look, &judge, look.now, id);
        if after != before {
            return Some((nth + 1, after));
        }
    }
    None
}

/// The first moment, to the minute, at which something changes though nobody votes any more.
fn in_time(
    look: &Look,
    judge: &Judge,
    id: PostId,
    before: &[String],
) -> Option<(Moment, Vec<String>)> {
    let differs = |at: Moment| {
        let after = standing(look, judge, at, id);
        (after != before).then_some(after)
    };
    let (end, step) = (look.now + AHEAD.0, AHEAD.1);
    let mut low = look.now;
    let mut high = low + step;
    let mut found = differs(high);
    while found.is_none() && high < end {
        low = high;
        high = high + step;
        found = differs(high);
    }
    let mut after = found?;
    while high - low > Span::minutes(1) {
        let middle = low + Span((high - low).0 / 2);
        match differs(middle) {
            Some(then) => (high, after) = (middle, then),
            None => low = middle,
        }
    }
    Some((high, after))
}

/// The icons of a matter that somebody cast, oldest first, with the comment.
fn cast_by(look: &Look, id: PostId, player: PlayerId, count: &Count) -> Vec<(CommentKey, Name)> {
    let under = look.state().comments.iter().filter(|(key, comment)| {
        key.post == id
            && look.view().comment(comment)
            && look.view().author(&comment.author) == Some(player)
    });
    under
        .flat_map(|(key, comment)| {
            let icons = comment.icons.iter().filter(|icon| icon.counted);
            icons
                .map(|icon| (*key, icon.name.clone()))
                .collect::<Vec<_>>()
        })
        .filter(|(_, icon)| count.icons.contains(icon))
        .collect()
}

/// How somebody's vote came to be what it is.
fn how(
    look: &Look,
    id: PostId,
    post: &rows::Post,
    player: PlayerId,
    word: &str,
    count: &Count,
) -> String {
    let cast = cast_by(look, id, player, count);
    let Some((key, icon)) = cast.last() else {
        let author = look.view().author(&post.author) == Some(player);
        return match (author, word.is_empty()) {
            (true, false) => "the author’s, who cast none".to_owned(),
            (_, false) => by_rule(look),
            (_, true) => "not voted".to_owned(),
        };
    };
    let at = look.state().comments.get(key).map(|comment| comment.at);
    let when = at.map(|at| look.when(at).brief()).unwrap_or_default();
    let shout = |icon: &Name| icon.as_str().to_uppercase();
    if icon.as_str() != word {
        let earlier = cast.iter().any(|(_, icon)| icon.as_str() == word);
        let kept = if word.is_empty() {
            String::new()
        } else if earlier {
            "an earlier one stands; ".to_owned()
        } else {
            format!("{}; ", by_rule(look))
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
    if word == "deferential" {
        words.push_str("; ");
        words.push_str(&followed(look, player, count));
    }
    words
}

/// The rule that says what counts as somebody's vote.
fn by_rule(look: &Look) -> String {
    let site = look.law.code.site_of("ballot");
    site.map_or_else(
        || "by a rule".to_owned(),
        |site| format!("by the rule “{}”", look.rule_title(&site.rule)),
    )
}

/// Whom a deferential vote follows, and what it counts as for that.
fn followed(look: &Look, player: PlayerId, count: &Count) -> String {
    let plain = |side: &str| {
        let cast = count.ballots.iter().filter(|(_, word)| word == side);
        u32::try_from(cast.count()).unwrap_or(u32::MAX)
    };
    let side = ["for", "against"]
        .into_iter()
        .find(|side| count.side(side) > plain(side));
    let leader = match look.attribute(&Thing::Game, "emperor") {
        Some(Datum::Thing(Thing::Player(leader))) if leader != player => Some(leader),
        _ => None,
    };
    match (leader, side) {
        (Some(leader), Some(side)) => {
            format!(
                "follows {}: counts {}",
                look.name(leader),
                side.to_uppercase()
            )
        }
        (Some(leader), None) => {
            format!(
                "follows {}, whose vote is on neither side",
                look.name(leader)
            )
        }
        (None, Some(side)) => format!("counts {}", side.to_uppercase()),
        (None, None) => "on neither side".to_owned(),
    }
}

/// Votes of those who do not count now.
fn void_votes(look: &Look, id: PostId, count: &Count) -> Vec<VoteLine> {
    let (_, idle) = look.roster();
    let voted = idle.into_iter().filter_map(|player| {
        let is_counted = count.ballots.iter().any(|(known, _)| *known == player);
        let (_, icon) = cast_by(look, id, player, count).pop()?;
        (!is_counted).then(|| (player, icon.as_str().to_uppercase()))
    });
    voted
        .map(|(player, icon)| VoteLine {
            person: look.person(player),
            vote: None,
            how: format!("cast {icon}, void because idle"),
            is_void: true,
        })
        .collect()
}
