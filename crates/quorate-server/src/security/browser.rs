//! With what somebody comes, as far as the request says.

use axum::http::{HeaderMap, header};

/// Which browser a request comes from, as far as it says: its kind and its system.
pub fn browser(headers: &HeaderMap) -> String {
    let agent = headers
        .get(header::USER_AGENT)
        .and_then(|agent| agent.to_str().ok());
    let Some(agent) = agent else {
        return "Something that does not say what it is".to_owned();
    };
    // Most say that they are others too; the first that fits is meant.
    let kinds = [
        ("Edg", "Edge"),
        ("OPR", "Opera"),
        ("Firefox", "Firefox"),
        ("Chrom", "Chrome"),
        ("Safari", "Safari"),
        ("curl", "curl"),
    ];
    let systems = [
        ("Android", "Android"),
        ("iPhone", "an iPhone"),
        ("iPad", "an iPad"),
        ("Windows", "Windows"),
        ("Mac OS", "a Mac"),
        ("CrOS", "a Chromebook"),
        ("Linux", "Linux"),
    ];
    let named = |names: &[(&str, &'static str)]| {
        let found = names.iter().find(|(sign, _)| agent.contains(sign));
        found.map(|(_, name)| *name)
    };
    let kind = named(&kinds).unwrap_or("Another browser");
    match named(&systems) {
        Some(system) => format!("{kind} on {system}"),
        None => kind.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_told_by_kind_and_system() {
        let told = |agent: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::USER_AGENT, agent.parse().expect("a header"));
            browser(&headers)
        };
        let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
        assert_eq!(told(firefox), "Firefox on Linux");
        let edge = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 \
                    Safari/537.36 Edg/140.0";
        assert_eq!(told(edge), "Edge on Windows");
        assert_eq!(told("curl/8.9"), "curl");
        assert_eq!(told("<script>"), "Another browser");
        assert_eq!(
            browser(&HeaderMap::new()),
            "Something that does not say what it is"
        );
    }
}
