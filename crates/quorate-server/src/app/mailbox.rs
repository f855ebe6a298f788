//! The mailbox in which answers by mail arrive, where they are fetched from a mail server by IMAP.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use axum::http::Uri;

/// A mailbox that this server alone reads.
#[derive(Clone, PartialEq, Eq)]
pub struct Mailbox {
    /// Where it is.
    pub place: MailboxPlace,
    /// The account there.
    pub account: String,
    /// Its password.
    pub password: String,
}

/// Never the password.
impl fmt::Debug for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.account, self.place.host)
    }
}

/// Where a mailbox is: `imaps://mail.example.org/INBOX`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MailboxPlace {
    /// The mail server's name, or its address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Whether what is said there is sealed by TLS.
    pub is_secure: bool,
    /// The folder in which mail arrives.
    pub folder: String,
}

/// A text that is no mailbox's address.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoMailbox {
    /// It is no address at all.
    #[error("a mailbox is imaps://HOST, imaps://HOST:PORT or imaps://HOST/FOLDER")]
    Form,
    /// The password would be readable on the way.
    #[error(
        "imap:// sends the password for everybody to read, so it goes to this machine alone: use imaps://"
    )]
    Open,
}

impl FromStr for MailboxPlace {
    type Err = NoMailbox;

    fn from_str(text: &str) -> Result<Self, NoMailbox> {
        let uri: Uri = text.parse().map_err(|_| NoMailbox::Form)?;
        let host = uri.host().ok_or(NoMailbox::Form)?;
        let host = host.trim_matches(['[', ']']);
        let is_secure = match uri.scheme_str() {
            Some("imaps") => true,
            Some("imap") if is_this_machine(host) => false,
            Some("imap") => return Err(NoMailbox::Open),
            _ => return Err(NoMailbox::Form),
        };
        let folder = uri.path().trim_matches('/');
        Ok(Self {
            host: host.to_owned(),
            port: uri.port_u16().unwrap_or(if is_secure { 993 } else { 143 }),
            is_secure,
            folder: if folder.is_empty() { "INBOX" } else { folder }.to_owned(),
        })
    }
}

fn is_this_machine(host: &str) -> bool {
    host == "localhost"
        || host
            .parse()
            .is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mailbox_is_read_from_its_address() {
        let read = |text: &str| {
            let place: MailboxPlace = text.parse().expect(text);
            (place.host, place.port, place.is_secure, place.folder)
        };
        let inbox = || "INBOX".to_owned();
        assert_eq!(
            read("imaps://mail.example.org"),
            ("mail.example.org".to_owned(), 993, true, inbox())
        );
        assert_eq!(
            read("imaps://mail.example.org:9993/Games/Answers"),
            (
                "mail.example.org".to_owned(),
                9993,
                true,
                "Games/Answers".to_owned()
            )
        );
        assert_eq!(
            read("imap://[::1]"),
            ("::1".to_owned(), 143, false, inbox())
        );
    }

    #[test]
    fn a_password_never_leaves_this_machine_unsealed() {
        let read = |text: &str| text.parse::<MailboxPlace>();
        assert_eq!(read("imap://mail.example.org"), Err(NoMailbox::Open));
        assert_eq!(read("imap://127.0.0.1.example.org"), Err(NoMailbox::Open));
        assert_eq!(read("pop3://mail.example.org"), Err(NoMailbox::Form));
        assert_eq!(read("imaps://"), Err(NoMailbox::Form));
    }
}
