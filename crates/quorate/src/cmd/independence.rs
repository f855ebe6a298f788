//! `quorate independence`: what falls with each rule of a rulebook that goes.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use quorate_engine::conventions;
use quorate_engine::rulebook::Rulebook;
use quorate_lab::independence::{self, Gone, Loss, LossTotals, OtherLoss, Trials};
use serde_json::{Value, json};

use super::check;
use crate::output::{FOUND_WRONG, Output};
use crate::rulebooks;

/// What to try.
///
/// Every trial begins with the game as it was founded. Each rule is repealed alone, with what is under it, and each is switched
/// off alone; then about half of the dynastic rules are repealed at once, as by an Ascension Address, time and again. Told is
/// what OTHER rules lose by that: clauses whose code sleeps or breaks where it comes to a name that went; actions that are no longer
/// there or can come to such a name; kinds of posts that are no longer there. Clauses that live on what went as a definition (a
/// constant, a kind without things, a helper that changes nothing) lose nothing and are counted apart.
/// A rule that loses something "names it" where its prose says the title of a rule that went, a value, kind or row that it
/// declares, or a term that it defines, in any case and number.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Rulebooks: folders, or names.
    #[arg(required = true)]
    rulebooks: Vec<String>,
    /// Tell only of this rule, by its code name.
    #[arg(long)]
    rule: Option<String>,
    /// The section whose rules are not taken away: what a game is played by before it has a theme.
    #[arg(long, default_value = "core")]
    kept: String,
    /// How many random halves are kept.
    #[arg(long, default_value_t = 20)]
    halves: u64,
    /// The section whose halves are kept.
    #[arg(long, default_value = conventions::PLAY)]
    section: String,
    /// The seed of the halves.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The most that may be lost of each rulebook, over all trials, in rules that do not name what went and in clauses that do
    /// not, with what rules still do that went and with code that would break without a rule which its prose does not name; more
    /// is found wrong.
    #[arg(long)]
    most: Option<usize>,
    /// Only the totals.
    #[arg(long)]
    totals: bool,
    /// Only the totals of all rulebooks, as tables in Markdown.
    #[arg(long)]
    table: bool,
    /// Find wrong what the tables have otherwise than this file.
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
}

/// Plays the trials and tells what they came to.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let known = match &arguments.check {
        Some(path) => Some(rulebooks::read_text(path)?),
        None => None,
    };
    let mut all = Vec::new();
    let mut is_well = true;
    for name in &arguments.rulebooks {
        let book = rulebooks::read(name)?;
        let totals = one(&book, arguments, out)?;
        let found = totals.unnamed() + leaning(&book, out)?;
        if let Some(most) = arguments.most.filter(|most| found > *most) {
            is_well = false;
            out.line(out.red(&format!(
                "{found} lost in rules or clauses that do not name what went, or done by rules that went, or leaning on them; at most {most} may be"
            )));
        }
        all.push((book.name.to_string(), totals));
    }
    let tables = tables(&all);
    if arguments.table {
        out.line(tables.trim_end());
    }
    if known.is_some_and(|known| tables.lines().any(|row| !known.contains(row))) {
        is_well = false;
        let books = arguments.rulebooks.join(" ");
        out.line(format!(
            "{}: print them again with `quorate independence {books} --halves {} --table`",
            out.red("the tables are out of date"),
            arguments.halves
        ));
    }
    Ok(if is_well {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FOUND_WRONG)
    })
}

/// Plays the trials of one rulebook.
fn one(book: &Rulebook, arguments: &Arguments, out: &Output) -> Result<Totals> {
    let trials = Trials {
        each_rule: true,
        kept: arguments.kept.as_str().into(),
        halves: if arguments.rule.is_some() {
            0
        } else {
            arguments.halves
        },
        section: arguments.section.as_str().into(),
        seed: arguments.seed,
    };
    let bar = out.progress("trials");
    let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    let mut losses = independence::play(book, &trials, &|done, of| bar.at(count(done), count(of)))?;
    bar.done();
    if let Some(rule) = &arguments.rule {
        losses.retain(|loss| {
            loss.rules
                .first()
                .is_some_and(|first| first == rule.as_str())
        });
    }
    if !(arguments.totals || arguments.table) {
        let touched = |loss: &&Loss| !(loss.others.is_empty() && loss.going_on.is_empty());
        for loss in losses.iter().filter(touched) {
            tell(loss, out);
        }
    }
    let totals = Totals::of(&losses);
    out.value(&json!({
        "rulebook": book.name.as_str(),
        "trials": losses.iter().filter(|loss| !loss.others.is_empty()).map(data).collect::<Vec<_>>(),
        "repealed": sums(&totals.repealed),
        "switched_off": sums(&totals.switched_off),
        "halved": sums(&totals.halved),
    }));
    if !arguments.table {
        out.line(format!("{}: {}", book.name, totals.line()));
    }
    Ok(totals)
}

/// Where code would break without a rule that its rule's prose does not name, rules of the kept section included.
fn leaning(book: &Rulebook, out: &Output) -> Result<usize> {
    let judge = check::founded(book, &Arc::default())?;
    let mut breaking = check::unnamed(&judge);
    breaking.retain(|dependence| !dependence.lives_on);
    for dependence in &breaking {
        out.line(check::dependence_line(&judge, dependence));
    }
    Ok(breaking.len())
}

