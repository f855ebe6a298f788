//! A message as chat programs take it at their webhooks.

use serde_json::{Value as Json, json};

use crate::dispatch::{Dispatch, NoticeText, OFF, cut};

/// How many embeds Discord takes in one message.
const DISCORD_EMBEDS: usize = 10;

/// How many signs of a title, and of a text, Discord takes; all embeds together hold no more than 6,000.
const DISCORD_TITLE: usize = 256;
const DISCORD_TEXT: usize = 4_096;
const DISCORD_ALL: usize = 6_000;

/// How many signs a section of Slack takes, and how many blocks a message.
const SLACK_TEXT: usize = 3_000;
const SLACK_BLOCKS: usize = 50;

/// How many bytes a message of ntfy has before it becomes an attachment.
const NTFY_BYTES: usize = 4_096;

/// As Discord's webhooks take it. Nobody is pinged by what players write.
pub fn discord(dispatch: &Dispatch) -> Json {
    let shown = &dispatch.notices[..dispatch.notices.len().min(DISCORD_EMBEDS)];
    let room = (DISCORD_ALL / shown.len().max(1)).min(DISCORD_TEXT + DISCORD_TITLE);
    let embeds: Vec<Json> = shown
        .iter()
        .map(|notice| {
            let title = cut(&notice.heading, DISCORD_TITLE.min(room / 3));
            let footer = cut(&notice.reason, room / 4);
            let left = room.saturating_sub(title.chars().count() + footer.chars().count());
            json!({
                "title": title,
                "url": notice.link,
                "description": cut(&plain_markdown(&notice.body), left.min(DISCORD_TEXT)),
                "footer": { "text": footer },
            })
        })
        .collect();
    let more = dispatch.notices.len() - shown.len();
    let more = (more > 0).then(|| format!("and {more} more: {}", dispatch.choices));
    let off = dispatch.off.as_ref();
    let off = off.map(|off| format!("-# [{OFF}](<{off}>)"));
    let content: Vec<String> = more.into_iter().chain(off).collect();
    json!({
        "username": discord_name(&dispatch.from),
        "content": content.join("\n"),
        "embeds": embeds,
        "allowed_mentions": { "parse": [] },
    })
}

/// A name under which Discord lets a webhook speak. It refuses messages under some names.
fn discord_name(name: &str) -> String {
    let name = name.replace(['@', '#', ':', '`'], " ");
    let name = cut(name.trim(), 80);
    let small = name.to_lowercase();
    let is_refused = small.contains("discord") || small.contains("clyde");
    if is_refused || matches!(small.as_str(), "" | "everyone" | "here") {
        "Quorate".to_owned()
    } else {
        name
    }
}

/// Text in which no sign is Markdown's.
pub(crate) fn plain_markdown(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for sign in text.chars() {
        if matches!(
            sign,
            '*' | '_' | '~' | '`' | '|' | '>' | '[' | ']' | '\\' | '#'
        ) {
            plain.push('\\');
        }
        plain.push(sign);
    }
    plain
}

/// As Slack's incoming webhooks take it.
pub fn slack(dispatch: &Dispatch) -> Json {
    let off = dispatch.off.as_ref().map(|off| {
        let text = format!("<{off}|{OFF}>");
        json!({ "type": "context", "elements": [{ "type": "mrkdwn", "text": text, "verbatim": true }] })
    });
    let shown = SLACK_BLOCKS - usize::from(off.is_some());
    let blocks = dispatch.notices.iter().take(shown).map(|notice| {
        let title = cut(&notice.heading, 500).replace('\n', " ");
        let text = format!(
            "*<{}|{}>*\n{}\n_{}_",
            notice.link,
            slack_text(&title).replace('|', "¦"),
            slack_text(&cut(&notice.body, 1_200)),
            slack_text(&cut(&notice.reason, 500)),
        );
        let text = cut(&text, SLACK_TEXT);
        json!({ "type": "section", "text": { "type": "mrkdwn", "text": text, "verbatim": true } })
    });
    let blocks: Vec<Json> = blocks.chain(off).collect();
    json!({ "text": slack_text(&dispatch.subject()), "blocks": blocks })
}

