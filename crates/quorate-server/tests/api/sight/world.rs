//! A small game with a secret of every kind, played twice: once with these secrets and once with those. Whoever may not know
//! them must not be able to tell the two games apart.

use std::sync::atomic::{AtomicU64, Ordering};

use quorate_engine::rulebook::{Manifest, Rulebook};
use quorate_kernel::EventSeq;
use quorate_kernel::command::Act;
use quorate_kernel::digest::Digest;
use quorate_kernel::sealing::SealMut;
use quorate_server::ServerConfig;
use serde_json::{Value as Json, json};

use super::readers::{Reader, Role};
use crate::table::Table;

/// What the players keep to themselves.
#[derive(Clone, Copy)]
pub(crate) struct Secrets {
    /// Who wrote the anonymous posts: Bert, or else Cora.
    pub(crate) is_by_bert: bool,
    /// What Bert wrote to Cora.
    pub(crate) letter: &'static str,
    /// Bert's plan, which only he knows.
    pub(crate) plan: &'static str,
    /// A number of Bert's, which only he knows; rule code adds it to one that nobody knows.
    pub(crate) luck: i64,
    /// What Bert answered when Dan asked him in secret.
    pub(crate) answer: &'static str,
    /// Behind which door Bert hid his gold.
    pub(crate) door: &'static str,
    /// The words that were forgotten on the operator's order.
    pub(crate) slur: &'static str,
    /// Why Bert changed his private number by hand to another.
    pub(crate) mended: i64,
}

/// The secrets of one game. Each word and number stands nowhere else in it.
pub(crate) const THESE: Secrets = Secrets {
    is_by_bert: true,
    letter: "quincemarker",
    plan: "damsonmarker",
    luck: 730_019,
    answer: "medlar",
    door: "teal",
    slur: "sloemarker",
    mended: 910_333,
};

/// Those of the other: longer or shorter, and by somebody else.
pub(crate) const THOSE: Secrets = Secrets {
    is_by_bert: false,
    letter: "persimmonmarker and more",
    plan: "figmarker",
    luck: 52_021,
    answer: "bullace",
    door: "umber",
    slur: "juniperberrymarker",
    mended: 4_777_111,
};

impl Secrets {
    /// The words and numbers that must not be read by whoever may not know them.
    pub(crate) fn markers(&self) -> Vec<String> {
        let words = [self.letter, self.plan, self.slur].map(str::to_owned);
        let numbers = [self.luck, self.mended].map(|number| number.to_string());
        words.into_iter().chain(numbers).collect()
    }
}

const MANIFEST: &str = r#"
title = "The Masked Ball"
about = "Guests who keep things from each other."
new_rules = "ball"
unnamed = "Unnamed Rule"

[[section]]
id = "core"
title = "Core Rules"

[[section]]
id = "ball"
title = "Rules of the Ball"

[terms]
player = ["Guest", "Guests"]
emperor = ["Host", "Hosts"]

[icons]
for = "FOR"
against = "AGAINST"
"#;

const PEOPLE: &str = r#"---
section: core
---
# {players}

1. An admin lets in whoever asks, makes {players} idle and names the {emperor}. The founder is the first admin.

```starlark
admin = flag("Admin", of = player, tracked = "roster")
idle = flag("Idle", of = player, tracked = "roster")
emperor = reference("{emperor}", player, of = game)

def admins(p: Player) -> bool:
    return p.admin

def idlers(p: Player) -> bool:
    return p.idle

def begin(g: Game, founder: Player):
    founder.admin = True
    chronicle(founder, "The First Dance", begins = True)

def waiting(actor: Player) -> list[Player]:
    return applicants()

def let_in(actor: Player, applicant: Player):
    admit(applicant)

def send_home(actor: Player, who: Player):
    who.idle = True

def crown(actor: Player, who: Player):
    game.emperor = who

exclude(idlers, scope(but = ["people"]))
on("founded", begin, of = game)
action("let-in", let_in, by = admins, options = {"applicant": waiting}, title = "Let in")
action("send-home", send_home, by = admins, title = "Make idle")
action("crown", crown, by = admins, title = "Name the {emperor}")
```
"#;

const PROPOSALS: &str = r#"---
section: core
---
# Proposals

1. A {player} may propose changes; an admin carries them out when two are for them.

```starlark
category("Proposal", icons = ["for", "against"], statuses = ["pending", "enacted", "withdrawn"], by = player)

def ballot(post: Post, p: Player) -> str:
    used = [i.name for i in icons(post, by = p) if i.counted]
    return used[-1] if used else ""

def votes(post: Post, side: str) -> int:
    return len([p for p in players() if ballot(post, p) == side])

def enact_proposal(actor: Player, proposal: Proposal):
    require(proposal.status == "pending", "a pending proposal", have = proposal.status)
    require(votes(proposal, "for") > 1, "two votes FOR", have = votes(proposal, "for"), need = 2)
    apply(proposal)
    close(proposal, "enacted", "carried")

action("enact-proposal", enact_proposal, by = admins, title = "Enact")
```
"#;

