//! What rules of today miss: names that went with other rules, and code that sleeps. Each with the way to mend it.

use std::collections::BTreeMap;

use quorate_kernel::Name;
use quorate_law::{Lean, asked_together};

use crate::ui::urls::{self, Href};
use crate::ui::{Cite, Icon, NeedsLine, plural};
use crate::view::game::GameView;

/// A clause that misses something.
#[derive(Clone, Debug)]
pub struct MissingLine {
    /// The clause.
    pub cite: Option<Cite>,
    /// "asks for `blinded` of Blindness, which was repealed on 3 May 2031".
    pub text: String,
    /// The form of a proposal with the rule's text, for those who may propose.
    pub mend: Option<Href>,
}

/// Where the list stands on the page of a dynasty.
pub(crate) const MISSING: &str = "missing";

impl GameView {
    /// The clauses that break where they come to a lost name, and those whose code sleeps.
    pub(crate) fn missing(&self) -> Vec<MissingLine> {
        let mut clauses: BTreeMap<(&Name, u32), Vec<String>> = BTreeMap::new();
        for lean in self.law.leans.iter().filter(|lean| lean.breaks()) {
            let site = (&lean.site.rule, lean.site.clause);
            clauses
                .entry(site)
                .or_insert_with(|| self.missed_by(site.0, site.1));
        }
        for asleep in &self.law.asleep {
            let first = asleep.diagnostics.first();
            let why = first.map_or("it does not check", |finding| finding.text.as_str());
            let told = clauses.entry((&asleep.rule, asleep.clause)).or_default();
            told.push(format!("its code sleeps: {why}"));
        }
        let order = self.state().rules_in_order().into_iter();
        let order: BTreeMap<&Name, usize> = order.map(|(id, _)| id).zip(0..).collect();
        let mut lines: Vec<_> = clauses.into_iter().collect();
        lines.sort_by_key(|((rule, clause), _)| (order.get(rule).copied(), *clause));
        let line = |((rule, clause), told): ((&Name, u32), Vec<String>)| MissingLine {
            cite: self.cite(rule, clause),
            text: told.join("; "),
            mend: self.mending(rule, clause),
        };
        lines.into_iter().map(line).collect()
    }

    /// What a clause breaks of where it comes to it: names that its code asks for and nobody has any more.
    pub(crate) fn missed_by(&self, rule: &Name, clause: u32) -> Vec<String> {
        let own = |lean: &&Lean| lean.site.rule == *rule && lean.site.clause == clause;
        let leans = self.law.leans.iter().filter(own);
        asked_together(leans.filter(|lean| lean.breaks()), &|title| {
            self.themed(title)
        })
    }

    /// The form of a proposal that begins with a rule's text, one of its clauses unfolded, for those who may propose.
    pub(crate) fn mending(&self, rule: &Name, clause: u32) -> Option<Href> {
        let category = self.law.amending_category()?.as_str();
        let game = self.game.as_str();
        let form = Href::from(urls::ComposeIn { game, category }).with("rule", rule.as_str());
        let form = match clause {
            0 => form,
            clause => form.with("clause", &clause.to_string()),
        };
        self.is_member().then_some(form)
    }
}

/// That some clauses miss something, for who leads.
pub(crate) fn needs_line(view: &GameView) -> Option<NeedsLine> {
    let leads = view.me.is_some() && view.me == view.leader();
    let count = if leads { view.missing().len() } else { 0 };
    let (number, _) = view.state().dynasties.iter().next_back()?;
    let page = Href::from(urls::Dynasty {
        game: view.game.as_str(),
        dynasty: &number.to_string(),
    });
    (count > 0).then(|| NeedsLine {
        icon: Icon::Sleep,
        title: plural(count, "clause misses something", "clauses miss something"),
        href: page.at(MISSING),
        after: String::new(),
        note: "that went with another rule".to_owned(),
        due: None,
    })
}
