//! The columns that a reader picked for the tracker: asked for in its address, and kept in a cookie for that page alone.

use axum::http::{HeaderMap, HeaderValue, header};
use quorate_kernel::Name;

/// The cookie; its path is the tracker of one game.
const COOKIE: &str = "columns";

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
    let cookies = headers.get_all(header::COOKIE).iter();
    let cookies = cookies.filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|all| all.split(';'));
    let kept = pairs.find_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('='))?;
    let names = kept.split('.').filter(|name| is_name(name)).take(MOST);
    Some(names.map(Name::from).collect())
}

/// The cookie that keeps them.
pub(crate) fn keep(game: &str, names: &[Name]) -> Option<HeaderValue> {
    let names: Vec<&str> = names.iter().map(Name::as_str).collect();
    let cookie = format!(
        "{COOKIE}={}; Path=/g/{game}/tracker; Max-Age={KEPT}; HttpOnly; SameSite=Lax",
        names.join(".")
    );
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
        assert_eq!(asked("sort=x"), None);
        assert_eq!(asked("cols=all"), Some(Vec::new()));
    }
}
