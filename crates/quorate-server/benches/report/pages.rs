//! How long the site takes for a page: made anew, and asked for again within some seconds.

use super::{RUNS, Town, report, time};

/// The pages that are asked for most, and the budget of each.
const PAGES: [(&str, &str, &str); 4] = [
    (
        "",
        "the front page, 20 posts with 735 comments",
        "1 ms when asked for again",
    ),
    ("/rules", "the ruleset", "none"),
    ("/tracker", "the tracker of 60 players", "none"),
    ("/log", "the log", "none"),
];

/// Asks for each page as a stranger, uncompressed, without a network between.
pub(super) async fn measure(town: &Town) {
    for (path, what, budget) in PAGES {
        let anew = town.middle(async |town, _| town.page(path).await).await;
        report(&format!("{what}, made anew"), anew, "none");
        let mut again = Vec::new();
        for _ in 0..RUNS {
            again.push(time(town.page(path)).await.1);
        }
        again.sort_unstable();
        report(&format!("{what}, again"), again[RUNS / 2], budget);
    }
}
