//! Code of the law that runs after something: what the law refuses and what breaks in it.

use std::sync::Arc;

use quorate_kernel::Name;
use quorate_kernel::event::NoteKind;
use quorate_law::datum::Datum;
use quorate_law::stop::{Answer, Fault, Site, Stop};

use super::things;
use crate::law::lost::fault_words;
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
            tx.broke(site, &fault);
            say_left_out(tx, site, &fault);
            Ok(())
        }
        Err(stop) => Err(stop),
    }
}

fn say_left_out(tx: &Tx, site: &Site, fault: &Fault) {
    let said = tx.with_state(|state| fault_words(state, fault));
    let text = format!("{} broke and was left out: {said}", site.rule);
    tx.say(NoteKind::Broke, text);
}

/// Runs what happens by itself: where the law refuses it, it does not happen, and the log says so. Whether it happened.
pub(crate) fn of_itself(tx: &Tx, site: &Site, function: &Name, args: Vec<Datum>) -> Answer<bool> {
    by_itself(tx, site, || tx.call_at(site, function, args))
}

/// The same of anything that code of a place does.
pub(crate) fn by_itself<T>(tx: &Tx, site: &Site, does: impl FnOnce() -> Answer<T>) -> Answer<bool> {
    tx.take_needs_as_met(false);
    let mark = tx.mark();
    match tx.apart(does)? {
        Ok(_) => Ok(true),
        Err(Stop::Refused(refusal)) => {
            tx.go_back(mark);
            tx.say(NoteKind::Held, format!("{}: {refusal}", site.rule));
            Ok(false)
        }
        Err(Stop::Broken(fault)) => {
            tx.go_back(mark);
            tx.broke(site, &fault);
            say_left_out(tx, site, &fault);
            Ok(false)
        }
        Err(ask @ Stop::Asks(_)) => Err(ask),
    }
}

#[cfg(test)]
mod tests {
    use quorate_kernel::Value;
    use quorate_kernel::event::NoteKind;
    use quorate_law::datum::Datum;

    use crate::tiny_game::{game, new_post};

    #[test]
    fn what_a_hook_refuses_is_refused_and_a_hook_that_breaks_is_left_out() {
        let heard = |body: &str| {
            format!(
                "category(\"Bill\")\ncount = number(\"Count\", of = game)\n\n\
                 def heard(post: Post):\n    {body}\n\non(\"posted\", heard)"
            )
        };
        let mut refuses = game(&heard("refuse(\"no bills today\")"));
        let refused = refuses.post(new_post("Bill", "More rope"));
        assert_eq!(refused.expect_err("it says no").what(), "no bills today");
        assert!(refuses.judge.state().posts.is_empty());

        let mut breaks = game(&heard("game.count = 1 // game.count"));
        let bill = breaks.post(new_post("Bill", "More rope"));
        let bill = bill.expect("the post stands");
        assert!(breaks.judge.state().posts.contains_key(&bill));
        let notes = &breaks.log.last().expect("the post").notes;
        let broke = notes.iter().find(|note| note.kind == NoteKind::Broke);
        let told = &broke.expect("the log says so").text;
        assert!(told.starts_with("house broke and was left out: "), "{told}");
    }

    #[test]
    fn what_happens_by_itself_and_is_refused_does_not_happen_and_the_rest_stands() {
        let mut game = game(
            "fish = number(\"Fish\", of = player)\ncats = number(\"Cats\", of = player)\n\n\
             def come(p: Player, old: int, new: int):\n    p.cats += 1\n    require(new < 5, \"few fish\")\n\n\
             changed(\"fish\", come, of = player)\n\n\
             def feed(actor: Player, count: int):\n    actor.fish = count\n\naction(\"feed\", feed)",
        );
        let event = game.act("feed", &[("count", Value::Int(7))]);
        let notes = event.expect("the feeding stands").notes;
        let held = notes.iter().find(|note| note.kind == NoteKind::Held);
        let told = &held.expect("the log says so").text;
        assert!(told.starts_with("house: needs few fish"), "{told}");
        assert_eq!(game.value("fish"), Datum::Int(7));
        assert_eq!(game.value("cats"), Datum::Int(0));
    }
}
