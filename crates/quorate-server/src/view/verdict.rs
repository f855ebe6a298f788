//! What a tally comes to, in one sentence: worked out by the law, on a copy where the votes that are still out are cast.

use std::sync::Arc;

use quorate_engine::judge::{Inputs, Judge};
use quorate_kernel::command::{Act, Actor, Command, typed};
use quorate_kernel::digest::Digest;
use quorate_kernel::rows::DueKey;
use quorate_kernel::{Moment, Name, PlayerId, PostId, Refusal, Span, Thing};
use quorate_law::capital;

use crate::ui::{Verdict, plural};
use crate::view::game::GameView;
use crate::view::matters::Count;
use crate::view::standing::{Standing, can, own_time, participle};
use crate::view::window;

/// How many votes that are still out are tried at most.
const OUT_MAX: usize = 40;

/// How much may fall due for a matter on a copy.
const DUES: usize = 4;

/// What is said of an open matter, and how long that holds while nothing happens.
#[derive(Clone, Debug, Default)]
pub struct Outlook {
    /// The verdict without a full stop: "Can be enacted now; nothing that is still out can stop it".
    pub(crate) lead: String,
    /// The matter that has to be closed first.
    pub(crate) ahead: Option<PostId>,
    /// What it rests on, in sentences; may be empty.
    pub(crate) why: String,
    /// The icons that the reader may vote with.
    pub(crate) sides: Vec<Name>,
    /// When it was worked out.
    from: Option<Moment>,
    /// The first moment at which the law's answers may be others.
    until: Option<Moment>,
}

impl Outlook {
    fn holds(&self, now: Moment) -> bool {
        self.from.is_some_and(|from| from <= now) && self.until.is_none_or(|until| now < until)
    }
}

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
        let made = Arc::new(Trial::new(self, id, count).outlook());
        if !self.is_past {
            self.site.outlooks.insert(key, Arc::clone(&made));
        }
        made
    }

    /// The open matter that a refusal says comes first.
    fn named_in(&self, refusal: &Refusal, but: PostId) -> Option<PostId> {
        let mut wanted = refusal.needs.iter().filter(|need| !need.need.is_empty());
        wanted.find_map(|need| {
            let mut posts = self.state().posts.iter();
            let found = posts.find(|(id, post)| {
                **id != but
                    && self.is_open(post)
                    && self.view().post(post)
                    && (post.title.as_str() == need.need
                        || self.themed(post.title.as_str()) == need.need)
            });
            found.map(|(id, _)| *id)
        })
    }
}

/// Lets what falls due for a matter by a moment happen on a copy, such as the end of its count. What else falls due is left
/// aside: a year that turns has nothing to do with it, and would cost as much as it does.
fn settle(copy: &mut Judge, id: PostId, up_to: Moment) {
    let is_its = |key: &DueKey| match key {
        DueKey::Automatic(_, thing) | DueKey::Recheck(_, thing) => *thing == Thing::Post(id),
        DueKey::Duty(_) | DueKey::Open(..) | DueKey::Claim(_) => false,
    };
    for round in 0..DUES {
        let its = copy.state().dues.iter();
        let its = its.filter(|(key, due)| due.at <= up_to && is_its(key));
        let Some((key, at)) = its
            .map(|(key, due)| (key.clone(), due.at))
            .min_by_key(|(_, at)| *at)
        else {
            return;
        };
        let due = Command {
            at: at.max(copy.head().at),
            actor: Actor::Game,
            key: format!("settle {round}").into(),
            act: Act::Due { keys: vec![key] },
        };
        if copy.judge(&due, &Inputs::default()).event().is_err() {
            return;
        }
    }
}

/// A matter with the copy on which votes are tried.
pub(crate) struct Trial<'a> {
    look: &'a GameView,
    id: PostId,
    here: Judge,
    /// How it stands now.
    pub(crate) now: Standing,
    /// The first later moment at which time alone may change that.
    pub(crate) until: Option<Moment>,
    /// Who has not voted, first whoever others defer to.
    out: Vec<PlayerId>,
    /// How many votes defer.
    deferring: u32,
    icons: Vec<Name>,
}

impl<'a> Trial<'a> {
    pub(crate) fn new(look: &'a GameView, id: PostId, count: &Count) -> Self {
        let here = look.fork();
        let (now, until) = Standing::at(look, &here, look.now, id);
        let silent = count.ballots.iter().filter(|(_, word)| word.is_empty());
        let mut out: Vec<PlayerId> = silent.map(|(player, _)| *player).collect();
        let leader = look.emperor();
        out.sort_by_key(|player| Some(*player) != leader);
        Self {
            look,
            id,
            here,
            now,
            until,
            out,
            deferring: count.gauge().deferring,
            icons: count.icons.clone(),
        }
    }

    fn takes(&self, side: &str) -> bool {
        self.icons.iter().any(|icon| *icon == side)
    }

