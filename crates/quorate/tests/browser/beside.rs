//! Pictures of pages, each beside the design that it began from.
//!
//! `QUORATE_DESIGNS` names a folder with the designs (`front.html` and so on), `QUORATE_PICTURES` where the pairs are written.
//! Without them each page is looked at alone.

use std::path::PathBuf;

use quorate_engine::pictures;
use serde_json::json;

use super::driver::{Reader, Width};
use super::server::Server;
use super::with_browser;

/// Draws two pictures side by side and gives the bytes of a WebP file.
const PAIR: &str = "const [pair, done] = arguments;
    (async () => {
        const canvas = Object.assign(document.createElement('canvas'), { width: 1640, height: 892 });
        const brush = canvas.getContext('2d');
        brush.imageSmoothingQuality = 'high';
        for (const [place, one] of pair.entries()) {
            const image = new Image();
            image.src = `data:image/png;base64,${one}`;
            await image.decode();
            brush.drawImage(image, place * 824, 0, 816, 816 * image.height / image.width);
        }
        const blob = await new Promise((found) => canvas.toBlob(found, 'image/webp', 0.72));
        done([...new Uint8Array(await blob.arrayBuffer())]);
    })();";

/// Whether all columns of the page's tables are in sight.
const TABLES_FIT: &str = "return [...document.querySelectorAll('table.track')]
    .every((one) => one.parentElement.scrollWidth <= one.parentElement.clientWidth)";

fn folder(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from)
}

/// Looks at a page, and writes it beside its design where there is one.
async fn look(reader: &Reader, name: &str, design: &str, path: &str) {
    reader.open(path).await;
    assert!(reader.fits().await, "{path} is wider than its window");
    assert_eq!(reader.run(TABLES_FIT).await, json!(true), "{path}");
    let (Some(designs), Some(pictures)) = (folder("QUORATE_DESIGNS"), folder("QUORATE_PICTURES"))
    else {
        return;
    };
    let ours = reader.picture().await;
    let design = designs.join(design).with_extension("html");
    let design = design.canonicalize().expect("the design is there");
    reader.open_file(&design).await;
    let pair = [reader.picture().await, ours].map(|one| pictures::sent(&one));
    let drawn = reader.run_async(PAIR, json!(pair)).await;
    let drawn: Vec<u8> = serde_json::from_value(drawn).expect("the bytes of a picture");
    let file = pictures.join(name).with_extension("webp");
    std::fs::write(file, drawn).expect("a folder that can be written to");
}

#[test]
fn pages_that_began_as_a_design_stand_beside_it() {
    with_browser(async {
        let (server, [password, operator, _]) = Server::with_demo();
        let reader = Reader::sign_in(&server, &operator, &password, Width::Desk).await;
        let game = "/g/adventurers-2019";
        reader.open(game).await;
        let open = "return document.querySelector('a[data-vote]').getAttribute('href')";
        let post = reader.run(open).await;
        let post = post.as_str().expect("a matter is open").to_owned();
        let of_game = |rest: &str| format!("{game}{rest}");
        for (name, design, path) in [
            ("front", "front", of_game("")),
            ("post", "post", post),
            ("ruleset", "ruleset", of_game("/rules")),
            ("tracker", "tracker", of_game("/tracker")),
            ("act", "act", of_game("/act")),
            ("desk", "admin", of_game("/desk")),
        ] {
            look(&reader, name, design, &path).await;
        }
        reader.close().await;
        // Somebody who has moves left on the board.
        let reader = Reader::sign_in(&server, "Salma", &password, Width::Desk).await;
        look(&reader, "board", "board", "/g/arena-93/board/arena").await;
        reader.close().await;
    });
}
