//! A site of several nodes: the real binary over a private database, and clients that speak HTTP.

#[path = "../../src/cmd/bench/people.rs"]
mod people;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use quorate_kernel::ids::GameId;
use quorate_kernel::record;
use quorate_runtime::fold;
use quorate_runtime::ports::Journal;
use quorate_runtime::verify::{Grade, verify};
use quorate_store_postgres::PostgresStore;
use quorate_store_postgres::testing::{PrivateServer, node, pair_address};
use tempfile::TempDir;

use people::account;

use super::history::{Game, Log};
use super::link::{End, Link, front};
use super::machine::{Clock, Namespace, Network};
use super::run::pause;

/// The name of the database.
const DATABASE: &str = "site";

/// Where everything listens that has no network of its own.
const HERE: &str = "127.0.0.1";

/// How long a client waits for an answer before it asks another node.
const ANSWER_WITHIN: Duration = Duration::from_secs(15);

/// A site.
pub(crate) struct Cluster {
    /// The databases: the one that takes writes first, then its standby.
    pub(crate) servers: Vec<PrivateServer>,
    /// What lies between the standby and the one that takes writes.
    pub(crate) replication: Link,
    data: TempDir,
    pub(crate) nodes: Vec<TestNode>,
    /// What stands in front of the nodes.
    pub(crate) front: String,
    runtime: tokio::runtime::Runtime,
    /// Behind the nodes, for their own networks hang on it.
    network: Option<Network>,
}

/// A node that runs, stands still or is dead.
pub(crate) struct TestNode {
    pub(crate) name: String,
    /// What it runs.
    pub(crate) program: PathBuf,
    process: Option<Child>,
    /// Where its site is: a host and a port.
    pub(crate) site: String,
    /// What lies between it and the databases.
    pub(crate) databases: Vec<Link>,
    /// What lies between the other nodes and it.
    pub(crate) others: Link,
    /// Where it listens to them.
    listens: String,
    /// The network that it has for itself.
    pub(crate) namespace: Option<Namespace>,
    /// The clock by which it goes.
    pub(crate) clock: Option<Clock>,
}

/// Why a node gave no answer that counts.
#[derive(Debug)]
pub(crate) enum NoAnswer {
    /// Nothing came, or not all.
    Gone,
    /// It said no, with a status.
    Said(u16, String),
}

impl From<std::io::Error> for NoAnswer {
    fn from(_: std::io::Error) -> Self {
        Self::Gone
    }
}

/// The program under test.
pub(crate) fn program() -> PathBuf {
    let own = || PathBuf::from(env!("CARGO_BIN_EXE_quorate"));
    std::env::var_os("QUORATE_PROGRAM").map_or_else(own, PathBuf::from)
}

pub(crate) fn end_of(server: &PrivateServer) -> End {
    End::Socket(server.socket())
}

impl Cluster {
    /// Starts so many nodes over a pair of databases; none where there is no PostgreSQL here.
    pub(crate) fn start(node_count: usize) -> Option<Self> {
        let primary = PrivateServer::start()?;
        primary.fresh(DATABASE);
        let replication = Link::new(HERE, end_of(&primary));
        let (_, port) = replication.address.split_once(':').unwrap();
        let standby = PrivateServer::standby_of(&primary, HERE, port);
        let mut cluster = Self {
            servers: vec![primary, standby],
            replication,
            data: tempfile::tempdir().unwrap(),
            nodes: Vec::new(),
            front: String::new(),
            runtime: tokio::runtime::Runtime::new().unwrap(),
            network: Network::make(),
        };
        for nth in 0..node_count {
            let node = cluster.node(nth);
            cluster.nodes.push(node);
            cluster.begin(nth);
        }
        cluster.front = front(cluster.nodes.iter().map(|node| node.site.clone()).collect());
        Some(cluster)
    }

    fn node(&self, nth: usize) -> TestNode {
        let name = format!("n{}", nth + 1);
        let namespace = self.network.as_ref().map(|network| network.join(nth));
        let (own, all) = match &namespace {
            Some(own) => (own.address.clone(), own.others.clone()),
            None => (HERE.to_owned(), HERE.to_owned()),
        };
        // In a network of its own each port is free.
        let port = |port: &str| match &namespace {
            Some(_) => format!("{own}:{port}"),
            None => free_port(),
        };
        let listens = port("7070");
        let clock = Clock::new(self.data.path(), &name);
        TestNode {
            name,
            program: program(),
            process: None,
            site: port("8080"),
            databases: self
                .servers
                .iter()
                .map(|s| Link::new(&all, end_of(s)))
                .collect(),
            others: Link::new(&all, End::Port(listens.clone())),
            listens,
            namespace,
            clock,
        }
    }

