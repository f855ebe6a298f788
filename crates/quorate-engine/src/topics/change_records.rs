//! The changes that a post carries, as records for rule code.

use std::sync::Arc;

use quorate_kernel::law::Rule;
use quorate_kernel::patch::Clause;
use quorate_kernel::rows::{Cell, Person, Standing};
use quorate_kernel::state::{Effect, State};
use quorate_kernel::{Name, PlayerId, PostId, Thing};
use quorate_law::datum::{Datum, Record};

use super::{posts, things, values};
use crate::convert;
use crate::law::code_of;
use crate::reads::ReadKey;
use crate::tx::Tx;

/// The changes of a post, as records; those inside a condition too, and what its code has done so far in this event.
pub(crate) fn of_post(tx: &Tx, post: PostId) -> Vec<Datum> {
    tx.read(ReadKey::Post(post));
    let Some(patch) = posts::patch_of(tx, post) else {
        return Vec::new();
    };
    let mut records = Vec::new();
    collect_changes(tx, &patch.clauses, "", &mut records);
    records.extend(tx.done_by(post));
    records
}

/// What changed since a state, as the changes that do it one by one, each at the place of the code that did it all.
pub(crate) fn done_since(tx: &Tx, at: &str, before: &State) -> Vec<Datum> {
    let then = tx.beside(before, tx.now, &tx.frame().law);
    let effects = before.differences(&tx.state());
    let clauses = effects.iter().flat_map(|effect| clauses_of(before, effect));
    let records = clauses.map(|clause| change_record(&then, &clause, at, None));
    records.collect()
}

/// An effect as changes that a post could have carried; none where no post can.
fn clauses_of(before: &State, effect: &Effect) -> Vec<Clause> {
    match effect {
        Effect::Rule { key, old, new } => of_rule(key, old.as_ref(), new.as_ref()),
        Effect::Cell { key, old, new } if is_known(before, &key.thing) => {
            let value = |cell: &Option<Cell>| cell.as_ref().map(|cell| cell.value.clone());
            let (old, new) = (value(old), value(new));
            let set = Clause::SetValue {
                thing: key.thing.clone(),
                name: key.name.clone(),
                value: new.clone().unwrap_or_default(),
            };
            if old == new { vec![] } else { vec![set] }
        }
        Effect::Entity { new: Some(new), .. } => vec![Clause::CreateThing {
            kind: new.kind.clone(),
            values: vec![],
        }],
        Effect::Entity { key, .. } => vec![Clause::RemoveThing {
            thing: Thing::Entity(*key),
        }],
        Effect::Term { key, new, .. } => vec![Clause::SetTerm {
            name: key.clone(),
            one: new
                .as_ref()
                .map(|term| term.one.clone())
                .unwrap_or_default(),
            many: new
                .as_ref()
                .map(|term| term.many.clone())
                .unwrap_or_default(),
        }],
        Effect::Page { key, new, .. } => vec![Clause::SetPage {
            name: key.clone(),
            text: new
                .as_ref()
                .map(|page| page.text.as_str().to_owned())
                .unwrap_or_default(),
        }],
        Effect::Person {
            key,
            old: Some(old),
            new: Some(new),
        } => of_person(*key, old, new),
        Effect::Post {
            key,
            old: Some(old),
            new: Some(new),
        } if old.status != new.status => {
            vec![Clause::SetStatus {
                post: *key,
                status: new.status.clone(),
            }]
        }
        _ => vec![],
    }
}

fn is_known(state: &State, thing: &Thing) -> bool {
    match thing {
        Thing::Entity(id) => state.entities.contains_key(id),
        Thing::Post(id) => state.posts.contains_key(id),
        _ => true,
    }
}

