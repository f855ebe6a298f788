//! Code of the law that runs after something: what the law refuses and what breaks in it.

use std::sync::Arc;

use quorate_kernel::Name;
use quorate_kernel::event::NoteKind;
use quorate_law::datum::Datum;
use quorate_law::stop::{Answer, Fault, Site, Stop};

use super::things;
use crate::tx::{Happening, Tx};

/// Runs every hook on something that happened, in document order.
pub(crate) fn on_happening(tx: &Tx, happening: &Happening) -> Answer<()> {
    let law = Arc::clone(&tx.law);
    for hook in &law.on {
        let of = hook
            .it
            .of
            .as_ref()
            .is_none_or(|of| things::is_a(tx, &happening.kind, of) || *of == happening.kind);
        if hook.it.on == happening.what && of {
            run(tx, &hook.site, &hook.it.hook, happening.args.clone())?;
        }
    }
    Ok(())
}

/// Runs a hook: what it refuses is refused, what breaks in it is left out.
pub(crate) fn run(tx: &Tx, site: &Site, function: &Name, args: Vec<Datum>) -> Answer<()> {
    tx.take_needs_as_met(false);
    let mark = tx.mark();
    match tx.apart(|| tx.call_at(site, function, args))? {
        Ok(_) => Ok(()),
        Err(Stop::Broken(fault)) => {
            tx.go_back(mark);
            tx.broke(site, &fault.text);
            say_left_out(tx, site, &fault);
            Ok(())
        }
        Err(stop) => Err(stop),
    }
}

fn say_left_out(tx: &Tx, site: &Site, fault: &Fault) {
    let said = tx.with_state(|state| tx.law.fault_words(state, fault));
    let text = format!("{} broke and was left out: {said}", site.rule);
    tx.say(NoteKind::Broke, text);
}

/// Runs what happens by itself: where the law refuses it, it does not happen, and the log says so. Whether it happened.
pub(crate) fn of_itself(tx: &Tx, site: &Site, function: &Name, args: Vec<Datum>) -> Answer<bool> {
    tx.take_needs_as_met(false);
    let mark = tx.mark();
    match tx.apart(|| tx.call_at(site, function, args))? {
        Ok(_) => Ok(true),
        Err(Stop::Refused(refusal)) => {
            tx.go_back(mark);
            tx.say(NoteKind::Held, format!("{}: {refusal}", site.rule));
            Ok(false)
        }
        Err(Stop::Broken(fault)) => {
            tx.go_back(mark);
            tx.broke(site, &fault.text);
            say_left_out(tx, site, &fault);
            Ok(false)
        }
        Err(ask @ Stop::Asks(_)) => Err(ask),
    }
}
