//! Texts of a game that can be found, as one reader may see them.
//!
//! The index says where words may be. Whether they are there for this reader is decided here, on the text as they see it
//! now: so nothing hidden is found, nor told of by a number.

use quorate_engine::view::View;
use quorate_kernel::command::Act;
use quorate_kernel::digest::Digest;
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::law::LIBRARY;
use quorate_kernel::seal::Sealed;
use quorate_kernel::{EventSeq, Moment, Name, PlayerId};
use quorate_runtime::ports::{SearchKey, SearchPart, SearchPlace, SearchQuery, search_words};

use crate::app::error::AppError;
use crate::ui::markup;
use crate::view::game::GameView;

/// The form of what is indexed. Whoever changes what a text consists of raises it, and all games are indexed anew.
pub(super) const FORM: u32 = 1;

/// How many places the index is asked for at a time.
const BATCH: u32 = 64;

/// How many events are read for the index at a time.
pub(super) const EVENTS: usize = 256;

/// How many letters stand around what was found.
const AROUND: usize = 90;

/// When what has no date counts as written, so that it comes before what has one.
const DATELESS: Moment = Moment(i64::MAX);

/// A text that a reader may see.
pub(crate) struct Findable {
    /// The category of a post.
    pub(crate) category: Name,
    /// Who wrote or did it, as far as the reader may know.
    pub(crate) by: Option<PlayerId>,
    /// When; [`DATELESS`] for rules and people.
    pub(super) at: Moment,
    /// Its title, in words of the theme.
    pub(crate) title: String,
    /// Its text with its marks, in words of the theme.
    pub(super) text: String,
}

/// A text that was found.
pub(crate) struct FoundText {
    /// Where it is.
    pub(crate) place: SearchPlace,
    /// What it is.
    pub(crate) text: Findable,
}

/// The texts that were found, and whether there are more.
pub(crate) struct FoundTexts {
    /// The best first.
    pub(crate) texts: Vec<FoundText>,
    /// Whether others follow.
    pub(crate) has_more: bool,
    /// Whether the index has yet to read a part of the log.
    pub(crate) is_behind: bool,
}

/// A piece of an excerpt, and whether it is what was looked for.
pub(crate) type ExcerptPiece = (String, bool);

impl Findable {
    /// When it was written or done; none for rules and people.
    pub(crate) fn at(&self) -> Option<Moment> {
        (self.at != DATELESS).then_some(self.at)
    }

    /// Whether it is what is looked for.
    fn answers(&self, key: &SearchKey, query: &SearchQuery) -> bool {
        let part = key.part();
        let has_date = self.at != DATELESS;
        let is_dated = query.by.is_some() || query.since.is_some() || query.until.is_some();
        let is_meant = (has_date || !is_dated)
            && query.part.is_none_or(|asked| asked == part)
            && query
                .category
                .as_ref()
                .is_none_or(|category| part == SearchPart::Posts && self.category == *category)
            && (query.by.is_none() || self.by == query.by)
            && query.since.is_none_or(|since| self.at >= since)
            && query.until.is_none_or(|until| self.at < until);
        if !is_meant || query.terms.is_empty() {
            return is_meant;
        }
        let (title, text) = (search_words(&self.title), search_words(&self.text));
        let mut terms = query.terms.iter();
        terms.all(|term| term.place_in(&title).is_some() || term.place_in(&text).is_some())
    }

    /// The words around what was found, without marks; without code where the prose has the words.
    pub(crate) fn excerpt(&self, view: &GameView, query: &SearchQuery) -> Vec<ExcerptPiece> {
        let plain = markup::excerpt(&self.text, view.terms(), usize::MAX);
        let has = |text: &str| {
            let words = search_words(text);
            query
                .terms
                .iter()
                .any(|term| term.place_in(&words).is_some())
        };
        if has(&plain) || !has(&self.text) {
            return around(&plain, query);
        }
        let words = self.text.replace("```starlark", "").replace("```", "");
        let words: Vec<&str> = words.split_whitespace().collect();
        around(&words.join(" "), query)
    }
}

/// Where each word of a text begins and ends.
fn word_places(text: &str) -> Vec<(usize, usize, String)> {
    let mut places: Vec<(usize, usize, String)> = Vec::new();
    let mut from = None;
    let ends = text.char_indices().chain([(text.len(), ' ')]);
    for (at, letter) in ends {
        match (from, letter.is_alphanumeric()) {
            (None, true) => from = Some(at),
            (Some(start), false) => {
                let mut words = search_words(&text[start..at]).into_iter();
                places.extend(words.next().map(|word| (start, at, word)));
                from = None;
            }
            _ => {}
        }
    }
    places
}

