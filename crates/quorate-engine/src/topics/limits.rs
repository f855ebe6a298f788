//! How often: the uses of actions, and the limits on them.

use quorate_kernel::effect::Way;
use quorate_kernel::rows::{Use, UseKey};
use quorate_kernel::{EventSeq, LimitTime, Moment, Name, PlayerId, Thing, Topic, rows};
use quorate_law::datum::Datum;
use quorate_law::declare::{LimitDecl, Per};
use quorate_law::readable;
use quorate_law::stop::{Answer, Site, Stop};

use super::{things, values};
use crate::reads::ReadKey;
use crate::tx::Tx;

/// Whether limits leave a use.
pub(crate) fn check(
    tx: &Tx,
    action: &Name,
    limits: &[LimitDecl],
    actor: PlayerId,
    site: &Site,
) -> Answer<()> {
    for limit in limits {
        let slot = limit.counted_in(action);
        let who = (!limit.shared).then_some(actor);
        let used = uses_in_window(tx, slot, who, &limit.per)?;
        let times = usize::try_from(limit.times.max(1)).unwrap_or(usize::MAX);
        let mut next_at = None;
        if used.len() >= times {
            next_at = Some(window_end(tx, &limit.per));
        }
        let own = last_use(tx, slot, Some(actor)).map(|(_, at)| at);
        if let (Some(gap), Some(last)) = (limit.gap, own) {
            let free = last + gap;
            tx.read_clock(free);
            if tx.now < free {
                next_at = Some(Some(
                    next_at.flatten().map_or(free, |end: Moment| end.max(free)),
                ));
            }
        }
        if let Some(next_at) = next_at {
            let words = limit_words(limit, &since_words(tx, &limit.per));
            let refusal = tx.refusal_at(site, &format!("to be used {words}"));
            let mut refusal = refusal.about(Topic::Limit {
                times: words,
                once_in: once_in(limit),
                is_shared: limit.shared,
            });
            let by = if used.is_empty() { Some(actor) } else { who };
            refusal.needs[0].have = used_words(tx, slot, by, used.len());
            refusal.next_at = next_at;
            return Err(Stop::refused(refusal));
        }
    }
    Ok(())
}

/// The time for which a limit lets anybody once, where that is all that it says.
fn once_in(limit: &LimitDecl) -> Option<LimitTime> {
    let time = match limit.per {
        Per::Ever => LimitTime::Ever,
        Per::Day => LimitTime::Day,
        Per::Week => LimitTime::Week,
        Per::Since(_) => return None,
    };
    (limit.times <= 1 && limit.gap.is_none()).then_some(time)
}

/// How often it was used within the limit's time, and who used it last and when. Who posts without a name is nobody's to tell.
fn used_words(tx: &Tx, slot: &Name, who: Option<PlayerId>, times: usize) -> String {
    let last = newest_uses(tx, slot, |uses| {
        let mut of_them = uses.filter(|(key, _)| who.is_none() || key.who == who);
        of_them.next().map(|(key, used)| (key.who, used.at))
    });
    let Some((by, at)) = last else {
        return String::new();
    };
    let is_told = who.is_some() || !is_of_hidden_authors(tx, slot);
    let by = by
        .filter(|_| is_told)
        .map_or_else(String::new, |by| format!(" by {}", things::name_of(tx, by)));
    match times {
        // As the first edition said it: a refusal may stand in a log.
        0 if tx.law.code.edition() < WHOSE_SINCE => format!("last used {at}"),
        1 if tx.law.code.edition() < WHOSE_SINCE => "used once".to_owned(),
        n if tx.law.code.edition() < WHOSE_SINCE => format!("used {n} times"),
        0 | 1 => format!("used{by} at {at}"),
        n => format!("used {n} times, last{by} at {at}"),
    }
}

/// The edition of the library from which on a limit goes on when the action that it counts from has left the law.
const ACTS_LEAVE_SINCE: u16 = 2;

/// The edition of the library from which on a limit says who used it, and when.
const WHOSE_SINCE: u16 = 2;

/// Whether uses of a slot are posts whose authors are hidden.
fn is_of_hidden_authors(tx: &Tx, slot: &Name) -> bool {
    let mut hidden = tx
        .law
        .categories
        .values()
        .filter(|decl| decl.it.author_hidden);
    hidden.any(|decl| {
        let own = slot.as_str().strip_prefix("post ");
        own == Some(decl.it.name.as_str()) || decl.it.limits.iter().any(|limit| limit.slot == *slot)
    })
}

