//! The law: the ruleset, a rule’s history, two versions side by side.

use askama::Template;

use crate::ui::code::CodeHtml;
use crate::ui::markup::Markup;
use crate::ui::urls::Href;
use crate::ui::{Change, Chrome, Field, Follow, Fresh, Link, When};

/// A rule in the contents.
#[derive(Clone, Debug)]
pub struct TocRule {
    /// "12", "12.3".
    pub number: String,
    /// Its title.
    pub title: String,
    /// Its place on the page.
    pub href: Href,
    /// Switched off as things stand.
    pub is_off: bool,
    /// Changed since the reader said that they have seen the rules.
    pub is_new: bool,
}

/// What stands beside a clause's prose.
#[derive(Clone, Debug)]
pub enum Beside {
    /// Nothing is to be said.
    Nothing,
    /// Its code, folded.
    Code {
        /// The code.
        code: CodeHtml,
        /// Whether it is unfolded as the page comes.
        is_open: bool,
    },
    /// Its code on demand: the ruleset does not carry all of it.
    Elsewhere {
        /// "code, 18 lines".
        words: String,
        /// Where.
        href: Href,
    },
    /// Played by claim.
    ProseOnly,
    /// Its code sleeps.
    Asleep {
        /// "since 13 May: it leans on `ward_map`, which the last enactment removed".
        reason: String,
        /// A proposal that mends it.
        mend: Option<Href>,
    },
}

/// Names that the code of a clause asks for and nobody has any more.
#[derive(Clone, Debug)]
pub struct Missed {
    /// "it asks for `ward_map` of Wards, which was repealed on 13 May".
    pub text: String,
    /// A proposal that mends it.
    pub mend: Option<Href>,
}

/// One clause.
#[derive(Clone, Debug)]
pub struct ShownClause {
    /// The element's id: "rule-zombies.2".
    pub id: String,
    /// Its number within the rule.
    pub number: String,
    /// "12.2", for its permalink.
    pub called: String,
    /// What people read.
    pub prose: Markup,
    /// What the machine reads.
    pub beside: Beside,
    /// What its code breaks of where it comes to a name that went with another rule.
    pub misses: Option<Missed>,
    /// Changed since the reader's last visit.
    pub is_new: bool,
}

/// One rule.
#[derive(Clone, Debug)]
pub struct ShownRule {
    /// The element's id: "rule-zombies".
    pub id: String,
    /// "12".
    pub number: String,
    /// Its title.
    pub title: String,
    /// Whether it is a part of the rule above.
    pub is_sub: bool,
    /// "Clause 3 changed by", "Unchanged since the founding, 2 March".
    pub changed: String,
    /// The post that changed it.
    pub by: Option<Link>,
    /// "(Pell), 13 May, 8–1".
    pub how: String,
    /// "4 versions".
    pub history: Link,
    /// A proposal that begins with this rule.
    pub propose: Option<Href>,
    /// Proposals that would change it.
    pub pending: Vec<Link>,
    /// Switched off, with the reason.
    pub off: Option<String>,
    /// Its clauses.
    pub clauses: Vec<ShownClause>,
}

/// A section of the ruleset.
#[derive(Clone, Debug)]
pub struct RulesetPart {
    /// "Dynastic rules".
    pub title: String,
    /// Its contents.
    pub toc: Vec<TocRule>,
    /// Its rules.
    pub rules: Vec<ShownRule>,
}

/// The whole ruleset.
#[derive(Clone, Debug, Template)]
#[template(path = "site/ruleset/ruleset.html")]
pub struct Ruleset {
    /// Around it.
    pub chrome: Chrome,
    /// What has changed since the reader said that they have seen the rules.
    pub fresh: Option<Fresh>,
    /// When the newest of its rules was made or changed.
    pub since: Option<When>,
    /// The moment of which it is, where that is not now.
    pub stood: Option<When>,
    /// Two versions side by side.
    pub compare: Href,
    /// The whole as one text, with all code.
    pub source: Href,
    /// This page as of a day that the reader names.
    pub as_of: Field,
    /// Where the search goes.
    pub search: Href,
    /// Its sections in order.
    pub parts: Vec<RulesetPart>,
}

impl Ruleset {
    fn rule_count(&self) -> usize {
        self.parts.iter().map(|part| part.rules.len()).sum()
    }

    fn here(&self) -> Href {
        self.chrome
            .game
            .as_ref()
            .map_or_else(|| Href::fragment("main"), |game| game.rules.clone())
    }
}

/// A version of a rule.
#[derive(Clone, Debug)]
pub struct VersionLine {
    /// Since when.
    pub when: When,
    /// The matter that made it.
    pub by: Link,
    /// "Pell, 8–1".
    pub how: String,
    /// The ruleset from then on.
    pub then: Option<Href>,
    /// What it changed.
    pub changes: Vec<Change>,
}

/// Who wrote which line.
#[derive(Clone, Debug)]
pub struct BlameLine {
    /// The line or clause.
    pub text: String,
    /// The matter that brought it.
    pub by: Link,
    /// "Pell, 13 May".
    pub who: String,
}

/// A rule's history.
#[derive(Clone, Debug, Template)]
#[template(path = "site/ruleset/rule_history.html")]
pub struct RuleHistoryPage {
    /// Around it.
    pub chrome: Chrome,
    /// "12".
    pub number: String,
    /// Its title.
    pub title: String,
    /// Where it stands.
    pub rule: Href,
    /// The text with who wrote which line.
    pub blame: Vec<BlameLine>,
    /// Latest first.
    pub versions: Vec<VersionLine>,
    /// Whether to hear of it.
    pub follow: Option<Follow>,
}

/// Two versions side by side.
#[derive(Clone, Debug, Template)]
#[template(path = "site/ruleset/compare.html")]
pub struct Compare {
    /// Around it.
    pub chrome: Chrome,
    /// This page.
    pub here: Href,
    /// The older version.
    pub from: Field,
    /// The newer one.
    pub to: Field,
    /// "From version 38 to version 41: 3 rules, 5 clauses."
    pub summary: String,
    /// What differs.
    pub changes: Vec<Change>,
}
