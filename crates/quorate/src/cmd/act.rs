//! `quorate act`, `moves` and `why`: playing a game from the command line.

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use quorate_engine::judge::Judge;
use quorate_engine::offers::{self, Field, Offer};
use quorate_engine::request::{CommandReader, RequestError};
use quorate_engine::view::View;
use quorate_engine::words::{worded, worded_refusal};
use quorate_engine::{convert, why};
use quorate_kernel::audience::Reader;
use quorate_kernel::command::{Act, Actor, Command};
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::state::State;
use quorate_kernel::{GameId, Moment, Name, PlayerId, Refusal, Value};
use quorate_runtime::Answer;
use serde_json::{Value as Json, json};

use crate::data_folder::{self, CurrentGame, DataArguments, DataFolder};
use crate::output::{FOUND_WRONG, Output};
use crate::report;
use crate::request;

/// What to do, and as whom.
#[derive(clap::Args)]
#[command(after_help = request::BUILT_IN_HELP)]
pub(crate) struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    /// The game's word.
    game: GameId,
    /// Who acts: a player's name, somebody new who asks to join, or `operator`.
    #[arg(long = "as", value_name = "NAME")]
    who: String,
    /// A word of one's own for this command: sent again with the same word, it counts once.
    #[arg(long)]
    key: Option<String>,
    /// The action: one that the law declares, or a built-in act.
    action: String,
    /// What the action asks for: `name=value`, or values alone in its order.
    #[arg(value_name = "NAME=VALUE")]
    words: Vec<String>,
}

/// Whose moves.
#[derive(clap::Args)]
pub(crate) struct MovesArguments {
    #[command(flatten)]
    data: DataArguments,
    /// The game's word.
    game: GameId,
    /// Who asks.
    #[arg(long = "as", value_name = "NAME")]
    who: String,
}

/// Takes an action.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let folder = DataFolder::own(&arguments.data)?;
    let present = folder.present(&arguments.game)?;
    let (actor, act) = match command(arguments, &folder, &present)? {
        Ok(command) => command,
        Err(refusal) => return Ok(refused(&refusal, present.judge.state(), out)),
    };
    let key = arguments
        .key
        .as_ref()
        .map_or_else(data_folder::fresh_key, |key| Name::from(key.as_str()));
    let games = folder.games()?;
    let (answer, published) = folder.wait(async {
        let answer = games.send(&arguments.game, actor, key, act).await;
        let published = games.snapshot(&arguments.game).await;
        games.close().await?;
        Ok::<_, quorate_runtime::OperatingError>((answer?, published?))
    })?;
    let receipt = match answer {
        Answer::Refused(refusal) => {
            return Ok(refused(&refusal, &published.state, out));
        }
        Answer::Kept(receipt) => receipt,
    };
    let events = folder.events(&arguments.game, &[receipt.seq])?;
    let Some(event) = events.first() else {
        bail!("event {} was kept and can't be read again", receipt.seq)
    };
    out.value(&report::event_json(&published.state, event));
    report::tell_event(&published.state, event, out);
    Ok(outcome(event, &folder.present(&arguments.game)?, out))
}

fn outcome(event: &Event, present: &CurrentGame, out: &Output) -> ExitCode {
    if let Some(refusal) = event.refusal() {
        report::tell_refusal(present.judge.state(), refusal, out);
        return ExitCode::from(FOUND_WRONG);
    }
    if let Outcome::Opened(key) = &event.outcome {
        let label = |value: &Value| {
            present
                .judge
                .query(present.now, |tx| tx.label(&convert::datum(value)))
        };
        report::tell_question(present.judge.state(), key, &label, out);
    }
    ExitCode::SUCCESS
}

/// What the law of a game refused.
fn refused(refusal: &Refusal, state: &State, out: &Output) -> ExitCode {
    let mut told = report::refusal_json(state, refusal);
    told["law"] = json!(state.law_digest().to_string());
    out.value(&json!({ "refused": told }));
    out.line(out.red("refused"));
    report::tell_refusal(state, refusal, out);
    ExitCode::from(FOUND_WRONG)
}

/// Who acts and what they ask for; a refusal where the law says already that it does not fit.
fn command(
    arguments: &Arguments,
    folder: &DataFolder,
    present: &CurrentGame,
) -> Result<Result<(Actor, Act), Refusal>> {
    let (state, law) = (present.judge.state(), present.judge.law());
    let actor = match data_folder::actor(state, &arguments.who) {
        Err(_) if arguments.action == "apply-to-join" => Actor::Newcomer,
        other => other?,
    };
    let reader = match actor {
        Actor::Player(player) => Reader::Player(player),
        Actor::Operator => Reader::Law,
        Actor::Newcomer | Actor::Game | Actor::Hidden => Reader::Stranger,
    };
    let request = request::read(&arguments.action, &arguments.words)?;
    let past = folder.events(&arguments.game, request.undone().as_slice())?;
    let act = present.judge.query(present.now, |tx| {
        let view = View { state, law, reader };
        let (name, past) = (arguments.who.as_str(), past.as_slice());
        CommandReader {
            tx,
            view,
            actor,
            name,
            past,
        }
        .act(request)
    });
    match act.map_err(RequestError::into_refusal) {
        Ok(act) => Ok(Ok((actor, act))),
        Err(Ok(refusal)) => Ok(Err(refusal)),
        Err(Err(error @ RequestError::Missing { .. })) => {
            let argument = error.argument().unwrap_or_default();
            bail!("{error}: give it as {argument}=…")
        }
        Err(Err(error)) => Err(error.into()),
    }
}

