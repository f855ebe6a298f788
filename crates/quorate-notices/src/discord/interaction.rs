//! What Discord sends, and whether it is Discord that sent it.

use std::fmt;
use std::str::FromStr;

use ring::signature::{ED25519, UnparsedPublicKey};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// Somebody on Discord, by the number that stays theirs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DiscordUser(pub String);

/// The public key of an application: what it does not sign did not come from Discord.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DiscordKey([u8; 32]);

/// A text that is no public key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("that is no public key of an application: copy the 64 signs from Discord's page of it")]
pub struct NoDiscordKey;

impl FromStr for DiscordKey {
    type Err = NoDiscordKey;

    fn from_str(text: &str) -> Result<Self, NoDiscordKey> {
        let bytes = hex(text).ok_or(NoDiscordKey)?;
        bytes.try_into().map(Self).map_err(|_| NoDiscordKey)
    }
}

impl fmt::Display for DiscordKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl DiscordKey {
    /// Whether this key signed a request: `X-Signature-Ed25519` over `X-Signature-Timestamp` and the body.
    pub fn signed(&self, signature: &str, timestamp: &str, body: &[u8]) -> bool {
        let Some(signature) = hex(signature) else {
            return false;
        };
        let mut message = timestamp.as_bytes().to_vec();
        message.extend_from_slice(body);
        let key = UnparsedPublicKey::new(&ED25519, &self.0);
        key.verify(&message, &signature).is_ok()
    }
}

fn hex(text: &str) -> Option<Vec<u8>> {
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        return None;
    }
    let pairs = text.as_bytes().chunks_exact(2);
    pairs
        .map(|pair| {
            let pair = std::str::from_utf8(pair).ok()?;
            let is_hex = pair.bytes().all(|sign| sign.is_ascii_hexdigit());
            is_hex.then(|| u8::from_str_radix(pair, 16).ok())?
        })
        .collect()
}

/// A request that Discord made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FromDiscord {
    /// It looks whether somebody answers.
    Ping,
    /// Somebody did something.
    Interaction(Interaction),
}

/// Somebody did something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interaction {
    /// Its own number, never given out twice.
    pub id: String,
    /// Who.
    pub user: DiscordUser,
    /// What they did.
    pub did: Did,
}

/// What somebody did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Did {
    /// Typed a command.
    Typed {
        /// Its word.
        command: String,
        /// Its options, by name.
        options: Vec<(String, String)>,
    },
    /// Pressed a button, or picked from a menu.
    Pressed {
        /// The id that we gave it.
        id: String,
        /// What was picked.
        picked: Vec<String>,
    },
    /// Filled a form in.
    Filled {
        /// The id that we gave it.
        id: String,
        /// Its fields, by the ids that we gave them.
        fields: Vec<(String, String)>,
    },
}

/// A request that does not read as Discord writes them.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("that is no interaction as Discord sends them: {0}")]
pub struct NoInteraction(String);

