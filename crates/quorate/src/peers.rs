//! The connections between nodes: commands go to the owner of their game, answers come back.
//!
//! One connection leads from a node to another, and any number of questions wait on it. It is a Noise channel under a
//! key that follows from the site's secret, so both ends know that the other is a node of the same site, and nobody
//! else reads along. Nothing depends on it being there: a question that is not answered is asked again under its key.

mod channel;
mod words;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use quorate_kernel::GameId;
use quorate_runtime::Games;
use quorate_runtime::judge::Secret;
use quorate_runtime::ports::{NodeRow, PeerAnswer, PeerAsk, PeerError, Peers, ServerSecret};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use channel::{Receiving, Sending};
use words::{PeerAsked, Replied};

/// How long a connection may take to be made.
const CONNECT_WITHIN: Duration = Duration::from_secs(1);

/// How long an answer may take before the other node counts as gone. A command that takes longer is asked for again
/// under its key.
const ANSWER_WITHIN: Duration = Duration::from_secs(3);

/// How many questions or answers wait to be sent.
const WAITING_MAX: usize = 1_024;

/// How many connections of others are served at a time.
const SERVED_MAX: usize = 256;

/// The connections of this node to others.
pub(crate) struct PeerLinks {
    key: Secret,
    links: Mutex<HashMap<Arc<str>, PeerLink>>,
    next: AtomicU64,
}

/// One connection. It ends when it breaks, and is then made again.
#[derive(Clone)]
struct PeerLink {
    questions: mpsc::Sender<PeerAsked>,
    waiting: Arc<WaitingAnswers>,
}

/// Who waits for which answer; none any more where the connection broke.
#[derive(Default)]
struct WaitingAnswers(Mutex<Option<HashMap<u64, oneshot::Sender<Replied>>>>);

impl WaitingAnswers {
    fn lock(&self) -> MutexGuard<'_, Option<HashMap<u64, oneshot::Sender<Replied>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open() -> Self {
        Self(Mutex::new(Some(HashMap::new())))
    }

    /// Notes who waits. False where the connection broke.
    fn note(&self, id: u64, reply: oneshot::Sender<Replied>) -> bool {
        let mut waiting = self.lock();
        waiting
            .as_mut()
            .is_some_and(|waiting| waiting.insert(id, reply).is_none())
    }

    fn take(&self, id: u64) -> Option<oneshot::Sender<Replied>> {
        self.lock().as_mut()?.remove(&id)
    }

    /// Nobody gets an answer any more.
    fn end(&self) {
        *self.lock() = None;
    }

    fn has_ended(&self) -> bool {
        self.lock().is_none()
    }
}

impl PeerLinks {
    /// Connections to other nodes of the same site.
    pub(crate) fn new(secret: &ServerSecret) -> Self {
        Self {
            key: secret.of_nodes(),
            links: Mutex::default(),
            next: AtomicU64::new(0),
        }
    }

    fn links(&self) -> MutexGuard<'_, HashMap<Arc<str>, PeerLink>> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn link(&self, address: &Arc<str>) -> std::io::Result<PeerLink> {
        let known = self.links().get(address).cloned();
        if let Some(link) = known.filter(|link| !link.waiting.has_ended()) {
            return Ok(link);
        }
        let connecting = connect(address, &self.key);
        let connected = tokio::time::timeout(CONNECT_WITHIN, connecting).await;
        let (sending, receiving) = connected.map_err(|_| std::io::ErrorKind::TimedOut)??;
        let (questions, to_send) = mpsc::channel(WAITING_MAX);
        let link = PeerLink {
            questions,
            waiting: Arc::new(WaitingAnswers::open()),
        };
        let waiting = Arc::clone(&link.waiting);
        tokio::spawn(async move {
            tokio::select! {
                () = send_all(sending, to_send) => {}
                () = hear_all(receiving, &waiting) => {}
            }
            waiting.end();
        });
        self.links().insert(Arc::clone(address), link.clone());
        Ok(link)
    }

    async fn ask_link(
        &self,
        address: &Arc<str>,
        game: &GameId,
        ask: PeerAsk,
    ) -> Result<Replied, String> {
        let link = self.link(address).await.map_err(|e| e.to_string())?;
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let broke = || "the connection broke".to_owned();
        let (reply, answer) = oneshot::channel();
        if !link.waiting.note(id, reply) {
            return Err(broke());
        }
        let asked = PeerAsked::new(id, game, ask);
        link.questions.send(asked).await.map_err(|_| broke())?;
        match tokio::time::timeout(ANSWER_WITHIN, answer).await {
            Ok(Ok(replied)) => Ok(replied),
            Ok(Err(_)) => Err(broke()),
            Err(_) => {
                // A node that stands still answers nobody: the next question looks whether it is there at all.
                link.waiting.end();
                Err(format!("no answer within {} s", ANSWER_WITHIN.as_secs()))
            }
        }
    }
}

