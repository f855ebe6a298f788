//! What a tally comes to, in one sentence. What it comes to is worked out as data; here it is put into words.

use std::sync::Arc;

use quorate_engine::conventions;
use quorate_forecast::{
    DecidingVote, Fork, MatterIfs, MatterStanding, MatterVerdict, MatterVotes, OpenMatter,
    Ripeness, ShutClosing,
};
use quorate_kernel::audience::Reader;
use quorate_kernel::digest::Digest;
use quorate_kernel::{Name, PostId, Span};
use quorate_law::capital;

use crate::app::kept::{Keep, Weighed};
use crate::app::outlook::Outlook;
use crate::app::pages::Pages;
use crate::ui::{Verdict, plural};
use crate::view::game::GameView;
use crate::view::matters::Count;
use crate::view::standing::{can, news, own_time, ways};
use crate::view::window;

/// How many later moments are tried.
const TRIED: usize = 12;

/// How far ahead it is looked what time alone would change.
const AHEAD: Span = Span::days(30);

impl GameView {
    /// How a post stands, in short; none for a post without status.
    pub fn verdict(&self, id: PostId) -> Option<Verdict> {
        let post = self.state().posts.get(&id)?;
        let status = self.status(post)?;
        let open = self.is_open(post);
        let count = if open { self.count(id) } else { None };
        let outlook = count.as_ref().map(|count| self.outlook(id, count));
        let lead = match &outlook {
            Some(outlook) => outlook.lead.clone(),
            None => self.closing_note(post),
        };
        let why = match (post.closed_at, &outlook) {
            (Some(at), _) => {
                let by = post.closed_by.map(|by| format!("By {}, ", self.name(by)));
                format!("{}{}.", by.unwrap_or_default(), self.when(at).full())
            }
            (None, Some(outlook)) => outlook.why.clone(),
            (None, None) => String::new(),
        };
        let ahead = outlook.and_then(|outlook| outlook.ahead);
        Some(Verdict {
            status,
            gauge: count.as_ref().map(Count::gauge),
            tally: count.as_ref().map(Count::tally).unwrap_or_default(),
            lead,
            ahead: ahead.and_then(|ahead| self.link_to(ahead)),
            why,
        })
    }

    /// The verdict on an open matter: what was worked out before, as long as it holds, or what is found now.
    pub(crate) fn outlook(&self, id: PostId, count: &Count) -> Arc<Outlook> {
        let key = Digest::of_parts([
            b"outlook".as_slice(),
            self.game.as_str().as_bytes(),
            &self.published.head.hash.0,
            format!("{:?} {id} {}", self.me, self.now.day_start()).as_bytes(),
        ]);
        let known = self.site.outlooks.get(&key);
        if let Some(known) = known.filter(|known| !self.is_past && known.holds(self.now)) {
            return known;
        }
        let made = Arc::new(self.made_outlook(id, count));
        if !self.is_past {
            self.site.outlooks.insert(key, Arc::clone(&made));
        }
        made
    }

