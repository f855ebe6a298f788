//! A forecast in sentences for people: what the site draws and the command prints. Programs read the data instead.

use std::collections::{BTreeMap, BTreeSet};

use quorate_kernel::{Refusal, Span};

use crate::access::{Access, Gain};
use crate::act::ActForecast;
use crate::amending::{Amending, Today};
use crate::claims::{CLAIMS, ClaimEnd, Claims, RefusedClaim, Untried};
use crate::conditions::Condition;
use crate::consequence::Consequence;
use crate::forecast::Forecast;
use crate::gathered::gathered;
pub use crate::lines::{ForecastLine, MoreAt, Voice};
use crate::lines::{
    change_line, change_of, consequence_line, joined, named, plural, throws_line, value_of,
};
use crate::odds::{Odds, PossibleChange};
use crate::proof::{FailedTest, Proof};
use crate::queue::{Ahead, Collision, Queue, Why};
use crate::round::{Passed, Stuck};

/// Up to how many beginnings of a value are told one by one.
const ALONE: usize = 2;

/// Lines under a heading.
#[derive(Clone, PartialEq, Debug)]
pub struct ForecastSection {
    /// A word for it that stays.
    pub id: &'static str,
    /// "In the queue".
    pub title: &'static str,
    /// What it is about, where that needs saying.
    pub note: &'static str,
    /// Its lines.
    pub lines: Vec<ForecastLine>,
}

/// What stands where the time was over.
fn ended_early() -> ForecastLine {
    ForecastLine::new(
        "The rest is left out:",
        "trying it all takes longer than a report may.",
    )
}

/// All parts of a forecast that say something.
pub fn sections(forecast: &Forecast, voice: &dyn Voice) -> Vec<ForecastSection> {
    let section = |id, title, note, lines| ForecastSection {
        id,
        title,
        note,
        lines,
    };
    let mut sections = vec![section(
        "alone",
        "If it were enacted now",
        "",
        alone(forecast, voice),
    )];
    sections.push(section(
        "needs",
        "Before it can be enacted",
        "It was tried as if all of this were there.",
        needs(forecast, voice),
    ));
    if let Some(amending) = &forecast.amending {
        sections.push(section(
            "change",
            "Whether rules can still be changed afterwards",
            "One more proposal is written, voted for by everybody and enacted, as a trial on the same copy; where that \
             fails, a player changes a rule by hand.",
            vec![amending_line(amending, voice)],
        ));
    }
    if let Some(claims) = &forecast.claims {
        sections.push(section(
            "claims",
            "What was claimed before",
            "Each change by hand that rests on a rule to which it brings code, made again under that code.",
            claim_lines(claims, voice),
        ));
    }
    if let Some(access) = &forecast.access {
        sections.push(section(
            "players",
            "What players could do at once",
            "",
            access_lines(access),
        ));
    }
    let collisions = forecast.collisions.iter();
    let collisions = collisions.map(|collision| collision_line(collision, voice));
    sections.push(section(
        "collisions",
        "What it collides with",
        "Pending matters that touch the same.",
        collisions.collect(),
    ));
    if let Some(queue) = &forecast.queue {
        sections.push(section(
            "queue",
            "In the queue",
            "The same after everything ahead of it, and what it would do to what is pending.",
            queue_lines(queue, voice),
        ));
    }
    sections.retain(|section| !section.lines.is_empty());
    sections
}

/// That a patch cannot be tried.
pub fn not_tried(refusal: &Refusal) -> ForecastLine {
    ForecastLine::new("It could not be tried:", refusal.to_string()).alarm()
}

