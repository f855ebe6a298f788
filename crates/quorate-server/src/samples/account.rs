//! Pages of the server: forms, settings, errors, the operator's panel.
//!
//! Long because a sample is one literal that fills every field of a page.

use super::world::{GAME, ME, ago, as_stranger, bare, chrome, send};
use crate::{
    pages::{
        ErrorPage, Fact, FormPage, Link, Operator, OperatorLine, Sample, Samples, Settings,
        SettingsBlock, SettingsLine, Theme,
    },
    parts::{Cell, Choice, Column, Field, FieldKind, Form, Person, Row, Status, StatusKind, Table},
    urls::{self, Href},
};

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

impl Samples for Settings {
    fn samples() -> Vec<Sample<Self>> {
        let end =
            |what: &str, button: &str| Some(Form::button(send(urls::SettingsDo { what }), button));
        let line = |title: &str, about: &str, form| SettingsLine {
            title: title.into(),
            about: about.into(),
            form,
        };
        let block = |id: &str, title: &str, about: &str| SettingsBlock {
            id: id.into(),
            title: title.into(),
            about: about.into(),
            lines: vec![],
            shown_once: None,
            form: None,
        };
        let theme = FieldKind::OneInSight(vec![
            Choice {
                chosen: true,
                ..Choice::new("system", "as my system has it")
            },
            Choice::new("light", "light"),
            Choice::new("dark", "dark"),
        ]);
        let page = Settings {
            chrome: chrome("Settings", ""),
            name: ME.into(),
            blocks: vec![
                SettingsBlock {
                    form: Some(Form {
                        fields: vec![
                            Field::new("theme", "theme", "Colours", theme),
                            Field::new(
                                "keys-on",
                                "keys",
                                "Single keys act (j, k, f, a, d, /, ?)",
                                FieldKind::Flag(true),
                            )
                            .optional(),
                        ],
                        ..Form::button(send(urls::SettingsDo { what: "look" }), "Keep this")
                    }),
                    ..block(
                        "look",
                        "Appearance and keys",
                        "For this account, in every browser.",
                    )
                },
                SettingsBlock {
                    form: Some(Form {
                        fields: vec![
                            Field::new(
                                "old",
                                "old",
                                "Password now",
                                FieldKind::Password { fresh: false },
                            ),
                            Field::new(
                                "new",
                                "new",
                                "New password",
                                FieldKind::Password { fresh: true },
                            ),
                        ],
                        ..Form::button(send(urls::SettingsDo { what: "password" }), "Change it")
                    }),
                    ..block("pass", "Password", "Changing it ends all other sessions.")
                },
                SettingsBlock {
                    lines: vec![
                        line(
                            "Firefox on Linux, this one",
                            "since 3 Sep, last used now",
                            None,
                        ),
                        line(
                            "A telephone",
                            "since 9 Aug, last used yesterday",
                            end("session", "End"),
                        ),
                    ],
                    ..block("sessions", "Sessions", "Wherever you are signed in.")
                },
                SettingsBlock {
                    lines: vec![line(
                        "tide-bot",
                        "votes and reads; since 1 Sep",
                        end("token", "Revoke"),
                    )],
                    shown_once: Some(
                        Fact::new("New token", "qt_5f3c9a0e41")
                            .note("Shown this once. Keep it where others cannot read it."),
                    ),
                    form: Some(Form {
                        fields: vec![Field::new(
                            "token-name",
                            "name",
                            "What it is for",
                            FieldKind::Line(String::new()),
                        )],
                        ..Form::button(send(urls::SettingsDo { what: "tokens" }), "Make a token")
                    }),
                    ..block(
                        "tokens",
                        "Tokens for programs",
                        "A token may do what you may, until you revoke it.",
                    )
                },
                SettingsBlock {
                    form: Some(Form {
                        fields: vec![
                            Field::new("sure", "sure", "Yes, for good", FieldKind::Flag(false)),
                            Field::new(
                                "erase-pass",
                                "password",
                                "Password",
                                FieldKind::Password { fresh: false },
                            ),
                        ],
                        ..Form::button(send(urls::SettingsDo { what: "erase" }), "Erase my words")
                    }),
                    ..block(
                        "erase",
                        "Erase my words",
                        "Drops the text of all your posts, comments and messages. Votes and numbers stay, under a number instead of your name. It cannot be taken back.",
                    )
                },
            ],
            sign_out: Form::button(send(urls::SignOut), "Sign out"),
        };
        vec![Sample { name: "all", page }]
    }
}

