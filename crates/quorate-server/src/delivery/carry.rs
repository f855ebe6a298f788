//! Handing a message over: to a mail server, or to an address on the web.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, Method, Request, StatusCode, Uri, header};
use jiff::fmt::rfc2822;
use quorate_kernel::{Moment, Span};
use quorate_notices::dialect::{chat, push, webhook};
use quorate_notices::dispatch::Dispatch;
use quorate_notices::outbox::{Channel, ChannelSort};
use quorate_notices::push::{PushError, PushKey, PushSeal};
use quorate_notices::signature::{WebhookSecret, seconds};
use serde_json::Value as Json;

use crate::app::mail::{Mail, MailLetter};
use crate::app::web_reach::{self, WebClient, WebReach};

/// How long somebody may take to receive a message.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// How many games are asked for words at a time.
const WORDED_AT_ONCE: usize = 4;

/// For how many seconds a push service keeps what it cannot hand over yet: four weeks, the longest that is common.
const PUSH_SECONDS: u32 = 28 * 24 * 60 * 60;

/// The media type of what is sealed.
const SEALED: &str = "application/octet-stream";

/// Why a message did not leave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum NotCarried {
    /// Another time it may, not before so long where the receiver says so.
    ForNow(String, Option<Span>),
    /// This message never will.
    Refused(String),
    /// Nor will any other on this channel, until its owner mends it.
    Gone(String),
    /// The receiver is no more, and nobody can mend that.
    Ended(String),
}

impl NotCarried {
    fn for_now(why: impl Into<String>) -> Self {
        Self::ForNow(why.into(), None)
    }
}

/// What a receiver answered.
struct Answered {
    status: StatusCode,
    /// How long it wants to be left alone, where it says so.
    wait: Option<Span>,
}

/// A message with what the ways out need beside its words.
pub(super) struct LetterParcel<'a> {
    pub(super) dispatch: &'a Dispatch,
    /// The kinds of its notices.
    pub(super) kinds: &'a [&'a str],
    /// The one game that it is about; empty for several.
    pub(super) game: &'a str,
    /// When it is sent.
    pub(super) at: Moment,
    /// Where an answer goes by mail.
    pub(super) reply_to: Option<String>,
    /// Where a mail that does not arrive comes back to.
    pub(super) bounce_to: Option<String>,
    /// By what push services know this server, where the message goes to one.
    pub(super) push: Option<PushSender>,
}

/// Who pushes.
pub(super) struct PushSender {
    pub(super) key: PushKey,
    /// Where whoever runs this server can be reached.
    pub(super) contact: String,
}

/// The ways out.
pub(super) struct Carrier {
    /// Held while what became of a message is written down.
    pub(super) turn: tokio::sync::Mutex<()>,
    /// Held while a game is asked for words: what that takes in memory is taken a few times at once, and not by each message
    /// under way.
    pub(super) wording: tokio::sync::Semaphore,
    mail: Option<Mail>,
    reach: WebReach,
    /// How long somebody may take to receive a message.
    patience: Duration,
    /// None where this machine has no certificates to trust.
    web: Option<WebClient>,
}

impl Carrier {
    pub(super) fn new(mail: Option<Mail>, reach: WebReach, patience: Duration) -> Self {
        let web = web_reach::client(reach, patience);
        if let Err(error) = &web {
            tracing::warn!(%error, "messages to addresses of the web do not leave: there are no certificates to trust");
        }
        Self {
            turn: tokio::sync::Mutex::default(),
            wording: tokio::sync::Semaphore::new(WORDED_AT_ONCE),
            mail,
            reach,
            patience,
            web: web.ok(),
        }
    }

    pub(super) async fn carry(
        &self,
        channel: &Channel,
        parcel: &LetterParcel<'_>,
    ) -> Result<(), NotCarried> {
        let carried = tokio::time::timeout(self.patience, self.hand_over(channel, parcel)).await;
        carried.unwrap_or_else(|_| Err(NotCarried::for_now("no answer in time")))
    }