const MASKS: &str = r#"---
section: ball
---
# Masks

1. A {player} may post a Whisper without saying who they are. Once a day is enough.

```starlark
category("Whisper", title = "Whisper", statuses = ["open", "closed"], icons = ["for", "against"], by = player,
    author = "hidden", limit = limit(per = "day", times = 3))
heat = number("Heat", of = Whisper)
```

2. Each {player} has Luck and a plan, which are theirs to know, and the night has a doom, which is nobody's. Gold is for all to see.

```starlark
luck = number("Luck", of = player, tracked = "ball", shown_to = "owner")
plan = text("Plan", of = player, tracked = "ball", shown_to = "owner")
doom = number("Doom", of = game, tracked = "ball", shown_to = "nobody")
gold = number("Gold", of = player, tracked = "ball")

def miscounted(a: Attempt) -> bool:
    return a.args["change"].value == "luck"

permit(scope(actions = ["claim"]), miscounted, "a change of Luck")

def fortune(p: Player) -> int:
    return p.luck * 2

def dread(g: Game) -> int:
    return g.doom * 3

dreads = derived("Dread", dread, of = game, tracked = "ball", shown_to = "nobody")
fortunes = derived("Fortune", fortune, of = player, tracked = "ball", shown_to = "owner")

def make_plan(actor: Player, words: str, stake: int):
    actor.plan = words
    actor.luck = stake
    game.doom += stake
    actor.gold += 1

action("make-plan", make_plan, title = "Make a plan")
```

3. A {player} may ask another something in secret; what they answer stays between them and the rules.

```starlark
def question(actor: Player, partner: Player):
    ask("question", partner, ["medlar", "bullace"], within = hours(24), default = "medlar", giver = actor)

def answered(who: Player, answer: str, giver: Player):
    who.luck += 1 if answer == "medlar" else 2

decision("question", answered, title = "A question", hidden = True)
action("ask-in-secret", question, title = "Ask in secret")
```

4. A {player} may hide gold behind a door that they choose.

```starlark
hidden_at = text("Hidden behind", of = player, tracked = "ball", shown_to = "owner")

def hide_gold(actor: Player):
    actor.hidden_at = choose("Behind which door?", ["teal", "umber"], default = "teal")

action("hide-gold", hide_gold, title = "Hide gold")
```

5. The ball has a floor, and a page that tells of the night.

```starlark
floor = board("Floor", "A-C", "1-3")
standing = place("Standing", floor, of = player, tracked = "ball")
page("The Night", shows = ["gold", "luck", "doom", floor])
```
"#;

/// One-off code that tells what it finds behind the masks.
pub(crate) const SPY: &str = r#"def run():
    for p in players():
        if p.name == "Dan":
            p.gold = game.doom
        if p.name == "Bert":
            p.gold = p.luck
            note(p.plan)
            post(Whisper, p.hidden_at)
"#;

/// The rulebook of the ball.
pub(crate) fn book() -> Rulebook {
    let manifest: Manifest = toml::from_str(MANIFEST).unwrap();
    let rules = [
        ("1-core/01-people.md", PEOPLE),
        ("1-core/02-proposals.md", PROPOSALS),
        ("2-ball/01-masks.md", MASKS),
    ];
    Rulebook {
        name: "ball".into(),
        manifest,
        library: Vec::new(),
        rules: rules
            .map(|(path, text)| (path.to_owned(), text.to_owned()))
            .to_vec(),
        tests: Vec::new(),
    }
}

/// The people of the ball: who plays, and those at the door.
pub(crate) const PLAYERS: [&str; 6] = ["Anna", "Bert", "Cora", "Dan", "Ed", "Fay"];
/// Somebody with an account who plays nowhere.
pub(crate) const OUTSIDER: &str = "Gwen";
/// The one who runs the server, and plays nowhere.
pub(crate) const OPERATOR: &str = "Olga";
/// Somebody who has asked to join and waits.
pub(crate) const APPLICANT: &str = "Ivo";
/// Somebody who plays in another game alone, and is an admin there.
pub(crate) const NEIGHBOUR: &str = "Jan";
/// A player whose account is suspended.
pub(crate) const SUSPENDED: &str = "Kay";

