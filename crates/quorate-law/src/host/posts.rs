//! Posts, comments, icons, and what a post would change.

use crate::values::callable::{Args, Eval, Native, NativeResult};

pub(crate) const NATIVES: &[Native] = &[
    ("icons", |args, _| {
        let by = args.thing_opt(1)?;
        args.answer(args.world()?.icons(&args.thing(0)?, by.as_ref()))
    }),
    ("post", post),
    ("comment", |args, eval| {
        let (under, text) = (args.thing(0)?, args.output(1)?);
        args.answer(args.maker()?.comment(&under, text, &args.site(eval)))
    }),
    ("close", |args, _| {
        let (matter, status, note) = (args.thing(0)?, args.text(1)?, args.text_or(2, "")?);
        args.frame.output(note)?;
        args.answer(args.world()?.close(&matter, status, note))
    }),
    ("edit", edit),
    ("changes", |args, _| {
        args.answer(args.world()?.changes(&args.thing(0)?))
    }),
    ("apply", |args, _| {
        let leave_out = args.some(1).map(|_| args.datum(1)).transpose()?;
        args.answer(
            args.world()?
                .apply(&args.thing(0)?, leave_out.unwrap_or_default()),
        )
    }),
];

fn post<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let (title, body) = (args.text(1)?, args.text_or(2, "")?);
    args.frame.output(title)?;
    args.frame.output(body)?;
    let kind = args.kind(0)?;
    let world = args.maker()?;
    args.answer(world.post(kind.as_str(), title, body, &args.site(eval)))
}

fn edit<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let (body, title) = (args.text_opt(1)?, args.text_opt(2)?);
    for text in body.iter().chain(&title) {
        args.frame.output(text)?;
    }
    args.answer(args.world()?.edit(&args.thing(0)?, title, body))
}