#[async_trait]
impl Peers for PeerLinks {
    async fn ask(
        &self,
        node: &NodeRow,
        game: &GameId,
        ask: PeerAsk,
    ) -> Result<PeerAnswer, PeerError> {
        if node.address.is_empty() {
            let what = format!("{} takes no commands", node.name);
            return Err(PeerError::Gone(what));
        }
        let replied = self.ask_link(&node.address, game, ask).await;
        replied.map_err(PeerError::Gone)?.answer()
    }
}

async fn connect(address: &str, key: &Secret) -> std::io::Result<(Sending, Receiving)> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    channel::open(stream, key).await
}

async fn send_all(mut sending: Sending, mut questions: mpsc::Receiver<PeerAsked>) {
    while let Some(asked) = questions.recv().await {
        if sending.send(&asked).await.is_err() {
            return;
        }
    }
}

async fn hear_all(mut receiving: Receiving, waiting: &WaitingAnswers) {
    while let Ok(replied) = receiving.receive::<Replied>().await {
        if let Some(reply) = waiting.take(replied.id) {
            // Who does not wait any more asks again under the same key.
            drop(reply.send(replied));
        }
    }
}

/// Answers other nodes until the future is dropped.
pub(crate) async fn serve(listener: TcpListener, games: Games, secret: ServerSecret) {
    let key = secret.of_nodes();
    let mut served = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, from)) if served.len() < SERVED_MAX => {
                    served.spawn(serve_one(stream, from, games.clone(), key));
                }
                Ok((_, from)) => tracing::warn!(%from, "too many connections of other nodes"),
                Err(error) => tracing::warn!(%error, "a connection of another node was not taken"),
            },
            Some(_) = served.join_next(), if !served.is_empty() => {}
        }
    }
}