/// The part of a text around the first place where something is found, with all such places in it.
fn around(text: &str, query: &SearchQuery) -> Vec<ExcerptPiece> {
    let places = word_places(text);
    let words: Vec<String> = places.iter().map(|(.., word)| word.clone()).collect();
    let mut marked = vec![false; words.len()];
    for term in &query.terms {
        let mut from = 0;
        while let Some((at, count)) = words.get(from..).and_then(|rest| term.place_in(rest)) {
            marked[from + at..from + at + count].fill(true);
            from += at + count;
        }
    }
    let first = marked.iter().position(|is_marked| *is_marked);
    let middle = first.map_or(0, |first| places[first].0);
    let start = text[..middle].char_indices().rev().nth(AROUND);
    let start = start.map_or(0, |(at, _)| {
        let blank = text[at..middle].find(char::is_whitespace);
        blank.map_or(at, |blank| at + blank)
    });
    let end = text[middle..].char_indices().nth(2 * AROUND);
    let end = end.map_or(text.len(), |(at, _)| {
        let blank = text[middle..middle + at].rfind(char::is_whitespace);
        middle + blank.filter(|blank| *blank > 0).unwrap_or(at)
    });
    let mut pieces: Vec<ExcerptPiece> = Vec::new();
    let mut put = |text: &str, is_found: bool| match pieces.last_mut() {
        Some((last, is_alike)) if *is_alike == is_found => last.push_str(text),
        _ if text.is_empty() => {}
        _ => pieces.push((text.to_owned(), is_found)),
    };
    if start > 0 {
        put("… ", false);
    }
    let mut at = start;
    for ((from, to, _), is_found) in places.iter().zip(marked) {
        if is_found && *from >= at && *to <= end {
            put(&text[at..*from], false);
            put(&text[*from..*to], true);
            at = *to;
        }
    }
    let rest = text.get(at..end).unwrap_or_default();
    put(if at > 0 { rest } else { rest.trim_start() }, false);
    if end < text.len() {
        put(" …", false);
    }
    if let Some((first, _)) = pieces.first_mut() {
        *first = first.replace("…  ", "… ");
    }
    pieces
}

fn digests_of(texts: &[&Sealed<str>]) -> Vec<Digest> {
    let here = texts.iter().filter(|text| text.plain().is_some());
    here.map(|text| text.digest()).collect()
}

/// A text of a game's tables as somebody sees it, with the seals whose words are in it.
pub(super) fn kept(
    view: &GameView,
    sight: &View<'_>,
    key: &SearchKey,
) -> Option<(Findable, Vec<Digest>)> {
    let state = view.state();
    match key {
        SearchKey::Post(id) => {
            let post = state.posts.get(id).filter(|post| sight.post(post))?;
            let mut text = post.body.as_str().to_owned();
            if !post.flavour.as_str().is_empty() {
                text.push_str("\n\n");
                text.push_str(post.flavour.as_str());
            }
            let findable = Findable {
                category: post.category.clone(),
                by: sight.author(&post.author),
                at: post.at,
                title: view.themed(post.title.as_str()),
                text: view.themed(&text),
            };
            let seals = digests_of(&[&post.title, &post.body, &post.flavour]);
            Some((findable, seals))
        }
        SearchKey::Comment(post, id) => {
            state.posts.get(post).filter(|post| sight.post(post))?;
            let key = quorate_kernel::rows::CommentKey {
                post: *post,
                id: *id,
            };
            let comment = state.comments.get(&key);
            let comment = comment.filter(|comment| sight.comment(comment))?;
            let findable = Findable {
                category: Name::default(),
                by: sight.author(&comment.author),
                at: comment.at,
                title: String::new(),
                text: view.themed(comment.text.as_str()),
            };
            Some((findable, digests_of(&[&comment.text])))
        }
        SearchKey::Rule(id) => {
            let rule = state.rules.get(id);
            let rule = rule.filter(|rule| rule.section != LIBRARY)?;
            let findable = Findable {
                category: Name::default(),
                by: None,
                at: DATELESS,
                title: view.themed(&rule.title),
                text: view.themed(&rule.text),
            };
            Some((findable, Vec::new()))
        }
        SearchKey::Person(id) => {
            let person = state.people.get(id)?;
            let findable = Findable {
                category: Name::default(),
                by: None,
                at: DATELESS,
                title: view.name(*id),
                text: String::new(),
            };
            Some((findable, digests_of(&[&person.name])))
        }
        SearchKey::Event(_) => None,
    }
}

