//! Stories of people who come to do something. Each counts what it takes, from the first page to the last, and fails over its
//! number. Nobody types an address but the first.

use super::driver::{Reader, Width};
use super::server::Server;
use super::with_browser;

const TOWN: &str = "/g/night-town";

/// Anna, an admin, and Bert in the zombie town, each at a window of their own.
fn in_town(play: impl AsyncFnOnce(&Server, &Reader, &Reader)) {
    with_browser(async {
        let server = Server::start();
        let (anna, bert) = super::town(&server, Width::Desk).await;
        play(&server, &anna, &bert).await;
        anna.close().await;
        bert.close().await;
    });
}

#[test]
fn a_newcomer_comes_to_a_first_vote() {
    in_town(async |server, anna, bert| {
        bert.propose("night-town", "A bell", "It is quiet.", "1. It rings.")
            .await;
        let cora = Reader::begin(server, Width::Phone).await;
        cora.counts_anew();
        cora.open(TOWN).await;
        let mut words = cora.words("#lead").await + cora.words("#posts .entry").await;
        cora.follow("Sign up").await;
        words += cora.words("main").await;
        cora.make_account("Cora").await;
        cora.sees("New here?").await;
        cora.follow("Ask to join").await;
        words += cora.words("main").await;
        cora.press("form[action$='/join'] button").await;
        cora.sees("You have asked to join").await;
        words += cora.words("#lead").await;
        anna.admit("night-town", "Cora").await;
        // The page says by itself that she is in: there is something to vote on.
        cora.comes_to_see("#posts", "You haven’t voted").await;
        cora.press("form.quick button[value=for]").await;
        cora.sees("Your vote is in: FOR").await;
        cora.took_at_most(6, 3);
        assert!(words <= 150, "{words} words to read");
        cora.close().await;
    });
}

#[test]
fn four_votes_by_keys_take_nine() {
    in_town(async |server, anna, bert| {
        let cora = Reader::sign_up(server, "Cora", Width::Desk).await;
        cora.join("night-town", "Cora").await;
        anna.admit("night-town", "Cora").await;
        for (writer, title) in [
            (anna, "A bell"),
            (bert, "A gate"),
            (anna, "A gong"),
            (bert, "A lamp"),
        ] {
            writer
                .propose("night-town", title, "It is quiet.", "1. There is one.")
                .await;
        }
        cora.open(TOWN).await;
        // To the first matter without a vote; after each vote the page is at the next.
        cora.key_until("n", "document.querySelector('.at') !== null")
            .await;
        let mut keys = 1;
        for left in (0..4).rev() {
            let chosen = "document.activeElement.matches('form.quick button[value=for]')";
            cora.key_until("f", chosen).await;
            cora.enters().await;
            keys += 2;
            cora.sees("Your vote is in: FOR").await;
            let open = "document.querySelectorAll('form.quick:not(:has([aria-pressed=true]))')";
            let open = cora.run(&format!("return {open}.length")).await;
            assert_eq!(open, left, "after {keys} keys");
        }
        assert!(keys <= 9, "{keys} keys");
        cora.close().await;
    });
}

#[test]
fn an_admin_makes_a_round() {
    in_town(async |server, anna, bert| {
        let post = bert
            .propose("night-town", "A bell", "It is quiet.", "1. It rings.")
            .await;
        anna.vote(&post, "for").await;
        bert.act("night-town", "request-idle", &[]).await;
        let cora = Reader::sign_up(server, "Cora", Width::Desk).await;
        cora.join("night-town", "Cora").await;

        anna.counts_anew();
        anna.open(TOWN).await;
        anna.follow("Desk").await;
        // What waits is there with what closing it would do.
        anna.comes_to_see("#queues", "Enact").await;
        anna.press("#queues form button.go").await;
        anna.press("#door form button").await;
        anna.sees("Nobody is waiting").await;
        anna.press("#people form button").await;
        anna.comes_to_see("#done", "Bert").await;
        anna.follow("Blog").await;
        anna.sees("2 active, 1 idle").await;
        anna.sees("Enacted").await;
        anna.took_at_most(6, 0);
        cora.close().await;
    });
}