    /// Casts somebody's vote on a copy; none where the law does not take it.
    fn cast(&self, on: &Judge, who: PlayerId, side: &str) -> Option<Judge> {
        let mut copy = on.clone();
        let act = Act::Comment {
            post: self.id,
            text: typed(&format!(":{side}:")),
        };
        let taken = self.look.would_on(&mut copy, Actor::Player(who), act);
        settle(&mut copy, self.id, self.look.now);
        taken.is_ok().then_some(copy)
    }

    fn standing(&self, copy: &Judge) -> Standing {
        Standing::at(self.look, copy, self.look.now, self.id).0
    }

    /// The least number of further votes for a side, by those who have none yet, that changes something, with how it stands
    /// then: found by halving, for what some votes have changed more of them do not change back.
    pub(crate) fn enough(&self, side: &str) -> Option<(usize, Standing)> {
        let mut copies: Vec<Judge> = Vec::new();
        for player in self.out.iter().take(OUT_MAX) {
            let on = copies.last().unwrap_or(&self.here);
            let Some(copy) = self.cast(on, *player, side) else {
                break;
            };
            copies.push(copy);
        }
        let flipped = |nth: usize| {
            let after = self.standing(copies.get(nth)?);
            (!after.is_as(&self.now)).then_some(after)
        };
        let (mut low, mut high) = (0, copies.len().checked_sub(1)?);
        let mut after = flipped(high)?;
        while low < high {
            let middle = low + (high - low) / 2;
            match flipped(middle) {
                Some(then) => (high, after) = (middle, then),
                None => low = middle + 1,
            }
        }
        Some((high + 1, after))
    }

    /// The first moment at which something changes though nobody votes any more: the law says of each answer how long it
    /// holds.
    pub(crate) fn in_time(&self, tries: usize, ahead: Span) -> Option<(Moment, Standing)> {
        let mut next = self.now.next(self.until, self.look.now);
        for _ in 0..tries {
            let at = next.filter(|at| *at - self.look.now < ahead)?;
            let mut copy = self.here.clone();
            settle(&mut copy, self.id, at);
            let (after, until) = Standing::at(self.look, &copy, at, self.id);
            if !after.is_as(&self.now) {
                return Some((at, after));
            }
            next = after.next(until, at);
        }
        None
    }

    fn outlook(&self) -> Outlook {
        let made = if self.now.open.is_empty() {
            self.not_yet()
        } else {
            self.ripe()
        };
        Outlook {
            sides: self.sides(),
            from: Some(self.look.now),
            until: self.until,
            ..made
        }
    }

    /// The icons that the reader could cast with effect; somebody idle, those that the law does not refuse.
    fn sides(&self) -> Vec<Name> {
        let me = self.look.me.filter(|_| self.look.is_member());
        me.map(|me| window::usable_icons(self.look, self.id, me, &self.icons))
            .unwrap_or_default()
    }

    /// Of a matter that can be closed.
    fn ripe(&self) -> Outlook {
        let ways = can(&self.now.open, "can be");
        let fails = |title: &String| participle(title) == Some("failed");
        if self.now.open.iter().all(fails) {
            return self.only_failing();
        }
        let lead = if self.out.is_empty() {
            format!("{} now; everybody has voted", capital(&ways))
        } else if let Some((votes, _)) = self
            .takes("against")
            .then(|| self.enough("against"))
            .flatten()
        {
            let votes = match votes {
                1 => "one more vote AGAINST".to_owned(),
                votes => format!("{votes} more votes AGAINST"),
            };
            format!("{} now; {votes} would stop it", capital(&ways))
        } else {
            format!(
                "{} now; nothing that is still out can stop it",
                capital(&ways)
            )
        };
        Outlook {
            lead,
            ..Outlook::default()
        }
    }

    /// Of a matter that can be failed and not carried.
    fn only_failing(&self) -> Outlook {
        let ways = can(&self.now.open, "can only be");
        // What the law says the matter was not, it was: vetoed, self-killed.
        let carrying = self.now.carrying().map(|(_, refusal)| refusal.what());
        let fate = carrying.and_then(|what| what.split_once(" that was not "));
        if let Some((_, fate)) = fate {
            return Outlook {
                lead: format!("{}: {ways}", capital(fate)),
                ..Outlook::default()
            };
        }
        let can_be_saved = self.takes("for") && self.enough("for").is_some();
        let age = self.outlived();
        let lead = match (age, can_be_saved) {
            (Some(age), false) => format!("Past its {}: {ways}", own_time(age.0)),
            (Some(age), true) => format!(
                "{} now, {} after it opened; votes that are still out can save it",
                capital(&can(&self.now.open, "can be")),
                own_time(age.0)
            ),
            (None, false) if self.out.is_empty() => format!("{} now", capital(&ways)),
            (None, false) => format!(
                "{} now; nothing that is still out can save it",
                capital(&can(&self.now.open, "can be"))
            ),
            (None, true) => format!(
                "{} now; votes that are still out can save it",
                capital(&can(&self.now.open, "can be"))
            ),
        };
        Outlook {
            lead,
            ..Outlook::default()
        }
    }

