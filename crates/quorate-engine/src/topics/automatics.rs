//! Things that happen by themselves: about whom, and when they come next.

use std::sync::Arc;

use quorate_kernel::rows::DueKey;
use quorate_kernel::{Moment, Name, Thing, Zone};
use quorate_law::datum::Datum;
use quorate_law::declare::{Schedule, Trigger};
use quorate_law::stop::Answer;

use super::{conditions, hooks, things};
use crate::law::{At, AutomaticDecl};
use crate::tx::Tx;

pub(crate) fn is_subject(tx: &Tx, automatic: &At<AutomaticDecl>, thing: &Thing) -> bool {
    match &automatic.it.of {
        None => *thing == Thing::Game,
        Some(of) => {
            things::exists(tx, thing)
                && things::kind_of(tx, thing).is_ok_and(|kind| things::is_a(tx, &kind, of))
                && things::is_member(tx, thing)
        }
    }
}

pub(crate) fn fall_due(tx: &Tx, name: &Name, thing: &Thing) -> Answer<()> {
    let law = Arc::clone(&tx.law);
    let Some(automatic) = law
        .automatics
        .iter()
        .find(|automatic| automatic.it.name == *name)
    else {
        return Ok(());
    };
    match &automatic.it.trigger {
        Trigger::Every(_) => {
            schedule(tx, automatic, tx.now);
            for subject in things::subjects(tx, automatic.it.of.as_ref()) {
                hooks::of_itself(
                    tx,
                    &automatic.site,
                    &automatic.it.body,
                    arguments(&automatic.it, &subject),
                )?;
            }
            Ok(())
        }
        Trigger::When { test, .. } => {
            if is_subject(tx, automatic, thing)
                && conditions::holds(tx, test, thing, &automatic.site)
            {
                hooks::of_itself(
                    tx,
                    &automatic.site,
                    &automatic.it.body,
                    arguments(&automatic.it, thing),
                )?;
            }
            Ok(())
        }
    }
}

/// Sets the next time of something that comes again and again.
fn schedule(tx: &Tx, automatic: &At<AutomaticDecl>, after: Moment) {
    let Trigger::Every(schedules) = &automatic.it.trigger else {
        return;
    };
    let next = schedules
        .iter()
        .filter_map(|schedule| next_time(&tx.law.zone, *schedule, after))
        .min();
    tx.set_due(
        DueKey::Automatic(automatic.it.name.clone(), Thing::Game),
        next,
    );
}

/// Brings the due moments of automatic things in line with the law: new ones are set, those of gone ones cleared.
pub(crate) fn schedule_all(tx: &Tx) {
    let law = Arc::clone(&tx.law);
    let known = |name: &Name| {
        law.automatics
            .iter()
            .find(|automatic| automatic.it.name == *name)
    };
    let gone: Vec<DueKey> = tx.with_state(|state| {
        let is_gone = |key: &&DueKey| match key {
            DueKey::Automatic(name, _) => known(name).is_none(),
            DueKey::Recheck(test, _) => {
                !law.automatics
                    .iter()
                    .any(|a| matches!(&a.it.trigger, Trigger::When { test: t, .. } if t == test))
                    && !law
                        .conditions
                        .iter()
                        .any(|condition| condition.it.0 == *test)
            }
            DueKey::Duty(_) | DueKey::Open(..) | DueKey::Claim(_) => false,
        };
        state.dues.keys().filter(is_gone).cloned().collect()
    });
    for key in gone {
        tx.set_due(key, None);
    }
    for automatic in law
        .automatics
        .iter()
        .filter(|a| matches!(a.it.trigger, Trigger::Every(_)))
    {
        schedule(tx, automatic, tx.now);
    }
}

pub(crate) fn arguments(automatic: &AutomaticDecl, thing: &Thing) -> Vec<Datum> {
    if automatic.of.is_some() {
        vec![Datum::Thing(thing.clone())]
    } else {
        vec![]
    }
}

/// The first time of a schedule after a moment, by the clocks of a zone.
fn next_time(zone: &Zone, schedule: Schedule, after: Moment) -> Option<Moment> {
    let mut wall = zone.wall(after);
    // Where the clock goes back, what it shows next may have been already.
    for _ in 0..3 {
        wall = next_shown(schedule, wall)?;
        let at = zone.at(wall);
        if at > after {
            return Some(at);
        }
    }
    None
}

/// The first time of a schedule that the clock on the wall shows after another.
fn next_shown(schedule: Schedule, after: Moment) -> Option<Moment> {
    use quorate_kernel::Span;
    let minute = |minute: u16| Span::minutes(i64::from(minute));
    match schedule {
        Schedule::Daily { minute: m } => {
            let today = after.day_start() + minute(m);
            Some(if today > after {
                today
            } else {
                today + Span::days(1)
            })
        }
        Schedule::Weekly { weekday, minute: m } => {
            let this = after.week_start() + Span::days(i64::from(weekday) - 1) + minute(m);
            Some(if this > after {
                this
            } else {
                this + Span::days(7)
            })
        }
        Schedule::Yearly {
            month,
            day,
            minute: m,
        } => {
            let (year, ..) = after.date();
            let of = |year: i16| {
                Moment::of_date(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?)
                    .map(|at| at + minute(m))
            };
            // The 29th of February comes every fourth year, eight years apart at a century's turn.
            (year..=year.saturating_add(8))
                .filter_map(of)
                .find(|at| *at > after)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Moment {
        text.parse().unwrap()
    }

    #[test]
    fn schedules_come_after_the_moment_and_never_at_it() {
        let monday = Schedule::Weekly {
            weekday: 1,
            minute: 0,
        };
        assert_eq!(
            next_shown(monday, at("2031-05-04T09:00Z")),
            Some(at("2031-05-05T00:00Z"))
        );
        assert_eq!(
            next_shown(monday, at("2031-05-05T00:00Z")),
            Some(at("2031-05-12T00:00Z"))
        );
        let noon = Schedule::Daily { minute: 720 };
        assert_eq!(
            next_shown(noon, at("2031-05-04T11:59Z")),
            Some(at("2031-05-04T12:00Z"))
        );
        let leap = Schedule::Yearly {
            month: 2,
            day: 29,
            minute: 0,
        };
        assert_eq!(
            next_shown(leap, at("2031-05-04T11:59Z")),
            Some(at("2032-02-29T00:00Z"))
        );
    }

    #[test]
    fn a_schedule_keeps_to_the_clocks_of_its_zone() {
        let zone = Zone::of("Europe/Berlin").expect("it is known");
        let six = Schedule::Daily { minute: 360 };
        let next = |after: &str| next_time(&zone, six, at(after));
        assert_eq!(next("2031-03-29T12:00Z"), Some(at("2031-03-30T04:00Z")));
        assert_eq!(next("2031-10-25T12:00Z"), Some(at("2031-10-26T05:00Z")));
        let half_past_two = Schedule::Daily { minute: 150 };
        let next = |after: &str| next_time(&zone, half_past_two, at(after));
        assert_eq!(next("2031-10-26T00:30Z"), Some(at("2031-10-27T01:30Z")));
    }
}
