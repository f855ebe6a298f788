//! A version of the law, compiled and indexed: what the engine asks of it by name.

use std::collections::{BTreeMap, BTreeSet};

use quorate_kernel::command::Act;
use quorate_kernel::digest::Digest;
use quorate_kernel::law::{Rule, Term};
use quorate_kernel::rows::{ClauseKey, Post};
use quorate_kernel::state::State;
use quorate_kernel::{EventSeq, Name, Span, Zone};
use quorate_law::datum::{Datum, Type};
use quorate_law::declare::{
    ActionDecl, CategoryDecl, Declared, ScopeDecl, ShownTo, Trigger, ValueDecl,
};
use quorate_law::stop::Site;
use quorate_law::{Asleep, Code, Diagnostic, Fence, Lean};

mod cache;
mod compiling;
mod former;
pub mod lost;
#[cfg(test)]
mod one_rule;

pub use cache::LawCache;
use former::text_of;
pub(crate) use former::{gives_up_names, row_words};

/// A declaration together with where it stands.
#[derive(Clone, Debug)]
pub struct At<T> {
    /// The rule, clause and line.
    pub site: Site,
    /// What is declared.
    pub it: T,
}

/// A value that is computed and not kept.
#[derive(Clone, Debug)]
pub struct DerivedDecl {
    /// The attribute.
    pub name: Name,
    /// As people read it.
    pub title: String,
    /// The function that computes it from the thing.
    pub function: Name,
    /// What it gives.
    pub gives: Type,
    /// The kind it is a value of.
    pub of: Name,
    /// Where it is shown.
    pub tracked: String,
    /// Who may see it.
    pub shown_to: ShownTo,
    /// Its tags.
    pub tags: Vec<Name>,
}

/// A row of a table.
#[derive(Clone, Debug)]
pub struct RowDecl {
    /// Its table.
    pub table: Name,
    /// Its key.
    pub key: Name,
    /// Its cells.
    pub cells: Vec<(Name, Datum)>,
}

/// Something that happens by itself.
#[derive(Clone, Debug)]
pub struct AutomaticDecl {
    /// Its code name.
    pub name: Name,
    /// The function that does it.
    pub body: Name,
    /// The kind of the things it happens to, one by one; none for the game as a whole.
    pub of: Option<Name>,
    /// When.
    pub trigger: Trigger,
}

/// A guard on attempts.
#[derive(Clone, Debug)]
pub struct GuardDecl {
    /// Whether it forbids; else it permits.
    pub forbids: bool,
    /// Which attempts it covers.
    pub scope: ScopeDecl,
    /// The predicate that says whether it speaks.
    pub when: Name,
    /// What a refusal by it says must hold.
    pub why: String,
    /// Its tags.
    pub tags: Vec<Name>,
}

/// A hook and what it hangs on: an action, a happening or a value, and for the latter two the kind of thing.
#[derive(Clone, Debug)]
pub struct HookDecl {
    /// The action, happening or value.
    pub on: Name,
    /// The function that is called.
    pub hook: Name,
    /// The kind of thing.
    pub of: Option<Name>,
}

/// What somebody other than the one who acts decides.
#[derive(Clone, Debug)]
pub struct DecisionDecl {
    /// The function that takes the answer.
    pub answer: Name,
    /// As people read it.
    pub title: String,
    /// Whether nobody but the one asked may see the answer.
    pub hidden: bool,
}

/// Somebody whom some rules do not count as a player.
#[derive(Clone, Debug)]
pub struct ExclusionDecl {
    /// The predicate over people.
    pub who: Name,
    /// For which rules.
    pub scope: ScopeDecl,
    /// Whether values that these rules declare are shown of those people.
    pub tracked: bool,
}

/// A kind of things that play makes.
#[derive(Clone, Debug)]
pub struct EntityDecl {
    /// For one.
    pub title: String,
    /// For several.
    pub plural: String,
    /// The attribute by which one of them is called.
    pub label: Option<Name>,
}

/// A board.
#[derive(Clone, Debug)]
pub struct BoardDecl {
    /// Its title.
    pub title: String,
    /// The labels of its columns.
    pub columns: Vec<String>,
    /// The labels of its rows.
    pub rows: Vec<String>,
}

/// A word of the tracker's dice line that draws one of several outcomes.
#[derive(Clone, Debug)]
pub struct GeneratorDecl {
    /// The word, in capitals.
    pub word: Name,
    /// What it may give, each as likely as the others.
    pub outcomes: Vec<String>,
    /// Other words for it.
    pub aliases: Vec<Name>,
}

