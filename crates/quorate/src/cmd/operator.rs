//! `quorate operator`: who runs a server.

use std::process::ExitCode;

use anyhow::{Result, anyhow, bail};
use quorate_kernel::Span;
use quorate_runtime::ports::{Account, Accounts, NewAccount, SecurityEvent};
use quorate_server::app::recovery::make_link;
use serde_json::json;

use crate::data_folder::{self, DataArguments, DataFolder};
use crate::output::Output;

/// How long the link counts by which an operator, whose account may be new, sets a password.
const LINK_FOR: Span = Span::days(2);

/// Who.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    /// The account's name; one is made where nobody has it.
    name: String,
    /// The account runs the server no longer.
    #[arg(long)]
    no_more: bool,
}

/// Marks an account as an operator's, or takes the mark away. Whoever may write to the data folder runs the server, so
/// nothing else is asked.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let folder = DataFolder::own(&arguments.data)?;
    let account = folder.wait(marked(&*folder.store, &arguments.name, !arguments.no_more))?;
    let event = if arguments.no_more {
        SecurityEvent::OperatorUnmarked
    } else {
        SecurityEvent::OperatorMarked
    };
    folder.note(event, Some(account.id), "")?;
    if arguments.no_more {
        out.value(&json!({ "account": account.name, "operator": false }));
        out.line(format!("{} runs this server no longer", account.name));
        return Ok(ExitCode::SUCCESS);
    }
    let link = folder.wait(make_link(
        &*folder.store,
        account.id,
        data_folder::now() + LINK_FOR,
    ))?;
    folder.note(SecurityEvent::RecoveryMade, Some(account.id), "")?;
    out.value(&json!({ "account": account.name, "operator": true, "link": link.as_str() }));
    out.line(format!(
        "{} runs this server; the panel is at /operator\na new password can be set once, within two days, at {}",
        out.green(&account.name),
        link.as_str()
    ));
    Ok(ExitCode::SUCCESS)
}

async fn marked(accounts: &dyn Accounts, name: &str, operator: bool) -> Result<Account> {
    let known = match accounts.account_by_name(name).await? {
        Some(account) => account,
        None if !operator => bail!("there is no account called {name}"),
        None => {
            let fresh = NewAccount {
                name: name.to_owned(),
                mail: None,
                password: None,
                operator,
                made_at: data_folder::now(),
            };
            let id = accounts.make(&fresh).await?;
            let made = accounts.account(id).await?;
            made.ok_or_else(|| anyhow!("the account of {name} was not kept"))?
        }
    };
    let account = Account { operator, ..known };
    accounts.change(&account).await?;
    Ok(account)
}
