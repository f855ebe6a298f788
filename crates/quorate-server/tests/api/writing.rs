//! Writing a proposal with the forms of the site: one clause in its place, one more clause, a rule of the catalogue.

use quorate_server::ServerConfig;
use quorate_server::security::session::SessionToken;
use serde_json::{Value as Json, json};

use crate::amending::forms::{Browser, Page};
use crate::book;
use crate::table::Table;

/// A game of five on a site that has another rulebook too, and the session of its founder.
async fn founded() -> (Table, String, SessionToken) {
    let books = ["adventurers-2019", "template"].map(book::read).to_vec();
    let table = Table::with(ServerConfig::default(), books).await;
    let (token, session) = (
        table.token("Anna", false).await,
        table.session("Anna").await,
    );
    let new = json!({ "rulebook": "adventurers-2019", "title": "The Moot" });
    let made = table.post("/games", &new).by(&token).gives(201).await;
    let game = made["game"].as_str().unwrap().to_owned();
    // With fewer than five players the game is dormant, and takes no proposals.
    for name in ["Bert", "Cleo", "Dora", "Egon"] {
        let own = table.token(name, false).await;
        let joins = json!({ "text": "Let me in." });
        let join = table.post(&format!("/games/{game}/join"), &joins);
        join.by(&own).gives(201).await;
        let admits = json!({ "action": "admit-player", "arguments": { "applicant": name } });
        let admit = table.post(&format!("/games/{game}/acts"), &admits);
        admit.by(&token).gives(201).await;
    }
    (table, game, session)
}

async fn text_of(table: &Table, game: &str, rule: &str) -> String {
    let rule = table.get(&format!("/games/{game}/rules/{rule}")).gives(200);
    rule.await["rule"]["text"].as_str().unwrap().to_owned()
}

/// The name of the first piece of a form that holds some words.
fn piece_with(page: &Page, words: &str) -> String {
    let fields = page.fields("#writing").into_iter();
    let mut pieces = fields.filter(|(name, _)| name.starts_with("piece-"));
    let found = pieces.find(|(_, text)| text.contains(words));
    found
        .unwrap_or_else(|| panic!("no piece says {words}: {}", page.html))
        .0
}

/// Posts what a form holds, and gives the changes of the post.
async fn posted(
    table: &Table,
    game: &str,
    browser: &Browser<'_>,
    page: &Page,
    title: &str,
) -> Json {
    let words = [("title", title), ("body", "So be it.")];
    let page = browser
        .send(page, "#writing", &words, Some(("do", "preview")))
        .await;
    assert!(page.says("Post the proposal"), "{}", page.html);
    let page = browser
        .send(&page, "#writing", &[], Some(("do", "post")))
        .await;
    let post = page.path.rsplit('/').next().unwrap();
    assert!(page.path.contains("/post/"), "{}", page.html);
    let post = table
        .get(&format!("/games/{game}/posts/{post}"))
        .gives(200)
        .await;
    post["changes"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clause_is_changed_in_its_place_and_the_rest_of_the_rule_stays_as_it_is() {
    let (table, game, session) = founded().await;
    let browser = Browser {
        table: &table,
        session: &session,
    };
    let page = browser
        .open(&format!("/g/{game}/new/Proposal?rule=keywords&clause=2"))
        .await;
    let clauses = page.html.split("clause-edit").skip(1);
    let open = clauses.filter(|after| after.split('>').next().unwrap().ends_with(" open"));
    assert_eq!(open.count(), 1, "the others are folded");
    let old = text_of(&table, &game, "keywords").await;
    let (words, code) = (
        "half their number, rounded down, plus one",
        "return majority(len(group))",
    );
    let (prose, fence) = (piece_with(&page, words), piece_with(&page, code));
    let field = |name: &str| {
        let mut fields = page.fields("#writing").into_iter();
        fields.find(|(known, _)| known == name).unwrap().1
    };
    let new_prose = field(&prose).replace(words, "two thirds of their number");
    let new_code = field(&fence).replace(code, "return ceil_div(2 * len(group), 3)");
    assert!(
        !field(&fence).contains("```"),
        "code is shown without its fence"
    );
    let typed = [(&*prose, &*new_prose), (&*fence, &*new_code)];
    let page = browser
        .send(&page, "#writing", &typed, Some(("do", "check")))
        .await;
    let changes = posted(&table, &game, &browser, &page, "[Appendix] Other words").await;
    let new = old
        .replace(words, "two thirds of their number")
        .replace(code, "return ceil_div(2 * len(group), 3)");
    assert_ne!(old, new);
    assert_eq!(changes.as_array().unwrap().len(), 1, "{changes}");
    assert_eq!(
        changes[0]["text"].as_str().unwrap().trim_end(),
        new.trim_end()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_rule_has_a_title_clauses_and_code_and_one_of_the_catalogue_is_edited_like_it() {
    let (table, game, session) = founded().await;
    let browser = Browser {
        table: &table,
        session: &session,
    };
    let page = browser.open(&format!("/g/{game}/new/Proposal")).await;
    let add = Some(("do", "add"));
    let page = browser
        .send(&page, "#writing", &[("rule", "new:dynastic")], add)
        .await;
    let first = [
        ("title-0", "The well"),
        ("piece-0-0", "1. Each {player} has Water."),
        (
            "code-0-0",
            "water = number(\"Water\", of = player, default = 3, tracked = \"GNDT\")",
        ),
    ];
    let page = browser
        .send(&page, "#writing", &first, Some(("do", "clause-0")))
        .await;
    let typed = [("piece-2-0", "2. Water is wet.")];
    let page = browser
        .send(&page, "#writing", &typed, Some(("do", "clause-0")))
        .await;
    // The third clause is left without words, and is none.
    let page = browser
        .send(&page, "#writing", &[("rule", "other:take_rule")], add)
        .await;
    let rules = book::read("template").rules;
    let (path, text) = rules.iter().find(|(_, text)| text.contains("# ")).unwrap();
    let word = format!("template/{path}");
    let picked = [("p0-rule", &*word), ("p0-section", "dynastic")];
    let page = browser
        .send(&page, "#writing", &picked, Some(("do", "again")))
        .await;
    let title = text
        .lines()
        .find_map(|line| line.strip_prefix("# "))
        .unwrap();
    let fields = page.fields("#writing");
    assert!(
        fields.contains(&("title-1".to_owned(), title.to_owned())),
        "{fields:?}"
    );
    assert!(
        !fields.iter().any(|(name, _)| name == "pick"),
        "it is no pick any more"
    );
    let page = browser
        .send(
            &page,
            "#writing",
            &[("title-1", "Another title")],
            Some(("do", "check")),
        )
        .await;
    let changes = posted(&table, &game, &browser, &page, "A well").await;
    assert_eq!(changes[0]["do"], "add_rule", "{changes}");
    let well = "1. Each {player} has Water.\n\n```starlark\nwater = number(\"Water\", of = player, default = 3, tracked = \"GNDT\")\n```\n\n2. Water is wet.";
    assert!(
        changes[0]["text"]
            .as_str()
            .unwrap()
            .trim_end()
            .ends_with(well),
        "{changes}"
    );
    let taken = changes[1]["text"].as_str().unwrap();
    let last = text.trim_end().lines().last().unwrap();
    assert!(taken.contains(last), "{taken}");
}
