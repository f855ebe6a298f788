//! The library's signatures and types, read: `roll(sides: int, what: str) -> int`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::datum::Type;
use crate::interface::{self, LibraryEntry, RECORDS};

/// What only the host calls: guards that the rewriting puts in, what stands for lost names, and what stands
/// behind a script's host.
const INTERNAL: [&str; 7] = [
    "Host.call(*args: Any, **named: Any) -> Any",
    "Object.call(*args: Any, **named: Any) -> Any",
    "__held(of: Any, name: str) -> Any",
    "__iadd(a: Any, b: Any) -> Any",
    "__lost(why: str) -> Any",
    "__lost_board(name: str) -> Any",
    "__lost_value(name: str) -> Any",
];

/// The signatures of all natives, by name; methods as `Ledger.clear`.
pub(crate) static SIGNATURES: LazyLock<BTreeMap<String, NativeSignature>> = LazyLock::new(|| {
    let declared = interface::functions().map(|entry| entry.signature);
    let all = declared.chain(INTERNAL).map(NativeSignature::parse);
    all.map(|signature| (signature.name.clone(), signature))
        .collect()
});

/// The type of an attribute.
pub(crate) fn attribute_type(attribute: &LibraryEntry) -> Type {
    Parameter::parse(attribute.signature).ty
}

/// A native's name, parameters and result.
#[derive(Clone, Debug)]
pub(crate) struct NativeSignature {
    pub(crate) name: String,
    pub(crate) positional: Vec<Parameter>,
    pub(crate) args: Option<Parameter>,
    pub(crate) named: Vec<Parameter>,
    pub(crate) kwargs: Option<Parameter>,
    pub(crate) gives: Type,
}

#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) required: bool,
}

impl NativeSignature {
    /// Reads a signature. `?` after a parameter's type means that it may be left out, `*` that the rest is by name.
    ///
    /// The text is one of our own declarations, each of which a test reads.
    pub(crate) fn parse(text: &str) -> Self {
        let (head, rest) = text.split_once('(').expect("a signature has a parenthesis");
        let (params, after) = rest.split_once(')').expect("and closes it");
        let gives = after
            .trim()
            .strip_prefix("->")
            .map_or(Type::None, |ty| type_of(ty.trim()));
        let mut signature = Self {
            name: head.to_owned(),
            positional: Vec::new(),
            args: None,
            named: Vec::new(),
            kwargs: None,
            gives,
        };
        let mut by_name = false;
        for part in split_commas(params) {
            if part == "*" {
                by_name = true;
            } else if let Some(part) = part.strip_prefix("**") {
                signature.kwargs = Some(Parameter::parse(part));
            } else if let Some(part) = part.strip_prefix('*') {
                signature.args = Some(Parameter::parse(part));
                by_name = true;
            } else if by_name {
                signature.named.push(Parameter::parse(part));
            } else {
                signature.positional.push(Parameter::parse(part));
            }
        }
        signature
    }

    /// The name of a parameter by its slot.
    pub(crate) fn parameter(&self, index: usize) -> &str {
        let all = self
            .positional
            .iter()
            .chain(&self.args)
            .chain(&self.named)
            .chain(&self.kwargs);
        all.map(|param| param.name.as_str())
            .nth(index)
            .unwrap_or("")
    }
}

impl Parameter {
    fn parse(text: &str) -> Self {
        let (name, ty) = text.split_once(':').unwrap_or((text, "Any"));
        let ty = ty.trim();
        let (ty, required) = match ty.strip_suffix(" = ?") {
            Some(ty) => (ty, false),
            None => (ty, true),
        };
        Self {
            name: name.trim().to_owned(),
            ty: type_of(ty),
            required,
        }
    }
}

fn split_commas(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// A kind of facts or things.
pub(crate) fn named_type(name: &str) -> Type {
    match RECORDS.iter().find(|kind| **kind == name) {
        Some(kind) => Type::Record(kind),
        None => Type::Kind(name.into()),
    }
}

/// A type as declarations write it: `int`, `Player | None`, `list[K]`. `K` is the kind that a method is called on.
pub(crate) fn type_of(text: &str) -> Type {
    if let Some(inner) = text.strip_suffix(" | None") {
        return Type::Optional(Box::new(type_of(inner)));
    }
    if let Some(inner) = text.strip_prefix("list[").and_then(|t| t.strip_suffix(']')) {
        return Type::List(Box::new(type_of(inner)));
    }
    if let Some(inner) = text.strip_prefix("dict[").and_then(|t| t.strip_suffix(']')) {
        let (key, value) = inner.split_once(',').expect("a dict has a key and a value");
        let value = Box::new(type_of(value.trim()));
        return Type::Dict(Box::new(type_of(key.trim())), value);
    }
    match text {
        "Any" => Type::Any,
        "None" => Type::None,
        "bool" => Type::Bool,
        "int" => Type::Int,
        "str" => Type::Text,
        "Moment" => Type::Moment,
        "Span" => Type::Span,
        "Square" => Type::Square,
        "Picture" => Type::Picture,
        "Ledger" => Type::Ledger,
        "Callable" => Type::Function,
        "list" => Type::List(Box::new(Type::Any)),
        other => named_type(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_says_what_may_be_left_out_and_what_goes_by_name() {
        let it = NativeSignature::parse(
            "ask(decision: str, to: Player, options: list[Any] = ?, *, within: Span = ?, **context: Any) -> int | None",
        );
        assert_eq!(it.name, "ask");
        assert_eq!(it.positional.len(), 3);
        assert!(!it.positional[2].required);
        assert_eq!(it.named[0].name, "within");
        assert_eq!(it.parameter(4), "context");
        assert_eq!(it.gives, Type::Optional(Box::new(Type::Int)));
    }
}