fn of_rule(id: &Name, old: Option<&Rule>, new: Option<&Rule>) -> Vec<Clause> {
    let id = id.clone();
    let Some(new) = new else {
        return vec![Clause::RepealRule { id }];
    };
    let place = || (new.section.clone(), new.parent.clone());
    let (section, parent) = place();
    let Some(old) = old else {
        return vec![Clause::AddRule {
            id,
            section,
            parent,
            after: None,
            title: new.title.clone(),
            text: Arc::clone(&new.text),
            tags: new.tags.clone(),
        }];
    };
    let mut clauses = Vec::new();
    if old.text != new.text {
        clauses.push(Clause::AmendRule {
            id: id.clone(),
            base: Arc::clone(&old.text),
            text: Arc::clone(&new.text),
        });
    }
    if old.title != new.title {
        clauses.push(Clause::RenameRule {
            id: id.clone(),
            title: new.title.clone(),
        });
    }
    if old.active != new.active {
        clauses.push(Clause::SwitchRule {
            id: id.clone(),
            on: new.active,
        });
    }
    if (&old.section, &old.parent) != (&new.section, &new.parent) {
        clauses.push(Clause::MoveRule {
            id,
            section,
            parent,
            after: None,
        });
    }
    clauses
}

fn of_person(id: PlayerId, old: &Person, new: &Person) -> Vec<Clause> {
    let thing = Thing::Player(id);
    if old.name.as_str() != new.name.as_str() {
        let name = new.name.as_str().to_owned();
        return vec![Clause::RenamePlayer { thing, name }];
    }
    let gone = matches!(new.standing, Standing::Left | Standing::Barred);
    if old.standing == new.standing || !gone {
        return vec![];
    }
    let bar = new.standing == Standing::Barred;
    vec![Clause::RemovePlayer { thing, bar }]
}

/// A change in a few words: its kind and what it touches.
pub(crate) fn describe(change: &Record) -> String {
    let field = |name: &str| change.text(name).filter(|text| !text.is_empty());
    let kind = field("kind").map(ToString::to_string).unwrap_or_default();
    match field("rule")
        .or_else(|| field("value"))
        .or_else(|| field("table"))
    {
        Some(touched) => format!("{kind} ({touched})"),
        None => kind,
    }
}

fn collect_changes(tx: &Tx, clauses: &[Clause], prefix: &str, out: &mut Vec<Datum>) {
    for (index, clause) in clauses.iter().enumerate() {
        let at = format!("{prefix}{index}");
        out.push(change_record(tx, clause, &at, None));
        if let Clause::When { clauses, .. } = clause {
            collect_changes(tx, clauses, &format!("{at}."), out);
        }
    }
}

/// A change of a claim that rests on a rule.
pub(crate) fn of_claim(tx: &Tx, clause: &Clause, rests_on: &Name) -> Datum {
    change_record(tx, clause, "", Some(rests_on))
}

/// What a change touches: the thing, if there is one, and what stands there before and after it.
fn touched(tx: &Tx, clause: &Clause) -> (Datum, Datum, Datum) {
    let text = |words: &str| Datum::Text(words.into());
    let of_rule = |id: &Name, read: fn(&Rule) -> Datum| {
        tx.with_state(|state| state.rules.get(id).map_or(Datum::None, read))
    };
    let prose = |rule: &Rule| Datum::Text(Arc::clone(&rule.text));
    let thing = |thing: &Thing| Datum::Thing(thing.clone());
    match clause {
        Clause::SetValue {
            thing: of,
            name,
            value,
        } => (thing(of), value_now(tx, of, name), convert::datum(value)),
        Clause::AddToValue {
            thing: of,
            name,
            amount,
        } => {
            let before = value_now(tx, of, name);
            let after = match &before {
                // What leaves 64 bits is not made, and nothing stands there after it.
                Datum::Int(now) => now.checked_add(*amount).map_or(Datum::None, Datum::Int),
                _ => Datum::None,
            };
            (thing(of), before, after)
        }
        Clause::RemoveThing { thing: of } | Clause::RemovePlayer { thing: of, .. } => {
            (thing(of), Datum::None, Datum::None)
        }
        Clause::RenamePlayer { thing: of, name } => {
            let before = match of {
                Thing::Player(id) => Datum::Text(things::name_of(tx, *id).into()),
                _ => Datum::None,
            };
            (thing(of), before, text(name))
        }
        Clause::SetStatus { post, status } => {
            let before = tx.with_state(|state| {
                let post = state.posts.get(post);
                post.map_or(Datum::None, |post| text(post.status.as_str()))
            });
            (
                Datum::Thing(Thing::Post(*post)),
                before,
                text(status.as_str()),
            )
        }
        Clause::AmendRule { id, text: new, .. } => (
            Datum::Thing(Thing::Rule(id.clone())),
            of_rule(id, prose),
            Datum::Text(Arc::clone(new)),
        ),
        Clause::AddRule { text: new, .. } => {
            (Datum::None, Datum::None, Datum::Text(Arc::clone(new)))
        }
        Clause::RenameRule { id, title } => (
            Datum::Thing(Thing::Rule(id.clone())),
            of_rule(id, |rule| Datum::Text(rule.title.as_str().into())),
            text(title),
        ),
        Clause::RepealRule { id } => (
            Datum::Thing(Thing::Rule(id.clone())),
            of_rule(id, prose),
            Datum::None,
        ),
        Clause::MoveRule { id, section, .. } => (
            Datum::Thing(Thing::Rule(id.clone())),
            of_rule(id, |rule| Datum::Text(rule.section.as_str().into())),
            text(section.as_str()),
        ),
        _ => (Datum::None, Datum::None, Datum::None),
    }
}

