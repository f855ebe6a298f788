//! The cookie that carries what was just done to the next page.

use axum::http::HeaderValue;

/// Its name.
pub(crate) const COOKIE: &str = "done";

/// How many letters it carries at most.
const LETTERS_MAX: usize = 300;

/// The cookie that says what was done.
pub(crate) fn cookie(done: &str) -> Option<HeaderValue> {
    let text: String = done.chars().take(LETTERS_MAX).collect();
    let text: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
    let cookie = format!("{COOKIE}={text}; Path=/; Max-Age=30; HttpOnly; SameSite=Lax");
    HeaderValue::from_str(&cookie).ok()
}

/// What such a cookie says.
pub(crate) fn read(text: &str) -> Option<String> {
    let (text, _) = form_urlencoded::parse(text.as_bytes()).next()?;
    (!text.is_empty() && text.chars().count() <= LETTERS_MAX).then(|| text.into_owned())
}
