//! The walks in `ARCHITECTURE.md` follow one request from file to file. Each step is a call that
//! stands in the source, so no station is left out and none stays when the code goes another way.
//!
//! A walk is a table: who calls, who is called, what for. A caller has been called before; where it
//! hands something on instead of calling, as through a channel, both sides name the type of that.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::finding::Finding;
use super::repo::Repo;

const MAP: &str = "ARCHITECTURE.md";

/// The walks that there are, by their headings, and through how many files each may lead.
const WALKS: [(&str, usize); 4] = [
    ("### A vote", 20),
    ("### An action", 20),
    ("### An amendment", 40),
    ("### A forecast", 15),
];

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let text = repo.texts.get(MAP).map_or("", String::as_str);
    let mut findings = Vec::new();
    for (heading, files_max) in WALKS {
        let lines = text
            .lines()
            .enumerate()
            .skip_while(|(_, line)| !line.starts_with(heading))
            .skip(1);
        let steps: Vec<Step> = lines
            .take_while(|(_, line)| !line.starts_with('#'))
            .filter_map(|(index, line)| Step::read(index + 1, line))
            .collect();
        if steps.len() < 2 {
            findings.push(Finding::error(MAP, 1, format!("no walk under `{heading}`")));
        }
        findings.extend(follow(repo, &steps));
        let files: BTreeSet<&str> = steps.iter().map(|step| step.file.as_str()).collect();
        if files.len() > files_max {
            let message = format!(
                "{heading} leads through {} files, and at most {files_max}",
                files.len()
            );
            findings.push(Finding::error(MAP, steps[0].line, message));
        }
    }
    findings
}

/// A row: ``| `caller` | `file` `callee` | … |``, with `` `caller` with `Type` `` where it hands on.
struct Step {
    line: usize,
    caller: Option<String>,
    handed: Option<String>,
    file: String,
    callee: String,
}

impl Step {
    fn read(line: usize, text: &str) -> Option<Self> {
        let mark = Regex::new("`([^`]+)`").ok()?;
        let marks = |cell: &str| -> Vec<String> {
            mark.captures_iter(cell)
                .map(|found| found[1].to_owned())
                .collect()
        };
        let mut cells = text.strip_prefix('|')?.split('|');
        let (from, to) = (marks(cells.next()?), marks(cells.next()?));
        let [file, callee] = <[String; 2]>::try_from(to).ok()?;
        Some(Self {
            line,
            caller: from.first().cloned(),
            handed: from.get(1).cloned(),
            file,
            callee,
        })
    }
}

fn follow(repo: &Repo, steps: &[Step]) -> Vec<Finding> {
    let mut findings = Vec::new();
    // The words in each function that the walk has come to.
    let mut reached: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (index, step) in steps.iter().enumerate() {
        let Step {
            caller,
            handed,
            file,
            callee,
            line,
        } = step;
        let mut fail = |message| findings.push(Finding::error(MAP, *line, message));
        let words = repo
            .source(file)
            .and_then(|(_, source)| source.words_of(callee));
        match caller
            .as_deref()
            .map(|caller| (caller, reached.get(caller)))
        {
            None if index > 0 => fail(format!("nobody calls `{callee}`")),
            None => {}
            Some((caller, None)) => fail(format!("the walk has not come to `{caller}`")),
            Some((caller, Some(body))) => {
                let named = handed.as_deref().unwrap_or_else(|| last_name(callee));
                if !body.contains(named) {
                    fail(format!("`{caller}` names no `{named}`"));
                }
            }
        }
        match words {
            None => fail(format!("no function `{callee}` in `{file}`")),
            Some(words) => {
                if let Some(handed) = handed.as_ref().filter(|handed| !words.contains(*handed)) {
                    fail(format!("`{callee}` names no `{handed}`"));
                }
                reached.insert(callee, words);
            }
        }
    }
    findings
}

fn last_name(function: &str) -> &str {
    function.rsplit("::").next().unwrap_or(function)
}

#[cfg(test)]
mod tests {
    use super::super::{assert_holds, found};
    use super::*;

    const FILES: [(&str, &str); 3] = [
        (
            "a.rs",
            "fn route() { post(vote); } async fn vote() { let g = game(); g.send(7).await }",
        ),
        (
            "b.rs",
            "impl Game { pub fn send(&self) { self.channel.put(Order::Play) } } fn send() {}",
        ),
        (
            "c.rs",
            "impl Writer { fn run(o: Order) { loop { match next() { Order::Play => append!(decide()) } } } }",
        ),
    ];

    fn walked(rows: &str) -> Vec<String> {
        let steps: Vec<Step> = rows
            .lines()
            .enumerate()
            .filter_map(|(at, row)| Step::read(at + 1, row))
            .collect();
        found(|repo| follow(repo, &steps), &Repo::of(&FILES))
    }

    #[test]
    fn each_step_of_each_walk_is_a_call() {
        assert_holds(check);
    }

    #[test]
    fn a_walk_goes_from_call_to_call_and_through_a_channel() {
        let rows = "| Who calls | Who is called | What for |\n|---|---|---|\n\
            | | `a.rs` `route` | |\n| `route` | `a.rs` `vote` | |\n| `vote` | `b.rs` `Game::send` | |\n\
            | `Game::send` with `Order` | `c.rs` `Writer::run` | |";
        assert_eq!(walked(rows), [""; 0]);
    }

    #[test]
    fn a_call_that_is_not_in_the_source_is_noticed() {
        let rows = "| | `a.rs` `route` | |\n| `route` | `b.rs` `Game::send` | |\n| `Game::send` with `Letter` | `c.rs` `Writer::run` | |\n\
            | `judge` | `c.rs` `decide` | |\n| | `a.rs` `vote` | |";
        assert_eq!(
            walked(rows),
            [
                "ARCHITECTURE.md:2: `route` names no `send`",
                "ARCHITECTURE.md:3: `Game::send` names no `Letter`",
                "ARCHITECTURE.md:3: `Writer::run` names no `Letter`",
                "ARCHITECTURE.md:4: the walk has not come to `judge`",
                "ARCHITECTURE.md:4: no function `decide` in `c.rs`",
                "ARCHITECTURE.md:5: nobody calls `vote`",
            ]
        );
    }

    #[test]
    fn a_walk_that_is_missing_or_too_long_is_noticed() {
        let files: Vec<(String, String)> = (0..17)
            .map(|at| {
                (
                    format!("f{at}.rs"),
                    format!("fn f{at}() {{ f{}() }}", at + 1),
                )
            })
            .collect();
        let rows: String = (1..17)
            .map(|at| format!("| `f{}` | `f{at}.rs` `f{at}` | |\n", at - 1))
            .collect::<Vec<_>>()
            .concat();
        let walk = format!("### A forecast\n\n| | `f0.rs` `f0` | |\n{rows}");
        let mut all: Vec<(&str, &str)> = files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect();
        all.push((MAP, &walk));
        assert_eq!(
            found(check, &Repo::of(&all)),
            [
                "ARCHITECTURE.md:1: no walk under `### A vote`",
                "ARCHITECTURE.md:1: no walk under `### An action`",
                "ARCHITECTURE.md:1: no walk under `### An amendment`",
                "ARCHITECTURE.md:3: ### A forecast leads through 17 files, and at most 15",
            ]
        );
    }
}
