//! A game's days in a browser: coming and going, acting, the tracker, winning, and a network that fails.

use serde_json::json;

use super::driver::{Reader, Width};
use super::server::Server;
use super::{in_town, with_browser};

const GAME: &str = "night-town";

#[test]
fn an_invitation_makes_an_account_where_nobody_else_gets_one() {
    with_browser(async {
        let (server, [password, operator, _]) = Server::with_demo_for_the_invited();
        let operator = Reader::sign_in(&server, &operator, &password, Width::Desk).await;
        operator.open("/operator").await;
        operator
            .press("form[action='/operator/invite'] button")
            .await;
        operator.sees("shown this once").await;
        let link = operator.text(".needs code").await.expect("a link");
        operator.close().await;
        let guest = Reader::begin(&server, Width::Phone).await;
        guest.open("/sign-up").await;
        guest.sees("makes accounts by invitation").await;
        guest.open(&link).await;
        guest.make_account("Greta").await;
        guest.open(&link).await;
        guest.sees("There is nothing at this address").await;
        guest.close().await;
    });
}

#[test]
fn a_player_becomes_idle_and_comes_back() {
    in_town(Width::Phone, async |anna, bert| {
        bert.act(GAME, "request-idle", &[]).await;
        anna.act_on(GAME, "idle-player", "target", "Bert").await;
        bert.open("/g/night-town").await;
        bert.sees("1 active, 1 idle").await;
        bert.sees("You’re idle").await;
        bert.act(GAME, "request-unidle", &[]).await;
        anna.act_on(GAME, "unidle", "sleeper", "Bert").await;
        bert.open("/g/night-town").await;
        bert.sees("2 active, 0 idle").await;
    });
}

#[test]
fn a_dynasty_is_won_and_the_winner_ascends() {
    in_town(Width::Desk, async |anna, bert| {
        bert.open("/g/night-town/new/Victory").await;
        bert.fill("input[name=title]", "The town is mine").await;
        bert.fill("textarea[name=body]", "Every street of it.")
            .await;
        bert.press("button[value=preview]").await;
        bert.press("button[value=post]").await;
        bert.sees("It is posted").await;
        let claim = bert.path().await;
        anna.open("/g/night-town/act").await;
        anna.sees("Needs the end of the hiatus").await;
        anna.vote(&claim, "for").await;
        bert.vote(&claim, "for").await;
        bert.open(&claim).await;
        bert.sees("Enacted").await;
        // Until the address, each page says whose it is, and theirs leads to the form.
        anna.open("/g/night-town/tracker").await;
        anna.comes_to_see("#banners", "Bert").await;
        let form =
            "return document.querySelectorAll('#banners a[href*=\"ascension-address\"]').length";
        assert_eq!(anna.run(form).await, json!(0));
        bert.open("/g/night-town/tracker").await;
        assert_eq!(bert.run(form).await, json!(1), "the winner\u{2019}s banner");
        bert.click("#banners a[href*='ascension-address']").await;
        bert.comes_to_see("#act-ascension-address", "zombie = Ghost, Ghosts")
            .await;
        bert.act(
            GAME,
            "ascension-address",
            &[("theme", "Lanterns in the fog")],
        )
        .await;
        bert.open("/g/night-town/tracker").await;
        assert_eq!(bert.run(form).await, json!(0), "the address is posted");
        anna.open("/g/night-town/dynasties").await;
        anna.sees("Lanterns in the fog").await;
        anna.open("/g/night-town/players").await;
        anna.sees("Bert").await;
        anna.open("/g/night-town/dynasties/2").await;
        anna.sees("Bert").await;
    });
}

