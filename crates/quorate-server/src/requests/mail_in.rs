//! Answers that come back by mail, played as those who sent them: from the mail server's pipe, or from a mailbox.

use std::sync::Arc;

use quorate_engine::icons::IconWords;
use quorate_kernel::command::{Act, typed};
use quorate_kernel::{GameId, Name, PostId};
use quorate_notices::answer::{Incoming, MailAnswer, read, vote};
use quorate_notices::outbox::{Channel, ChannelSort, OutboxLetter};
use quorate_notices::topic::NoticeTopic;
use quorate_runtime::OperatingError;
use quorate_runtime::ports::{AccountId, JobFailed};
use serde::{Deserialize, Serialize};

use crate::app::error::AppError;
use crate::app::inquiry::{Inquiry, ask};
use crate::app::mail::Mail;
use crate::app::notice_words::{self, WordFor};
use crate::app::state::AppState;
use crate::requests::send;
use crate::ui::urls::{self, Href};
use crate::view::game::GameView;

/// What became of a mail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum MailTaken {
    /// It was played.
    Played,
    /// It could not be, and its sender is told why.
    Answered(String),
    /// An address takes no more mail, which is noted.
    Noted,
    /// There was nothing to do about it.
    Ignored,
}

/// Takes a mail; `to` is whom the mail server delivered it to, where it says so. None where this site takes no mail. An
/// error means that it is to be taken another time.
pub(crate) async fn take_mail(
    site: &Arc<AppState>,
    raw: &[u8],
    to: Option<&str>,
) -> Result<Option<MailTaken>, AppError> {
    let mail = site.deps.config.mail.as_ref();
    let Some((mail, address)) = mail.and_then(|mail| Some((mail, mail.replies.as_deref()?))) else {
        return Ok(None);
    };
    let taken = match read(raw, address, to) {
        // Whoever stands as the sender of a forged mail did not write it, and hears nothing of it.
        Incoming::Automatic | Incoming::Forged | Incoming::Unreadable => MailTaken::Ignored,
        Incoming::Bounce { word } => bounced(site, &word).await?,
        Incoming::Stray { from } => stray(site, mail, from).await?,
        Incoming::Answer(answer) => match played(site, &answer).await? {
            None => MailTaken::Played,
            Some(why) => {
                tell(mail, &answer.from, &answer, &why).await;
                MailTaken::Answered(why)
            }
        },
    };
    Ok(Some(taken))
}

/// A letter that is still kept, with its channel.
async fn letter_of(
    site: &AppState,
    word: &str,
) -> Result<Option<(Channel, OutboxLetter)>, AppError> {
    let (Some(WordFor::Answer(id) | WordFor::Whole(id) | WordFor::Bounce(id)), Some(outbox)) =
        (notice_words::read(site, word), &site.deps.outbox)
    else {
        return Ok(None);
    };
    let Some(letter) = outbox.letter(id).await.map_err(OperatingError::from)? else {
        return Ok(None);
    };
    let channel = outbox
        .channel(letter.channel)
        .await
        .map_err(OperatingError::from)?;
    Ok(channel
        .filter(|it| it.sort == ChannelSort::Mail)
        .zip(Some(letter)))
}

async fn bounced(site: &AppState, word: &str) -> Result<MailTaken, AppError> {
    let is_bounce = matches!(notice_words::read(site, word), Some(WordFor::Bounce(_)));
    let (Some((channel, _)), Some(outbox)) = (letter_of(site, word).await?, &site.deps.outbox)
    else {
        return Ok(MailTaken::Ignored);
    };
    if !is_bounce {
        return Ok(MailTaken::Ignored);
    }
    let why = Some("mail to this address came back");
    outbox
        .pause_channel(channel.id, why)
        .await
        .map_err(OperatingError::from)?;
    Ok(MailTaken::Noted)
}

/// A mail to no address of ours. Only those who have an account here are told: anybody's address can stand as the sender.
async fn stray(site: &AppState, mail: &Mail, from: Option<String>) -> Result<MailTaken, AppError> {
    let Some(from) = from else {
        return Ok(MailTaken::Ignored);
    };
    if site.deps.accounts.account_by_mail(&from).await?.is_none() {
        return Ok(MailTaken::Ignored);
    }
    let why =
        "This address takes answers to notices, at the address that each of them names.".to_owned();
    let told = mail
        .answer(&from, "Your mail was not read", "", why.clone())
        .await;
    if let Err(error) = told {
        tracing::error!(error = %error, "an answer by mail did not leave");
    }
    Ok(MailTaken::Answered(why))
}

