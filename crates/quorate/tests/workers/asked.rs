//! What the server asks its workers of its own accord, and what it counts for all of them.

use crate::served::{OTHER_TOKEN, Served, folder, hidden, signal, signed_in};

#[test]
fn the_list_of_games_and_a_private_feed_are_made_by_workers() {
    let (folder, waiting) = folder();
    let word = &signed_in(&folder, &waiting);
    let server = Served::start(folder.path(), "workers");
    let (status, list) = server.browse("GET", "/", word, "");
    assert_eq!(status, 200, "{list}");
    assert!(list.contains("Nomic on One Page"), "{list}");
    assert!(list.contains("1 player"), "{list}");

    let (_, page) = server.browse("GET", "/notices", word, "");
    let csrf = format!("csrf={}", hidden(&page, "csrf"));
    let (status, made) = server.browse("POST", "/notices/feed", word, &csrf);
    assert_eq!(status, 200, "{made}");
    let (_, rest) = made.split_once("/feeds/").expect("the feed's address");
    let feed = rest.split('/').next().expect("its word");
    let (status, needs) = server.ask("GET", &format!("/feeds/{feed}/needs.json"), "");
    assert_eq!(status, 200, "{needs}");
    assert!(needs.contains("What waits for you"), "{needs}");
    let (status, dates) = server.ask("GET", &format!("/feeds/{feed}/calendar.ics"), "");
    assert_eq!(status, 200, "{dates}");
    assert!(dates.contains("BEGIN:VCALENDAR"), "{dates}");
}

#[test]
fn a_list_waits_for_a_worker_that_does_not_answer_and_another_makes_it() {
    let (folder, _waiting) = folder();
    let server = Served::start(folder.path(), "workers");
    let frozen = server.workers("pages");
    for id in &frozen {
        signal("-STOP", id);
    }
    let (status, list) = server.ask("GET", "/", "");
    assert_eq!(status, 200, "{list}");
    assert!(list.contains("1 player"), "{list}");
    let left = server.workers("pages");
    assert!(
        frozen.iter().any(|id| !left.contains(id)),
        "the server made it by itself"
    );
}

#[test]
fn a_repair_is_sent_by_a_worker_and_a_log_is_judged_again_by_one() {
    let (folder, _waiting) = folder();
    let server = Served::start(folder.path(), "workers");
    let repair = serde_json::json!({ "action": "repair", "arguments": { "reason": "its title was lost",
        "changes": [{ "do": "rename_rule", "id": "nomic", "title": "The Game" }] } });
    // Somebody who runs the server and plays nobody.
    let sent = server.ask_as(
        OTHER_TOKEN,
        "POST",
        "/api/v1/games/town/acts",
        &repair.to_string(),
    );
    assert_eq!(sent.0, 201, "{}", sent.1);
    assert!(sent.1.contains("\"kind\":\"operator\""), "{}", sent.1);
    let path = "/api/v1/games/town/verify?grade=judgement";
    let (status, verdict) = server.ask_as(OTHER_TOKEN, "GET", path, "");
    assert_eq!(status, 200, "{verdict}");
    assert!(verdict.contains("\"holds\":true"), "{verdict}");
    let left = server.workers("again");
    assert!(left.is_empty(), "it goes with its log: {left:?}");
}

#[test]
fn an_accounts_allowance_holds_over_all_workers() {
    let (folder, _waiting) = folder();
    let server = Served::start(folder.path(), "workers");
    let mut taken = 0;
    for nth in 0..100 {
        if nth % 20 == 0 {
            // Those that come in their place know nothing of what was written before.
            for id in server.workers("pages") {
                signal("-KILL", &id);
            }
        }
        let body = "{\"line\": \"DICE6\"}";
        let (status, said) = server.ask("POST", "/api/v1/games/town/dice", body);
        match status {
            // Whether one was counted whose worker was killed is not known.
            201 | 503 => taken += 1,
            429 => break,
            _ => panic!("{status}: {said}"),
        }
    }
    assert!((60..90).contains(&taken), "{taken} were taken");
}
