//! How the game goes, in three pictures, for those who come by: a vote that is over, what it changed in the rules, and
//! something that somebody did.

use quorate_engine::conventions;
use quorate_kernel::command::Act;
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::patch::Patch;
use quorate_kernel::seal::Sealed;
use quorate_kernel::{EventSeq, PostId};

use crate::app::kept::EnactedPosts;
use crate::site::blog::page::StoryStep;
use crate::ui::{Side, urls};
use crate::view::events::dice;
use crate::view::game::GameView;

/// How many of the latest events are looked through for something that somebody did.
const LATEST: u64 = 80;

/// How many words of a change are told.
const WORDS: usize = 22;

/// How many dice are drawn.
const DICE: usize = 4;

/// The latest events.
pub(super) async fn latest(view: &GameView) -> Vec<Event> {
    let last = view.head().seq.0;
    let seqs: Vec<EventSeq> = (last.saturating_sub(LATEST).max(1)..=last)
        .rev()
        .map(EventSeq)
        .collect();
    let events = view.app().events(view.game(), &seqs).await;
    events.unwrap_or_default()
}

/// The pictures, as far as there is something to show.
pub(super) fn story(view: &GameView, enacted: &EnactedPosts, latest: &[Event]) -> Vec<StoryStep> {
    let change = enacted.iter().next_back().map(|(seq, id)| (*seq, *id));
    let vote = change.and_then(|(_, id)| vote(view, id));
    let rule = change.and_then(|(seq, id)| rule(view, seq, id));
    let done = latest.iter().find_map(|event| done(view, event));
    vote.into_iter().chain(rule).chain(done).collect()
}

fn vote(view: &GameView, id: PostId) -> Option<StoryStep> {
    let post = view.post(id)?;
    let matter = view.link_to(id)?;
    let author = view.author(&post.author).name;
    Some(StoryStep {
        votes: view.count(id).map(|count| (count.gauge(), count.tally())),
        ..StoryStep::new(format!("{author} proposed “{}”", matter.title), matter.href)
    })
}

fn rule(view: &GameView, seq: EventSeq, id: PostId) -> Option<StoryStep> {
    let game = view.game().as_str();
    let mut rules = view.public().rules.iter();
    let (name, _) = rules.find(|(_, rule)| rule.changed_by == seq)?;
    let to = urls::Rule {
        game,
        rule: name.as_str(),
    };
    let patch: Option<&Patch> = view.post(id)?.patch.as_ref().and_then(Sealed::plain);
    let changes = patch.map_or_else(Vec::new, |patch| view.changes(&patch.clauses));
    let added = changes.iter().flat_map(|change| &change.words);
    let added = added.filter(|run| run.side == Side::New);
    let words = added.flat_map(|run| run.text.split_whitespace());
    let mut words: Vec<&str> = words.take(WORDS + 1).collect();
    if words.len() > WORDS {
        words[WORDS] = "…";
    }
    Some(StoryStep {
        added: words.join(" "),
        ..StoryStep::new(
            format!("Now in the rules: {}", view.rule_title(name)),
            to.into(),
        )
    })
}

fn done(view: &GameView, event: &Event) -> Option<StoryStep> {
    let Act::Do { action, .. } = &event.act else {
        return None;
    };
    let rule = &view.law().actions.get(action)?.site.rule;
    let is_play = view.section_of(rule) == Some(conventions::PLAY)
        && matches!(event.outcome, Outcome::Done)
        && view.may_know(event)
        && view.doer(event).is_some();
    let text = view.effects_in_short(event);
    if !is_play || (text.is_empty() && event.tape.dice.is_empty()) {
        return None;
    }
    let number = event.seq.to_string();
    let to = urls::Event {
        game: view.game().as_str(),
        event: &number,
    };
    Some(StoryStep {
        dice: dice(event).into_iter().take(DICE).collect(),
        text,
        ..StoryStep::new(view.event_line(event), to.into())
    })
}
