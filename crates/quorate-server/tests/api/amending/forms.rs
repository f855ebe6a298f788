//! A browser without scripts: pages are read, forms filled in and sent as they stand.

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use quorate_server::security::session::SessionToken;
use scraper::{ElementRef, Html, Selector};

use crate::table::Table;

/// Somebody's browser.
pub(crate) struct Browser<'a> {
    pub(crate) table: &'a Table,
    pub(crate) session: &'a SessionToken,
}

/// What came back.
pub(crate) struct Page {
    pub(crate) status: StatusCode,
    pub(crate) html: String,
    /// Where the page stands, after all redirections.
    pub(crate) path: String,
}

impl Page {
    /// Whether it says these words, markup aside.
    pub(crate) fn says(&self, words: &str) -> bool {
        let html = Html::parse_document(&self.html);
        let text: Vec<&str> = html.root_element().text().collect();
        let text = text.concat();
        text.split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .contains(words)
    }
}

impl Page {
    /// What a form of it would send as it stands, in its order.
    pub(crate) fn fields(&self, form: &str) -> Vec<(String, String)> {
        let html = Html::parse_document(&self.html);
        html.select(&select(form))
            .next()
            .map(controls)
            .unwrap_or_default()
    }

    /// The words of a group of a report.
    pub(crate) fn group(&self, id: &str) -> String {
        let html = Html::parse_document(&self.html);
        let lines = select(&format!("section[aria-labelledby={id}-h] .effects li"));
        let lines = html.select(&lines);
        lines.map(|line| line.text().collect::<String>()).collect()
    }
}

fn select(css: &str) -> Selector {
    Selector::parse(css).unwrap()
}

/// What a form would send as it stands, in its order.
fn controls(form: ElementRef<'_>) -> Vec<(String, String)> {
    let mut sent = Vec::new();
    for control in form.select(&select("input, textarea, select")) {
        let value = control.value();
        let Some(name) = value.attr("name") else {
            continue;
        };
        let given = value.attr("value").unwrap_or_default().to_owned();
        let one = match (value.name(), value.attr("type")) {
            ("textarea", _) => {
                let text: String = control.text().collect();
                Some(text.strip_prefix('\n').map_or(text.clone(), str::to_owned))
            }
            ("select", _) => {
                let chosen = control.select(&select("option[selected]")).next();
                let first = control.select(&select("option")).next();
                chosen
                    .or(first)
                    .and_then(|option| option.value().attr("value"))
                    .map(str::to_owned)
            }
            (_, Some("checkbox" | "radio")) => value.attr("checked").map(|_| given),
            _ => Some(given),
        };
        sent.extend(one.map(|one| (name.to_owned(), one)));
    }
    sent
}

impl Browser<'_> {
    /// Opens a page.
    pub(crate) async fn open(&self, path: &str) -> Page {
        let mut path = path.to_owned();
        let mut request = Request::get(&path);
        let mut body = Body::empty();
        loop {
            let cookie = self.table.cookie(self.session);
            request = request.header(header::COOKIE, cookie);
            let response = self.table.send(request.body(body).unwrap()).await;
            if let Some(to) = response.headers().get(header::LOCATION) {
                let to = to.to_str().unwrap();
                path = to.split('#').next().unwrap().to_owned();
                request = Request::get(&path);
                body = Body::empty();
                continue;
            }
            let status = response.status();
            let bytes = to_bytes(response.into_body(), 1 << 24).await.unwrap();
            let html = String::from_utf8(bytes.to_vec()).unwrap();
            return Page { status, html, path };
        }
    }

    /// Sends the form of a page that a selector finds: as it stands but for the fields that are given, by the button that
    /// is given, if any.
    pub(crate) async fn send(
        &self,
        page: &Page,
        form: &str,
        fields: &[(&str, &str)],
        button: Option<(&str, &str)>,
    ) -> Page {
        let (to, body) = filled(page, form, fields, button);
        let kind = "application/x-www-form-urlencoded";
        let cookie = self.table.cookie(self.session);
        let request = Request::post(&to)
            .header(header::CONTENT_TYPE, kind)
            .header(header::COOKIE, cookie);
        let response = self
            .table
            .send(request.body(Body::from(body)).unwrap())
            .await;
        if let Some(next) = response.headers().get(header::LOCATION) {
            return self
                .open(next.to_str().unwrap().split('#').next().unwrap())
                .await;
        }
        let status = response.status();
        let bytes = to_bytes(response.into_body(), 1 << 24).await.unwrap();
        Page {
            status,
            html: String::from_utf8(bytes.to_vec()).unwrap(),
            path: to,
        }
    }
}

/// Where a form goes and what it carries.
fn filled(
    page: &Page,
    form: &str,
    fields: &[(&str, &str)],
    button: Option<(&str, &str)>,
) -> (String, String) {
    let html = Html::parse_document(&page.html);
    let found = html.select(&select(form)).next();
    let Some(found) = found else {
        panic!("no form {form} on {}:\n{}", page.path, page.html);
    };
    let mut sent = controls(found);
    for (name, value) in fields {
        let field = found.select(&select(&format!("[name={name}]"))).next();
        let Some(field) = field else {
            panic!("{form} has no field {name}");
        };
        // What is chosen from a list goes by the words that stand there.
        let options = select("option");
        let mut options = field.select(&options);
        let option = options.find(|option| option.text().collect::<String>() == *value);
        let chosen = option.and_then(|option| option.value().attr("value"));
        sent.retain(|(known, _)| known != name);
        sent.push(((*name).to_owned(), chosen.unwrap_or(value).to_owned()));
    }
    let mut to = found.value().attr("action").unwrap();
    if let Some((name, words)) = button {
        let buttons = select(&format!("button[name={name}]"));
        let fits = |button: &ElementRef<'_>| {
            button.value().attr("value") == Some(words)
                || button.text().collect::<String>() == words
        };
        let Some(pressed) = found.select(&buttons).find(fits) else {
            panic!("no button {words} in {form}");
        };
        let value = pressed.value().attr("value").unwrap_or_default();
        sent.push((name.to_owned(), value.to_owned()));
        to = pressed.value().attr("formaction").unwrap_or(to);
    }
    let mut body = form_urlencoded::Serializer::new(String::new());
    for (name, value) in &sent {
        body.append_pair(name, value);
    }
    (to.to_owned(), body.finish())
}
