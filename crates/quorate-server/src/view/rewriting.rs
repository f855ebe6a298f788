//! Actions that rewrite something, and where the present text of it is found.

use quorate_kernel::Name;
use quorate_law::datum::Type;
use quorate_law::declare::{ActionDecl, Holds, ShownTo};

use crate::view::game::GameView;
use crate::view::offers::PROSE;

/// Where the present text is found of what an action is about to rewrite.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Present {
    /// The words of a clause, by the parameters that name its rule and its number.
    Clause { rule: Name, clause: Name },
    /// What a post says, by the parameter that names it.
    Body(Name),
    /// A value of a thing, by the parameter that names the thing.
    Value { of: Name, name: Name },
}

/// The parameter of an action that takes a new text for something, and where the present one is found.
pub(crate) fn rewrites(view: &GameView, decl: &ActionDecl) -> Option<(Name, Present)> {
    let text = decl.params.iter().find(|param| {
        param.ty == Type::Text && param.default.is_none() && PROSE.contains(&param.name.as_str())
    })?;
    let named = |name: &str, ty: &Type| {
        decl.params
            .iter()
            .any(|param| param.name == name && param.ty == *ty)
    };
    let present = decl.params.iter().find_map(|param| {
        let Type::Kind(kind) = &param.ty else {
            return None;
        };
        let of = param.name.clone();
        if *kind == "Rule" {
            return named("clause", &Type::Int).then(|| Present::Clause {
                rule: of,
                clause: "clause".into(),
            });
        }
        if *kind == "Post" || view.law.categories.contains_key(kind) {
            return Some(Present::Body(of));
        }
        let values = view.values_of_kind(kind);
        let value = values.iter().find(|value| {
            let name = value.name().as_str();
            let is_it = name == text.name.as_str() || name.ends_with(&format!("_{}", text.name));
            let holds = view.law.values.get(&(kind.clone(), value.name().clone()));
            is_it
                && value.shown_to() == ShownTo::All
                && holds.is_some_and(|decl| matches!(decl.it.holds, Holds::Text))
        })?;
        let name = value.name().clone();
        Some(Present::Value { of, name })
    });
    Some((text.name.clone(), present?))
}

impl GameView {
    /// Whether an action's form can be asked for the present text of what it rewrites.
    pub(crate) fn shows_present(&self, decl: &ActionDecl) -> bool {
        rewrites(self, decl).is_some()
    }
}
