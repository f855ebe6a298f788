//! `quorate forecast`: what a proposal, or a list of changes, would do to a game.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use quorate_engine::convert;
use quorate_engine::judge::Judge;
use quorate_engine::query::PageAccount;
use quorate_engine::view::View;
use quorate_engine::words::worded;
use quorate_forecast::words::{self, ForecastLine, Voice};
use quorate_forecast::{Extent, Forecast, Fork, PastEvents, PatchTests, Proof, Proposed};
use quorate_kernel::audience::Reader;
use quorate_kernel::event::Event;
use quorate_kernel::rows::Post;
use quorate_kernel::seal::Sealed;
use quorate_kernel::{EventSeq, GameId, Moment, PostId, Refusal, Span, Value};
use quorate_runtime::fold;
use serde_json::json;

use crate::data_folder::{self, CurrentGame, DataArguments, DataFolder};
use crate::output::{FOUND_WRONG, Output};
use crate::{request, rulebooks};

/// Of what, and for whom.
#[derive(clap::Args)]
#[command(
    after_help = "Everything is tried on a copy, and nothing of it stays. With --json it prints what the API's \
                        preview gives as `forecast` and `tests`."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    /// The game's word.
    game: GameId,
    /// The post that carries the changes: `12`, or `post:12`.
    #[arg(required_unless_present = "changes")]
    post: Option<String>,
    /// Changes that no post carries: a file of JSON or TOML that lists them as the API does.
    #[arg(long, value_name = "FILE", conflicts_with = "post")]
    changes: Option<PathBuf>,
    /// Whose eyes it is seen with: a player's name. What is hidden from them counts as never set. Without it, what is hidden
    /// from strangers is.
    #[arg(long = "as", value_name = "NAME")]
    reader: Option<String>,
    /// Run the tests too that the changes carry, and those that name the rules they touch.
    #[arg(long)]
    tests: bool,
    /// How long it may take, and the tests once more.
    #[arg(long, default_value_t = 30)]
    seconds: u32,
}

impl Arguments {
    fn time(&self) -> Span {
        Span(i64::from(self.seconds) * 1000)
    }
}

/// A game and its log, for a forecast and its words.
struct ForecastGame<'a> {
    folder: &'a DataFolder,
    id: &'a GameId,
    present: &'a CurrentGame,
}

impl PastEvents for ForecastGame<'_> {
    fn event(&self, seq: EventSeq) -> Option<Event> {
        let DataFolder { store, .. } = self.folder;
        let seqs = [seq];
        let events = fold::events_of(&**store, &**store, self.id, &seqs);
        self.folder.wait(events).ok()?.into_iter().next()
    }

    fn log(&self) -> Result<Vec<Event>, Refusal> {
        let DataFolder { store, .. } = self.folder;
        let log = self
            .folder
            .wait(fold::whole_log(&**store, &**store, self.id));
        log.map_err(|error| Refusal::plain(format!("a log that reads ({error})")))
    }
}

impl Voice for ForecastGame<'_> {
    fn moment(&self, at: Moment) -> String {
        at.to_string()
    }

    fn value(&self, value: &Value) -> String {
        let CurrentGame { judge, now } = self.present;
        judge.query(*now, |tx| tx.label(&convert::datum(value)))
    }
}

/// Forecasts.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let folder = DataFolder::look(&arguments.data)?;
    let present = folder.present(&arguments.game)?;
    let CurrentGame { judge, now } = &present;
    let player = arguments
        .reader
        .as_ref()
        .map(|name| data_folder::player(judge.state(), name));
    let reader = player.transpose()?.map_or(Reader::Stranger, Reader::Player);
    let view = View {
        state: judge.state(),
        law: judge.law(),
        reader,
    };
    let (proposed, text) = match (&arguments.changes, &arguments.post) {
        (Some(path), _) => {
            let patch = request::changes(path, judge, *now)?;
            (Proposed::changes(judge.law(), patch), "")
        }
        (None, word) => {
            let (id, post) = carrying(&view, word.as_deref().unwrap_or_default())?;
            let patch = post.patch.as_ref().and_then(Sealed::plain);
            patch.with_context(|| format!("post {id} carries no changes"))?;
            (Proposed::Post(id), post.body.as_str())
        }
    };
    let game = ForecastGame {
        folder: &folder,
        id: &arguments.game,
        present: &present,
    };
    let end = data_folder::now() + arguments.time();
    let blind = Judge::open(view.blind(), judge.head(), &folder.laws);
    let fork = Fork {
        is_blind: blind.state().cells.len() < judge.state().cells.len(),
        judge: blind.paid_from(&PageAccount::of_preview()),
        reader,
        now: *now,
        past: &game,
        time_is_over: &|| data_folder::now() >= end,
    };
    let forecast = Forecast::of(&fork, &proposed, Extent::Whole);
    let proof = arguments
        .tests
        .then(|| proof(&fork, &proposed, text, arguments.time()));
    let proof = proof.transpose()?.flatten();
    out.value(&json!({ "forecast": forecast, "tests": proof }));
    let themed = |text: &str| worded(judge.state(), text);
    for section in words::sections(&forecast, &game) {
        tell(section.title, &section.lines, &themed, out);
    }
    if let Some(proof) = &proof {
        tell("Tests of the rules", &words::proof(proof), &themed, out);
    }
    let is_refused = forecast.refused.is_some();
    Ok(if is_refused {
        ExitCode::from(FOUND_WRONG)
    } else {
        ExitCode::SUCCESS
    })
}

/// A post that the reader may see, by its word.
fn carrying<'v>(view: &View<'v>, word: &str) -> Result<(PostId, &'v Post)> {
    let id: Option<PostId> = word.trim_start_matches("post:").parse().ok();
    let post = id.and_then(|id| Some((id, view.state.posts.get(&id)?)));
    post.filter(|(_, post)| view.post(post))
        .ok_or_else(|| anyhow!("no post is called \"{word}\""))
}

fn proof(fork: &Fork<'_>, proposed: &Proposed, text: &str, time: Span) -> Result<Option<Proof>> {
    let about = fork.judge.state().about.get(&());
    let book = about
        .map(|about| rulebooks::read(about.rulebook.as_str()))
        .transpose()?;
    let end = data_folder::now() + time;
    let tests = PatchTests::of(fork, proposed, ("the proposal", text), book.as_ref());
    Ok(tests
        .ok()
        .map(|tests| tests.run(move || data_folder::now() >= end)))
}

/// Prints a section in the words of the theme; code stays as it is.
fn tell(title: &str, lines: &[ForecastLine], themed: &dyn Fn(&str) -> String, out: &Output) {
    out.line(out.bold(title));
    for line in lines {
        let lead = themed(&line.lead);
        let lead = if line.is_alarm { out.red(&lead) } else { lead };
        let about = match &line.more {
            Some(words::MoreAt::Post(id, title)) => format!(" {} (post {id})", themed(title)),
            Some(words::MoreAt::Claim(seq)) => format!(" (event {seq})"),
            None => String::new(),
        };
        let gap = if line.text.is_empty() { "" } else { " " };
        out.line(format!("  {lead}{gap}{}{about}", themed(&line.text)));
        for finding in line.finding.lines() {
            out.line(format!("    {finding}"));
        }
    }
}