/// How much of each limit somebody has used, in the limits' order.
pub(crate) fn quotas(tx: &Tx, action: &Name, limits: &[LimitDecl], actor: PlayerId) -> Vec<Quota> {
    let quotas = limits.iter().filter_map(|limit| {
        let slot = limit.counted_in(action);
        let who = (!limit.shared).then_some(actor);
        let used = uses_in_window(tx, slot, who, &limit.per).ok()?;
        Some(Quota {
            used: u32::try_from(used.len()).unwrap_or(u32::MAX),
            limit: limit.clone(),
            since: since_words(tx, &limit.per),
        })
    });
    quotas.collect()
}

/// What a limit counts from, by the title of the value or the action: "turn began".
fn since_words(tx: &Tx, per: &Per) -> String {
    let Per::Since(name) = per else {
        return String::new();
    };
    let law = tx.frame().law;
    let value = law.values.get(&("Game".into(), name.clone()));
    let title = match (law.actions.get(name), value) {
        (Some(action), _) => return format!("“{}”", action.it.title),
        (None, Some(value)) => &value.it.title,
        (None, None) => return readable(name.as_str()),
    };
    let mut letters = title.chars();
    let first = letters.next().into_iter().flat_map(char::to_lowercase);
    first.collect::<String>() + letters.as_str()
}

/// The uses that a limit counts.
fn uses_in_window(tx: &Tx, slot: &Name, who: Option<PlayerId>, per: &Per) -> Answer<Vec<Moment>> {
    let zone = &tx.frame().law.zone;
    let start = match per {
        Per::Ever => None,
        Per::Day => Some(zone.day_start(tx.now)),
        Per::Week => Some(zone.week_start(tx.now)),
        Per::Since(name) if is_act(tx, name) => {
            // Of one moment the number of the event decides which came first.
            let last = last_use(tx, name, None).map(|(event, _)| event);
            return Ok(used_by(tx, slot, who, &|event, _| Some(event) > last));
        }
        Per::Since(name) => match values::attribute(tx, &Thing::Game, name.as_str())? {
            Datum::Moment(at) => Some(at),
            _ => None,
        },
    };
    Ok(uses(tx, slot, who, start))
}

/// Whether a limit counts from an action. One that left the law was done when it was done, and is not done again.
fn is_act(tx: &Tx, name: &Name) -> bool {
    let law = tx.frame().law;
    let left = || {
        law.code.edition() >= ACTS_LEAVE_SINCE
            && !law.lost_values.contains_key(name)
            && values::attribute(tx, &Thing::Game, name.as_str()).is_err()
    };
    law.actions.contains_key(name) || left()
}

fn window_end(tx: &Tx, per: &Per) -> Option<Moment> {
    let zone = &tx.frame().law.zone;
    match per {
        Per::Ever | Per::Since(_) => None,
        Per::Day => Some(zone.day_end(tx.now)),
        Per::Week => Some(zone.week_end(tx.now)),
    }
}

/// The moments of completed uses, the newest first.
pub(crate) fn uses(
    tx: &Tx,
    slot: &Name,
    who: Option<PlayerId>,
    since: Option<Moment>,
) -> Vec<Moment> {
    let since = since.unwrap_or(Moment(i64::MIN));
    // No event is older than one before it, so that what lies behind the window is not looked at.
    used_by(tx, slot, who, &|_, at| at >= since)
}

/// The moments of completed uses, the newest first, for as long as they are wanted.
fn used_by(
    tx: &Tx,
    slot: &Name,
    who: Option<PlayerId>,
    wanted: &dyn Fn(EventSeq, Moment) -> bool,
) -> Vec<Moment> {
    newest_uses(tx, slot, |uses| {
        uses.take_while(|(key, used)| wanted(key.event, used.at))
            .filter(|(key, _)| who.is_none() || key.who == who)
            .map(|(_, used)| used.at)
            .collect()
    })
}

/// The last completed use, by somebody or by anybody.
fn last_use(tx: &Tx, slot: &Name, who: Option<PlayerId>) -> Option<(EventSeq, Moment)> {
    newest_uses(tx, slot, |uses| {
        let mut of_them = uses.filter(|(key, _)| who.is_none() || key.who == who);
        of_them.next().map(|(key, used)| (key.event, used.at))
    })
}

fn newest_uses<T>(
    tx: &Tx,
    slot: &Name,
    look: impl FnOnce(&mut dyn Iterator<Item = (&UseKey, &Use)>) -> T,
) -> T {
    tx.read(ReadKey::Uses(slot.clone()));
    let at = |event| UseKey {
        slot: slot.clone(),
        event: EventSeq(event),
        who: None,
    };
    tx.with_state(|state| look(&mut state.uses.range(at(0)..at(u64::MAX)).rev()))
}

