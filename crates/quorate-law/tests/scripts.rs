//! One-off scripts see the law's names; test files see their host's functions.

mod common;

use std::cell::RefCell;
use std::rc::Rc;

use common::{Game, awake, fence, player};
use quorate_kernel::Moment;
use quorate_law::datum::Datum;
use quorate_law::objects::{Host, Member};
use quorate_law::stop::{Site, Stop};
use quorate_law::test_script::TestScript;
use quorate_law::world::Named;
use quorate_law::{Budget, Limits};

#[test]
fn a_script_of_statements_sees_the_names_of_the_law() {
    let law = awake(&[fence(
        "brains = number(\"Brains\", of = player)\nTAX = 5\ndef tax(p: Player): p.brains -= TAX\n",
    )]);
    let script = law
        .code
        .script(
            "script",
            "for p in players():\n    tax(p)\n    p.brains -= 1\n",
        )
        .unwrap();
    let game = Game::of(2);
    for n in 1..=2 {
        game.put(&player(n), "brains", Datum::Int(10));
    }
    let site = Site {
        rule: "effects".into(),
        ..Site::default()
    };
    script
        .run(&game.world(), vec![], &Budget::default(), &site)
        .unwrap();
    assert_eq!(game.cell(&player(2), "brains"), Datum::Int(4));
    assert_eq!(*game.log.borrow(), ["players for effects 0"]);
}

#[test]
fn a_script_with_a_function_run_gives_its_answer() {
    let law = awake(&[fence("def twice(n: int) -> int: return n * 2\n")]);
    let script = law
        .code
        .script(
            "script",
            "def run(n: int) -> bool:\n    return twice(n) == 6\n",
        )
        .unwrap();
    let game = Game::of(1);
    let answer = script.run(
        &game.world(),
        vec![Datum::Int(3)],
        &Budget::default(),
        &Site::default(),
    );
    assert_eq!(answer, Ok(Datum::Bool(true)));
}

#[test]
fn a_script_is_checked_before_it_runs() {
    let law = awake(&[fence("def twice(n: int) -> int: return n * 2\n")]);
    let findings = |code: &str| match law.code.script("script", code) {
        Ok(_) => panic!("this should not check: {code}"),
        Err(findings) => (findings[0].line, findings[0].text.clone()),
    };
    assert_eq!(findings("x = 1\ny = twise(2)\n").0, 2);
    assert_eq!(findings("x = 1.5\n"), (1, "numbers are whole".to_owned()));
    assert_eq!(findings("x = (\n").0, 2);
    let declares = law.code.script("script", "entity(\"Crate\")\n").unwrap();
    let game = Game::of(1);
    let answer = declares.run(&game.world(), vec![], &Budget::default(), &Site::default());
    let Err(Stop::Broken(fault)) = answer else {
        panic!()
    };
    assert!(fault.text.contains("top level of a rule"), "{}", fault.text);
    assert_eq!(fault.site.line, 1);
}

/// A host with one object, which counts.
#[derive(Default)]
struct Counter {
    count: RefCell<i64>,
}

impl Host for Counter {
    fn call(
        &self,
        object: Option<u64>,
        name: &str,
        args: Vec<Datum>,
        named: Named,
    ) -> Result<Datum, Stop> {
        match (object, name) {
            (None, "game") => Ok(Datum::Object(7)),
            (Some(7), "add") => {
                let Some(Datum::Int(n)) = args.first() else {
                    panic!()
                };
                *self.count.borrow_mut() += n * i64::try_from(named.len() + 1).unwrap_or(i64::MAX);
                Ok(Datum::None)
            }
            (None, "eq") if args[0] == args[1] => Ok(Datum::None),
            (None, "eq") => Err(Stop::fault(format!("{:?} is not {:?}", args[0], args[1]))),
            (None, "moment") => Ok(Datum::Moment(Moment(5))),
            _ => Err(Stop::fault(format!("no {name}"))),
        }
    }

    fn get(&self, _object: u64, attribute: &str) -> Result<Member, Stop> {
        match attribute {
            "add" => Ok(Member::Method),
            "count" => Ok(Member::Value(Datum::Int(*self.count.borrow()))),
            _ => Err(Stop::fault(format!("a game has no {attribute}"))),
        }
    }
}