fn change_record(tx: &Tx, clause: &Clause, at: &str, rests_on: Option<&Name>) -> Datum {
    let law = tx.frame().law;
    let rule = clause.rule().cloned().unwrap_or_default();
    let section = match clause {
        Clause::AddRule { section, .. } if section.is_empty() => tx
            .with_state(|state| state.about.get(&()).map(|about| about.new_rules.clone()))
            .unwrap_or_default(),
        Clause::AddRule { section, .. } => section.clone(),
        Clause::SetValue { thing, name, .. } | Clause::AddToValue { thing, name, .. } => {
            let kind = things::kind_of(tx, thing).unwrap_or_default();
            let decl = law.value(&kind, name.as_str());
            decl.map(|decl| law.place(&decl.site.rule).section)
                .unwrap_or_default()
        }
        Clause::CreateThing { kind, .. } => {
            let decl = law.entities.get(kind);
            decl.map(|decl| law.place(&decl.site.rule).section)
                .unwrap_or_default()
        }
        _ if rule.is_empty() => Name::default(),
        _ => law.place(&rule).section,
    };
    let (table, value, who, text) = match clause {
        Clause::SetValue { thing, name, value } => (
            things::kind_of(tx, thing).unwrap_or_default(),
            name.to_string(),
            player(thing),
            convert::describe(&convert::datum(value)),
        ),
        Clause::AddToValue {
            thing,
            name,
            amount,
        } => (
            things::kind_of(tx, thing).unwrap_or_default(),
            name.to_string(),
            player(thing),
            amount.to_string(),
        ),
        Clause::CreateThing { kind, .. } => (kind.clone(), String::new(), None, String::new()),
        Clause::RemoveThing { thing } => (
            things::kind_of(tx, thing).unwrap_or_default(),
            String::new(),
            None,
            String::new(),
        ),
        Clause::RenamePlayer { thing, name } => {
            (Name::default(), String::new(), player(thing), name.clone())
        }
        Clause::RemovePlayer { thing, .. } => {
            (Name::default(), String::new(), player(thing), String::new())
        }
        Clause::AddRule { text, title, .. } => {
            (Name::default(), title.clone(), None, text.to_string())
        }
        Clause::AmendRule { text, .. } => (Name::default(), String::new(), None, text.to_string()),
        Clause::Prose { text } => (Name::default(), String::new(), None, text.clone()),
        Clause::Script { code } => (Name::default(), String::new(), None, code.to_string()),
        Clause::SetTerm { name, one, .. } => (Name::default(), name.to_string(), None, one.clone()),
        _ => (Name::default(), String::new(), None, String::new()),
    };
    let (home, tracked) = declared_where(tx, clause);
    let named = rests_on.is_some_and(|rule| {
        let word = match clause {
            Clause::SetValue { name, .. } | Clause::AddToValue { name, .. } => name,
            _ => &table,
        };
        !word.is_empty() && is_of_rule(tx, rule, &home, word.as_str())
    });
    let (thing, before, after) = touched(tx, clause);
    Datum::Record(Arc::new(Record {
        kind: "Change",
        fields: vec![
            ("thing", thing),
            ("before", before),
            ("after", after),
            ("home", Datum::Text(home.as_str().into())),
            ("tracked", Datum::Text(tracked.as_str().into())),
            ("named", Datum::Bool(named)),
            ("kind", Datum::Text(clause.kind().into())),
            ("section", Datum::Text(section.as_str().into())),
            ("rule", Datum::Text(rule.as_str().into())),
            ("table", Datum::Text(table.as_str().into())),
            ("value", Datum::Text(value.into())),
            ("who", who.map_or(Datum::None, Datum::Thing)),
            ("text", Datum::Text(text.into())),
            ("at", Datum::Text(at.into())),
        ],
    }))
}