/// Notes a completed use under the action's own name and under each slot of its limits.
pub(crate) fn use_up(tx: &Tx, action: &Name, limits: &[LimitDecl], actor: PlayerId) {
    if is_of_hidden_authors(tx, action) && limits.is_empty() {
        // A use would tell whose the post is, and no limit asks for it.
        return;
    }
    let mut slots = vec![action.clone()];
    slots.extend(
        limits
            .iter()
            .map(|limit| limit.slot.clone())
            .filter(|slot| !slot.is_empty()),
    );
    slots.dedup();
    for slot in slots {
        let key = UseKey {
            slot,
            event: tx.seq,
            who: Some(actor),
        };
        tx.write_row(key, Some(Use { at: tx.now }), Way::Put);
    }
}

/// A limit and what is used of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quota {
    /// How often within the limit's time so far.
    pub used: u32,
    /// The limit.
    pub limit: LimitDecl,
    /// What it counts from where that is a moment or an action of the law, by its title: "turn began".
    pub since: String,
}

impl Quota {
    /// In few words: "2 of 3 a day used", "once a week"; the limit as it is where nothing can be counted.
    pub fn words(&self) -> String {
        match (self.used, self.limit.times.max(1)) {
            (0, _) | (_, 1) => limit_words(&self.limit, &self.since),
            (used, times) => {
                let per = per_words(&self.limit.per, &self.since);
                format!("{used} of {times}{per} used")
            }
        }
    }
}

fn per_words(per: &Per, since: &str) -> String {
    match per {
        Per::Ever => String::new(),
        Per::Day => " a day".to_owned(),
        Per::Week => " a week".to_owned(),
        Per::Since(_) => format!(" since {since}"),
    }
}

fn limit_words(limit: &LimitDecl, since: &str) -> String {
    let often = match limit.times.max(1) {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    };
    let by = if limit.shared { " by anyone" } else { "" };
    let per = per_words(&limit.per, since);
    let gap = limit
        .gap
        .map(|gap| format!(", with {gap} between"))
        .unwrap_or_default();
    format!("at most {often}{per}{by}{gap}")
}

/// The uses of an action before this event.
pub(crate) fn uses_before(tx: &Tx, action: &str, by: Option<PlayerId>) -> Vec<Moment> {
    let slot = Name::from(action);
    tx.read(ReadKey::Uses(slot.clone()));
    let first = rows::UseKey {
        slot: slot.clone(),
        event: quorate_kernel::EventSeq(0),
        who: None,
    };
    let uses = tx.base.uses.range(first..);
    uses.take_while(|(key, _)| key.slot == slot)
        .filter(|(key, _)| by.is_none() || key.who == by)
        .map(|(_, used)| used.at)
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::tiny_game::game;

    #[test]
    fn a_limit_a_day_is_used_up_until_the_next_day() {
        let mut game = game(
            "def nap(actor: Player):\n    pass\n\naction(\"nap\", nap, limit = limit(per = \"day\"))",
        );
        game.act("nap", &[]).expect("the first of the day");
        let again = game.act("nap", &[]).expect_err("one a day");
        assert_eq!(again.what(), "to be used at most once a day");
        let have = format!("used by Anna at {}", game.now);
        assert_eq!(again.needs[0].have, have, "who used it, and when");
        let tomorrow = again.next_at.expect("time alone brings it");
        assert_eq!(
            tomorrow,
            game.now.day_start() + quorate_kernel::Span::days(1)
        );
        game.now = tomorrow;
        game.act("nap", &[]).expect("another day");
    }

    #[test]
    fn a_limit_since_an_action_that_left_the_law_goes_on() {
        let code = "def ring(actor: Player):\n    pass\n\ndef nap(actor: Player):\n    pass\n\n\
            action(\"ring\", ring)\naction(\"nap\", nap, limit = limit(since = \"ring\"))";
        let mut game = game(code);
        game.act("nap", &[]).expect("the first ever");
        game.act("ring", &[]).expect("anybody may");
        let gone = game.amendment("action(\"ring\", ring)", "");
        game.change(vec![gone]);
        game.act("nap", &[]).expect("the first since the bell");
        let again = game.act("nap", &[]).expect_err("no bell rings any more");
        assert_eq!(again.what(), "to be used at most once since ring");
    }

    #[test]
    fn a_day_is_one_of_the_zone_that_a_rule_names() {
        let mut game = game(
            "def nap(actor: Player):\n    require(now.hour == 23, \"eleven at night\")\n\ntime_zone(\"America/New_York\")\naction(\"nap\", nap, limit = limit(per = \"day\"))",
        );
        game.now = "2031-07-15T03:10Z".parse().expect("a moment");
        game.act("nap", &[]).expect("it is 23:10 there");
        let again = game.act("nap", &[]).expect_err("one a day");
        let midnight = "2031-07-15T04:00Z".parse().expect("a moment");
        assert_eq!(again.next_at, Some(midnight));
        game.now = midnight;
        let refused = game.act("nap", &[]).expect_err("it is midnight");
        assert_eq!(refused.what(), "eleven at night");
    }
}
