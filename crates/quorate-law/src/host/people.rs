//! People: who plays, who is on the roster, and what is said to them.

use crate::values::callable::{Args, Eval, Native, NativeResult};

pub(crate) const NATIVES: &[Native] = &[
    ("players", |args, eval| {
        args.answer(args.world()?.players(&args.site(eval)))
    }),
    ("everyone", |args, _| args.answer(args.world()?.everyone())),
    ("applicants", |args, _| {
        args.answer(args.world()?.applicants())
    }),
    ("counts", counts),
    ("acting", |args, _| args.answer(args.world()?.acting())),
    ("admit", |args, _| {
        args.answer(args.world()?.admit(&args.thing(0)?))
    }),
    ("depart", |args, _| {
        let world = args.world()?;
        args.answer(world.depart(&args.thing(0)?, args.flag_or(1, false)?))
    }),
    ("chronicle", chronicle),
    ("rename_player", |args, _| {
        let (player, name) = (args.thing(0)?, args.output(1)?);
        args.answer(args.world()?.rename_player(&player, name))
    }),
    ("message", |args, _| {
        let (to, text) = (args.thing(0)?, args.output(1)?);
        args.answer(args.maker()?.message(&to, text))
    }),
];

fn counts<'v>(args: &Args<'v, '_>, eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    match args.thing_opt(0)? {
        Some(player) => args.answer(args.world()?.counts(&player, &args.site(eval))),
        None => args.give(false),
    }
}

fn chronicle<'v>(args: &Args<'v, '_>, _eval: &mut Eval<'v, '_, '_>) -> NativeResult<'v> {
    let leader = args.thing_opt(0)?;
    let theme = args.text_or(1, "")?;
    let begins = args.flag_or(2, false)?;
    args.frame.output(theme)?;
    args.answer(args.world()?.chronicle(leader.as_ref(), theme, begins))
}
