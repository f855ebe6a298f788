//! Colours, read from the tokens: text stands out from every ground that it may stand on, in both schemes.

use std::collections::BTreeMap;

const TOKENS: &str = include_str!("../assets/css/1-tokens.css");

type Scheme = BTreeMap<String, [f64; 3]>;

/// Light and dark, by name.
fn schemes() -> (Scheme, Scheme) {
    let (mut light, mut dark) = (Scheme::new(), Scheme::new());
    for declaration in TOKENS.split(';') {
        let Some((head, value)) = declaration.rsplit_once(": light-dark(") else {
            continue;
        };
        let name = head.rsplit("--").next().expect("a name").to_owned();
        let (a, b) = value
            .trim_end_matches(')')
            .split_once(',')
            .expect("two colours");
        light.insert(name.clone(), colour(a));
        dark.insert(name, colour(b));
    }
    (light, dark)
}

fn colour(text: &str) -> [f64; 3] {
    let hex = text.trim().trim_start_matches('#');
    let part = |at: usize| {
        f64::from(u8::from_str_radix(&hex[at..at + 2], 16).expect("two hex digits")) / 255.0
    };
    [part(0), part(2), part(4)]
}

/// Relative luminance and contrast as WCAG 2.2 defines them.
fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
    let luminance = |c: [f64; 3]| {
        let [r, g, b] = c.map(|v| {
            if v <= 0.040_45 {
                v / 12.92
            } else {
                ((v + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * r + 0.7152 * g + 0.0722 * b
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn text_reads_on_every_ground_it_may_stand_on() {
    let text = [
        "ink", "ink-2", "ink-3", "for", "against", "def", "veto", "pending", "failed", "claimed",
        "disputed",
    ];
    let pairs = text
        .iter()
        .flat_map(|text| [(*text, "paper"), (*text, "sunk")])
        .chain([
            ("ink", "mark"),
            ("ink", "mark-wash"),
            ("ink-2", "mark-wash"),
            ("paper", "ink"),
            ("paper", "ink-2"),
        ])
        .chain(["for", "against", "def", "veto"].map(|side| {
            (
                side,
                match side {
                    "for" => "for-wash",
                    "against" => "against-wash",
                    "def" => "def-wash",
                    _ => "veto-wash",
                },
            )
        }));
    let (light, dark) = schemes();
    for (text, ground) in pairs {
        for (name, scheme) in [("light", &light), ("dark", &dark)] {
            let ratio = contrast(scheme[text], scheme[ground]);
            assert!(ratio >= 4.5, "{name}: {text} on {ground} is {ratio:.2}");
        }
    }
}

#[test]
fn shapes_and_borders_can_be_seen() {
    let (light, dark) = schemes();
    for (shape, ground) in [
        ("rule-2", "paper"),
        ("mark-edge", "mark-wash"),
        ("mark-edge", "paper"),
        ("focus", "paper"),
        ("hazard", "hazard-wash"),
        ("blood", "board"),
    ] {
        for (name, scheme) in [("light", &light), ("dark", &dark)] {
            let ratio = contrast(scheme[shape], scheme[ground]);
            assert!(ratio >= 3.0, "{name}: {shape} on {ground} is {ratio:.2}");
        }
    }
}
