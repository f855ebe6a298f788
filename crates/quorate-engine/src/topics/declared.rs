//! What rule code may know of declared values, as records.

use std::sync::Arc;

use quorate_kernel::Name;
use quorate_law::datum::{Datum, Record};
use quorate_law::declare::ShownTo;
use quorate_law::stop::Site;

use crate::law::Law;
use crate::tx::Tx;

/// The facts of a declaration, which is tracked or derived: two types with the same fields.
macro_rules! facts {
    ($decl:expr, $derived:expr) => {
        ValueFacts {
            site: &$decl.site,
            name: &$decl.it.name,
            title: &$decl.it.title,
            tracked: &$decl.it.tracked,
            shown_to: $decl.it.shown_to,
            derived: $derived,
            tags: &$decl.it.tags,
        }
    };
}

/// The tracked values of a kind, as records.
pub(crate) fn value_records(tx: &Tx, of: &Name, section: Option<&str>) -> Vec<Datum> {
    let law = tx.frame().law;
    let tracked = law.values_of(of).map(|decl| facts!(decl, false));
    let derived = law.derived.values();
    let derived = derived
        .filter(|decl| decl.it.of == *of)
        .map(|decl| facts!(decl, true));
    tracked
        .chain(derived)
        .filter(|facts| {
            section.is_none_or(|section| law.place(&facts.site.rule).section == section)
        })
        .map(|facts| facts.record(&law))
        .collect()
}

/// The tracked values that a function may read, as records.
pub(crate) fn value_records_read_by(tx: &Tx, function: &Name) -> Vec<Datum> {
    let law = tx.frame().law;
    let Some(read) = law.reads.get(function) else {
        return Vec::new();
    };
    let values = law.values.values();
    values
        .filter(|decl| read.contains(&decl.it.name))
        .map(|decl| facts!(decl, false).record(&law))
        .collect()
}

/// What rule code may know of a declared value.
struct ValueFacts<'a> {
    site: &'a Site,
    name: &'a Name,
    title: &'a str,
    tracked: &'a str,
    shown_to: ShownTo,
    derived: bool,
    tags: &'a [Name],
}

impl ValueFacts<'_> {
    fn record(&self, law: &Law) -> Datum {
        let text = |text: &str| Datum::Text(text.into());
        let shown_to = match self.shown_to {
            ShownTo::All => "all",
            ShownTo::Owner => "owner",
            ShownTo::Nobody => "nobody",
        };
        let tags = self.tags.iter().map(|tag| text(tag.as_str())).collect();
        Datum::Record(Arc::new(Record {
            kind: "Value",
            fields: vec![
                ("name", text(self.name.as_str())),
                ("title", text(self.title)),
                ("section", text(law.place(&self.site.rule).section.as_str())),
                ("rule", text(self.site.rule.as_str())),
                ("tracked", text(self.tracked)),
                ("shown_to", text(shown_to)),
                ("derived", Datum::Bool(self.derived)),
                ("tags", Datum::List(tags)),
            ],
        }))
    }
}
