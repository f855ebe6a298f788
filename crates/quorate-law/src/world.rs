//! The game as rule code meets it. The engine implements it over the kernel's state.
//!
//! All methods take `&self`: a call may run rule code (a filter, a derived value, a predicate), which comes back to
//! the same world, so an implementation keeps its state in cells and holds no borrow over a call.

use quorate_kernel::{Moment, Name, Need, Span, Square, Thing, Zone};

use crate::datum::{Datum, Type};
use crate::stop::{Answer, Site, Stop};

/// Keyword arguments in the order given.
pub type Named = Vec<(Name, Datum)>;

/// Everything that rule code can read and do. `site` is the innermost rule on the call stack, library texts skipped.
pub trait World {
    // Things and their attributes.

    /// The kind of a thing: `Player`, `Game`, `Comment`, `Rule`, a category, an entity kind or a table.
    fn kind(&self, thing: &Thing) -> Answer<Name>;
    /// Reads an attribute, derived ones included.
    fn get(&self, thing: &Thing, attribute: &str) -> Answer<Datum>;
    /// Writes an attribute.
    fn set(&self, thing: &Thing, attribute: &str, value: Datum) -> Answer<()>;

    // Kinds: `K.all`, `K.at`, `K.row`, `K.create`.

    /// All things of a kind that match, oldest first, rows in law order.
    fn all(&self, kind: &str, filters: Named, site: &Site) -> Answer<Vec<Thing>>;
    /// Who or what of a kind stands on a square.
    fn at(&self, kind: &str, square: &Square) -> Answer<Option<Thing>>;
    /// The row of a table, or the player of that name; a fault of the rule if there is none.
    fn row(&self, kind: &str, key: &str) -> Answer<Thing>;
    /// A new thing.
    fn create(&self, kind: &str, values: Named, site: &Site) -> Answer<Thing>;

    // People.

    /// The players, for the rule that asks.
    fn players(&self, site: &Site) -> Answer<Vec<Thing>>;
    /// Everybody on the roster.
    fn everyone(&self) -> Answer<Vec<Thing>>;
    /// Those who asked to join and were not yet admitted.
    fn applicants(&self) -> Answer<Vec<Thing>>;
    /// Whether somebody is a player for the rule that asks.
    fn counts(&self, player: &Thing, site: &Site) -> Answer<bool>;
    /// Whose command this is; none for the clock.
    fn acting(&self) -> Answer<Option<Thing>>;
    /// Makes an applicant a member.
    fn admit(&self, player: &Thing) -> Answer<()>;
    /// Takes a member off the roster, barred from coming back or not.
    fn depart(&self, player: &Thing, bar: bool) -> Answer<()>;

    // Time.

    /// The event's moment.
    fn now(&self) -> Moment;
    /// Where the game's days and weeks begin.
    fn zone(&self) -> Zone {
        Zone::UTC
    }
    /// Notes that `now` was compared with a moment: the answer may be another from then on.
    fn compared(&self, with: Moment);
    /// Notes that an answer is made of `now` itself and holds no longer than to a moment. Nothing is asked again for that: who keeps
    /// answers drops it then.
    fn flows_until(&self, moment: Moment);

    // Saying no, costs, changes.

    /// The refusal that `require` or `refuse` leads to; none where what is needed counts as met.
    fn refuse(&self, need: Need, next_at: Option<Moment>, site: &Site) -> Option<Stop>;
    /// Takes amounts from a thing; refuses if short.
    fn pay(&self, who: &Thing, costs: Named, site: &Site) -> Answer<()>;
    /// Moves amounts from one thing to another.
    fn transfer(&self, from: &Thing, to: &Thing, amounts: Named, site: &Site) -> Answer<()>;
    /// Sets values of a thing to their defaults; `values` are their names.
    fn reset(&self, thing: &Thing, values: Vec<Name>) -> Answer<()>;
    /// Takes a thing out of the game.
    fn remove(&self, thing: &Thing) -> Answer<()>;

