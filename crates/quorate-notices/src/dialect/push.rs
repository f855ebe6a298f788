//! A message as this server's own script in a browser takes it.

use serde_json::json;

use crate::dispatch::{Dispatch, cut};
use crate::push::TEXT_MAX;

/// How many signs of the text are told; a notification shows few lines.
const BODY: usize = 400;

/// As the service worker reads it: title, text, where it leads, what turns it off, and a word by which the same told twice
/// stands there once.
pub fn body(dispatch: &Dispatch) -> String {
    let (text, url) = match dispatch.notices.as_slice() {
        [one] if one.body.is_empty() => (one.reason.clone(), one.link.clone()),
        [one] => (one.body.clone(), one.link.clone()),
        all => {
            let headings: Vec<&str> = all.iter().map(|it| it.heading.as_str()).collect();
            (headings.join("\n"), dispatch.choices.clone())
        }
    };
    let mut most = BODY;
    loop {
        let told = json!({
            "title": cut(&dispatch.subject(), most),
            "body": cut(&text, most),
            "url": url,
            "off": dispatch.off,
            "tag": dispatch.key,
        });
        let told = told.to_string();
        // Signs that take several bytes, and addresses, may need the room.
        if told.len() <= TEXT_MAX || most < 2 {
            return told;
        }
        most /= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::NoticeText;

    fn notice(body: &str) -> NoticeText {
        NoticeText {
            heading: "Your vote is wanted: More rope".to_owned(),
            body: body.to_owned(),
            reason: "You play in The Reef.".to_owned(),
            clause: None,
            link: "https://nomic.example/g/reef/post/3#vote".to_owned(),
            to_do: "Vote".to_owned(),
            thread: "post:3".to_owned(),
            answered: String::new(),
            answer_to: None,
        }
    }

    fn payload_of(notices: Vec<NoticeText>) -> serde_json::Value {
        let dispatch = Dispatch {
            key: "k.1".to_owned(),
            from: "The Reef".to_owned(),
            notices,
            off: Some("https://nomic.example/notices/off/x".to_owned()),
            choices: "https://nomic.example/notices".to_owned(),
        };
        let told = body(&dispatch);
        assert!(told.len() <= TEXT_MAX, "{} bytes", told.len());
        serde_json::from_str(&told).expect("JSON")
    }

    #[test]
    fn a_push_leads_where_its_notice_does_and_fits() {
        let one = payload_of(vec![notice("Each gets two.")]);
        assert_eq!(one["title"], "[The Reef] Your vote is wanted: More rope");
        assert_eq!(one["body"], "Each gets two.");
        assert_eq!(one["url"], "https://nomic.example/g/reef/post/3#vote");
        assert_eq!(one["tag"], "k.1");
        assert_eq!(one["off"], "https://nomic.example/notices/off/x");
        assert_eq!(
            payload_of(vec![notice("")])["body"],
            "You play in The Reef."
        );
        let several = payload_of(vec![notice("a"), notice("b")]);
        assert_eq!(several["url"], "https://nomic.example/notices");
        payload_of(vec![notice(&"\u{1f600}".repeat(9_000))]);
        payload_of(vec![notice(&"\u{1}".repeat(9_000)); 90]);
    }
}