impl GeneratorDecl {
    /// Whether a word of the line is this one.
    pub fn answers_to(&self, word: &str) -> bool {
        self.word == word || self.aliases.iter().any(|alias| *alias == word)
    }
}

/// A page.
#[derive(Clone, Debug)]
pub struct PageDecl {
    /// Its code name.
    pub name: Name,
    /// Its title.
    pub title: String,
    /// The kinds, boards and values that it shows.
    pub shows: Vec<Name>,
    /// The values that say where something is, such as a location or a level. A page that has them is drawn place by
    /// place: each place with its own values, and with whoever and whatever is there.
    pub by: Vec<Name>,
}

/// A version of the law.
#[derive(Clone)]
pub struct Law {
    /// Its digest.
    pub digest: Digest,
    /// The digest of what its code and its declarations follow from. Two versions that have the same differ in prose, in where
    /// rules stand, or in the events at which they changed.
    made_of: Digest,
    /// The compiled code.
    pub code: Code,
    /// What sleeps, and why.
    pub asleep: Vec<Asleep>,
    /// What is odd and runs all the same.
    pub warnings: Vec<Diagnostic>,
    /// Tracked values by kind and name.
    pub values: BTreeMap<(Name, Name), At<ValueDecl>>,
    /// The order in which values are declared, by kind.
    pub value_order: Vec<(Name, Name)>,
    /// Computed values by kind and name.
    pub derived: BTreeMap<(Name, Name), At<DerivedDecl>>,
    /// Quantities.
    pub quantities: BTreeMap<Name, At<Type>>,
    /// Filters by what they filter, in law order.
    pub filters: BTreeMap<Name, Vec<At<Name>>>,
    /// Kinds of things that play makes.
    pub entities: BTreeMap<Name, At<EntityDecl>>,
    /// Boards.
    pub boards: BTreeMap<Name, At<BoardDecl>>,
    /// Pages, in law order.
    pub pages: Vec<At<PageDecl>>,
    /// Words of the theme that rules bring, in document order.
    pub terms: Vec<(Name, Term)>,
    /// How long a claim stays open to dispute before it counts as settled; for ever where no rule says.
    pub claims_settle: Option<Span>,
    /// Where the game's days and weeks begin.
    pub zone: Zone,
    /// Words of the dice line.
    pub generators: Vec<At<GeneratorDecl>>,
    /// Columns of tables.
    pub tables: BTreeMap<Name, At<Vec<(Name, Type)>>>,
    /// Rows, in law order.
    pub rows: Vec<At<RowDecl>>,
    /// Kinds of posts.
    pub categories: BTreeMap<Name, At<CategoryDecl>>,
    /// The order in which they are declared.
    pub category_order: Vec<Name>,
    /// Actions.
    pub actions: BTreeMap<Name, At<ActionDecl>>,
    /// The order in which they are declared.
    pub action_order: Vec<Name>,
    /// What happens by itself, in law order.
    pub automatics: Vec<At<AutomaticDecl>>,
    /// Tests whose clock is kept.
    pub conditions: Vec<At<(Name, Name)>>,
    /// Hooks on actions.
    pub after: Vec<At<HookDecl>>,
    /// Hooks on happenings.
    pub on: Vec<At<HookDecl>>,
    /// Hooks on values.
    pub changed: Vec<At<HookDecl>>,
    /// Guards, in law order.
    pub guards: Vec<At<GuardDecl>>,
    /// The function that says which of two guards is stronger.
    pub stronger: Option<At<Name>>,
    /// Who does not count.
    pub exclusions: Vec<At<ExclusionDecl>>,
    /// What is left to others to decide.
    pub decisions: BTreeMap<Name, At<DecisionDecl>>,
    /// The attributes that each function may read.
    pub reads: BTreeMap<Name, BTreeSet<Name>>,
    /// The functions that may enact what a post carries.
    pub enacts: BTreeSet<Name>,
    /// Where code that is awake uses names that their rules no longer provide.
    pub leans: Vec<Lean>,
    /// The functions that can come to a lost name, by themselves or by what they call.
    pub breaking: BTreeSet<Name>,
    /// For each lost value, what is said to whoever asks for it.
    pub lost_values: BTreeMap<Name, String>,
    /// Rules with all that is above them, for scopes.
    pub places: BTreeMap<Name, Place>,
}

