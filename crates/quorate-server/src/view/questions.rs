//! Questions to the law about what the reader may see, several in one run.

use quorate_engine::changes::{self, BadChange, Change};
use quorate_engine::fields::{self, Typed};
use quorate_engine::law::At;
use quorate_engine::offers::{self, Offer, Quota};
use quorate_engine::tx::Tx;
use quorate_kernel::patch::Patch;
use quorate_kernel::rows::{Open, OpenKey};
use quorate_kernel::{Moment, Name, PlayerId, PostId, Refusal, Square, Thing, Value};
use quorate_law::datum::{Datum, Type};
use quorate_law::declare::{ActionDecl, CategoryDecl, Holds, LimitDecl};
use quorate_law::stop::Stop;
use quorate_law::world::World;

use crate::ui::urls::Href;
use crate::view::game::GameView;
use crate::view::kinds::{Held, Tracked};

/// A run of the law that changes nothing. It answers what a reader may ask; the state that it runs on stays out of reach.
pub struct Questions<'a> {
    view: &'a GameView,
    tx: &'a Tx,
}

impl GameView {
    /// Asks the law several things in one run, at the moment of the page. Nothing is changed.
    pub fn ask<T>(&self, question: impl FnOnce(&Questions<'_>) -> T) -> T {
        self.trial_run(|tx| question(&Questions { view: self, tx }))
    }
}

impl Questions<'_> {
    /// What something is called.
    pub fn label(&self, datum: &Datum) -> String {
        self.tx.label(datum)
    }

    /// What a square is called on its board.
    pub fn square_name(&self, square: &Square) -> String {
        self.tx.square_name(square)
    }

    /// Whether a thing is in the game.
    pub fn exists(&self, thing: &Thing) -> bool {
        self.tx.exists(thing)
    }

    /// All things of a kind, oldest first.
    pub fn things_of(&self, kind: &Name) -> Vec<Thing> {
        self.tx.things_of(kind)
    }

    /// A value of a thing; none where the reader may not see it.
    pub fn attribute(&self, thing: &Thing, value: &Tracked<'_>) -> Option<Datum> {
        let is_seen = self.view.sees(thing, value);
        let held = is_seen.then(|| self.tx.attribute(thing, value.name().as_str()).ok());
        held.flatten()
    }

    /// The same as a page shows it.
    pub fn held(&self, thing: &Thing, value: &Tracked<'_>) -> Held {
        self.view.held(self.tx, thing, value)
    }

    /// An answer of the law in few words.
    pub fn said(&self, datum: &Datum) -> String {
        self.view.said(self.tx, datum)
    }

    /// The picture that stands for a thing.
    pub fn portrait(&self, thing: &Thing) -> Option<Href> {
        self.view.portrait(self.tx, thing)
    }

    /// The type of what things of a kind hold under a name.
    pub fn attribute_type(&self, kind: &str, name: &str) -> Option<Type> {
        let world: &dyn World = self.tx;
        world.attribute_type(kind, name)
    }

    /// The words of a clause.
    pub fn prose_of(&self, rule: &Name, clause: u32) -> Option<String> {
        self.tx.prose_of(rule, clause).ok()
    }

    /// Every action as it is for somebody.
    pub fn offers(&self, me: PlayerId) -> Vec<Offer> {
        offers::offers(self.tx, me)
    }

    /// One action as it is for somebody.
    pub fn offer(&self, me: PlayerId, decl: &At<ActionDecl>) -> Offer {
        offers::offer(self.tx, me, decl)
    }

    /// What somebody may pick for the first parameter of an action; none where it is not listed.
    pub fn first_options(&self, me: PlayerId, decl: &At<ActionDecl>) -> Option<Vec<Datum>> {
        offers::first_options(self.tx, me, decl)
    }

    /// An action about one thing, where it can be taken on it.
    pub fn offer_about(&self, me: PlayerId, decl: &At<ActionDecl>, thing: &Datum) -> Option<Offer> {
        offers::offer_about(self.tx, me, decl, thing)
    }

    /// Whether the law takes an action with these arguments.
    pub fn tried(
        &self,
        me: PlayerId,
        decl: &At<ActionDecl>,
        args: Vec<(Name, Datum)>,
    ) -> Result<(), Refusal> {
        offers::tried(self.tx, me, decl, args)
    }

    /// Whether the one whose action waits for an answer may give it up instead.
    pub fn may_give_up(&self, key: &OpenKey, open: &Open) -> Result<(), Refusal> {
        offers::may_give_up(self.tx, key.who, &key.action, open)
    }

    /// Whether the law lets somebody post in a category.
    pub fn may_post(&self, me: PlayerId, decl: &At<CategoryDecl>) -> Result<(), Refusal> {
        offers::may_post(self.tx, me, decl)
    }

    /// Whether no rule forbids an act that is the engine's own, such as a roll on the dice line.
    pub fn may_do(&self, act: &str, me: PlayerId, args: Vec<(Name, Datum)>) -> Result<(), Stop> {
        let tx = self.tx;
        tx.trial(tx.frame(), || tx.may_act(act, me, args))
    }

    /// The comment by which a vote is cast with words beside it.
    pub fn ballot(&self, post: PostId, icon: &str, words: &str) -> String {
        self.tx.ballot(post, icon, words)
    }

    /// What can be picked for a value.
    pub fn options_of(
        &self,
        rule: &Name,
        ty: &Type,
        holds: &Holds,
    ) -> Option<Vec<(Datum, String)>> {
        offers::options_of(self.tx, rule, ty, holds)
    }

    /// How often something may be done, and how often somebody did it.
    pub fn quotas(&self, name: &Name, limits: &[LimitDecl], me: PlayerId) -> Vec<Quota> {
        self.tx.quotas(name, limits, me)
    }

    /// When somebody did what counts under a limit's name.
    pub fn uses(&self, slot: &Name, me: PlayerId) -> Vec<Moment> {
        self.tx.uses(slot, Some(me), None)
    }

    /// What was typed into the fields of an action, as its arguments.
    pub fn arguments(
        &self,
        action: &Name,
        given: &[(Name, Typed)],
    ) -> Result<Vec<(Name, Value)>, Refusal> {
        fields::arguments(self.tx, action, given)
    }

    /// What was typed into one field.
    pub fn read(&self, label: &str, ty: &Type, typed: &Typed) -> Result<Datum, Refusal> {
        fields::read(self.tx, label, ty, typed)
    }

    /// Changes given as data, as a patch.
    pub fn patch(&self, changes: &[Change]) -> Result<Patch, BadChange> {
        changes::patch(self.tx, changes)
    }
}
