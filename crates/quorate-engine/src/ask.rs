//! Questions about a game as its law answers them, for those who show it: each a line over a topic.

use quorate_kernel::{Moment, Name, PlayerId, PostId, Square, Thing};
use quorate_law::datum::Datum;
use quorate_law::declare::LimitDecl;
use quorate_law::stop::{Answer, Site};

use crate::icons;
use crate::topics::limits::Quota;
use crate::topics::{built_in_acts, guards, labels, limits, people, rules, things, values};
use crate::tx::Tx;

/// Over how many stretches of time it is looked when something holds: days of a year and a month, and some.
const STRETCHES_MAX: usize = 500;

impl Tx {
    /// The kind of a thing; a fault for what is gone.
    pub fn kind_of(&self, thing: &Thing) -> Answer<Name> {
        things::kind_of(self, thing)
    }

    /// Whether a thing is still in the game.
    pub fn exists(&self, thing: &Thing) -> bool {
        things::exists(self, thing)
    }

    /// The things of a kind.
    pub fn things_of(&self, kind: &Name) -> Vec<Thing> {
        things::things_of(self, kind)
    }

    /// Reads an attribute.
    pub fn attribute(&self, thing: &Thing, name: &str) -> Answer<Datum> {
        values::attribute(self, thing, name)
    }

    /// Whether what a rule declares is tracked of a player.
    pub fn tracks(&self, player: PlayerId, rule: &Name) -> bool {
        people::is_tracked(self, player, rule).unwrap_or(true)
    }

    /// When an attribute is true between two moments, if nothing happens: from when to when. What lasts beyond them is left
    /// out.
    pub fn true_between(
        &self,
        thing: &Thing,
        name: &str,
        between: (Moment, Moment),
    ) -> Vec<(Moment, Moment)> {
        let (mut found, mut since) = (Vec::new(), None);
        for (at, is_true) in stretches(self, thing, name, between) {
            if is_true {
                since.get_or_insert(at);
            } else if let Some(began) = since.take() {
                found.push((began, at));
            }
        }
        found
    }

    /// How a thing is called where people pick it.
    pub fn label(&self, datum: &Datum) -> String {
        labels::label(self, datum)
    }

    /// A square by the labels of its board: `C4`.
    pub fn square_name(&self, square: &Square) -> String {
        labels::square_name(self, square)
    }

    /// The words of a clause, code left out.
    pub fn prose_of(&self, rule: &Name, clause: u32) -> Answer<String> {
        rules::prose_of(self, rule, clause)
    }

    /// How much of each limit somebody has used, in the limits' order.
    pub fn quotas(&self, action: &Name, limits: &[LimitDecl], actor: PlayerId) -> Vec<Quota> {
        limits::quotas(self, action, limits, actor)
    }

    /// The moments of completed uses, the newest first.
    pub fn uses(&self, slot: &Name, who: Option<PlayerId>, since: Option<Moment>) -> Vec<Moment> {
        limits::uses(self, slot, who, since)
    }

    /// The comment by which a vote is cast with words beside it: the vote is its first and only icon.
    pub fn ballot(&self, post: PostId, icon: &str, words: &str) -> String {
        icons::ballot(icon, words, &built_in_acts::icon_words(self, post))
    }

    /// Whether a word is an icon of any matter.
    pub fn knows_icon(&self, post: PostId, word: &str) -> bool {
        built_in_acts::icon_words(self, post)
            .meaning(word)
            .is_some()
    }

    /// The clause that an act belongs to which every game has; no clause where the law says nothing of it.
    pub fn home_of_act(&self, act: &str) -> Site {
        guards::home_of(&self.frame().law, &act.into())
    }

    /// Whether guards let somebody take an act that every game has.
    pub fn may_act(&self, act: &str, actor: PlayerId, args: Vec<(Name, Datum)>) -> Answer<()> {
        guards::check(
            self,
            &guards::built_in(self, &act.into(), actor, None, args),
        )
    }
}

/// Whether an attribute is true, from moment to moment. The law is asked once for each stretch of time over which what it
/// read of the clock cannot change its answer.
fn stretches(
    tx: &Tx,
    thing: &Thing,
    name: &str,
    (from, to): (Moment, Moment),
) -> Vec<(Moment, bool)> {
    let state = tx.state();
    let (mut found, mut next) = (Vec::new(), Some(from));
    while let Some(at) = next.filter(|at| *at < to && found.len() < STRETCHES_MAX) {
        let there = tx.beside(&state, at, &tx.law);
        let (answer, reads) = there.reading(|| there.attribute(thing, name));
        found.push((at, answer == Ok(Datum::Bool(true))));
        next = reads.until.filter(|until| *until > at);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tiny_game::game;

    #[test]
    fn what_holds_by_the_calendar_is_told_by_a_few_questions() {
        let game = game(
            "def resting(g: Game) -> bool:\n    return now.month == 12 and now.day in [24, 25, 26]\n\nrests = derived(\"Rests\", resting, of = game)",
        );
        let at = |text: &str| text.parse::<Moment>().expect("a moment");
        let year = (at("2031-01-01T00:00Z"), at("2032-01-01T00:00Z"));
        game.ask(|tx| {
            let days = (at("2031-12-24T00:00Z"), at("2031-12-27T00:00Z"));
            assert_eq!(tx.true_between(&Thing::Game, "rests", year), [days]);
            let asked = stretches(tx, &Thing::Game, "rests", year).len();
            assert_eq!(asked, 11 + 31, "eleven months, and the days of the last");
        });
    }
}