/// What an act would do.
pub fn of_act(forecast: &ActForecast, voice: &dyn Voice) -> Vec<ForecastLine> {
    let consequences = forecast.consequences.iter();
    let told = gathered(consequences.clone().map(Some)).into_iter();
    let lines = told
        .zip(consequences)
        .filter_map(|(told, consequence)| told.line(|| consequence_line(consequence, voice)));
    let (mut lines, rest): (Vec<ForecastLine>, Vec<_>) = lines.partition(|line| line.is_alarm);
    if let Some(missed) = missed(&forecast.consequences) {
        lines.insert(0, missed);
    }
    lines.extend(rest);
    if lines.is_empty() {
        lines.push(nothing_changes());
    }
    let needs = forecast.needs.iter();
    lines.extend(needs.map(|refusal| needed(refusal, voice)));
    lines
}

/// The rules that go and that others need, each with those.
fn missed(consequences: &[Consequence]) -> Option<ForecastLine> {
    let mut missed: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for consequence in consequences {
        if let Consequence::Loses { title, lost, .. } = consequence {
            for name in lost {
                missed.entry(&name.of).or_default().insert(title);
            }
        }
    }
    let told = missed.iter().map(|(of, by)| {
        let by = joined(by.iter().copied());
        format!("{of} (for {by})")
    });
    let told = told.collect::<Vec<_>>().join("; ");
    (!told.is_empty())
        .then(|| ForecastLine::new("Rules that stay need:", format!("{told}.")).alarm())
}

fn nothing_changes() -> ForecastLine {
    ForecastLine::new(
        "Nothing changes by itself:",
        "no rule, no value, no roster.",
    )
}

/// What changes by itself.
pub fn alone(forecast: &Forecast, voice: &dyn Voice) -> Vec<ForecastLine> {
    let odds = match (&forecast.refused, &forecast.alone) {
        (Some(refusal), _) => return vec![not_tried(refusal)],
        (None, None) => return Vec::new(),
        (None, Some(odds)) => odds,
    };
    let Odds { throws, changes } = odds;
    let dice = throws.iter().map(throws_line);
    let is_told = |change: &&PossibleChange| {
        !change
            .outcomes
            .iter()
            .all(|outcome| match &outcome.consequence {
                Consequence::Value { of, name, .. } => !voice.tells(&of.thing, name),
                _ => false,
            })
    };
    let changes: Vec<&PossibleChange> = changes.iter().filter(is_told).collect();
    let (changes, begun) = beginnings(&changes, voice);
    let is_exact = throws.as_ref().is_none_or(|throws| throws.exact);
    let told = gathered(changes.iter().map(|change| change.certain())).into_iter();
    let changes = told
        .zip(&changes)
        .filter_map(|(told, change)| told.line(|| change_line(change, is_exact, voice)));
    let (mut lines, rest): (Vec<ForecastLine>, Vec<_>) = changes.partition(|line| line.is_alarm);
    let said = forecast.said.iter();
    lines.extend(said.map(|text| ForecastLine::new("The rules say, as it is posted:", text)));
    lines.extend(dice);
    lines.extend(rest);
    lines.extend(begun);
    lines.extend(
        forecast
            .conditions
            .iter()
            .map(|condition| condition_line(condition, voice)),
    );
    if lines.is_empty() {
        lines.push(nothing_changes());
    }
    if forecast.blind {
        lines.push(ForecastLine::new(
            "Tried without what is hidden from you:",
            "such values count here as never set.",
        ));
    }
    lines
}

/// The changes without values that begin alike for many, and one line for each of those.
fn beginnings<'a>(
    changes: &[&'a PossibleChange],
    voice: &dyn Voice,
) -> (Vec<&'a PossibleChange>, Vec<ForecastLine>) {
    let begins = |change: &PossibleChange| match change.certain()? {
        Consequence::Value {
            title,
            name,
            old: None,
            new: Some(new),
            ..
        } => Some((title.clone(), name.clone(), voice.value(new))),
        _ => None,
    };
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    for key in changes.iter().copied().filter_map(begins) {
        *counts.entry(key).or_default() += 1;
    }
    counts.retain(|_, count| *count > ALONE);
    let is_rest =
        |change: &&PossibleChange| begins(change).is_none_or(|key| !counts.contains_key(&key));
    let rest = changes.iter().copied().filter(is_rest).collect();
    let lines = counts.iter().map(|((title, _, value), count)| {
        let text = format!("begins at {value} for all {count} that have it");
        ForecastLine::new(format!("{title}:"), text)
    });
    (rest, lines.collect())
}

