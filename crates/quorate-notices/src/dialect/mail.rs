//! A message as mail: plain text, and the same as HTML.

use crate::dispatch::{Dispatch, NoticeText, OFF};

/// The plain text.
pub fn text(dispatch: &Dispatch) -> String {
    let mut lines = Vec::new();
    for notice in &dispatch.notices {
        if dispatch.notices.len() > 1 {
            lines.push(format!("* {}", notice.heading));
        } else {
            lines.push(notice.heading.clone());
        }
        lines.push(String::new());
        if !notice.body.is_empty() {
            lines.push(notice.body.clone());
            lines.push(String::new());
        }
        lines.push(format!("{}: {}", notice.to_do, notice.link));
        if let Some(address) = &notice.answer_to {
            let how = match dispatch.notices.len() {
                1 => "Answer this mail".to_owned(),
                _ => format!("Write to {address}"),
            };
            lines.push(format!("{how} {}.", notice.answered));
        }
        lines.push(notice.reason.clone());
        if let Some((title, address)) = &notice.clause {
            lines.push(format!("{title}: {address}"));
        }
        lines.push(String::new());
    }
    lines.push("-- ".to_owned());
    lines.push(format!("Choose what you hear: {}", dispatch.choices));
    if let Some(off) = &dispatch.off {
        lines.push(format!("{OFF}: {off}"));
    }
    lines
        .join("\r\n")
        .replace("\r\n", "\n")
        .replace('\n', "\r\n")
}

/// The same as HTML, without pictures, scripts or anything that is fetched.
pub fn html(dispatch: &Dispatch) -> String {
    let is_one = dispatch.notices.len() == 1;
    let notices = dispatch.notices.iter();
    let notices: String = notices.map(|notice| section(notice, is_one)).collect();
    let off = dispatch.off.as_ref().map_or_else(String::new, |off| {
        format!(" · <a href=\"{}\">{OFF}</a>", escape(off))
    });
    format!(
        "<!doctype html><html><body style=\"font-family:sans-serif;line-height:1.5;max-width:40em\">{notices}<hr>\
         <p style=\"font-size:small\"><a href=\"{}\">Choose what you hear</a>{off}</p></body></html>",
        escape(&dispatch.choices),
    )
}

fn section(notice: &NoticeText, is_one: bool) -> String {
    let paragraphs = notice.body.split("\n\n").map(str::trim);
    let body: Vec<_> = paragraphs
        .filter(|paragraph| !paragraph.is_empty())
        .map(|paragraph| format!("<p>{}</p>", escape(paragraph).replace('\n', "<br>")))
        .collect();
    let body = body.concat();
    let clause = notice
        .clause
        .as_ref()
        .map_or_else(String::new, |(title, address)| {
            format!(" <a href=\"{}\">{}</a>", escape(address), escape(title))
        });
    let answer = notice
        .answer_to
        .as_ref()
        .map_or_else(String::new, |address| {
            let how = if is_one {
                "Answer this mail".to_owned()
            } else {
                format!("<a href=\"mailto:{}\">Answer by mail</a>", escape(address))
            };
            format!("<p>{how} {}.</p>", escape(&notice.answered))
        });
    format!(
        "<h2 style=\"font-size:1.1em\">{}</h2>{body}<p><a href=\"{}\"><b>{}</b></a></p>{answer}\
         <p style=\"font-size:small\">{}{clause}</p>",
        escape(&notice.heading),
        escape(&notice.link),
        escape(&notice.to_do),
        escape(&notice.reason),
    )
}

/// A text in HTML or XML, in an element or in an attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // What XML cannot hold at all.
            sign if sign.is_control() && !matches!(sign, '\n' | '\r' | '\t') => {}
            '\u{FFFE}' | '\u{FFFF}' => {}
            sign => escaped.push(sign),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::chat::tests::dispatch;

    #[test]
    fn mail_says_what_why_and_where_in_both_forms() {
        let dispatch = dispatch();
        let text = text(&dispatch);
        for part in [
            "Your vote is wanted",
            "Vote: https://reef.example/g/reef/post/12",
            "clause 2",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(text.contains("No more of this: https://reef.example/notices/off/x"));
        assert!(text.split("\r\n").all(|line| !line.contains('\n')));
        let html = html(&dispatch);
        assert!(html.contains("More &lt;rope&gt;"), "{html}");
        assert!(!html.contains("<rope>") && !html.contains("<img"), "{html}");
    }

    #[test]
    fn each_thing_of_a_digest_has_an_address_of_its_own_for_an_answer() {
        let mut dispatch = dispatch();
        assert!(text(&dispatch).contains("\r\nAnswer this mail to comment on it.\r\n"));
        let mut other = dispatch.notices[0].clone();
        other.answer_to = None;
        dispatch.notices.push(other);
        let written = text(&dispatch);
        assert!(written.contains("\r\nWrite to reply+a.12@reef.example to comment on it.\r\n"));
        assert_eq!(written.matches("to comment on it").count(), 1);
        let link =
            "<a href=\"mailto:reply+a.12@reef.example\">Answer by mail</a> to comment on it.";
        assert!(html(&dispatch).contains(link));
    }
}
