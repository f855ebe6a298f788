//! Samples of pages that are one form.

#![expect(
    clippy::too_many_lines,
    reason = "a sample is one literal that fills every field of a page"
)]

use crate::ui::sample::world::{as_stranger, bare, send};
use crate::ui::sample::{Sample, Samples};
use crate::ui::urls::Href;
use crate::ui::{Choice, Field, FieldKind, Form, FormPage, Link, urls};

fn page(
    title: &str,
    about: &str,
    to: impl Into<Href>,
    button: &str,
    fields: Vec<Field>,
    ways: Vec<Link>,
) -> FormPage {
    FormPage {
        chrome: as_stranger(bare(title)),
        title: title.into(),
        about: about.into(),
        error: None,
        form: Some(Form {
            fields,
            expected: true,
            ..Form::button(send(to), button)
        }),
        ways,
    }
}

fn name() -> Field {
    Field::new("name", "name", "Name", FieldKind::Account("cosima".into()))
}

fn password(fresh: bool) -> Field {
    Field::new(
        "password",
        "password",
        "Password",
        FieldKind::Password { fresh },
    )
}

fn mail() -> Field {
    Field::new(
        "mail",
        "mail",
        "Mail address",
        FieldKind::Mail(String::new()),
    )
    .optional()
    .hint("Only for recovery and the notices you ask for.")
}

impl Samples for FormPage {
    fn samples() -> Vec<Sample<Self>> {
        let recover = || Link::new("I forgot my password", urls::Recover);
        let sign_in = page(
            "Sign in",
            "",
            urls::SignIn,
            "Sign in",
            vec![name(), password(false)],
            vec![recover(), Link::new("Make an account", urls::SignUp)],
        );
        let wrong = FormPage {
            error: Some("Name and password do not fit together.".into()),
            ..sign_in.clone()
        };
        let short = password(true)
            .hint("At least 10 letters; length is all that is asked.")
            .wrong("A password has at least 10 letters.");
        let sent = FormPage {
            title: "Look into your mail".into(),
            about:
                "If an account has that address, a link is on its way. It works once, for an hour."
                    .into(),
            form: None,
            ..page(
                "Recovery",
                "",
                urls::Recover,
                "",
                vec![],
                vec![Link::new("Sign in", urls::SignIn)],
            )
        };
        let rulebooks = FieldKind::OneInSight(vec![
            Choice {
                chosen: true,
                ..Choice::new("core", "Core: the plain rules, ready to play")
            },
            Choice::new("hordes", "Hordes: zombies in a small city"),
            Choice::new("empty", "Empty: one rule that says how to make more"),
        ]);
        vec![
            Sample {
                name: "sign in",
                page: sign_in,
            },
            Sample {
                name: "sign in, wrong",
                page: wrong,
            },
            Sample {
                name: "sign up",
                page: page(
                    "Make an account",
                    "One account serves all games here.",
                    urls::SignUp,
                    "Make the account",
                    vec![
                        name().hint("3 to 24 letters; others see it."),
                        short,
                        mail(),
                    ],
                    vec![Link::new("I have one", urls::SignIn)],
                ),
            },
            Sample {
                name: "recover",
                page: page(
                    "Recovery",
                    "A link is sent to the account’s address. Without one, ask the operator for a link.",
                    urls::Recover,
                    "Send the link",
                    vec![mail()],
                    vec![],
                ),
            },
            Sample {
                name: "recover, sent",
                page: sent,
            },
            Sample {
                name: "new password",
                page: page(
                    "A new password",
                    "All other sessions end.",
                    urls::RecoverWith { code: "x" },
                    "Keep it",
                    vec![password(true)],
                    vec![],
                ),
            },
            Sample {
                name: "invitation",
                page: page(
                    "You are invited to Saltmarsh",
                    "Jory asks you to play. The invitation holds until Sat 20 Sep, 12:00 UTC.",
                    urls::Invitation { code: "x" },
                    "Make an account and join",
                    vec![name(), password(true), mail()],
                    vec![Link::new("I have an account", urls::SignIn)],
                ),
            },
            Sample {
                name: "found",
                page: FormPage {
                    chrome: bare("Found a game"),
                    ..page(
                        "Found a game",
                        "You are its first player and admin.",
                        urls::Found,
                        "Found it",
                        vec![
                            Field::new(
                                "game",
                                "name",
                                "Name of the game",
                                FieldKind::Line(String::new()),
                            ),
                            Field::new("book", "book", "Rulebook", rulebooks),
                            Field::new(
                                "who",
                                "who",
                                "Who may join",
                                FieldKind::One(vec![
                                    Choice::new("open", "anybody"),
                                    Choice::new("invited", "those who are invited"),
                                ]),
                            ),
                        ],
                        vec![],
                    )
                },
            },
        ]
    }
}