#[test]
fn a_victory_leads_to_a_new_dynasty_with_kept_rules_and_new_words() {
    in_town(async |_, anna, bert| {
        bert.counts_anew();
        bert.open("/g/night-town/new/Victory").await;
        bert.fill("input[name=title]", "The town is mine").await;
        bert.fill("textarea[name=body]", "Every street of it.")
            .await;
        bert.press("button[value=preview]").await;
        bert.press("button[value=post]").await;
        bert.sees("It is posted").await;
        let claim = bert.path().await;
        anna.vote(&claim, "for").await;
        bert.press("#voting form.quick button[value=for]").await;
        bert.comes_to_see("main", "Enacted").await;

        bert.follow("Act").await;
        let form = "#act-ascension-address";
        // As the live page does when the game moves.
        bert.run(&format!(
            "const form = document.querySelector('{form}'); form.replaceWith(form.cloneNode(true))"
        ))
        .await;
        bert.fill(&format!("{form} [name=theme]"), "Lanterns in the fog")
            .await;
        bert.fill(&format!("{form} [name=player_word]"), "Lamplighter")
            .await;
        bert.fill(&format!("{form} [name=players_word]"), "Lamplighters")
            .await;
        bert.fill(
            &format!("{form} [name=keywords]"),
            "zombie = Moth, Moths\nlocation = Street, Streets",
        )
        .await;
        bert.click(&format!("{form} [name=repealed][value='rule:roger']"))
            .await;
        // What it would do comes with the pick, and by its button; then the same form as it stands.
        bert.comes_to_see("#trial", "Repealed: Roger").await;
        bert.press(&format!("{form} [data-trial]")).await;
        bert.sees("What it would do").await;
        bert.comes_to_hold(&format!("{form} [name=keywords]"), "zombie = Moth")
            .await;
        bert.press(&format!("{form} button.btn:not([name])")).await;
        bert.sees("Your last results").await;
        bert.took_at_most(8, 6);

        bert.open("/g/night-town/rules").await;
        bert.sees("Lamplighters").await;
        bert.sees("Moth").await;
        let text = bert.text(".toc").await.expect("the contents");
        assert!(text.contains("Rhodes"), "kept: {text}");
        assert!(!text.contains("Roger"), "not kept: {text}");
        anna.open("/g/night-town/dynasties").await;
        anna.sees("Lanterns in the fog").await;
    });
}

/// A resource, and an action once a day with a cost and a die: clauses, each with its words and its code.
const WELL: [(&str, &str); 2] = [
    (
        "1. Every {player} has Water, which begins at 3.",
        "water = number(\"Water\", of = player, default = 3, tracked = \"GNDT\")",
    ),
    (
        "2. Once a day a {player} may pay 1 Water to roll a die, and gets the result in Water.",
        "def draw(actor: Player):
    require(actor.water >= 1, \"1 Water\", have = actor.water)
    actor.water -= 1
    actor.water += roll(6, \"the well\")

action(\"draw\", draw, title = \"Draw water\", limit = limit(per = \"day\"))",
    ),
];

#[test]
fn a_rule_authors_first_action_is_made_by_the_form_alone() {
    in_town(async |_, anna, bert| {
        bert.counts_anew();
        bert.open(TOWN).await;
        bert.follow("Write").await;
        bert.follow("Proposal").await;
        bert.fill("input[name=title]", "A well").await;
        bert.fill("textarea[name=body]", "We are thirsty.").await;
        let new = bert
            .run("return document.querySelector('select[name=rule] option[value^=\"new:\"]').value")
            .await;
        let new = new.as_str().expect("a section for new rules");
        bert.choose("select[name=rule]", new).await;
        bert.press("button[value=add]").await;
        bert.fill("input[name=title-0]", "The Well").await;
        for (nth, (words, code)) in WELL.into_iter().enumerate() {
            if nth > 0 {
                bert.press("button[value=clause-0]").await;
            }
            // Each clause has two pieces, its words and its code.
            let piece = 2 * nth;
            bert.fill(&format!("textarea[name=piece-{piece}-0]"), words)
                .await;
            bert.fill(&format!("textarea[name=code-{piece}-0]"), code)
                .await;
        }
        bert.press("button[value=preview]").await;
        bert.sees("not published").await;
        let preview = bert.text("main").await.expect("a preview");
        assert!(!preview.contains("wouldn’t run"), "{preview}");
        bert.press("button[value=post]").await;
        bert.sees("It is posted").await;
        bert.took_at_most(7, 7);

        let post = bert.path().await;
        anna.vote(&post, "for").await;
        anna.press_offer(&post, "Enact").await;
        bert.counts_anew();
        bert.open("/g/night-town/act").await;
        bert.press("#act-draw button").await;
        bert.sees("Your last results").await;
        bert.comes_to_see("#sheet", "Water").await;
        bert.took_at_most(1, 0);
    });
}

#[test]
fn an_operators_first_hour() {
    with_browser(async {
        let mut server = Server::start();
        let anna = Reader::begin(&server, Width::Desk).await;
        anna.open("/").await;
        anna.follow("Sign up").await;
        anna.make_account("Anna").await;
        // Who runs the server is said at its machine, while it stands still.
        server.is_lost();
        server.marks_operator("Anna");
        server.is_back();
        anna.follow("Found a game").await;
        anna.choose("select[name=rulebook]", "hordes-22").await;
        anna.fill("input[name=title]", "Night Town").await;
        anna.press("form[action='/found'] button").await;
        anna.sees("The game is founded").await;
        anna.follow("Quorate").await;
        anna.sees("Night Town").await;
        anna.follow("Operator’s panel").await;
        anna.sees("night-town").await;
        anna.press("form[action='/operator/invite'] button").await;
        anna.sees("shown this once").await;
        anna.took_at_most(8, 3);
        let link = anna.text(".needs code").await.expect("a link");
        let bert = Reader::begin(&server, Width::Phone).await;
        bert.open(&link).await;
        bert.make_account("Bert").await;
        for reader in [anna, bert] {
            reader.close().await;
        }
    });
}
