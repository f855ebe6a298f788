//! How much production code there is: no tests, no language of tests, no samples, no benches. The
//! house grew smaller when it was built again by feature, and is counted against what it was.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::finding::Finding;
use super::repo::{Repo, has_extension, root};
use super::rust::Size;

/// The last commit before the house was built again by feature.
pub(crate) const BEFORE: &str = "e197b2d";

/// How many lines of production code fewer there are to be.
const LESS: usize = 4_900;

/// The language in which tests are written.
const TEST_LANGUAGES: [&str; 2] = [
    "crates/quorate-engine/src/testing",
    "crates/quorate-runtime/src/testing",
];

/// The size of each crate, by its name.
pub(crate) type Sizes = BTreeMap<String, Size>;

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let finding = match count_at(BEFORE) {
        Ok(before) => compare(&before, &count(repo)),
        // A copy of the sources without their history has nothing to compare with.
        Err(error) => Some(Finding::advice(
            "crates",
            1,
            format!("not compared: {error:#}"),
        )),
    };
    finding.into_iter().collect()
}

fn compare(before: &Sizes, now: &Sizes) -> Option<Finding> {
    let (before, now) = (total(before).lines, total(now).lines);
    let message =
        format!("{now} lines of production code; {before} on {BEFORE}, and {LESS} fewer are to be");
    (now + LESS > before).then(|| Finding::advice("crates", 1, message))
}

/// Counts what stands in the tree.
pub(crate) fn count(repo: &Repo) -> Sizes {
    let mut sizes = Sizes::new();
    for (path, source) in repo.production() {
        let name = path.split('/').nth(1).unwrap_or_default();
        if !TEST_LANGUAGES.iter().any(|start| path.starts_with(start)) {
            let sum = sizes.entry(name.to_owned()).or_default();
            *sum = add(*sum, source.size(&repo.texts[path]));
        }
    }
    sizes
}

/// Counts what stood at a commit.
pub(crate) fn count_at(revision: &str) -> Result<Sizes> {
    Ok(count(&Repo::of_texts(texts_at(revision)?)))
}

fn add(a: Size, b: Size) -> Size {
    Size {
        lines: a.lines + b.lines,
        code_lines: a.code_lines + b.code_lines,
        tokens: a.tokens + b.tokens,
    }
}

fn total(sizes: &Sizes) -> Size {
    sizes.values().copied().fold(Size::default(), add)
}

// The Rust files of a commit and their texts.
fn texts_at(revision: &str) -> Result<BTreeMap<String, String>> {
    let listed = git()
        .args(["ls-tree", "-r", "--name-only", revision, "crates"])
        .output()
        .context("starting git")?;
    ensure!(listed.status.success(), "no commit {revision} here");
    let paths: Vec<String> = String::from_utf8(listed.stdout)?
        .lines()
        .filter(|path| has_extension(path, "rs"))
        .map(ToOwned::to_owned)
        .collect();
    let mut asked = String::new();
    for path in &paths {
        writeln!(asked, "{revision}:{path}")?;
    }
    let mut git = git()
        .args(["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = git.stdin.take().context("git takes no input")?;
    let asking = std::thread::spawn(move || stdin.write_all(asked.as_bytes()));
    let mut answer = git.wait_with_output()?.stdout.into_iter();
    asking.join().ok().context("git was not asked")??;
    let mut texts = BTreeMap::new();
    for path in paths {
        // `<id> blob <size>`, the text, and an end of line.
        let head: Vec<u8> = answer.by_ref().take_while(|byte| *byte != b'\n').collect();
        let size = String::from_utf8(head)?;
        let size = size.rsplit(' ').next().unwrap_or_default().parse()?;
        let text = answer.by_ref().take(size).collect();
        answer.next();
        texts.insert(path, String::from_utf8(text)?);
    }
    Ok(texts)
}

fn git() -> Command {
    let mut git = Command::new("git");
    git.current_dir(root())
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    git
}

/// Both counts side by side: lines, lines with code, and tokens, which do not depend on packing.
pub(crate) fn table(against: &str, before: &Sizes, now: &Sizes) -> String {
    let mut table = format!(
        "{:18}{:>26}{:>26}{:>28}\n{:18}",
        "production code", "lines", "of them code", "tokens", ""
    );
    for width in [26, 26, 28] {
        let against = &against[..against.len().min(8)];
        let _ = write!(
            table,
            "{against:>w$}{:>8}{:>8}",
            "now",
            "change",
            w = width - 16
        );
    }
    table.push('\n');
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let of = |sizes: &Sizes, name: &String| sizes.get(name).copied().unwrap_or_default();
    for name in names {
        table.push_str(&row(name, of(before, name), of(now, name)));
    }
    table.push_str(&row("all", total(before), total(now)));
    table
}

fn row(name: &str, before: Size, now: Size) -> String {
    let mut row = format!("{name:18}");
    let figures = [
        (before.lines, now.lines, 26),
        (before.code_lines, now.code_lines, 26),
        (before.tokens, now.tokens, 28),
    ];
    for (before, now, width) in figures {
        let change =
            i64::try_from(now).unwrap_or(i64::MAX) - i64::try_from(before).unwrap_or(i64::MAX);
        let _ = write!(row, "{before:>w$}{now:>8}{change:>+8}", w = width - 16);
    }
    row.push('\n');
    row
}

#[cfg(test)]
mod tests {
    use super::super::assert_holds;
    use super::*;

    fn sizes(lines: usize) -> Sizes {
        let size = Size {
            lines,
            ..Size::default()
        };
        [("quorate-law".to_owned(), size)].into()
    }

    #[test]
    fn the_house_is_smaller_than_it_was() {
        assert_holds(check);
    }

    #[test]
    fn too_little_less_is_noticed() {
        assert!(compare(&sizes(10_000), &sizes(5_100)).is_none());
        let finding = compare(&sizes(10_000), &sizes(5_101)).unwrap();
        assert!(finding.message.starts_with("5101 lines"));
    }

    #[test]
    fn tests_their_language_samples_and_benches_are_not_counted() {
        let files = [
            "crates/quorate-law/src/lib.rs",
            "crates/quorate-law/src/values/tests.rs",
            "crates/quorate-law/src/tests/host.rs",
            "crates/quorate-law/tests/check.rs",
            "crates/quorate-law/build.rs",
            "crates/quorate-engine/src/testing/play.rs",
            "crates/quorate-server/src/site/blog/sample.rs",
            "crates/quorate-server/src/samples/blog.rs",
            "crates/quorate-store/benches/store/main.rs",
            "crates/quorate-law/src/gallery.rs",
            "xtask/src/main.rs",
        ];
        let text = "struct A;\n#[cfg(test)]\nmod gallery;\n";
        let repo = Repo::of(&files.map(|path| (path, text)));
        let sizes = count(&repo);
        assert_eq!(sizes.keys().collect::<Vec<_>>(), ["quorate-law"]);
        assert_eq!(
            total(&sizes),
            Size {
                lines: 1,
                code_lines: 1,
                tokens: 3
            }
        );
    }

    #[test]
    fn the_table_shows_each_crate_and_the_difference() {
        let table = table(BEFORE, &sizes(1_200), &sizes(1_000));
        let rows: Vec<&str> = table.lines().collect();
        assert!(rows[2].starts_with("quorate-law ") && rows[2].contains("1200    1000    -200"));
        assert!(rows[3].starts_with("all "));
    }
}
