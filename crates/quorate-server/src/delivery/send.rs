//! One message: its letters put into words, handed over, and what became of it noted.

use std::collections::BTreeMap;
use std::sync::Arc;

use quorate_kernel::{GameId, Moment, Span};
use quorate_notices::dispatch::{Dispatch, NoticeText};
use quorate_notices::outbox::{
    Channel, ChannelAudience, ChannelSort, LetterId, Outbox, OutboxLetter, Settled,
    failed as try_later,
};
use quorate_runtime::ports::JobFailed;

use crate::app;
use crate::app::error::AppError;
use crate::app::inquiry::ask;
use crate::app::notice_words::{self, WordFor};
use crate::app::state::AppState;
use crate::delivery::carry::{Carrier, LetterParcel, NotCarried, PushSender};
use crate::delivery::follow::failed;
use crate::delivery::reading::{LetterAsked, WordsAsked};
use crate::ui::urls;
use crate::ui::urls::Href;

/// How many notices a message tells; the others are counted.
const TOLD_MAX: usize = 100;

/// How long notices of a game wait at least that cannot be read now, and at most.
const PUT_OFF_LEAST: Span = Span::seconds(5);
const PUT_OFF_MOST: Span = Span::hours(1);

/// A letter in words.
struct Worded {
    id: LetterId,
    kind: &'static str,
    text: NoticeText,
}

/// Sends the letters of one channel and bundle; gives whether the next can be tried.
pub(super) async fn send(
    site: &Arc<AppState>,
    outbox: &dyn Outbox,
    carrier: &Carrier,
    channel: &Channel,
    letters: &[OutboxLetter],
) -> Result<bool, AppError> {
    let Some(base) = site.deps.config.address.clone() else {
        return Ok(false);
    };
    let (told, counted) = letters.split_at(letters.len().min(TOLD_MAX));
    let WordedAll {
        games,
        mut worded,
        put_off,
    } = all_words(site, carrier, channel, told, &base).await?;
    let (one_game, title) = match games.as_slice() {
        [(game, title)] => (game.to_string(), title.clone()),
        _ => (String::new(), "Your games".to_owned()),
    };
    let mut left: Vec<LetterId> = worded.iter().map(|one| one.id).collect();
    let moot = told.iter().map(|it| it.id);
    let moot = moot.filter(|id| !left.contains(id) && put_off.iter().all(|it| it.id != *id));
    let moot: Vec<LetterId> = moot.collect();
    let now = site.now();
    if !moot.is_empty() {
        noted(outbox, carrier, channel, &moot, &Settled::Moot, now).await?;
    }
    if let Some(since) = put_off.iter().map(|letter| letter.at).min() {
        // As long again as it has waited.
        let wait = (now - since).clamp(PUT_OFF_LEAST, PUT_OFF_MOST);
        let off = Settled::PutOff(now + wait, "its game cannot be read".to_owned());
        let put_off: Vec<LetterId> = put_off.iter().map(|letter| letter.id).collect();
        noted(outbox, carrier, channel, &put_off, &off, now).await?;
    }
    if worded.is_empty() {
        return Ok(true);
    }
    left.extend(counted.iter().map(|it| it.id));
    worded.extend(
        counted
            .first()
            .map(|first| more(first, counted.len(), &base)),
    );
    let (kinds, notices): (Vec<_>, Vec<_>) =
        worded.into_iter().map(|it| (it.kind, it.text)).unzip();
    let reply_to = reply_to(site, letters, &notices);
    let dispatch = dispatch(site, &base, channel, letters, title, notices);
    let parcel = LetterParcel {
        dispatch: &dispatch,
        kinds: &kinds,
        game: &one_game,
        at: now,
        reply_to,
        bounce_to: bounce_to(site, letters),
        push: push_sender(site, outbox, channel, &base).await?,
    };
    let Some(how) = handed_over(outbox, carrier, channel, letters, &parcel).await? else {
        return Ok(false);
    };
    noted(outbox, carrier, channel, &left, &how, site.now()).await?;
    Ok(how == Settled::Sent)
}

/// All letters of a message in words.
struct WordedAll {
    /// The games that it tells of, with their titles.
    games: Vec<(GameId, String)>,
    worded: Vec<Worded>,
    /// Letters of games that cannot be read now.
    put_off: Vec<OutboxLetter>,
}

