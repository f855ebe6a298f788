//! The ruleset as one text, with all of its code: to search, to copy, to print, to keep.

use std::fmt::Write;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use quorate_kernel::law::LIBRARY;

use crate::requests::forms::OpenedThen;
use crate::site::ruleset::handler::section_title;
use crate::view::game::GameView;
use crate::view::rules::ordered_sections;

/// `GET /g/{game}/rules.txt`.
pub(crate) async fn show(OpenedThen(view): OpenedThen) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
        (header::CACHE_CONTROL, "private, no-cache"),
    ];
    (headers, source(&view)).into_response()
}

/// Every rule as it is kept: its prose with the words of the theme in braces, and its code in fences.
fn source(view: &GameView) -> String {
    let numbers = crate::view::rules::numbers(view);
    let mut text = format!(
        "{}: the ruleset of {}\n",
        view.title(),
        view.when(view.now()).full()
    );
    for (id, section) in ordered_sections(view) {
        let mut rules = view.rules_in_order();
        rules.retain(|(_, rule)| rule.section == *id);
        if rules.is_empty() {
            continue;
        }
        let _ = write!(text, "\n# {}\n", section_title(view, id, section));
        for (name, rule) in rules {
            let number = numbers.get(name).map_or(String::new(), |n| format!("{n} "));
            let off = if rule.active { "" } else { ", switched off" };
            let title = view.themed(&rule.title);
            let _ = write!(text, "\n## {number}{title} ({name}{off})\n\n");
            if *id == LIBRARY {
                let _ = writeln!(text, "```starlark\n{}\n```", rule.text.trim_end());
            } else {
                let _ = writeln!(text, "{}", rule.text.trim());
            }
        }
    }
    text
}