/// Plays an answer; gives why not where it was not played.
async fn played(site: &Arc<AppState>, answer: &MailAnswer) -> Result<Option<String>, AppError> {
    let word = notice_words::read(site, &answer.word);
    let is_answer = matches!(word, Some(WordFor::Answer(_) | WordFor::Whole(_)));
    let found = letter_of(site, &answer.word).await?.filter(|_| is_answer);
    let Some((channel, letter)) = found else {
        let why = "What you answered is too old to be answered by mail, or the address that it came to is no longer yours.";
        return Ok(Some(why.to_owned()));
    };
    if !channel.address.eq_ignore_ascii_case(&answer.from) {
        let why = "That notice went to another address than the one you wrote from. Answer from the address that it came to.";
        return Ok(Some(why.to_owned()));
    }
    if matches!(word, Some(WordFor::Whole(_))) {
        let why = "That mail tells of several things, or of one that takes no answer. Under each that does it says \
                   where to write; to all others its links lead.";
        return Ok(Some(why.to_owned()));
    }
    if quotes_us(site, answer) {
        let why = "Your mail program quotes what you answer so that it cannot be told from your own words. Delete \
                   what is quoted, and send it again.";
        return Ok(Some(why.to_owned()));
    }
    // The same mail, delivered twice, is one comment.
    let key = blake3::hash(format!("{} {}", answer.message_id, answer.text).as_bytes()).to_hex();
    let mailed = MailedAnswer {
        game: letter.game,
        account: channel.account,
        to: letter.topic,
        text: answer.text.clone(),
        key: format!("mail-{}", &key[..32]),
    };
    match ask(site, mailed).await {
        Ok(why) => Ok(why),
        Err(AppError::NotFound) => Ok(Some("That game is no longer here.".to_owned())),
        Err(error @ AppError::NotMade(JobFailed::TimeOver(_) | JobFailed::Ended)) => {
            Ok(Some(error.told()))
        }
        Err(error) => Err(error),
    }
}

/// Whether an answer holds what only our own mail says: it would show everybody links that are its reader's alone.
fn quotes_us(site: &AppState, answer: &MailAnswer) -> bool {
    let base = site.deps.config.address.as_deref().unwrap_or_default();
    let off: Href = urls::NoticeOff { word: "" }.into();
    let off = format!("{base}{}", off.as_str());
    answer.text.contains(&answer.word) || answer.text.contains(&off)
}

/// A comment or a private message that came by mail.
#[derive(Serialize, Deserialize)]
pub(crate) struct MailedAnswer {
    game: GameId,
    account: AccountId,
    /// What it answers.
    to: NoticeTopic,
    text: String,
    key: String,
}

impl Inquiry for MailedAnswer {
    /// Why it was not played, where it was not.
    type Answer = Option<String>;
    const WORD: &'static str = "mailed answer";

    fn game(&self) -> &GameId {
        &self.game
    }

    fn account(&self) -> Option<AccountId> {
        Some(self.account)
    }

    async fn answer(self, site: &Arc<AppState>) -> Result<Option<String>, AppError> {
        let view = GameView::for_account(site, Some(self.account), self.game.as_str()).await?;
        let view = Arc::new(view);
        let asked = Arc::clone(&view);
        let reading = tokio::task::spawn_blocking(move || act(&asked, &self.to, &self.text));
        let act = match reading.await? {
            Ok(act) => act,
            Err(why) => return Ok(Some(why.to_owned())),
        };
        let tried = match act {
            Act::Message { .. } => "Your message",
            _ => "Your comment",
        };
        match send::send(&view, Some(&self.key), act).await {
            Ok(_) => Ok(None),
            Err(AppError::Refused(refusal)) => Ok(Some(view.refusal(tried, &refusal).sentence())),
            Err(error @ (AppError::Forbidden(_) | AppError::SignIn | AppError::NotFound)) => {
                Ok(Some(error.told()))
            }
            Err(error) => Err(error),
        }
    }
}

/// What an answer does, or why nothing.
fn act(view: &GameView, to: &NoticeTopic, text: &str) -> Result<Act, &'static str> {
    let empty = "Your mail holds no words of your own: write above what you quote.";
    if let Some(post) = to.post() {
        let text = typed(&comment(view, post, text).ok_or(empty)?);
        return Ok(Act::Comment { post, text });
    }
    let NoticeTopic::Message(id) = to else {
        return Err("There is nothing to answer in what you answered.");
    };
    let to = view
        .writers(*id)
        .ok_or("There is nobody to write back to.")?;
    if text.is_empty() {
        return Err(empty);
    }
    let text = typed(text);
    Ok(Act::Message { to, text })
}

/// What an answer says as a comment: the first line as a vote, where it is nothing else.
fn comment(view: &GameView, post: PostId, text: &str) -> Option<String> {
    let icons = view.post(post).and_then(|row| {
        let category = view.law().categories.get(&row.category)?;
        Some(IconWords::of(&category.it))
    });
    let (icon, words): (Option<Name>, String) = vote(text, &icons.unwrap_or_default());
    match icon {
        Some(icon) => Some(view.ask(|asked| asked.ballot(post, icon.as_str(), &words))),
        None => (!words.is_empty()).then_some(words),
    }
}

async fn tell(mail: &Mail, to: &str, answer: &MailAnswer, why: &str) {
    let subject = format!("Not done: {}", answer.subject);
    let lines = answer.text.lines();
    let quoted: Vec<_> = lines.map(|line| format!("> {line}\n")).collect();
    let quoted = quoted.concat();
    let text = format!("{why}\n\nYou wrote:\n\n{quoted}");
    if let Err(error) = mail.answer(to, &subject, &answer.message_id, text).await {
        tracing::error!(error = %error, "an answer by mail did not leave");
    }
}