/// Text with the three signs that Slack reads escaped.
fn slack_text(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// As an `m.room.message` event of Matrix. It is a notice: bots do not answer it.
pub fn matrix(dispatch: &Dispatch) -> Json {
    let off = dispatch.off.iter();
    let off_plain = off.clone().map(|off| format!("{OFF}: {off}"));
    let off_html =
        off.map(|off| format!("<p><a href=\"{}\">{OFF}</a></p>", super::mail::escape(off)));
    let plain: Vec<String> = dispatch
        .notices
        .iter()
        .map(plain_text)
        .chain(off_plain)
        .collect();
    let html: Vec<_> = dispatch
        .notices
        .iter()
        .map(|notice| {
            let escape = super::mail::escape;
            format!(
                "<p><a href=\"{}\"><b>{}</b></a><br>{}<br><i>{}</i></p>",
                escape(&notice.link),
                escape(&notice.heading),
                escape(&notice.body).replace('\n', "<br>"),
                escape(&notice.reason),
            )
        })
        .chain(off_html)
        .collect();
    let html = html.concat();
    json!({
        "msgtype": "m.notice",
        "body": plain.join("\n\n"),
        "format": "org.matrix.custom.html",
        "formatted_body": html,
        "m.mentions": {},
    })
}

fn plain_text(notice: &NoticeText) -> String {
    let parts = [&notice.heading, &notice.body, &notice.link, &notice.reason];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.map(String::as_str).collect::<Vec<_>>().join("\n")
}

/// As ntfy takes it when it is published as JSON.
pub fn ntfy(topic: &str, dispatch: &Dispatch) -> Json {
    let first = dispatch.notices.first();
    let (click, label) = match dispatch.notices.as_slice() {
        [one] => (one.link.clone(), one.to_do.clone()),
        _ => (dispatch.choices.clone(), "Open".to_owned()),
    };
    let mut message = match dispatch.notices.as_slice() {
        [one] if one.body.is_empty() => one.reason.clone(),
        [one] => one.body.clone(),
        all => {
            let headings: Vec<&str> = all.iter().map(|it| it.heading.as_str()).collect();
            headings.join("\n")
        }
    };
    while message.len() > NTFY_BYTES - 4 {
        message = cut(
            &message,
            message.chars().count() - message.chars().count().div_ceil(10),
        );
    }
    let mut actions = vec![json!({ "action": "view", "label": cut(&label, 40), "url": click })];
    // It is off as soon as this is pressed.
    actions.extend(dispatch.off.as_ref().map(|off| {
        json!({ "action": "http", "label": OFF, "url": off, "method": "POST", "clear": true })
    }));
    json!({
        "topic": topic,
        "title": cut(&first.map_or_else(String::new, |_| dispatch.subject()), 250),
        "message": message,
        "click": click,
        "actions": actions,
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn dispatch() -> Dispatch {
        Dispatch {
            key: "reef.12.vote-wanted.post-12.3".to_owned(),
            from: "The Reef".to_owned(),
            notices: vec![NoticeText {
                heading: "Your vote is wanted: More <rope>".to_owned(),
                body: "Each @everyone gets *two* ropes.\n\nBy Bo.".to_owned(),
                reason: "Votes, clause 2, asks every player.".to_owned(),
                clause: Some((
                    "Votes, clause 2".to_owned(),
                    "https://reef.example/g/reef/rules#votes-2".to_owned(),
                )),
                link: "https://reef.example/g/reef/post/12".to_owned(),
                to_do: "Vote".to_owned(),
                thread: "post-12".to_owned(),
                answered: "to comment on it".to_owned(),
                answer_to: Some("reply+a.12@reef.example".to_owned()),
            }],
            off: Some("https://reef.example/notices/off/x".to_owned()),
            choices: "https://reef.example/notices".to_owned(),
        }
    }

    fn many(count: usize) -> Dispatch {
        let mut dispatch = dispatch();
        let mut long = dispatch.notices[0].clone();
        long.body = "wörter ".repeat(5_000);
        long.heading = "a long heading ".repeat(100);
        dispatch.notices = vec![long; count];
        dispatch
    }

    #[test]
    fn discord_gets_embeds_within_its_limits_and_pings_nobody() {
        let one = discord(&dispatch());
        assert_eq!(one["username"], "The Reef");
        for (title, name) in [
            ("Discord Nomic", "Quorate"),
            ("A @b #c", "A  b  c"),
            ("here", "Quorate"),
        ] {
            assert_eq!(discord_name(title), name);
        }
        assert_eq!(one["allowed_mentions"]["parse"], json!([]));
        assert_eq!(
            one["embeds"][0]["url"],
            "https://reef.example/g/reef/post/12"
        );
        assert!(
            one["embeds"][0]["description"]
                .as_str()
                .unwrap()
                .contains("\\*two\\*")
        );
        for count in [1, 3, 10, 40] {
            let message = discord(&many(count));
            let embeds = message["embeds"].as_array().unwrap();
            assert!(embeds.len() <= DISCORD_EMBEDS);
            let length = |json: &Json| json.as_str().unwrap().chars().count();
            let mut all = 0;
            for embed in embeds {
                assert!(length(&embed["title"]) <= 256 && length(&embed["description"]) <= 4_096);
                let of = [
                    &embed["title"],
                    &embed["description"],
                    &embed["footer"]["text"],
                ];
                all += of.into_iter().map(length).sum::<usize>();
            }
            assert!(all <= DISCORD_ALL, "{count}: {all}");
        }
    }

    #[test]
    fn each_message_of_ones_own_can_be_turned_off_from_where_it_is() {
        let off = "https://reef.example/notices/off/x";
        let written = |dispatch: &Dispatch| {
            let all = [
                discord(dispatch),
                slack(dispatch),
                matrix(dispatch),
                ntfy("reef", dispatch),
            ];
            all.map(|json| json.to_string().contains(off))
        };
        assert_eq!(written(&dispatch()), [true; 4]);
        assert_eq!(written(&many(60)), [true; 4]);
        let room = Dispatch {
            off: None,
            ..dispatch()
        };
        assert_eq!(written(&room), [false; 4]);
        let action = ntfy("reef", &dispatch())["actions"][1].clone();
        assert_eq!(
            (&action["url"], &action["method"]),
            (&json!(off), &json!("POST"))
        );
    }

    #[test]
    fn slack_reads_no_link_or_ping_in_what_players_write() {
        let mut hostile = dispatch();
        hostile.notices[0].body = "<!channel> <https://evil.example|here>".to_owned();
        let message = slack(&hostile);
        let text = message["blocks"][0]["text"]["text"].as_str().unwrap();
        assert!(
            text.contains("&lt;!channel&gt;") && !text.contains("<!channel>"),
            "{text}"
        );
        assert!(
            text.starts_with("*<https://reef.example/g/reef/post/12|"),
            "{text}"
        );
        let long = slack(&many(60));
        assert_eq!(long["blocks"].as_array().unwrap().len(), SLACK_BLOCKS);
        assert!(
            long["blocks"][0]["text"]["text"]
                .as_str()
                .unwrap()
                .chars()
                .count()
                <= SLACK_TEXT
        );
    }

    #[test]
    fn matrix_gets_a_notice_in_both_forms() {
        let event = matrix(&dispatch());
        assert_eq!(event["msgtype"], "m.notice");
        assert!(
            event["formatted_body"]
                .as_str()
                .unwrap()
                .contains("More &lt;rope&gt;")
        );
        assert!(event["body"].as_str().unwrap().contains("More <rope>"));
    }

    #[test]
    fn ntfy_gets_a_message_that_is_no_attachment() {
        let message = ntfy("reef", &dispatch());
        assert_eq!(message["topic"], "reef");
        assert_eq!(message["click"], "https://reef.example/g/reef/post/12");
        let long = ntfy("reef", &many(1));
        assert!(long["message"].as_str().unwrap().len() <= NTFY_BYTES);
    }
}
