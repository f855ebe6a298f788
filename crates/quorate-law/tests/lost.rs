//! Names that no awake rule provides: lost where they are reached, and nowhere else.

mod common;

use common::{Game, clause};
use quorate_kernel::Thing;
use quorate_law::datum::Datum;
use quorate_law::stop::Stop;
use quorate_law::{Budget, Compiled, LeanFate, Limits, RuleSource, compile};

const EDITION: u16 = 2;

/// A text that was repealed.
fn gone(id: &str, code: &str) -> RuleSource {
    RuleSource {
        since: u64::MAX,
        left: Some("which was repealed on 3 May 2031".into()),
        ..clause(id, code)
    }
}

fn awake(sources: &[RuleSource]) -> Compiled {
    let law = compile(sources, EDITION);
    assert!(law.asleep.is_empty(), "{:?}", law.asleep);
    law
}

/// What a function gives, or why it breaks.
fn call(law: &Compiled, function: &str) -> Result<Datum, String> {
    let game = Game::of(1);
    let args = match law
        .code
        .signature(function)
        .expect("it is there")
        .params
        .len()
    {
        0 => Vec::new(),
        _ => vec![Datum::Thing(Thing::Game)],
    };
    let budget = Budget::new(Limits::WHOLE);
    let answer = law
        .code
        .call(&game.world(), function, args, Vec::new(), &budget);
    answer.map_err(|stop| match stop {
        Stop::Broken(fault) => format!(
            "{}, clause {}: {}",
            fault.site.rule, fault.site.clause, fault.text
        ),
        other => format!("{other:?}"),
    })
}

fn leans(law: &Compiled) -> Vec<(&str, &str, bool)> {
    let leans = law.leans.iter();
    leans
        .map(|lean| (lean.site.rule.as_str(), lean.name.as_str(), lean.breaks()))
        .collect()
}

#[test]
fn a_function_of_a_repealed_rule_breaks_who_calls_it_and_nobody_else() {
    let law = awake(&[
        clause(
            "combat",
            "def fight() -> int:\n    strike(game)\n    return 1\n\ndef rest() -> int:\n    return 2\n\naction(\"rest\", rest_now)\n\ndef rest_now(actor: Player):\n    pass",
        ),
        clause(
            "war",
            "def march() -> int:\n    return rest() + 1\n\ndef battle() -> int:\n    return fight()",
        ),
        gone(
            "blindness",
            "def strike(g: Game):\n    g.blows = 1\n\nblows = number(\"Blows\", of = game)",
        ),
    ]);
    assert_eq!(
        call(&law, "fight"),
        Err(
            "combat, clause 1: it asks for `strike` of blindness, which was repealed on 3 May 2031"
                .to_owned()
        )
    );
    assert!(call(&law, "battle").is_err_and(|why| why.starts_with("combat, clause 1")));
    assert_eq!(call(&law, "march"), Ok(Datum::Int(3)));
    assert_eq!(
        law.declarations.len(),
        1,
        "what the fence declares stays declared"
    );
    assert_eq!(leans(&law), [("combat", "strike", true)]);
    let breaking: Vec<&str> = law
        .breaking
        .iter()
        .map(quorate_kernel::Name::as_str)
        .collect();
    assert_eq!(breaking, ["battle", "fight", "strike"]);
}

#[test]
fn what_only_says_something_lives_on() {
    let law = awake(&[
        clause(
            "shop",
            "def price() -> int:\n    return fee(2) + len(Ware.all()) + LEAST\n\ndef first(w: Ware | None) -> int:\n    return 1",
        ),
        gone(
            "market",
            "entity(\"Ware\")\nLEAST = 3\nMOST = [n * LEAST for n in [1, 2]]\n\ndef fee(n: int) -> int:\n    return n * MOST[1]",
        ),
    ]);
    assert_eq!(call(&law, "price"), Ok(Datum::Int(15)));
    assert!(
        leans(&law)
            .iter()
            .all(|(rule, _, breaks)| *rule == "shop" && !breaks),
        "{:?}",
        law.leans
    );
    assert!(
        law.declarations.is_empty(),
        "no kind is there of which there could be things"
    );
}

