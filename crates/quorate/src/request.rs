//! Requests on the command line: an action's name, and words after it.

use std::path::Path;

use anyhow::{Context, Result};
use quorate_engine::changes::{self, Change};
use quorate_engine::judge::Judge;
use quorate_engine::request::{Argument, Arguments, CommandRequest};
use quorate_kernel::Moment;
use quorate_kernel::patch::Patch;
use serde_json::Value as Json;

use crate::rulebooks;

/// The built-in acts, as the help names them.
pub(crate) const BUILT_IN_HELP: &str = "post CATEGORY title=… [body=… flavour=… changes=FILE FIELD=…] · comment POST TEXT · vote POST ICON · \
    edit POST [title=… body=… flavour=… changes=FILE] · withdraw POST · recategorise POST CATEGORY · apply-to-join [TEXT] · \
    leave · message NAME TEXT · claim rule=… reason=… changes=FILE · dispute CLAIM reason=… · undo EVENT reason=… [VALUE=…] · \
    answer VALUE [question=…] · abandon ACTION · dice LINE · wake RULE FENCE";

/// The request that an action's name and the words after it stand for: `name=value` pairs, and plain words that fill in
/// what is missing, in order. `changes` names a file.
pub(crate) fn read(action: &str, words: &[String]) -> Result<CommandRequest> {
    let (mut named, mut plain) = (Vec::new(), Vec::new());
    for word in words {
        match word.split_once('=').filter(|(name, _)| is_name(name)) {
            Some(("changes", file)) => {
                let listed = listed_changes(Path::new(file))?;
                named.push(("changes".to_owned(), Argument::Data(listed)));
            }
            Some((name, value)) => named.push((name.to_owned(), Argument::Data(value.into()))),
            None => plain.push(Argument::Data(word.as_str().into())),
        }
    }
    Ok(CommandRequest {
        action: action.to_owned(),
        arguments: Arguments::new(named, plain),
    })
}

fn is_name(word: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | ' ' | '/');
    !word.is_empty() && word.chars().all(fits)
}

/// The changes that a file lists, read against a game as it is.
pub(crate) fn changes(file: &Path, judge: &Judge, now: Moment) -> Result<Patch> {
    let context = || format!("{} does not fit the game", file.display());
    let listed: Vec<Change> =
        serde_json::from_value(listed_changes(file)?).with_context(context)?;
    let patch = judge.query(now, |tx| changes::patch(tx, &listed));
    patch.with_context(context)
}

/// The changes that a file lists, as data: JSON, or TOML with one `[[change]]` for each.
fn listed_changes(file: &Path) -> Result<Json> {
    let text = rulebooks::read_text(file)?;
    let is_toml = file
        .extension()
        .is_some_and(|extension| extension == "toml");
    let listed = if is_toml {
        toml::from_str(&text)
            .map(|mut table: Json| table["change"].take())
            .map_err(anyhow::Error::from)
    } else {
        serde_json::from_str(&text).map_err(anyhow::Error::from)
    };
    let listed = listed.ok().filter(Json::is_array);
    listed.with_context(|| format!("{} lists no changes", file.display()))
}
