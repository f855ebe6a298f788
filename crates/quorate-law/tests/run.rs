//! Rule code runs: declarations are gathered, functions are called, the world is asked and changed.

mod common;

use std::rc::Rc;

use common::{Game, awake, fence, library, player, rule};
use quorate_kernel::{Moment, Span};
use quorate_law::datum::{Datum, Type};
use quorate_law::declare::{Declared, Holds, Outside, Per, Schedule, Trigger};
use quorate_law::stop::{Answer, FaultKind, Stop};
use quorate_law::{Budget, Compiled};

fn call(law: &Compiled, game: &Rc<Game>, function: &str, args: Vec<Datum>) -> Answer<Datum> {
    law.code
        .call(&game.world(), function, args, vec![], &Budget::default())
}

fn p(number: u64) -> Datum {
    Datum::Thing(player(number))
}

const ZOMBIES: &str = "# Zombies

1. Every player has a number of Zombies.

```starlark
zombies = number(\"Zombies\", of = player, default = 1, outside = \"clamp\")
brains = number(\"Brains\", of = player, max = 100)
```

2. Once a day a player may recruit.

```starlark
def recruit(actor: Player, note_it: bool = False):
    price = 30 + 5 * actor.zombies
    require(actor.brains >= price, \"enough Brains\", have = actor.brains, need = price)
    pay(actor, brains = price)
    actor.zombies += 1

action(\"recruit\", recruit, title = \"Recruit a Zombie\", limit = daily())
```
";

fn zombies() -> Compiled {
    let glossary = "# Glossary\n\n```starlark\ndef daily(slot: str = \"\") -> Limit:\n    \
        return limit(per = \"day\", gap = hours(10), slot = slot)\n```\n";
    awake(&[rule("zombies", ZOMBIES), rule("glossary", glossary)])
}

#[test]
fn a_law_hands_out_its_declarations_in_document_order() {
    let law = zombies();
    assert_eq!(law.declarations.len(), 3);
    let Declared::Value(value) = &law.declarations[0].what else {
        panic!()
    };
    assert_eq!(
        (value.name.as_str(), value.of.as_str()),
        ("zombies", "Player")
    );
    let clamp = Holds::Number {
        min: Some(0),
        max: None,
        outside: Outside::Clamp,
    };
    assert_eq!((&value.holds, &value.default), (&clamp, &Datum::Int(1)));
    let Declared::Action(action) = &law.declarations[2].what else {
        panic!()
    };
    assert_eq!(
        (action.name.as_str(), action.body.as_str()),
        ("recruit", "recruit")
    );
    assert_eq!(action.params[0].ty, Type::Bool);
    assert_eq!(action.params[0].default, Some(Datum::Bool(false)));
    assert_eq!(action.limits[0].per, Per::Day);
    assert_eq!(action.limits[0].gap, Some(Span::hours(10)));
    let site = &law.declarations[2].site;
    assert_eq!(
        (site.rule.as_str(), site.clause, site.line),
        ("zombies", 2, 19)
    );
}

#[test]
fn a_body_reads_and_writes_the_game() {
    let law = zombies();
    let game = Game::of(2);
    game.put(&player(1), "brains", Datum::Int(60));
    game.put(&player(1), "zombies", Datum::Int(3));
    call(&law, &game, "recruit", vec![p(1)]).unwrap();
    assert_eq!(game.cell(&player(1), "zombies"), Datum::Int(4));
    assert_eq!(game.cell(&player(1), "brains"), Datum::Int(15));
    let Err(Stop::Refused(refusal)) = call(&law, &game, "recruit", vec![p(1)]) else {
        panic!()
    };
    assert_eq!((refusal.rule.as_str(), refusal.clause), ("zombies", 2));
    assert_eq!(refusal.needs[0].what, "enough Brains");
    assert_eq!(
        (
            refusal.needs[0].have.as_str(),
            refusal.needs[0].need.as_str()
        ),
        ("15", "50")
    );
}

