//! The lines of an archive.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use quorate_kernel::command::Actor;
use quorate_kernel::digest::Digest;
use quorate_kernel::event::Event;
use quorate_kernel::seal::SealBytes;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::judge::Secret;

/// The version of the form that this release writes. One that a release can read, later ones can too.
pub(super) const FORM: u32 = 1;

/// The first line.
#[derive(Serialize, Deserialize)]
pub(super) struct ArchiveHeading {
    /// The version of the form.
    pub(super) quorate_log: u32,
    pub(super) game: String,
    pub(super) event_count: u64,
    /// The hash of the last event, in hex.
    pub(super) head: String,
    /// The secret under which the game's dice fall. Only in an archive that holds everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) secret: Option<Bytes>,
}

/// Every further line.
#[derive(Serialize, Deserialize)]
pub(super) struct ArchiveLine {
    pub(super) seq: u64,
    /// For people, as the next two are: what counts is `open`, with which they must agree where they are given.
    #[serde(default)]
    pub(super) at: String,
    #[serde(default)]
    pub(super) actor: String,
    #[serde(default)]
    pub(super) act: String,
    pub(super) open: Bytes,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) seals: Vec<SealLine>,
}

/// A seal's content, with the salt and without the digest, which follows from both.
#[derive(Serialize, Deserialize)]
pub(super) struct SealLine {
    pub(super) digest: String,
    pub(super) salt: Bytes,
    pub(super) bytes: Bytes,
}

/// Bytes, in Base64.
pub(super) struct Bytes(pub(super) Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&base64::display::Base64Display::new(&self.0, &STANDARD))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let bytes = STANDARD.decode(text.as_bytes());
        bytes.map(Self).map_err(serde::de::Error::custom)
    }
}

impl ArchiveLine {
    pub(super) fn new(event: &Event, open: Vec<u8>, seals: Vec<SealBytes>) -> Self {
        Self {
            seq: event.seq.0,
            at: event.at.to_string(),
            actor: match event.actor {
                Actor::Player(player) => format!("player {player}"),
                Actor::Newcomer => "newcomer".to_owned(),
                Actor::Game => "game".to_owned(),
                Actor::Operator => "operator".to_owned(),
                Actor::Hidden => "hidden".to_owned(),
            },
            act: event.act.name().to_string(),
            open: Bytes(open),
            seals: seals.into_iter().map(SealLine::from).collect(),
        }
    }
}

impl ArchiveLine {
    /// What the line says for people and the event does not: which field, what it says, what the event says.
    pub(super) fn edited(&self, event: &Event) -> Option<(&'static str, String, String)> {
        let is = Self::new(event, Vec::new(), Vec::new());
        if self.seq != is.seq {
            return Some(("seq", self.seq.to_string(), is.seq.to_string()));
        }
        let fields = [
            ("at", &self.at, is.at),
            ("actor", &self.actor, is.actor),
            ("act", &self.act, is.act),
        ];
        let mut fields = fields.into_iter();
        let differs = fields.find(|(_, told, is)| !told.is_empty() && *told != is);
        differs.map(|(field, told, is)| (field, told.clone(), is))
    }
}

impl From<SealBytes> for SealLine {
    fn from(seal: SealBytes) -> Self {
        Self {
            digest: seal.digest.to_string(),
            salt: Bytes(seal.salt.to_vec()),
            bytes: Bytes(seal.bytes),
        }
    }
}

impl SealLine {
    /// The seal, if the line is one.
    pub(super) fn read(self) -> Option<SealBytes> {
        Some(SealBytes {
            digest: self.digest.parse::<Digest>().ok()?,
            salt: self.salt.0.try_into().ok()?,
            bytes: self.bytes.0,
        })
    }
}

impl ArchiveHeading {
    /// The secret, if the line has a whole one.
    pub(super) fn secret(&self) -> Option<Secret> {
        self.secret.as_ref()?.0.as_slice().try_into().ok()
    }
}
