//! Samples of the pages beside this file.

#![expect(
    clippy::too_many_lines,
    reason = "a sample is one literal that fills every field of a page"
)]

use crate::site::account::page::Settings;
use crate::ui::sample::world::{ME, chrome, send};
use crate::ui::sample::{Sample, Samples};
use crate::ui::{Choice, Fact, Field, FieldKind, Form, SettingsBlock, SettingsLine, urls};

impl Samples for Settings {
    fn samples() -> Vec<Sample<Self>> {
        let end =
            |what: &str, button: &str| vec![Form::button(send(urls::SettingsDo { what }), button)];
        let line = |title: &str, about: &str, forms| SettingsLine {
            title: title.into(),
            about: about.into(),
            forms,
            more: None,
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
                    forms: vec![Form {
                        fields: vec![
                            Field::new("theme", "theme", "Colours", theme),
                            Field::new(
                                "keys-on",
                                "keys",
                                "Keyboard shortcuts (press ? for the list)",
                                FieldKind::Flag(true),
                            )
                            .optional(),
                        ],
                        ..Form::button(send(urls::SettingsDo { what: "look" }), "Save")
                    }],
                    ..SettingsBlock::new(
                        "look",
                        "Appearance and keys",
                        "For this account, in every browser.",
                    )
                },
                SettingsBlock {
                    forms: vec![Form {
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
                        ..Form::button(
                            send(urls::SettingsDo { what: "password" }),
                            "Change password",
                        )
                    }],
                    ..SettingsBlock::new("pass", "Password", "Changing it ends all other sessions.")
                },
                SettingsBlock {
                    lines: vec![
                        line(
                            "Firefox on Linux, this one",
                            "since 3 Sep, last used now",
                            vec![],
                        ),
                        line(
                            "A telephone",
                            "since 9 Aug, last used yesterday",
                            end("session", "End"),
                        ),
                    ],
                    ..SettingsBlock::new("sessions", "Sessions", "Wherever you are signed in.")
                },
                SettingsBlock {
                    lines: vec![line(
                        "tide-bot",
                        "may read, vote; since 1 Sep",
                        end("token", "Revoke"),
                    )],
                    shown_once: Some(
                        Fact::new("New token", "qt_5f3c9a0e41")
                            .note("Shown this once. Keep it where others cannot read it."),
                    ),
                    forms: vec![Form {
                        fields: vec![Field::new(
                            "token-name",
                            "name",
                            "What it is for",
                            FieldKind::Line(String::new()),
                        )],
                        ..Form::button(send(urls::SettingsDo { what: "tokens" }), "Make a token")
                    }],
                    ..SettingsBlock::new(
                        "tokens",
                        "Tokens for programs",
                        "A token may read what you may, and do what you tick here, until you revoke it.",
                    )
                },
                SettingsBlock {
                    forms: vec![Form {
                        fields: vec![
                            Field::new("sure", "sure", "Yes, permanently", FieldKind::Flag(false)),
                            Field::new(
                                "erase-pass",
                                "password",
                                "Password",
                                FieldKind::Password { fresh: false },
                            ),
                        ],
                        ..Form::button(send(urls::SettingsDo { what: "erase" }), "Erase my words")
                    }],
                    ..SettingsBlock::new(
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
