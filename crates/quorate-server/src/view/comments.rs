//! The comments under a post, in pages.

use std::collections::BTreeMap;
use std::ops::Range;

use quorate_kernel::event::NoteTopic;
use quorate_kernel::rows::{Comment, CommentKey};
use quorate_kernel::{CommentId, EventSeq, Name, PostId};

use crate::view::game::GameView;
use crate::view::words::written;

/// Icons that are no votes, each with the reason.
pub type NoVotes = Vec<(Name, String)>;

/// How many comments a page has at most.
pub const COMMENTS_MAX: usize = 100;

/// How much text of comments a page draws at most, in bytes; a single comment is drawn whatever its length.
pub const DRAWN_BYTES_MAX: usize = 512 * 1_024;

/// How many letters of a comment are quoted.
const QUOTED: usize = 600;

impl GameView {
    /// The words of a comment as a quotation, with who said them, to be answered.
    pub fn quoted(&self, post: PostId, comment: &str) -> String {
        let mut under = self.comments_of(post);
        let Some((_, comment)) = under.find(|(key, _)| key.id.to_string() == comment) else {
            return String::new();
        };
        let text = words_beside(comment).unwrap_or_default();
        let short: String = text.chars().take(QUOTED).collect();
        let more = if short.len() < text.len() { " …" } else { "" };
        let lines = short.lines().filter(|line| !line.starts_with('>'));
        let lines: Vec<String> = lines.map(|line| format!("> {line}")).collect();
        let name = match self.author_of(&comment.author) {
            Some(author) => format!("@{} ", self.name(author)),
            None => String::new(),
        };
        if lines.is_empty() {
            return name;
        }
        format!("{}{more}\n\n{name}", lines.join("\n"))
    }
}

impl GameView {
    /// Why icons of some comments are no votes, as the log has it: by the event that brought the comment, each icon with the
    /// reason.
    pub fn no_votes(&self, comments: &[(&CommentKey, &Comment)]) -> BTreeMap<EventSeq, NoVotes> {
        let is_none = |(_, comment): &&(&CommentKey, &Comment)| {
            comment.icons.iter().any(|icon| !icon.counted)
        };
        let seqs = comments.iter().filter(is_none);
        let seqs: Vec<EventSeq> = seqs.map(|(key, _)| key.id.0.event()).collect();
        if seqs.is_empty() {
            return BTreeMap::new();
        }
        // Pages are made where waiting holds up nobody.
        let reading = self.site.events(&self.game, &seqs);
        let events = tokio::runtime::Handle::current().block_on(reading);
        let events = events.unwrap_or_default().into_iter();
        events
            .map(|event| {
                let told = event.notes.into_iter().filter_map(|note| match note.topic {
                    NoteTopic::Uncounted { icon, why } => Some((icon, self.themed(&why))),
                    _ => None,
                });
                (event.seq, told.collect())
            })
            .collect()
    }
}

/// What stands beside a comment's mark: all of it, or what follows on a single vote that it begins with, which the mark
/// shows. None where it is that vote alone.
pub(crate) fn words_beside(comment: &Comment) -> Option<&str> {
    let text = written(&comment.text);
    let [icon] = comment.icons.as_slice() else {
        return Some(text);
    };
    let word = format!(":{}:", icon.name);
    let begun = text.trim_start();
    let is_first = begun
        .get(..word.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(&word));
    if !icon.counted || !is_first {
        return Some(text);
    }
    let rest = begun.get(word.len()..).unwrap_or_default().trim_start();
    (!rest.is_empty()).then_some(rest)
}

/// The comments under a post that the reader may see, oldest first. A comment stays on its page when others follow.
pub struct CommentPages<'a> {
    /// All of them.
    pub all: Vec<(&'a CommentKey, &'a Comment)>,
    pages: Vec<Range<usize>>,
}

impl<'a> CommentPages<'a> {
    /// Those under a post.
    pub fn under(view: &'a GameView, post: PostId) -> Self {
        Self::after(view, post, None)
    }

    /// Those under a post that follow another.
    pub fn after(view: &'a GameView, post: PostId, comment: Option<CommentId>) -> Self {
        let all = view.comments_of(post);
        let all: Vec<_> = all
            .filter(|(key, _)| comment.is_none_or(|id| key.id > id))
            .collect();
        let lengths: Vec<_> = all.iter().map(|(_, one)| one.text.as_str().len()).collect();
        Self {
            all,
            pages: pages(&lengths),
        }
    }

    /// How many pages there are; at least one.
    pub fn count(&self) -> usize {
        self.pages.len()
    }

    /// Which of all are on a page, counted from 0; those of the last where there are fewer pages.
    pub fn page(&self, nth: usize) -> Range<usize> {
        let last = self.pages.len().saturating_sub(1);
        self.pages.get(nth.min(last)).cloned().unwrap_or_default()
    }

    /// The page of a comment.
    pub fn page_of(&self, id: CommentId) -> Option<usize> {
        let place = self.all.iter().position(|(key, _)| key.id == id)?;
        self.pages.iter().position(|page| page.contains(&place))
    }
}

/// Pages of comments of such lengths.
fn pages(lengths: &[usize]) -> Vec<Range<usize>> {
    let mut pages = Vec::new();
    let mut page = 0..0;
    let mut bytes: usize = 0;
    for length in lengths {
        let is_full = page.len() == COMMENTS_MAX || bytes + length > DRAWN_BYTES_MAX;
        if is_full && !page.is_empty() {
            pages.push(page.clone());
            page.start = page.end;
            bytes = 0;
        }
        page.end += 1;
        bytes += length;
    }
    pages.push(page);
    pages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_ends_after_a_hundred_or_half_a_mebibyte() {
        assert_eq!(pages(&[]), vec![0..0]);
        assert_eq!(pages(&[3; 100]), vec![0..100]);
        assert_eq!(pages(&[3; 201]), vec![0..100, 100..200, 200..201]);
        assert_eq!(pages(&[256 * 1_024; 5]), vec![0..2, 2..4, 4..5]);
        assert_eq!(pages(&[1 << 20, 1, 1]), vec![0..1, 1..3]);
    }
}
