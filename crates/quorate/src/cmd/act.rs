//! `quorate act`, `moves` and `why`: playing a game from the command line.

use std::process::ExitCode;

use anyhow::Result;
use quorate_engine::convert;
use quorate_engine::judge::{Inputs, Judge};
use quorate_engine::offers::{self, Field, Offer};
use quorate_engine::tx::Tx;
use quorate_kernel::command::{Act, Actor, Command};
use quorate_kernel::event::Outcome;
use quorate_kernel::{GameId, Moment, Name, PlayerId, Refusal, Value};
use quorate_runtime::{Answer, Receipt, fold};
use serde_json::{Value as Json, json};

use crate::asked::{self, Asker, NoAct};
use crate::home::{self, Data, Home, Present};
use crate::out::{FOUND_WRONG, Out};
use crate::words;

/// What to do, and as whom.
#[derive(clap::Args)]
#[command(after_help = asked::BUILT_IN_HELP)]
pub(crate) struct Arguments {
    #[command(flatten)]
    data: Data,
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
    data: Data,
    /// The game's word.
    game: GameId,
    /// Who asks.
    #[arg(long = "as", value_name = "NAME")]
    who: String,
}

/// Takes an action.
pub(super) fn run(arguments: &Arguments, out: &Out) -> Result<ExitCode> {
    let home = Home::own(&arguments.data.data)?;
    let present = home.present(&arguments.game)?;
    let (actor, act) = match command(arguments, &present) {
        Ok(command) => command,
        Err(NoAct::Words(error)) => return Err(error),
        Err(NoAct::Refused(refusal)) => return Ok(refused(&refusal, out)),
    };
    let key = arguments
        .key
        .as_ref()
        .map_or_else(home::fresh_key, |key| Name::from(key.as_str()));
    let games = home.games()?;
    let (answer, published) = home.wait(async {
        let answer = games.send(&arguments.game, actor, key, act).await;
        let published = games.snapshot(&arguments.game).await;
        games.close().await?;
        Ok::<_, quorate_runtime::OperatingError>((answer?, published?))
    })?;
    let receipt = match answer {
        Answer::Refused(refusal) => return Ok(refused(&refusal, out)),
        Answer::Kept(receipt) => receipt,
    };
    let events = home.wait(fold::events_of(
        &*home.store,
        &*home.store,
        &arguments.game,
        &[receipt.seq],
    ))?;
    if let Some(event) = events.first() {
        out.value(&words::event_json(&published.state, event));
        words::tell_event(&published.state, event, out);
    }
    Ok(outcome(&receipt, &home.present(&arguments.game)?, out))
}

fn outcome(receipt: &Receipt, present: &Present, out: &Out) -> ExitCode {
    match &receipt.outcome {
        Outcome::Done => ExitCode::SUCCESS,
        Outcome::Opened(key) => {
            let label = |value: &Value| {
                present
                    .judge
                    .look(present.now, |tx| tx.label(&convert::datum(value)))
            };
            words::tell_question(present.judge.state(), key, &label, out);
            ExitCode::SUCCESS
        }
        Outcome::Refused(refusal) | Outcome::Lapsed(refusal) => {
            words::tell_refusal(refusal, out);
            ExitCode::from(FOUND_WRONG)
        }
    }
}

fn refused(refusal: &Refusal, out: &Out) -> ExitCode {
    out.value(&json!({ "refused": words::refusal_json(refusal) }));
    out.line(out.red("refused"));
    words::tell_refusal(refusal, out);
    ExitCode::from(FOUND_WRONG)
}

/// Who acts and what they ask for.
fn command(arguments: &Arguments, present: &Present) -> Result<(Actor, Act), NoAct> {
    let state = present.judge.state();
    let actor = match home::actor(state, &arguments.who) {
        Err(_) if arguments.action == "apply-to-join" => Actor::Newcomer,
        other => other?,
    };
    let asker = Asker {
        judge: &present.judge,
        now: present.now,
        actor,
        name: &arguments.who,
    };
    Ok((actor, asker.act(&arguments.action, &arguments.words)?))
}