/// What the law still needs.
fn needs(forecast: &Forecast, voice: &dyn Voice) -> Vec<ForecastLine> {
    let lines = forecast.needs.iter();
    lines.map(|refusal| needed(refusal, voice)).collect()
}

/// One need, with the moment from when on it may be met as its reader has moments.
fn needed(refusal: &Refusal, voice: &dyn Voice) -> ForecastLine {
    let timeless = Refusal {
        next_at: None,
        ..refusal.clone()
    };
    let mut text = voice.refusal(&timeless);
    if let Some(at) = refusal.next_at {
        text = format!(
            "{}; possible from {}",
            text.trim_end_matches('.'),
            voice.moment(at)
        );
    }
    ForecastLine::new("Not yet:", text)
}

/// A condition as it stands, and what would be otherwise.
fn condition_line(condition: &Condition, voice: &dyn Voice) -> ForecastLine {
    let Condition {
        test,
        holds,
        tried,
        refused,
        otherwise,
        instead_of,
    } = condition;
    let told = |consequences: &[Consequence]| -> String {
        let lines = consequences.iter().map(|one| consequence_line(one, voice));
        let texts = lines.map(|line| format!("{} {}", line.lead, line.text));
        texts.collect::<Vec<_>>().join("; ")
    };
    let stands = if *holds { "holds" } else { "does not hold" };
    let other = if *holds { "did not" } else { "did" };
    let mut text = String::new();
    if !otherwise.is_empty() {
        text = format!("if it {other} by then: {}", told(otherwise));
    }
    if !instead_of.is_empty() {
        let gap = if text.is_empty() { "" } else { "; " };
        text = format!("{text}{gap}if it {other}, not: {}", told(instead_of));
    }
    if let Some(refusal) = refused {
        text = format!("if it {other} by then, the post could not be enacted: {refusal}");
    } else if !tried {
        text.push_str("the other way was not tried, for that takes longer than a report may");
    } else if text.is_empty() {
        text.push_str("the same comes of it either way");
    }
    ForecastLine::new(
        format!("“{test}” {stands}, as the vote and the game now stand:"),
        text,
    )
}

fn amending_line(amending: &Amending, voice: &dyn Voice) -> ForecastLine {
    let (stuck, lead, is_alarm) = match amending {
        Amending::Passes(passed) => return passed_line(passed, voice),
        Amending::ByHand {
            stuck,
            by,
            everybody,
            today,
        } => {
            let who = if *everybody {
                "any one player".to_owned()
            } else {
                joined(by.iter().map(|player| player.called.as_str()))
            };
            let lead = format!("Not by a proposal, but by {who}, by hand:");
            let line = ForecastLine::new(lead, format!("{}.", stuck_words(stuck)));
            return ForecastLine {
                is_alarm: *today == Today::Passes,
                ..line
            };
        }
        Amending::Unknown(stuck) => return ForecastLine::new("Not known:", stuck_words(stuck)),
        Amending::Fails { stuck, today } => match (today, stuck) {
            (Today::Unknown, _) => (
                stuck,
                "Not by this way, and whether today is not known:",
                false,
            ),
            (Today::Fails, _) => (stuck, "Not by this way, and not today either:", false),
            (Today::Passes, Stuck::NoEffect) => (
                stuck,
                "Not every rule could be changed by a proposal any more, nor by hand:",
                true,
            ),
            (Today::Passes, _) => (
                stuck,
                "Nobody could change a rule any more, by nothing; only the operator could help:",
                true,
            ),
        },
    };
    ForecastLine {
        is_alarm,
        ..ForecastLine::new(lead, format!("{}.", stuck_words(stuck)))
    }
}

