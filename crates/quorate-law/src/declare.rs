//! What a version of the law declares: the calls at the top level of its fences, as plain data.

use quorate_kernel::{Name, Span, Zone};

use crate::datum::{Datum, Type};
use crate::stop::Site;

/// One declaration and where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Declaration {
    /// The rule, clause and line of the call.
    pub site: Site,
    /// What is declared.
    pub what: Declared,
}

/// What a law can declare. Functions are named by their name at the top level of the module.
#[derive(Clone, PartialEq, Debug)]
pub enum Declared {
    /// `number`, `text`, `flag`, `choice`, `moment`, `image`, `reference`, `listing`, `place`, `ledger`.
    Value(ValueDecl),
    /// `name = derived(title, fn, of)`.
    Derived {
        /// Its code name.
        name: Name,
        /// As people read it.
        title: String,
        /// What computes it.
        function: Name,
        /// The type of what it gives.
        gives: Type,
        /// The kind it belongs to.
        of: Name,
        /// The table or page it is tracked on; empty for none.
        tracked: String,
        /// Who may see it.
        shown_to: ShownTo,
        /// Words by which rules pick it.
        tags: Vec<Name>,
    },
    /// `quantity(name, type)`.
    Quantity {
        /// Its code name.
        name: Name,
        /// Its type.
        ty: Type,
    },
    /// `modify(what, filter)`: of a quantity, of a value's writes, or of `"roll"`.
    Modify {
        /// What is filtered: a quantity, a value, or `roll`.
        what: Name,
        /// The function that gives the new amount.
        filter: Name,
    },
    /// `entity(name)`.
    Entity {
        /// The name of the kind.
        kind: Name,
        /// As people read it.
        title: String,
        /// Several of them, as people read it.
        plural: String,
        /// The value by which such a thing is called.
        label: Option<Name>,
    },
    /// `generator(word, outcomes, aliases)`: a word of the tracker's dice line.
    Generator {
        /// What people type.
        word: Name,
        /// What it can come to, each as likely.
        outcomes: Vec<String>,
        /// Other words for the same.
        aliases: Vec<Name>,
    },
    /// `claims(settled_after)`: how long a change by hand stays open to dispute before it counts as settled.
    Claims {
        /// From the claim on.
        settled_after: Span,
    },
    /// `time_zone(name)`: where the game's days and weeks begin.
    Zone {
        /// The zone.
        zone: Zone,
    },
    /// `name = board(title, columns, rows)`; columns and rows are their labels in order.
    Board {
        /// Its code name.
        name: Name,
        /// As people read it.
        title: String,
        /// Labels in order.
        columns: Vec<String>,
        /// Labels in order.
        rows: Vec<String>,
    },
    /// `page(title, shows, by)`: a page that shows kinds, boards or values; `text` pages are edited by play. With `by`,
    /// what it shows is drawn place by place.
    Page {
        /// Its code name.
        name: Name,
        /// As people read it.
        title: String,
        /// Kinds, boards or values, in order.
        shows: Vec<Name>,
        /// The values that say where something is: each kind that has one of them stands in the place it names.
        by: Vec<Name>,
    },
    /// `term(name, one, many)`.
    Term {
        /// Its code name.
        name: Name,
        /// The word for one.
        one: String,
        /// The word for several.
        many: String,
    },
    /// `table(name, **columns)`.
    Table {
        /// The name of the kind.
        kind: Name,
        /// Names and types of the columns.
        columns: Vec<(Name, Type)>,
    },
    /// `row(table, key, **cells)`.
    Row {
        /// The kind whose row it is.
        table: Name,
        /// Its name among the rows.
        key: Name,
        /// What stands in each column.
        cells: Vec<(Name, Datum)>,
    },
    /// `category(name, …)`.
    Category(CategoryDecl),
    /// `action(name, body, …)`.
    Action(ActionDecl),
    /// `automatic(name, body, …)`.
    Automatic {
        /// Its code name.
        name: Name,
        /// The function that does it.
        body: Name,
        /// The kind for each of whose things it happens, if any.
        of: Option<Name>,
        /// When it happens.
        trigger: Trigger,
    },
    /// `condition(test, of)`: keeps the clock of a test without acting on it.
    Condition {
        /// The function that is asked.
        test: Name,
        /// The kind it belongs to.
        of: Name,
    },
    /// `after(action, hook)`.
    After {
        /// The action it follows.
        action: Name,
        /// The function that is called.
        hook: Name,
    },
    /// `on(happening, hook, of)`.
    On {
        /// What sets it off.
        happening: Name,
        /// The function that is called.
        hook: Name,
        /// The kind that it must happen to, if any.
        of: Option<Name>,
    },
    /// `changed(value, hook, of)`.
    Changed {
        /// The value that is watched.
        value: Name,
        /// The function that is called.
        hook: Name,
        /// The kind it belongs to.
        of: Name,
    },
    /// `forbid(scope, when, why, tags)` and `permit(…)`.
    Guard {
        /// Whether it forbids; it permits otherwise.
        forbids: bool,
        /// Which attempts it covers.
        scope: ScopeDecl,
        /// The function that says whether it speaks.
        when: Name,
        /// What a refusal says.
        why: String,
        /// Words by which rules pick it.
        tags: Vec<Name>,
    },
    /// `prioritise(stronger)`.
    Prioritise {
        /// The function that says whether one guard goes before another.
        stronger: Name,
    },
    /// `exclude(who, scope, tracked)`.
    Exclude {
        /// The function that says whether somebody is left out.
        who: Name,
        /// Which attempts it covers.
        scope: ScopeDecl,
        /// Whether values that these rules declare are shown of them.
        tracked: bool,
    },
    /// `decision(name, answer, title, hidden)`.
    Decision {
        /// Its code name.
        name: Name,
        /// The function that is called with the answer.
        answer: Name,
        /// As people read it.
        title: String,
        /// Whether the answer is seen by its giver alone.
        hidden: bool,
    },
}