    /// How long after its opening time alone made a matter what it is, with the votes of now; none where the votes did.
    fn outlived(&self) -> Option<Span> {
        let opened = self.look.post(self.id)?.open_at;
        let is_so = |at: Moment| {
            let (then, _) = Standing::at(self.look, &self.here, at, self.id);
            then.open == self.now.open
        };
        let second = Span(1_000);
        let (mut low, mut high) = (opened + second, self.look.now);
        if low >= high || is_so(low) {
            return None;
        }
        while high - low > second {
            let middle = low + Span((high - low).0 / 2);
            if is_so(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(low - opened)
    }

    /// Of a matter that cannot be closed yet.
    fn not_yet(&self) -> Outlook {
        let mut refusals = self.now.shut.iter().map(|(_, refusal)| refusal);
        let ahead = refusals.find_map(|refusal| self.look.named_in(refusal, self.id));
        let (lead, why) = if self.now.has_quorum() {
            self.with_quorum(ahead)
        } else if let Some(lead) = self.one_vote() {
            (lead, self.still_out())
        } else {
            (self.so_far(), self.still_out())
        };
        let why = match self.by_time(ahead) {
            Some(time) if why.is_empty() => time,
            Some(time) => format!("{why} {time}"),
            None => why,
        };
        Outlook {
            lead,
            ahead,
            why,
            ..Outlook::default()
        }
    }

    fn with_quorum(&self, ahead: Option<PostId>) -> (String, String) {
        let lead = "Has its quorum".to_owned();
        let carrying = self.now.carrying().filter(|_| ahead.is_none());
        let Some((title, refusal)) = carrying else {
            return (lead, String::new());
        };
        match refusal.next_at {
            Some(at) => {
                let way = can(std::slice::from_ref(title), "can be");
                (
                    format!("{lead}; {way} from {}", self.look.when(at).full()),
                    String::new(),
                )
            }
            None => (lead, self.look.refusal(title, refusal).sentence()),
        }
    }

    /// What time alone brings, where that is known.
    fn by_time(&self, ahead: Option<PostId>) -> Option<String> {
        if ahead.is_some() || self.now.has_quorum() {
            return None;
        }
        let (at, after) = self.in_time(2, Span::days(7))?;
        let fresh: Vec<String> = after.open.into_iter().collect();
        let way = (!fresh.is_empty()).then(|| can(&fresh, "can be"))?;
        let when = self.look.when(at).full();
        Some(format!("As it stands, it {way} from {when}."))
    }

    /// One vote that changes how the matter stands, by whoever others defer to or by anybody.
    fn one_vote(&self) -> Option<String> {
        let leader = self.look.emperor();
        let sides = ["for", "against"].into_iter();
        let said = sides.filter(|side| self.takes(side)).filter_map(|side| {
            let anybody = self.out.iter().find(|player| Some(**player) != leader);
            let mut tries = anybody.into_iter().chain(self.out.first()).copied();
            tries.find_map(|who| self.decides(who, side, leader))
        });
        let said: Vec<String> = said.collect();
        (!said.is_empty()).then(|| format!("One vote decides: {}", said.join("; ")))
    }

    fn decides(&self, who: PlayerId, side: &str, leader: Option<PlayerId>) -> Option<String> {
        let after = self.standing(&self.cast(&self.here, who, side)?);
        if after.is_as(&self.now) {
            return None;
        }
        let shout = side.to_uppercase();
        let reaches = after.has_quorum() && !self.now.has_quorum();
        let what = if reaches {
            "reaches its quorum".to_owned()
        } else {
            format!("and {}", after.news(&self.now))
        };
        let carried = after.in_favour.zip(self.now.in_favour);
        let carried = carried.map_or(0, |(then, now)| then - now - 1);
        Some(match usize::try_from(carried) {
            Ok(carried @ 1..) if reaches && Some(who) == leader && self.deferring > 0 => format!(
                "{}’s {shout} carries {} and {what}",
                self.look.name(who),
                plural(carried, "deferring vote", "deferring votes")
            ),
            _ if Some(who) == leader && self.deferring > 0 => {
                format!("{}’s {shout} {what}", self.look.name(who))
            }
            _ => format!("one more {shout} {what}"),
        })
    }

    /// How far it is from its quorum; the count where there is none.
    fn so_far(&self) -> String {
        match (self.now.in_favour, self.now.quorum) {
            (Some(in_favour), Some(quorum)) => {
                let missing = usize::try_from(quorum - in_favour).unwrap_or(0);
                format!(
                    "Needs {} for its quorum of {quorum}",
                    plural(missing, "more vote FOR", "more votes FOR")
                )
            }
            _ => match self.now.carrying() {
                Some((title, refusal)) => {
                    let said = self.look.refusal(title, refusal).sentence();
                    said.trim_end_matches('.').to_owned()
                }
                None => "Open".to_owned(),
            },
        }
    }

    /// How many votes have not been cast.
    fn still_out(&self) -> String {
        match self.out.len() {
            0 => "Everybody has voted.".to_owned(),
            1 => "1 player hasn’t voted.".to_owned(),
            out => format!("{out} players haven’t voted."),
        }
    }
}
