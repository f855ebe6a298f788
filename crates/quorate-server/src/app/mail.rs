//! Mail: links for those who cannot sign in, and notices. It is handed to a program of the system, or to a mail server.

use lettre::address::Envelope;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::{
    Address, AsyncSendmailTransport, AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
};
use quorate_notices::dialect::mail as dialect;
use quorate_notices::dispatch::Dispatch;
use quorate_runtime::ports::ServerSecret;

/// How mail leaves the server.
#[derive(Clone, Debug)]
pub struct Mail {
    /// Whom it is from.
    pub from: Mailbox,
    /// Who takes it.
    pub way: MailWay,
    /// Where readers reach the site, without a stroke at the end: links in mail begin with it. A request's own idea of
    /// that is never believed, for whoever asks could have a link sent out that leads to them.
    pub address: String,
    /// The address to which answers come back, where the mail server hands them to `quorate mail-in`. A word stands in
    /// each behind a `+`.
    pub replies: Option<String>,
}

/// Who takes the server's mail.
#[derive(Clone, Debug)]
pub enum MailWay {
    /// A program, as `sendmail` does: recipients as arguments, the message on its standard input.
    Program(String),
    /// A mail server.
    Server(Box<AsyncSmtpTransport<Tokio1Executor>>),
}

/// A notice as mail.
pub(crate) struct MailLetter<'a> {
    /// To whom.
    pub(crate) to: &'a str,
    /// What it says.
    pub(crate) dispatch: &'a Dispatch,
    /// The game that it is of; empty for several.
    pub(crate) game: &'a str,
    /// Where an answer goes, where it can be answered.
    pub(crate) reply_to: Option<&'a str>,
    /// Where it comes back to when it does not arrive.
    pub(crate) bounce_to: Option<&'a str>,
}

