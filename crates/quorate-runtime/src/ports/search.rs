//! The index in which words of games are found: posts, comments, rules, events and people.
//!
//! The index is a cache beside the log. It follows each game by event numbers, says nothing about who may see what, and
//! can be thrown away. Whoever asks it looks at each text again, as its reader sees it now.

use std::fmt;
use std::str::FromStr;

use async_trait::async_trait;
use quorate_kernel::digest::Digest;
use quorate_kernel::{CommentId, EventSeq, GameId, Moment, Name, PlayerId, PostId};
use serde::{Deserialize, Serialize};

use super::StoreError;

/// The most letters of a word that count.
const LETTERS_MAX: usize = 48;

/// The most words of a text that can be found.
pub const INDEXED_WORDS_MAX: usize = 50_000;

/// Words shorter than this are only found whole.
const BEGINNING_LETTERS_MIN: usize = 3;

/// The words of a text as the index knows them, in order: letters and digits, in lower case.
pub fn search_words(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    let words = words.take(INDEXED_WORDS_MAX);
    words
        .map(|word| {
            let word = word.chars().take(LETTERS_MAX);
            // Lower case may bring marks that are no letters, as that of a Turkish I does.
            let lower = word.flat_map(char::to_lowercase);
            lower.filter(|letter| letter.is_alphanumeric()).collect()
        })
        .filter(|word: &String| !word.is_empty())
        .collect()
}

/// A text of a game that can be found.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum SearchKey {
    /// A post.
    Post(PostId),
    /// A comment, and the post above it.
    Comment(PostId, CommentId),
    /// A rule.
    Rule(Name),
    /// An event of the log.
    Event(EventSeq),
    /// Somebody on the roster.
    Person(PlayerId),
}

/// What sort of text is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum SearchPart {
    /// Posts.
    Posts,
    /// Comments.
    Comments,
    /// Rules.
    Rules,
    /// Events of the log.
    Events,
    /// People.
    People,
}

impl SearchPart {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Posts,
        Self::Comments,
        Self::Rules,
        Self::Events,
        Self::People,
    ];

    /// The word by which addresses and stores know it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Posts => "posts",
            Self::Comments => "comments",
            Self::Rules => "rules",
            Self::Events => "events",
            Self::People => "people",
        }
    }

    /// The one of that word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.word() == word)
    }
}

impl SearchKey {
    /// What sort of text it is.
    pub fn part(&self) -> SearchPart {
        match self {
            Self::Post(_) => SearchPart::Posts,
            Self::Comment(..) => SearchPart::Comments,
            Self::Rule(_) => SearchPart::Rules,
            Self::Event(_) => SearchPart::Events,
            Self::Person(_) => SearchPart::People,
        }
    }
}

impl fmt::Display for SearchKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Post(post) => write!(f, "post:{post}"),
            Self::Comment(post, comment) => write!(f, "comment:{post}:{comment}"),
            Self::Rule(rule) => write!(f, "rule:{rule}"),
            Self::Event(event) => write!(f, "event:{event}"),
            Self::Person(player) => write!(f, "person:{player}"),
        }
    }
}

/// A word that names no text of a game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("\"{0}\" names no text of a game")]
pub struct NoSearchKey(pub String);

impl FromStr for SearchKey {
    type Err = NoSearchKey;

    fn from_str(text: &str) -> Result<Self, NoSearchKey> {
        let no = || NoSearchKey(text.to_owned());
        let (kind, id) = text.split_once(':').ok_or_else(no)?;
        match kind {
            "post" => id.parse().map(Self::Post).map_err(|_| no()),
            "comment" => {
                let (post, comment) = id.split_once(':').ok_or_else(no)?;
                let post = post.parse().map_err(|_| no())?;
                let comment = comment.parse().map_err(|_| no())?;
                Ok(Self::Comment(post, comment))
            }
            "rule" => Ok(Self::Rule(id.into())),
            "event" => id
                .parse()
                .map(|seq| Self::Event(EventSeq(seq)))
                .map_err(|_| no()),
            "person" => id.parse().map(Self::Person).map_err(|_| no()),
            _ => Err(no()),
        }
    }
}

/// A text as the index takes it in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SearchText {
    /// The category of a post; empty for everything else.
    pub category: Name,
    /// Who wrote or did it, also where not everybody may know.
    pub by: Option<PlayerId>,
    /// When it was written or done.
    pub at: Moment,
    /// Its title.
    pub title: String,
    /// Its text.
    pub text: String,
    /// The seals whose words are in it: with any of them the text leaves the index.
    pub seals: Vec<Digest>,
}

/// How far the index has followed a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct IndexPoint {
    /// The last event that is in it.
    pub seq: EventSeq,
    /// Which form the texts have; a release that makes them otherwise has another.
    pub form: u32,
    /// The words of the theme that stand in the texts.
    pub terms: Digest,
}

/// A word or a phrase that has to be in a title or in a text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum SearchTerm {
    /// Words that begin like this.
    Beginning(String),
    /// These words, whole and in a row.
    Phrase(Vec<String>),
}

impl SearchTerm {
    /// One word that somebody typed: whoever looks for "vote" finds "votes" too, but "an" finds no "anchor".
    pub fn of_word(word: String) -> Self {
        if word.chars().count() < BEGINNING_LETTERS_MIN {
            Self::Phrase(vec![word])
        } else {
            Self::Beginning(word)
        }
    }