fn passed_line(passed: &Passed, voice: &dyn Voice) -> ForecastLine {
    let Passed {
        from,
        after,
        by,
        kind,
    } = passed;
    let when = match after {
        Span(0) => "at once".to_owned(),
        after => format!("after {after}"),
    };
    let how = by.as_ref();
    let how = how.map_or_else(String::new, |act| format!(", with votes given by “{act}”"));
    let kind = kind.as_ref();
    let kind = kind.map_or_else(|| "such a proposal".to_owned(), |kind| format!("a {kind}"));
    let text = format!("{kind} would be enacted {when}{how}.");
    match from {
        None => ForecastLine::new("Yes:", text),
        Some(from) => {
            let lead = format!("Yes, but only from {} on:", voice.moment(*from));
            ForecastLine::new(lead, text)
        }
    }
}

fn stuck_words(stuck: &Stuck) -> String {
    match stuck {
        Stuck::NoKind => "the law would know no kind of post that is voted on".to_owned(),
        Stuck::NoPlayers => "there would be no active player".to_owned(),
        Stuck::Posting(refusal) => format!("no proposal could be made: {refusal}"),
        Stuck::Wording(refusal) => {
            format!("it needs words that a trial cannot guess; its proposal would be refused: {refusal}")
        }
        Stuck::Words(refusal) => {
            format!("it needs words that a trial cannot guess; with every vote FOR it would not be enacted: {refusal}")
        }
        Stuck::Unvoted { asked, actions } => {
            let asked = asked.then_some("what the law asks them");
            let ways: Vec<&str> = asked.into_iter().chain(actions.iter().map(String::as_str)).collect();
            format!(
                "no icon in a comment would count as a vote, and what else players could do asks for more than a trial can \
                 answer ({})",
                ways.join(", ")
            )
        }
        Stuck::Enacting(Some(refusal)) => format!("a proposal with every vote FOR would not be enacted: {refusal}"),
        Stuck::Enacting(None) => {
            "a proposal with every vote FOR would not be enacted by anybody in ten days".to_owned()
        }
        Stuck::NoEffect => {
            "a proposal with every vote FOR would be closed, and the rule that it changes would stay as it is".to_owned()
        }
        Stuck::TimeOver => "trying it takes longer than a report may".to_owned(),
    }
}

fn claim_lines(claims: &Claims, voice: &dyn Voice) -> Vec<ForecastLine> {
    let counted = |count| plural(count, "claim", "claims");
    let mut lines: Vec<ForecastLine> = claims
        .against
        .iter()
        .map(|claim| claim_line(claim, voice))
        .collect();
    if claims.same > 0 {
        lines.push(ForecastLine::new(
            "Would stand as before:",
            format!("{}.", counted(claims.same)),
        ));
    }
    if claims.no_more > 0 {
        let text = "could not be made again today either, for the game has moved on.";
        let text = format!("{}; such a change {text}", counted(claims.no_more));
        lines.push(ForecastLine::new("No difference to:", text));
    }
    for (why, count) in &claims.untried {
        let why = match why {
            Untried::Hidden => "what is hidden from you is part of it",
            Untried::MovedOn => "a rule that it changed has been changed since",
            Untried::Ruling => "it holds a ruling",
            Untried::Unread => "the log does not give it",
        };
        lines.push(ForecastLine::new(
            "Not tried:",
            format!("{}, for {why}.", counted(*count)),
        ));
    }
    if claims.ended_early {
        lines.push(ended_early());
    } else if claims.left > 0 {
        let text = format!(
            "{}, for only the newest {CLAIMS} are.",
            counted(claims.left)
        );
        lines.push(ForecastLine::new("Not tried:", text));
    }
    lines
}

