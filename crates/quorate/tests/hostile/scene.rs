//! Games with hostile rules, a quiet one, and the people who play them.

#[path = "../../src/cmd/bench/people.rs"]
mod people;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use quorate_engine::LawCache;
use quorate_engine::rulebook::Rulebook;
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::{EventSeq, GameId, Id, PlayerId, Thing, Value};
use quorate_runtime::in_process::InProcess;
use quorate_runtime::ports::SystemClock;
use quorate_runtime::{Answer, Games, GamesSettings, Ports};
use quorate_store::{Store, StoreOptions};
use serde_json::Value as Json;

use people::{account, applies, founder, posts};

use crate::list::{Program, book};
use crate::site::running::program;

/// How many vote in the quiet game: so many that nobody's allowance is used up.
pub(crate) const VOTERS: usize = 40;

/// How many attack at once.
pub(crate) const ATTACKERS: usize = 4;

/// The game that has nothing to do with any of it.
pub(crate) const QUIET: &str = "quiet";

/// The token of the account that runs the server.
pub(crate) const OPERATOR: &str = "a word of the operator";

/// By which proposals become law in a hostile game.
const ENACTING: &str = r#"3. Whoever likes a proposal enacts it.

```starlark
category("Proposal", icons = ["for"], statuses = ["pending", "enacted"])

def enact(actor: Player, proposal: Proposal):
    apply(proposal)
    close(proposal, "enacted")

action("enact", enact)
```
"#;

/// A data folder with all of them.
pub(crate) struct Scene {
    folder: tempfile::TempDir,
    /// The post of the quiet game that is voted on.
    pub(crate) matter: String,
}

/// The word of a hostile game.
pub(crate) fn game_of(nth: usize) -> String {
    format!("bad-{nth}")
}

/// The token of whoever plays in a hostile game.
pub(crate) fn token_of(nth: usize) -> String {
    format!("a word of player {nth}")
}

/// The token of one who votes in the quiet game.
pub(crate) fn voter(nth: usize) -> String {
    format!("a word of voter {nth}")
}

/// The word of the game with the same program that one of the attackers plays in.
pub(crate) fn siege_of(nth: usize) -> String {
    format!("siege-{nth}")
}

/// The token of one who attacks, in every game of as many.
pub(crate) fn attacker(nth: usize) -> String {
    format!("a word of attacker {nth}")
}

/// What games and accounts are made in.
struct Making {
    store: Arc<Store>,
    games: Games,
}

impl Scene {
    /// A game for each program, one beyond them for what has none, and the quiet one.
    pub(crate) fn set(programs: &[Program]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        new_game(folder.path());
        let waiting = tokio::runtime::Runtime::new().expect("a runtime");
        let matter = waiting.block_on(async {
            let making = Making::begin(folder.path()).await;
            let mut sieges = vec![Vec::new(); ATTACKERS];
            let books = programs.iter().map(|one| book(&one.indented(), ENACTING));
            for (nth, book) in books.chain([calm()]).enumerate() {
                making.found(&game_of(nth), &book).await;
                let player = [(game_of(nth), founder())];
                making.account(&token_of(nth), &player).await;
                making.found(&siege_of(nth), &book).await;
                sieges[nth % ATTACKERS].push((siege_of(nth), founder()));
            }
            for (nth, seats) in sieges.iter().enumerate() {
                making.account(&attacker(nth), seats).await;
            }
            making.account(OPERATOR, &[]).await;
            let matter = making.crowd().await;
            making.games.close().await.expect("games end");
            matter
        });
        Self { folder, matter }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The logs of the games that are used most hold, and the quiet one's goes as far as was acknowledged.
    pub(crate) fn verify(&self, acknowledged: u64) {
        for game in (0..ATTACKERS).map(siege_of).chain([QUIET.to_owned()]) {
            let mut verify = Command::new(program());
            verify.args(["verify", &game, "--json", "--data"]);
            let told = verify.arg(self.folder()).output();
            let told = told.expect("the program runs").stdout;
            let told: Json = serde_json::from_slice(&told).expect("it says so in JSON");
            assert_eq!(told["holds"], true, "{game}: {told}");
            let events = told["events"].as_u64().expect("a number");
            assert!(game != QUIET || events >= acknowledged, "{told}");
        }
    }
}

/// The rulebook of a game that has no program yet.
fn calm() -> Rulebook {
    let mut calm = book("", ENACTING);
    for (_, text) in &mut calm.rules {
        let clauses = text.split_once("2. It is calm.").expect("the calm clause");
        *text = format!(
            "---\nsection: rules\n---\n# Calm\n\n2. It is calm.{}",
            clauses.1
        );
    }
    calm
}

/// Founds the quiet game.
fn new_game(folder: &Path) {
    let mut new = Command::new(program());
    new.args(["new", "one-page", "--id", QUIET, "--data"]);
    let founded = new.arg(folder).output().expect("the program runs");
    assert!(founded.status.success(), "{founded:?}");
}

impl Making {
    async fn begin(folder: &Path) -> Self {
        let store = Store::open(folder, StoreOptions::default()).await;
        let store = Arc::new(store.expect("the store opens"));
        let ports = Ports {
            journal: store.clone(),
            seals: store.clone(),
            judges: Arc::new(InProcess::new(&Arc::new(LawCache::default()))),
            clock: Arc::new(SystemClock),
            secret: store.secret().expect("a secret"),
            others: None,
        };
        let games = Games::start(ports, GamesSettings::default()).await;
        let games = games.expect("games start");
        Self { store, games }
    }

    async fn found(&self, word: &str, book: &Rulebook) {
        let game: GameId = word.parse().expect("a word for a game");
        let founding = book.founding("A game", "Anna").expect("it reads");
        let founded = self
            .games
            .found(&game, Actor::Operator, "found".into(), founding);
        assert!(matches!(founded.await, Ok(Answer::Kept(_))), "{word}");
    }

    /// Makes an account with a token, which plays somebody in some games.
    async fn account(&self, token: &str, seats: &[(String, PlayerId)]) {
        let word = |game: &String| game.parse().expect("a word for a game");
        let seats: Vec<_> = seats
            .iter()
            .map(|(game, player)| (word(game), *player))
            .collect();
        let made = account(&*self.store, token, token, token == OPERATOR, &seats).await;
        made.expect("an account");
    }

    /// Has people join the quiet game; gives the post on which they vote.
    async fn crowd(&self) -> String {
        let by = Actor::Player(founder());
        for nth in 0..VOTERS {
            let seq = self
                .quietly(Actor::Newcomer, applies(&format!("Voter {nth}")))
                .await;
            let player = PlayerId(Id::new(seq, 0));
            let admit = Act::Do {
                action: "admit".into(),
                args: vec![("applicant".into(), Value::Thing(Thing::Player(player)))],
            };
            self.quietly(by, admit).await;
            self.account(&voter(nth), &[(QUIET.to_owned(), player)])
                .await;
        }
        Id::new(self.quietly(by, posts("Proposal")).await, 0).to_string()
    }

    async fn quietly(&self, actor: Actor, act: Act) -> EventSeq {
        let game: GameId = QUIET.parse().expect("a word for a game");
        let key = format!(
            "{:?}",
            (
                &actor,
                self.games.snapshot(&game).await.expect("it").head.seq
            )
        );
        let sent = self.games.send(&game, actor, key.into(), act).await;
        match sent {
            Ok(Answer::Kept(receipt)) => receipt.seq,
            other => panic!("{other:?}"),
        }
    }
}
