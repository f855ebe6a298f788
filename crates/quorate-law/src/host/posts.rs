//! Posts, comments, icons, and what a proposal carries.

use starlark::eval::Evaluator;
use starlark::values::Value;

use crate::datum::Datum;
use crate::values::callable::{Args, Native};
use crate::values::convert::to_value;
use crate::values::thing::ThingValue;

type Result<'v> = starlark::Result<Value<'v>>;
type Eval<'v, 'a, 'e> = Evaluator<'v, 'a, 'e>;

#[rustfmt::skip]
pub(crate) fn natives() -> Vec<Native> {
    vec![
        Native { signature: "icons(post: Post, by: Player | None = ?) -> list[Icon]", run: icons, doc: "The icons under a post, oldest first." },
        Native { signature: "post(kind: Any, title: str, body: str = ?) -> Post", run: post, doc: "A post by the rule." },
        Native { signature: "comment(post: Post, text: str)", run: comment, doc: "A comment by the rule." },
        Native { signature: "close(post: Post, status: str, note: str = ?)", run: close, doc: "Closes a matter; later icons are void." },
        Native { signature: "edit(post: Post, body: str | None = ?, title: str | None = ?)", run: edit, doc: "Edits a post's text; its history is kept." },
        Native { signature: "changes(post: Post) -> list[Change]", run: changes, doc: "What a post would change." },
        Native { signature: "apply(post: Post, leave_out: list[Change] = ?)", run: apply, doc: "Enacts what a post carries." },
    ]
}

fn icons<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let by = args.thing_opt(1)?;
    let found = args.world()?.icons(&args.thing(0)?, by.as_ref());
    let found = Datum::List(args.frame.answer(found)?.into());
    to_value(&args.frame, args.heap, &found)
}

fn post<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let (title, body) = (args.text(1)?, args.text_or(2, "")?);
    args.frame.output(title)?;
    args.frame.output(body)?;
    let kind = args.kind(0)?;
    let made = args
        .world()?
        .post(kind.as_str(), title, body, &args.site(eval));
    Ok(args.heap.alloc(ThingValue(args.frame.answer(made)?)))
}

fn comment<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let (under, text) = (args.thing(0)?, args.text(1)?);
    args.frame.output(text)?;
    args.frame
        .answer(args.world()?.comment(&under, text, &args.site(eval)))?;
    Ok(Value::new_none())
}

fn close<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let (matter, status, note) = (args.thing(0)?, args.text(1)?, args.text_or(2, "")?);
    args.frame.output(note)?;
    args.frame
        .answer(args.world()?.close(&matter, status, note))?;
    Ok(Value::new_none())
}

fn changes<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let found = args.world()?.changes(&args.thing(0)?);
    let found = Datum::List(args.frame.answer(found)?.into());
    to_value(&args.frame, args.heap, &found)
}

fn apply<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let answer = args.world()?.apply(&args.thing(0)?, args.data(1)?);
    args.frame.answer(answer)?;
    Ok(Value::new_none())
}

fn edit<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> Result<'v> {
    let text = |index| args.some(index).map(|_| args.text(index)).transpose();
    let (body, title) = (text(1)?, text(2)?);
    for text in body.iter().chain(&title) {
        args.frame.output(text)?;
    }
    args.frame
        .answer(args.world()?.edit(&args.thing(0)?, title, body))?;
    Ok(Value::new_none())
}