/// Says whether something would be refused, and does nothing.
pub(super) fn why(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let folder = DataFolder::look(&arguments.data)?;
    let mut present = folder.present(&arguments.game)?;
    let answer = match command(arguments, &folder, &present)? {
        Ok((actor, act)) => {
            let past = match &act {
                Act::Undo { event, .. } => folder.events(&arguments.game, &[*event])?,
                _ => Vec::new(),
            };
            let (at, key) = (present.now, "why".into());
            let command = Command {
                at,
                actor,
                key,
                act,
            };
            why::refused(&mut present.judge, command, &past)
        }
        Err(refusal) => Err(refusal),
    };
    match answer {
        Ok(()) => {
            out.value(&json!({ "allowed": true }));
            out.line(format!(
                "{}: {} may do this now",
                out.green("allowed"),
                arguments.who
            ));
            Ok(ExitCode::SUCCESS)
        }
        Err(refusal) => Ok(refused(&refusal, present.judge.state(), out)),
    }
}

/// Says what somebody can do.
pub(super) fn moves(arguments: &MovesArguments, out: &Output) -> Result<ExitCode> {
    let folder = DataFolder::look(&arguments.data)?;
    let present = folder.present(&arguments.game)?;
    let actor = data_folder::actor(present.judge.state(), &arguments.who)?;
    let player = actor.player();
    let player = player.with_context(|| format!("{} is no player", arguments.who))?;
    let found = present
        .judge
        .query(present.now, |tx| offers::offers(tx, player));
    let state = present.judge.state();
    let themed = |text: &str| worded(state, text);
    let waiting = waiting(&present.judge, present.now, player);
    out.value(&json!({
        "at": present.now.to_string(),
        "waiting": waiting.iter().map(|(what, options)| json!({ "question": what, "options": options })).collect::<Vec<_>>(),
        "moves": found.iter().map(|offer| offer_json(state, offer)).collect::<Vec<_>>(),
    }));
    for (what, options) in &waiting {
        out.line(format!(
            "{} {what}: {}",
            out.bold("asked"),
            options.join(", ")
        ));
    }
    for offer in found.iter().filter(|offer| offer.open.is_ok()) {
        out.line(format!(
            "{} {}  {}{}",
            out.green("now"),
            out.bold(offer.action.as_str()),
            themed(&offer.title),
            fields(&offer.fields)
        ));
    }
    for offer in &found {
        if let Err(refusal) = &offer.open {
            let when = refusal
                .next_at
                .map_or_else(|| out.red("no "), |at| at.to_string());
            out.line(format!(
                "{when} {}  {}: {}",
                out.bold(offer.action.as_str()),
                themed(&offer.title),
                worded_refusal(state, refusal)
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What waits for an answer of a player: the question, and what may be answered.
fn waiting(judge: &Judge, now: Moment, player: PlayerId) -> Vec<(String, Vec<String>)> {
    let state = judge.state();
    let labels = |options: &[Value]| {
        options
            .iter()
            .map(|value| judge.query(now, |tx| tx.label(&convert::datum(value))))
            .collect()
    };
    let open = state.open.iter().filter(|(key, _)| key.who == player);
    let open = open.map(|(_, open)| {
        (
            worded(state, &open.question.what),
            labels(&open.question.options),
        )
    });
    let duties = state.duties.iter().filter(|(_, duty)| duty.to == player);
    let duties = duties.map(|(id, duty)| {
        (
            format!("{} (duty:{id}, by {})", duty.decision, duty.deadline),
            labels(&duty.options),
        )
    });
    open.chain(duties).collect()
}

fn fields(fields: &[Field]) -> String {
    let words = fields.iter().map(|field| {
        let picks = field.options.as_ref().map(|options| {
            let some: Vec<_> = options
                .iter()
                .take(6)
                .map(|(_, label)| label.as_str())
                .collect();
            let more = if options.len() > 6 {
                format!(", {} more", options.len() - 6)
            } else {
                String::new()
            };
            format!(" ({}{more})", some.join(", "))
        });
        format!(
            " {}={}",
            field.name,
            picks.unwrap_or_else(|| convert::type_name(&field.ty))
        )
    });
    words.collect()
}

fn offer_json(state: &State, offer: &Offer) -> Json {
    json!({
        "action": offer.action.as_str(),
        "title": worded(state, &offer.title),
        "rule": offer.site.rule.as_str(),
        "clause": offer.site.clause,
        "fields": offer.fields.iter().map(|field| json!({
            "name": field.name.as_str(),
            "title": worded(state, &field.title),
            "type": convert::type_name(&field.ty),
            "options": field.options.as_ref().map(|options| options.iter().map(|(_, label)| label.as_str()).collect::<Vec<_>>()),
            "remarks": field.remarks,
            "default": field.default.as_ref().map(convert::describe),
        })).collect::<Vec<_>>(),
        "says": worded(state, &offer.says),
        "open": offer.open.is_ok(),
        "refusal": offer.open.as_ref().err().map(|refusal| report::refusal_json(state, refusal)),
    })
}