/// Where a rule stands, as scopes ask for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Its section.
    pub section: Name,
    /// Itself and all rules above it.
    pub line: Vec<Name>,
    /// Its tags.
    pub tags: Vec<Name>,
    /// Its title.
    pub title: String,
    /// Its place in document order.
    pub order: usize,
    /// When it last changed: the older of two rules was there first.
    pub since: quorate_kernel::EventSeq,
}

impl Law {
    /// Whether an act is a post whose author nobody is to know.
    pub fn hides_author_of(&self, act: &Act) -> bool {
        let Act::Post(post) = act else { return false };
        let category = self.categories.get(&post.category);
        category.is_some_and(|category| category.it.author_hidden)
    }

    /// The fences that sleep under this law and were awake, or not there, under the one before.
    pub fn fallen_asleep<'a>(&'a self, before: &'a Self) -> impl Iterator<Item = &'a Asleep> {
        let known = |now: &&Asleep| {
            let mut old = before.asleep.iter();
            old.any(|old| old.rule == now.rule && old.clause == now.clause)
        };
        self.asleep.iter().filter(move |now| !known(now))
    }

    fn empty(digest: Digest, made_of: Digest, code: Code) -> Self {
        Self {
            digest,
            made_of,
            code,
            asleep: Vec::new(),
            warnings: Vec::new(),
            values: BTreeMap::new(),
            value_order: Vec::new(),
            derived: BTreeMap::new(),
            quantities: BTreeMap::new(),
            filters: BTreeMap::new(),
            entities: BTreeMap::new(),
            boards: BTreeMap::new(),
            pages: Vec::new(),
            terms: Vec::new(),
            claims_settle: None,
            zone: Zone::UTC,
            generators: Vec::new(),
            tables: BTreeMap::new(),
            rows: Vec::new(),
            categories: BTreeMap::new(),
            category_order: Vec::new(),
            actions: BTreeMap::new(),
            action_order: Vec::new(),
            automatics: Vec::new(),
            conditions: Vec::new(),
            after: Vec::new(),
            on: Vec::new(),
            changed: Vec::new(),
            guards: Vec::new(),
            stronger: None,
            exclusions: Vec::new(),
            decisions: BTreeMap::new(),
            reads: BTreeMap::new(),
            enacts: BTreeSet::new(),
            leans: Vec::new(),
            breaking: BTreeSet::new(),
            lost_values: BTreeMap::new(),
            places: BTreeMap::new(),
        }
    }

    /// Files one declaration. Of a rule that is switched off, what exists stays (values, kinds, posts) so that nothing
    /// is lost, and whatever acts is silent.
    fn take(&mut self, site: Site, what: Declared, active: bool) {
        match what {
            Declared::Value(it) => {
                let key = (it.of.clone(), it.name.clone());
                self.value_order.push(key.clone());
                self.values.insert(key, At { site, it });
            }
            Declared::Derived {
                name,
                title,
                function,
                gives,
                of,
                tracked,
                shown_to,
                tags,
            } => {
                let it = DerivedDecl {
                    name: name.clone(),
                    title,
                    function,
                    gives,
                    of: of.clone(),
                    tracked,
                    shown_to,
                    tags,
                };
                self.derived.insert((of, name), At { site, it });
            }
            Declared::Quantity { name, ty } => {
                self.quantities.insert(name, At { site, it: ty });
            }
            Declared::Entity {
                kind,
                title,
                plural,
                label,
            } => {
                self.entities.insert(
                    kind,
                    At {
                        site,
                        it: EntityDecl {
                            title,
                            plural,
                            label,
                        },
                    },
                );
            }
            Declared::Board {
                name,
                title,
                columns,
                rows,
            } => {
                self.boards.insert(
                    name,
                    At {
                        site,
                        it: BoardDecl {
                            title,
                            columns,
                            rows,
                        },
                    },
                );
            }
            Declared::Page {
                name,
                title,
                shows,
                by,
            } => self.pages.push(At {
                site,
                it: PageDecl {
                    name,
                    title,
                    shows,
                    by,
                },
            }),
            Declared::Generator {
                word,
                outcomes,
                aliases,
            } => {
                self.generators.push(At {
                    site,
                    it: GeneratorDecl {
                        word,
                        outcomes,
                        aliases,
                    },
                });
            }
            // As with other names, the rule that says it first keeps it.
            Declared::Claims { settled_after } => {
                self.claims_settle.get_or_insert(settled_after);
            }
            Declared::Zone { zone } if self.zone == Zone::UTC => self.zone = zone,
            Declared::Zone { .. } => {}
            Declared::Term { name, one, many } => self.terms.push((name, Term { one, many })),
            Declared::Table { kind, columns } => {
                self.tables.insert(kind, At { site, it: columns });
            }
            Declared::Category(it) => {
                self.category_order.push(it.name.clone());
                self.categories.insert(it.name.clone(), At { site, it });
            }
            Declared::Row { table, key, cells } => self.rows.push(At {
                site,
                it: RowDecl { table, key, cells },
            }),
            Declared::Condition { test, of } => self.conditions.push(At {
                site,
                it: (test, of),
            }),
            Declared::Decision {
                name,
                answer,
                title,
                hidden,
            } => {
                self.decisions.insert(
                    name,
                    At {
                        site,
                        it: DecisionDecl {
                            answer,
                            title,
                            hidden,
                        },
                    },
                );
            }
            acting if active => self.take_acting(site, acting),
            _ => {}
        }
    }

