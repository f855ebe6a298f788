//! Mail: links for those who cannot sign in. It is handed to a program of the system, as everything here is that leaves the
//! server by another way than an answer.

use lettre::message::Mailbox;
use lettre::message::header::ContentType;
use lettre::{AsyncSendmailTransport, AsyncTransport, Message, Tokio1Executor};

/// How mail leaves the server.
#[derive(Clone, Debug)]
pub struct Mail {
    /// Whom it is from.
    pub from: Mailbox,
    /// The program that takes it, as `sendmail` does: recipients as arguments, the message on its standard input.
    pub program: String,
    /// Where readers reach the site, without a stroke at the end: links in mail begin with it. A request's own idea of
    /// that is never believed, for whoever asks could have a link sent out that leads to them.
    pub address: String,
}

/// Why mail did not leave.
#[derive(Debug, thiserror::Error)]
pub enum MailTrouble {
    /// The sender or the recipient is no mail address.
    #[error("no mail address: {0}")]
    Address(#[from] lettre::address::AddressError),
    /// The message could not be put together.
    #[error("the message could not be made: {0}")]
    Message(#[from] lettre::error::Error),
    /// The program is not there, or refused.
    #[error("the mail program failed: {0}")]
    Program(#[from] lettre::transport::sendmail::Error),
    /// The site's address is none.
    #[error("an address of the site begins with http:// or https:// and ends without a stroke")]
    Site,
}

impl Mail {
    /// Mail from a sender, by a program, with links to a site.
    ///
    /// # Errors
    /// Fails where the sender is no mailbox (`Quorate <games@example.org>`) or the address none of a site.
    pub fn new(from: &str, program: &str, address: &str) -> Result<Self, MailTrouble> {
        let address = address.trim_end_matches('/');
        if !address.starts_with("https://") && !address.starts_with("http://") {
            return Err(MailTrouble::Site);
        }
        Ok(Self {
            from: from.parse()?,
            program: program.to_owned(),
            address: address.to_owned(),
        })
    }

    /// Sends a text.
    pub(crate) async fn send(
        &self,
        to: &str,
        subject: &str,
        text: String,
    ) -> Result<(), MailTrouble> {
        let message = Message::builder()
            .from(self.from.clone())
            .to(to.parse()?)
            .subject(subject)
            .header(ContentType::TEXT_PLAIN)
            .body(text)?;
        let program =
            AsyncSendmailTransport::<Tokio1Executor>::new_with_command(self.program.clone());
        program.send(message).await?;
        Ok(())
    }
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
}
