//! What readers fetch themselves: Atom, JSON Feed, and calendars.

use quorate_kernel::Moment;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::dialect::mail::escape;

/// One thing in a feed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FeedEntry {
    /// Never of another thing, and always the same.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Where it is. A whole address.
    pub link: String,
    /// Who wrote it.
    pub author: String,
    /// What kind of thing it is.
    pub category: String,
    /// When it came to be.
    pub at: Moment,
    /// When it last changed.
    pub changed_at: Moment,
    /// Its text as HTML that is safe to show.
    pub html: String,
}

/// A feed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeedPage {
    /// Its title.
    pub title: String,
    /// The page that it tells of.
    pub front: String,
    /// Where it is itself.
    pub own: String,
    /// When something last changed, also where it is empty.
    pub updated: Moment,
    /// What it tells, newest first.
    pub entries: Vec<FeedEntry>,
}

impl FeedPage {
    /// The feed as Atom (RFC 4287).
    pub fn atom(&self) -> String {
        let entries: String = self.entries.iter().map(atom_entry).collect();
        format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
             <title>{}</title>\n<id>{own}</id>\n<link rel=\"self\" href=\"{own}\"/>\n<link href=\"{}\"/>\n\
             <updated>{}</updated>\n{entries}</feed>\n",
            escape(&self.title),
            escape(&self.front),
            iso(self.updated),
            own = escape(&self.own),
        )
    }

    /// The feed as JSON Feed 1.1.
    pub fn json(&self) -> String {
        let items = self.entries.iter().map(|entry| {
            json!({
                "id": entry.id,
                "url": entry.link,
                "title": entry.title,
                "content_html": entry.html,
                "date_published": iso(entry.at),
                "date_modified": iso(entry.changed_at),
                "authors": [{ "name": entry.author }],
                "tags": [entry.category],
            })
        });
        json!({
            "version": "https://jsonfeed.org/version/1.1",
            "title": self.title,
            "home_page_url": self.front,
            "feed_url": self.own,
            "items": items.collect::<Vec<_>>(),
        })
        .to_string()
    }
}

fn atom_entry(entry: &FeedEntry) -> String {
    format!(
        "<entry>\n<title>{}</title>\n<id>{}</id>\n<link href=\"{}\"/>\n<published>{}</published>\n\
         <updated>{}</updated>\n<author><name>{}</name></author>\n<category term=\"{}\"/>\n\
         <content type=\"html\">{}</content>\n</entry>\n",
        escape(&entry.title),
        escape(&entry.id),
        escape(&entry.link),
        iso(entry.at),
        iso(entry.changed_at),
        escape(&entry.author),
        escape(&entry.category),
        escape(&entry.html),
    )
}

/// A moment after RFC 3339, with its seconds.
pub(crate) fn iso(at: Moment) -> String {
    let ((year, month, day), (hour, minute, second)) = (at.date(), at.clock());
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Something on a calendar.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CalendarEntry {
    /// Never of another thing, and always the same.
    pub id: String,
    /// What it is.
    pub title: String,
    /// What there is to know of it.
    pub about: String,
    /// Where it is. A whole address.
    pub link: String,
    /// When it begins.
    pub from: Moment,
    /// When it ends; none for a moment.
    pub to: Option<Moment>,
}

/// A calendar after RFC 5545. `now` is when it was written.
pub fn calendar(title: &str, now: Moment, entries: &[CalendarEntry]) -> String {
    let mut lines = vec![
        "BEGIN:VCALENDAR".to_owned(),
        "VERSION:2.0".to_owned(),
        "PRODID:-//Quorate//Quorate//EN".to_owned(),
        "CALSCALE:GREGORIAN".to_owned(),
        format!("X-WR-CALNAME:{}", calendar_text(title)),
        "REFRESH-INTERVAL;VALUE=DURATION:PT1H".to_owned(),
    ];
    for entry in entries {
        lines.push("BEGIN:VEVENT".to_owned());
        lines.push(format!("UID:{}", calendar_text(&entry.id)));
        lines.push(format!("DTSTAMP:{}", stamp(now)));
        lines.push(format!("DTSTART:{}", stamp(entry.from)));
        if let Some(to) = entry.to.filter(|to| *to > entry.from) {
            lines.push(format!("DTEND:{}", stamp(to)));
        }
        lines.push(format!("SUMMARY:{}", calendar_text(&entry.title)));
        if !entry.about.is_empty() {
            lines.push(format!("DESCRIPTION:{}", calendar_text(&entry.about)));
        }
        lines.push(format!("URL:{}", entry.link));
        lines.push("END:VEVENT".to_owned());
    }
    lines.push("END:VCALENDAR".to_owned());
    let folded: Vec<String> = lines.iter().map(|line| folded(line)).collect();
    folded.concat()
}

fn stamp(at: Moment) -> String {
    let ((year, month, day), (hour, minute, second)) = (at.date(), at.clock());
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
}

/// A text of a calendar, with its four signs escaped.
fn calendar_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '\\' | ';' | ',' => {
                escaped.push('\\');
                escaped.push(sign);
            }
            '\n' => escaped.push_str("\\n"),
            sign if sign.is_control() => {}
            sign => escaped.push(sign),
        }
    }
    escaped
}

