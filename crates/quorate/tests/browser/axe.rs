//! The axe accessibility checker, which npm brings for the test alone. `QUORATE_AXE` names a copy of `axe.min.js` where
//! there is one already.
#![allow(
    clippy::unwrap_used,
    reason = "a panic is a fine way for a test to fail"
)]

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use super::driver::Reader;

/// The checker and its version, as npm knows it.
const PACKAGE: &str = "axe-core@4.14.1";

/// What is checked: the guidelines at levels A and AA, and what the checker holds to be good practice.
const TAGS: [&str; 6] = [
    "wcag2a",
    "wcag2aa",
    "wcag21a",
    "wcag21aa",
    "wcag22aa",
    "best-practice",
];

/// The checker's own text, or why there is none.
pub(crate) fn source() -> Result<String, String> {
    let read = |path: &Path| {
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
    };
    if let Some(path) = std::env::var_os("QUORATE_AXE") {
        return read(Path::new(&path));
    }
    let folder = std::env::temp_dir().join(format!("quorate-axe-{}", std::process::id()));
    let options = [
        "install",
        "--no-save",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--silent",
    ];
    let ended = Command::new("npm")
        .args(options)
        .arg("--prefix")
        .arg(&folder)
        .arg(PACKAGE)
        .stdin(Stdio::null())
        .status();
    let text = match ended {
        Err(error) => Err(format!("npm does not run: {error}")),
        Ok(status) if !status.success() => Err(format!("npm could not bring {PACKAGE}: {status}")),
        Ok(_) => read(&folder.join("node_modules/axe-core/axe.min.js")),
    };
    drop(std::fs::remove_dir_all(&folder));
    text
}

/// What the checker finds on the page that a reader has open, each with the places where.
pub(crate) async fn findings(reader: &Reader, source: &str) -> Vec<String> {
    reader.run(source).await;
    let check = "const done = arguments[arguments.length - 1];
        axe.run(document, { runOnly: arguments[0], resultTypes: ['violations'] })
            .then(found => done(found.violations), error => done(String(error)));";
    let found = reader.run_async(check, json!(TAGS)).await;
    let Json::Array(found) = found else {
        return vec![format!("the checker ended early: {found}")];
    };
    found.iter().map(finding).collect()
}

fn finding(one: &Json) -> String {
    let nodes = one["nodes"].as_array().unwrap().iter().take(3);
    let places: Vec<String> = nodes
        .map(|node| {
            let html: String = node["html"]
                .as_str()
                .unwrap_or("")
                .chars()
                .take(200)
                .collect();
            format!("    {} {html}", node["target"])
        })
        .collect();
    format!("{}: {}\n{}", one["id"], one["help"], places.join("\n"))
}