const FILE: &str = "BOOK = \"lighthouse\"

def raised(g, by):
    g.add(by)
    eq(g.count, 5)

def test_it_counts():
    \"\"\"Counting works.

    Proves: 1.2
    \"\"\"
    g = game(BOOK, players = 5)
    g.add(2)
    g.add(1, twice = True)
    eq(g.count, 4)
    eq([x * 2 for x in [1, 2]], [2, 4])
    eq(moment(\"x\"), moment(\"x\") + hours(0))
    eq(sorted([\"bb\", \"a\"], key = len), [\"a\", \"bb\"])
    if g.count == 4:
        raised(g, 1)

def test_it_fails():
    g = game(BOOK)

    raised(g, 3)

def test_it_asks_for_what_is_not_there():
    game(BOOK).nothing
";

#[test]
fn a_test_script_meets_its_host() {
    let tests = TestScript::compile(
        "count.star",
        FILE,
        &["game", "eq", "moment"],
        &|_| None,
        Limits::WHOLE,
    )
    .unwrap();
    let names: Vec<_> = tests
        .functions()
        .iter()
        .map(|f| (f.name.as_str(), f.line))
        .collect();
    assert_eq!(
        names,
        [
            ("raised", 3),
            ("test_it_counts", 7),
            ("test_it_fails", 22),
            ("test_it_asks_for_what_is_not_there", 27)
        ]
    );
    assert!(tests.functions()[1].doc.ends_with("Proves: 1.2\n    "));
    let host = || Rc::new(Counter::default()) as Rc<dyn Host>;
    tests.run("test_it_counts", &host()).unwrap();
    let failure = tests.run("test_it_fails", &host()).unwrap_err();
    assert_eq!(
        (failure.line, failure.text.as_str()),
        (25, "Int(3) is not Int(5) (in line 5)")
    );
    let failure = tests
        .run("test_it_asks_for_what_is_not_there", &host())
        .unwrap_err();
    assert_eq!(
        (failure.line, failure.text.as_str()),
        (28, "a game has no nothing")
    );
}

#[test]
fn a_test_script_that_does_not_check_says_where() {
    let Err(findings) = TestScript::compile(
        "t.star",
        "def test_x():\n    eqq(1, 1)\n",
        &["eq"],
        &|_| None,
        Limits::WHOLE,
    ) else {
        panic!()
    };
    assert_eq!(findings[0].line, 2);
    assert!(findings[0].text.contains("eqq"), "{}", findings[0].text);
}

#[test]
fn a_test_file_loads_from_helpers_by_name() {
    let helpers = |file: &str| match file {
        "helpers.star" => {
            Some("load(\"deep.star\", \"TWO\")\nONE = 1\n\ndef three():\n    return ONE + TWO\n")
        }
        "deep.star" => Some("TWO = 2\n"),
        "round.star" => Some("load(\"round.star\", \"X\")\n"),
        _ => None,
    };
    let compile = |code: &str| {
        let helpers = |file: &str| helpers(file).map(str::to_owned);
        TestScript::compile("t.star", code, &["eq"], &helpers, Limits::WHOLE)
    };
    let code = "load(\"helpers.star\", \"three\", one = \"ONE\")\n\ndef test_x():\n    eq([three(), one], [3, 1])\n";
    assert_eq!(compile(code).unwrap().functions()[0].line, 3);
    for (code, line, why) in [
        (
            "\nload(\"gone.star\", \"x\")\n",
            2,
            "there is no file gone.star beside this one to load from",
        ),
        (
            "load(\"helpers.star\", \"four\")\n",
            1,
            "helpers.star has no four",
        ),
        (
            "load(\"round.star\", \"X\")\n",
            1,
            "round.star loads itself",
        ),
    ] {
        let Err(findings) = compile(code) else {
            panic!("{code}")
        };
        assert_eq!((findings[0].line, findings[0].text.as_str()), (line, why));
    }
    // What is not loaded is not known.
    assert!(compile("load(\"helpers.star\", \"three\")\ndef test_x():\n    eq(ONE, 1)\n").is_err());
}