/// Why mail did not leave.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// The sender or the recipient is no mail address.
    #[error("no mail address: {0}")]
    Address(#[from] lettre::address::AddressError),
    /// The message could not be put together.
    #[error("the message could not be made: {0}")]
    Message(#[from] lettre::error::Error),
    /// The program is not there, or refused.
    #[error("the mail program failed: {0}")]
    Program(#[from] lettre::transport::sendmail::Error),
    /// The mail server cannot be reached, or refused.
    #[error("the mail server failed: {0}")]
    Server(#[from] lettre::transport::smtp::Error),
    /// The site's address is none.
    #[error("an address of the site begins with http:// or https:// and ends without a stroke")]
    Site,
}

impl MailError {
    /// Whether it lies with the recipient, who will not take mail another time either.
    pub(crate) fn is_of_recipient(&self) -> bool {
        match self {
            Self::Address(_) => true,
            Self::Server(error) => {
                let code = error.status().map(u16::from);
                matches!(code, Some(550 | 551 | 553 | 556))
            }
            Self::Message(_) | Self::Program(_) | Self::Site => false,
        }
    }
}

impl Mail {
    /// Mail from a sender, by a program, with links to a site.
    ///
    /// # Errors
    /// Fails where the sender is no mailbox (`Quorate <games@example.org>`) or the address none of a site.
    pub fn new(from: &str, program: &str, address: &str) -> Result<Self, MailError> {
        Self::by(from, MailWay::Program(program.to_owned()), address)
    }

    /// Mail from a sender, by a mail server: `smtps://mail.example.org`, or `smtp://mail.example.org:587?tls=required`. The
    /// account there, where it wants one, is a name and a password.
    ///
    /// # Errors
    /// Fails as [`Mail::new`] does, and where the server's address is none.
    pub fn by_server(
        from: &str,
        server: &str,
        account: Option<(String, String)>,
        address: &str,
    ) -> Result<Self, MailError> {
        let mut server = AsyncSmtpTransport::<Tokio1Executor>::from_url(server)?;
        if let Some((name, password)) = account {
            server = server.credentials(Credentials::new(name, password));
        }
        Self::by(from, MailWay::Server(Box::new(server.build())), address)
    }

    fn by(from: &str, way: MailWay, address: &str) -> Result<Self, MailError> {
        let address = address.trim_end_matches('/');
        if !address.starts_with("https://") && !address.starts_with("http://") {
            return Err(MailError::Site);
        }
        Ok(Self {
            from: from.parse()?,
            way,
            address: address.to_owned(),
            replies: None,
        })
    }

    /// The same, with an address to which answers come back.
    ///
    /// # Errors
    /// Fails where that is no mail address.
    pub fn with_replies(mut self, replies: Option<&str>) -> Result<Self, MailError> {
        self.replies = match replies {
            Some(replies) => Some(replies.parse::<Address>()?.to_string()),
            None => None,
        };
        Ok(self)
    }

    /// Sends a text.
    pub(crate) async fn send(
        &self,
        to: &str,
        subject: &str,
        text: String,
    ) -> Result<(), MailError> {
        let message = Message::builder()
            .from(self.from.clone())
            .to(to.parse()?)
            .subject(subject)
            .header(ContentType::TEXT_PLAIN)
            .body(text)?;
        self.hand_over(message).await
    }

    /// Sends an answer to a mail that somebody sent, as one of its conversation.
    pub(crate) async fn answer(
        &self,
        to: &str,
        subject: &str,
        in_reply_to: &str,
        text: String,
    ) -> Result<(), MailError> {
        let mut message = Message::builder()
            .from(self.from.clone())
            .to(to.parse()?)
            .subject(subject);
        if !in_reply_to.is_empty() {
            let id = format!("<{in_reply_to}>");
            message = message.in_reply_to(id.clone()).references(id);
        }
        let mut message = message.header(ContentType::TEXT_PLAIN).body(text)?;
        put(&mut message, "Auto-Submitted", "auto-replied".to_owned());
        self.hand_over(message).await
    }

    /// Sends a notice. The same letter has the same Message-ID each time.
    pub(crate) async fn send_letter(&self, letter: &MailLetter<'_>) -> Result<(), MailError> {
        let message = self.letter(letter)?;
        self.hand_over(message).await
    }

    fn letter(&self, letter: &MailLetter<'_>) -> Result<Message, MailError> {
        let dispatch = letter.dispatch;
        let host = self.from.email.domain();
        let to = Mailbox::new(None, letter.to.parse()?);
        let mut message = Message::builder()
            .from(self.from.clone())
            .to(to.clone())
            .subject(dispatch.subject())
            .message_id(Some(name_of(&dispatch.key, host)));
        if let [one] = dispatch.notices.as_slice() {
            // All mail about one thing hangs on one name that no mail has.
            message = message.references(name_of(&one.thread, host));
        }
        if let Some(reply_to) = letter.reply_to {
            message = message.reply_to(Mailbox::new(None, reply_to.parse()?));
        }
        let back = match letter.bounce_to {
            Some(back) => back.parse()?,
            None => self.from.email.clone(),
        };
        message = message.envelope(Envelope::new(Some(back), vec![to.email])?);
        let both =
            MultiPart::alternative_plain_html(dialect::text(dispatch), dialect::html(dispatch));
        let mut message = message.multipart(both)?;
        let list = if letter.game.is_empty() {
            "all"
        } else {
            letter.game
        };
        put(&mut message, "List-Id", format!("<{list}.games.{host}>"));
        if let Some(off) = &dispatch.off {
            put(&mut message, "List-Unsubscribe", format!("<{off}>"));
            let one_click = "List-Unsubscribe=One-Click".to_owned();
            put(&mut message, "List-Unsubscribe-Post", one_click);
        }
        put(&mut message, "Auto-Submitted", "auto-generated".to_owned());
        Ok(message)
    }

    async fn hand_over(&self, message: Message) -> Result<(), MailError> {
        match &self.way {
            MailWay::Program(program) => {
                let program =
                    AsyncSendmailTransport::<Tokio1Executor>::new_with_command(program.clone());
                program.send(message).await?;
            }
            MailWay::Server(server) => {
                server.send(message).await?;
            }
        }
        Ok(())
    }
}

/// What `quorate mail-in` proves itself by to the site of a secret.
pub fn mail_in_key(secret: &ServerSecret) -> String {
    let key = blake3::derive_key("quorate 2026 mail-in", &secret.of_forms());
    blake3::Hash::from_bytes(key).to_hex().to_string()
}

/// A name in mail that goes by a word of ours. Rules name things as they like, and mail takes few signs in a name.
fn name_of(word: &str, host: &str) -> String {
    let signs = word.chars().map(|sign| {
        if sign.is_ascii_alphanumeric() || matches!(sign, '.' | '-') {
            sign.to_string()
        } else {
            format!("_{:x}", u32::from(sign))
        }
    });
    format!("<{}@{host}>", signs.collect::<Vec<_>>().concat())
}

fn put(message: &mut Message, name: &'static str, value: String) {
    let name = HeaderName::new_from_ascii_str(name);
    message
        .headers_mut()
        .insert_raw(HeaderValue::new(name, value));
}

/// Whether a text is a mail address that mail could go to.
pub(crate) fn is_address(text: &str) -> bool {
    text.parse::<lettre::Address>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_the_site_is_one() {
        let made = |address| Mail::new("Quorate <games@example.org>", "sendmail", address);
        assert_eq!(
            made("https://example.org/").expect("an address").address,
            "https://example.org"
        );
        assert!(made("example.org").is_err());
        assert!(Mail::new("nobody", "sendmail", "https://example.org").is_err());
    }

    #[test]
    fn a_name_in_mail_holds_few_signs() {
        let name = |word| name_of(word, "example.org");
        assert_eq!(
            name("reef.12.closed.post-3"),
            "<reef.12.closed.post-3@example.org>"
        );
        assert_eq!(name("ö>\r\n"), "<_f6_3e_d_a@example.org>");
    }

    #[test]
    fn answers_need_an_address() {
        let made = || Mail::new("games@example.org", "sendmail", "https://example.org");
        let mail = made()
            .expect("mail")
            .with_replies(Some("reply@example.org"));
        assert_eq!(
            mail.expect("mail").replies.as_deref(),
            Some("reply@example.org")
        );
        assert!(made().expect("mail").with_replies(Some("reply")).is_err());
    }
}