/// A tracked value.
#[derive(Clone, PartialEq, Debug)]
pub struct ValueDecl {
    /// The attribute: the name of the variable it was assigned to.
    pub name: Name,
    /// As people read it.
    pub title: String,
    /// The kind it is a value of: `Player`, `Game`, `Post` or a declared kind.
    pub of: Name,
    /// What it holds.
    pub holds: Holds,
    /// What it is at first.
    pub default: Datum,
    /// The numbers that it may be, or the words or numbers that it may list; any where none is named.
    pub among: Vec<Datum>,
    /// How many it lists at least.
    pub least: usize,
    /// Where it is tracked: a table's or page's title; empty for a record that no tracker shows.
    pub tracked: String,
    /// Who may see it.
    pub shown_to: ShownTo,
    /// Words by which rules pick values.
    pub tags: Vec<Name>,
    /// The name it had before, whose contents it takes over.
    pub was: Option<Name>,
}

impl ValueDecl {
    /// Whether a number, or what is listed, is among what it may be, and whether enough is listed.
    pub fn allows(&self, datum: &Datum) -> bool {
        let is_among = |one: &Datum| self.among.is_empty() || self.among.contains(one);
        match datum {
            Datum::List(items) => items.len() >= self.least && items.iter().all(is_among),
            Datum::Int(_) => is_among(datum),
            _ => true,
        }
    }
}

/// What a tracked value holds and where its range ends.
#[derive(Clone, PartialEq, Debug)]
pub enum Holds {
    /// A whole number.
    Number {
        /// The least it may be.
        min: Option<i64>,
        /// The most it may be.
        max: Option<i64>,
        /// What happens beyond them.
        outside: Outside,
    },
    /// Words that people type.
    Text,
    /// Yes or no.
    Flag,
    /// One of these words.
    Choice(Vec<Name>),
    /// A moment or none.
    Moment,
    /// A picture that a person uploaded, or none.
    Picture,
    /// A thing of a kind or none.
    Reference(Name),
    /// Several things, words or numbers.
    Listing {
        /// The type of each.
        item: Type,
        /// Whether each may stand in it once only.
        unique: bool,
    },
    /// A square of a board or none; one thing a square.
    Place {
        /// The board whose squares it can hold.
        board: Name,
    },
    /// Dated lines, kept for so long (for good if none).
    Ledger {
        /// How long lines are kept; for good if none.
        keep: Option<Span>,
    },
}

/// What happens to a number that would leave its range.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Outside {
    /// What would bring it there is refused.
    #[default]
    Refuse,
    /// It stops at the end.
    Clamp,
}

/// Who may see a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ShownTo {
    /// Everybody.
    #[default]
    All,
    /// The player whose value it is.
    Owner,
    /// Nobody: rule code alone.
    Nobody,
}