    // Dice and choices.

    /// One die; 0 sides or fewer give 0.
    fn roll(&self, sides: i64, what: &str, site: &Site) -> Answer<i64>;
    /// Several dice.
    fn rolls(&self, count: i64, sides: i64, what: &str, site: &Site) -> Answer<Vec<i64>>;
    /// The index of the option that one die picks by weight; none given: equal weights.
    fn draw(
        &self,
        what: &str,
        options: &[Datum],
        weights: Option<&[i64]>,
        site: &Site,
    ) -> Answer<usize>;
    /// What the one who acts picks.
    fn choose(&self, question: crate::stop::Question) -> Answer<Datum>;
    /// Leaves somebody a duty.
    #[expect(
        clippy::too_many_arguments,
        reason = "the parameters of `ask` in rule code, one each"
    )]
    fn ask(
        &self,
        decision: &str,
        to: &Thing,
        options: Vec<Datum>,
        within: Span,
        default: Datum,
        context: Named,
        site: &Site,
    ) -> Answer<()>;
    /// Takes back duties that are not answered.
    fn unask(&self, decision: &str, to: Option<&Thing>, context: &Named) -> Answer<()>;

    // Actions within actions, and what was done before.

    /// Whether an action would be allowed, tried up to its first die, question or end.
    fn allowed(&self, action: &str, actor: &Thing, args: Named) -> Answer<bool>;
    /// That action by that player.
    fn perform(&self, action: &str, actor: &Thing, waive: Vec<Name>, args: Named) -> Answer<()>;
    /// When an action was last completed, by somebody or by anybody.
    fn last(&self, action: &str, by: Option<&Thing>) -> Answer<Option<Moment>>;
    /// How often an action was completed.
    fn times(&self, action: &str, by: Option<&Thing>, since: Option<Moment>) -> Answer<i64>;
    /// When a value last changed, or a test (by its function's name) began to hold; as before this event.
    fn since(&self, what: &str, thing: &Thing) -> Answer<Option<Moment>>;
    /// How long a test has held.
    fn held(&self, test: &str, thing: &Thing) -> Answer<Span>;
    /// Runs what is due, in the middle of a body.
    fn settle(&self) -> Answer<()>;
    /// The action that a player has open.
    fn unfinished(&self, player: &Thing) -> Answer<Option<Name>>;

    // Posts, comments, messages.

    /// The icons under a post, oldest first.
    fn icons(&self, post: &Thing, by: Option<&Thing>) -> Answer<Vec<Datum>>;
    /// A post by the rule, in the name of whoever acts.
    fn post(&self, category: &str, title: &str, body: &str, site: &Site) -> Answer<Thing>;
    /// A comment by the rule.
    fn comment(&self, post: &Thing, text: &str, site: &Site) -> Answer<()>;
    /// Closes a matter.
    fn close(&self, post: &Thing, status: &str, note: &str) -> Answer<()>;
    /// A private message.
    fn message(&self, to: &Thing, text: &str) -> Answer<()>;
    /// A line in the log.
    fn note(&self, text: &str) -> Answer<()>;

    // The law itself.

    /// The changes that a post carries, as `Change` records.
    fn changes(&self, post: &Thing) -> Answer<Vec<Datum>>;
    /// Enacts what a post carries, but for some changes (`Change` records as [`World::changes`] gave them).
    fn apply(&self, post: &Thing, leave_out: Datum) -> Answer<()>;
    /// Rules by section and tags, in law order.
    fn rules(&self, section: Option<&str>, tags: Vec<Name>) -> Answer<Vec<Thing>>;
    /// Takes a rule and what is under it out of the law.
    fn repeal(&self, rule: &Thing) -> Answer<()>;
    /// Switches a rule on or off.
    fn switch(&self, rule: &Thing, on: bool) -> Answer<()>;
    /// Renames a term.
    fn rename(&self, term: &str, one: &str, many: &str) -> Answer<()>;
    /// The words of a clause, code left out.
    fn prose(&self, rule: &Thing, clause: i64) -> Answer<String>;
    /// Changes the words of a clause, never code.
    fn amend(&self, rule: &Thing, clause: i64, text: &str) -> Answer<()>;
    /// The tracked values of a kind, as `Value` records.
    fn values(&self, of: &str, section: Option<&str>) -> Answer<Vec<Datum>>;
    /// Whether what a thing's value holds now is within its range and type.
    fn legal(&self, value: &str, thing: &Thing) -> Answer<bool>;

    // What a world may do without.

    /// How a thing is called where people read of it.
    fn label(&self, thing: &Thing) -> String {
        let known = ["name", "title"]
            .into_iter()
            .find_map(|name| match self.get(thing, name) {
                Ok(Datum::Text(text)) => Some(text.to_string()),
                _ => None,
            });
        known.unwrap_or_else(|| thing.to_string())
    }

    /// The present word for a term.
    fn word(&self, term: &str) -> Answer<String> {
        Err(Stop::fault(format!(
            "nobody knows the word for {term} here"
        )))
    }
    /// When the open action of a player began.
    fn unfinished_since(&self, _player: &Thing) -> Answer<Option<Moment>> {
        Ok(None)
    }
    /// Gives a rule another title.
    fn retitle(&self, _rule: &Thing, _title: &str) -> Answer<()> {
        Err(Stop::fault("titles cannot be changed here"))
    }
    /// Gives a player another name.
    fn rename_player(&self, _player: &Thing, _name: &str) -> Answer<()> {
        Err(Stop::fault("names cannot be changed here"))
    }
    /// Writes into the list of dynasties who leads the present one and what its theme is, or that another begins.
    fn chronicle(&self, _leader: Option<&Thing>, _theme: &str, _begins: bool) -> Answer<()> {
        Err(Stop::fault("no list of dynasties is kept here"))
    }
    /// The whole text of a rule, prose and code.
    fn source(&self, rule: &Thing) -> Answer<String> {
        Err(Stop::fault(format!(
            "the text of {rule} is not at hand here"
        )))
    }
    /// Edits a post's text, its history kept.
    fn edit(&self, _post: &Thing, _title: Option<&str>, _body: Option<&str>) -> Answer<()> {
        Err(Stop::fault("posts cannot be edited here"))
    }

    // Ledgers, squares, quantities.

    /// Adds a line to a ledger.
    fn ledger_add(
        &self,
        of: &Thing,
        ledger: &str,
        who: Option<&Thing>,
        amount: i64,
        what: &str,
    ) -> Answer<()>;
    /// The lines of a ledger, oldest first, as `Line` records.
    fn ledger_lines(
        &self,
        of: &Thing,
        ledger: &str,
        who: Option<&Thing>,
        since: Option<Moment>,
    ) -> Answer<Vec<Datum>>;
    /// Empties a ledger.
    fn ledger_clear(&self, of: &Thing, ledger: &str) -> Answer<()>;
    /// A board's labels of columns and rows, for squares' names and neighbours; none of a board that went with its rule.
    fn board(&self, board: &str) -> Answer<(Vec<String>, Vec<String>)>;
    /// A quantity after its filters.
    fn quantity(&self, name: &str, base: Datum, context: Vec<Datum>) -> Answer<Datum>;

    // Cached answers of the law that the language may not keep itself.

    /// The type of an attribute, for messages about wrong values.
    fn attribute_type(&self, kind: &str, attribute: &str) -> Option<Type>;
    /// Whether things of a kind had this value and the law of today does not know it.
    fn has_lost(&self, kind: &str, attribute: &str) -> bool;
    /// The attributes of a kind, for "did you mean".
    fn attributes(&self, kind: &str) -> Vec<Name>;
}