fn claim_line(claim: &RefusedClaim, voice: &dyn Voice) -> ForecastLine {
    let (lead, why) = match &claim.end {
        ClaimEnd::Refused(refusal) => ("It would have refused", refusal.to_string()),
        ClaimEnd::LeftOut(why) => ("It would have refused", why.clone()),
        ClaimEnd::Otherwise(consequences) => {
            let now = consequences.iter().map(|consequence| match consequence {
                Consequence::Value { of, title, new, .. } => {
                    format!("{} {}", value_of(of, title), named(new.as_ref(), voice))
                }
                consequence => format!(
                    "another text of {}",
                    consequence_line(consequence, voice).text
                ),
            });
            (
                "It would have ended otherwise",
                now.collect::<Vec<_>>().join(", "),
            )
        }
        ClaimEnd::Same | ClaimEnd::Untried(_) => ("It would have stood", String::new()),
    };
    let standing = match (claim.settled, claim.disputed) {
        (true, _) => "settled",
        (_, true) => "disputed",
        _ => "not settled",
    };
    let made = claim.made.iter().map(|consequence| match consequence {
        Consequence::Value {
            of,
            title,
            old,
            new,
            ..
        } => {
            format!(
                "{} {}",
                value_of(of, title),
                change_of(old.as_ref(), new.as_ref(), voice)
            )
        }
        consequence => format!("the rule {}", consequence_line(consequence, voice).text),
    });
    let made = made.collect::<Vec<_>>().join(", ");
    let lead = format!("{lead}, claimed by {} ({standing}):", claim.by.called);
    let text = match made.as_str() {
        "" => why,
        made => format!("{made}: {why}"),
    };
    ForecastLine {
        more: Some(MoreAt::Claim(claim.event)),
        ..ForecastLine::new(lead, text).alarm()
    }
}

fn access_lines(access: &Access) -> Vec<ForecastLine> {
    let line = |lead: &str, gain: &Gain| {
        let who = if gain.everybody && gain.players.len() > 2 {
            "everybody".to_owned()
        } else {
            joined(gain.players.iter().map(|player| player.called.as_str()))
        };
        ForecastLine::new(format!("{lead} {}:", gain.title), who)
    };
    let gained = access.gained.iter().map(|gain| line("Could now", gain));
    let lost = access.lost.iter().map(|gain| line("Could no longer", gain));
    let mut lines: Vec<ForecastLine> = gained.chain(lost).collect();
    if access.ended_early {
        lines.push(ended_early());
    } else if lines.is_empty() {
        lines.push(ForecastLine::new(
            "Nothing:",
            "the same players could do the same things at once.",
        ));
    }
    lines
}

fn queue_lines(queue: &Queue, voice: &dyn Voice) -> Vec<ForecastLine> {
    let mut lines = Vec::new();
    if let Some(Ahead { count, problems }) = &queue.ahead {
        let after = format!(
            "After the {} ahead",
            plural(*count, "proposal", "proposals")
        );
        lines.extend(problems.iter().map(|why| {
            let lead = match why {
                Why::Refused(_) => format!("{after} it could not be done:"),
                Why::LeftOut(_) => format!("{after}, left out:"),
                Why::CodeSleeps(_) => format!("{after}, code that wouldn’t run:"),
                Why::Merged(_) => format!("{after}, a line of a rule that nobody wrote:"),
            };
            ForecastLine::new(lead, why_words(why, voice)).alarm()
        }));
    }
    for broken in &queue.broken {
        let lead = match broken.why {
            Why::Refused(_) => "What is behind it could no longer be done:",
            Why::LeftOut(_) => "Of what is behind it, this would be left out:",
            Why::CodeSleeps(_) => "Code of what is behind it wouldn’t run any more:",
            Why::Merged(_) => "With what is behind it, a line would come that nobody wrote:",
        };
        let line = ForecastLine::new(lead, why_words(&broken.why, voice));
        lines.push(line.alarm().on(&broken.post));
    }
    for flip in &queue.flips {
        let opens = flip
            .opens
            .iter()
            .map(|title| ForecastLine::new(format!("Becomes possible, {title}:"), "").alarm());
        let shuts = flip
            .shuts
            .iter()
            .map(|title| ForecastLine::new(format!("No longer possible, {title}:"), ""));
        let votes = flip.votes.map(|[(a, b), (c, d)]| {
            let text = format!("{a} FOR, {b} AGAINST → {c} FOR, {d} AGAINST");
            ForecastLine::new("Its votes would count otherwise:", text)
        });
        lines.extend(
            opens
                .chain(shuts)
                .chain(votes)
                .map(|line| line.on(&flip.post)),
        );
    }
    if queue.ended_early {
        lines.push(ended_early());
    }
    if lines.is_empty() {
        let text = "it does the same in the queue as alone, and what is pending stands as before.";
        lines.push(ForecastLine::new("Nothing:", text));
    }
    lines
}