/// What an event is found by: what was done, what its rules said, and the reason that was given. Posts, comments and
/// messages are no events here; the first two are found themselves.
pub(super) fn findable_event(view: &GameView, event: &Event) -> Option<Findable> {
    let is_done = matches!(event.outcome, Outcome::Done | Outcome::Opened(_));
    if !is_done || !view.may_know(event) {
        return None;
    }
    let title = match &event.act {
        Act::Post(_) | Act::EditPost { .. } | Act::Comment { .. } | Act::Message { .. } => {
            return None;
        }
        Act::Due { .. } | Act::Decide { .. } if event.notes.is_empty() => return None,
        Act::Answer { action, .. } | Act::Abandon { action } | Act::Do { action, .. } => {
            view.action_title(action, Some(event))
        }
        act @ (Act::Found(_)
        | Act::Apply { .. }
        | Act::Leave { .. }
        | Act::Decide { .. }
        | Act::Recategorise { .. }
        | Act::Withdraw { .. }
        | Act::Claim { .. }
        | Act::Dispute { .. }
        | Act::Undo { .. }
        | Act::Dice { .. }
        | Act::Wake { .. }
        | Act::Due { .. }
        | Act::Downtime { .. }
        | Act::Repair { .. }
        | Act::Sleep { .. }) => view.act_title(act),
    };
    let mut lines: Vec<&str> = event.notes.iter().map(|note| note.text.as_str()).collect();
    match &event.act {
        Act::Claim { reason, .. }
        | Act::Dispute { reason, .. }
        | Act::Undo { reason, .. }
        | Act::Repair { reason, .. } => lines.push(reason.as_str()),
        Act::Dice { line } => lines.push(line.as_str()),
        Act::Apply { text, .. } => lines.push(text.as_str()),
        _ => {}
    }
    Some(Findable {
        category: Name::default(),
        by: view.doer(event),
        at: event.at,
        title: capital_first(&title),
        text: lines.join("\n"),
    })
}

fn capital_first(text: &str) -> String {
    quorate_law::capital(text)
}

impl GameView {
    /// The texts that the reader may see and that answer a question, from behind a place on. It waits for the index and for
    /// the log: only where a page is made.
    ///
    /// # Errors
    /// Fails where they cannot be read.
    pub(crate) fn find_texts(
        &self,
        query: &SearchQuery,
        after: Option<&SearchPlace>,
        most: usize,
    ) -> Result<FoundTexts, AppError> {
        let waiting = tokio::runtime::Handle::current();
        let index = &self.site.deps.search;
        let failed = quorate_runtime::OperatingError::from;
        let point = waiting.block_on(index.index_point(&self.game));
        let point = point.map_err(failed)?;
        let mut found = FoundTexts {
            texts: Vec::new(),
            has_more: false,
            is_behind: point.is_none_or(|point| {
                point.form != FORM || point.seq.0 + (EVENTS as u64) < self.published.head.seq.0
            }),
        };
        let mut last = after.cloned();
        loop {
            let places = index.search(&self.game, query, last.as_ref(), BATCH);
            let places = waiting.block_on(places).map_err(failed)?;
            let events = waiting.block_on(self.events_at(&places))?;
            let is_end = places.len() < BATCH as usize;
            last = places.last().cloned();
            for place in places {
                let Some(text) = self.findable(&place.key, &events) else {
                    continue;
                };
                if !text.answers(&place.key, query) {
                    continue;
                }
                if found.texts.len() == most {
                    found.has_more = true;
                    return Ok(found);
                }
                found.texts.push(FoundText { place, text });
            }
            if is_end {
                return Ok(found);
            }
        }
    }

    async fn events_at(&self, places: &[SearchPlace]) -> Result<Vec<Event>, AppError> {
        let seqs = places.iter().filter_map(|place| match place.key {
            SearchKey::Event(seq) => Some(seq),
            _ => None,
        });
        let seqs: Vec<EventSeq> = seqs.collect();
        if seqs.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.site.events(&self.game, &seqs).await?)
    }

    fn findable(&self, key: &SearchKey, events: &[Event]) -> Option<Findable> {
        match key {
            SearchKey::Event(seq) => {
                let event = events.iter().find(|event| event.seq == *seq)?;
                findable_event(self, event)
            }
            _ => kept(self, &self.sight(), key).map(|(findable, _)| findable),
        }
    }
}

#[cfg(test)]
mod tests {
    use quorate_runtime::ports::SearchTerm;

    use super::*;

    fn asks(terms: Vec<SearchTerm>) -> SearchQuery {
        SearchQuery {
            terms,
            ..SearchQuery::default()
        }
    }

    #[test]
    fn an_excerpt_is_cut_at_words_and_shows_each_place() {
        let salt = asks(vec![SearchTerm::of_word("salt".to_owned())]);
        let far = format!(
            "{} Salt, more salty water {}",
            "before ".repeat(40),
            "after ".repeat(80)
        );
        let pieces = around(&far, &salt);
        let marked: Vec<&str> = pieces
            .iter()
            .filter(|(_, is_found)| *is_found)
            .map(|(text, _)| text.as_str())
            .collect();
        assert_eq!(marked, ["Salt", "salty"]);
        let short = around("No salt at sea", &salt);
        let short: String = short.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(short, "No salt at sea");
        let whole: String = pieces.iter().map(|(text, _)| text.as_str()).collect();
        assert!(
            whole.starts_with("… before ") && whole.ends_with(" after …"),
            "{whole}"
        );
        assert!(whole.len() < 400, "{whole}");
        let phrase = asks(vec![SearchTerm::Phrase(search_words("on the pier"))]);
        let pieces = around("The boat on *the* pier.", &phrase);
        let marked = pieces.iter().filter(|(_, is_found)| *is_found).count();
        assert_eq!(marked, 3, "{pieces:?}");
        let nothing = around("A short text", &asks(Vec::new()));
        assert_eq!(nothing, [("A short text".to_owned(), false)]);
    }
}