#[test]
fn the_rule_that_asks_is_the_innermost_that_is_no_library() {
    let law = awake(&[
        library("std", "def size() -> int:\n    return len(players())\n"),
        rule(
            "one",
            "1. A.\n2. B.\n```starlark\ndef ask_it() -> int:\n    return size() + len(players())\n```\n",
        ),
        rule(
            "two",
            "1. A.\n```starlark\ndef through() -> int:\n    return ask_it()\n```\n",
        ),
    ]);
    let game = Game::of(2);
    assert_eq!(call(&law, &game, "through", vec![]), Ok(Datum::Int(4)));
    assert_eq!(
        *game.log.borrow(),
        ["players for one 2", "players for one 2"]
    );
    game.log.borrow_mut().clear();
    let site = law.code.site_of("through").unwrap().clone();
    let budget = Budget::default();
    law.code
        .call_for(&site, &game.world(), "size", vec![], vec![], &budget)
        .unwrap();
    assert_eq!(*game.log.borrow(), ["players for two 1"]);
}

#[test]
fn now_notes_what_it_is_compared_with() {
    let law = awake(&[fence(
        "def late(at: Moment) -> bool:\n    return now >= at + hours(1)\n\
         def long(at: Moment) -> bool:\n    return now - at > hours(2)\n\
         def noon() -> int:\n    return now.day\n",
    )]);
    let game = Game::of(1);
    let start = Moment(game.now.get());
    assert_eq!(
        call(&law, &game, "late", vec![Datum::Moment(start)]),
        Ok(Datum::Bool(false))
    );
    assert_eq!(
        call(&law, &game, "long", vec![Datum::Moment(start)]),
        Ok(Datum::Bool(false))
    );
    assert_eq!(call(&law, &game, "noon", vec![]), Ok(Datum::Int(1)));
    let day = Moment(0) + Span::days(1);
    let hours = |n| start + Span::hours(n);
    assert_eq!(*game.compared.borrow(), [hours(1), hours(2), day]);
}

#[test]
fn what_is_made_of_now_holds_until_it_turns_and_no_longer_than_now_where_nobody_knows() {
    let law = awake(&[fence(
        "def age(at: Moment) -> int:\n    return (now - at) // minutes(10)\n\
         def left(at: Moment) -> int:\n    return (at - now) // minutes(10)\n\
         def twice(at: Moment) -> Span:\n    return (now - at) * 2\n\
         def told() -> str:\n    return f\"{now}\"\n\
         def said() -> str:\n    return str(now)\n\
         def later() -> Moment:\n    return now + hours(1)\n\
         def same() -> Span:\n    return (now + hours(1)) - now\n",
    )]);
    let game = Game::of(1);
    let now = Moment(game.now.get());
    let minutes = Span::minutes;
    for (function, args, holds) in [
        ("age", vec![now - minutes(25)], vec![now + minutes(5)]),
        (
            "left",
            vec![now + minutes(25)],
            vec![now + minutes(5) + Span(1)],
        ),
        ("left", vec![now + minutes(20)], vec![now + Span(1)]),
        ("twice", vec![now - minutes(25)], vec![now + Span(1)]),
        ("told", vec![], vec![now + Span(1)]),
        ("said", vec![], vec![now + Span(1)]),
        ("later", vec![], vec![now + Span(1)]),
        ("same", vec![], vec![]),
    ] {
        let args = args.into_iter().map(Datum::Moment).collect();
        let told = call(&law, &game, function, args).expect("it runs");
        assert_eq!(game.flows.take(), holds, "{function}");
        if let Datum::Text(told) = told {
            assert_eq!(*told, *now.to_string(), "{function}");
        }
    }
    assert!(game.compared.borrow().is_empty());
}

#[test]
fn a_default_that_is_not_among_what_a_value_may_be_is_an_error() {
    for wrong in [
        "x = number(\"X\", of = player, default = 3, among = [1, 2])",
        "x = listing(\"X\", str, of = player, among = [\"a\"], default = [\"b\"])",
        "x = listing(\"X\", str, of = player, least = 1)",
    ] {
        let law = quorate_law::compile(&[fence(wrong)], 1);
        assert_eq!(law.asleep.len(), 1, "{wrong}");
    }
    let law = awake(&[fence("x = number(\"X\", of = player, among = [4, 2])")]);
    let Declared::Value(value) = &law.declarations[0].what else {
        panic!()
    };
    assert_eq!(value.default, Datum::Int(4));
}