/// The rule that declares the value or the kind that a change touches, and the table in which the value is tracked.
fn declared_where(tx: &Tx, clause: &Clause) -> (Name, String) {
    let law = tx.frame().law;
    let of_kind = |kind: &Name| {
        let decl = law.entities.get(kind);
        decl.map(|decl| decl.site.rule.clone()).unwrap_or_default()
    };
    match clause {
        Clause::SetValue { thing, name, .. } | Clause::AddToValue { thing, name, .. } => {
            let kind = things::kind_of(tx, thing).unwrap_or_default();
            let decl = law.value(&kind, name.as_str());
            decl.map(|decl| (decl.site.rule.clone(), decl.it.tracked.clone()))
                .unwrap_or_default()
        }
        Clause::CreateThing { kind, .. } => (of_kind(kind), String::new()),
        Clause::RemoveThing { thing } => {
            let kind = things::kind_of(tx, thing).unwrap_or_default();
            (of_kind(&kind), String::new())
        }
        _ => (Name::default(), String::new()),
    }
}

/// What a value is now, where it can be read.
fn value_now(tx: &Tx, thing: &Thing, name: &Name) -> Datum {
    values::attribute(tx, thing, name.as_str()).unwrap_or(Datum::None)
}

/// Whether a rule declares a value or a kind, or names it in its code.
fn is_of_rule(tx: &Tx, rule: &Name, declared_by: &Name, word: &str) -> bool {
    declared_by == rule
        || tx.with_state(|state| {
            let code = state.rules.get(rule).map(code_of).unwrap_or_default();
            code.iter().any(|code| names(code, word))
        })
}

/// Whether a word stands in code, whole.
pub(crate) fn names(code: &str, word: &str) -> bool {
    identifiers(code).any(|other| other == word)
}

/// The words of code, in order.
pub(crate) fn identifiers(code: &str) -> impl Iterator<Item = &str> {
    code.split(|sign: char| !(sign.is_alphanumeric() || sign == '_'))
        .filter(|word| !word.is_empty())
}

fn player(thing: &Thing) -> Option<Thing> {
    matches!(thing, Thing::Player(_)).then(|| thing.clone())
}

#[cfg(test)]
mod tests {
    use quorate_kernel::Value;
    use quorate_kernel::patch::Patch;

    use super::*;
    use crate::tiny_game::{TinyGame, game, new_post};
    use crate::topics::rules;

    const PURSE: &str = "category(\"Bill\")\ngold = number(\"Gold\", of = player, tracked = \"Purse\")\n\n\
        def earn(actor: Player):\n    actor.gold += 1\n\naction(\"earn\", earn)";

    fn record(datum: &Datum) -> &Record {
        match datum {
            Datum::Record(record) => record,
            other => panic!("it is no record: {other:?}"),
        }
    }

