//! What comes back by mail: an answer to a message of ours, or word that it did not arrive.

use mail_parser::{HeaderValue, Message, MessageParser, MimeHeaders as _};
use quorate_engine::icons::IconWords;
use quorate_kernel::Name;

/// The longest mail that is read, in bytes.
pub const MAIL_BYTES_MAX: usize = 2 * 1024 * 1024;

/// What a mail is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Incoming {
    /// Somebody answered.
    Answer(MailAnswer),
    /// A message of ours did not arrive, nor will another.
    Bounce {
        /// The word of the address that it came back to.
        word: String,
    },
    /// Written by a machine: answering it could go on for ever.
    Automatic,
    /// The mail server found that its sender did not write it.
    Forged,
    /// To none of our addresses.
    Stray {
        /// Who sent it, to be told.
        from: Option<String>,
    },
    /// No mail at all.
    Unreadable,
}

/// Somebody's answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MailAnswer {
    /// The word of the address that it was sent to.
    pub word: String,
    /// Who sent it.
    pub from: String,
    /// Its own name, by which a second copy is known.
    pub message_id: String,
    /// Its subject.
    pub subject: String,
    /// What was written, without what was quoted.
    pub text: String,
}

/// Reads a mail that came to an address like `reply@games.example`, whose words stand after a `+`. `envelope` is whom the
/// mail server delivered it to, where it says so.
pub fn read(raw: &[u8], address: &str, envelope: Option<&str>) -> Incoming {
    let raw = &raw[..raw.len().min(MAIL_BYTES_MAX)];
    let Some(mail) = MessageParser::default().parse(raw) else {
        return Incoming::Unreadable;
    };
    let word = word_of(&mail, address, envelope);
    if is_report(&mail) {
        return match word {
            Some(word) if is_for_good(raw) => Incoming::Bounce { word },
            _ => Incoming::Automatic,
        };
    }
    if is_automatic(&mail) {
        return Incoming::Automatic;
    }
    if is_forged(&mail) {
        return Incoming::Forged;
    }
    let from = mail.from().and_then(|from| from.first());
    let from = from.and_then(|from| from.address()).map(str::to_owned);
    let (Some(word), Some(from)) = (word, from.clone()) else {
        return Incoming::Stray { from };
    };
    Incoming::Answer(MailAnswer {
        word,
        from,
        message_id: mail.message_id().unwrap_or_default().to_owned(),
        subject: mail.subject().unwrap_or_default().to_owned(),
        text: without_quotations(&mail.body_text(0).unwrap_or_default()),
    })
}

/// The word in the address that a mail came to.
fn word_of(mail: &Message<'_>, address: &str, envelope: Option<&str>) -> Option<String> {
    let mut all: Vec<String> = envelope.iter().map(|to| (*to).to_owned()).collect();
    for list in [mail.to(), mail.cc()].into_iter().flatten() {
        let each = list.iter().filter_map(|one| one.address());
        all.extend(each.map(str::to_owned));
    }
    for name in ["Delivered-To", "X-Original-To"] {
        if let Some(HeaderValue::Text(to)) = mail.header(name) {
            all.push(to.to_string());
        }
    }
    all.iter().find_map(|to| word_in(to, address))
}

/// The word between `+` and `@` in an address of ours.
fn word_in(to: &str, address: &str) -> Option<String> {
    let (local, host) = address.rsplit_once('@')?;
    let (to_local, to_host) = to.trim().trim_matches(['<', '>']).rsplit_once('@')?;
    let (name, word) = to_local.split_once('+')?;
    let is_ours = host.eq_ignore_ascii_case(to_host) && local.eq_ignore_ascii_case(name);
    (is_ours && !word.is_empty()).then(|| word.to_ascii_lowercase())
}

fn is_report(mail: &Message<'_>) -> bool {
    mail.is_content_type("multipart", "report")
}

/// Whether a report says that the address will not take mail: a status that begins with 5 (RFC 3464).
fn is_for_good(raw: &[u8]) -> bool {
    let text = String::from_utf8_lossy(raw);
    text.lines().any(|line| {
        let status = line
            .get(..7)
            .filter(|name| name.eq_ignore_ascii_case("status:"));
        status.is_some() && line[7..].trim_start().starts_with("5.")
    })
}

fn is_automatic(mail: &Message<'_>) -> bool {
    let says = |name: &str| match mail.header(name) {
        Some(HeaderValue::Text(text)) => Some(text.to_ascii_lowercase()),
        Some(_) => Some(String::new()),
        None => None,
    };
    says("Auto-Submitted").is_some_and(|word| !word.starts_with("no"))
        || says("X-Autoreply").is_some()
        || says("Precedence")
            .is_some_and(|word| matches!(word.trim(), "bulk" | "junk" | "auto_reply"))
        || says("List-Id").is_some()
}

