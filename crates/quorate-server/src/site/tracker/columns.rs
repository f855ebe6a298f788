//! The columns that a reader picked for the tracker, and which of them sorts: asked for in its address, and kept in cookies for
//! that page alone.

use axum::http::{HeaderMap, HeaderValue, header};
use quorate_kernel::Name;

/// The cookie of the columns; its path is the tracker of one game.
const COLUMNS: &str = "columns";

/// The cookie of the column that sorts.
const SORT: &str = "sort";

/// For how long a choice is kept, in seconds.
const KEPT: u64 = 60 * 60 * 24 * 365;

/// How many columns are kept at most.
const MOST: usize = 60;

/// The columns that an address asks for: `?col=gold&col=rank`. None where it does not speak of columns; all of them are shown
/// where it says so but names none.
pub(crate) fn asked(query: &str) -> Option<Vec<Name>> {
    let pairs = form_urlencoded::parse(query.as_bytes());
    let mut speaks = false;
    let mut names = Vec::new();
    for (name, value) in pairs {
        speaks |= name == "col" || name == "cols";
        if name == "col" && is_name(&value) && names.len() < MOST {
            names.push(Name::from(&*value));
        }
    }
    speaks.then_some(names)
}

/// The columns that were picked before.
pub(crate) fn kept(headers: &HeaderMap) -> Option<Vec<Name>> {
    let kept = cookie(headers, COLUMNS)?;
    let names = kept.split('.').filter(|name| is_name(name)).take(MOST);
    Some(names.map(Name::from).collect())
}

/// The column that sorted last, as the address names it.
pub(crate) fn kept_sort(headers: &HeaderMap) -> Option<String> {
    cookie(headers, SORT)
        .filter(|word| word.split('.').all(is_name))
        .map(str::to_owned)
}

fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let cookies = headers.get_all(header::COOKIE).iter();
    let cookies = cookies.filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|all| all.split(';'));
    pairs.find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
}

/// The cookie that keeps the columns.
pub(crate) fn keep(game: &str, names: &[Name]) -> Option<HeaderValue> {
    let names: Vec<&str> = names.iter().map(Name::as_str).collect();
    keeping(game, COLUMNS, &names.join("."))
}

/// The cookie that keeps the column that sorts.
pub(crate) fn keep_sort(game: &str, word: &str) -> Option<HeaderValue> {
    keeping(game, SORT, word)
}

fn keeping(game: &str, name: &str, value: &str) -> Option<HeaderValue> {
    let path = format!("/g/{game}/tracker");
    let cookie = format!("{name}={value}; Path={path}; Max-Age={KEPT}; HttpOnly; SameSite=Lax");
    HeaderValue::from_str(&cookie).ok()
}

/// Whether a text can be the code name of a value.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_kept_as_they_were_asked_for() {
        let names = asked("col=gold&sort=x&col=rank&col=a.b").expect("columns are asked for");
        assert_eq!(names, ["gold", "rank"]);
        let cookie = keep("reef", &names).expect("a cookie");
        let (pair, _) = cookie
            .to_str()
            .expect("letters")
            .split_once(';')
            .expect("a path");
        let mut headers = HeaderMap::new();
        let all = format!("session=1; {pair}");
        headers.append(
            header::COOKIE,
            HeaderValue::from_str(&all).expect("letters"),
        );
        assert_eq!(kept(&headers), Some(names));
        let cookie = keep_sort("reef", "-Player.gold").expect("a cookie");
        headers.append(header::COOKIE, cookie);
        assert_eq!(kept_sort(&headers).as_deref(), Some("-Player.gold"));
        headers.clear();
        headers.append(header::COOKIE, HeaderValue::from_static("sort=a<b"));
        assert_eq!(kept_sort(&headers), None, "no name of a value");
        assert_eq!(asked("sort=x"), None);
        assert_eq!(asked("cols=all"), Some(Vec::new()));
    }
}
