//! Rules that break: the refusal of a command whose own code did, and the count after which a fence sleeps.

use std::sync::Arc;

use quorate_kernel::Refusal;
use quorate_kernel::event::NoteKind;
use quorate_kernel::rows::{Breaks, ClauseKey};
use quorate_law::stop::{Fault, Site};

use crate::tx::Tx;

/// After so many breaks the clause's code sleeps.
const BREAKS_MAX: u32 = 3;

/// The refusal of a command whose own code broke.
pub(super) fn broken(tx: &Tx, fault: &Fault) -> Refusal {
    let mut refusal = tx.refusal_at(&fault.site, "code of the rule that works");
    refusal.needs[0].have = if fault.site.line > 0 {
        format!("line {}: {}", fault.site.line, fault.text)
    } else {
        fault.text.clone()
    };
    refusal
}

/// Counts the breaks of this event; after the third a clause's code sleeps.
pub(super) fn count_breaks(tx: &Tx) {
    for (site, text) in tx.finish().broken {
        // Who asks for a lost name breaks there however often, and what else the clause does goes on.
        if tx.law.asks_for_lost(&site) {
            continue;
        }
        let Some(fence) = fence_of(tx, &site) else {
            continue;
        };
        let key = ClauseKey {
            rule: site.rule.clone(),
            fence,
        };
        let old = tx.with_state(|state| state.breaks.get(&key).cloned());
        let times = old.as_ref().map_or(0, |row| row.times) + 1;
        let asleep = times >= BREAKS_MAX;
        if asleep {
            tx.say(
                NoteKind::Broke,
                format!(
                    "clause {} of {} has broken {times} times and sleeps from now on",
                    site.clause, site.rule
                ),
            );
        }
        tx.put(
            key,
            Breaks {
                times,
                last: text,
                asleep,
            },
        );
    }
}

/// The number of the fence in which a place of the law stands.
fn fence_of(tx: &Tx, site: &Site) -> Option<u32> {
    let text = tx.with_state(|state| {
        state
            .rules
            .get(&site.rule)
            .map(|rule| Arc::clone(&rule.text))
    })?;
    let read = quorate_law::RuleText::parse(&text);
    let index = read
        .fences
        .iter()
        .rposition(|fence| fence.line <= site.line.max(1))?;
    u32::try_from(index + 1).ok()
}