    /// Whether it is among such words; gives the first place and how many words it takes there.
    pub fn place_in(&self, words: &[String]) -> Option<(usize, usize)> {
        match self {
            Self::Beginning(beginning) => {
                let mut words = words.iter();
                let place = words.position(|word| word.starts_with(beginning.as_str()));
                place.map(|place| (place, 1))
            }
            Self::Phrase(phrase) if phrase.is_empty() => None,
            Self::Phrase(phrase) => {
                let mut rows = words.windows(phrase.len());
                let place = rows.position(|row| row == phrase.as_slice());
                place.map(|place| (place, phrase.len()))
            }
        }
    }
}

/// What is looked for in a game. All of it has to be so.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SearchQuery {
    /// The words.
    pub terms: Vec<SearchTerm>,
    /// What sort of text.
    pub part: Option<SearchPart>,
    /// Of which category.
    pub category: Option<Name>,
    /// Of whom.
    pub by: Option<PlayerId>,
    /// From when on.
    pub since: Option<Moment>,
    /// Before when.
    pub until: Option<Moment>,
}

/// A text that was found, with its place among all: titles with all the words first, then the newest first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchPlace {
    /// Whether all the words are in its title.
    pub in_title: bool,
    /// When it was written or done.
    pub at: Moment,
    /// Which text.
    pub key: SearchKey,
}

impl SearchPlace {
    /// What places go by: the greatest comes first.
    pub fn rank(&self) -> (bool, Moment, String) {
        (self.in_title, self.at, self.key.to_string())
    }
}

impl fmt::Display for SearchPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = if self.in_title { "title" } else { "text" };
        write!(f, "{title}.{}.{}", self.at.0, self.key)
    }
}

impl FromStr for SearchPlace {
    type Err = NoSearchKey;

    fn from_str(text: &str) -> Result<Self, NoSearchKey> {
        let no = || NoSearchKey(text.to_owned());
        let mut parts = text.splitn(3, '.');
        let mut part = || parts.next().ok_or_else(no);
        let in_title = match part()? {
            "title" => true,
            "text" => false,
            _ => return Err(no()),
        };
        let at = part()?.parse().map(Moment).map_err(|_| no())?;
        let key = part()?.parse()?;
        Ok(Self { in_title, at, key })
    }
}

/// The index of all games.
#[async_trait]
pub trait SearchIndex: Send + Sync {
    /// How far it has followed a game; none where it has not begun to.
    async fn index_point(&self, game: &GameId) -> Result<Option<IndexPoint>, StoreError>;

    /// The texts of a game that were taken out because some of their words were forgotten. What is left of them can be taken
    /// in again.
    async fn index_waiting(&self, game: &GameId) -> Result<Vec<SearchKey>, StoreError>;

    /// Takes texts in, each in place of what it was before, or takes them out where there is none; all or nothing. False,
    /// and nothing happens, where the index does not stand at `from`.
    ///
    /// A text with a forgotten seal is taken out instead, and waits.
    async fn take_into_index(
        &self,
        game: &GameId,
        from: Option<IndexPoint>,
        to: IndexPoint,
        texts: &[(SearchKey, Option<SearchText>)],
    ) -> Result<bool, StoreError>;

    /// Throws away what it has of a game, or of all games, so that it begins anew.
    async fn clear_index(&self, game: Option<&GameId>) -> Result<(), StoreError>;

    /// Texts of a game, the greatest [`SearchPlace::rank`] first, from behind `after` on, and at most so many. A long text
    /// may be given though the words of a phrase stand apart in it.
    async fn search(
        &self,
        game: &GameId,
        query: &SearchQuery,
        after: Option<&SearchPlace>,
        count: u32,
    ) -> Result<Vec<SearchPlace>, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id<T: FromStr>(word: &str) -> T
    where
        T::Err: fmt::Debug,
    {
        word.parse().unwrap()
    }

    #[test]
    fn words_are_letters_and_digits_in_lower_case() {
        let words = search_words("Salt, *on* the_Pier: 45 İstanbul-Ähre!");
        assert_eq!(
            words,
            ["salt", "on", "the", "pier", "45", "istanbul", "ähre"]
        );
        assert_eq!(search_words("… — !"), Vec::<String>::new());
        let long = "x".repeat(LETTERS_MAX + 9);
        assert_eq!(search_words(&long)[0].len(), LETTERS_MAX);
    }

    #[test]
    fn a_key_reads_back_from_its_word() {
        let keys = [
            SearchKey::Post(id("12")),
            SearchKey::Comment(id("12"), id("13-2")),
            SearchKey::Rule("the-ferry".into()),
            SearchKey::Event(EventSeq(77)),
            SearchKey::Person(id("3")),
        ];
        for key in keys {
            assert_eq!(id::<SearchKey>(&key.to_string()), key);
        }
        let place = SearchPlace {
            in_title: true,
            at: Moment(-5),
            key: SearchKey::Rule("a.b".into()),
        };
        assert_eq!(id::<SearchPlace>(&place.to_string()), place);
        assert!("title.x.rule:a".parse::<SearchPlace>().is_err());
        assert!("letter:3".parse::<SearchKey>().is_err());
        assert!("comment:3".parse::<SearchKey>().is_err());
    }

    #[test]
    fn a_short_word_is_found_whole_and_a_longer_one_by_its_beginning() {
        let words = search_words("An anchor on the pier");
        let place = |word: &str| SearchTerm::of_word(word.to_owned()).place_in(&words);
        assert_eq!(place("an"), Some((0, 1)));
        assert_eq!(place("anc"), Some((1, 1)));
        assert_eq!(place("pi"), None);
        let phrase = |text: &str| SearchTerm::Phrase(search_words(text)).place_in(&words);
        assert_eq!(phrase("on the pier"), Some((2, 3)));
        assert_eq!(phrase("on pier"), None);
        assert_eq!(phrase(""), None);
    }
}
