//! Changes by hand: whether the reader may record one, and the fields for it.

use quorate_kernel::law::LIBRARY;
use quorate_kernel::{EventSeq, Name, PlayerId, Thing};
use quorate_law::datum::Datum;
use quorate_law::stop::Stop;

use crate::ui::{Choice, Field, FieldKind};
use crate::view::game::GameView;

/// Whether the law lets somebody change something by hand that rests on a rule: the guards alone, whatever the change.
pub(crate) fn may_claim(view: &GameView, me: PlayerId, rule: &Name) -> Result<(), Option<String>> {
    let rule = Datum::Thing(Thing::Rule(rule.clone()));
    let args = vec![(Name::from("rule"), rule)];
    let allowed = view.ask(|asked| asked.may_do("claim", me, args));
    allowed.map_err(|stop| match stop {
        Stop::Refused(refusal) => Some(view.refusal("A change by hand", &refusal).sentence()),
        _ => None,
    })
}

impl GameView {
    /// The values that stand as a change by hand left them, as far as the reader may see them: "Ben Apples, Recipe of the week".
    pub(crate) fn claimed_values(&self, claim: EventSeq) -> String {
        let cells = self.state().cells.iter();
        let held = cells.filter(|(key, cell)| cell.by == claim && self.sight().shown(key));
        let named = held.map(|(key, _)| format!("{} {}", self.whose(key), self.value_title(key)));
        let named: Vec<String> = named.map(|name| name.trim_start().to_owned()).collect();
        named.join(", ")
    }
}

/// The rules that a change can rest on, the one at home chosen.
pub(crate) fn rules_field(view: &GameView, prefix: &str, home: Option<&Name>) -> Field {
    let rules = view.state().rules_in_order().into_iter();
    let rules = rules
        .filter(|(_, rule)| rule.section != LIBRARY)
        .map(|(id, rule)| Choice {
            chosen: home == Some(id),
            ..Choice::new(id.as_str(), view.themed(&rule.title))
        });
    let kind = FieldKind::One(rules.collect());
    Field::new(format!("{prefix}-rule"), "rule", "It rests on", kind)
}

/// The field for the reason.
pub(crate) fn reason_field(prefix: &str) -> Field {
    let kind = FieldKind::Line(String::new());
    Field::new(format!("{prefix}-why"), "why", "Reason", kind)
}
