//! Questions about a game as its law answers them, for those who show it: each a line over a topic.

use quorate_kernel::{Moment, Name, PlayerId, PostId, Square, Thing};
use quorate_law::datum::Datum;
use quorate_law::declare::LimitDecl;
use quorate_law::stop::{Answer, Site};

use crate::icons;
use crate::topics::limits::Quota;
use crate::topics::{built_in_acts, guards, labels, limits, people, rules, things, values};
use crate::tx::Tx;

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
