//! Mail to Exim, as Debian packages it: what it takes, what it refuses, and what it sends back.

use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::Stdio;

use mail_parser::MessageParser;
use quorate_notices::kind::{NoticeKind, Pace};
use quorate_notices::outbox::{Channel, ChannelAudience, ChannelSort, LetterStanding};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::sync::mpsc;

use super::answers::{berts_vote, hand_over, mail};
use super::{MailWays, Post};

/// Where Debian puts it.
const EXIM: &str = "/usr/sbin/exim4";

/// With this the tests fail where there is none, without it they do nothing.
const NEEDED: &str = "QUORATE_NEEDS_EXIM";

/// What it is told: all mail into one folder, but for an address that is refused at once and one that fails on the way.
const SETTINGS: &str = "
primary_hostname = mx.post.example
spool_directory = FOLDER/spool
log_file_path = FOLDER/log/%s
deliver_drop_privilege = true
tls_advertise_hosts =
host_lookup =
keep_environment =
acl_smtp_rcpt = recipients
acl_smtp_data = accept

begin acl
recipients:
  deny local_parts = gone
       message = 5.1.1 no such mailbox
  accept

begin routers
moved:
  driver = redirect
  local_parts = moved
  data = :fail: 5.1.1 this mailbox was closed
  allow_fail
everything:
  driver = accept
  transport = folder

begin transports
folder:
  driver = appendfile
  directory = FOLDER/mail
  maildir_format
  envelope_to_add
  return_path_add

begin retry
* * F,1d,1h
";

/// An Exim of its own for each connection, as inetd starts it: it has no port, no daemon, and its folder alone.
struct Exim {
    folder: TempDir,
    address: String,
    ended: mpsc::UnboundedReceiver<()>,
}

impl Exim {
    async fn start() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        // It gives its rights away itself, and takes settings of somebody who may give it any.
        let is_root = folder.path().metadata().unwrap().uid() == 0;
        if !is_root || !Path::new(EXIM).exists() {
            assert!(
                std::env::var_os(NEEDED).is_none(),
                "there is no {EXIM} that these tests may use"
            );
            return None;
        }
        let open = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        open(folder.path(), 0o755);
        for name in ["spool", "log", "mail"] {
            let path = folder.path().join(name);
            std::fs::create_dir(&path).unwrap();
            open(&path, 0o777);
        }
        let settings = folder.path().join("exim.conf");
        let place = folder.path().to_str().unwrap();
        std::fs::write(&settings, SETTINGS.replace("FOLDER", place)).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("smtp://{}", listener.local_addr().unwrap());
        let (end, ended) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let stream = stream.into_std().unwrap();
                stream.set_nonblocking(false).unwrap();
                let (read, written) = (stream.try_clone().unwrap(), stream);
                let mut exim = Command::new(EXIM);
                exim.arg("-C").arg(&settings).args(["-bs", "-odi"]);
                exim.stdin(Stdio::from(OwnedFd::from(read)));
                exim.stdout(Stdio::from(OwnedFd::from(written)));
                let mut child = exim.stderr(Stdio::null()).spawn().unwrap();
                // It must not hold the connection.
                drop(exim);
                let end = end.clone();
                tokio::spawn(async move {
                    child.wait().await.unwrap();
                    let _ = end.send(());
                });
            }
        });
        Some(Self {
            folder,
            address,
            ended,
        })
    }

    /// All mail that it put into the folder, once it is done with a connection.
    async fn delivered(&mut self) -> Vec<String> {
        self.ended.recv().await.unwrap();
        let fresh = self.folder.path().join("mail/new");
        let mut all: Vec<String> = std::fs::read_dir(fresh)
            .into_iter()
            .flatten()
            .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
            .collect();
        all.sort();
        all
    }
}

/// A site that hands its mail to an Exim.
async fn with_exim() -> Option<(Post, Exim)> {
    let exim = Exim::start().await?;
    let ways = MailWays {
        server: Some(exim.address.clone()),
        mailbox: None,
    };
    Some((Post::open_with(ways).await, exim))
}

/// The address of an account's way by mail is another one.
async fn by_mail_at(post: &Post, address: &str) -> Channel {
    let own = ChannelAudience::ALL;
    let channel = post.channel("Bert", ChannelSort::Mail, address, own).await;
    let (kind, off) = (NoticeKind::YourMove, Pace::Off);
    let chosen = post.outbox().choose(channel.account, None, kind, off);
    chosen.await.unwrap();
    channel
}

#[tokio::test(flavor = "multi_thread")]
async fn exim_delivers_a_notice_and_its_answer_votes() {
    let Some((post, mut exim)) = with_exim().await else {
        return;
    };
    let channel = post.by_mail("Bert").await;
    let matter = post.proposal("Größere Körbe").await;
    assert_eq!(post.round().await, 1);
    let all = exim.delivered().await;
    let [raw] = all.as_slice() else {
        panic!("{all:#?}");
    };
    assert!(raw.contains("Envelope-to: bert@post.example"), "{raw}");
    let notice = MessageParser::default().parse(raw.as_bytes()).unwrap();
    let subject = "[The Wilds] Your vote is wanted: Größere Körbe";
    assert_eq!(notice.subject(), Some(subject));
    let letters = post.outbox().letters_of(channel.id, 9).await.unwrap();
    assert_eq!(letters[0].standing, LetterStanding::Sent);
    let reply = notice.reply_to().unwrap().first().unwrap().address();
    let answer = mail("bert@post.example", reply.unwrap(), "1", "FOR");
    assert_eq!(hand_over(&post, &answer).await, "played");
    assert_eq!(berts_vote(&post, &matter).await, "for");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_exim_refuses_is_paused() {
    let Some((post, mut exim)) = with_exim().await else {
        return;
    };
    let channel = by_mail_at(&post, "gone@post.example").await;
    post.proposal("More rope").await;
    post.round().await;
    assert_eq!(exim.delivered().await, Vec::<String>::new());
    let paused = post.outbox().channel(channel.id).await.unwrap().unwrap();
    let why = paused.paused.unwrap();
    assert!(why.contains("550"), "{why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_that_exim_sends_back_pauses_its_address() {
    let Some((post, mut exim)) = with_exim().await else {
        return;
    };
    let channel = by_mail_at(&post, "moved@post.example").await;
    post.proposal("More rope").await;
    assert_eq!(post.round().await, 1);
    let sent = post.outbox().channel(channel.id).await.unwrap().unwrap();
    assert_eq!(sent.paused, None, "it was taken");
    let all = exim.delivered().await;
    let [back] = all.as_slice() else {
        panic!("{all:#?}");
    };
    assert!(back.contains("Envelope-to: reply+"), "{back}");
    assert_eq!(hand_over(&post, back).await, "noted");
    let paused = post.outbox().channel(channel.id).await.unwrap().unwrap();
    let why = "mail to this address came back";
    assert_eq!(paused.paused.as_deref(), Some(why));
}
