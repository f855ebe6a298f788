//! Words in links and addresses that were sent out: what they let their bearer do, and a proof that they are ours.
//!
//! None of them needs a row of its own: they name a channel, a letter or an account, and are worth nothing once that is
//! gone.

use quorate_kernel::{GameId, Moment, Span};
use quorate_notices::kind::NoticeKind;
use quorate_notices::outbox::{ChannelId, LetterId};
use quorate_runtime::ports::{Account, AccountId, TokenScopes};

use crate::app::state::AppState;
use crate::security::same_secret;

/// What a word lets its bearer do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum WordFor {
    /// Turn off a kind of a game on the account of a channel, or the whole channel.
    Off(ChannelId, Option<(GameId, NoticeKind)>),
    /// Confirm that the owner of a channel reads there.
    Confirm(ChannelId),
    /// Answer a letter as the one whom it was sent to.
    Answer(LetterId),
    /// Be told how to answer what a message tells: its first letter.
    Whole(LetterId),
    /// Report that a letter did not arrive.
    Bounce(LetterId),
    /// Read what waits for the owner of a channel.
    Feed(ChannelId),
    /// Play as an account from elsewhere, once this was used before it ends, and while the account's password is that of this
    /// [`mark`].
    Link(AccountId, TokenScopes, Moment, String),
}

/// How long a word to link somebody elsewhere counts.
pub(crate) const LINK_COUNTS: Span = Span::minutes(10);

/// How many signs of the proof stand in a word.
const PROOF: usize = 32;

impl WordFor {
    fn open_part(&self) -> String {
        match self {
            Self::Off(channel, None) => format!("o.{}", channel.0),
            Self::Off(channel, Some((game, kind))) => format!("o.{}.{game}.{kind}", channel.0),
            Self::Confirm(channel) => format!("c.{}", channel.0),
            Self::Answer(letter) => format!("a.{}", letter.0),
            Self::Whole(letter) => format!("w.{}", letter.0),
            Self::Bounce(letter) => format!("b.{}", letter.0),
            Self::Feed(channel) => format!("f.{}", channel.0),
            Self::Link(account, scopes, ends_at, mark) => {
                let scopes = scopes.to_string().replace(' ', "+");
                format!("l.{}.{scopes}.{}.{mark}", account.0, ends_at.0)
            }
        }
    }

    fn read_open(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split('.').collect();
        let number = |text: &str| text.parse().ok();
        Some(match parts.as_slice() {
            ["o", channel] => Self::Off(ChannelId(number(channel)?), None),
            ["o", channel, game, kind] => {
                let what = (game.parse().ok()?, kind.parse().ok()?);
                Self::Off(ChannelId(number(channel)?), Some(what))
            }
            ["c", channel] => Self::Confirm(ChannelId(number(channel)?)),
            ["a", letter] => Self::Answer(LetterId(number(letter)?)),
            ["w", letter] => Self::Whole(LetterId(number(letter)?)),
            ["b", letter] => Self::Bounce(LetterId(number(letter)?)),
            ["f", channel] => Self::Feed(ChannelId(number(channel)?)),
            ["l", account, scopes, ends_at, mark] => {
                let scopes = scopes.replace('+', " ").parse().ok()?;
                let ends_at = Moment(ends_at.parse().ok()?);
                Self::Link(
                    AccountId(number(account)?),
                    scopes,
                    ends_at,
                    (*mark).to_owned(),
                )
            }
            _ => return None,
        })
    }
}

/// By what a word knows the password that an account has, and that it has another.
pub(crate) fn mark(account: &Account) -> String {
    let digest = account.password.as_deref().unwrap_or_default();
    blake3::hash(digest.as_bytes()).to_hex()[..8].to_owned()
}

fn proof(secret: &[u8; 32], open: &str) -> String {
    let key = blake3::derive_key("quorate 2026 words of notices", secret);
    blake3::keyed_hash(&key, open.as_bytes()).to_hex()[..PROOF].to_owned()
}

fn written(secret: &[u8; 32], what: &WordFor) -> String {
    let open = what.open_part();
    let proof = proof(secret, &open);
    format!("{open}.{proof}")
}

fn read_by(secret: &[u8; 32], word: &str) -> Option<WordFor> {
    let (open, shown) = word.rsplit_once('.')?;
    let is_ours = same_secret(shown.as_bytes(), proof(secret, open).as_bytes());
    is_ours.then(|| WordFor::read_open(open))?
}

/// The word for something.
pub(crate) fn write(site: &AppState, what: &WordFor) -> String {
    written(&site.deps.secret.of_forms(), what)
}

/// What a word is for, if it is ours.
pub(crate) fn read(site: &AppState, word: &str) -> Option<WordFor> {
    read_by(&site.deps.secret.of_forms(), word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_lets_do_what_it_was_written_for_and_nothing_else() {
        let secret = [7; 32];
        let all = [
            WordFor::Off(ChannelId(3), None),
            WordFor::Off(
                ChannelId(3),
                Some(("the-reef".parse().unwrap(), NoticeKind::VoteWanted)),
            ),
            WordFor::Confirm(ChannelId(3)),
            WordFor::Answer(LetterId(3)),
            WordFor::Whole(LetterId(3)),
            WordFor::Bounce(LetterId(3)),
            WordFor::Feed(ChannelId(3)),
            WordFor::Link(
                AccountId(3),
                TokenScopes::all(),
                Moment(7),
                "0a1b2c4d".to_owned(),
            ),
            WordFor::Link(
                AccountId(3),
                TokenScopes::default(),
                Moment(7),
                String::new(),
            ),
        ];
        for what in all {
            let word = written(&secret, &what);
            assert_eq!(read_by(&secret, &word), Some(what.clone()), "{word}");
            assert_eq!(read_by(&[8; 32], &word), None);
            let other = word.replacen('3', "4", 1);
            assert_eq!(read_by(&secret, &other), None, "{other}");
            // It must fit before the @ of an address, with some letters ahead.
            assert!(
                matches!(what, WordFor::Off(..) | WordFor::Link(..)) || word.len() < 60,
                "{word}"
            );
        }
        assert_eq!(read_by(&secret, ""), None);
        assert_eq!(read_by(&secret, "a.3."), None);
    }
}
