//! Changes by hand: a value set with a reason and the rule that it rests on.

use std::sync::Arc;

use axum::response::Response;
use quorate_kernel::command::{Act, typed};
use quorate_kernel::law::LIBRARY;
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::rows::CellKey;
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Name, PlayerId, Thing};
use quorate_law::datum::Datum;
use quorate_law::stop::Stop;

use crate::app::error::AppError;
use crate::app::forms::{SentIn, answer_in};
use crate::app::posted::Posted;
use crate::app::{reply, send};
use crate::site::tracker::history;
use crate::ui::{Choice, Field, FieldKind, Link};
use crate::view::game::GameView;
use crate::view::grid;
use crate::view::people::Part;

/// Whether the law lets somebody change something by hand that rests on a rule: the guards alone, whatever the change.
pub(crate) fn may_claim(look: &GameView, me: PlayerId, rule: &Name) -> Result<(), Option<String>> {
    let rule = Datum::Thing(Thing::Rule(rule.clone()));
    let allowed = look.ask(|tx| {
        tx.trial(tx.frame(), || {
            let args = vec![(Name::from("rule"), rule)];
            tx.may_act("claim", me, args)
        })
    });
    allowed.map_err(|stop| match stop {
        Stop::Refused(refusal) => Some(look.refusal("A change by hand", &refusal).sentence()),
        _ => None,
    })
}

/// The rules that a change can rest on, the one at home chosen.
pub(crate) fn rules_field(look: &GameView, prefix: &str, home: Option<&Name>) -> Field {
    let rules = look.state().rules_in_order().into_iter();
    let rules = rules
        .filter(|(_, rule)| rule.section != LIBRARY)
        .map(|(id, rule)| Choice {
            chosen: home == Some(id),
            ..Choice::new(id.as_str(), look.themed(&rule.title))
        });
    let kind = FieldKind::One(rules.collect());
    Field::new(format!("{prefix}-rule"), "rule", "It rests on", kind)
}

/// The field for the reason.
pub(crate) fn reason_field(prefix: &str) -> Field {
    let kind = FieldKind::Line(String::new());
    Field::new(format!("{prefix}-why"), "why", "Reason", kind)
}

/// `POST /g/{game}/claim`.
pub(crate) async fn take(SentIn { look, form }: SentIn) -> Response {
    let Some(key) = form.one("cell").and_then(grid::cell_of) else {
        let trouble = AppError::Form("The form names no value.".to_owned());
        return answer_in(&look, Err(trouble));
    };
    let back = history::on_tracker(&look, &key);
    match claimed(&look, &key, &form).await {
        Ok(()) => reply::see_with(&back, "The change is made, and stands as claimed."),
        Err(AppError::Refused(refusal)) => {
            let refusal = look.refusal("The change by hand", &refusal);
            let chrome = look.chrome("The law says no", Part::Tracker);
            let way = Link::new("Back to the value", back);
            let why = form.filled("why").map(str::to_owned);
            reply::refused(&look.site, &look.visitor, chrome, refusal, why, way)
        }
        Err(trouble) => answer_in(&look, Err(trouble)),
    }
}

async fn claimed(look: &Arc<GameView>, key: &CellKey, form: &Posted) -> Result<(), AppError> {
    send::player(look)?;
    let (reading, of, sent) = (Arc::clone(look), key.clone(), form.clone());
    let read = tokio::task::spawn_blocking(move || {
        history::sent_value(&reading, &of, sent.all("value"), sent.filled("add"))
    });
    let (value, home) = read.await??;
    let clause = Clause::SetValue {
        thing: key.thing.clone(),
        name: key.name.clone(),
        value,
    };
    by_hand(look, clause, &home, form).await
}

/// Sends a change by hand with the form's rule, or the one at home, and its reason.
pub(crate) async fn by_hand(
    look: &GameView,
    clause: Clause,
    home: &Name,
    form: &Posted,
) -> Result<(), AppError> {
    let patch = Patch {
        clauses: vec![clause],
    };
    let rule = form.filled("rule").map(Name::from);
    let act = Act::Claim {
        patch: Sealed::close(patch, [0; 16]),
        rule: rule.unwrap_or_else(|| home.clone()),
        reason: typed(form.filled("why").unwrap_or_default()),
    };
    send::send(look, form.key(), act).await.map(drop)
}
