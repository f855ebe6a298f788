//! The law, read and changed by rules.

use quorate_kernel::{Name, Thing};

use crate::values::callable::{Args, Native};

pub(crate) const NATIVES: &[Native] = &[
    ("rules", |args, _| {
        let section = args.text_opt(0)?;
        args.answer(args.world()?.rules(section, args.names(1)?))
    }),
    ("repeal", |args, _| {
        args.answer(args.world()?.repeal(&rule_of(args)?))
    }),
    ("switch", |args, _| {
        let world = args.world()?;
        args.answer(world.switch(&rule_of(args)?, args.flag_or(1, true)?))
    }),
    ("rename", |args, _| {
        let (term, one, many) = (args.text(0)?, args.text(1)?, args.text_or(2, "")?);
        args.frame.output(one)?;
        args.frame.output(many)?;
        args.answer(args.world()?.rename(term, one, many))
    }),
    ("word", |args, _| {
        args.answer(args.world()?.word(args.text(0)?))
    }),
    ("retitle", |args, _| {
        let (rule, title) = (rule_of(args)?, args.output(1)?);
        args.answer(args.world()?.retitle(&rule, title))
    }),
    ("source", |args, _| {
        args.answer(args.world()?.source(&rule_of(args)?))
    }),
    ("prose", |args, _| args.give(words(args)?)),
    ("sentences", |args, _| {
        args.give(sentences_of(&words(args)?))
    }),
    ("amend", |args, _| {
        let (rule, clause, text) = (rule_of(args)?, args.int(1)?, args.output(2)?);
        args.answer(args.world()?.amend(&rule, clause, text))
    }),
];

/// A rule, or its code name in quotes.
fn rule_of(args: &Args<'_, '_>) -> starlark::Result<Thing> {
    match args.value(0).unpack_str() {
        Some(id) => Ok(Thing::Rule(Name::from(id))),
        None => args.thing(0),
    }
}

fn words(args: &Args<'_, '_>) -> starlark::Result<String> {
    let answer = args.world()?.prose(&rule_of(args)?, args.int(1)?);
    args.frame.answer(answer)
}

/// The sentences of a text: each ends with a full stop, exclamation or question mark before a blank or the end.
fn sentences_of(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut sentence = String::new();
    for word in text.split_whitespace() {
        if !sentence.is_empty() {
            sentence.push(' ');
        }
        sentence.push_str(word);
        let bare = word.trim_end_matches(['"', '\'', ')', '*', '_', '”', '’']);
        if bare.ends_with(['.', '!', '?']) {
            found.push(std::mem::take(&mut sentence));
        }
    }
    if !sentence.is_empty() {
        found.push(sentence);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::sentences_of;

    #[test]
    fn sentences_end_with_their_mark() {
        assert_eq!(
            sentences_of("No rule is added\nwithout a lemur. Is it? (It is.)  So be"),
            [
                "No rule is added without a lemur.",
                "Is it?",
                "(It is.)",
                "So be"
            ]
        );
    }
}