impl Samples for ErrorPage {
    fn samples() -> Vec<Sample<Self>> {
        let missing = ErrorPage {
            chrome: chrome("This page does not exist", ""),
            title: "This page does not exist".into(),
            what: "Nothing stands at this address. A post may have been withdrawn, or the link was cut short.".into(),
            todo: "Look for it in the search, or go back to the blog.".into(),
            ways: vec![Link::new("Search", urls::Search { game: super::world::GAME }), Link::new("Blog", urls::Game { game: super::world::GAME })],
            reference: None,
        };
        let dark = bare("The server could not answer");
        let broken = ErrorPage {
            chrome: crate::pages::Chrome {
                theme: Theme::Dark,
                ..as_stranger(dark)
            },
            title: "The server could not answer".into(),
            what: "Something broke on our side. Nothing of what you sent was applied.".into(),
            todo: "Send it again in a minute; your draft is kept in this browser.".into(),
            ways: vec![Link::new("All games", urls::Home)],
            reference: Some("7f3a-91c2".into()),
        };
        vec![
            Sample {
                name: "not found",
                page: missing,
            },
            Sample {
                name: "broken, always dark",
                page: broken,
            },
        ]
    }
}

impl Samples for Operator {
    fn samples() -> Vec<Sample<Self>> {
        let button = |what: &str, words: &str| Form::button(send(urls::OperatorDo { what }), words);
        let account = |name: &str, mail: &str| Row {
            id: format!("account-{name}"),
            owner: Person::named(name),
            cells: vec![Cell::text(mail), Cell::text("2"), Cell::text("active")],
            changed: Some(ago(90)),
            history: None,
        };
        let page = Operator {
            chrome: bare("Operator’s panel"),
            health: vec![
                Fact::new("Version", "0.1.0"),
                Fact::new("Games", "41, 6 awake"),
                Fact::new("Memory", "212 MiB"),
                Fact::new("Last backup", "today").note("14:00 UTC, 38 MiB"),
            ],
            lines: vec![
                OperatorLine {
                    status: Status::new(StatusKind::Asleep, "Rule 14.3 of Saltmarsh sleeps"),
                    text: "It ran out of steps three times since 16 Sep.".into(),
                    forms: vec![button("wake", "Wake it")],
                },
                OperatorLine {
                    status: Status::new(StatusKind::Failed, "A worker was killed"),
                    text: "Knucklebones, rule 8.2, after 1 s; back after 140 ms.".into(),
                    forms: vec![],
                },
            ],
            games: Table {
                id: "games".into(),
                label: "Games".into(),
                owner: Column::words("Game"),
                columns: vec![Column::numbers("Events"), Column::words("Backup")],
                rows: vec![Row {
                    id: "game-harbour".into(),
                    owner: Person::named(GAME),
                    cells: vec![
                        Cell::text("412"),
                        Cell::to("download", urls::Backup { game: GAME }),
                    ],
                    changed: None,
                    history: None,
                }],
                pseudo: Vec::new(),
                tells_change: false,
            },
            accounts: Table {
                id: "accounts".into(),
                label: "Accounts".into(),
                owner: Column::words("Account"),
                columns: vec![
                    Column::words("Mail"),
                    Column::numbers("Games"),
                    Column::words("State"),
                ],
                rows: vec![
                    account("cosima", "c…@saltmarsh.example"),
                    account("jory", "none"),
                ],
                pseudo: vec![],
                tells_change: true,
            },
            invite: Form {
                fields: vec![Field::new(
                    "uses",
                    "uses",
                    "How many may use it",
                    FieldKind::Number {
                        value: "1".into(),
                        min: Some(1),
                        max: Some(50),
                    },
                )],
                ..button("invite", "Make a link")
            },
            shown_once: Some(
                Fact::new(
                    "Recovery link for jory",
                    "https://quorate.example/recover/5f3c9a0e41",
                )
                .note("Works once, for an hour. Hand it over in person."),
            ),
            recover: button("recover", "Make a recovery link"),
            withhold: button("withhold", "Withhold it for good"),
        };
        vec![Sample {
            name: "panel",
            page,
        }]
    }
}