/// A kind of post.
#[derive(Clone, PartialEq, Debug)]
pub struct CategoryDecl {
    /// The kind's name: `Proposal`.
    pub name: Name,
    /// As people read it: "Call for Judgement".
    pub title: String,
    /// Begins the titles of such posts, if not empty: "Story Post: ".
    pub prefix: String,
    /// A word or mark in the title that makes a post one of these, if not empty.
    pub marker: String,
    /// The icons that its comments may carry; none means that it is not voted on.
    pub icons: Vec<Name>,
    /// Other words for an icon between colons, with the icon: `def` for `deferential`.
    pub aliases: Vec<(Name, Name)>,
    /// The statuses it can have, the first being that of a new post.
    pub statuses: Vec<Name>,
    /// Who may post one: a predicate over players, or nothing for every player.
    pub by: Option<Name>,
    /// Whether the author is hidden from everybody, rule code included.
    pub author_hidden: bool,
    /// Exclusions that are lifted for posting one, by the name of their predicate.
    pub admits: Vec<Name>,
    /// How often.
    pub limits: Vec<LimitDecl>,
    /// The values of this kind that the author fills in.
    pub form: Vec<Name>,
    /// Whether such posts stay on top of the front page while they are open.
    pub sticky: bool,
}

/// Something that players do.
#[derive(Clone, PartialEq, Debug)]
pub struct ActionDecl {
    /// The code name: `row-out`.
    pub name: Name,
    /// As people read it: "Row out to the Reef".
    pub title: String,
    /// The function that does it: `(actor, …)`.
    pub body: Name,
    /// What the form asks for: the function's parameters after the first.
    pub params: Vec<Param>,
    /// Who may: a predicate over players, or nothing for every player.
    pub by: Option<Name>,
    /// How often.
    pub limits: Vec<LimitDecl>,
    /// For a parameter, the function that lists what may be given: `(actor) -> list`.
    pub options: Vec<(Name, Name)>,
    /// Exclusions that are lifted for this action, by the name of their predicate.
    pub admits: Vec<Name>,
    /// Words by which guards find it.
    pub tags: Vec<Name>,
    /// What its form says to the one who may take it, such as the odds: `(actor) -> str`.
    pub says: Option<Name>,
    /// For a parameter, the function that says something of each thing that may be picked: `(actor, pick) -> str`.
    pub remarks: Vec<(Name, Name)>,
}

/// A parameter of an action.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// Its name in the function.
    pub name: Name,
    /// What it takes.
    pub ty: Type,
    /// What it is where nothing is given; such a parameter may be left out.
    pub default: Option<Datum>,
}

/// How often something may be done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LimitDecl {
    /// Counted by the day, by the week, since a moment of the game or since an action was last done.
    pub per: Per,
    /// How many times.
    pub times: u32,
    /// The least time between two uses.
    pub gap: Option<Span>,
    /// Uses are counted together with other actions of this slot; the action's own name if empty.
    pub slot: Name,
    /// Whether all players share the uses.
    pub shared: bool,
}

impl LimitDecl {
    /// The slot in which uses of an action are counted: the one that is named, else the action's own.
    pub fn counted_in<'a>(&'a self, action: &'a Name) -> &'a Name {
        if self.slot.is_empty() {
            action
        } else {
            &self.slot
        }
    }
}

/// What a limit counts by.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Per {
    /// Ever.
    #[default]
    Ever,
    /// The UTC day.
    Day,
    /// The week from Monday.
    Week,
    /// Since this value of the game (a moment), or this action, by its name.
    Since(Name),
}

/// When an automatic thing happens.
#[derive(Clone, PartialEq, Debug)]
pub enum Trigger {
    /// At these times.
    Every(Vec<Schedule>),
    /// Whenever the test holds, or has held unbroken for so long.
    When {
        /// The function that is asked.
        test: Name,
        /// How long it must have held unbroken.
        after: Option<Span>,
    },
}

/// A time that comes again and again, in UTC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Schedule {
    /// Every day at a minute of the day.
    Daily {
        /// The minute of the day, from 0.
        minute: u16,
    },
    /// Every week on a day (1 Monday to 7 Sunday) at a minute of the day.
    Weekly {
        /// 1 is Monday, 7 Sunday.
        weekday: u8,
        /// The minute of the day, from 0.
        minute: u16,
    },
    /// Every year on a date at a minute of the day.
    Yearly {
        /// 1 to 12.
        month: u8,
        /// The day of the month, from 1.
        day: u8,
        /// The minute of the day, from 0.
        minute: u16,
    },
}

/// Which attempts a guard covers, or for which rules somebody is no player. With nothing named, all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ScopeDecl {
    /// All rules of this section.
    pub section: Name,
    /// These rules and what is under them.
    pub rules: Vec<Name>,
    /// These actions.
    pub actions: Vec<Name>,
    /// Rules or actions with one of these tags.
    pub tags: Vec<Name>,
    /// Except these rules and what is under them, and these actions.
    pub but: Vec<Name>,
    /// Except rules or actions with one of these tags.
    pub but_tags: Vec<Name>,
}