    fn take_acting(&mut self, site: Site, what: Declared) {
        match what {
            Declared::Modify { what, filter } => {
                self.filters
                    .entry(what)
                    .or_default()
                    .push(At { site, it: filter });
            }
            Declared::Action(it) => {
                self.action_order.push(it.name.clone());
                self.actions.insert(it.name.clone(), At { site, it });
            }
            Declared::Automatic {
                name,
                body,
                of,
                trigger,
            } => {
                self.automatics.push(At {
                    site,
                    it: AutomaticDecl {
                        name,
                        body,
                        of,
                        trigger,
                    },
                });
            }
            Declared::After { action, hook } => {
                self.after.push(At {
                    site,
                    it: HookDecl {
                        on: action,
                        hook,
                        of: None,
                    },
                });
            }
            Declared::On {
                happening,
                hook,
                of,
            } => {
                self.on.push(At {
                    site,
                    it: HookDecl {
                        on: happening,
                        hook,
                        of,
                    },
                });
            }
            Declared::Changed { value, hook, of } => {
                self.changed.push(At {
                    site,
                    it: HookDecl {
                        on: value,
                        hook,
                        of: Some(of),
                    },
                });
            }
            Declared::Guard {
                forbids,
                scope,
                when,
                why,
                tags,
            } => {
                self.guards.push(At {
                    site,
                    it: GuardDecl {
                        forbids,
                        scope,
                        when,
                        why,
                        tags,
                    },
                });
            }
            Declared::Prioritise { stronger } => self.stronger = Some(At { site, it: stronger }),
            Declared::Exclude {
                who,
                scope,
                tracked,
            } => self.exclusions.push(At {
                site,
                it: ExclusionDecl {
                    who,
                    scope,
                    tracked,
                },
            }),
            _ => {}
        }
    }

    /// The declaration of a tracked value.
    pub fn value(&self, kind: &Name, name: &str) -> Option<&At<ValueDecl>> {
        self.values
            .get(&(kind.clone(), Name::from(name)))
            .or_else(|| {
                // A value `of = Post` belongs to the posts of every category.
                self.categories
                    .contains_key(kind)
                    .then(|| self.values.get(&(Name::from("Post"), Name::from(name))))
                    .flatten()
            })
    }

    /// The declaration of a computed value.
    pub fn derived(&self, kind: &Name, name: &str) -> Option<&At<DerivedDecl>> {
        self.derived
            .get(&(kind.clone(), Name::from(name)))
            .or_else(|| {
                self.categories
                    .contains_key(kind)
                    .then(|| self.derived.get(&(Name::from("Post"), Name::from(name))))
                    .flatten()
            })
    }