#[test]
fn lists_of_the_game_are_written_whole() {
    let law = awake(&[fence(
        "known = listing(\"Known\", str, of = player)\n\
         def learn(p: Player, what: str):\n    p.known += [what]\n\
         def mine() -> list[int]:\n    xs = [1]\n    ys = xs\n    xs += [2]\n    return ys\n",
    )]);
    let Declared::Value(value) = &law.declarations[0].what else {
        panic!()
    };
    assert_eq!(
        value.holds,
        Holds::Listing {
            item: Type::Text,
            unique: false
        }
    );
    let game = Game::of(1);
    game.put(
        &player(1),
        "known",
        Datum::List(vec![Datum::Text("a".into())].into()),
    );
    call(&law, &game, "learn", vec![p(1), Datum::Text("b".into())]).unwrap();
    let both = Datum::List(vec![Datum::Text("a".into()), Datum::Text("b".into())].into());
    assert_eq!(game.cell(&player(1), "known"), both);
    let grown = Datum::List(vec![Datum::Int(1), Datum::Int(2)].into());
    assert_eq!(call(&law, &game, "mine", vec![]), Ok(grown));
}

#[test]
fn rules_use_each_other_both_ways_whatever_their_order() {
    let law = awake(&[
        rule(
            "a",
            "1. A.\n```starlark\nautomatic(\"dies\", perish, of = player, when = fallen)\ndef fallen(p: Player) -> bool: return p.hp == LEAST\n```\n",
        ),
        rule(
            "b",
            "1. B.\n```starlark\ndef perish(p: Player): note(f\"{p.name} dies\")\nLEAST = BASE - 1\nBASE = 1\nhp = number(\"HP\", of = player)\n```\n",
        ),
    ]);
    let Declared::Automatic { trigger, .. } = &law.declarations[0].what else {
        panic!()
    };
    assert_eq!(
        *trigger,
        Trigger::When {
            test: "fallen".into(),
            after: None
        }
    );
    let game = Game::of(1);
    game.put(&player(1), "hp", Datum::Int(0));
    assert_eq!(
        call(&law, &game, "fallen", vec![p(1)]),
        Ok(Datum::Bool(true))
    );
    call(&law, &game, "perish", vec![p(1)]).unwrap();
    assert_eq!(*game.log.borrow(), ["note P1 dies"]);
}

#[test]
fn tables_rows_and_quantities_bring_kinds_and_functions() {
    let law = awake(&[fence(
        "table(\"Trap\", spring = typing.Callable, cost = int)\n\
         def ivan(victim: Player):\n    victim.ap = 0\n\
         row(Trap, \"Ivan\", spring = ivan, cost = 2)\n\
         quantity(\"price\", int)\n\
         def dearer(base: int, p: Player) -> int: return base + 1\n\
         modify(price, dearer)\n\
         def fall(p: Player) -> int:\n    trap = Trap.draw(\"which\")\n    trap.spring(p)\n    return price(trap.cost, p)\n\
         automatic(\"clock\", tick, every = [\"day 00:00\", \"Thu 12:00\"])\n\
         def tick(): note(\"tick\")\n\
         ap = number(\"AP\", of = player)\n",
    )]);
    let Declared::Table { columns, .. } = &law.declarations[0].what else {
        panic!()
    };
    assert_eq!(columns[0].1, Type::Function);
    let Declared::Row { cells, .. } = &law.declarations[1].what else {
        panic!()
    };
    assert_eq!(cells[0].1, Datum::Function("ivan".into()));
    let Declared::Automatic {
        trigger: Trigger::Every(times),
        ..
    } = &law.declarations[4].what
    else {
        panic!()
    };
    assert_eq!(times[0], Schedule::Daily { minute: 0 });
    let game = Game::of(1);
    let trap = quorate_kernel::Thing::row("Trap", "Ivan");
    game.rows
        .borrow_mut()
        .insert(("Trap".into(), "Ivan".into()));
    game.put(&trap, "spring", Datum::Function("ivan".into()));
    game.put(&trap, "cost", Datum::Int(2));
    *game.code.borrow_mut() = Some(law.code.clone());
    game.filters
        .borrow_mut()
        .insert("price".into(), "dearer".into());
    assert_eq!(call(&law, &game, "fall", vec![p(1)]), Ok(Datum::Int(3)));
    assert_eq!(game.cell(&player(1), "ap"), Datum::Int(0));
}