/// A pending matter that a post collides with; its title follows.
fn collision_line(collision: &Collision, voice: &dyn Voice) -> ForecastLine {
    let lead = match (collision.is_ahead, &collision.why) {
        (true, Some(Why::Refused(_))) => {
            "Can’t be done any more once an earlier proposal is enacted:"
        }
        (true, Some(Why::LeftOut(_))) => "Left out once an earlier proposal is enacted:",
        (true, Some(Why::CodeSleeps(_))) => {
            "This code won’t run once an earlier proposal is enacted:"
        }
        (true, Some(Why::Merged(_))) => {
            "With an earlier proposal, a line would come about that nobody wrote:"
        }
        (true, None) => "An earlier proposal sets the same; what is enacted last counts:",
        (false, Some(Why::Refused(_))) => "Would stop a later proposal:",
        (false, Some(Why::LeftOut(_))) => "Of a later proposal, this would be left out:",
        (false, Some(Why::CodeSleeps(_))) => "Code of a later proposal wouldn’t run:",
        (false, Some(Why::Merged(_))) => {
            "With a later proposal, a line would come about that nobody wrote:"
        }
        (false, None) => "A later proposal sets the same; what is enacted last counts:",
    };
    let why = collision.why.as_ref();
    let why = why.map_or_else(String::new, |why| why_words(why, voice));
    ForecastLine::new(lead, why).alarm().on(&collision.post)
}

fn why_words(why: &Why, voice: &dyn Voice) -> String {
    match why {
        Why::Refused(refusal) => voice.refusal(refusal),
        Why::LeftOut(why) | Why::CodeSleeps(why) | Why::Merged(why) => why.clone(),
    }
}

/// How the tests of a patch went.
pub fn proof(proof: &Proof) -> Vec<ForecastLine> {
    let (today, fresh): (Vec<&FailedTest>, Vec<_>) =
        proof.failed.iter().partition(|failed| failed.fails_today);
    let mut lines: Vec<ForecastLine> = fresh.into_iter().map(failed_line).collect();
    let tests = |count| plural(count, "test", "tests");
    if proof.passed > 0 {
        lines.push(ForecastLine::new(
            "Passed:",
            format!("{}.", tests(proof.passed)),
        ));
    }
    let files: std::collections::BTreeSet<&str> =
        today.iter().map(|failed| failed.file.as_str()).collect();
    for file in files {
        let count = today.iter().filter(|failed| failed.file == file).count();
        lines.push(ForecastLine::new(
            "Fails today as well:",
            format!("{} of {file}.", tests(count)),
        ));
    }
    if proof.left_out > 0 {
        let text = format!("{}, for the time was over.", tests(proof.left_out));
        lines.push(ForecastLine::new("Left out:", text));
    }
    if lines.is_empty() {
        lines.push(ForecastLine::new("None:", "no test names what it changes."));
    }
    lines
}

fn failed_line(failed: &FailedTest) -> ForecastLine {
    let FailedTest {
        file, line, test, ..
    } = failed;
    let lead = if test.is_empty() {
        format!("The tests of {file} do not check:")
    } else {
        format!("Fails: {test} ({file}, line {line}):")
    };
    ForecastLine::new(lead, &failed.message).alarm()
}