    /// The tracked values that a thing of a kind has, in law order.
    pub fn values_of<'a>(&'a self, kind: &'a Name) -> impl Iterator<Item = &'a At<ValueDecl>> + 'a {
        let is_post = self.categories.contains_key(kind);
        self.value_order
            .iter()
            .filter(move |(of, _)| of == kind || (is_post && *of == "Post"))
            .filter_map(|key| self.values.get(key))
    }

    /// Whether a post's status may still change.
    pub fn is_open(&self, post: &Post) -> bool {
        let category = self.categories.get(&post.category);
        let first = category.and_then(|category| category.it.statuses.first());
        post.closed_at.is_none() && first.is_some_and(|first| *first == post.status)
    }

    /// The kind of post by which rules are changed: of those that are voted on, the first whose posts the law enacts by an
    /// action or by itself; where no code shows that, the first of all.
    pub fn amending_category(&self) -> Option<&Name> {
        let voted = |name: &&Name| {
            let decl = self.categories.get(*name);
            decl.is_some_and(|decl| !decl.it.icons.is_empty())
        };
        let mut kinds = self.category_order.iter().filter(voted);
        let enacted = kinds.clone().find(|kind| self.may_be_enacted(kind));
        enacted.or_else(|| kinds.next())
    }

    fn may_be_enacted(&self, kind: &Name) -> bool {
        let takes = |decl: &ActionDecl| {
            let mut params = decl.params.iter();
            params.any(|param| matches!(&param.ty, Type::Kind(taken) if taken == kind))
        };
        let mut actions = self.actions.values();
        let mut automatics = self.automatics.iter();
        actions.any(|decl| takes(&decl.it) && self.enacts.contains(&decl.it.body))
            || automatics.any(|decl| {
                decl.it.of.as_ref() == Some(kind) && self.enacts.contains(&decl.it.body)
            })
    }

    /// Whether the front page keeps a post on top.
    pub fn is_sticky(&self, post: &Post) -> bool {
        let category = self.categories.get(&post.category);
        category.is_some_and(|category| category.it.sticky) && self.is_open(post)
    }

    /// Where a rule stands; nowhere for a word that is no rule of this law.
    pub fn place(&self, rule: &Name) -> Place {
        self.places.get(rule).cloned().unwrap_or_default()
    }
}

impl Law {
    /// Whether it keeps anything that not everybody may see.
    pub fn keeps_secrets(&self) -> bool {
        let mut values = self.values.values();
        values.any(|decl| decl.it.shown_to != ShownTo::All)
    }
}

/// What stands in a rule's fences, in order.
pub fn code_of(rule: &Rule) -> Vec<String> {
    let fences = fences_of(rule).into_iter();
    fences.map(|fence| fence.code).collect()
}

/// A rule's fences, in order.
pub fn fences_of(rule: &Rule) -> Vec<Fence> {
    text_of(rule).fences
}

fn places(rules: &[(&Name, &Rule)]) -> BTreeMap<Name, Place> {
    let by_id: BTreeMap<&Name, &Rule> = rules.iter().copied().collect();
    let mut places = BTreeMap::new();
    for (order, (id, rule)) in rules.iter().enumerate() {
        let mut line = vec![(*id).clone()];
        let mut above = rule.parent.clone();
        // A parent that is repealed, or a loop that a patch made, ends the line.
        while let Some(parent) = above.filter(|parent| !line.contains(parent)) {
            let Some(parent_rule) = by_id.get(&parent) else {
                break;
            };
            above = parent_rule.parent.clone();
            line.push(parent);
        }
        let place = Place {
            section: rule.section.clone(),
            line,
            tags: rule.tags.clone(),
            title: rule.title.clone(),
            order,
            since: rule.changed_by,
        };
        places.insert((*id).clone(), place);
    }
    places
}

/// The fence in which a place of the law stands.
pub fn fence_at(state: &State, site: &Site) -> Option<ClauseKey> {
    let rule = state.rules.get(&site.rule)?;
    let fences = text_of(rule).fences;
    let index = fences
        .iter()
        .rposition(|fence| fence.line <= site.line.max(1))?;
    Some(ClauseKey {
        rule: site.rule.clone(),
        fence: u32::try_from(index + 1).ok()?,
    })
}

/// The event that last changed the law, for pages.
pub fn last_change(state: &State) -> EventSeq {
    state
        .rules
        .values()
        .map(|rule| rule.changed_by)
        .max()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::one_rule::one_rule;
    use super::*;

    const RULE: &str = "category(\"Poll\", icons = [\"for\"], statuses = [\"open\", \"over\"])\n\
        category(\"Bill\", icons = [\"for\"], statuses = [\"open\", \"over\"])\n\n";

    fn law(code: &str) -> Law {
        Law::of(&one_rule(&format!("{RULE}{code}")))
    }

    #[test]
    fn rules_are_changed_by_the_kind_of_post_whose_changes_the_law_makes() {
        let by_act = "def make(post: Post):\n    apply(post)\n\ndef pass_it(actor: Player, bill: Bill):\n    make(bill)\n\n\
            action(\"pass\", pass_it)\n";
        let law_of_bills = law(by_act);
        assert!(law_of_bills.asleep.is_empty(), "{:?}", law_of_bills.asleep);
        assert_eq!(law_of_bills.amending_category(), Some(&"Bill".into()));
        assert_eq!(law("").amending_category(), Some(&"Poll".into()));
    }
}