#[test]
fn a_value_is_changed_by_hand_and_the_change_is_undone() {
    with_browser(async {
        let server = Server::start();
        let anna = Reader::sign_up(&server, "Anna", Width::Desk).await;
        anna.found("template", "The Orchard").await;
        let bert = Reader::sign_up(&server, "Bert", Width::Desk).await;
        bert.join("the-orchard", "Bert").await;
        anna.admit("the-orchard", "Bert").await;
        let cell = "/g/the-orchard/tracker?cell=player:2.apples";
        bert.open(cell).await;
        bert.unfold("#values details.turn").await;
        let form = "form[action='/g/the-orchard/claim']";
        bert.fill(&format!("{form} input[name=value]"), "77").await;
        bert.fill(&format!("{form} input[name=why]"), "It was the best recipe")
            .await;
        bert.press(&format!("{form} button")).await;
        bert.sees("stands as claimed").await;
        anna.open(cell).await;
        anna.comes_to_see("#values", "It was the best recipe").await;
        anna.follow("undo or dispute").await;
        let undo = "form[action$='/undo']";
        anna.fill(&format!("{undo} input[name=reason]"), "It was burnt")
            .await;
        anna.press(&format!("{undo} button")).await;
        anna.open("/g/the-orchard/tracker").await;
        let row = anna.text("#values").await.expect("a table");
        assert!(!row.contains("77"), "{row}");
        anna.close().await;
        bert.close().await;
    });
}

#[test]
fn an_action_rolls_its_die_and_shows_it() {
    in_town(Width::Phone, async |_, bert| {
        bert.open("/g/night-town/act").await;
        let before = bert.text("#sheet").await.expect("own values");
        bert.act(GAME, "dig", &[]).await;
        bert.sees("Dig").await;
        let after = bert.text("#sheet").await.expect("own values");
        assert_ne!(before, after, "digging changes the pack");
        // The same once more is refused until tomorrow, with the moment.
        bert.comes_to_see("#later", "Dig").await;
        assert!(bert.fits().await, "the page is wider than the phone");
    });
}

#[test]
fn a_text_is_filled_in_as_it_stands_and_a_refused_form_keeps_what_was_typed() {
    in_town(Width::Phone, async |anna, _| {
        anna.open("/g/night-town/act").await;
        let form = "#act-fix-typo";
        let pick = format!("document.querySelector('{form} select[name=rule]').selectedIndex = 1");
        anna.run(&pick).await;
        anna.fill(&format!("{form} [name=clause]"), "1").await;
        anna.press(&format!("{form} [name=look]")).await;
        let text = format!("{form} textarea[name=text]");
        anna.comes_to_hold(&text, "must follow this ruleset").await;
        anna.fill(
            &text,
            "All of it is other now, from the first word to the last",
        )
        .await;
        anna.press(&format!("{form} button:not([name])")).await;
        anna.comes_to_see(".refusal", "Nothing was changed").await;
        anna.comes_to_hold(&text, "from the first word to the last")
            .await;
    });
}

#[test]
fn keys_go_through_the_posts_and_choose_a_vote() {
    in_town(Width::Desk, async |anna, bert| {
        let post = anna
            .propose(GAME, "A gong", "It is quiet.", "1. There is a gong.")
            .await;
        bert.open("/g/night-town").await;
        bert.comes_to_see("#posts", "A gong").await;
        let press = |key: &str| {
            format!(
                "document.body.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }}))"
            )
        };
        bert.run(&press("j")).await;
        let here = "return document.activeElement.getAttribute('href')";
        assert_eq!(bert.run(here).await, json!(post), "Enter opens the post");
        // The page is exchanged under their fingers, and the keys stay where they stand.
        anna.vote(&post, "for").await;
        bert.comes_to_see("#posts", "1 comment").await;
        assert_eq!(bert.run(here).await, json!(post), "Enter still opens it");
        bert.run(&press("f")).await;
        let chosen = "return document.activeElement.value";
        assert_eq!(bert.run(chosen).await, json!("for"), "chosen, and not sent");
        anna.vote(&post, "against").await;
        bert.comes_to_see("#posts", "2 comments").await;
        assert_eq!(bert.run(chosen).await, json!("for"), "still chosen");
        bert.open(&post).await;
        bert.sees("2 comments").await;
    });
}

