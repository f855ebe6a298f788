//! The law, read and changed by rules.

use quorate_kernel::{Name, Thing};
use starlark::eval::Evaluator;
use starlark::values::Value;
use starlark::values::list::AllocList;

use crate::host::bodies::things;
use crate::values::callable::{Args, Native};

type Result<'v> = starlark::Result<Value<'v>>;
type Eval<'v, 'a, 'e> = Evaluator<'v, 'a, 'e>;

#[rustfmt::skip]
pub(crate) fn natives() -> Vec<Native> {
    vec![
        Native { signature: "rules(section: str = ?, tags: list[str] = ?) -> list[Rule]", run: rules, doc: "Rules in law order." },
        Native { signature: "repeal(rule: Any)", run: repeal, doc: "Takes a rule and what is under it out of the law." },
        Native { signature: "switch(rule: Any, on: bool)", run: switch, doc: "Switches a rule on or off." },
        Native { signature: "rename(term: str, word: str, many: str = ?)", run: rename, doc: "Gives a term another word." },
        Native { signature: "word(term: str) -> str", run: word, doc: "The present word for a term." },
        Native { signature: "retitle(rule: Any, title: str)", run: retitle, doc: "Gives a rule another title." },
        Native { signature: "source(rule: Any) -> str", run: source, doc: "The whole text of a rule, prose and code." },
        Native { signature: "prose(rule: Any, clause: int) -> str", run: prose, doc: "The words of a clause." },
        Native { signature: "sentences(rule: Any, clause: int) -> list[str]", run: sentences, doc: "The sentences of a clause." },
        Native { signature: "amend(rule: Any, clause: int, text: str)", run: amend, doc: "Changes the words of a clause, never code." },
    ]
}

/// A rule, or its code name in quotes.
fn rule_of(args: &Args<'_, '_>, index: usize) -> starlark::Result<Thing> {
    match args.value(index).unpack_str() {
        Some(id) => Ok(Thing::Rule(Name::from(id))),
        None => args.thing(index),
    }
}

fn rules<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let section = args.some(0).map(|_| args.text(0)).transpose()?;
    let found = args.world()?.rules(section, args.names(1)?);
    Ok(things(args, args.frame.answer(found)?))
}

fn repeal<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let answer = args.world()?.repeal(&rule_of(args, 0)?);
    args.frame.answer(answer)?;
    Ok(Value::new_none())
}

fn switch<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let answer = args
        .world()?
        .switch(&rule_of(args, 0)?, args.flag_or(1, true)?);
    args.frame.answer(answer)?;
    Ok(Value::new_none())
}

fn rename<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let (term, one, many) = (args.text(0)?, args.text(1)?, args.text_or(2, "")?);
    args.frame.output(one)?;
    args.frame.output(many)?;
    args.frame.answer(args.world()?.rename(term, one, many))?;
    Ok(Value::new_none())
}

fn word<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let answer = args.world()?.word(args.text(0)?);
    Ok(args.heap.alloc(args.frame.answer(answer)?))
}

fn retitle<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let (rule, title) = (rule_of(args, 0)?, args.text(1)?);
    args.frame.output(title)?;
    args.frame.answer(args.world()?.retitle(&rule, title))?;
    Ok(Value::new_none())
}

fn source<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let answer = args.world()?.source(&rule_of(args, 0)?);
    Ok(args.heap.alloc(args.frame.answer(answer)?))
}

fn words(args: &Args<'_, '_>) -> starlark::Result<String> {
    let answer = args.world()?.prose(&rule_of(args, 0)?, args.int(1)?);
    args.frame.answer(answer)
}

fn prose<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    Ok(args.heap.alloc(words(args)?))
}

fn sentences<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    Ok(args.heap.alloc(AllocList(sentences_of(&words(args)?))))
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

fn amend<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let (rule, clause, text) = (rule_of(args, 0)?, args.int(1)?, args.text(2)?);
    args.frame.output(text)?;
    args.frame
        .answer(args.world()?.amend(&rule, clause, text))?;
    Ok(Value::new_none())
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
