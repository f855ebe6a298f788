//! The feed of posts that everybody may see.

use std::fmt::Write as _;

use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use quorate_kernel::audience::Reader;

use crate::app::forms::Opened;
use crate::ui::markup::escape;
use crate::ui::urls;
use crate::view::game::GameView;

/// How many posts the feed has.
const POSTS: usize = 30;

/// `GET /g/{game}/feed.atom`.
pub(crate) async fn show(Opened(look): Opened, headers: HeaderMap) -> Response {
    // Whoever fetches it, it holds what strangers may see: feeds are passed on.
    let look = look.as_stranger();
    debug_assert_eq!(look.reader(), Reader::Stranger);
    let scheme = if look.app().parts.house.is_secure {
        "https"
    } else {
        "http"
    };
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok())
        .unwrap_or("localhost");
    let xml = feed(&look, &format!("{scheme}://{host}"));
    (
        [(header::CONTENT_TYPE, "application/atom+xml; charset=utf-8")],
        xml,
    )
        .into_response()
}

fn feed(look: &GameView, base: &str) -> String {
    let game = look.game().as_str();
    let mut posts: Vec<_> = look
        .posts()
        .filter(|(_, post)| look.sees_post(post))
        .collect();
    posts.sort_by_key(|(id, post)| std::cmp::Reverse((post.at, **id)));
    posts.truncate(POSTS);
    let base = escape(base);
    let front = crate::ui::urls::Href::from(urls::Game { game });
    let updated = posts.first().map_or(look.now(), |(_, post)| post.at);
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<title>{}</title>\n\
         <id>{base}{front}</id>\n<link href=\"{base}{front}\"/>\n<updated>{}</updated>\n",
        escape(&look.title()),
        look.when(updated).iso(),
    );
    for (id, post) in posts {
        let word = id.to_string();
        let href = crate::ui::urls::Href::from(urls::Post { game, post: &word });
        let author = look.author(&post.author).name;
        let body = look.prose(post.body.as_str(), 2);
        // Writing into a string cannot fail.
        let _ = write!(
            xml,
            "<entry>\n<title>{}</title>\n<id>{base}{href}</id>\n<link href=\"{base}{href}\"/>\n<updated>{}</updated>\n\
             <author><name>{}</name></author>\n<category term=\"{}\"/>\n<content type=\"html\">{}</content>\n</entry>\n",
            escape(&look.themed(post.title.as_str())),
            look.when(post.edited_at.unwrap_or(post.at)).iso(),
            escape(&author),
            escape(&look.category_title(post)),
            escape(body.as_str()),
        );
    }
    xml.push_str("</feed>\n");
    xml
}