#[test]
fn five_votes_take_at_most_ten_clicks() {
    with_browser(async {
        let server = Server::start();
        let (anna, bert) = super::town(&server, Width::Desk).await;
        let cora = Reader::sign_up(&server, "Cora", Width::Phone).await;
        cora.join(GAME, "Cora").await;
        anna.admit(GAME, "Cora").await;
        for (writer, titles) in [
            (&anna, &["A bell", "A bridge"][..]),
            (&bert, &["A gate", "A gong"]),
            (&cora, &["A lamp"]),
        ] {
            for title in titles {
                writer
                    .propose(GAME, title, "It is quiet.", "1. There is one.")
                    .await;
            }
        }
        let dan = Reader::sign_up(&server, "Dan", Width::Desk).await;
        dan.join(GAME, "Dan").await;
        anna.admit(GAME, "Dan").await;
        let mut clicks = 0;
        dan.open("/g/night-town").await;
        let open = "form.quick:not(:has([aria-pressed=true])) button[value=for]";
        let left = format!("return document.querySelectorAll('{open}').length");
        while dan.run(&left).await != json!(0) {
            dan.press(open).await;
            dan.sees("Your vote is in: FOR").await;
            clicks += 1;
            assert!(clicks <= 10, "more clicks than ten");
        }
        let mine = "return document.querySelectorAll('form.quick [aria-pressed=true]').length";
        assert_eq!(dan.run(mine).await, json!(5), "after {clicks} clicks");
        for reader in [anna, bert, cora, dan] {
            reader.close().await;
        }
    });
}

#[test]
fn the_dice_line_rolls_and_keeps_what_fell() {
    with_browser(async {
        let server = Server::start();
        let anna = Reader::sign_up(&server, "Anna", Width::Phone).await;
        anna.found("arena-93", "The Sands").await;
        anna.open("/g/the-sands/tracker").await;
        anna.fill("#dice-line", "For luck: 3DICE6").await;
        anna.press(".diceline ~ button, .diceline button").await;
        anna.comes_to_see("#rolls", "For luck").await;
        let dice = "return document.querySelectorAll('#rolls li:first-child .dice > *').length";
        assert_eq!(anna.run(dice).await, json!(3));
        anna.close().await;
    });
}

#[test]
fn a_vote_is_cast_and_changed_from_a_phone() {
    in_town(Width::Phone, async |anna, bert| {
        let post = anna
            .propose(
                GAME,
                "A bridge",
                "The river is deep.",
                "1. There is a bridge.",
            )
            .await;
        bert.open(&post).await;
        assert!(bert.fits().await, "the post is wider than the phone");
        bert.vote(&post, "against").await;
        bert.sees("Your vote is in: AGAINST").await;
        bert.vote(&post, "for").await;
        bert.sees("Your vote is in: FOR").await;
        bert.sees("was AGAINST").await;
    });
}

#[test]
fn a_draft_outlives_a_lost_network_and_is_sent_when_it_is_back() {
    with_browser(async {
        let mut server = Server::start();
        let anna = Reader::sign_up(&server, "Anna", Width::Desk).await;
        anna.found("hordes-22", "Night Town").await;
        let form = "/g/night-town/new/Proposal";
        anna.open(form).await;
        // The script that keeps drafts arrives after the page.
        anna.comes_to_see("form[data-kept]", "Title").await;
        server.is_lost();
        anna.fill("input[name=title]", "Written in a tunnel").await;
        anna.fill("textarea[name=body]", "Words without a network.")
            .await;
        anna.comes_to_see("[data-saved]", "Draft kept").await;
        // Sending fails, and the browser says so on a page of its own.
        anna.click("button[value=preview]").await;
        anna.comes_to_see("body", "ERR_CONNECTION_REFUSED").await;
        server.is_back();
        anna.open(form).await;
        anna.comes_to_hold("textarea[name=body]", "Words without a network.")
            .await;
        anna.press("button[value=preview]").await;
        anna.press("button[value=post]").await;
        anna.sees("It is posted").await;
        anna.sees("Words without a network.").await;
        anna.open(form).await;
        let kept = anna
            .run("return document.querySelector('textarea[name=body]').value")
            .await;
        assert_eq!(kept, json!(""), "what was sent is no draft any more");
        anna.close().await;
    });
}