/// Whether the mail server says so (RFC 8601). Only the word of the last one that it passed counts, which stands first: the
/// others came with the mail, and nobody forges a word against themselves.
fn is_forged(mail: &Message<'_>) -> bool {
    let mut headers = mail.headers_raw();
    let found = headers.find(|(name, _)| name.eq_ignore_ascii_case("Authentication-Results"));
    let Some((_, results)) = found else {
        return false;
    };
    let results = results.to_ascii_lowercase();
    let says = |word: &str| results.contains(word);
    says("dmarc=fail") || says("spf=fail") && !says("dkim=pass")
}

/// What somebody wrote themselves: up to the mail that they answer or their signature, without lines that quote.
pub fn without_quotations(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let mut kept: Vec<&str> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let next = lines.get(at + 1).copied().unwrap_or_default();
        let after = lines.get(at + 2).copied().unwrap_or_default();
        if *line == "--" || is_divider(line) || introduces(line, next, after) {
            break;
        }
        if !line.starts_with('>') {
            kept.push(line);
        }
    }
    kept.join("\n").trim().to_owned()
}

/// The line above a mail that was kept whole.
fn is_divider(line: &str) -> bool {
    let bare = line.trim_matches(['-', '_', ' ']).to_lowercase();
    let is_ruled = line.starts_with("-----") || line.starts_with("_____");
    is_ruled && (bare.is_empty() || bare.contains("message") || bare.contains("nachricht"))
}

/// The line by which programs introduce what they quote: it ends with a colon, alone or over two lines, and a quotation
/// follows; or it names the address of whoever is quoted, for what is written as HTML quotes without signs.
fn introduces(line: &str, next: &str, after: &str) -> bool {
    let quotes = |line: &str| line.starts_with('>');
    let is_end = |line: &str| line.ends_with(':');
    let is_quoted = is_end(line) && (quotes(next) || next.is_empty() && quotes(after))
        || line.starts_with("On ") && is_end(next) && quotes(after);
    let is_named = holds_address(line)
        && (is_end(line) || is_end(next) && next.split(' ').count() < 3)
        || begins_headers(line, next);
    !line.is_empty() && !quotes(line) && (is_quoted || is_named)
}

/// Whether a mail address stands in a line.
fn holds_address(line: &str) -> bool {
    line.split_whitespace().any(|word| {
        let word = word.trim_matches(|sign: char| !sign.is_alphanumeric());
        let parts = word.split_once('@');
        parts.is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
    })
}

/// Whether a quoted mail begins here, with a few of its headers: `From: …`, in whatever language, with the address, and
/// others below.
fn begins_headers(line: &str, next: &str) -> bool {
    let is_header = |line: &str| {
        // HTML that is read as text may lose the space after the colon.
        let name = line.split_once(':').map(|(name, _)| name);
        name.is_some_and(|name| !name.is_empty() && name.chars().all(char::is_alphabetic))
    };
    is_header(line) && is_header(next) && holds_address(line)
}

