//! Whole games in which the rules of voting change under pending matters: quorum, the veto, money, secrecy, and the rule of
//! voting itself, in two rulebooks, over the API and by the site's forms without scripts.

mod books;
pub(crate) mod forms;

use books::{Book, Law};
use forms::{Browser, Page};
use quorate_kernel::Span;
use quorate_server::ServerConfig;
use quorate_server::security::session::SessionToken;
use serde_json::{Value as Json, json};

use crate::book;
use crate::table::Table;

/// How the players play.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Api,
    Forms,
}

/// One change of a proposal.
pub(crate) enum Edit {
    /// Words of a rule, each with the words in their place, in one amendment of its prose and code.
    Words(&'static str, Vec<(String, String)>),
    /// Another text for a rule.
    Whole(&'static str, String),
    /// A new rule, its title as a heading.
    Add {
        section: &'static str,
        id: &'static str,
        text: String,
    },
    /// A rule goes.
    Repeal(&'static str),
    /// A number of a player's.
    Set(&'static str, String, i64),
}

const PLAYERS: [&str; 7] = ["Anna", "Bert", "Cleo", "Dora", "Egon", "Fred", "Gwen"];

/// The fields that give a rule of the form another text: all of it in its first piece, and nothing in the others.
fn retyped(page: &Page, nth: usize, title: &str, body: &str) -> Vec<(String, String)> {
    let own = format!("-{nth}");
    let pieces = page.fields("#writing").into_iter();
    let pieces = pieces.filter(|(name, _)| name.starts_with("piece-") && name.ends_with(&own));
    let mut body = Some(body.trim().to_owned());
    let mut typed: Vec<_> = pieces
        .map(|(name, _)| (name, body.take().unwrap_or_default()))
        .collect();
    typed.push((format!("title-{nth}"), title.to_owned()));
    typed
}

/// A game of seven, led by Anna.
struct Amended {
    table: Table,
    way: Way,
    book: Book,
    word: String,
    tokens: Vec<String>,
    sessions: Vec<SessionToken>,
}

impl Amended {
    async fn begin(book: Book, way: Way) -> Self {
        let table = Table::with(ServerConfig::default(), vec![book::read(book.name)]).await;
        let mut tokens = Vec::new();
        let mut sessions = Vec::new();
        for name in PLAYERS {
            tokens.push(table.token(name, false).await);
            sessions.push(table.session(name).await);
        }
        let new = json!({ "rulebook": book.name, "title": "The Moot" });
        let founded = table.post("/games", &new).by(&tokens[0]).gives(201).await;
        let word = founded["game"].as_str().unwrap().to_owned();
        let game = Self {
            table,
            way,
            book,
            word,
            tokens,
            sessions,
        };
        for (nth, name) in PLAYERS.iter().enumerate().skip(1) {
            game.api_post("/join", &json!({ "text": "Let me in." }), nth, 201)
                .await;
            let wish = json!({ "action": "admit-player", "arguments": { "applicant": name } });
            game.api_post("/acts", &wish, 0, 201).await;
        }
        game
    }

    async fn api_get(&self, path: &str) -> Json {
        let call = self.table.get(&format!("/games/{}{path}", self.word));
        call.gives(200).await
    }

    async fn api_post(&self, path: &str, body: &Json, who: usize, status: u16) -> Json {
        let call = self
            .table
            .post(&format!("/games/{}{path}", self.word), body);
        call.by(&self.tokens[who]).gives(status).await
    }

    fn browser(&self, who: usize) -> Browser<'_> {
        Browser {
            table: &self.table,
            session: &self.sessions[who],
        }
    }

    async fn page(&self, who: usize, path: &str) -> Page {
        let page = self
            .browser(who)
            .open(&format!("/g/{}{path}", self.word))
            .await;
        assert_eq!(page.status, 200, "{path}");
        page
    }

    /// The text of a rule as it stands, without its title.
    async fn source(&self, rule: &str) -> String {
        let rule = self.api_get(&format!("/rules/{rule}")).await;
        rule["rule"]["text"].as_str().unwrap().to_owned()
    }

    async fn status(&self, post: &str) -> String {
        let post = self.api_get(&format!("/posts/{post}")).await;
        post["status"].as_str().unwrap().to_owned()
    }

    async fn held(&self, player: usize, value: &str) -> Json {
        let tracker = self.api_get("/values?kind=Player").await;
        let things = tracker["kinds"][0]["things"].as_array().unwrap();
        let called = PLAYERS[player];
        let one = things.iter().find(|one| one["called"] == called).unwrap();
        one["values"][value]["value"].clone()
    }

    /// What an edit makes of a rule's text.
    fn rewritten(text: &str, pairs: &[(String, String)]) -> String {
        let mut text = text.to_owned();
        for (old, new) in pairs {
            assert!(text.contains(old), "there are no words {old} in\n{text}");
            text = text.replacen(old, new, 1);
        }
        text
    }

    async fn propose(&self, who: usize, title: &str, edits: &[Edit]) -> String {
        match self.way {
            Way::Api => self.propose_by_api(who, title, edits).await,
            Way::Forms => self.propose_by_form(who, title, edits).await,
        }
    }

    async fn propose_by_api(&self, who: usize, title: &str, edits: &[Edit]) -> String {
        let mut changes = Vec::new();
        for edit in edits {
            changes.push(match edit {
                Edit::Words(rule, pairs) => {
                    let text = Self::rewritten(&self.source(rule).await, pairs);
                    json!({ "do": "replace_rule", "id": rule, "text": text })
                }
                Edit::Whole(rule, text) => {
                    json!({ "do": "replace_rule", "id": rule, "text": text })
                }
                Edit::Add { section, id, text } => {
                    json!({ "do": "add_rule", "id": id, "section": section, "text": text })
                }
                Edit::Repeal(rule) => json!({ "do": "repeal_rule", "id": rule }),
                Edit::Set(player, name, value) => {
                    json!({ "do": "set_value", "thing": player, "name": name, "value": value })
                }
            });
        }
        let post = json!({ "category": "Proposal", "title": title, "body": "So be it.", "changes": changes });
        let made = self.api_post("/posts", &post, who, 201).await;
        made["post"].as_str().unwrap().to_owned()
    }

    async fn propose_by_form(&self, who: usize, title: &str, edits: &[Edit]) -> String {
        let browser = self.browser(who);
        let mut page = self.page(who, "/new/Proposal").await;
        let add = Some(("do", "add"));
        for (nth, edit) in edits.iter().enumerate() {
            let taken = match edit {
                Edit::Words(rule, _) | Edit::Whole(rule, _) | Edit::Repeal(rule) => {
                    (*rule).to_owned()
                }
                Edit::Add { section, .. } => format!("new:{section}"),
                Edit::Set(..) => "other:set_value".to_owned(),
            };
            page = browser
                .send(&page, "#writing", &[("rule", &taken)], add)
                .await;
            let typed = match edit {
                Edit::Set(player, name, value) => {
                    let what = format!("Player.{name}");
                    let picked = [("p0-what", what.as_str())];
                    let again = Some(("do", "again"));
                    page = browser.send(&page, "#writing", &picked, again).await;
                    let whose = [("p0-thing", *player)];
                    let check = Some(("do", "check"));
                    page = browser.send(&page, "#writing", &whose, check).await;
                    vec![("p0-value".to_owned(), value.to_string())]
                }
                Edit::Add { text, .. } => {
                    let (title, body) = text.split_once('\n').unwrap();
                    let title = title.trim_start_matches("# ");
                    retyped(&page, nth, title, body)
                }
                Edit::Repeal(_) => vec![(format!("repeal-{nth}"), "yes".to_owned())],
                Edit::Words(rule, pairs) => {
                    let text = Self::rewritten(&self.source(rule).await, pairs);
                    retyped(&page, nth, &self.title(rule).await, &text)
                }
                Edit::Whole(rule, text) => retyped(&page, nth, &self.title(rule).await, text),
            };
            let typed = typed.iter().map(|(name, text)| (&**name, &**text));
            let typed: Vec<_> = typed.collect();
            // The check gives the form back as it was filled in, and finds nothing but where rules are to fit together.
            page = browser
                .send(&page, "#writing", &typed, Some(("do", "check")))
                .await;
        }
        let fields = [("title", title), ("body", "So be it.")];
        page = browser
            .send(&page, "#writing", &fields, Some(("do", "preview")))
            .await;
        assert!(page.says("not published"), "{title}: {}", page.html);
        assert!(!page.says("wouldn’t"), "{title}: {}", page.html);
        page = browser
            .send(&page, "#writing", &[], Some(("do", "post")))
            .await;
        assert!(page.path.contains("/post/"), "{title}: {}", page.html);
        page.path.rsplit('/').next().unwrap().to_owned()
    }

    async fn title(&self, rule: &str) -> String {
        let rule = self.api_get(&format!("/rules/{rule}")).await;
        rule["rule"]["title"].as_str().unwrap().to_owned()
    }

    /// Votes in a comment; whether that was allowed.
    async fn vote(&self, who: usize, post: &str, icon: &str) -> bool {
        let path = format!("/posts/{post}/comments");
        match self.way {
            Way::Api => {
                let vote = json!({ "text": format!(":{icon}:") });
                let call = self
                    .table
                    .post(&format!("/games/{}{path}", self.word), &vote);
                let status = call.by(&self.tokens[who]).answer().await.status.as_u16();
                assert!(status == 201 || status == 409, "{status}");
                status == 201
            }
            Way::Forms => {
                let page = self.page(who, &format!("/post/{post}")).await;
                let text = format!(":{icon}:");
                let page = self
                    .browser(who)
                    .send(&page, "form#vote", &[("text", &text)], None)
                    .await;
                assert!(page.status == 200 || page.status == 409, "{}", page.html);
                page.status == 200
            }
        }
    }

    /// Acts, on a post or by the page of all that can be done.
    async fn act(&self, who: usize, action: &str, on: Option<&str>, fields: &[(&str, &str)]) {
        match self.way {
            Way::Api => {
                let mut given = serde_json::Map::new();
                for (name, value) in fields {
                    let number = value.parse::<i64>();
                    given.insert(
                        (*name).to_owned(),
                        number.map_or_else(|_| json!(value), Json::from),
                    );
                }
                if let Some(post) = on {
                    given.insert("proposal".to_owned(), json!(format!("post:{post}")));
                }
                let wish = json!({ "action": action, "arguments": given });
                self.api_post("/acts", &wish, who, 201).await;
            }
            Way::Forms => {
                let path = on.map_or_else(|| "/act".to_owned(), |post| format!("/post/{post}"));
                let page = self.page(who, &path).await;
                let form = format!("form#act-{action}");
                let page = self.browser(who).send(&page, &form, fields, None).await;
                assert_eq!(page.status, 200, "{action}: {}", page.html);
            }
        }
    }

    /// Fills in a ballot paper.
    async fn on_paper(&self, who: usize, post: &str, side: &str) {
        self.act(who, "ask-for-paper", Some(post), &[]).await;
        match self.way {
            Way::Api => {
                let wish = json!({ "action": "answer", "arguments": { "value": side } });
                self.api_post("/acts", &wish, who, 201).await;
            }
            Way::Forms => {
                let page = self.page(who, "/act").await;
                let answer = Some(("answer", side));
                let page = self
                    .browser(who)
                    .send(&page, "form.asked", &[], answer)
                    .await;
                assert_eq!(page.status, 200, "{}", page.html);
            }
        }
    }

    /// Whether Anna could enact a proposal now.
    async fn can_enact(&self, post: &str) -> bool {
        match self.way {
            Way::Api => {
                let wish = json!({ "action": "enact-proposal", "arguments": { "proposal": format!("post:{post}") } });
                self.api_post("/why", &wish, 0, 200).await["allowed"] == true
            }
            Way::Forms => {
                let page = self.page(0, &format!("/post/{post}")).await;
                page.html
                    .contains("<form class=\"act\" id=\"act-enact-proposal\"")
                    || page
                        .html
                        .contains("<form class=\"act tall\" id=\"act-enact-proposal\"")
            }
        }
    }

    async fn enact(&self, post: &str) {
        self.act(0, "enact-proposal", Some(post), &[]).await;
        assert_eq!(self.status(post).await, "enacted");
    }

    /// An amendment and a gift behind it; both wait for votes.
    async fn laid_before(&self, law: &Law, amount: i64) -> (String, String) {
        self.table.pass(Span::hours(1));
        let post = self.propose(2, law.title, &law.edits).await;
        let report = self.page(2, &format!("/post/{post}/effects")).await;
        assert!(
            report.says(law.afterwards),
            "{}: {}",
            law.title,
            report.group("change")
        );
        let gift = [Edit::Set("Bert", self.book.gift.to_owned(), amount)];
        let gift = self.propose(1, &format!("A gift of {amount}"), &gift).await;
        (post, gift)
    }

    /// The votes of all but the author, and half a day.
    async fn won(&self, post: &str) {
        for who in [0, 1, 3, 4, 5, 6] {
            assert!(self.vote(who, post, "for").await);
        }
        self.table.pass(Span::hours(13));
    }

    async fn quorum_of_two_thirds(&self) {
        let (law, gift) = self.laid_before(&self.book.two_thirds(), 111).await;
        for who in [2, 3, 4] {
            self.vote(who, &gift, "for").await;
        }
        self.won(&law).await;
        self.enact(&law).await;
        assert_eq!(self.status(&gift).await, "pending");
        assert!(
            !self.can_enact(&gift).await,
            "four of seven are no two thirds"
        );
        self.vote(5, &gift, "for").await;
        assert!(self.can_enact(&gift).await);
        self.enact(&gift).await;
        assert_eq!(self.held(1, self.book.gift).await, 111);
    }

    async fn no_more_vetoes(&self) {
        let (law, gift) = self.laid_before(&self.book.no_veto(), 112).await;
        self.won(&law).await;
        self.enact(&law).await;
        assert_eq!(self.status(&gift).await, "pending");
        let is_said = self.vote(0, &gift, "veto").await;
        assert_eq!(
            is_said,
            self.book.name != "hordes-22",
            "a VETO is refused, or a mere word"
        );
        self.won(&gift).await;
        self.enact(&gift).await;
        assert_eq!(self.held(1, self.book.gift).await, 112);
    }

    async fn money(&self) {
        let (law, gift) = self.laid_before(&self.book.money(), 113).await;
        self.won(&law).await;
        self.enact(&law).await;
        assert_eq!(self.status(&gift).await, "pending");
        assert_eq!(self.held(1, "pennies").await, 10);
        self.act(1, "give-pennies", None, &[("to", "Cleo"), ("amount", "4")])
            .await;
        assert_eq!(
            (self.held(1, "pennies").await, self.held(2, "pennies").await),
            (json!(5), json!(14))
        );
        self.won(&gift).await;
        self.enact(&gift).await;
        assert_eq!(self.held(1, self.book.gift).await, 113);
    }

    async fn secret_votes(&self) {
        let (law, gift) = self.laid_before(&self.book.secrecy(), 114).await;
        self.vote(3, &gift, "for").await;
        self.won(&law).await;
        self.enact(&law).await;
        assert_eq!(self.status(&gift).await, "pending");
        assert!(!self.vote(4, &gift, "for").await, "votes are on paper now");
        for who in [0, 4, 5] {
            self.on_paper(who, &gift, "for").await;
        }
        let shown = self.api_get(&format!("/posts/{gift}")).await;
        let votes = shown["votes"].as_array().unwrap();
        assert!(
            votes.len() == 7 && votes.iter().all(|vote| vote["vote"] == Json::Null),
            "{votes:?}"
        );
        self.enact(&gift).await;
        let shown = self.api_get(&format!("/posts/{gift}")).await;
        assert!(
            shown.to_string().contains("5 FOR, 0 AGAINST"),
            "told at last: {shown:#}"
        );
        assert_eq!(self.held(1, self.book.gift).await, 114);
    }

    async fn another_rule_of_voting(&self) {
        let (law, gift) = self.laid_before(&self.book.other_voting(), 115).await;
        for who in [0, 3, 4, 5] {
            self.on_paper(who, &law, "for").await;
        }
        self.table.pass(Span::hours(13));
        self.enact(&law).await;
        assert_eq!(self.status(&gift).await, "pending");
        if self.book.name == "hordes-22" {
            // Each has two votes: nine of fourteen are too few, and ten enough.
            for who in [0, 3, 4] {
                self.on_paper(who, &gift, "for").await;
            }
            assert!(!self.can_enact(&gift).await);
            self.on_paper(5, &gift, "for").await;
        } else {
            for who in [0, 3] {
                assert!(self.vote(who, &gift, "for").await, "openly again");
            }
            assert!(!self.can_enact(&gift).await, "three take part");
            assert!(self.vote(4, &gift, "deferential").await);
            assert!(self.vote(5, &gift, "deferential").await);
        }
        assert!(self.can_enact(&gift).await);
        self.enact(&gift).await;
        assert_eq!(self.held(1, self.book.gift).await, 115);
    }

    /// The whole game, and its log judged again at its end.
    async fn played(book: Book, way: Way) {
        let game = Self::begin(book, way).await;
        game.quorum_of_two_thirds().await;
        game.no_more_vetoes().await;
        game.money().await;
        game.secret_votes().await;
        game.another_rule_of_voting().await;
        let olga = game.table.token("Olga", true).await;
        let path = format!("/games/{}/verify?grade=judgement", game.word);
        let verdict = game.table.get(&path).by(&olga).gives(200).await;
        assert_eq!(verdict["holds"], true, "{verdict:#}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_oldest_rules_change_under_pending_matters_over_the_api() {
    Amended::played(Book::of("hordes-22", "brains"), Way::Api).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_oldest_rules_change_under_pending_matters_by_forms_alone() {
    Amended::played(Book::of("hordes-22", "brains"), Way::Forms).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newer_rules_change_under_pending_matters_over_the_api() {
    Amended::played(Book::of("adventurers-2019", "might"), Way::Api).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newer_rules_change_under_pending_matters_by_forms_alone() {
    Amended::played(Book::of("adventurers-2019", "might"), Way::Forms).await;
}