async fn serve_one(stream: TcpStream, from: SocketAddr, games: Games, key: Secret) {
    drop(stream.set_nodelay(true));
    let taking = tokio::time::timeout(CONNECT_WITHIN, channel::take(stream, &key)).await;
    let Ok(Ok((mut sending, mut receiving))) = taking else {
        tracing::warn!(%from, "somebody who is no node of this site asked to be one");
        return;
    };
    let (replies, mut to_send) = mpsc::channel::<Replied>(WAITING_MAX);
    let answering = async {
        let mut asked_now = JoinSet::new();
        while let Ok(asked) = receiving.receive::<PeerAsked>().await {
            let (games, replies) = (games.clone(), replies.clone());
            asked_now.spawn(async move {
                let replied = answer(&games, asked).await;
                // Whoever asked is gone, and asks again under the same key.
                drop(replies.send(replied).await);
            });
            while asked_now.try_join_next().is_some() {}
        }
    };
    let telling = async {
        while let Some(replied) = to_send.recv().await {
            if sending.send(&replied).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = answering => {}
        () = telling => {}
    }
}

async fn answer(games: &Games, asked: PeerAsked) -> Replied {
    let id = asked.id;
    match asked.read() {
        Ok((game, ask)) => Replied::new(id, games.answer_peer(&game, ask).await),
        Err(what) => Replied::new(id, Err(PeerError::Gone(what))),
    }
}

#[cfg(test)]
mod tests {
    use quorate_kernel::command::Actor;
    use quorate_kernel::ids::{EventSeq, Id, PlayerId};
    use quorate_runtime::ports::{Nodes as _, SystemClock};
    use quorate_runtime::testing::{Counters, count, founding, plays};
    use quorate_runtime::{Answer, GamesSettings, OperatingError, Others, Ports};
    use quorate_store_postgres::testing::PrivateServer;
    use quorate_store_postgres::{NodeOptions, PostgresStore};

    use super::*;

    async fn pair(theirs: u8) -> bool {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let taken = async {
            let (stream, _) = listener.accept().await.unwrap();
            let (mut sending, mut receiving) = channel::take(stream, &[7; 32]).await.ok()?;
            let text: String = receiving.receive().await.ok()?;
            sending.send(&text).await.ok()
        };
        let asked = async {
            let (mut sending, mut receiving) = connect(&address, &[theirs; 32]).await.ok()?;
            let long = "a word ".repeat(40_000);
            sending.send(&long).await.ok()?;
            let back: String = receiving.receive().await.ok()?;
            Some(back == long)
        };
        tokio::join!(taken, asked).1.unwrap_or(false)
    }

    #[tokio::test]
    async fn long_messages_arrive_whole() {
        assert!(pair(7).await);
    }

    #[tokio::test]
    async fn nobody_talks_to_nodes_without_the_secret() {
        assert!(!pair(8).await);
    }

    /// The edition that the counting game's law comes to need, and which the older release does not know.
    const LATER: u16 = 700;

    /// A node of a release that knows the language up to that edition, with games that it owns or passes on.
    async fn release(
        address: &str,
        name: &str,
        edition: u16,
    ) -> (Arc<PostgresStore>, Games, tokio::task::JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let node = NodeOptions {
            name: name.to_owned(),
            address: listener.local_addr().unwrap().to_string(),
            edition,
            release: format!("of edition {edition}"),
        };
        let store = PostgresStore::open(address, ServerSecret::new([9; 32]), node).await;
        let store = Arc::new(store.unwrap());
        let secret = store.secret();
        let ports = Ports {
            journal: store.clone(),
            seals: store.clone(),
            judges: Arc::new(Counters),
            clock: Arc::new(SystemClock),
            secret: secret.clone(),
            others: Some(Others {
                nodes: store.clone(),
                peers: Arc::new(PeerLinks::new(&secret)),
            }),
        };
        let settings = GamesSettings {
            edition_max: edition,
            ..GamesSettings::default()
        };
        let games = Games::start(ports, settings).await.unwrap();
        let serving = tokio::spawn(serve(listener, games.clone(), secret));
        (store, games, serving)
    }

    /// Who owns a game, as far as the database says by their numbers of games.
    async fn owners(store: &PostgresStore) -> Vec<String> {
        let nodes = store.list().await.unwrap();
        let owning = nodes.iter().filter(|node| node.game_count > 0);
        owning.map(|node| node.name.to_string()).collect()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_older_release_refuses_a_game_of_a_later_language_and_passes_its_commands_on() {
        let Some(server) = PrivateServer::start() else {
            return;
        };
        let address = server.fresh("editions");
        let (store, older, one) = release(&address, "older", 1).await;
        let game: GameId = "harbour".parse().unwrap();
        let founder = Actor::Operator;
        let founded = older
            .found(&game, founder, "found".into(), founding())
            .await;
        assert!(matches!(founded, Ok(Answer::Kept(_))));
        assert_eq!(owners(&store).await, ["older"]);
        let anna = Actor::Player(PlayerId(Id::new(EventSeq(1), 0)));
        let modern = plays("modern", i64::from(LATER));
        let kept = older.send(&game, anna, "modern".into(), modern).await;
        assert!(matches!(kept, Ok(Answer::Kept(_))));
        // Who owned it goes, and comes back as a release that has not been replaced yet.
        older.close().await.unwrap();
        one.abort();
        store.close().await;
        let (older_store, older, _one) = release(&address, "older", 1).await;
        let alone = older
            .send(&game, anna, "alone".into(), plays("add", 1))
            .await;
        let refused = OperatingError::LaterEdition {
            game: game.clone(),
            edition: LATER,
        };
        assert_eq!(alone, Err(refused.clone()), "nobody knows its language");
        assert_eq!(older.snapshot(&game).await.map(drop), Err(refused));

        let (newer_store, newer, _two) = release(&address, "newer", LATER).await;
        let passed = older
            .send(&game, anna, "passed".into(), plays("add", 2))
            .await;
        assert!(matches!(passed, Ok(Answer::Kept(_))), "{passed:?}");
        assert_eq!(owners(&newer_store).await, ["newer"]);
        assert_eq!(count(&newer.snapshot(&game).await.unwrap().state), 2);

        // One that drains gives its games to anybody, and the older one again passes them on.
        let (third_store, third, _three) = release(&address, "third", LATER).await;
        assert!(third_store.set_draining("newer", true).await.unwrap());
        let moved = async {
            while owners(&third_store).await == ["newer"] {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let moved = tokio::time::timeout(Duration::from_secs(5), moved).await;
        moved.expect("it gives the game away");
        let drained = newer
            .send(&game, anna, "drained".into(), plays("add", 3))
            .await;
        assert!(matches!(drained, Ok(Answer::Kept(_))), "{drained:?}");
        assert_eq!(owners(&third_store).await, ["third"]);
        assert_eq!(count(&third.snapshot(&game).await.unwrap().state), 5);
        for games in [older, newer, third] {
            games.close().await.unwrap();
        }
        drop(older_store);
    }
}
