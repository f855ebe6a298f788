//! A game that is played for a bench: founded and filled by the games' own writers, before any server serves it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use futures_util::future::try_join_all;
use quorate_kernel::command::{Act, Actor, typed};
use quorate_kernel::{
    EventSeq, GameId, Id, Moment, Name, PlayerId, PostId, Refusal, Span, Thing, Value,
};
use quorate_runtime::ports::{TimeSource, Wait};
use quorate_runtime::{Answer, Games};

use super::people::{account, admits, applies, founder, posts, session};
use super::stopwatch::now;
use crate::data_folder::{DataArguments, DataFolder};
use crate::rulebooks;

/// The rulebook that is played: the one with the most rules about votes.
const BOOK: &str = "adventurers-2019";

/// The game's word.
pub(super) const GAME: &str = "town";

/// A rule that gives the tracker something to do at any time.
const MARKS: &str = "---\nsection: core\n---\n# Marks\n\n\
    1. Each {player} has a number of Marks, and may make one more at any time.\n\n\
    ```starlark\nmarks = number(\"Marks\", of = player, default = 0, tracked = \"tracker\")\n\n\
    def make_mark(actor: Player):\n    actor.marks += 1\n\n\
    action(\"make-mark\", make_mark, title = \"Make a mark\")\n```\n";

/// How often a clock that somebody else moves is looked at.
const LOOKED_AT: Duration = Duration::from_millis(5);

/// How long the index of words may stand still.
const INDEX_WAITS: Duration = Duration::from_mins(2);

/// How often the index of words is looked at until it is complete.
const INDEX_LOOKED_AT: Duration = Duration::from_millis(200);

/// A clock that goes on when it is told to.
pub(super) struct BenchClock(AtomicI64);

impl BenchClock {
    pub(super) fn at(moment: Moment) -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(moment.0)))
    }

    /// Goes on by so much.
    pub(super) fn pass(&self, span: Span) {
        self.0.fetch_add(span.0, Ordering::Relaxed);
    }
}

impl TimeSource for BenchClock {
    fn now(&self) -> Moment {
        Moment(self.0.load(Ordering::Relaxed))
    }

    fn until(&self, moment: Moment) -> Wait<'_> {
        Box::pin(async move {
            while self.now() < moment {
                tokio::time::sleep(LOOKED_AT).await;
            }
        })
    }
}

/// A game while it is played.
pub(super) struct BenchTown {
    data: DataFolder,
    clock: Arc<dyn TimeSource>,
    games: Games,
    game: GameId,
    pub(super) players: Vec<PlayerId>,
    keys: u64,
}

/// Somebody who reads and plays over HTTP.
pub(super) struct Townsman {
    /// The cookie of their session.
    pub(super) cookie: String,
    /// The token of their programs.
    pub(super) token: String,
}

impl BenchTown {
    /// Founds it, with so many players.
    pub(super) fn found(folder: &Path, clock: Arc<dyn TimeSource>, players: usize) -> Result<Self> {
        let mut town = Self::open(folder, clock)?;
        let mut book = rulebooks::read(BOOK)?;
        book.rules.push(("2-marks.md".to_owned(), MARKS.to_owned()));
        let founding = book.founding("A town", "Player 0")?;
        let found = town
            .games
            .found(&town.game, Actor::Operator, "found".into(), founding);
        kept(town.data.wait(found)?)?;
        town.players.push(founder());
        for n in 1..players {
            let asked = town.send(Actor::Newcomer, applies(&format!("Player {n}")))?;
            let new = PlayerId(Id::new(asked, 0));
            town.send(Actor::Player(founder()), admits(new))?;
            town.players.push(new);
        }
        Ok(town)
    }

    /// The games of a folder.
    fn open(folder: &Path, clock: Arc<dyn TimeSource>) -> Result<Self> {
        let data = DataFolder::own(&place(folder))?;
        Ok(Self {
            games: data.games_at(Arc::clone(&clock))?,
            data,
            clock,
            game: GAME.parse()?,
            players: Vec::new(),
            keys: 0,
        })
    }

    /// Goes on with it after it was closed.
    pub(super) fn again(
        folder: &Path,
        clock: Arc<dyn TimeSource>,
        of: &ClosedTown,
    ) -> Result<Self> {
        let town = Self::open(folder, clock)?;
        Ok(Self {
            players: of.players.clone(),
            keys: of.keys,
            ..town
        })
    }

    /// Sends one command, as soon as the law lets it happen: where time alone is missing, it passes.
    pub(super) fn when_allowed(
        &mut self,
        clock: &BenchClock,
        who: usize,
        act: Act,
    ) -> Result<EventSeq> {
        let actor = Actor::Player(self.players[who]);
        loop {
            let key = self.key();
            let sent = self.games.send(&self.game, actor, key, act.clone());
            match self.data.wait(sent)? {
                Answer::Refused(Refusal {
                    next_at: Some(next),
                    ..
                }) if next > clock.now() => clock.0.store(next.0, Ordering::Relaxed),
                answer => return kept(answer),
            }
        }
    }

