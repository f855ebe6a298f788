//! Second factors: codes of an authenticator app, codes for whoever has lost it, and the ticket between password and code.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use quorate_runtime::ports::{Account, AccountId};
use totp_rs::{Algorithm, Secret, TOTP};

use crate::security::chance::NoChance;
use crate::security::{chance, same_secret};

/// How long a code counts, in seconds.
const STEP_SECONDS: u64 = 30;

/// How many codes for whoever has lost the app there are.
pub const CODES: usize = 10;

/// How long a ticket counts, in milliseconds.
const TICKET_MS: u64 = 5 * 60 * 1_000;

/// The key that an authenticator app shares with the server.
#[derive(Clone, PartialEq, Eq)]
pub struct FactorKey(Vec<u8>);

impl FactorKey {
    /// A new one.
    ///
    /// # Errors
    /// Fails where the system gives no random bytes.
    pub fn fresh() -> Result<Self, NoChance> {
        Ok(Self(chance::bytes::<20>()?.to_vec()))
    }

    /// One that was kept.
    pub fn of(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// One as an app or a person is given it; none where the words are no key of ours.
    pub fn parse(words: &str) -> Option<Self> {
        let bytes = Secret::Encoded(words.to_owned()).to_bytes().ok()?;
        (bytes.len() == 20).then_some(Self(bytes))
    }

    /// Its bytes, to be kept.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// As it is typed into an app.
    pub fn words(&self) -> String {
        Secret::Raw(self.0.clone()).to_encoded().to_string()
    }

    /// As an app reads it from a link.
    pub fn link(&self, name: &str) -> String {
        let name: String = form_urlencoded::byte_serialize(name.as_bytes()).collect();
        let key = self.words();
        format!(
            "otpauth://totp/Quorate:{}?secret={key}&issuer=Quorate",
            name.replace('+', "%20")
        )
    }

    /// The step whose code this is: that of now, or of its neighbours, for clocks differ. None where it is no code of theirs.
    pub fn step_of(&self, code: &str, now_ms: u64) -> Option<u64> {
        let code: String = code.chars().filter(|c| !c.is_whitespace()).collect();
        let totp = TOTP::new(Algorithm::SHA1, 6, 0, STEP_SECONDS, self.0.clone()).ok()?;
        let now = now_ms / 1_000 / STEP_SECONDS;
        let mut steps = now.saturating_sub(1)..=now + 1;
        steps.find(|step| {
            let wanted = totp.generate(step * STEP_SECONDS);
            same_secret(wanted.as_bytes(), code.as_bytes())
        })
    }

    /// The code of a moment, as an app shows it.
    pub fn code_at(&self, now_ms: u64) -> Option<String> {
        let totp = TOTP::new(Algorithm::SHA1, 6, 0, STEP_SECONDS, self.0.clone()).ok()?;
        Some(totp.generate(now_ms / 1_000))
    }
}

/// Codes for whoever has lost the app, as they are written down.
///
/// # Errors
/// Fails where the system gives no random bytes.
pub fn recovery_codes() -> Result<Vec<String>, NoChance> {
    let code = |_| {
        let words = Secret::Raw(chance::bytes::<10>()?.to_vec())
            .to_encoded()
            .to_string();
        let words = words.to_lowercase();
        let parts: Vec<String> = words
            .as_bytes()
            .chunks(4)
            .map(|part| String::from_utf8_lossy(part).into_owned())
            .collect();
        Ok(parts.join("-"))
    };
    (0..CODES).map(code).collect()
}

/// Such a code as somebody typed it, without what stands between its letters.
pub fn normal(code: &str) -> String {
    let letters = code.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

/// Tickets from the password to the code. They say who typed the right password, and let nobody in.
#[derive(Clone)]
pub struct Tickets {
    key: [u8; 32],
}

impl Tickets {
    /// Tickets under this secret of the server.
    pub fn new(secret: &[u8; 32]) -> Self {
        Self {
            key: blake3::derive_key("quorate 2026 sign-in ticket", secret),
        }
    }

    /// A ticket of an account, for five minutes and as long as it has this password.
    pub fn issue(&self, account: &Account, now_ms: u64) -> String {
        let mac = self.mac(account, now_ms);
        format!("{}.{now_ms}.{}", account.id.0, URL_SAFE_NO_PAD.encode(mac))
    }

    /// Of which account a ticket says that it is. Whether it is, [`Self::admits`] tells.
    pub fn claimed(ticket: &str) -> Option<AccountId> {
        let (account, _) = ticket.split_once('.')?;
        account.parse().ok().map(AccountId)
    }

    /// Whether it is a ticket of this account that has not ended.
    pub fn admits(&self, ticket: &str, account: &Account, now_ms: u64) -> bool {
        let read = || {
            let (_, rest) = ticket.split_once('.')?;
            let (at, mac) = rest.split_once('.')?;
            Some((at.parse().ok()?, URL_SAFE_NO_PAD.decode(mac).ok()?))
        };
        let Some((at, mac)) = read() else {
            return false;
        };
        let is_theirs = same_secret(&mac, &self.mac(account, at));
        is_theirs && at <= now_ms && now_ms - at <= TICKET_MS
    }

    fn mac(&self, account: &Account, at: u64) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(&account.id.0.to_le_bytes());
        hasher.update(&at.to_le_bytes());
        hasher.update(account.password.as_deref().unwrap_or_default().as_bytes());
        *hasher.finalize().as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use quorate_kernel::Moment;

    use super::*;

    #[test]
    fn a_code_counts_for_its_step_and_its_neighbours() {
        // The key and the times of RFC 6238; its codes have eight digits, of which six are ours.
        let key = FactorKey::of(b"12345678901234567890".to_vec());
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (20_000_000_000, "353130"),
        ] {
            let now = seconds * 1_000;
            assert_eq!(key.step_of(code, now), Some(seconds / 30), "{code}");
            assert_eq!(key.step_of(code, now + 30_000), Some(seconds / 30));
            assert_eq!(key.step_of(code, now + 90_000), None);
            assert_eq!(key.step_of("000000", now), None);
            assert_eq!(key.step_of("", now), None);
        }
    }

    #[test]
    fn a_key_comes_back_as_it_was_typed() {
        let key = FactorKey::fresh().expect("a random source");
        assert_eq!(
            FactorKey::parse(&key.words())
                .as_ref()
                .map(FactorKey::bytes),
            Some(key.bytes())
        );
        for bad in ["", "abc", "!!!!", "MFRGG"] {
            assert!(FactorKey::parse(bad).is_none(), "{bad}");
        }
        assert!(
            key.link("Jörg & Co")
                .starts_with("otpauth://totp/Quorate:J%C3%B6rg%20%26%20Co?secret=")
        );
    }

    #[test]
    fn codes_for_a_lost_app_are_read_however_they_are_typed() {
        let codes = recovery_codes().expect("a random source");
        assert_eq!(codes.len(), CODES);
        let code = &codes[0];
        assert_eq!(code.len(), 19, "{code}");
        assert_eq!(
            normal(&code.to_uppercase()),
            normal(&code.replace('-', " "))
        );
        assert_ne!(normal(code), normal(&codes[1]));
    }

    #[test]
    fn a_ticket_is_one_accounts_for_five_minutes_or_until_its_next_password() {
        let tickets = Tickets::new(&[3; 32]);
        let account = |id, password: &str| Account {
            id: AccountId(id),
            name: "Hal".to_owned(),
            mail: None,
            password: Some(password.to_owned()),
            operator: false,
            made_at: Moment(0),
        };
        let hal = account(7, "a digest");
        let ticket = tickets.issue(&hal, 1_000);
        assert_eq!(Tickets::claimed(&ticket), Some(hal.id));
        assert!(tickets.admits(&ticket, &hal, 1_000 + TICKET_MS));
        assert!(!tickets.admits(&ticket, &hal, 1_001 + TICKET_MS));
        assert!(!tickets.admits(&ticket, &hal, 999));
        assert!(!tickets.admits(&ticket, &account(8, "a digest"), 2_000));
        let why = "the password is another one since";
        assert!(
            !tickets.admits(&ticket, &account(7, "another"), 2_000),
            "{why}"
        );
        assert!(!Tickets::new(&[4; 32]).admits(&ticket, &hal, 2_000));
        assert!(!tickets.admits("", &hal, 2_000));
        assert_eq!(Tickets::claimed(""), None);
    }
}
