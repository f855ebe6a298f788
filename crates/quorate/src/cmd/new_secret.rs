//! `quorate new-secret`: going on where the server's secret is lost.

use std::process::ExitCode;

use anyhow::Result;
use quorate_store::StoreOptions;

use crate::data_folder::{DataArguments, DataFolder};
use crate::output::Output;

/// Which data folder.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    data: DataArguments,
}

/// Takes the secret that is in the folder for the server's own, and makes one where there is none.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let options = StoreOptions {
        takes_new_secret: true,
        ..StoreOptions::default()
    };
    drop(DataFolder::own_with(&arguments.data.data, options, None)?);
    out.value(&serde_json::json!({ "secret": "taken" }));
    out.line("the games go on under this secret; the dice of running dynasties cannot be proven any more");
    Ok(ExitCode::SUCCESS)
}