    /// Sends one command; it must be kept.
    pub(super) fn send(&mut self, actor: Actor, act: Act) -> Result<EventSeq> {
        let key = self.key();
        kept(
            self.data
                .wait(self.games.send(&self.game, actor, key, act))?,
        )
    }

    /// Sends many at once; all must be kept. Gives the newest event.
    pub(super) fn together(&mut self, acts: Vec<(usize, Act)>) -> Result<EventSeq> {
        let sent: Vec<_> = acts
            .into_iter()
            .map(|(who, act)| (Actor::Player(self.players[who]), self.key(), act))
            .collect();
        let sent = sent.into_iter().map(async |(actor, key, act)| {
            kept(self.games.send(&self.game, actor, key, act).await?)
        });
        let seqs = self.data.wait(try_join_all(sent))?;
        seqs.into_iter().max().context("nothing was sent")
    }

    fn key(&mut self) -> Name {
        self.keys += 1;
        format!("b{}", self.keys).into()
    }

    /// A new post.
    pub(super) fn post(&mut self, who: usize, category: &str) -> Result<PostId> {
        let seq = self.send(Actor::Player(self.players[who]), posts(category))?;
        Ok(PostId(Id::new(seq, 0)))
    }

    /// Writes a snapshot.
    pub(super) fn snapshot(&self) -> Result<()> {
        self.data.wait(self.games.keep_snapshot(&self.game))?;
        Ok(())
    }

    /// Opens the game as a server does that starts.
    pub(super) fn opened(&self) -> Result<()> {
        let (journal, seals) = (&*self.data.store, &*self.data.store);
        self.data
            .wait(quorate_runtime::fold::open(journal, seals, &self.game))?;
        Ok(())
    }

    /// An account, a session and a token for each player, from the game's time on.
    pub(super) fn people(&self) -> Result<Vec<Townsman>> {
        let each = self.players.iter().enumerate();
        each.map(|(n, player)| self.data.wait(self.townsman(n, *player)))
            .collect()
    }

    async fn townsman(&self, n: usize, player: PlayerId) -> Result<Townsman> {
        let (store, token) = (&*self.data.store, format!("token of {n}"));
        let seat = (self.game.clone(), player);
        let account = account(store, &format!("Player {n}"), &token, false, &[seat]).await?;
        let cookie = session(store, account, self.clock.now()).await?;
        Ok(Townsman { cookie, token })
    }

    /// Lets the folder go, for a server to serve.
    pub(super) fn close(self) -> Result<ClosedTown> {
        self.data.wait(self.games.close())?;
        Ok(ClosedTown {
            players: self.players,
            keys: self.keys,
        })
    }
}

/// Waits until the server of a folder has taken the whole game into its index of words, beside which nothing is timed. A machine
/// on which it comes no further is too busy for a bench.
pub(super) fn indexed(folder: &Path) -> Result<()> {
    let (look, game) = (DataFolder::look(&place(folder))?, GAME.parse()?);
    look.wait(async {
        let (mut last, mut came_on) = (None, now());
        loop {
            let row = look.store.game(&game).await?.context("no game")?;
            let point = look.store.index_point(&game).await?;
            if point.is_some_and(|point| point.seq >= row.head.seq) {
                return Ok(());
            }
            if point != last {
                (last, came_on) = (point, now());
            }
            ensure!(
                now() - came_on < INDEX_WAITS,
                "the index of words comes no further: nothing can be timed on a machine as busy as this"
            );
            tokio::time::sleep(INDEX_LOOKED_AT).await;
        }
    })
}

/// A folder, as commands name it.
fn place(folder: &Path) -> DataArguments {
    DataArguments {
        data: folder.to_owned(),
        database: None,
        objects: None,
    }
}

/// What is needed to go on with a game later.
pub(super) struct ClosedTown {
    players: Vec<PlayerId>,
    keys: u64,
}

fn kept(answer: Answer) -> Result<EventSeq> {
    match answer {
        Answer::Kept(receipt) => Ok(receipt.seq),
        Answer::Refused(refusal) => bail!("refused: {refusal:?}"),
    }
}

/// A comment.
pub(super) fn comment(post: PostId, text: &str) -> Act {
    Act::Comment {
        post,
        text: typed(text),
    }
}

/// A comment with a vote.
pub(super) fn ballot(post: PostId, vote: &str) -> Act {
    comment(post, &format!("I am :{vote}: it."))
}

/// An action with one argument.
pub(super) fn does(action: &str, with: &str, of: Thing) -> Act {
    Act::Do {
        action: action.into(),
        args: vec![(with.into(), Value::Thing(of))],
    }
}

/// A mark on the tracker.
pub(super) fn mark() -> Act {
    Act::Do {
        action: "make-mark".into(),
        args: Vec::new(),
    }
}
