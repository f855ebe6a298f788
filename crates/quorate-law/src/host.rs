//! The library: what rule code can call. Each topic is a file of declarations (Markdown) and one of the code behind them.

pub(crate) mod args;
mod boards;
pub(crate) mod declaring;
pub(crate) mod doings;
pub(crate) mod guards;
mod handles;
mod law;
mod ledgers;
pub(crate) mod operators;
mod people;
mod permits;
pub(crate) mod play;
mod posts;
mod schedule;
mod scripts;
mod text;
mod things;
mod time;
mod values;

use crate::values::callable;

/// Puts the code behind the declarations.
pub(crate) fn install() {
    callable::install(|| {
        [
            values::NATIVES,
            things::NATIVES,
            doings::NATIVES,
            permits::NATIVES,
            handles::NATIVES,
            boards::NATIVES,
            ledgers::NATIVES,
            people::NATIVES,
            play::NATIVES,
            posts::NATIVES,
            law::NATIVES,
            time::NATIVES,
            text::NATIVES,
            operators::NATIVES,
            scripts::NATIVES,
        ]
        .concat()
    });
}

#[cfg(test)]
mod tests {
    use crate::signature::SIGNATURES;
    use crate::values::callable::Callable;

    #[test]
    fn every_declaration_has_its_code() {
        super::install();
        for name in SIGNATURES.keys() {
            assert!(Callable::function(name).is_some(), "{name}");
        }
    }
}