/// Everybody who has an account, in the order of their tokens.
pub(crate) fn everybody() -> impl Iterator<Item = &'static str> {
    let others = [OUTSIDER, OPERATOR, APPLICANT, NEIGHBOUR, SUSPENDED];
    PLAYERS.into_iter().chain(others)
}

/// The address of the ball.
pub(crate) const GAME: &str = "the-masked-ball";

/// A ball that was played.
pub(crate) struct Ball {
    pub(crate) table: Table,
    /// A token of [`everybody`].
    pub(crate) tokens: Vec<String>,
    /// The addresses of [`PLAYERS`].
    pub(crate) people: Vec<String>,
    /// The anonymous post, Dan's proposal, and the one that spies.
    pub(crate) posts: Vec<String>,
    /// The event in which Bert changed his luck by hand.
    pub(crate) claim: u64,
    /// The question that waits for Bert.
    pub(crate) question: String,
    /// How many commands were sent: each has a key of its own, and the same in every game.
    sent: AtomicU64,
}

impl Ball {
    /// Founded and played, with such secrets.
    pub(crate) async fn with(secrets: Secrets) -> Self {
        Self::at(ServerConfig::default(), secrets).await
    }

    /// The same on a server that is run otherwise.
    pub(crate) async fn at(config: ServerConfig, secrets: Secrets) -> Self {
        let table = Table::with(config, vec![book()]).await;
        let mut tokens = Vec::new();
        for name in everybody() {
            tokens.push(table.token(name, name == OPERATOR).await);
        }
        let posts = Vec::new();
        let mut ball = Self {
            table,
            tokens,
            posts,
            people: Vec::new(),
            claim: 0,
            question: String::new(),
            sent: AtomicU64::new(0),
        };
        let new = json!({ "rulebook": "ball", "title": "The Masked Ball" });
        let founded = ball.table.post("/games", &new).by(&ball.tokens[0]);
        let founded = founded.key("found");
        assert_eq!(founded.gives(201).await["game"], GAME);
        ball.gather().await;
        ball.play(secrets).await;
        ball
    }

    async fn gather(&mut self) {
        self.people.push("player:1".to_owned());
        // Dice follow from all that happened before them, so these fall before the first secret.
        self.does(0, "/dice", &json!({ "line": "For the band: 2DICE6" }))
            .await;
        for (who, name) in PLAYERS.iter().enumerate().skip(1) {
            let joined = self.does(who, "/join", &json!({})).await;
            self.people.push(joined["you"].as_str().unwrap().to_owned());
            let applicant = json!({ "applicant": name });
            self.acts(0, "let-in", applicant).await;
        }
        self.acts(0, "send-home", json!({ "who": "Ed" })).await;
        self.acts(0, "crown", json!({ "who": "Fay" })).await;
        let at = |name| everybody().position(|one| one == name).unwrap();
        for name in [SUSPENDED, APPLICANT] {
            self.does(at(name), "/join", &json!({})).await;
        }
        let applicant = json!({ "applicant": SUSPENDED });
        self.acts(0, "let-in", applicant).await;
        let other = json!({ "rulebook": "ball", "title": "The Other Ball" });
        let other = self
            .table
            .post("/games", &other)
            .by(&self.tokens[at(NEIGHBOUR)]);
        other.key("found-other").gives(201).await;
        let olga = Reader::of(self, Role::Operator).await;
        let form = format!("name={SUSPENDED}&way=suspended&why=because");
        let csrf = olga.csrf();
        let done = olga.post("/operator/restrain", &form, Some(&csrf)).await;
        assert!(done.status.is_redirection(), "{}", done.body);
    }

    /// Bert has a draft.
    async fn writes(&self, words: &str) {
        let deps = &self.table.site().deps;
        let bert = deps.accounts.account_by_name("Bert").await.unwrap();
        let draft = quorate_runtime::ports::KeptDraft {
            game: GAME.parse().unwrap(),
            form: "new=Proposal".to_owned(),
            title: words.to_owned(),
            at: self.table.site().now(),
            fields: format!("title={words}&body={words}"),
        };
        let kept = deps.drafts.keep_draft(bert.unwrap().id, &draft).await;
        assert_eq!(kept.unwrap(), quorate_runtime::ports::DraftKept::Kept);
    }

