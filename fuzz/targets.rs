//! What is fuzzed: bytes of a stranger go in, and nothing may panic, hang or take more than it has. The fuzzers run these
//! functions, and so does a test of the stable compiler.

#![allow(dead_code, reason = "each fuzzer uses one of them")]

use std::sync::Arc;

use quorate_engine::icons::{self, IconWords};
use quorate_engine::request::{CommandReader, CommandRequest};
use quorate_engine::rulebook::{Manifest, Rulebook};
use quorate_engine::view::View;
use quorate_engine::{Inputs, Judge, LawCache};
use quorate_import::SourceForm;
use quorate_kernel::audience::Reader;
use quorate_kernel::command::{Act, Actor, Command};
use quorate_kernel::state::State;
use quorate_kernel::{EventSeq, Id, Moment, Name, PlayerId, record};
use quorate_law::{RuleSource, RuleText, compile};
use quorate_runtime::testing::Memory;
use quorate_server::ui::markup::{People, Reading, Terms, render};

/// The text of a rule: it is taken apart, checked, and its top level run.
pub(crate) fn rule(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let source = |text: RuleText| RuleSource {
        rule: Name::from("bad"),
        title: "Bad".to_owned(),
        library: false,
        since: 1,
        text,
        left: None,
    };
    for edition in [1, 2] {
        let compiled = compile(&[source(RuleText::parse(text))], edition);
        drop(compiled.code.script("script", text));
    }
}

/// A frame between a server and its worker.
pub(crate) fn wire(bytes: &[u8]) {
    drop(quorate_worker::frame::read(bytes));
    quorate_worker::testing::read_all(bytes);
}

/// An event or a snapshot as it is stored.
pub(crate) fn event(bytes: &[u8]) {
    if let Ok(event) = record::decode(bytes) {
        let again = record::encode(&event).open;
        let read = record::decode(&again);
        assert_eq!(
            read.as_ref(),
            Ok(&event),
            "what was read is written otherwise"
        );
        let effects = event.steps.iter().map(|step| &step.effect);
        drop(State::default().apply_all(effects));
    }
    if let Ok(effects) = record::decode_state(bytes) {
        let mut state = State::default();
        if effects.iter().all(|effect| state.apply(effect).is_ok()) {
            state.digest();
        }
    }
}

/// An archive of a game.
pub(crate) fn archive(bytes: &[u8]) {
    let waiting = tokio::runtime::Builder::new_current_thread().build();
    let waiting = waiting.expect("a runtime without threads can be made");
    let memory = Memory::default();
    let mut input = bytes;
    let imported = waiting.block_on(quorate_runtime::archive::import(
        &memory,
        None,
        &mut input,
        &mut |_| {},
    ));
    drop(imported);
}

/// A ruleset that was written elsewhere.
pub(crate) fn import(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    SourceForm::of(&text);
    for form in [SourceForm::Wikitext, SourceForm::Html, SourceForm::Plain] {
        quorate_import::read(&text, form, "A game");
    }
}

/// The text of a comment, as law and pages read it.
pub(crate) fn markup(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let words = IconWords::default();
    icons::read(&text, &words);
    let (terms, people) = (Terms::new(), People::default());
    for keeps_lines in [false, true] {
        let reading = Reading {
            terms: &terms,
            icons: &words,
            people: &people,
            keeps_lines,
            pictures: Some("/g/reef/uploads/"),
            heading: keeps_lines.then_some(3),
        };
        let page = render(&text, reading);
        let html = page.as_str().to_ascii_lowercase();
        for door in ["<script", "<iframe", "javascript:", "<style", "<object"] {
            let tag = html.contains(door) && door.starts_with('<');
            assert!(!tag, "{door} in {html}");
        }
    }
}

/// A command of the API, in JSON: it is read, and judged.
pub(crate) fn command(bytes: &[u8]) {
    let Ok(request) = serde_json::from_slice::<CommandRequest>(bytes) else {
        return;
    };
    GAME.with(|game| {
        let mut judge = game.clone();
        let player = PlayerId(Id::new(EventSeq(1), 0));
        let actor = Actor::Player(player);
        let now = Moment(1_935_000_000_000);
        let read = judge.query(now, |tx| {
            let view = View {
                state: judge.state(),
                law: judge.law(),
                reader: Reader::Player(player),
            };
            let reader = CommandReader {
                tx,
                view,
                actor,
                name: "Anna",
                past: &[],
            };
            reader.act(request)
        });
        if let Ok(act) = read {
            sent(&mut judge, actor, act);
        }
    });
}

thread_local! {
    static GAME: Judge = founded();
}

const MANIFEST: &str =
    "title = \"T\"\nabout = \"T\"\n[[section]]\nid = \"rules\"\ntitle = \"Rules\"\n";

const RULE: &str = r#"---
section: rules
---
# Bills

1. Players post bills, and dig for gold.

```starlark
category("Bill", icons = ["for", "against"], statuses = ["pending", "enacted"])
gold = number("Gold", of = player, min = 0)
label = text("Label", of = player)

def dig(actor: Player, amount: int, whom: Player | None = None):
    actor.gold += amount

action("dig", dig, title = "Dig")
```
"#;

fn founded() -> Judge {
    let book = Rulebook {
        name: "t".into(),
        manifest: toml::from_str::<Manifest>(MANIFEST).expect("the manifest reads"),
        library: Vec::new(),
        rules: vec![("1-rules/01-bills.md".to_owned(), RULE.to_owned())],
        tests: Vec::new(),
    };
    let laws: Arc<LawCache> = Arc::default();
    let mut judge = Judge::unfounded(&laws);
    let founding = book.founding("A game", "Anna").expect("the book reads");
    let found = Act::Found(Box::new(founding));
    assert!(sent(&mut judge, Actor::Operator, found), "the game begins");
    let asleep = &judge.law().asleep;
    assert!(asleep.is_empty(), "{asleep:?}");
    judge
}

/// Whether a command became an event.
fn sent(judge: &mut Judge, actor: Actor, act: Act) -> bool {
    let command = Command {
        at: Moment(1_935_000_000_000),
        actor,
        key: Name::from("k"),
        act,
    };
    judge.judge(&command, &Inputs::default()).event().is_ok()
}
