//! The commands, one file each.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use crate::output::Output;

mod act;
mod archive;
mod backup;
mod bench;
mod check;
mod coverage;
mod demo;
mod discord_commands;
mod docs;
mod forecast;
mod import_ruleset;
mod independence;
mod law_worker;
mod log;
mod mail_in;
mod migrate;
mod mutate;
mod new;
mod new_secret;
mod node;
mod operator;
mod reindex;
mod remove;
mod restart;
mod serve;
mod sign_in_from;
mod simulate;
mod tending;
mod test;
mod verify;
mod ways;

/// A command.
#[derive(Subcommand)]
pub(crate) enum QuorateCommand {
    /// Serve the site with a game of every rulebook, each with some weeks of play behind it.
    Demo(demo::Arguments),
    /// Serve the site of a data folder.
    Serve(serve::Arguments),
    /// Say who runs the server, and get them a link to set a password.
    Operator(operator::Arguments),
    /// Found a game of a rulebook.
    New(new::Arguments),
    /// Take an action in a game, or a built-in act such as a post, a comment or a vote.
    Act(act::Arguments),
    /// What a player can do now, what later, and why not.
    Moves(act::MovesArguments),
    /// Why an action is refused, or that it is not; nothing is done.
    Why(act::Arguments),
    /// What a proposal, or a list of changes, would do to a game; nothing is done.
    Forecast(forecast::Arguments),
    /// Hand a mail from the mail server to the site: an answer to a notice, or word that one did not arrive.
    MailIn(mail_in::Arguments),
    /// Print the commands that your application on Discord offers, as JSON, for you to register.
    DiscordCommands,
    /// A game's log.
    Log(log::Arguments),
    /// Does a game's log hold together, and does the law still say so?
    Verify(verify::Arguments),
    /// Write a game out, to be imported elsewhere.
    Export(archive::ExportArguments),
    /// Bring a game in.
    Import(archive::ImportArguments),
    /// Copy a whole server: games, accounts, secret; also while it runs.
    Backup(backup::BackupArguments),
    /// Make a data folder of such a copy, once everything in it is found to hold.
    Restore(backup::RestoreArguments),
    /// Take a game off the site, or put it back; nothing of it is lost.
    Remove(remove::Arguments),
    /// Go on under a new secret, where the old one is lost.
    NewSecret(new_secret::Arguments),
    /// Copy everything from one place to another: from a folder to a database, or back.
    Migrate(migrate::Arguments),
    /// Throw the index of words away, so that the server builds it anew from the logs.
    Reindex(reindex::Arguments),
    /// The servers that share a database: list them, have one give its games away.
    Node(node::Arguments),
    /// Make a rulebook of a ruleset that was written elsewhere, as a wiki shows it.
    ImportRuleset(import_ruleset::Arguments),
    /// Check a rulebook: its files, names, types and declarations.
    Check(check::Arguments),
    /// Run rule tests: of rulebooks, folders or test files.
    Test(test::Arguments),
    /// Play a rulebook at random and look at what must hold after every step.
    Simulate(simulate::Arguments),
    /// Repeal and switch off each rule of a rulebook, and halves of them: what do other rules lose?
    Independence(independence::Arguments),
    /// Change small things in a rulebook's code, one at a time: do its tests notice?
    Mutate(mutate::Arguments),
    /// Compare the ids that rule tests prove with a checklist.
    Coverage(coverage::Arguments),
    /// Every way to change something in a game of a rulebook, and who may, in Markdown.
    Ways(ways::Arguments),
    /// What pages and votes cost on this machine, beside a bare handler and a bare sync.
    Bench(bench::Arguments),
    /// Become a process in which rule code runs; the server starts those.
    #[command(hide = true)]
    LawWorker(law_worker::Arguments),
    /// Print the reference of what rule code can call and read, in Markdown.
    Docs,
}

impl QuorateCommand {
    /// Runs the command.
    pub(crate) fn run(self, out: &Output) -> Result<ExitCode> {
        match self {
            Self::Demo(arguments) => demo::run(&arguments, out),
            Self::Serve(arguments) => serve::run(&arguments, out),
            Self::Operator(arguments) => operator::run(&arguments, out),
            Self::New(arguments) => new::run(&arguments, out),
            Self::Act(arguments) => act::run(&arguments, out),
            Self::Moves(arguments) => act::moves(&arguments, out),
            Self::Why(arguments) => act::why(&arguments, out),
            Self::Forecast(arguments) => forecast::run(&arguments, out),
            Self::MailIn(arguments) => mail_in::run(&arguments, out),
            Self::DiscordCommands => Ok(discord_commands::run(out)),
            Self::Log(arguments) => log::run(&arguments, out),
            Self::Verify(arguments) => verify::run(&arguments, out),
            Self::Export(arguments) => archive::export(&arguments, out),
            Self::Import(arguments) => archive::import(&arguments, out),
            Self::Backup(arguments) => backup::backup(&arguments, out),
            Self::Restore(arguments) => backup::restore(&arguments, out),
            Self::Remove(arguments) => remove::run(&arguments, out),
            Self::NewSecret(arguments) => new_secret::run(&arguments, out),
            Self::Migrate(arguments) => migrate::run(&arguments, out),
            Self::Reindex(arguments) => reindex::run(&arguments, out),
            Self::Node(arguments) => node::run(&arguments, out),
            Self::ImportRuleset(arguments) => import_ruleset::run(&arguments, out),
            Self::Check(arguments) => check::run(&arguments, out),
            Self::Test(arguments) => test::run(&arguments, out),
            Self::Simulate(arguments) => simulate::run(&arguments, out),
            Self::Independence(arguments) => independence::run(&arguments, out),
            Self::Mutate(arguments) => mutate::run(&arguments, out),
            Self::Coverage(arguments) => coverage::run(&arguments, out),
            Self::Ways(arguments) => ways::run(&arguments, out),
            Self::Bench(arguments) => bench::run(&arguments, out),
            Self::LawWorker(arguments) => law_worker::run(&arguments),
            Self::Docs => Ok(docs::run(out)),
        }
    }
}
