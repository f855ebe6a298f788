//! Fetching answers by mail: from a mailbox, by IMAP. Each mail is taken as one that `quorate mail-in` hands over.
//!
//! A mail is marked as seen once it was taken. Where the server ends between the two, the mail is taken again, and what it
//! did is known by its key: nothing is done twice. What could not be taken stays unseen, and holds nothing else up.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_imap::Session;
use async_imap::error::Error as ImapError;
use futures_util::TryStreamExt as _;
use hyper_rustls::ConfigBuilderExt as _;
use quorate_notices::answer::MAIL_BYTES_MAX;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, crypto::ring};

use crate::app::mailbox::{Mailbox, MailboxPlace};
use crate::app::state::AppState;
use crate::requests::mail_in::take_mail;

/// How long the mail server may take over one thing that it is asked.
const PATIENCE: Duration = Duration::from_mins(1);

/// How often it looks, also where the mail server tells of new mail by itself.
const LOOK_EVERY: Duration = Duration::from_mins(1);

/// Why mail could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The mail server cannot be reached.
    #[error("the mail server cannot be reached: {0}")]
    Reach(#[from] std::io::Error),
    /// It does not prove who it is, or nothing here is trusted.
    #[error("the mail server is not trusted: {0}")]
    Trust(#[from] tokio_rustls::rustls::Error),
    /// Its name is none.
    #[error("{0} is no name of a mail server")]
    Name(String),
    /// It said no, or what it said cannot be read.
    #[error("the mail server failed: {0}")]
    Server(#[from] ImapError),
    /// It does not take the account with this password.
    #[error("the mail server does not take the account: {0}")]
    Account(ImapError),
    /// It said nothing.
    #[error("the mail server did not answer in time")]
    Silent,
    /// The outbox cannot be read.
    #[error("{0}")]
    Store(#[from] quorate_runtime::ports::StoreError),
}

type Result<T> = std::result::Result<T, FetchError>;

/// What goes to and fro, sealed or not.
trait Wire: AsyncRead + AsyncWrite + Unpin + Send + fmt::Debug {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send + fmt::Debug> Wire for T {}

type OpenedMailbox = Session<Box<dyn Wire>>;

/// Which mail of a mailbox: its number, and what tells numbers of before from those of now.
type MailNumber = (Option<u32>, u32);

/// Fetches answers by mail.
pub struct Fetcher {
    site: Arc<AppState>,
    mailbox: Mailbox,
    /// What was taken and could not be marked: it is not taken again, or its sender would be answered each time.
    unmarked: Mutex<BTreeSet<MailNumber>>,
}

impl Fetcher {
    /// For a site; none where its operator named no mailbox.
    pub fn new(site: &Arc<AppState>) -> Option<Self> {
        Some(Self {
            mailbox: site.deps.config.mailbox.clone()?,
            site: Arc::clone(site),
            unmarked: Mutex::default(),
        })
    }

    /// Goes on until it is dropped. Where another node delivers, that one fetches too.
    pub async fn run(self) {
        loop {
            if let Err(error) = self.stay().await {
                tracing::warn!(%error, mailbox = ?self.mailbox, "mail was not fetched");
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// One visit: takes all mail that is new. Gives how many were taken.
    ///
    /// # Errors
    /// Fails where the mail server cannot be reached, or says no.
    pub async fn round(&self) -> Result<usize> {
        let (mut session, validity) = self.open().await?;
        let count = self.take_new(&mut session, validity).await?;
        in_time(session.logout()).await?;
        Ok(count)
    }

    /// Takes what is new, and stays for more, as long as it is this node's turn.
    async fn stay(&self) -> Result<()> {
        if !self.has_turn().await? {
            return Ok(());
        }
        let (mut session, validity) = self.open().await?;
        let can_tell = in_time(session.capabilities()).await?.has_str("IDLE");
        loop {
            self.take_new(&mut session, validity).await?;
            session = wait(session, can_tell).await?;
            if !self.has_turn().await? {
                in_time(session.logout()).await?;
                return Ok(());
            }
        }
    }

    async fn has_turn(&self) -> Result<bool> {
        match &self.site.deps.outbox {
            Some(outbox) => Ok(outbox.claim_delivery().await?),
            None => Ok(false),
        }
    }

    fn with_unmarked<T>(&self, use_it: impl FnOnce(&mut BTreeSet<MailNumber>) -> T) -> T {
        // A set of numbers is whole at any moment.
        use_it(&mut self.unmarked.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The mailbox, and what tells its numbers from those of another time.
    async fn open(&self) -> Result<(OpenedMailbox, Option<u32>)> {
        let place = &self.mailbox.place;
        let wire = timeout(PATIENCE, wire(place)).await;
        let mut client = async_imap::Client::new(wire.map_err(|_| FetchError::Silent)??);
        // It greets first.
        let greeting = timeout(PATIENCE, client.read_response()).await;
        if greeting.map_err(|_| FetchError::Silent)??.is_none() {
            return Err(ImapError::ConnectionLost.into());
        }
        let entering = client.login(&self.mailbox.account, &self.mailbox.password);
        let entered = timeout(PATIENCE, entering).await;
        let entered = entered.map_err(|_| FetchError::Silent)?;
        let mut session = entered.map_err(|(error, _)| FetchError::Account(error))?;
        let folder = in_time(session.select(&place.folder)).await?;
        Ok((session, folder.uid_validity))
    }

    /// Takes all mail that was not seen, oldest first.
    async fn take_new(&self, session: &mut OpenedMailbox, validity: Option<u32>) -> Result<usize> {
        let found = in_time(session.uid_search("UNSEEN UNDELETED")).await?;
        let mut found: Vec<u32> = found.into_iter().collect();
        found.sort_unstable();
        let mut count = 0;
        for uid in found {
            let number = (validity, uid);
            if self.with_unmarked(|unmarked| unmarked.contains(&number)) {
                seen(session, uid).await?;
                self.with_unmarked(|unmarked| unmarked.remove(&number));
                continue;
            }
            let Some(mail) = fetched(session, uid).await? else {
                continue;
            };
            match take_mail(&self.site, &mail, None).await {
                Ok(Some(_)) => {}
                Ok(None) => return Ok(count),
                Err(error) => {
                    tracing::error!(uid, error = %error.what(), "a mail was not taken, and is tried again");
                    continue;
                }
            }
            self.with_unmarked(|unmarked| unmarked.insert(number));
            seen(session, uid).await?;
            self.with_unmarked(|unmarked| unmarked.remove(&number));
            count += 1;
        }
        Ok(count)
    }
}

async fn in_time<T>(asked: impl Future<Output = std::result::Result<T, ImapError>>) -> Result<T> {
    let answered = timeout(PATIENCE, asked).await;
    Ok(answered.map_err(|_| FetchError::Silent)??)
}

async fn wire(place: &MailboxPlace) -> Result<Box<dyn Wire>> {
    let stream = TcpStream::connect((place.host.as_str(), place.port)).await?;
    if !place.is_secure {
        return Ok(Box::new(stream));
    }
    let name = ServerName::try_from(place.host.clone());
    let name = name.map_err(|_| FetchError::Name(place.host.clone()))?;
    let trusted = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_native_roots()?
        .with_no_client_auth();
    let sealed = TlsConnector::from(Arc::new(trusted)).connect(name, stream);
    Ok(Box::new(sealed.await?))
}

/// A mail up to the length that is read; none where somebody took it away.
async fn fetched(session: &mut OpenedMailbox, uid: u32) -> Result<Option<Vec<u8>>> {
    let asked = async {
        let query = format!("(UID BODY.PEEK[]<0.{MAIL_BYTES_MAX}>)");
        let mails: Vec<_> = session
            .uid_fetch(uid.to_string(), query)
            .await?
            .try_collect()
            .await?;
        let mine = mails.iter().find(|mail| mail.uid == Some(uid));
        Ok::<_, ImapError>(mine.and_then(|mail| mail.body()).map(<[u8]>::to_vec))
    };
    in_time(asked).await
}

async fn seen(session: &mut OpenedMailbox, uid: u32) -> Result<()> {
    let store = format!("UID STORE {uid} +FLAGS.SILENT (\\Seen)");
    in_time(session.run_command_and_check_ok(store)).await
}

/// Waits until there may be more.
async fn wait(session: OpenedMailbox, can_tell: bool) -> Result<OpenedMailbox> {
    let mut session = session;
    if !can_tell {
        tokio::time::sleep(LOOK_EVERY).await;
        in_time(session.noop()).await?;
        return Ok(session);
    }
    let mut idle = session.idle();
    in_time(idle.init()).await?;
    let (told, _stop) = idle.wait_with_timeout(LOOK_EVERY);
    told.await?;
    in_time(idle.done()).await
}