    async fn hand_over(
        &self,
        channel: &Channel,
        parcel: &LetterParcel<'_>,
    ) -> Result<(), NotCarried> {
        let dispatch = parcel.dispatch;
        match channel.sort {
            ChannelSort::Mail => self.by_mail(channel, parcel).await,
            ChannelSort::Webhook => self.by_webhook(channel, parcel).await,
            ChannelSort::Discord => {
                self.post(&channel.address, &chat::discord(dispatch), &[])
                    .await
            }
            ChannelSort::Slack => {
                self.post(&channel.address, &chat::slack(dispatch), &[])
                    .await
            }
            ChannelSort::Matrix => {
                let room = channel.address.trim_end_matches('/');
                let key = blake3::hash(dispatch.key.as_bytes()).to_hex();
                let address = format!("{room}/send/m.room.message/{key}");
                let bearer = [(
                    header::AUTHORIZATION.as_str(),
                    format!("Bearer {}", channel.secret),
                )];
                let request = (
                    Method::PUT,
                    address.as_str(),
                    chat::matrix(dispatch).to_string(),
                );
                self.call(request, &bearer).await
            }
            ChannelSort::Ntfy => {
                let refused = || NotCarried::Gone("that is no topic of ntfy".to_owned());
                let (server, topic) = channel
                    .address
                    .trim_end_matches('/')
                    .rsplit_once('/')
                    .ok_or_else(refused)?;
                let bearer = [(
                    header::AUTHORIZATION.as_str(),
                    format!("Bearer {}", channel.secret),
                )];
                let headers: &[(&str, String)] = if channel.secret.is_empty() {
                    &[]
                } else {
                    &bearer
                };
                self.post(&format!("{server}/"), &chat::ntfy(topic, dispatch), headers)
                    .await
            }
            ChannelSort::Push => self.by_push(channel, parcel).await,
            // What is fetched does not leave.
            ChannelSort::Feed => Ok(()),
        }
    }

    async fn by_mail(
        &self,
        channel: &Channel,
        parcel: &LetterParcel<'_>,
    ) -> Result<(), NotCarried> {
        let Some(mail) = &self.mail else {
            return Err(NotCarried::for_now("this server sends no mail"));
        };
        let letter = MailLetter {
            to: &channel.address,
            dispatch: parcel.dispatch,
            game: parcel.game,
            reply_to: parcel.reply_to.as_deref(),
            bounce_to: parcel.bounce_to.as_deref(),
        };
        mail.send_letter(&letter).await.map_err(|error| {
            if error.is_of_recipient() {
                NotCarried::Gone(error.to_string())
            } else {
                NotCarried::for_now(error.to_string())
            }
        })
    }

    async fn by_webhook(
        &self,
        channel: &Channel,
        parcel: &LetterParcel<'_>,
    ) -> Result<(), NotCarried> {
        let body = webhook::body(parcel.dispatch, parcel.kinds, parcel.game, parcel.at).to_string();
        let gone = || NotCarried::Gone("its secret cannot be read".to_owned());
        let secret = WebhookSecret::read(&channel.secret).ok_or_else(gone)?;
        let id = format!(
            "msg_{}",
            &blake3::hash(parcel.dispatch.key.as_bytes()).to_hex()[..32]
        );
        let headers = [
            (
                "webhook-signature",
                secret.sign(&id, parcel.at, body.as_bytes()),
            ),
            ("webhook-timestamp", seconds(parcel.at).to_string()),
            ("webhook-id", id),
        ];
        self.call((Method::POST, channel.address.as_str(), body), &headers)
            .await
    }

    /// To a push service, sealed for one browser.
    async fn by_push(
        &self,
        channel: &Channel,
        parcel: &LetterParcel<'_>,
    ) -> Result<(), NotCarried> {
        let sender = parcel.push.as_ref();
        let sender = sender.ok_or_else(|| NotCarried::for_now("this server has no key"))?;
        let ended = || NotCarried::Ended("its key cannot be read".to_owned());
        let seal: PushSeal = channel.secret.parse().map_err(|_| ended())?;
        let uri: Uri = channel.address.parse().map_err(|_| ended())?;
        let (scheme, host) = uri.scheme_str().zip(uri.authority()).ok_or_else(ended)?;
        let refused = |why: PushError| NotCarried::Refused(why.to_string());
        let sealed = seal.seal(push::body(parcel.dispatch).as_bytes());
        let sealed = sealed.map_err(refused)?;
        let origin = format!("{scheme}://{host}");
        let signed = sender
            .key
            .authorization(&origin, &sender.contact, parcel.at);
        // What is sent again takes the place of the same that was not told yet.
        let topic = blake3::hash(parcel.dispatch.key.as_bytes()).to_hex()[..32].to_owned();
        let headers = [
            (header::AUTHORIZATION.as_str(), signed.map_err(refused)?),
            (header::CONTENT_ENCODING.as_str(), "aes128gcm".to_owned()),
            ("ttl", PUSH_SECONDS.to_string()),
            ("urgency", "normal".to_owned()),
            ("topic", topic),
        ];
        let what = (Method::POST, channel.address.as_str(), sealed);
        let answered = self.called(what, SEALED, &headers).await?;
        match answered.status {
            StatusCode::NOT_FOUND | StatusCode::GONE => Err(NotCarried::Ended(
                "the browser no longer wants it".to_owned(),
            )),
            _ => judged(&answered),
        }
    }