/// What all trials came to: first each rule that went alone, then random halves.
fn tables(all: &[(String, Totals)]) -> String {
    let mut text = String::new();
    for (what, totals_of) in [
        (
            "repeals",
            (|totals| &totals.repealed) as fn(&Totals) -> &LossTotals,
        ),
        ("halves", |totals| &totals.halved),
    ] {
        let _ = writeln!(
            text,
            "| rulebook | {what} that harm no rule which does not name what went | clauses | of these beyond their own words | actions and \
             categories | clauses that live on definitions |\n|---|---|---|---|---|---|"
        );
        for (book, totals) in all {
            let totals = totals_of(totals);
            let _ = writeln!(
                text,
                "| {book} | {} of {} | {} + {} | {} | {} + {} | {} |",
                totals.harmless,
                totals.trials,
                totals.fences_named,
                totals.fences_unnamed,
                totals.fences_beyond,
                totals.acts_named,
                totals.acts_unnamed,
                totals.living
            );
        }
        text.push('\n');
    }
    text
}

/// Sums by the way in which rules went.
struct Totals {
    repealed: LossTotals,
    switched_off: LossTotals,
    halved: LossTotals,
}

impl Totals {
    fn of(losses: &[Loss]) -> Self {
        let by = |how| LossTotals::of(losses.iter().filter(|loss| loss.how == how));
        Self {
            repealed: by(Gone::Repealed),
            switched_off: by(Gone::SwitchedOff),
            halved: by(Gone::Halved),
        }
    }

    fn line(&self) -> String {
        let one = |what: &str, totals: &LossTotals| {
            let LossTotals {
                trials, harmless, ..
            } = totals;
            format!(
                "{harmless} of {trials} {what}, {}+{} clauses ({} beyond their own words) and {}+{} actions and categories, {} live on definitions",
                totals.fences_named,
                totals.fences_unnamed,
                totals.fences_beyond,
                totals.acts_named,
                totals.acts_unnamed,
                totals.living
            )
        };
        format!(
            "{}; {}; {} (harmless to rules that do not name it; lost in rules that name it + in rules that do not; beyond: clauses of rules \
             that name it which do not themselves)",
            one("repeals", &self.repealed),
            one("switched off", &self.switched_off),
            one("halves", &self.halved),
        )
    }

    fn unnamed(&self) -> usize {
        let all = [&self.repealed, &self.switched_off, &self.halved];
        all.iter()
            .map(|totals| {
                let lost = totals.fences_unnamed + totals.fences_beyond + totals.acts_unnamed;
                lost + totals.going_on
            })
            .sum()
    }
}

fn sums(totals: &LossTotals) -> Value {
    json!({
        "trials": totals.trials,
        "harmless": totals.harmless,
        "clauses": { "named": totals.fences_named, "unnamed": totals.fences_unnamed, "beyond": totals.fences_beyond },
        "lives_on": totals.living,
        "goes_on": totals.going_on,
        "actions": { "named": totals.acts_named, "unnamed": totals.acts_unnamed },
    })
}

fn how(loss: &Loss) -> &'static str {
    match loss.how {
        Gone::Repealed => "repealed",
        Gone::SwitchedOff => "switched off",
        Gone::Halved => "halved",
    }
}

fn tell(loss: &Loss, out: &Output) {
    let rules: Vec<&str> = loss
        .rules
        .iter()
        .map(quorate_kernel::Name::as_str)
        .collect();
    out.line(out.bold(&format!("{} {}", rules.join(", "), how(loss))));
    for doing in &loss.going_on {
        out.line(format!("  {}: {doing}", out.red("goes on")));
    }
    for other in &loss.others {
        let names = if other.names_it {
            "names it"
        } else {
            "does not name it"
        };
        out.line(format!("  {}, which {names}", other.rule));
        for (clause, why) in &other.fences {
            let beyond = if other.beyond.contains(clause) {
                ", beyond its own words"
            } else {
                ""
            };
            out.line(format!("    clause {clause}{beyond}: {why}"));
        }
        for (clause, why) in &other.living {
            out.line(format!("    clause {clause} lives on: {why}"));
        }
        for action in &other.actions {
            out.line(format!("    action {action}"));
        }
        for category in &other.categories {
            out.line(format!("    posts {category}"));
        }
    }
}

fn data(loss: &Loss) -> Value {
    let names = |names: &[quorate_kernel::Name]| {
        let names = names.iter().map(|name| json!(name.as_str()));
        names.collect::<Vec<_>>()
    };
    let other = |other: &OtherLoss| {
        let clauses = |clauses: &[(u32, String)]| {
            let clauses = clauses.iter();
            let clauses = clauses.map(|(clause, why)| json!({ "clause": clause, "why": why }));
            clauses.collect::<Vec<_>>()
        };
        json!({
            "rule": other.rule.as_str(),
            "names_it": other.names_it,
            "clauses": clauses(&other.fences),
            "beyond": other.beyond,
            "lives_on": clauses(&other.living),
            "actions": names(&other.actions),
            "categories": names(&other.categories),
        })
    };
    json!({
        "how": how(loss),
        "rules": names(&loss.rules),
        "goes_on": loss.going_on,
        "others": loss.others.iter().map(other).collect::<Vec<_>>(),
    })
}
