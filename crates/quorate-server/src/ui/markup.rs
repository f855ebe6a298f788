//! What people write, made into HTML that can be trusted.
//!
//! Markdown is read by comrak with raw HTML shown as it was typed; votes and words of the theme are put into the tree, not
//! into the text, so that code and addresses stay what they are. Whatever comes out passes ammonia's list of allowed
//! elements, although nothing else should come out: two fences, because strangers write here.

mod pictures;
mod reading;
mod short;
mod tokens;

pub use pictures::{UPLOAD_WORD, UPLOADED, uploaded};
pub use reading::{People, Reading, Terms};
pub use short::{excerpt, in_two};
pub use tokens::{names, themed};

use std::fmt;
use std::sync::LazyLock;

use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, format_html, parse_document};
use quorate_engine::icons::{IconWords, cut, is_spoken, nests_too_deep, options};

use crate::ui::html::{escape, writes_html};
use crate::ui::mark::Ballot;
use crate::ui::markup::pictures::is_own_picture;
use crate::ui::markup::tokens::{TextPiece, pieces};

/// HTML that is safe to stand in a page. Only this module makes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Markup(String);

impl Markup {
    /// The HTML.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Plain text as one paragraph.
    pub fn paragraph(text: &str) -> Self {
        Self(format!("<p>{}</p>", escape(text)))
    }

    /// Whether nothing would be seen.
    pub fn is_empty(&self) -> bool {
        self.0.trim().is_empty()
    }
}

impl fmt::Display for Markup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

writes_html!(Markup);

/// How many votes, names and words of the theme are drawn in one text. More would make a page of many times the text's size.
const TOKENS_MAX: usize = 1_000;

/// Makes HTML of somebody's Markdown.
pub fn render(text: &str, reading: Reading<'_>) -> Markup {
    let text = cut(text);
    let as_code = || {
        Markup(reachable(&format!(
            "<pre><code>{}</code></pre>",
            escape(text)
        )))
    };
    if nests_too_deep(text) {
        return as_code();
    }
    let arena = Arena::new();
    let mut options = options();
    options.render.hardbreaks = reading.keeps_lines;
    let root = parse_document(&arena, text, &options);
    // The tree changes under the walk, so the walk is fixed first.
    let nodes: Vec<_> = root.descendants().collect();
    let mut left = TOKENS_MAX;
    for node in nodes {
        settle(&arena, node, reading, &mut left);
    }
    let mut html = String::with_capacity(text.len() * 2);
    if format_html(root, &options, &mut html).is_err() {
        return as_code();
    }
    Markup(reachable(&draw_votes(CLEANER.clean(&html).to_string())))
}

/// Code and tables may be wider than their column and scroll in it, so that keys come to them. The tags cannot come from a
/// text: raw HTML is escaped there.
fn reachable(html: &str) -> String {
    let html = html.replace("<pre>", r#"<pre tabindex="0">"#);
    html.replace("<table>", r#"<table tabindex="0">"#)
}

/// Turns what must not stand (images, headings of their own level) into what may, and the tokens of the text into votes
/// and words of the theme.
fn settle<'a>(arena: &'a Arena<'a>, node: &'a AstNode<'a>, reading: Reading<'_>, left: &mut usize) {
    let mut data = node.data.borrow_mut();
    match &mut data.value {
        NodeValue::Heading(heading) => {
            if let Some(level) = reading.heading {
                heading.level = level.clamp(2, 6);
            } else {
                data.value = NodeValue::Paragraph;
                drop(data);
                embolden(arena, node);
            }
        }
        // Pictures of this server's games are shown.
        NodeValue::Image(link) if is_own_picture(&link.url) => {}
        NodeValue::Image(link) if reading.pictures.is_some() && uploaded(&link.url).is_some() => {
            let (way, word) = (reading.pictures, uploaded(&link.url));
            link.url = [way.unwrap_or_default(), word.unwrap_or_default()].concat();
        }
        // Nothing on a page may be fetched from elsewhere, so another picture becomes the way to it.
        NodeValue::Image(link) => {
            let link = link.clone();
            data.value = NodeValue::Link(link);
        }
        NodeValue::Text(words) => {
            let words = words.to_string();
            drop(data);
            place_tokens(arena, node, &words, reading, left);
        }
        _ => {}
    }
}

fn embolden<'a>(arena: &'a Arena<'a>, node: &'a AstNode<'a>) {
    let strong = arena.alloc(AstNode::from(NodeValue::Strong));
    let children: Vec<_> = node.children().collect();
    for child in children {
        strong.append(child);
    }
    node.append(strong);
}

