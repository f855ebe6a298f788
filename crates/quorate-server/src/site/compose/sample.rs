//! Samples of the pages beside this file.

use crate::site::compose::page::{
    ClauseEdit, Compose, DraftLine, PostKind, RuleEdit, RuleOfForm, Writing,
};
use crate::ui::sample::world::{GAME, ago, chrome, post, rule, send, text};
use crate::ui::sample::{Sample, Samples};
use crate::ui::{Change, Choice, Field, FieldKind, Link, Need, Refusal, lines, urls, words};

fn kinds(chosen: &str) -> Vec<PostKind> {
    let kind = |title: &str, about: &str, closed| PostKind {
        href: urls::ComposeIn {
            game: GAME,
            category: title,
        }
        .into(),
        is_chosen: title == chosen,
        title: title.into(),
        about: about.into(),
        closed,
    };
    vec![
        kind(
            "Proposal",
            "Changes rules or the gamestate once it is enacted. You have 1 of 2 pending.",
            None,
        ),
        kind(
            "Call for judgement",
            "Settles a disagreement about rules or gamestate. Your name can stay hidden.",
            None,
        ),
        kind("Story", "Prose that changes nothing.", None),
        kind(
            "Declaration of victory",
            "Says that somebody has won.",
            Some(Refusal {
                tried: "A declaration of victory".into(),
                needs: vec![Need::of("Lamps", "5", "9")],
                because: None,
                cite: Some(rule("rule 10.1", "victory")),
                next: None,
                field: None,
            }),
        ),
    ]
}

fn writing() -> Writing {
    let old = "A {player} pays 10 Oil to cross.";
    let new = "A {player} pays 10 Oil to cross, or 6 while the tide is out.";
    let change = Change {
        place: "Rule 14, The ferry".into(),
        part: "clause 2".into(),
        href: Some(urls::Rule { game: GAME, rule: "ferry" }.into()),
        words: words(old, new),
        lines: lines("def cross(actor: Player):\n    pay(actor, \"Oil\", 10)\n", "def cross(actor: Player):\n    pay(actor, \"Oil\", 6 if ebb() else 10)\n", 2),
        warning: Some("This clause has changed since you took it up; your words were merged with the new text.".into()),
    };
    Writing {
        title: "New proposal".into(),
        draft: "new=proposal".into(),
        keeps: (urls::DraftKeep { game: GAME }.into(), urls::DraftDelete { game: GAME }.into(), urls::UploadTake { game: GAME }.into()),
        kept: Some(ago(12)),
        send: send(urls::ComposeIn { game: GAME, category: "proposal" }),
        fields: vec![
            Field::new("title", "title", "Title", FieldKind::Line("Night fares for the ferry".into())),
            Field::new("body", "body", "What it says, and why", FieldKind::Prose("Ten Oil to cross is a day rate.".into())),
            Field::new("tags", "tags", "Tags", FieldKind::Many(vec![Choice::new("core", "Core"), Choice::new("appendix", "Appendix")])).hint("A change to a core rule counts only with its tag."),
        ],
        more: vec![
            Field::new("flavour", "flavour", "Flavour text", FieldKind::Prose(String::new())).optional().hint("Shown in italics; changes nothing."),
        ],
        picks: Vec::new(),
        edits: vec![RuleEdit {
            id: "0".into(),
            place: "Rule 14, The ferry".into(),
            title: Field::new("title-0", "title-0", "Title of the rule", FieldKind::Line("The ferry".into())),
            clauses: vec![
                ClauseEdit { number: 1, words: "The ferry crosses at dusk.".into(), is_open: false, fields: Vec::new() },
                ClauseEdit {
                    number: 2,
                    words: "A sailor pays 10 Oil to cross.".into(),
                    is_open: true,
                    fields: vec![
                        Field::new("piece-2-0", "piece-2-0", "Words of clause 2", FieldKind::Prose(format!("2. {new}"))).optional(),
                        Field::new("piece-3-0", "piece-3-0", "Code of clause 2", FieldKind::Code("def cross(actor: Player):\n    pass".into())).optional(),
                    ],
                },
            ],
            repeal: Some(Field::new("repeal-0", "repeal-0", "Repeal this rule", FieldKind::Flag(false)).optional()),
            report: Some("rule ferry, clause 2, line 2\n    pay(actor, \"Oil\", 6 if eb() else 10)\n                           ^^ no such name; did you mean `ebb`?".into()),
            changes: crate::ui::sample::pieces::changes(),
        }],
        effects: vec![],
        check: Some(vec!["code that runs once, line 1: no such name".into()]),
        add: Some(Field::new("add", "add", "Another clause", FieldKind::One(vec![Choice::new("ferry.3", "14.3 The ferry waits"), Choice::new("new", "A new rule")]))),
        folds_changes: false,
        rules: vec![
            RuleOfForm { text: "1 of 2 proposals pending".into(), rest: String::new(), is_kept: true },
            RuleOfForm { text: "A change to a core rule needs the tag Core.".into(), rest: "One of the appendix needs the tag Appendix.".into(), is_kept: true },
            RuleOfForm { text: "The title has at least four letters".into(), rest: String::new(), is_kept: false },
        ],
        tags: vec![("A change of a core rule needs the tag [Core] in the title.".into(), None)],
        preview: Some(("Night fares for the ferry".into(), text("Ten Oil to cross is a *day* rate."), vec![change])),
        refusal: None,
        button: "Post the proposal".into(),
        afterwards: "You can edit it for 15 minutes after that, or until the first comment.".into(),
    }
}

impl Samples for Compose {
    fn samples() -> Vec<Sample<Self>> {
        let refused = Writing {
            refusal: Some(Refusal {
                tried: "A third proposal".into(),
                needs: vec![Need::of("at most 2 pending proposals", "3", "2")],
                because: None,
                cite: Some(rule("rule 4.2", "proposals")),
                next: None,
                field: None,
            }),
            ..writing()
        };
        vec![
            Sample {
                name: "choosing",
                page: Compose {
                    chrome: chrome("Write a post", "Blog"),
                    kinds: kinds(""),
                    writing: None,
                    drafts: vec![DraftLine {
                        kind: "Comment".into(),
                        to: Link::new("The tide <b> waits", post("94-0")),
                        when: ago(12),
                        delete: send(urls::DraftDelete { game: GAME }).with("draft", "comment=94"),
                    }],
                },
            },
            Sample {
                name: "preview",
                page: Compose {
                    chrome: chrome("New proposal", "Blog"),
                    kinds: kinds("Proposal"),
                    writing: Some(writing()),
                    drafts: Vec::new(),
                },
            },
            Sample {
                name: "refused",
                page: Compose {
                    chrome: chrome("New proposal", "Blog"),
                    kinds: kinds("Proposal"),
                    writing: Some(refused),
                    drafts: Vec::new(),
                },
            },
        ]
    }
}