    fn text<'r>(record: &'r Record, field: &str) -> &'r str {
        record.text(field).map_or("", |text| text)
    }

    fn claimed(game: &TinyGame, clause: &Clause, rests_on: &str) -> Record {
        let rests_on = Name::from(rests_on);
        record(&game.ask(|tx| of_claim(tx, clause, &rests_on))).clone()
    }

    #[test]
    fn a_change_of_a_value_tells_what_it_was_what_it_becomes_and_who_declares_it() {
        let mut game = game(PURSE);
        game.act("earn", &[]).expect("anybody may");
        let set = claimed(&game, &game.set("gold", 5), "house");
        let told = ["kind", "value", "table", "home", "tracked", "section"];
        let told = told.map(|field| text(&set, field));
        assert_eq!(
            told,
            ["value set", "gold", "Player", "house", "Purse", "rules"]
        );
        let ends = |record: &Record| ["before", "after"].map(|end| record.get(end).cloned());
        assert_eq!(ends(&set), [Some(Datum::Int(1)), Some(Datum::Int(5))]);
        let taken = Clause::AddToValue {
            thing: Thing::Player(game.anna),
            name: "gold".into(),
            amount: -4,
        };
        let taken = claimed(&game, &taken, "house");
        assert_eq!(ends(&taken), [Some(Datum::Int(1)), Some(Datum::Int(-3))]);
    }

    #[test]
    fn a_change_is_named_by_the_rule_that_declares_it_and_by_one_whose_code_says_it() {
        let mut game = game(PURSE);
        let of = |id: &str, code: &str| Clause::AddRule {
            id: id.into(),
            section: "rules".into(),
            parent: None,
            after: None,
            title: id.to_owned(),
            text: format!("1. So.\n\n```starlark\n{code}\n```\n").into(),
            tags: vec![],
        };
        let rich = "def rich(p: Player) -> bool:\n    return p.gold > 9";
        let golden = "def golden(p: Player) -> bool:\n    return p.name == \"gold1\"";
        game.change(vec![of("rich", rich), of("golden", golden)]);
        let named = |rule: &str| claimed(&game, &game.set("gold", 5), rule);
        let named = ["house", "rich", "golden"].map(|rule| named(rule).get("named").cloned());
        assert_eq!(named, [true, true, false].map(|is| Some(Datum::Bool(is))));
    }

    #[test]
    fn changes_inside_a_condition_are_numbered_within_it() {
        let mut game = game(PURSE);
        let prose = || Clause::Prose {
            text: "Be kind.".to_owned(),
        };
        let when = Clause::When {
            test: "True".into(),
            clauses: vec![prose(), game.set("gold", 1)],
        };
        let patch = Patch {
            clauses: vec![prose(), when],
        };
        let post = game.post(new_post("Bill", "Some changes").with_patch(patch));
        let records = game.ask(|tx| of_post(tx, post.expect("anybody may")));
        let places: Vec<&str> = records.iter().map(|it| text(record(it), "at")).collect();
        assert_eq!(places, ["0", "1", "1.0", "1.1"]);
        assert_eq!(describe(record(&records[3])), "value set (gold)");
        assert_eq!(describe(record(&records[0])), "prose");
    }

    #[test]
    fn what_code_did_is_told_as_the_changes_that_do_it_one_by_one() {
        let game = game(PURSE);
        let anna = Thing::Player(game.anna);
        let house = Name::from("house");
        let done = game.ask(|tx| {
            let before = tx.state();
            values::set_attribute(tx, &anna, "gold", Datum::Int(2)).expect("it is a number");
            rules::retitle(tx, &house, "Home").expect("it is there");
            rules::switch(tx, &house, false).expect("it is there");
            done_since(tx, "3", &before)
        });
        let mut told: Vec<String> = done.iter().map(|it| describe(record(it))).collect();
        told.sort();
        let wanted = [
            "rule renamed (house)",
            "rule switched (house)",
            "value set (gold)",
        ];
        assert_eq!(told, wanted);
        let gold = done.iter().map(record);
        let mut gold = gold.filter(|record| text(record, "value") == "gold");
        let gold = gold.next().expect("it was set");
        assert_eq!(text(gold, "at"), "3");
        assert_eq!(gold.get("before"), Some(&Datum::Int(0)), "as it was before");
    }

    #[test]
    fn a_value_that_is_set_to_what_it_was_is_no_change() {
        let game = game(PURSE);
        let cell = |at| {
            Some(Cell {
                value: Value::Int(3),
                at: game.now,
                by: at,
                claimed: false,
            })
        };
        let effect = Effect::Cell {
            key: quorate_kernel::rows::CellKey {
                thing: Thing::Player(game.anna),
                name: "gold".into(),
            },
            old: cell(quorate_kernel::EventSeq(1)),
            new: cell(quorate_kernel::EventSeq(2)),
        };
        assert!(clauses_of(game.judge.state(), &effect).is_empty());
    }
}