/// Puts raw nodes for votes and themed words between what is left of a text node.
fn place_tokens<'a>(
    arena: &'a Arena<'a>,
    node: &'a AstNode<'a>,
    words: &str,
    reading: Reading<'_>,
    left: &mut usize,
) {
    // The reader of votes finds none in what somebody else said, so none is drawn there.
    let none = IconWords::default();
    let icons = if is_spoken(node) {
        reading.icons
    } else {
        &none
    };
    let pieces = pieces(words, Reading { icons, ..reading });
    if let [TextPiece::Words(same)] = pieces.as_slice() {
        debug_assert_eq!(*same, words);
        return;
    }
    let tokens = pieces
        .iter()
        .filter(|piece| !matches!(piece, TextPiece::Words(_)));
    let Some(rest) = left.checked_sub(tokens.count()) else {
        return;
    };
    *left = rest;
    for piece in pieces {
        let value = match piece {
            TextPiece::Words(words) => NodeValue::Text(words.to_owned().into()),
            TextPiece::Vote(side) => NodeValue::Raw(vote_tag(side)),
            TextPiece::Person(name, _) if is_in_link(node) => {
                NodeValue::Text(name.to_owned().into())
            }
            TextPiece::Person(name, href) => NodeValue::Raw(format!(
                r#"<a href="{}">{}</a>"#,
                escape(href),
                escape(name)
            )),
            TextPiece::Term(term) => {
                NodeValue::Raw(format!(r#"<span class="term">{}</span>"#, escape(term)))
            }
        };
        node.insert_before(arena.alloc(AstNode::from(value)));
    }
    node.detach();
}

fn is_in_link<'a>(node: &'a AstNode<'a>) -> bool {
    let mut above = node.ancestors();
    above.any(|one| matches!(one.data.borrow().value, NodeValue::Link(_)))
}

fn vote_tag(side: &str) -> String {
    format!(r#"<b class="vote">{}</b>"#, escape(side))
}

/// Puts the drawings in after cleaning, which lets no drawing through. The tag cannot come from a text: raw HTML is
/// escaped there, and an attribute's value cannot hold an unescaped quotation mark.
fn draw_votes(html: String) -> String {
    const OPEN: &str = r#"<b class="vote">"#;
    if !html.contains(OPEN) {
        return html;
    }
    let mut out = String::with_capacity(html.len() + 128);
    let mut rest = html.as_str();
    while let Some((before, after)) = rest.split_once(OPEN) {
        out.push_str(before);
        match after.split_once("</b>") {
            Some((side, tail)) => {
                out.push_str(&Ballot::new(side).mark().to_string());
                rest = tail;
            }
            None => rest = after,
        }
    }
    out + rest
}

static CLEANER: LazyLock<ammonia::Builder<'static>> = LazyLock::new(|| {
    let tags = [
        "a",
        "b",
        "blockquote",
        "br",
        "code",
        "del",
        "em",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "img",
        "ins",
        "li",
        "ol",
        "p",
        "pre",
        "span",
        "strong",
        "sup",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "u",
        "ul",
    ];
    let mut cleaner = ammonia::Builder::empty();
    cleaner
        .tags(tags.into())
        .tag_attributes(
            [
                ("a", ["href", "title"].into()),
                ("img", ["src", "alt", "title"].into()),
                ("ol", ["start"].into()),
            ]
            .into(),
        )
        .attribute_filter(|tag, attribute, value| match (tag, attribute) {
            ("img", "src") if !is_own_picture(value) => None,
            _ => Some(value.into()),
        })
        .allowed_classes([("b", ["vote"].into()), ("span", ["term", "spoiler"].into())].into())
        .url_schemes(["http", "https", "mailto"].into())
        .url_relative(ammonia::UrlRelative::PassThrough)
        .link_rel(Some("nofollow noopener noreferrer ugc"));
    cleaner
});