/// A line in pieces of at most 75 bytes, each after the first begun with a space.
fn folded(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + 2);
    let mut width = 0;
    for sign in line.chars() {
        if width + sign.len_utf8() > 75 {
            out.push_str("\r\n ");
            width = 1;
        }
        out.push(sign);
        width += sign.len_utf8();
    }
    out.push_str("\r\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> FeedPage {
        let at: Moment = "2031-05-04T09:00Z".parse().expect("a moment");
        FeedPage {
            title: "Reef & Rope".to_owned(),
            front: "https://reef.example/g/reef".to_owned(),
            own: "https://reef.example/g/reef/feed.atom?category=a&x=1".to_owned(),
            updated: at,
            entries: vec![FeedEntry {
                id: "https://reef.example/g/reef/post/12".to_owned(),
                title: "More <rope>\u{8}".to_owned(),
                link: "https://reef.example/g/reef/post/12".to_owned(),
                author: "Bo".to_owned(),
                category: "Call".to_owned(),
                at,
                changed_at: at,
                html: "<p>Each gets two.</p>".to_owned(),
            }],
        }
    }

    #[test]
    fn an_atom_feed_escapes_what_it_holds() {
        let atom = page().atom();
        assert!(atom.contains("<title>More &lt;rope&gt;</title>"), "{atom}");
        assert!(
            atom.contains("<content type=\"html\">&lt;p&gt;Each"),
            "{atom}"
        );
        assert!(
            atom.contains("<updated>2031-05-04T09:00:00Z</updated>"),
            "{atom}"
        );
        assert!(atom.contains("category=a&amp;x=1"), "{atom}");
    }

    #[test]
    fn a_json_feed_has_what_its_version_asks_for() {
        let feed: serde_json::Value = serde_json::from_str(&page().json()).expect("JSON");
        assert_eq!(feed["version"], "https://jsonfeed.org/version/1.1");
        assert_eq!(
            feed["items"][0]["id"],
            "https://reef.example/g/reef/post/12"
        );
        assert_eq!(feed["items"][0]["date_published"], "2031-05-04T09:00:00Z");
    }

    #[test]
    fn a_calendar_is_folded_and_escaped() {
        let at: Moment = "2031-05-04T09:00Z".parse().expect("a moment");
        let entry = CalendarEntry {
            id: "duty-12@reef.example".to_owned(),
            title: "Crates, ropes; and öars ".repeat(6),
            about: "One\nTwo".to_owned(),
            link: "https://reef.example/".to_owned(),
            from: at,
            to: None,
        };
        let text = calendar("The Reef", at, &[entry]);
        assert!(text.lines().all(|line| line.len() <= 75), "{text}");
        assert!(text.contains("DTSTART:20310504T090000Z\r\n"), "{text}");
        assert!(text.contains("DESCRIPTION:One\\nTwo\r\n"), "{text}");
        let unfolded = text.replace("\r\n ", "");
        assert!(
            unfolded.contains("SUMMARY:Crates\\, ropes\\; and öars"),
            "{unfolded}"
        );
    }
}