    fn address(&self) -> String {
        match &self.servers[..] {
            [primary, standby] => pair_address(primary, standby, DATABASE),
            servers => servers[0].address(DATABASE),
        }
    }

    /// A command of the binary over this site.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program());
        command.args(arguments).arg("--data").arg(self.data.path());
        command.args(["--database", &self.address()]);
        command
    }

    /// Starts a node that is dead.
    pub(crate) fn begin(&mut self, nth: usize) {
        let node = &self.nodes[nth];
        let links: Vec<&str> = node.databases.iter().map(|l| l.address.as_str()).collect();
        let database = format!("postgres://quorate@{}/{DATABASE}", links.join(","));
        let mut command = match &node.namespace {
            Some(namespace) => namespace.command(&node.program),
            None => Command::new(&node.program),
        };
        if let Some(clock) = &node.clock {
            clock.rule(&mut command);
        }
        let mut process = command
            .args(["serve", "--json", "--node", &node.name])
            .args(["--listen", &node.site, "--database", &database])
            .args(["--nodes-listen", &node.listens])
            .args(["--nodes-address", &node.others.address, "--data"])
            .arg(self.data.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        let told = process.stdout.take().unwrap();
        BufReader::new(told).read_line(&mut said).unwrap();
        assert!(
            said.contains("serving"),
            "{} does not start: {said}",
            node.name
        );
        self.nodes[nth].process = Some(process);
    }

    /// Kills a node.
    pub(crate) fn kill(&mut self, nth: usize) {
        if let Some(mut process) = self.nodes[nth].process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    /// Has a node stand still, or go on.
    pub(crate) fn signal(&self, nth: usize, signal: &str) {
        if let Some(process) = &self.nodes[nth].process {
            let id = process.id().to_string();
            let told = Command::new("kill").args([signal, &id]).status();
            assert!(told.unwrap().success());
        }
    }

    /// Tells a node to end, and waits until it has.
    pub(crate) fn end(&mut self, nth: usize) {
        self.signal(nth, "-TERM");
        if let Some(mut process) = self.nodes[nth].process.take() {
            process.wait().unwrap();
        }
    }

    /// Has a node give its games away, or take games again.
    pub(crate) fn drains(&self, nth: usize, word: &str) {
        let name = &self.nodes[nth].name;
        let mut command = self.command(&["node"]);
        let done = command.args([word, name]).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{word} {name}: {said}");
    }

    /// The primary dies and its standby takes its place. The dead one is given, to come back or not.
    pub(crate) fn fail_over(&mut self) -> PrivateServer {
        self.servers[0].signal("-KILL");
        // Its last processes end meanwhile, so that it can start again.
        pause(Duration::from_secs(1));
        self.servers[1].promote();
        let dead = self.servers.remove(0);
        self.replication.lead_to(end_of(&self.servers[0]));
        for node in &mut self.nodes {
            node.databases.swap(0, 1);
        }
        dead
    }

    /// Gives a database that has none a standby, and waits until it has everything.
    pub(crate) fn stand_by(&mut self) {
        let (_, port) = self.replication.address.split_once(':').unwrap();
        let standby = PrivateServer::standby_of(&self.servers[0], HERE, port);
        for node in &self.nodes {
            node.databases[1].lead_to(end_of(&standby));
        }
        self.servers.truncate(1);
        self.servers.push(standby);
        self.until_stood_by();
    }

    /// Waits until the standby has everything that is acknowledged.
    pub(crate) fn until_stood_by(&self) {
        let looks = (0..600).any(|_| {
            pause(Duration::from_millis(100));
            self.servers[0].has_standby()
        });
        assert!(looks, "the standby follows again");
    }

    async fn store(&self) -> PostgresStore {
        let secret = quorate_store::secret_in(self.data.path()).unwrap();
        let address = self.address();
        let store = PostgresStore::open(&address, secret, node("the-test"));
        store.await.unwrap()
    }

    /// Founds games of one player each, and gives a token for each.
    pub(crate) fn found(&self, games: &[Game]) -> Vec<String> {
        for game in games {
            let mut command = self.command(&["new", "one-page", "--id", game]);
            let done = command.output().unwrap();
            let said = String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success(), "{game}: {said}");
        }
        self.runtime.block_on(async {
            let store = self.store().await;
            let mut tokens = Vec::new();
            for word in games {
                let token = format!("q_{word}");
                let game: GameId = word.parse().unwrap();
                let opened = fold::open(&store, &store, &game).await.unwrap();
                let player = *opened.state.people.keys().next().unwrap();
                let made = account(&store, word, &token, false, &[(game, player)]).await;
                made.unwrap();
                tokens.push(token);
            }
            store.close().await;
            tokens
        })
    }

    /// Has every event of a game judged again.
    pub(crate) fn judge(&self, game: Game) {
        let judged = self.command(&["verify", game]).output().unwrap();
        let said = String::from_utf8_lossy(&judged.stdout);
        assert!(judged.status.success(), "{game}: {said}");
    }

    /// The log of a game, after it was verified.
    pub(crate) fn log(&self, word: Game) -> Log {
        self.runtime.block_on(async {
            let store = self.store().await;
            let game: GameId = word.parse().unwrap();
            let verdict = verify(&store, &store, &game, Grade::Fold, &mut |_| {}).await;
            let verdict = verdict.unwrap();
            assert!(verdict.holds(), "{word}: {verdict:?}");
            let opens = store
                .events(&game, quorate_kernel::EventSeq(1), 1 << 20)
                .await;
            let read = |open: &Vec<u8>| {
                let event = record::decode(open).unwrap();
                (event.key.to_string(), record::hash(open).to_string())
            };
            let log = opens.unwrap().iter().map(read).collect();
            store.close().await;
            log
        })
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for nth in 0..self.nodes.len() {
            self.kill(nth);
        }
    }
}