    /// Bert and Cora keep things from the others.
    async fn play(&mut self, secrets: Secrets) {
        let masked = if secrets.is_by_bert { 1 } else { 2 };
        let whisper =
            json!({ "category": "Whisper", "title": "A mask speaks", "body": "Who am I?" });
        let made = self.does(masked, "/posts", &whisper).await;
        self.posts.push(made["post"].as_str().unwrap().to_owned());
        let proposal = json!({
            "category": "Proposal", "title": "More gold", "body": "Gold for Dan.",
            "changes": [
                { "do": "set_value", "thing": self.people[3], "name": "gold", "value": 5 },
                { "do": "add_to_value", "thing": self.people[1], "name": "luck", "amount": 1 },
            ],
        });
        let made = self.does(3, "/posts", &proposal).await;
        self.posts.push(made["post"].as_str().unwrap().to_owned());
        let comments = format!("/posts/{}/comments", self.posts[1]);
        for who in [0, 3] {
            let vote = json!({ "vote": "for", "text": "Yes." });
            self.does(who, &comments, &vote).await;
        }
        // Code that would carry Bert's secrets to where everybody sees them.
        let spy = json!({
            "category": "Proposal", "title": "A spy", "body": "Who looks behind the masks?",
            "changes": [{ "do": "script", "code": SPY }],
        });
        let made = self.does(3, "/posts", &spy).await;
        self.posts.push(made["post"].as_str().unwrap().to_owned());
        // What Bert writes and has not posted is nobody else's to know, not even that he writes.
        self.writes(secrets.letter).await;
        let letter = json!({ "to": ["Cora"], "text": secrets.letter });
        self.does(1, "/messages", &letter).await;
        let plan = json!({ "words": secrets.plan, "stake": secrets.luck });
        self.acts(1, "make-plan", plan).await;
        self.acts(3, "ask-in-secret", json!({ "partner": "Bert" }))
            .await;
        self.acts(1, "answer", json!({ "value": secrets.answer }))
            .await;
        self.acts(1, "hide-gold", json!({})).await;
        self.acts(1, "answer", json!({ "value": secrets.door }))
            .await;
        let claim = json!({ "rule": "masks", "reason": "I miscounted.", "changes": [
            { "do": "set_value", "thing": self.people[1], "name": "luck", "value": secrets.mended },
        ] });
        let made = self.acts(1, "claim", claim).await;
        self.claim = made["event"]["seq"].as_u64().unwrap();
        let slur = json!({ "text": secrets.slur });
        self.does(1, &comments, &slur).await;
        self.forget_last().await;
        self.acts(3, "make-plan", json!({ "words": "dance", "stake": 3 }))
            .await;
        self.acts(3, "ask-in-secret", json!({ "partner": "Bert" }))
            .await;
        let path = format!("/games/{GAME}/moves");
        let moves = self.table.get(&path).by(&self.tokens[1]).gives(200).await;
        let waits = moves["questions"][0]["question"].as_str();
        waits.unwrap().clone_into(&mut self.question);
    }

    /// The rule that says what is hidden from whom is repealed.
    pub(crate) async fn unmask(&mut self) {
        let proposal = json!({
            "category": "Proposal", "title": "No more masks", "body": "Let us see.",
            "changes": [{ "do": "repeal_rule", "id": "masks" }],
        });
        let made = self.does(3, "/posts", &proposal).await;
        let id = made["post"].as_str().unwrap().to_owned();
        for who in [0, 3] {
            let comments = format!("/posts/{id}/comments");
            self.does(who, &comments, &json!({ "vote": "for" })).await;
        }
        let proposal = json!({ "proposal": format!("post:{id}") });
        self.acts(0, "enact-proposal", proposal).await;
        self.posts.push(id);
    }

    /// Has the words of the newest comment forgotten, as an operator does on somebody's wish.
    async fn forget_last(&self) {
        let game = GAME.parse().unwrap();
        let games = &self.table.site().deps.games;
        let head = games.newest(&game).await.unwrap();
        let events = self.table.site().events(&game, &[EventSeq(head.0)]).await;
        let mut event = events.unwrap().remove(0);
        assert!(matches!(event.act, Act::Comment { .. }));
        let mut digests: Vec<Digest> = Vec::new();
        event.each_seal(&mut |seal| {
            if let SealMut::Text(text) = seal {
                digests.push(text.digest());
            }
        });
        let forgotten = self.table.site().forget(&game, &digests).await;
        assert!(forgotten.unwrap() > 0);
    }

    async fn does(&self, who: usize, path: &str, body: &Json) -> Json {
        let path = format!("/games/{GAME}{path}");
        let key = self.sent.fetch_add(1, Ordering::Relaxed).to_string();
        let call = self.table.post(&path, body).by(&self.tokens[who]);
        call.key(&key).gives(201).await
    }

    async fn acts(&self, who: usize, action: &str, arguments: Json) -> Json {
        let wish = json!({ "action": action, "arguments": arguments });
        self.does(who, "/acts", &wish).await
    }

    /// How many events there are.
    pub(crate) async fn head(&self) -> u64 {
        let game = GAME.parse().unwrap();
        let newest = self.table.site().deps.games.newest(&game).await;
        newest.unwrap().0
    }
}