async fn all_words(
    site: &Arc<AppState>,
    carrier: &Carrier,
    channel: &Channel,
    letters: &[OutboxLetter],
    base: &str,
) -> Result<WordedAll, AppError> {
    let mut by_game: BTreeMap<&GameId, Vec<OutboxLetter>> = BTreeMap::new();
    for letter in letters {
        let of_game = by_game.entry(&letter.game).or_default();
        of_game.push(letter.clone());
    }
    let (mut games, mut worded, mut put_off) = (Vec::new(), Vec::new(), Vec::new());
    for (game, letters) in by_game {
        let _room = carrier.wording.acquire().await;
        match words(site, channel, game, letters.clone(), base).await {
            Ok((title, found)) => {
                if !found.is_empty() {
                    games.push((game.clone(), title));
                }
                worded.extend(found);
            }
            // The game, the account or the player is gone.
            Err(AppError::NotFound) => {}
            // It is that game's trouble: what is to be told of others leaves.
            Err(error) => {
                tracing::error!(%game, error = %error.what(), "notices of a game are put off");
                put_off.extend(letters);
            }
        }
    }
    for one in &mut worded {
        let is_answered = channel.sort == ChannelSort::Mail && !one.text.answered.is_empty();
        let word = is_answered.then_some(WordFor::Answer(one.id));
        one.text.answer_to = word.and_then(|word| with_word(site, &word));
    }
    Ok(WordedAll {
        games,
        worded,
        put_off,
    })
}

/// How many others there are, in place of their words.
fn more(first: &OutboxLetter, count: usize, base: &str) -> Worded {
    let home: Href = urls::Home.into();
    let text = NoticeText {
        heading: format!("And {count} more"),
        body: String::new(),
        reason: format!("A message tells {TOLD_MAX} at most; the site has all of them."),
        clause: None,
        link: format!("{base}{}", home.as_str()),
        to_do: "See your games".to_owned(),
        thread: String::new(),
        answered: String::new(),
        answer_to: None,
    };
    Worded {
        id: first.id,
        kind: first.kind.word(),
        text,
    }
}

/// Notes what became of letters. One at a time over all channels, so that whoever plays waits behind one of these at most.
async fn noted(
    outbox: &dyn Outbox,
    carrier: &Carrier,
    channel: &Channel,
    letters: &[LetterId],
    how: &Settled,
    now: Moment,
) -> Result<(), AppError> {
    let _turn = carrier.turn.lock().await;
    let settled = outbox.settle(channel.id, letters, how, now).await;
    settled.map_err(failed)
}

/// Hands a message over; gives what became of it. Where nothing more is taken on the channel, it is paused, and where its
/// receiver is no more it is dropped with all that waits on it: then there is nothing to tell.
async fn handed_over(
    outbox: &dyn Outbox,
    carrier: &Carrier,
    channel: &Channel,
    letters: &[OutboxLetter],
    parcel: &LetterParcel<'_>,
) -> Result<Option<Settled>, AppError> {
    let tries = letters.iter().map(|letter| letter.tries).max().unwrap_or(0);
    Ok(Some(match carrier.carry(channel, parcel).await {
        Ok(()) => Settled::Sent,
        Err(NotCarried::ForNow(why, asked)) => try_later(tries, parcel.at, why, asked),
        Err(NotCarried::Refused(why)) => Settled::Dead(why),
        Err(NotCarried::Ended(_)) => {
            let dropped = outbox.drop_channel(channel.id).await;
            dropped.map_err(failed)?;
            return Ok(None);
        }
        Err(NotCarried::Gone(why)) => {
            outbox
                .pause_channel(channel.id, Some(&why))
                .await
                .map_err(failed)?;
            // It leaves when its owner has mended the channel and opens it again.
            try_later(tries, parcel.at, why, None)
        }
    }))
}

