//! Changes by hand: a value set with a reason and the rule that it rests on.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use quorate_engine::fields::{self, Typed};
use quorate_engine::offers;
use quorate_kernel::command::{Act, typed};
use quorate_kernel::law::LIBRARY;
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::rows::CellKey;
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Refusal, Value};
use quorate_law::world::World;

use super::tracker::key_of;
use crate::pages::Link;
use crate::parts::{Choice, Field, FieldKind};
use crate::posted::Posted;
use crate::web::forms::{Sent, answer_in};
use crate::web::look::Look;
use crate::web::look::people::Part;
use crate::web::reply;
use crate::web::send;
use crate::web::site::Site;
use crate::web::trouble::Trouble;

/// The field that takes a new value, with the one that stands in it.
pub(crate) fn field_for(look: &Look, key: &CellKey) -> Option<Field> {
    let kind = look.ask(|tx| tx.kind_of(&key.thing)).ok()?;
    let decl = look.law.values.get(&(kind.clone(), key.name.clone()))?;
    let ty = look.ask(|tx| {
        let world: &dyn World = tx;
        world.attribute_type(kind.as_str(), key.name.as_str())
    })?;
    let options = look.ask(|tx| offers::options_of(tx, &decl.site.rule, &ty, &decl.it.holds));
    let field = offers::Field {
        name: "value".into(),
        title: "To".to_owned(),
        ty,
        options,
        default: None,
    };
    let mut field = look.field(&field, "claim");
    let now = look
        .kept(&key.thing, key.name.as_str())
        .cloned()
        .unwrap_or_default();
    filled(look, &mut field.kind, &now);
    Some(field.optional())
}

fn filled(look: &Look, kind: &mut FieldKind, now: &Value) {
    match (kind, now) {
        (FieldKind::Number { value, .. }, Value::Int(n)) => *value = n.to_string(),
        (FieldKind::Line(text) | FieldKind::Moment(text), Value::Text(known)) => {
            known.as_str().clone_into(text);
        }
        (FieldKind::Moment(text), Value::Moment(at)) => *text = at.to_string(),
        (FieldKind::Flag(flag), Value::Flag(now)) => *flag = *now,
        (FieldKind::One(choices) | FieldKind::OneInSight(choices), now) => {
            let (address, label) = (
                match now {
                    Value::Thing(thing) => thing.to_string(),
                    Value::Word(word) => word.to_string(),
                    _ => String::new(),
                },
                look.label(now),
            );
            for choice in choices {
                choice.chosen = choice.value == address || choice.title == label;
            }
        }
        _ => {}
    }
}

/// The choice of the rule that a change rests on; the one that declares the value comes first.
pub(crate) fn rules_field(look: &Look, key: &CellKey) -> Field {
    let kind = look.ask(|tx| tx.kind_of(&key.thing)).unwrap_or_default();
    let home = look
        .law
        .values
        .get(&(kind, key.name.clone()))
        .map(|decl| &decl.site.rule);
    let rules = look.state().rules_in_order();
    let rules = rules
        .into_iter()
        .filter(|(_, rule)| rule.section != LIBRARY);
    let choices = rules.map(|(id, rule)| Choice {
        chosen: Some(id) == home,
        ..Choice::new(id.as_str(), look.themed(&rule.title))
    });
    Field::new(
        "claim-rule",
        "rule",
        "By which rule",
        FieldKind::One(choices.collect()),
    )
}

/// `POST /g/{game}/claim`.
pub(crate) async fn take(
    State(site): State<Arc<Site>>,
    Path(game): Path<String>,
    sent: Sent,
) -> Response {
    let look = match Look::at(&site, &sent.visitor, &game).await {
        Ok(look) => Arc::new(look),
        Err(trouble) => return reply::failed(&site, &sent.visitor, None, trouble),
    };
    let form = &sent.form;
    let written = format!(
        "{}.{}",
        form.one("thing").unwrap_or_default(),
        form.one("name").unwrap_or_default()
    );
    let Some(key) = key_of(&written) else {
        return answer_in(&look, Err(Trouble::NotFound));
    };
    let result = claimed(&look, &key, form).await;
    let back = look.cell_href(&key);
    match result {
        Ok(()) => reply::see_with(&back, "The change is recorded as claimed."),
        Err(Trouble::Refused(refusal)) => {
            let refusal = look.refusal("This change", &refusal);
            let chrome = look.chrome("The law says no", Part::Tracker);
            let way = Link::new("Back to the value", back);
            reply::refused(&site, &sent.visitor, chrome, refusal, None, way)
        }
        Err(trouble) => answer_in(&look, Err(trouble)),
    }
}

async fn claimed(look: &Arc<Look>, key: &CellKey, form: &Posted) -> Result<(), Trouble> {
    send::player(look)?;
    let (reading, of, values) = (Arc::clone(look), key.clone(), form.all("value").to_vec());
    let value = tokio::task::spawn_blocking(move || read(&reading, &of, &values)).await??;
    let clause = Clause::SetValue {
        thing: key.thing.clone(),
        name: key.name.clone(),
        value,
    };
    let patch = Patch {
        clauses: vec![clause],
    };
    let act = Act::Claim {
        patch: Sealed::close(patch, [0; 16]),
        rule: form.one("rule").unwrap_or_default().into(),
        reason: typed(form.one("reason").unwrap_or_default()),
    };
    send::send(look, form.key(), act).await?;
    Ok(())
}

fn read(look: &Look, key: &CellKey, values: &[String]) -> Result<Value, Refusal> {
    look.ask(|tx| {
        let kind = tx
            .kind_of(&key.thing)
            .map_err(|_| Refusal::plain("a thing that exists"))?;
        let world: &dyn World = tx;
        let ty = world.attribute_type(kind.as_str(), key.name.as_str());
        let ty = ty.ok_or_else(|| Refusal::plain(format!("a value called {}", key.name)))?;
        let typed = match values {
            [] => Typed::None,
            [one] => Typed::Text(one.clone()),
            many => Typed::List(many.iter().map(|one| Typed::Text(one.clone())).collect()),
        };
        let datum = fields::read(tx, key.name.as_str(), &ty, &typed)?;
        Ok(fields::as_typed(&ty, &datum))
    })
}