/// Says whether something would be refused, and does nothing.
pub(super) fn why(arguments: &Arguments, out: &Out) -> Result<ExitCode> {
    let home = Home::look(&arguments.data.data)?;
    let mut present = home.present(&arguments.game)?;
    let answer = match command(arguments, &present) {
        Ok((actor, act)) => tried(&home, arguments, &mut present, actor, act)?,
        Err(NoAct::Words(error)) => return Err(error),
        Err(NoAct::Refused(refusal)) => Err(refusal),
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
        Err(refusal) => Ok(refused(&refusal, out)),
    }
}

/// Tries a command up to its first die or question; what comes after that nobody can know.
fn tried(
    home: &Home,
    arguments: &Arguments,
    present: &mut Present,
    actor: Actor,
    act: Act,
) -> Result<Result<(), Refusal>> {
    if let (Act::Do { action, args }, Some(player)) = (&act, actor.player()) {
        let args = args
            .iter()
            .map(|(name, value)| (name.clone(), convert::datum(value)))
            .collect();
        return Ok(present
            .judge
            .look(present.now, |look| trial(look, player, action, args)));
    }
    let past = match &act {
        Act::Undo { event, .. } => home.wait(fold::events_of(
            &*home.store,
            &*home.store,
            &arguments.game,
            &[*event],
        ))?,
        _ => Vec::new(),
    };
    // Under a secret of its own, so that nothing is learnt of dice that are yet to fall.
    let inputs = Inputs {
        past: &past,
        ..Inputs::default()
    };
    let command = Command {
        at: present.now,
        actor,
        key: "why".into(),
        act,
    };
    let judged = present.judge.judge(&command, &inputs);
    Ok(judged.event().map(|_| ()))
}

fn trial(
    look: &Tx,
    player: PlayerId,
    action: &Name,
    args: Vec<(Name, quorate_law::datum::Datum)>,
) -> Result<(), Refusal> {
    match look.law.actions.get(action) {
        Some(decl) => offers::tried(look, player, decl, args),
        None => Err(Refusal::plain(format!("an action called \"{action}\""))),
    }
}

/// Says what somebody can do.
pub(super) fn moves(arguments: &MovesArguments, out: &Out) -> Result<ExitCode> {
    let home = Home::look(&arguments.data.data)?;
    let present = home.present(&arguments.game)?;
    let actor = home::actor(present.judge.state(), &arguments.who)?;
    let player = asked::as_player(actor, &arguments.who)?;
    let found = present
        .judge
        .look(present.now, |tx| offers::offers(tx, player));
    let waiting = waiting(&present.judge, present.now, player);
    out.value(&json!({
        "at": present.now.to_string(),
        "waiting": waiting.iter().map(|(what, options)| json!({ "question": what, "options": options })).collect::<Vec<_>>(),
        "moves": found.iter().map(offer_json).collect::<Vec<_>>(),
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
            offer.title,
            fields(&offer.fields)
        ));
    }
    for offer in &found {
        if let Err(refusal) = &offer.open {
            let when = refusal
                .next_at
                .map_or_else(|| out.red("no "), |at| at.to_string());
            out.line(format!(
                "{when} {}  {}: {refusal}",
                out.bold(offer.action.as_str()),
                offer.title
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
            .map(|value| judge.look(now, |tx| tx.label(&convert::datum(value))))
            .collect()
    };
    let open = state.open.iter().filter(|(key, _)| key.who == player);
    let open = open.map(|(_, open)| (open.question.what.clone(), labels(&open.question.options)));
    let duties = state.duties.iter().filter(|(_, duty)| duty.to == player);
    let duties = duties.map(|(id, duty)| {
        (
            format!("{} (duty {id}, by {})", duty.decision, duty.deadline),
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

fn offer_json(offer: &Offer) -> Json {
    json!({
        "action": offer.action.as_str(),
        "title": offer.title,
        "rule": offer.site.rule.as_str(),
        "clause": offer.site.clause,
        "fields": offer.fields.iter().map(|field| json!({
            "name": field.name.as_str(),
            "title": field.title,
            "type": convert::type_name(&field.ty),
            "options": field.options.as_ref().map(|options| options.iter().map(|(_, label)| label.as_str()).collect::<Vec<_>>()),
            "remarks": field.remarks,
            "default": field.default.as_ref().map(convert::describe),
        })).collect::<Vec<_>>(),
        "says": offer.says,
        "open": offer.open.is_ok(),
        "refusal": offer.open.as_ref().err().map(words::refusal_json),
    })
}
