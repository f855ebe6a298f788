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

/// The C library's own keeps pools for each thread, so that a server grew by what each of them once needed.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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
