//! Samples of the pages beside this file.

use crate::site::charts::page::Charts;
use crate::ui::sample::world::{GAME, chrome};
use crate::ui::sample::{Sample, Samples};
use crate::ui::{Chart, Choice, Field, FieldKind, Point, urls};

impl Samples for Charts {
    fn samples() -> Vec<Sample<Self>> {
        let points = |n: i64, f: fn(i64) -> i64| {
            (0..n)
                .map(|i| Point {
                    label: format!("week {}", 20 + i),
                    value: f(i),
                })
                .collect::<Vec<_>>()
        };
        let page = Charts {
            chrome: chrome("Charts", ""),
            here: urls::Charts { game: GAME }.into(),
            pick: vec![
                Field::new(
                    "value",
                    "value",
                    "Value",
                    FieldKind::One(vec![
                        Choice::new("oil", "Oil"),
                        Choice::new("lamps", "Lamps"),
                    ]),
                ),
                Field::new(
                    "whose",
                    "whose",
                    "Whose",
                    FieldKind::One(vec![Choice::new("cosima", "Cosima")]),
                ),
            ],
            charts: vec![
                Chart {
                    id: "c1".into(),
                    title: "Proposals a week".into(),
                    points: points(18, |i| 3 + (i * 7) % 11),
                    as_line: false,
                },
                Chart {
                    id: "c2".into(),
                    title: "Cosima, Oil".into(),
                    points: points(60, |i| 20 + (i * i * 3) % 97 + i),
                    as_line: true,
                },
                Chart {
                    id: "c3".into(),
                    title: "Votes a week".into(),
                    points: vec![],
                    as_line: false,
                },
            ],
        };
        vec![Sample {
            name: "three",
            page,
        }]
    }
}
