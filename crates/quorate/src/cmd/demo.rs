//! `quorate demo`: a server with a game of every rulebook, each with some weeks of play behind it.

use std::net::SocketAddr;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use quorate_kernel::GameId;
use quorate_kernel::rows::Standing;
use quorate_runtime::ports::{AccountId, GameRow, NewAccount, Seat};
use quorate_server::security::password::Passwords;
use serde_json::json;

use super::serve::{Listen, serve};
use crate::data_folder::{self, DataArguments, DataFolder};
use crate::output::Output;
use crate::rulebooks;
use crate::script::{self, Played};

/// The password of everybody in the demo.
const PASSWORD: &str = "let me play";

/// Where the demo is.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    #[command(flatten)]
    listen: Listen,
    /// Play, tell the addresses, and end without serving.
    #[arg(long)]
    no_serve: bool,
}

/// Somebody who can log in.
struct Login {
    name: String,
    is_operator: bool,
    games: Vec<GameId>,
}

/// Plays what is not there yet, tells addresses and log-ins, and serves.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let folder = DataFolder::own(&arguments.data)?;
    let names = rulebooks::names();
    let bar = out.progress("games");
    for (done, name) in names.iter().enumerate() {
        bar.at(done as u64, names.len() as u64);
        play(&folder, name).with_context(|| format!("the demo of {name} does not play"))?;
    }
    bar.done();
    let logins = logins(&folder)?;
    let games = folder.wait(folder.store.games())?;
    if arguments.no_serve {
        tell(&games, &logins, "", out);
        return Ok(ExitCode::SUCCESS);
    }
    let ready = |address: SocketAddr| {
        tell(&games, &logins, &format!("http://{address}"), out);
        Ok(())
    };
    serve(&folder, &arguments.listen, None, out, &ready)?;
    Ok(ExitCode::SUCCESS)
}

/// Plays a rulebook's demo into the game of its name, unless that game is there.
fn play(folder: &DataFolder, name: &str) -> Result<()> {
    let game: GameId = name.parse()?;
    let Some(script) = rulebooks::demo(name)? else {
        return Ok(());
    };
    if folder.wait(folder.store.game(&game))?.is_some() {
        return Ok(());
    }
    let secret = folder.secret()?.of_game(&game);
    let played = script::up_to(&folder.laws, name, &script, secret, data_folder::now())?;
    folder.wait(played.keep(&game, &*folder.store))?;
    folder.wait(seat_all(folder, &game, &played))
}

/// An account for everybody in a game, and their seats.
async fn seat_all(folder: &DataFolder, game: &GameId, played: &Played) -> Result<()> {
    let passwords = Passwords::new().map_err(|error| anyhow!(error.to_string()))?;
    for (player, person) in &played.state.people {
        if person.standing == Standing::Left {
            continue;
        }
        let name = person.name.as_str();
        let account = match folder.store.account_by_name(name).await? {
            Some(account) => account.id,
            None => account(folder, &passwords, name).await?,
        };
        let seat = Seat {
            game: game.clone(),
            player: *player,
            account,
        };
        folder.store.take_seat(&seat).await?;
    }
    Ok(())
}

/// A new account; the first of a server is its operator.
async fn account(folder: &DataFolder, passwords: &Passwords, name: &str) -> Result<AccountId> {
    let digest = passwords.digest(PASSWORD);
    let account = NewAccount {
        name: name.to_owned(),
        mail: None,
        password: Some(digest.map_err(|error| anyhow!(error.to_string()))?),
        operator: folder.store.accounts().await?.is_empty(),
        made_at: data_folder::now(),
    };
    Ok(folder.store.make(&account).await?)
}

/// Everybody with an account whose password is the demo's, with their games.
fn logins(folder: &DataFolder) -> Result<Vec<Login>> {
    folder.wait(async {
        let mut logins = Vec::new();
        for account in folder.store.accounts().await? {
            let seats = folder.store.seats_of(account.id).await?;
            logins.push(Login {
                name: account.name,
                is_operator: account.operator,
                games: seats.into_iter().map(|seat| seat.game).collect(),
            });
        }
        Ok(logins)
    })
}

fn tell(games: &[GameRow], logins: &[Login], base: &str, out: &Output) {
    out.value(&json!({
        "games": games.iter().map(|row| format!("{base}/g/{}", row.game)).collect::<Vec<_>>(),
        "logins": logins.iter().map(|login| json!({
            "name": login.name, "operator": login.is_operator,
            "games": login.games.iter().map(GameId::as_str).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "password": PASSWORD,
    }));
    out.line("");
    for row in games {
        out.line(format!(
            "  {base}/g/{}  ({} events)",
            row.game, row.head.seq
        ));
    }
    out.line("");
    out.line(format!(
        "Everybody's password here is {}. Log in at {base}/sign-in as",
        out.bold(PASSWORD)
    ));
    for login in logins {
        let games: Vec<_> = login.games.iter().map(GameId::as_str).collect();
        let role = if login.is_operator {
            ", operator of this server"
        } else {
            ""
        };
        out.line(format!(
            "  {}{role}: {}",
            out.bold(&login.name),
            games.join(", ")
        ));
    }
    out.line("");
}
