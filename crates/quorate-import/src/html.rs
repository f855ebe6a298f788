//! A wiki's page as a browser gets it.
//!
//! The page is read token by token, not as a tree: so each finding knows its line, and a table that nobody closed is found
//! where it was opened.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use crate::blocks::Read;

mod page;

use page::HtmlPage;

/// Whether a text is a page or a piece of one.
pub(crate) fn looks_like(text: &str) -> bool {
    const PAGES: [&str; 4] = ["<!doctype", "<html", "<body", "<head"];
    const PIECES: [&str; 8] = ["<p>", "<p ", "<h1", "<h2", "<h3", "<div", "<ul>", "<table"];
    let start = text.trim_start().to_ascii_lowercase();
    let start = start.get(..start.len().min(2_000)).unwrap_or(&start);
    PAGES.iter().any(|tag| start.contains(tag)) || PIECES.iter().any(|tag| start.starts_with(tag))
}

/// Reads a page.
pub(crate) fn read(text: &str) -> Read {
    let sink = Sink {
        page: RefCell::new(HtmlPage::of(text)),
    };
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(text));
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.page.into_inner().end()
}

struct Sink {
    page: RefCell<HtmlPage>,
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<()> {
        let line = usize::try_from(line).unwrap_or(usize::MAX);
        let mut page = self.page.borrow_mut();
        match token {
            Token::CharacterTokens(words) => page.words(&words),
            Token::TagToken(tag) => return take_tag(&mut page, &tag, line),
            Token::CommentToken(words) => page.comment(line, &words),
            Token::ParseError(_)
            | Token::DoctypeToken(_)
            | Token::NullCharacterToken
            | Token::EOFToken => {}
        }
        TokenSinkResult::Continue
    }
}

fn take_tag(page: &mut HtmlPage, tag: &Tag, line: usize) -> TokenSinkResult<()> {
    use html5ever::tokenizer::states::{Rawtext, Rcdata, ScriptData};
    let attribute = |name: &str| {
        tag.attrs
            .iter()
            .find(|attribute| &*attribute.name.local == name)
            .map_or(String::new(), |attribute| attribute.value.to_string())
    };
    if tag.kind == TagKind::EndTag {
        page.end_tag(line, &tag.name);
        return TokenSinkResult::Continue;
    }
    page.start_tag(line, &tag.name, &attribute, tag.self_closing);
    // What stands in these is no markup; a tree builder would tell the tokenizer so.
    match &*tag.name {
        "script" => TokenSinkResult::RawData(ScriptData),
        "style" | "noframes" | "iframe" => TokenSinkResult::RawData(Rawtext),
        "title" | "textarea" => TokenSinkResult::RawData(Rcdata),
        _ => TokenSinkResult::Continue,
    }
}