#[cfg(test)]
mod tests {
    use quorate_engine::icons::BYTES_MAX;
    use quorate_kernel::Name;

    use super::*;

    fn terms() -> Terms {
        [
            ("player", "Horde"),
            ("players", "Hordes"),
            ("admin", "<b>Clerk</b>"),
        ]
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .into()
    }

    fn icons() -> IconWords {
        let names = ["for", "against", "deferential", "veto"].map(Name::from);
        let alias = (Name::from("def"), Name::from("deferential"));
        let names = names.iter().map(|name| (name, name));
        names.chain([(&alias.0, &alias.1)]).collect()
    }

    fn people() -> People {
        [
            ("anna", "/g/reef/players/1"),
            ("anna lee", "/g/reef/players/2"),
        ]
        .map(|(name, href)| (name.to_owned(), href.to_owned()))
        .into()
    }

    #[test]
    fn a_name_after_an_at_leads_to_its_page() {
        let out = html("Thanks, @Anna!");
        assert!(
            out.contains("/g/reef/players/1") && out.contains(">@Anna</a>!"),
            "{out}"
        );
        assert!(
            html("@anna lee said").contains("/g/reef/players/2"),
            "the longest name"
        );
        for text in ["mail@anna", "@Annabel", "@nobody", "`@Anna`"] {
            assert!(!html(text).contains("players"), "{text}");
        }
        let link = html("[@Anna](https://example.org)");
        assert!(!link.contains("players"), "no link within a link: {link}");
        assert!(names("over to you, @ANNA.", "Anna") && !names("anna@", "Anna"));
    }

    #[test]
    fn thousands_of_votes_stay_as_they_were_typed() {
        let votes = |count| html(&":for: @Anna ".repeat(count)).matches("<svg").count();
        let most = TOKENS_MAX / 2;
        assert_eq!((votes(most), votes(most + 1)), (most, 0));
    }

    fn html(text: &str) -> String {
        render(
            text,
            Reading {
                terms: &terms(),
                icons: &icons(),
                people: &people(),
                keeps_lines: true,
                pictures: Some("/g/reef/uploads/"),
                heading: Some(3),
            },
        )
        .as_str()
        .trim()
        .to_owned()
    }

    #[test]
    fn a_long_text_is_told_in_two_at_the_end_of_a_sentence() {
        let terms = Terms::new();
        let (lead, rest) = in_two("A lamp burns. It is *blown* out at dawn.", &terms, 20);
        assert_eq!(
            (lead.as_str(), rest.as_str()),
            ("A lamp burns.", "It is blown out at dawn.")
        );
        let (lead, rest) = in_two("A lamp that burns all night. It is out.", &terms, 20);
        assert_eq!(
            (lead.as_str(), rest.as_str()),
            ("A lamp that burns all night.", "It is out."),
            "a sentence that is a little too long stays whole"
        );
        let (lead, rest) = in_two("A lamp that burns all night.", &terms, 12);
        assert_eq!(
            (lead.as_str(), rest.as_str()),
            ("A lamp that …", "burns all night.")
        );
        assert_eq!(
            in_two("Short.", &terms, 12),
            ("Short.".to_owned(), String::new())
        );
    }

