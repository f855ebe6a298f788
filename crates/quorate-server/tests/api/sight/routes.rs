//! Which addresses there are, read from the routers' own sources and from the API's document: no router tells.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value as Json;

/// An address: method and template.
pub(crate) type Route = (String, String);

/// Every address that the site answers.
pub(crate) fn all(document: &Json) -> BTreeSet<Route> {
    let mut found = BTreeSet::new();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    read(&sources, &mut found);
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            found.insert((method.to_uppercase(), path.clone()));
        }
    }
    for (_, template) in &found {
        let is_told = WORDED.iter().any(|(worded, _)| worded == template);
        let ends_in_word = template.ends_with("/{what}");
        assert!(
            is_told || !ends_in_word,
            "{template}: WORDED needs the file that tells its words apart"
        );
    }
    found
}

/// Forms whose address ends with a word, and the file that tells the words apart.
const WORDED: [(&str, &str); 4] = [
    ("/settings/{what}", "account/change.rs"),
    ("/operator/{what}", "operator/handler.rs"),
    ("/notices/{what}", "notices/change.rs"),
    ("/g/{game}/seen/{what}", "seen/handler.rs"),
];

/// Every such form with its word behind a colon.
pub(crate) fn words() -> Vec<String> {
    let site = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/site");
    let mut found = Vec::new();
    for (template, file) in WORDED {
        let source = fs::read_to_string(site.join(file)).unwrap();
        let (before, arms) = source.split_once("match what").unwrap();
        // Its arms stand further in than it does, and it ends where its own bracket closes.
        let line = before.rsplit('\n').next().unwrap();
        let inset = line.len() - line.trim_start().len();
        let (end, arm) = (" ".repeat(inset) + "}", " ".repeat(inset + 4) + "\"");
        let arms = arms.lines().take_while(|line| !line.starts_with(&end));
        let words = arms.filter_map(|line| line.strip_prefix(&arm)?.split('"').next());
        let before = found.len();
        found.extend(words.map(|word| format!("{template}:{word}")));
        assert!(found.len() > before, "no words in {file}");
    }
    found
}

fn read(folder: &Path, found: &mut BTreeSet<Route>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            read(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let source = fs::read_to_string(&path).unwrap();
            for hidden in [
                "route_service(",
                "nest_service(",
                "MethodRouter",
                ".on(MethodFilter",
            ] {
                assert!(
                    !source.contains(hidden),
                    "{}: {hidden} makes addresses that this test does not see",
                    path.display()
                );
            }
            // What follows each `.route(`: the template, then a method for each handler.
            for call in source.split(".route(").skip(1) {
                found.extend(routes_of(call));
            }
        }
    }
}

fn routes_of(call: &str) -> Vec<Route> {
    let call = call.trim_start();
    if call.starts_with("&format!(\"{ROOT}/openapi.json\")") {
        return vec![("GET".to_owned(), "/api/v1/openapi.json".to_owned())];
    }
    let quoted = call.strip_prefix('"').and_then(|rest| rest.split_once('"'));
    let (template, rest) = quoted.expect("a route's template is written out");
    // The handlers end where the call's own bracket closes.
    let mut depth = 1;
    let end = rest.char_indices().find(|(_, letter)| {
        depth += match letter {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth == 0
    });
    let handlers = &rest[..end.expect("a closed bracket").0];
    let methods = ["get", "post", "put", "patch", "delete", "any"];
    let given = methods.iter().filter(|method| {
        let (first, chained) = (format!(" {method}("), format!(".{method}("));
        handlers.contains(&first) || handlers.contains(&chained)
    });
    let routes: Vec<Route> = given
        .map(|method| (method.to_uppercase(), template.to_owned()))
        .collect();
    assert!(!routes.is_empty(), "{template} has no method");
    routes
}