/// An address at which nobody listens.
fn free_port() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

/// Rolls a die in a game under a key; gives the number of the event.
pub(crate) fn roll(site: &str, game: Game, token: &str, key: &str) -> Result<u64, NoAnswer> {
    let body = r#"{"action":"dice","arguments":{"line":"For luck: DICE6"}}"#;
    let length = body.len();
    let head = format!(
        "POST /api/v1/games/{game}/acts HTTP/1.1\r\nHost: {site}\r\nConnection: close\r\n\
         Authorization: Bearer {token}\r\nIdempotency-Key: {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    let answer = exchange(site, &head)?;
    let location = answer
        .lines()
        .find_map(|line| line.strip_prefix("location: "))
        .and_then(|location| location.rsplit('/').next()?.trim().parse().ok());
    location.ok_or(NoAnswer::Said(0, answer))
}

/// The end of a game's log, as a node shows it.
pub(crate) fn head(site: &str, game: Game) -> Result<(u64, String), NoAnswer> {
    let head =
        format!("GET /api/v1/games/{game} HTTP/1.1\r\nHost: {site}\r\nConnection: close\r\n\r\n");
    let answer = exchange(site, &head)?;
    let cut = || NoAnswer::Said(0, "half an answer".to_owned());
    let (_, body) = answer.split_once("\r\n\r\n").ok_or_else(cut)?;
    let from = body.find('{').ok_or_else(cut)?;
    let to = body.rfind('}').ok_or_else(cut)?;
    let said: serde_json::Value = serde_json::from_str(&body[from..=to]).map_err(|_| cut())?;
    let seq = said["head"]["seq"].as_u64().ok_or_else(cut)?;
    let hash = said["head"]["hash"].as_str().ok_or_else(cut)?;
    Ok((seq, hash.to_owned()))
}

fn exchange(site: &str, request: &str) -> Result<String, NoAnswer> {
    let address = site.parse().map_err(std::io::Error::other)?;
    let mut stream = TcpStream::connect_timeout(&address, ANSWER_WITHIN)?;
    stream.set_read_timeout(Some(ANSWER_WITHIN))?;
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let status = answer.split(' ').nth(1).and_then(|s| s.parse().ok());
    match status {
        Some(200 | 201) => Ok(answer),
        Some(status) => Err(NoAnswer::Said(status, answer)),
        None => Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into()),
    }
}