#[test]
fn two_readers_see_each_others_votes_without_asking() {
    in_town(Width::Phone, async |anna, bert| {
        let post = anna
            .propose(
                GAME,
                "A gate",
                "Somebody left it open.",
                "1. There is a gate.",
            )
            .await;
        bert.open(&post).await;
        anna.vote(&post, "for").await;
        bert.comes_to_see("#each", "Anna").await;
        bert.comes_to_see("#comments", "Anna").await;
        bert.vote(&post, "against").await;
        anna.comes_to_see("#each", "AGAINST").await;
        anna.comes_to_see("#comments", "Bert").await;
    });
}

#[test]
fn a_page_listens_again_after_the_server_has_refused_its_stream() {
    with_browser(async {
        let mut server = Server::start();
        let anna = Reader::sign_up(&server, "Anna", Width::Desk).await;
        anna.found("hordes-22", "Night Town").await;
        let bert = Reader::begin(&server, Width::Desk).await;
        bert.open("/g/night-town").await;
        let stream = "return document.body.dataset.stream";
        let stream = bert.run(stream).await;
        server.is_lost();
        server.is_refused_until_asked_for(stream.as_str().expect("a stream"));
        server.is_back();
        let title = "A gate";
        let rule = "1. There is a gate.";
        anna.propose(GAME, title, "Somebody left it open.", rule)
            .await;
        bert.comes_to_see("main", title).await;
        anna.close().await;
        bert.close().await;
    });
}

#[test]
fn an_icon_is_uploaded_and_worn() {
    with_browser(async {
        let server = Server::start();
        let anna = Reader::sign_up(&server, "Anna", Width::Phone).await;
        anna.found("arena-93", "The Sands").await;
        let file = server.file("bull.png", &icon());
        anna.open("/g/the-sands/act").await;
        anna.fill("#act-upload-icon input[name=name]", "IconAnna.png")
            .await;
        anna.attach("#act-upload-icon input[type=file]", &file)
            .await;
        anna.press("#act-upload-icon button").await;
        anna.sees("Upload an Icon").await;
        anna.open("/g/the-sands/page/icon_page").await;
        anna.comes_to_see("body", "IconAnna.png").await;
        let shown = "const one = document.querySelector('img.pic'); return one && one.decode().then(() => one.naturalWidth)";
        assert_eq!(anna.run(shown).await, json!(80));
        // Without a file the site draws one.
        anna.open("/g/the-sands/act").await;
        anna.fill("#act-upload-icon input[name=name]", "IconDrawn.png")
            .await;
        anna.press("#act-upload-icon button").await;
        anna.open("/g/the-sands/page/icon_page").await;
        anna.comes_to_see("body", "IconDrawn.png").await;
        let drawn = "const all = [...document.querySelectorAll('img.pic')]; return Promise.all(all.map((one) => one.decode()))
            .then(() => all.map((one) => one.naturalWidth > 0).filter(Boolean).length)";
        assert_eq!(anna.run(drawn).await, json!(2));
        // What is no picture is refused in words, and nothing is kept.
        let file = server.file("page.png", b"<script>document.title = 'no'</script>");
        anna.open("/g/the-sands/act").await;
        anna.fill("#act-upload-icon input[name=name]", "IconPage.png")
            .await;
        anna.attach("#act-upload-icon input[type=file]", &file)
            .await;
        anna.press("#act-upload-icon button").await;
        anna.sees("neither PNG").await;
        anna.close().await;
    });
}

/// A picture of 80 by 80 pixels as a file.
fn icon() -> Vec<u8> {
    use quorate_engine::pictures;
    pictures::file(&pictures::drawn(80, 80, 93)).expect("its file is at hand")
}