#[test]
fn derived_values_run_rule_code_inside_rule_code() {
    let law = awake(&[fence(
        "hp = number(\"HP\", of = player)\n\
         def worked_out(p: Player) -> int: return p.hp * 2\n\
         might = derived(\"Might\", worked_out, of = player)\n\
         def twice(p: Player) -> int: return p.might + p.might\n\
         def endless(p: Player) -> int: return p.loop\n\
         loop = derived(\"Loop\", endless, of = player)\n",
    )]);
    let Declared::Derived { gives, .. } = &law.declarations[1].what else {
        panic!()
    };
    assert_eq!(*gives, Type::Int);
    let game = Game::of(1);
    game.put(&player(1), "hp", Datum::Int(3));
    *game.code.borrow_mut() = Some(law.code.clone());
    game.derived
        .borrow_mut()
        .insert("might".into(), "worked_out".into());
    game.derived
        .borrow_mut()
        .insert("loop".into(), "endless".into());
    assert_eq!(call(&law, &game, "twice", vec![p(1)]), Ok(Datum::Int(12)));
    let Err(Stop::Broken(fault)) = call(&law, &game, "endless", vec![p(1)]) else {
        panic!()
    };
    assert!(
        fault.kind == FaultKind::Limit && fault.text.contains("circle"),
        "{fault:?}"
    );
    assert_eq!(
        law.reads["twice"]
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        ["hp", "might"]
    );
}

#[test]
fn a_question_and_an_error_carry_their_place() {
    let law = awake(&[fence(
        "def pick(p: Player):\n    word = choose(\"Which?\", [\"a\", \"b\"], within = minutes(5), default = \"a\")\n\
         def bad(p: Player):\n    x = [1]\n    note(str(x[5]))\n",
    )]);
    let game = Game::of(1);
    let Err(Stop::Asks(question)) = call(&law, &game, "pick", vec![p(1)]) else {
        panic!()
    };
    assert_eq!((question.what.as_str(), question.site.line), ("Which?", 6));
    assert_eq!(question.default, Some(Datum::Text("a".into())));
    let Err(Stop::Broken(fault)) = call(&law, &game, "bad", vec![p(1)]) else {
        panic!()
    };
    assert_eq!(
        (fault.site.rule.as_str(), fault.site.clause, fault.site.line),
        ("it", 1, 9)
    );
}

#[test]
fn squares_know_their_neighbours() {
    let law = awake(&[fence(
        "grid = board(\"The Arena\", \"A-C\", \"1-3\")\n\
         square = place(\"Square\", grid, of = player)\n\
         def look(p: Player) -> list[str]:\n    \
             there = p.square.step(\"south-east\")\n    \
             return [p.square.name, there.name, p.square.way(there), str(len(p.square.around())), str(p.square.step(\"north\") == None)]\n",
    )]);
    let game = Game::of(1);
    let corner = quorate_kernel::Square {
        board: "grid".into(),
        column: 1,
        row: 0,
    };
    game.put(&player(1), "square", Datum::Square(corner));
    let Ok(Datum::List(words)) = call(&law, &game, "look", vec![p(1)]) else {
        panic!()
    };
    let words: Vec<_> = words
        .iter()
        .map(|word| match word {
            Datum::Text(word) => word.to_string(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(words, ["B1", "C2", "south-east", "5", "True"]);
}

#[test]
fn guards_keep_the_brackets_of_first_and_last_parts() {
    let law = awake(&[fence(
        "def pair(t: typing.Any) -> int:\n    return len(t)\n\ndef run(p: Player) -> int:\n    x = 2\n    return pair((1, 2) if x > 1 else (3, 4, 5)) + -((x + 1) * (x + 2)) + pair((\"(\") + \")\")\n",
    )]);
    let answer = call(&law, &Game::of(1), "run", vec![p(1)]);
    assert_eq!(answer, Ok(Datum::Int(2 - 12 + 2)));
}
