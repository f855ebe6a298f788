//! The changes that a post carries, as records for rule code.

use std::sync::Arc;

use quorate_kernel::patch::Clause;
use quorate_kernel::{Name, PostId, Thing};
use quorate_law::datum::{Datum, Record};

use super::{posts, things};
use crate::convert;
use crate::reads::ReadKey;
use crate::tx::Tx;

/// The changes of a post, as records; those inside a condition too.
pub(crate) fn of_post(tx: &Tx, post: PostId) -> Vec<Datum> {
    tx.read(ReadKey::Post(post));
    let Some(patch) = posts::patch_of(tx, post) else {
        return Vec::new();
    };
    let mut records = Vec::new();
    collect_changes(tx, &patch.clauses, "", &mut records);
    records
}

fn collect_changes(tx: &Tx, clauses: &[Clause], prefix: &str, out: &mut Vec<Datum>) {
    for (index, clause) in clauses.iter().enumerate() {
        let at = format!("{prefix}{index}");
        out.push(change_record(tx, clause, &at));
        if let Clause::When { clauses, .. } = clause {
            collect_changes(tx, clauses, &format!("{at}."), out);
        }
    }
}

fn change_record(tx: &Tx, clause: &Clause, at: &str) -> Datum {
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
    Datum::Record(Arc::new(Record {
        kind: "Change",
        fields: vec![
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

fn player(thing: &Thing) -> Option<Thing> {
    matches!(thing, Thing::Player(_)).then(|| thing.clone())
}