    #[test]
    fn plain_markdown_becomes_plain_html() {
        assert_eq!(html("Six is *enough*."), "<p>Six is <em>enough</em>.</p>");
        assert_eq!(html("~~ten~~ six"), "<p><del>ten</del> six</p>");
    }

    #[test]
    fn keys_come_to_code_and_tables_for_both_may_scroll() {
        let code = html("```\n<pre> of code\n```");
        assert!(code.starts_with(r#"<pre tabindex="0">"#), "{code}");
        assert_eq!(code.matches("tabindex").count(), 1, "{code}");
        let table = html("| a |\n|---|\n| b |");
        assert!(table.contains(r#"<table tabindex="0">"#), "{table}");
    }

    /// The table by which the law reads comments.
    const COMMENTS: &str = include_str!("../../../quorate-engine/src/icons/comments.txt");

    #[test]
    fn pages_draw_the_votes_that_the_law_reads_and_no_others() {
        let mut wrong = Vec::new();
        let rows = COMMENTS.lines().filter(|line| !line.starts_with("# What"));
        for row in rows {
            let (text, icons) = row.rsplit_once("=>").expect("a text and its icons");
            let typed = text.strip_suffix(' ').unwrap_or(text);
            let typed = typed.replace("\\n", "\n").replace("\\\\", "\\");
            let drawn: Vec<String> = html(&typed)
                .split("aria-label=\"")
                .skip(1)
                .filter_map(|rest| rest.split('"').next().map(str::to_lowercase))
                .collect();
            if drawn.join(" ") != icons.trim() {
                wrong.push(format!("{text}: drawn as {drawn:?}, not as \"{icons}\""));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn a_vote_between_colons_is_drawn() {
        let out = html("Yes. :for: it");
        assert!(
            out.contains(r#"aria-label="FOR""#) && out.contains("#i-for"),
            "{out}"
        );
        assert!(html("then :DEF:").contains(r#"aria-label="DEFERENTIAL""#));
    }

    #[test]
    fn a_side_that_the_law_does_not_know_stays_text() {
        assert_eq!(html(":maybe: at 10:30"), "<p>:maybe: at 10:30</p>");
    }

    #[test]
    fn words_of_the_theme_take_the_place_of_tokens() {
        let out = html("All {players} but one {player}, and {unknown}.");
        assert!(out.contains(r#"<span class="term">Hordes</span>"#), "{out}");
        assert!(out.contains("{unknown}"), "{out}");
        assert!(
            html("`{player}`").contains("{player}"),
            "code keeps its braces"
        );
    }

    #[test]
    fn a_themed_word_cannot_bring_markup() {
        let out = html("Ask an {admin}.");
        assert!(out.contains("&lt;b&gt;Clerk"), "{out}");
    }

    #[test]
    fn hostile_texts_come_out_harmless() {
        for text in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "[x](javascript:alert(1))",
            "[x](JaVaScRiPt:alert(1))",
            "[x](data:text/html,<script>alert(1)</script>)",
            "[x](vbscript:x)",
            "![x](javascript:alert(1))",
            "![\" onerror=\"x](https://example.org/a.png \"t\\\" onload=\\\"x\")",
            "<a href='javascript:x'>y</a>",
            "<svg/onload=alert(1)>",
            "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
            "<style>body{display:none}</style>",
            "<iframe src=//elsewhere.example></iframe>",
            "<form action=//elsewhere.example><input name=csrf>",
            "[a]: javascript:x\n\n[a]",
            "<javascript:alert(1)>",
            "[:for:](https://example.org \"<b class=\\\"vote\\\">for</b>\")",
            "<b class=\"vote\">veto</b>",
            "**<b class=\"vote\">veto</b>**",
            "```\"><script>\nx\n```",
            "| a |\n|---|\n| <img src=x> |",
        ] {
            let out = html(text);
            let lower = out.to_lowercase();
            for bad in [
                "<script",
                "<img",
                "<style",
                "<iframe",
                "<form",
                "<input",
                "<math",
                "href=\"javascript",
                "href=\"data",
                "href=\"vbscript",
            ] {
                assert!(!lower.contains(bad), "{text} gave {out}");
            }
            let page = scraper::Html::parse_fragment(&out);
            for element in page.tree.values().filter_map(|node| node.as_element()) {
                for (name, value) in element.attrs() {
                    assert!(
                        !name.starts_with("on") && name != "style",
                        "{text} gave {out}"
                    );
                    assert!(
                        !value.trim().to_lowercase().starts_with("javascript:"),
                        "{text} gave {out}"
                    );
                }
            }
        }
        assert!(
            !html("<b class=\"vote\">veto</b>").contains("#i-veto"),
            "nobody forges the drawing of a vote"
        );
    }

    #[test]
    fn pictures_become_links_so_that_nothing_is_fetched_from_elsewhere() {
        let out = html("![the pier](https://example.org/pier.png)");
        assert!(
            out.contains(r#"href="https://example.org/pier.png""#) && out.contains("the pier"),
            "{out}"
        );
        assert!(out.contains("nofollow"), "{out}");
    }

    #[test]
    fn uploaded_pictures_are_shown_where_their_text_is() {
        let word = "0123456789abcdef0123456789abcdef";
        let out = html(&format!("![a map](picture:{word})"));
        let own = format!(r#"src="/g/reef/uploads/{word}" alt="a map""#);
        assert!(out.contains(&own), "{out}");
        let other = html("![x](picture:0123)");
        assert!(
            !other.contains("<img") && !other.contains("href"),
            "{other}"
        );
    }

    #[test]
    fn pictures_of_this_server_are_shown() {
        let own = html("![the pier](/g/reef/picture/player:3/icon/0a1b)");
        assert!(
            own.contains("<img") && own.contains(r#"alt="the pier""#),
            "{own}"
        );
        for other in [
            "/g/reef/picture/player:3/icon/..",
            "/g/reef/log/1/undo/x/y",
            "//elsewhere.example/g/reef/picture/a/b/c",
            "/g/reef/picture/a/b/c?x",
        ] {
            let out = html(&format!("![x]({other})"));
            assert!(!out.contains("<img"), "{other} gave {out}");
        }
    }

    #[test]
    fn headings_fit_into_the_outline_of_the_page() {
        assert_eq!(html("# Big"), "<h3>Big</h3>");
        let reading = Reading {
            terms: &terms(),
            icons: &IconWords::default(),
            people: &People::new(),
            keeps_lines: true,
            pictures: None,
            heading: None,
        };
        assert_eq!(
            render("# Big", reading).as_str().trim(),
            "<p><strong>Big</strong></p>"
        );
    }

    #[test]
    fn nesting_without_end_is_shown_as_it_was_typed() {
        for text in [
            ">".repeat(100_000),
            "- ".repeat(50_000),
            "[".repeat(50_000),
            "*a ".repeat(50_000),
            "![".repeat(50_000),
            "1. ".repeat(30_000),
            " ".repeat(90_000) + "x",
        ] {
            let out = html(&text);
            assert!(
                out.len() < 4 * BYTES_MAX,
                "{} bytes from {} bytes",
                out.len(),
                text.len()
            );
        }
    }

    #[test]
    fn a_text_is_cut_at_a_letter_not_inside_one() {
        let long = "ä".repeat(BYTES_MAX);
        assert!(html(&long).starts_with("<p>ää"));
    }

    #[test]
    fn an_excerpt_has_no_marks_and_ends_at_a_word() {
        let short = excerpt(
            "# Title\n\nEvery **{player}** may *row* out, once a day.",
            &terms(),
            30,
        );
        assert_eq!(short, "Title Every Horde may row out …");
    }
}
