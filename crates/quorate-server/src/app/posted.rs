//! Forms as they arrive: fields by name, each with all its values.

use std::collections::BTreeMap;

use axum::extract::Multipart;
use axum::extract::multipart::MultipartError;
use quorate_engine::pictures;

use crate::security::csrf::{BadToken, Csrf};
use crate::security::session::SessionToken;

/// More fields than any page of ours has.
const FIELDS_MAX: usize = 2_000;

/// A form that came from a page of ours, in the sender's own session. There is no other way to get one, so no handler can
/// forget the check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    fields: BTreeMap<String, Vec<String>>,
}

/// Why a form was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotTaken {
    /// It did not come from a page of ours, or from another session's page.
    #[error(transparent)]
    BadToken(#[from] BadToken),
    /// It has more fields than any page of ours.
    #[error("the form has more than {FIELDS_MAX} fields")]
    TooManyFields,
    /// It breaks off or is no form, or is longer than any page of ours sends.
    #[error("the form did not arrive whole: {0}")]
    Broken(String),
}

impl Posted {
    /// Reads an `application/x-www-form-urlencoded` body and checks its token against the session that sent it.
    pub fn read(body: &[u8], csrf: &Csrf, session: &SessionToken) -> Result<Self, NotTaken> {
        let form = Self::parse(body)?;
        csrf.check(session, form.one("csrf").unwrap_or_default())?;
        Ok(form)
    }

    /// The same of a `multipart/form-data` body, by which browsers send files. A file arrives in base64, and nothing of the
    /// name and kind that its sender gives it is believed.
    pub async fn read_parts(
        mut parts: Multipart,
        csrf: &Csrf,
        session: &SessionToken,
    ) -> Result<Self, NotTaken> {
        let broken = |error: MultipartError| NotTaken::Broken(error.body_text());
        let mut fields: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut count = 0;
        while let Some(part) = parts.next_field().await.map_err(broken)? {
            count += 1;
            if count > FIELDS_MAX {
                return Err(NotTaken::TooManyFields);
            }
            let name = part.name().unwrap_or_default().to_owned();
            let value = if part.file_name().is_some() {
                pictures::sent(&part.bytes().await.map_err(broken)?)
            } else {
                part.text().await.map_err(broken)?.replace("\r\n", "\n")
            };
            fields.entry(name).or_default().push(value);
        }
        let form = Self { fields };
        csrf.check(session, form.one("csrf").unwrap_or_default())?;
        Ok(form)
    }

    /// The fields of a form that was kept as a draft. It is shown again and asks for nothing: whoever wants something done
    /// of it sends it from a page of ours.
    pub(crate) fn of_draft(fields: &str) -> Self {
        Self::parse(fields.as_bytes()).unwrap_or(Self {
            fields: BTreeMap::new(),
        })
    }

    fn parse(body: &[u8]) -> Result<Self, NotTaken> {
        let mut fields: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (count, (name, value)) in form_urlencoded::parse(body).enumerate() {
            if count >= FIELDS_MAX {
                return Err(NotTaken::TooManyFields);
            }
            // Browsers send line ends as CR LF; texts are kept with LF alone.
            fields
                .entry(name.into_owned())
                .or_default()
                .push(value.replace("\r\n", "\n"));
        }
        Ok(Self { fields })
    }

    /// What somebody filled in elsewhere than in a form of ours.
    pub fn of(fields: BTreeMap<String, Vec<String>>) -> Self {
        Self { fields }
    }

    /// The first value of a field, empty or not.
    pub fn one(&self, name: &str) -> Option<&str> {
        self.fields.get(name)?.first().map(String::as_str)
    }

    /// The first value of a field, if it is not blank.
    pub fn filled(&self, name: &str) -> Option<&str> {
        self.one(name)
            .map(str::trim)
            .filter(|value| !value.is_empty())
    }

    /// All values of a field, in the order of the page.
    pub fn all(&self, name: &str) -> &[String] {
        self.fields.get(name).map_or(&[], Vec::as_slice)
    }

    /// Puts a value in the place of those that a field has.
    pub fn put(&mut self, name: &str, value: String) {
        self.fields.insert(name.to_owned(), vec![value]);
    }

    /// What the sender filled in, by name, without what the page added unseen.
    pub fn given(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.fields
            .iter()
            .filter(|(name, _)| !matches!(name.as_str(), "csrf" | "key"))
            .map(|(name, values)| (name.as_str(), values.as_slice()))
    }

    /// The key that makes a second arrival of the same form harmless.
    pub fn key(&self) -> Option<&str> {
        self.filled("key")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(body: &str) -> Posted {
        Posted::parse(body.as_bytes()).expect("few fields")
    }

    #[test]
    fn a_field_keeps_all_its_values_in_order() {
        let form = parse("keep=lamps&keep=ferry&why=&csrf=x&key=k1");
        assert_eq!(form.all("keep"), ["lamps", "ferry"]);
        assert_eq!(form.one("why"), Some(""));
        assert_eq!(form.filled("why"), None);
        assert_eq!(form.key(), Some("k1"));
        assert_eq!(
            form.given().map(|(name, _)| name).collect::<Vec<_>>(),
            ["keep", "why"]
        );
    }

    #[test]
    fn texts_arrive_with_plain_line_ends() {
        assert_eq!(parse("text=a%0D%0Ab+c").one("text"), Some("a\nb c"));
    }

    #[test]
    fn a_form_without_the_sessions_token_is_not_taken() {
        let csrf = Csrf::new(&[1; 32]);
        let session = SessionToken::fresh().expect("a random source");
        let token = csrf.issue(&session).expect("a random source");
        assert!(Posted::read(format!("csrf={token}&vote=for").as_bytes(), &csrf, &session).is_ok());
        assert_eq!(
            Posted::read(b"vote=for", &csrf, &session),
            Err(NotTaken::BadToken(BadToken))
        );
    }

    #[test]
    fn a_flood_of_fields_is_not_taken() {
        let body = "a=1&".repeat(FIELDS_MAX + 1);
        assert_eq!(Posted::parse(body.as_bytes()), Err(NotTaken::TooManyFields));
    }
}