/// The game's title, and those letters that there is something to tell of.
async fn words(
    site: &Arc<AppState>,
    channel: &Channel,
    game: &GameId,
    letters: Vec<OutboxLetter>,
    base: &str,
) -> Result<(String, Vec<Worded>), AppError> {
    let asks = letters.iter().map(|letter| LetterAsked {
        seq: letter.seq,
        kind: letter.kind,
        topic: letter.topic.clone(),
    });
    let is_own = matches!(channel.audience, ChannelAudience::Own(..));
    let asked = WordsAsked {
        game: game.clone(),
        account: is_own.then_some(channel.account),
        letters: asks.collect(),
        base: base.to_owned(),
    };
    let (title, in_words) = match ask(site, asked).await {
        Ok(told) => told,
        Err(AppError::NotMade(why @ (JobFailed::TimeOver(_) | JobFailed::Ended))) => {
            tracing::warn!(%game, %why, "notices are told without the game's own words");
            let plain = letters.iter().map(|letter| Some(plain(letter, &why, base)));
            (game.to_string(), plain.collect())
        }
        Err(error) => return Err(error),
    };
    let letters = letters.iter().zip(in_words);
    let worded = letters.filter_map(|(letter, text)| {
        Some(Worded {
            id: letter.id,
            kind: letter.kind.word(),
            text: text?,
        })
    });
    Ok((title, worded.collect()))
}

/// A letter in words for which the game's law is not asked.
fn plain(letter: &OutboxLetter, why: &JobFailed, base: &str) -> NoticeText {
    let game = letter.game.as_str();
    let front: Href = urls::Game { game }.into();
    NoticeText {
        heading: letter.kind.title().to_owned(),
        body: String::new(),
        reason: format!("The game's own words for it are missing: {why}."),
        clause: None,
        link: format!("{base}{}", front.as_str()),
        to_do: "See the game".to_owned(),
        thread: String::new(),
        answered: String::new(),
        answer_to: None,
    }
}

fn dispatch(
    site: &AppState,
    base: &str,
    channel: &Channel,
    letters: &[OutboxLetter],
    title: String,
    notices: Vec<NoticeText>,
) -> Dispatch {
    let is_own = matches!(channel.audience, ChannelAudience::Own(..));
    let first = letters.first();
    // A digest is turned off as a whole, a notice of its own by its kind.
    let off = first.filter(|_| is_own).map(|first| {
        let what = if letters.len() == 1 && !first.bundle.starts_with("digest.") {
            WordFor::Off(channel.id, Some((first.game.clone(), first.kind)))
        } else {
            WordFor::Off(channel.id, None)
        };
        let word = notice_words::write(site, &what);
        let link: Href = urls::NoticeOff { word: &word }.into();
        format!("{base}{}", link.as_str())
    });
    let choices: Href = urls::Notices.into();
    Dispatch {
        key: format!(
            "{}.{}",
            first.map_or("", |it| it.bundle.as_str()),
            channel.id.0
        ),
        from: title,
        notices,
        off,
        choices: format!("{base}{}", choices.as_str()),
    }
}

/// By what a push service knows this server, where the message goes to one.
async fn push_sender(
    site: &AppState,
    outbox: &dyn Outbox,
    channel: &Channel,
    base: &str,
) -> Result<Option<PushSender>, AppError> {
    if channel.sort != ChannelSort::Push {
        return Ok(None);
    }
    let key = app::push::key(outbox).await?;
    let contact = match &site.deps.config.contact {
        Some(mail) => format!("mailto:{mail}"),
        None => base.to_owned(),
    };
    Ok(Some(PushSender { key, contact }))
}

/// The address for an answer to the whole message, where the server takes mail: that of the one thing that it tells, or one
/// from which it is answered how each thing can be.
fn reply_to(site: &AppState, letters: &[OutboxLetter], notices: &[NoticeText]) -> Option<String> {
    let only = match notices {
        [one] => one.answer_to.clone(),
        _ => None,
    };
    only.or_else(|| with_word(site, &WordFor::Whole(letters.first()?.id)))
}

fn bounce_to(site: &AppState, letters: &[OutboxLetter]) -> Option<String> {
    let letter = letters.first()?;
    with_word(site, &WordFor::Bounce(letter.id))
}

fn with_word(site: &AppState, what: &WordFor) -> Option<String> {
    let address = site.deps.config.mail.as_ref()?.replies.as_deref()?;
    let (local, host) = address.rsplit_once('@')?;
    Some(format!(
        "{local}+{}@{host}",
        notice_words::write(site, what)
    ))
}

/// Whether messages of a channel can leave at all.
pub(super) fn is_possible(site: &AppState, channel: &Channel) -> bool {
    site.deps.config.address.is_some()
        && (channel.sort != ChannelSort::Mail || site.deps.config.mail.is_some())
}