    async fn post(
        &self,
        address: &str,
        body: &Json,
        headers: &[(&str, String)],
    ) -> Result<(), NotCarried> {
        self.call((Method::POST, address, body.to_string()), headers)
            .await
    }

    /// Calls an address with JSON.
    async fn call(
        &self,
        (method, address, body): (Method, &str, String),
        headers: &[(&str, String)],
    ) -> Result<(), NotCarried> {
        let what = (method, address, body.into_bytes());
        judged(&self.called(what, "application/json", headers).await?)
    }

    /// Calls an address; gives what it answers. No redirect is followed: it could lead anywhere.
    async fn called(
        &self,
        (method, address, body): (Method, &str, Vec<u8>),
        media: &str,
        headers: &[(&str, String)],
    ) -> Result<Answered, NotCarried> {
        let uri: Uri = self
            .reach
            .check(address)
            .map_err(|why| NotCarried::Gone(why.to_string()))?;
        let web = self.web.as_ref();
        let web = web.ok_or_else(|| NotCarried::for_now("this server trusts no certificates"))?;
        let mut request = Request::builder()
            .method(method)
            .uri(uri)
            .header(header::CONTENT_TYPE, media)
            .header(header::USER_AGENT, "Quorate");
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let request = request.body(Body::from(body));
        let request = request.map_err(|error| NotCarried::Refused(error.to_string()))?;
        let answer = web.request(request).await;
        let answer = answer.map_err(|error| NotCarried::for_now(cause(&error)))?;
        Ok(Answered {
            status: answer.status(),
            wait: retry_after(answer.headers()),
        })
    }
}

/// The innermost cause of an error, which says most.
fn cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// How long a receiver wants to be left alone: it says so in seconds, or names the moment, by its own clock (RFC 9110,
/// 10.2.3).
fn retry_after(headers: &HeaderMap) -> Option<Span> {
    let said = |name: HeaderName| headers.get(name)?.to_str().ok().map(str::trim);
    let after = said(header::RETRY_AFTER)?;
    // Some send parts of seconds.
    if let Ok(seconds) = after.parse::<f64>() {
        let wait = Duration::try_from_secs_f64(seconds).ok()?;
        return Some(Span(i64::try_from(wait.as_millis()).ok()?));
    }
    let moment = |text| Some(rfc2822::parse(text).ok()?.timestamp().as_millisecond());
    Some(Span(moment(after)? - moment(said(header::DATE)?)?))
}

/// What an answer means.
fn judged(answered: &Answered) -> Result<(), NotCarried> {
    let status = answered.status;
    let said = || format!("the receiver answered {status}");
    match status.as_u16() {
        200..=299 => Ok(()),
        401 | 403 | 404 | 410 => Err(NotCarried::Gone(said())),
        408 | 425 | 429 | 500..=599 => Err(NotCarried::ForNow(said(), answered.wait)),
        _ => Err(NotCarried::Refused(said())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_whether_to_try_again() {
        let judged = |code: u16| {
            judged(&Answered {
                status: StatusCode::from_u16(code).unwrap(),
                wait: Some(Span(7)),
            })
        };
        assert_eq!(judged(204), Ok(()));
        assert!(matches!(judged(410), Err(NotCarried::Gone(_))));
        for code in [429, 503] {
            let later = judged(code);
            assert!(matches!(later, Err(NotCarried::ForNow(_, Some(Span(7))))));
        }
        assert!(matches!(judged(400), Err(NotCarried::Refused(_))));
        assert!(matches!(judged(302), Err(NotCarried::Refused(_))));
    }

    #[test]
    fn a_receiver_says_when_it_takes_more() {
        let wait = |after: &str| {
            let mut headers = HeaderMap::new();
            let date = "Sun, 04 May 2031 09:00:00 GMT";
            headers.insert(header::DATE, date.parse().unwrap());
            headers.insert(header::RETRY_AFTER, after.parse().unwrap());
            retry_after(&headers)
        };
        assert_eq!(wait("120"), Some(Span::minutes(2)));
        assert_eq!(wait("0.65"), Some(Span(650)));
        let date = "Sun, 04 May 2031 10:30:00 GMT";
        assert_eq!(wait(date), Some(Span::minutes(90)));
        for nonsense in ["", "soon", "-1", "inf", "NaN", "1e300"] {
            assert_eq!(wait(nonsense), None, "{nonsense}");
        }
        assert_eq!(retry_after(&HeaderMap::new()), None);
    }
}
