//! Code of the law that runs after something: what the law refuses and what breaks in it.

use quorate_kernel::Name;
use quorate_kernel::event::NoteKind;
use quorate_law::datum::Datum;
use quorate_law::stop::{Answer, Site, Stop};

use crate::tx::Tx;

/// Runs a hook: what it refuses is refused, what breaks in it is left out.
pub(crate) fn run(tx: &Tx, site: &Site, function: &Name, args: Vec<Datum>) -> Answer<()> {
    let mark = tx.mark();
    match tx.call_at(site, function, args) {
        Ok(_) => Ok(()),
        Err(Stop::Broken(fault)) => {
            tx.go_back(mark);
            tx.broke(site, &fault.text);
            tx.say(
                NoteKind::Broke,
                format!("{} broke and was left out: {}", site.rule, fault.text),
            );
            Ok(())
        }
        Err(stop) => Err(stop),
    }
}

/// Runs what happens by itself: where the law refuses it, it does not happen, and the log says so.
pub(crate) fn of_itself(tx: &Tx, site: &Site, function: &Name, args: Vec<Datum>) -> Answer<()> {
    let mark = tx.mark();
    match tx.call_at(site, function, args) {
        Ok(_) => Ok(()),
        Err(Stop::Refused(refusal)) => {
            tx.go_back(mark);
            tx.say(NoteKind::Held, format!("{}: {refusal}", site.rule));
            Ok(())
        }
        Err(Stop::Broken(fault)) => {
            tx.go_back(mark);
            tx.broke(site, &fault.text);
            tx.say(
                NoteKind::Broke,
                format!("{} broke and was left out: {}", site.rule, fault.text),
            );
            Ok(())
        }
        Err(ask @ Stop::Asks(_)) => Err(ask),
    }
}
