//! A server for games of Nomic.

use std::process::ExitCode;

use clap::Parser;

mod cmd;
mod data_folder;
mod objects;
mod output;
mod peers;
mod report;
mod request;
mod rulebooks;
mod script;
mod server_log;
mod threads;

/// A server for games of Nomic in the BlogNomic tradition.
#[derive(Parser)]
#[command(name = "quorate", version, about)]
struct Arguments {
    /// Print JSON instead of text for people.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: cmd::QuorateCommand,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let out = output::Output::new(arguments.json);
    match arguments.command.run(&out) {
        Ok(code) => code,
        Err(error) => {
            out.error(&error);
            ExitCode::from(output::FAILED)
        }
    }
}
