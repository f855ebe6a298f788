//! What comes back by mail, fetched from a mailbox.

use std::sync::{Arc, Mutex};

use quorate_server::{FetchError, Fetcher, Mailbox};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

use super::answers::{asked, berts_vote, mail};
use super::{MailWays, Post};

/// The password of the mailbox.
const PASSWORD: &str = "what nobody \"guesses\"";

/// A mailbox on a mail server, as RFC 3501 and RFC 2177 have it.
#[derive(Clone, Default)]
struct MailboxServer {
    kept: Arc<Mutex<Vec<KeptMail>>>,
    /// Whether it hangs up instead of marking a mail.
    hangs_up: Arc<Mutex<bool>>,
    /// Mail arrived.
    arrived: Arc<Notify>,
    /// A mail was marked as seen.
    marked: Arc<Notify>,
    /// Somebody waits for mail.
    waits: Arc<Notify>,
}

struct KeptMail {
    raw: String,
    is_seen: bool,
}

impl MailboxServer {
    async fn start(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("imap://{}/Games", listener.local_addr().unwrap());
        let server = self.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let server = server.clone();
                tokio::spawn(async move { drop(server.speak(stream).await) });
            }
        });
        address
    }

    fn put(&self, raw: &str) {
        let (raw, is_seen) = (raw.to_owned(), false);
        self.kept.lock().unwrap().push(KeptMail { raw, is_seen });
        self.arrived.notify_one();
    }

    fn unseen(&self) -> usize {
        let kept = self.kept.lock().unwrap();
        kept.iter().filter(|mail| !mail.is_seen).count()
    }

    async fn speak(&self, stream: TcpStream) -> std::io::Result<()> {
        let (read, mut write) = stream.into_split();
        let mut lines = BufReader::new(read).lines();
        write.write_all(b"* OK ready\r\n").await?;
        while let Some(line) = lines.next_line().await? {
            let (tag, asked) = line.split_once(' ').unwrap();
            let done = format!("{tag} OK done\r\n");
            let words: Vec<&str> = asked.split(' ').collect();
            let said = match words.as_slice() {
                ["LOGIN", ..] if asked == r#"LOGIN "games" "what nobody \"guesses\"""# => done,
                ["LOGIN", ..] => format!("{tag} NO [AUTHENTICATIONFAILED] who is that\r\n"),
                ["CAPABILITY"] => format!("* CAPABILITY IMAP4rev1 IDLE\r\n{done}"),
                ["SELECT", r#""Games""#] => {
                    let count = self.kept.lock().unwrap().len();
                    format!("* {count} EXISTS\r\n* OK [UIDVALIDITY 7] valid\r\n{done}")
                }
                ["UID", "SEARCH", "UNSEEN", "UNDELETED"] => format!("{}{done}", self.found()),
                ["UID", "FETCH", uid, "(UID", peek] if peek.starts_with("BODY.PEEK[]<0.") => {
                    format!("{}{done}", self.shown(uid))
                }
                ["UID", "STORE", ..] if *self.hangs_up.lock().unwrap() => return Ok(()),
                ["UID", "STORE", uid, "+FLAGS.SILENT", r"(\Seen)"] => {
                    let nth: usize = uid.parse().unwrap();
                    self.kept.lock().unwrap()[nth - 1].is_seen = true;
                    self.marked.notify_one();
                    done
                }
                ["IDLE"] => {
                    write.write_all(b"+ idling\r\n").await?;
                    self.waits.notify_one();
                    self.arrived.notified().await;
                    let count = self.kept.lock().unwrap().len();
                    let more = format!("* {count} EXISTS\r\n");
                    write.write_all(more.as_bytes()).await?;
                    assert_eq!(lines.next_line().await?.as_deref(), Some("DONE"));
                    done
                }
                ["LOGOUT"] => format!("* BYE\r\n{done}"),
                _ => format!("{tag} BAD {asked}\r\n"),
            };
            write.write_all(said.as_bytes()).await?;
        }
        Ok(())
    }

    fn found(&self) -> String {
        let kept = self.kept.lock().unwrap();
        let unseen = kept.iter().enumerate().filter(|(_, mail)| !mail.is_seen);
        let uids = unseen.map(|(nth, _)| (nth + 1).to_string());
        format!("* SEARCH {}\r\n", uids.collect::<Vec<_>>().join(" "))
    }

    fn shown(&self, uid: &str) -> String {
        let kept = self.kept.lock().unwrap();
        let raw = &kept[uid.parse::<usize>().unwrap() - 1].raw;
        let bytes = raw.len();
        format!("* {uid} FETCH (UID {uid} BODY[]<0> {{{bytes}}}\r\n{raw})\r\n")
    }
}