    /// What the votes on an open matter come to.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method by its name is one of a single lifetime"
    )]
    pub(crate) fn matter_verdict(&self, id: PostId, count: &Count) -> Arc<MatterVerdict> {
        let votes = self.matter_votes(id, count);
        let kept = &self.site.verdicts;
        self.of_matter(kept, id, &votes, |matter| matter.verdict())
    }

    /// What more votes on it, or time alone, would change first.
    pub(crate) fn matter_ifs(&self, id: PostId, count: &Count) -> Arc<MatterIfs> {
        let votes = self.matter_votes(id, count);
        let kept = &self.site.ifs;
        self.of_matter(kept, id, &votes, |matter| matter.ifs(TRIED, AHEAD))
    }

    /// What comes of trying votes and time on a matter, kept for all who are told of the same votes, as long as pages are.
    fn of_matter<T: Weighed>(
        &self,
        kept: &Keep<T>,
        id: PostId,
        votes: &MatterVotes,
        find: impl FnOnce(&OpenMatter<'_>) -> T,
    ) -> Arc<T> {
        let turn = Pages::turn_of(self.now);
        let key = Digest::of_parts([
            self.game.as_str().as_bytes(),
            &self.published.head.hash.0,
            format!("{turn} {id} {votes:?}").as_bytes(),
        ]);
        if let Some(known) = kept.get(&key).filter(|_| !self.is_past) {
            return known;
        }
        let fork = Fork {
            judge: self.fork(),
            reader: Reader::Stranger,
            is_blind: false,
            now: self.now,
            past: self,
            time_is_over: &|| false,
        };
        let found = Arc::new(find(&OpenMatter::new(&fork, id, votes)));
        if !self.is_past {
            kept.insert(key, Arc::clone(&found));
        }
        found
    }

    fn matter_votes(&self, id: PostId, count: &Count) -> MatterVotes {
        let category = self.state().posts.get(&id).map(|post| &post.category);
        MatterVotes {
            icons: count.icons.clone(),
            ballots: count.ballots.clone(),
            deferring: count.gauge().deferring,
            leader: self.leader(),
            closer: self.closer(),
            role: category
                .and_then(|category| self.usual_role(category))
                .cloned(),
            enough: Some(Name::from(conventions::ENOUGH)),
        }
    }

    fn made_outlook(&self, id: PostId, count: &Count) -> Outlook {
        let verdict = self.matter_verdict(id, count);
        let (lead, why) = self.in_words(&verdict);
        Outlook {
            lead,
            ahead: verdict.ahead,
            why,
            sides: self.usable_sides(id, count),
            from: Some(self.now),
            until: verdict.until,
        }
    }

    /// The icons that the reader could cast with effect; somebody idle, those that the law does not refuse.
    fn usable_sides(&self, id: PostId, count: &Count) -> Vec<Name> {
        let me = self.me.filter(|_| self.is_member());
        me.map(|me| window::usable_icons(self, id, me, &count.icons))
            .unwrap_or_default()
    }

    /// A verdict without a full stop, and what it rests on, in sentences.
    fn in_words(&self, verdict: &MatterVerdict) -> (String, String) {
        let (lead, why) = match &verdict.is {
            Ripeness::Ripe { stopped_by } => (ripe(verdict, *stopped_by), String::new()),
            Ripeness::Fails {
                fate,
                outlived,
                can_be_saved,
            } => {
                let lead = fails(verdict, fate.as_deref(), *outlived, *can_be_saved);
                (lead, String::new())
            }
            Ripeness::Waits => self.with_enough(verdict),
            Ripeness::OneVote { votes } => {
                let said = votes.iter().map(|vote| self.decides(verdict, vote));
                let said: Vec<String> = said.collect();
                let lead = format!("One vote decides: {}", said.join("; "));
                (lead, still_out(verdict.out))
            }
            Ripeness::Undecided => (self.so_far(&verdict.now), still_out(verdict.out)),
        };
        let time = verdict.later.as_ref().and_then(|later| {
            let way = (!later.then.open.is_empty()).then(|| can(&later.then.titles()))?;
            let when = self.when(later.at).full();
            Some(format!("As it stands, it {way} from {when}."))
        });
        let why = match time {
            Some(time) if why.is_empty() => time,
            Some(time) => format!("{why} {time}"),
            None => why,
        };
        (lead, why)
    }

    /// Of a matter that has its quorum and cannot be closed yet.
    fn with_enough(&self, verdict: &MatterVerdict) -> (String, String) {
        let lead = "Has its quorum".to_owned();
        let carrying = verdict.now.carrying().filter(|_| verdict.ahead.is_none());
        let Some(ShutClosing { closing, refusal }) = carrying else {
            return (lead, String::new());
        };
        match refusal.next_at {
            Some(at) => {
                let way = can(std::slice::from_ref(&closing.title));
                let from = self.when(at).full();
                (format!("{lead}; {way} from {from}"), String::new())
            }
            None => (lead, self.refusal(&closing.title, refusal).sentence()),
        }
    }

    /// One vote that changes how a matter stands.
    fn decides(&self, verdict: &MatterVerdict, vote: &DecidingVote) -> String {
        let shout = vote.side.to_uppercase();
        let reaches = vote.then.has_enough() && !verdict.now.has_enough();
        let what = if reaches {
            "reaches its quorum".to_owned()
        } else {
            format!("and {}", news(&vote.then, &verdict.now))
        };
        match (vote.by, vote.carries) {
            (Some(by), carried @ 1..) if reaches => format!(
                "{}’s {shout} carries {} and {what}",
                self.name(by),
                plural(carried, "deferring vote", "deferring votes")
            ),
            (Some(by), _) => format!("{}’s {shout} {what}", self.name(by)),
            (None, _) => format!("one more {shout} {what}"),
        }
    }

    /// How far it is from its quorum; what it lacks where there is none.
    fn so_far(&self, now: &MatterStanding) -> String {
        match (now.in_favour, now.enough) {
            (Some(in_favour), Some(enough)) => {
                let missing = usize::try_from(enough - in_favour).unwrap_or(0);
                format!(
                    "Needs {} to reach its quorum of {enough}",
                    plural(missing, "more FOR vote", "more FOR votes")
                )
            }
            _ => match now.carrying() {
                Some(ShutClosing { closing, refusal }) => {
                    let said = self.refusal(&closing.title, refusal).sentence();
                    said.trim_end_matches('.').to_owned()
                }
                None => "Open".to_owned(),
            },
        }
    }
}

/// Of a matter that can be closed.
fn ripe(verdict: &MatterVerdict, stopped_by: Option<usize>) -> String {
    let ways = capital(&can(&verdict.now.titles()));
    match stopped_by {
        _ if verdict.out == 0 => format!("{ways} now; everybody has voted"),
        Some(1) => format!("{ways} now; one more vote AGAINST would stop it"),
        Some(votes) => format!("{ways} now; {votes} more votes AGAINST would stop it"),
        None => format!("{ways} now; nothing that is still out can stop it"),
    }
}

/// Of a matter that can be failed and not carried.
fn fails(
    verdict: &MatterVerdict,
    fate: Option<&str>,
    outlived: Option<Span>,
    can_be_saved: bool,
) -> String {
    let titles = verdict.now.titles();
    let (ways, only) = (can(&titles), ways(&titles, "can only be", "is possible"));
    let ways = capital(&ways);
    match (fate, outlived, can_be_saved) {
        (Some(fate), ..) => format!("{}: {only}", capital(fate)),
        (None, Some(age), false) => format!("Past its {}: {only}", own_time(age.0)),
        (None, Some(age), true) => format!(
            "{ways} now, {} after it opened; votes that are still out can save it",
            own_time(age.0)
        ),
        (None, None, false) if verdict.out == 0 => format!("{} now", capital(&only)),
        (None, None, false) => format!("{ways} now; nothing that is still out can save it"),
        (None, None, true) => format!("{ways} now; votes that are still out can save it"),
    }
}

/// How many votes have not been cast.
fn still_out(out: usize) -> String {
    match out {
        0 => "Everybody has voted.".to_owned(),
        1 => "1 player hasn’t voted.".to_owned(),
        out => format!("{out} players haven’t voted."),
    }
}