#[derive(Deserialize)]
struct RawInteraction {
    #[serde(default)]
    id: String,
    #[serde(rename = "type")]
    kind: u8,
    #[serde(default)]
    data: RawData,
    member: Option<RawMember>,
    user: Option<RawUser>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RawData {
    name: String,
    options: Vec<RawOption>,
    custom_id: String,
    values: Vec<String>,
    components: Vec<Json>,
}

#[derive(Deserialize)]
struct RawOption {
    name: String,
    #[serde(default)]
    value: Json,
}

#[derive(Deserialize)]
struct RawMember {
    user: RawUser,
}

#[derive(Deserialize)]
struct RawUser {
    id: String,
}

/// Reads a request.
///
/// # Errors
/// Fails where it does not read as Discord writes them.
pub fn read(body: &[u8]) -> Result<FromDiscord, NoInteraction> {
    let raw: RawInteraction =
        serde_json::from_slice(body).map_err(|error| NoInteraction(error.to_string()))?;
    let RawData {
        name,
        options,
        custom_id: id,
        values: picked,
        components,
    } = raw.data;
    let did = match raw.kind {
        1 => return Ok(FromDiscord::Ping),
        2 => Did::Typed {
            command: name,
            options: options
                .into_iter()
                .map(|option| (option.name, text(&option.value)))
                .collect(),
        },
        3 => Did::Pressed { id, picked },
        5 => {
            let mut fields = Vec::new();
            for one in &components {
                collect(one, &mut fields);
            }
            Did::Filled { id, fields }
        }
        other => return Err(NoInteraction(format!("type {other}"))),
    };
    let user = raw.member.map(|member| member.user).or(raw.user);
    let user = user.ok_or_else(|| NoInteraction("nobody did it".to_owned()))?;
    Ok(FromDiscord::Interaction(Interaction {
        id: raw.id,
        user: DiscordUser(user.id),
        did,
    }))
}

fn text(value: &Json) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The fields of a form, which stand in rows or under labels.
fn collect(component: &Json, fields: &mut Vec<(String, String)>) {
    if let (Some(id), Some(value)) = (component["custom_id"].as_str(), component["value"].as_str())
    {
        fields.push((id.to_owned(), value.to_owned()));
    }
    let inner = component["components"].as_array().into_iter().flatten();
    for one in inner.chain(component.get("component")) {
        collect(one, fields);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The first three vectors of RFC 8032, 7.1: the key, the message, its signature.
    const VECTORS: [(&str, &[u8], &str); 3] = [
        (
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            b"",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            b"\x72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ),
        (
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            b"\xaf\x82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
        ),
    ];

    #[test]
    fn the_standards_vectors_are_met_and_nothing_near_them() {
        for (key, message, signature) in VECTORS {
            let read: DiscordKey = key.parse().expect("a key");
            assert_eq!(read.to_string(), key);
            assert!(read.signed(signature, "", message));
            assert!(!read.signed(signature, "1", message), "another time");
            let mut other = message.to_vec();
            other.push(b' ');
            assert!(!read.signed(signature, "", &other), "another body");
            let wrong = signature.replacen(&signature[..2], "00", 1);
            assert!(!read.signed(&wrong, "", message), "another signature");
            assert!(!read.signed("", "", message));
            assert!(!read.signed("zz", "", message));
        }
        // What stands before the body is signed with it.
        let (key, _, signature) = VECTORS[1];
        let key: DiscordKey = key.parse().expect("a key");
        assert!(key.signed(signature, "r", b""));
        for no_key in [
            "",
            "d75a",
            "zz5a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        ] {
            assert!(no_key.parse::<DiscordKey>().is_err());
        }
    }

    fn interaction(sent: &Json) -> Interaction {
        match read(sent.to_string().as_bytes()) {
            Ok(FromDiscord::Interaction(interaction)) => interaction,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_discord_sends_reads() {
        let ping = json!({ "id": "1", "application_id": "2", "type": 1, "version": 1 });
        assert_eq!(read(ping.to_string().as_bytes()), Ok(FromDiscord::Ping));
        // In a server the user stands within the member.
        let typed = json!({
            "id": "11", "type": 2, "version": 1, "member": { "user": { "id": "53", "username": "Bo" }, "roles": [] },
            "data": { "id": "77", "name": "roll", "type": 1, "options": [{ "type": 3, "name": "line", "value": "3DICE6" }] },
        });
        let read = interaction(&typed);
        assert_eq!(read.user, DiscordUser("53".to_owned()));
        let options = vec![("line".to_owned(), "3DICE6".to_owned())];
        let command = "roll".to_owned();
        assert_eq!(read.did, Did::Typed { command, options });
        // In a private message it stands alone.
        let pressed = json!({
            "id": "12", "type": 3, "user": { "id": "53" }, "message": { "id": "9" },
            "data": { "component_type": 3, "custom_id": "a|reef", "values": ["row-out"] },
        });
        let did = Did::Pressed {
            id: "a|reef".to_owned(),
            picked: vec!["row-out".to_owned()],
        };
        assert_eq!(interaction(&pressed).did, did);
        let fields = |components: Json| {
            let filled = json!({
                "id": "13", "type": 5, "user": { "id": "53" },
                "data": { "custom_id": "f", "components": components },
            });
            interaction(&filled).did
        };
        let did = Did::Filled {
            id: "f".to_owned(),
            fields: vec![("wish".to_owned(), "gold".to_owned())],
        };
        let field = json!({ "type": 4, "custom_id": "wish", "value": "gold" });
        assert_eq!(fields(json!([{ "type": 1, "components": [field] }])), did);
        assert_eq!(fields(json!([{ "type": 18, "component": field }])), did);
        for strange in [
            json!({ "type": 9, "user": { "id": "1" } }),
            json!({ "type": 2, "data": { "name": "roll" } }),
            json!([]),
        ] {
            assert!(super::read(strange.to_string().as_bytes()).is_err());
        }
    }
}