/// A site whose answers by mail are in a mailbox, with a matter that waits for Bert, the address for his answer, and who
/// fetches it.
async fn fetched(server: &MailboxServer) -> (Post, String, String, Fetcher) {
    let mailbox = Mailbox {
        place: server.start().await.parse().unwrap(),
        account: "games".to_owned(),
        password: PASSWORD.to_owned(),
    };
    let post = Post::open_with(by(mailbox)).await;
    let (matter, to) = asked(&post).await;
    let fetcher = Fetcher::new(post.game.table.site()).unwrap();
    (post, matter, to, fetcher)
}

fn by(mailbox: Mailbox) -> MailWays {
    MailWays {
        mailbox: Some(mailbox),
        server: None,
    }
}

async fn comments(post: &Post, matter: &str) -> usize {
    let shown = post.game.get(&format!("/posts/{matter}")).gives(200).await;
    shown["thread"].as_array().unwrap().len()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_in_the_mailbox_votes_and_is_seen() {
    let server = MailboxServer::default();
    let (post, matter, to, fetcher) = fetched(&server).await;
    assert_eq!(fetcher.round().await.unwrap(), 0);
    server.put("This is no mail at all.");
    server.put(&mail(
        "bert@post.example",
        &to,
        "1",
        "FOR\r\n\r\nWith a rope.",
    ));
    assert_eq!(fetcher.round().await.unwrap(), 2);
    assert_eq!(berts_vote(&post, &matter).await, "for");
    assert_eq!(server.unseen(), 0);
    assert_eq!(fetcher.round().await.unwrap(), 0);
    assert_eq!(comments(&post, &matter).await, 1);
    assert_eq!(post.mail.count(), 0, "what was done needs no answer");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_that_was_taken_and_not_marked_is_not_taken_twice() {
    let server = MailboxServer::default();
    let (post, matter, to, fetcher) = fetched(&server).await;
    server.put(&mail(
        "bert@post.example",
        &to,
        "1",
        "FOR\r\n\r\nWith a rope.",
    ));
    *server.hangs_up.lock().unwrap() = true;
    let ended = fetcher.round().await;
    assert!(matches!(ended, Err(FetchError::Server(_))), "{ended:?}");
    assert_eq!((server.unseen(), comments(&post, &matter).await), (1, 1));
    *server.hangs_up.lock().unwrap() = false;
    // Whoever comes after knows only what the mailbox says.
    let after = Fetcher::new(post.game.table.site()).unwrap();
    assert_eq!(after.round().await.unwrap(), 1);
    assert_eq!((server.unseen(), comments(&post, &matter).await), (0, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_that_cannot_be_marked_is_answered_once() {
    let server = MailboxServer::default();
    let (post, _, to, fetcher) = fetched(&server).await;
    server.put(&mail("mallory@evil.example", &to, "1", "FOR"));
    *server.hangs_up.lock().unwrap() = true;
    for _ in 0..3 {
        assert!(fetcher.round().await.is_err());
    }
    assert_eq!(post.mail.count(), 1, "the answer to whom it is not for");
    *server.hangs_up.lock().unwrap() = false;
    assert_eq!(fetcher.round().await.unwrap(), 0);
    assert_eq!((server.unseen(), post.mail.count()), (0, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_that_arrives_is_taken_while_the_server_waits_for_it() {
    let server = MailboxServer::default();
    let (post, matter, to, fetcher) = fetched(&server).await;
    let running = tokio::spawn(fetcher.run());
    server.waits.notified().await;
    server.put(&mail("bert@post.example", &to, "1", "AGAINST"));
    server.marked.notified().await;
    assert_eq!(berts_vote(&post, &matter).await, "against");
    // It waits again.
    server.waits.notified().await;
    running.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_is_not_taken_is_told() {
    let server = MailboxServer::default();
    let mailbox = Mailbox {
        place: server.start().await.parse().unwrap(),
        account: "games".to_owned(),
        password: "guessed".to_owned(),
    };
    let post = Post::open_with(by(mailbox)).await;
    let fetcher = Fetcher::new(post.game.table.site()).unwrap();
    let error = fetcher.round().await.unwrap_err();
    assert!(matches!(error, FetchError::Account(_)), "{error}");
    assert!(!format!("{error} {error:?}").contains("guessed"));
}
