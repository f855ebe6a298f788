//! The commands that an application of Discord offers, as its operator registers them.

use serde_json::{Value as Json, json};

/// A command somebody can type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiscordCommand {
    /// Links the sender to an account.
    Link,
    /// What waits for the sender.
    NeedsMe,
    /// Rolls on the tracker's dice line.
    Roll,
    /// Takes an action.
    Act,
}

impl DiscordCommand {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Link, Self::NeedsMe, Self::Roll, Self::Act];

    /// What is typed behind the stroke.
    pub fn word(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::NeedsMe => "needs-me",
            Self::Roll => "roll",
            Self::Act => "act",
        }
    }

    /// The command of that word.
    pub fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|command| command.word() == word)
    }

    fn description(self) -> &'static str {
        match self {
            Self::Link => "Link your account, with the code from your account's page",
            Self::NeedsMe => "What waits for you, with buttons to vote and answer",
            Self::Roll => "Roll on the game's dice line",
            Self::Act => "Take an action that the rules offer you",
        }
    }

    fn options(self) -> Vec<Json> {
        let game = || option("game", "The game's word, if you play in several", false);
        match self {
            Self::Link => vec![option("code", "The code", true)],
            Self::NeedsMe | Self::Act => vec![game()],
            Self::Roll => vec![
                option("line", "Words and dice, such as 3DICE6", true),
                game(),
            ],
        }
    }
}

fn option(name: &str, description: &str, required: bool) -> Json {
    // 3 is a text.
    json!({ "type": 3, "name": name, "description": description, "required": required })
}

/// The commands as `PUT /applications/{id}/commands` takes them.
pub fn registered() -> Json {
    let all = DiscordCommand::ALL.map(|command| {
        json!({
            "type": 1,
            "name": command.word(),
            "description": command.description(),
            "options": command.options(),
        })
    });
    json!(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_keep_to_what_discord_takes() {
        let all = registered();
        for command in all.as_array().expect("a list") {
            let name = command["name"].as_str().expect("a name");
            let plain = |sign: char| sign.is_ascii_lowercase() || sign == '-';
            assert!(name.len() <= 32 && name.chars().all(plain), "{name}");
            let options = command["options"].as_array().expect("options");
            for one in options.iter().chain([command]) {
                let told = one["description"].as_str().expect("a description");
                assert!((1..=100).contains(&told.len()), "{told}");
            }
            // Those that must be given come first.
            let needed: Vec<bool> = options.iter().map(|one| one["required"] == true).collect();
            assert!(needed.is_sorted_by(|a, b| a >= b), "{name}");
            assert!(DiscordCommand::read(name).is_some());
        }
    }
}