/// The vote on the first line, if that is all it says, and the words after it. The line may hold an icon between colons, or
/// its word alone: `:for:`, `FOR`, `For.`
pub fn vote(text: &str, icons: &IconWords) -> (Option<Name>, String) {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let word = first.trim().trim_end_matches(['.', '!']).trim_matches(':');
    match icons.meaning(word) {
        Some(icon) => (Some(icon.clone()), rest.trim().to_owned()),
        None => (None, text.trim().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str = "reply@games.example";

    fn mail(more: &str, body: &str) -> String {
        format!(
            "From: Anna <anna@post.example>\r\nTo: <reply+ab12@games.example>\r\nSubject: Re: [The Reef] More rope\r\n\
             Message-ID: <1@post.example>\r\n{more}\r\n{body}"
        )
    }

    fn words() -> IconWords {
        let icons = ["for", "against"].map(Name::from);
        icons.iter().map(|icon| (icon, icon)).collect()
    }

    fn answer(more: &str, body: &str) -> MailAnswer {
        match read(mail(more, body).as_bytes(), ADDRESS, None) {
            Incoming::Answer(answer) => answer,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_answer_is_read_without_what_it_quotes() {
        let body = "FOR\r\n\r\nI like ropes.\r\n\r\nOn Sun, 4 May 2031, Quorate wrote:\r\n> AGAINST\r\n> Your vote\r\n";
        let answer = answer("", body);
        assert_eq!(
            (answer.word.as_str(), answer.from.as_str()),
            ("ab12", "anna@post.example")
        );
        assert_eq!(answer.text, "FOR\n\nI like ropes.");
        assert_eq!(
            vote(&answer.text, &words()),
            (Some("for".into()), "I like ropes.".to_owned())
        );
    }

    #[test]
    fn other_programs_ways_of_quoting_are_known() {
        for tail in [
            "-- \nAnna",
            "-----Original Message-----\nFrom: Quorate\nFOR",
            "________________________________\nFrom: Quorate\nFOR",
            "On Sunday the fourth of May, Quorate\nwrote:\n> FOR",
            "Am 4. Mai schrieb Quorate:\n\n> FOR",
        ] {
            assert_eq!(
                without_quotations(&format!("Nice.\n\n{tail}")),
                "Nice.",
                "{tail}"
            );
        }
        let whole = "> said\nNo: it is not.\nOn land.\nWrite to bo@post.example: he knows.";
        let own = whole.trim_start_matches("> said\n");
        assert_eq!(without_quotations(whole), own);
    }

    #[test]
    fn what_html_quotes_without_signs_is_cut() {
        for quoted in [
            "<div>On Sun, 4 May 2031 at 9:00, Quorate &lt;<a href=\"mailto:q@games.example\">q@games.example</a>&gt; wrote:<br></div>\
             <blockquote>Your vote is wanted<br>AGAINST</blockquote>",
            "<hr><div><b>Von:</b> Quorate &lt;q@games.example&gt;<br><b>Gesendet:</b> Sonntag, 4. Mai 2031<br>\
             <b>An:</b> Anna<br></div><p>Your vote is wanted</p>",
        ] {
            let body = format!("<html><body><div>FOR</div><div><br></div>{quoted}</body></html>");
            let answer = answer("Content-Type: text/html; charset=utf-8\r\n", &body);
            assert_eq!(answer.text, "FOR", "{quoted}");
        }
    }

    #[test]
    fn a_forged_mail_is_known_by_what_the_mail_server_says_of_it() {
        let read = |results: &str| {
            let more = format!("Authentication-Results: mx.games.example; {results}\r\n");
            super::read(mail(&more, "FOR").as_bytes(), ADDRESS, None)
        };
        let is_answer = |read| matches!(read, Incoming::Answer(_));
        assert_eq!(read("spf=pass; dmarc=fail (p=none)"), Incoming::Forged);
        assert_eq!(
            read("spf=fail smtp.mailfrom=evil.example"),
            Incoming::Forged
        );
        assert!(is_answer(read("spf=fail; dkim=pass; dmarc=pass")));
        assert!(is_answer(read("spf=softfail")));
        let own = "spf=pass\r\nAuthentication-Results: evil.example; dmarc=fail";
        assert!(is_answer(read(own)), "the first one is the mail server's");
    }

    #[test]
    fn a_vote_is_a_line_that_says_nothing_else() {
        let icon = |text: &str| vote(text, &words()).0.map(|icon| icon.to_string());
        assert_eq!(icon("for"), Some("for".to_owned()));
        assert_eq!(icon(" :AGAINST: \nbecause"), Some("against".to_owned()));
        assert_eq!(icon("For!"), Some("for".to_owned()));
        assert_eq!(icon("For what it is worth"), None);
        assert_eq!(icon("Hello\nFOR"), None);
        assert_eq!(icon(""), None);
    }

    #[test]
    fn machines_are_not_answered_and_bounces_are_known() {
        let read = |mail: &str| super::read(mail.as_bytes(), ADDRESS, None);
        assert_eq!(
            read(&mail("Auto-Submitted: auto-replied\r\n", "Away.")),
            Incoming::Automatic
        );
        assert_eq!(
            read(&mail("Precedence: bulk\r\n", "Away.")),
            Incoming::Automatic
        );
        let report = |status: &str| {
            let more =
                "Content-Type: multipart/report; report-type=delivery-status; boundary=x\r\n";
            let body = format!(
                "--x\r\nContent-Type: text/plain\r\n\r\nNo.\r\n--x\r\nContent-Type: message/delivery-status\r\n\r\n\
                 Status: {status}\r\n--x--\r\n"
            );
            mail(more, &body)
        };
        let bounce = Incoming::Bounce {
            word: "ab12".to_owned(),
        };
        assert_eq!(read(&report("5.1.1")), bounce);
        assert_eq!(read(&report("4.2.2")), Incoming::Automatic);
    }

    #[test]
    fn only_our_address_with_a_word_counts() {
        for to in [
            "reply@games.example",
            "reply+x@evil.example",
            "other+x@games.example",
            "reply+@games.example",
        ] {
            let mail = format!("From: a@b.example\r\nTo: {to}\r\n\r\nFOR");
            let stray = Incoming::Stray {
                from: Some("a@b.example".to_owned()),
            };
            assert_eq!(read(mail.as_bytes(), ADDRESS, None), stray, "{to}");
        }
        let mail = "From: a@b.example\r\nTo: undisclosed\r\n\r\nFOR";
        let known = read(mail.as_bytes(), ADDRESS, Some("Reply+Q9@games.example"));
        assert!(matches!(known, Incoming::Answer(answer) if answer.word == "q9"));
    }
}
