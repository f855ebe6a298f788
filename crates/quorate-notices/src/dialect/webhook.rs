//! A message as a plain webhook: JSON, of which the same fields stand in the API's documentation.

use quorate_kernel::Moment;
use serde_json::{Value as Json, json};

use crate::dispatch::Dispatch;
use crate::feed::iso;

/// The body of a request: what happened, when it was written, and each notice. `kinds` are those of the notices, in their
/// order.
pub fn body(dispatch: &Dispatch, kinds: &[&str], game: &str, at: Moment) -> Json {
    let notices = dispatch.notices.iter().zip(kinds).map(|(notice, kind)| {
        json!({
            "kind": kind,
            "heading": notice.heading,
            "body": notice.body,
            "reason": notice.reason,
            "clause": notice.clause.as_ref().map(|(title, address)| {
                json!({ "title": title, "address": address })
            }),
            "link": notice.link,
        })
    });
    json!({
        "type": "notices",
        "timestamp": iso(at),
        "data": {
            "game": game,
            "title": dispatch.from,
            "off": dispatch.off,
            "notices": notices.collect::<Vec<_>>(),
        },
    })
}
