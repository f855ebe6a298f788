//! Out of one server and into another.

use quorate_kernel::Span;

use super::*;
use crate::archive::{ArchivedSeals, ImportError, Imported, export, import};
use crate::fault::Wrong;
use crate::ports::StoreError;

async fn played() -> World {
    let world = World::new().await;
    kept(world.plays("a", "add", 5).await);
    kept(world.plays("b", "say", 1).await);
    kept(world.plays("c", "ring", START_MS + 90).await);
    world
}

async fn written(world: &World, beside: ArchivedSeals<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let (memory, reef) = (&*world.memory, &world.reef);
    export(memory, memory, reef, beside, &mut out, &mut |_| {})
        .await
        .unwrap();
    out
}

async fn brought_in(memory: &Memory, text: &[u8]) -> Result<Imported, ImportError> {
    import(memory, None, &mut &*text, &mut |_| {}).await
}

#[tokio::test]
async fn a_game_brought_into_an_empty_server_is_the_same_and_goes_on() {
    let world = played().await;
    let there = world.games.snapshot(&world.reef).await.unwrap();
    let secret = ServerSecret::new([9; 32]);
    let text = written(&world, ArchivedSeals::Everything(&secret)).await;
    let memory = Arc::new(Memory::default());
    let games = start(&memory, &world.clock, GamesSettings::default()).await;
    let imported = brought_in(&memory, &text).await.unwrap();
    assert_eq!(
        (imported.head, imported.state),
        (there.head, there.state.digest())
    );
    assert_eq!((&imported.game, imported.closed_count), (&world.reef, 0));
    games.adopt(&world.reef).await.unwrap();
    let here = games.snapshot(&world.reef).await.unwrap();
    assert_eq!(here.state, there.state);
    let page = here.state.pages.values().next().unwrap();
    assert_eq!(page.text.as_str(), "said 1");
    // Receipts came along, and so did the secret and what is due.
    let again = games
        .send(&world.reef, anna(), "a".into(), plays("add", 5))
        .await;
    assert_eq!(kept(again).seq, EventSeq(2));
    let row = memory.game(&world.reef).await.unwrap().unwrap();
    assert_eq!(row.secret, Some(secret.of_game(&world.reef)));
    let mut heard = games.subscribe(&world.reef);
    world.clock.pass(Span(100));
    assert_eq!(heard.recv().await.unwrap().at, Moment(START_MS + 90));
}

#[tokio::test]
async fn an_archive_without_seals_verifies_and_holds_no_words_and_no_secret() {
    let world = played().await;
    let there = world.games.snapshot(&world.reef).await.unwrap();
    let text = written(&world, ArchivedSeals::Nothing).await;
    let readable = String::from_utf8(text.clone()).unwrap();
    assert!(!readable.contains("seals") && !readable.contains("secret"));
    let memory = Memory::default();
    let imported = brought_in(&memory, &text).await.unwrap();
    assert_eq!(imported.state, there.state.digest());
    assert_eq!(imported.closed_count, 2, "the founding's and the page's");
}

#[tokio::test]
async fn an_archive_can_hold_chosen_seals() {
    let world = played().await;
    let there = world.games.snapshot(&world.reef).await.unwrap();
    let page = there.state.pages.values().next().unwrap().text.digest();
    let text = written(&world, ArchivedSeals::Chosen(&|digest| digest == page)).await;
    let memory = Memory::default();
    let imported = brought_in(&memory, &text).await.unwrap();
    assert_eq!(imported.closed_count, 1);
    assert_eq!(memory.find(&[page]).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_bad_archive_is_named_and_leaves_nothing() {
    let world = played().await;
    let text = written(&world, ArchivedSeals::Nothing).await;
    let lines: Vec<_> = text.split_inclusive(|b| *b == b'\n').collect();
    let without = |left_out: usize| {
        let kept = lines.iter().enumerate().filter(|(n, _)| *n != left_out);
        kept.flat_map(|(_, line)| line.to_vec()).collect::<Vec<_>>()
    };
    let memory = Memory::default();
    let short = brought_in(&memory, &without(4)).await.unwrap_err();
    assert!(matches!(short, ImportError::Short { of: 4, .. }), "{short}");
    let gap = brought_in(&memory, &without(2)).await.unwrap_err();
    let ImportError::Damaged(fault) = &gap else {
        panic!("{gap}");
    };
    assert_eq!(fault.what, Wrong::Number(EventSeq(3)));
    let foreign = brought_in(&memory, b"{\"a\": 1}\n").await.unwrap_err();
    assert!(matches!(foreign, ImportError::Foreign { line: 1, .. }));
    let cut = brought_in(&memory, &text[..text.len() - 40])
        .await
        .unwrap_err();
    assert!(matches!(cut, ImportError::Foreign { line: 5, .. }), "{cut}");
    let later = String::from_utf8(text.clone()).unwrap();
    let later = later.replace("\"quorate_log\":1", "\"quorate_log\":2");
    let later = brought_in(&memory, later.as_bytes()).await.unwrap_err();
    assert!(matches!(later, ImportError::Later(2)));
    assert_eq!(memory.game(&world.reef).await, Ok(None));
    brought_in(&memory, &text).await.unwrap();
    let twice = brought_in(&memory, &text).await.unwrap_err();
    let ImportError::Store(StoreError::GameExists { .. }) = twice else {
        panic!("{twice}");
    };
}

#[tokio::test]
async fn what_an_archive_says_for_people_is_what_its_events_say() {
    let world = played().await;
    let text = String::from_utf8(written(&world, ArchivedSeals::Nothing).await).unwrap();
    let memory = Memory::default();
    for (field, value) in [
        ("at", "1999-01-01T00:00Z"),
        ("actor", "player 9"),
        ("act", "ring"),
    ] {
        let lines = text.lines().enumerate().map(|(number, line)| {
            let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
            if number == 2 {
                line[field] = value.into();
            }
            format!("{line}\n")
        });
        let edited: String = lines.collect();
        let refused = brought_in(&memory, edited.as_bytes()).await.unwrap_err();
        let ImportError::Edited {
            line: 3,
            field: named,
            told,
            ..
        } = &refused
        else {
            panic!("{refused}");
        };
        assert_eq!((*named, told.as_str()), (field, value));
        assert_eq!(memory.game(&world.reef).await, Ok(None));
    }
}