#[test]
fn whoever_draws_refuses_or_writes_does_not_live_on() {
    for does in [
        "return roll(6, \"luck\")",
        "refuse(\"no\")\n    return 1",
        "g.hp = 2\n    return 1",
        "return deeper(g)",
    ] {
        let law = awake(&[
            clause("asks", "def ask_it(g: Game) -> int:\n    return luck(g)"),
            gone(
                "luck",
                &format!(
                    "hp = number(\"HP\", of = game)\n\ndef deeper(g: Game) -> int:\n    return roll(6, \"d\")\n\ndef luck(g: Game) -> int:\n    {does}"
                ),
            ),
        ]);
        let why = call(&law, "ask_it").expect_err(does);
        assert_eq!(
            why, "asks, clause 1: it asks for `luck` of luck, which was repealed on 3 May 2031",
            "{does}"
        );
    }
}

#[test]
fn a_lost_value_is_known_to_the_checker_and_told_of() {
    let law = awake(&[
        clause(
            "asks",
            "def hurt(g: Game) -> bool:\n    return g.hp < 3\n\nchanged(hp, tell, of = game)\n\ndef tell(g: Game, old: int, new: int):\n    pass",
        ),
        gone("health", "hp = number(\"HP\", of = game)"),
    ]);
    assert!(
        leans(&law).contains(&("asks", "hp", true)),
        "{:?}",
        law.leans
    );
    let words = &law.lost_values["hp"];
    assert_eq!(
        words,
        "it asks for `hp` of health, which was repealed on 3 May 2031"
    );
    let told = law.warnings.iter().any(|warning| warning.text == *words);
    assert!(told, "{:?}", law.warnings);
    // A value that nobody ever had is a mistake.
    let law = compile(
        &[
            clause("asks", "def hurt(g: Game) -> bool:\n    return g.hpp < 3"),
            gone("health", "hp = number(\"HP\", of = game)"),
        ],
        EDITION,
    );
    assert_eq!(law.asleep.len(), 1);
}

#[test]
fn what_comes_back_wakes_what_leaned_on_it() {
    let asks = clause("asks", "def price() -> int:\n    return fee()");
    let old = gone("fees", "def fee() -> int:\n    return roll(6, \"fee\")");
    assert!(call(&awake(&[asks.clone(), old.clone()]), "price").is_err());
    let other = clause("new-fees", "def fee() -> int:\n    return 4");
    let law = awake(&[asks, other, old]);
    assert_eq!(call(&law, "price"), Ok(Datum::Int(4)));
    assert_eq!(leans(&law), []);
}

#[test]
fn names_that_nobody_had_are_mistakes_and_their_fence_alone_sleeps() {
    let law = compile(
        &[
            clause("rows", "def first() -> str:\n    return spelt(\"x\")"),
            clause(
                "reads",
                "def second() -> str:\n    return first()\n\ndef third() -> int:\n    return 3",
            ),
        ],
        EDITION,
    );
    let asleep: Vec<&str> = law
        .asleep
        .iter()
        .map(|asleep| asleep.rule.as_str())
        .collect();
    assert_eq!(asleep, ["rows"]);
    assert_eq!(
        call(&law, "second"),
        Err("reads, clause 1: it asks for `first` of rows, whose code sleeps".to_owned())
    );
    assert_eq!(call(&law, "third"), Ok(Datum::Int(3)));
}

#[test]
fn what_stands_on_one_line_with_a_definition_does_not_live_on() {
    let sources = [
        clause("asks", "def most() -> int:\n    return MOST"),
        gone(
            "rows",
            "def row_out(actor: Player):\n    pass\n\nMOST = 4; action(\"row-out\", row_out)",
        ),
    ];
    let law = compile(&sources, EDITION);
    assert!(law.declarations.is_empty(), "{:?}", law.declarations);
}

#[test]
fn a_value_that_is_read_with_something_to_take_instead_is_no_break() {
    let law = awake(&[
        clause(
            "asks",
            "def rest(g: Game) -> int:\n    return g.hp or 3\n\ndef both(g: Game) -> int:\n    return (g.hp or 3) + g.hp",
        ),
        gone("health", "hp = number(\"HP\", of = game)"),
    ]);
    let fates: Vec<LeanFate> = law.leans.iter().map(|lean| lean.fate).collect();
    assert_eq!(fates, [LeanFate::FallsBack, LeanFate::Breaks]);
    let breaking: Vec<&str> = law
        .breaking
        .iter()
        .map(quorate_kernel::Name::as_str)
        .collect();
    assert_eq!(breaking, ["both"]);
}
