//! Links are types: a page names where it leads, and this module alone knows how that is written.

use std::fmt;

use crate::ui::html::writes_html;

/// A place on this site. Made only from the types of this module, so it never leads outside and never runs a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Href(String);

impl Href {
    /// The written address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A place further down on the page itself.
    pub fn fragment(id: &str) -> Self {
        Self(format!("#{}", Segment(id)))
    }

    /// The same place with a fragment.
    #[must_use]
    pub fn at(&self, id: &str) -> Self {
        Self(format!(
            "{}#{}",
            self.0.split('#').next().unwrap_or_default(),
            Segment(id)
        ))
    }

    /// The same place with one more parameter.
    #[must_use]
    pub fn with(&self, name: &str, value: &str) -> Self {
        let (path, fragment) = match self.0.split_once('#') {
            Some((path, fragment)) => (path, format!("#{fragment}")),
            None => (self.0.as_str(), String::new()),
        };
        let joint = if path.contains('?') { '&' } else { '?' };
        Self(format!(
            "{path}{joint}{}={}{fragment}",
            Segment(name),
            Segment(value)
        ))
    }

    /// A place that a reader asked to come back to (`?next=`): a path on this site or nothing. Another host, a scheme,
    /// a backslash or a control character makes it nothing, so that no link from outside sends a reader on.
    pub fn returning(asked: &str) -> Option<Self> {
        let local = asked.starts_with('/')
            && !asked.starts_with("//")
            && !asked.contains('\\')
            && !asked.chars().any(|c| c.is_control() || c.is_whitespace());
        local.then(|| Self(asked.to_owned()))
    }
}

impl fmt::Display for Href {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Everything but the joints of a query was percent-encoded when it was written; a returned path was not.
        f.write_str(&crate::ui::html::escape(&self.0))
    }
}

writes_html!(Href);

/// A part of a path or query, percent-encoded but for unreserved characters.
struct Segment<'a>(&'a str);

impl fmt::Display for Segment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0.bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~:".contains(&byte) {
                write!(f, "{}", char::from(byte))?;
            } else {
                write!(f, "%{byte:02X}")?;
            }
        }
        Ok(())
    }
}

macro_rules! links {
    ($($(#[$meta:meta])* $name:ident ( $($field:ident),* ) => $form:literal;)+) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<'a> {
            $(
                #[doc = concat!("The part of the address that names the ", stringify!($field), ".")]
                pub $field: &'a str,
            )*
        }

        impl From<$name<'_>> for Href {
            fn from(link: $name<'_>) -> Self {
                $(let $field = Segment(link.$field);)*
                Self(format!($form))
            }
        }
    )+ };
}

macro_rules! fixed_links {
    ($($(#[$meta:meta])* $name:ident => $path:literal;)+) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl From<$name> for Href {
            fn from(_: $name) -> Self {
                Self($path.to_owned())
            }
        }
    )+ };
}

fixed_links! {
    /// All games of this server.
    Home => "/";
    /// The form that founds a game.
    Found => "/found";
    /// Signing in.
    SignIn => "/sign-in";
    /// The code after the password, where an account has a second factor.
    SignInCode => "/sign-in/code";
    /// Signing in with a passkey.
    SignInPasskey => "/sign-in/passkey";
    /// Signing out; takes a form, as everything that changes something.
    SignOut => "/sign-out";
    /// Making an account.
    SignUp => "/sign-up";
    /// Asking for a recovery link.
    Recover => "/recover";
    /// One's own account.
    Settings => "/settings";
    /// How to play, and the words.
    Help => "/help";
    /// What is kept about whom.
    Privacy => "/privacy";
    /// What one hears of, and how.
    Notices => "/notices";
    /// The operator's panel.
    Operator => "/operator";
    /// What happened to accounts, for the operator.
    OperatorSecurity => "/operator/security";
    /// All that the server keeps as a file, for the operator.
    WholeBackup => "/operator/backup";
}

links! {
    /// The reader has seen what is new: posts, rules or values.
    Seen(game, what) => "/g/{game}/seen/{what}";
    /// A recovery link as it was mailed or handed over.
    RecoverWith(code) => "/recover/{code}";
    /// An invitation.
    Invitation(code) => "/invitation/{code}";
    /// Something to be chosen of what one hears.
    NoticesDo(what) => "/notices/{what}";
    /// Where one click turns something off, without signing in.
    NoticeOff(word) => "/notices/off/{word}";
    /// Where somebody confirms that they read on a channel.
    NoticeConfirm(word) => "/notices/confirm/{word}";
    /// What waits for somebody, as a feed or a calendar.
    OwnFeed(word, form) => "/feeds/{word}/{form}";
    /// Where somebody follows or mutes something of a game.
    Follow(game) => "/g/{game}/follow";
    /// A game's feeds and its calendar.
    FeedAs(game, form) => "/g/{game}/feeds/{form}";
    /// Where a form of the settings goes.
    SettingsDo(what) => "/settings/{what}";
    /// On to an issuer elsewhere that lets people in here.
    SignInWith(provider) => "/sign-in/with/{provider}";
    /// Back from there.
    SignInFrom(provider) => "/sign-in/from/{provider}";
    /// Where a form of the operator's panel goes.
    OperatorDo(what) => "/operator/{what}";
    /// A game as a file, for the operator.
    Backup(game) => "/operator/backup/{game}";
    /// A game's front page.
    Game(game) => "/g/{game}";
    /// Telling the operator of a post or a person.
    Report(game) => "/g/{game}/report";
    /// Where somebody asks to join.
    Join(game) => "/g/{game}/join";
    /// The choice of a category to write in.
    Compose(game) => "/g/{game}/new";
    /// The form of one category.
    ComposeIn(game, category) => "/g/{game}/new/{category}";
    /// Keeping a draft.
    DraftKeep(game) => "/g/{game}/drafts";
    /// Deleting one.
    DraftDelete(game) => "/g/{game}/drafts/delete";
    /// Uploading a picture for a text.
    UploadTake(game) => "/g/{game}/uploads";
    /// A picture that its reader uploaded.
    Upload(game, word) => "/g/{game}/uploads/{word}";
    /// A picture in a post or a comment.
    PostPicture(game, post, word) => "/g/{game}/post/{post}/picture/{word}";
    /// A post with its comments.
    Post(game, post) => "/g/{game}/post/{post}";
    /// All that a proposal would do.
    Effects(game, post) => "/g/{game}/post/{post}/effects";
    /// How the tests of the rules go with it.
    Proof(game, post) => "/g/{game}/post/{post}/effects/tests";
    /// The versions of an edited post.
    PostVersions(game, post) => "/g/{game}/post/{post}/versions";
    /// Both gamestates of a ruling.
    Ruling(game, post) => "/g/{game}/post/{post}/ruling";
    /// Editing a post while its window lasts.
    PostEdit(game, post) => "/g/{game}/post/{post}/edit";
    /// Where a comment or vote goes.
    Comment(game, post) => "/g/{game}/post/{post}/comment";
    /// The ruleset.
    Ruleset(game) => "/g/{game}/rules";
    /// The ruleset as one text with all of its code.
    RulesetSource(game) => "/g/{game}/rules.txt";
    /// One rule in the ruleset.
    Rule(game, rule) => "/g/{game}/rules#rule-{rule}";
    /// One clause in the ruleset.
    Clause(game, rule, clause) => "/g/{game}/rules#rule-{rule}.{clause}";
    /// The versions of one rule.
    RuleHistory(game, rule) => "/g/{game}/rules/{rule}/history";
    /// Two versions of the ruleset side by side.
    Compare(game) => "/g/{game}/compare";
    /// The tracked values.
    Tracker(game) => "/g/{game}/tracker";
    /// Where a changed value, with its reason, goes.
    Claim(game) => "/g/{game}/claim";
    /// Where the dice line goes.
    Roll(game) => "/g/{game}/roll";
    /// What the reader can do.
    Act(game) => "/g/{game}/act";
    /// One action, with its form.
    Action(game, action) => "/g/{game}/act/{action}";
    /// What that action would do, as its form is filled in.
    ActionTrial(game, action) => "/g/{game}/act/{action}/trial";
    /// Where the answer to a question or duty goes.
    Answer(game, question) => "/g/{game}/answer/{question}";
    /// A picture that a value holds, by its digest.
    Picture(game, thing, name, digest) => "/g/{game}/picture/{thing}/{name}/{digest}";
    /// A board that the law declares.
    Board(game, board) => "/g/{game}/board/{board}";
    /// A page that the law declares or that people keep.
    Page(game, page) => "/g/{game}/page/{page}";
    /// The admins' desk.
    Desk(game) => "/g/{game}/desk";
    /// Everybody in the game.
    Players(game) => "/g/{game}/players";
    /// One of them.
    Player(game, player) => "/g/{game}/players/{player}";
    /// All dynasties.
    Dynasties(game) => "/g/{game}/dynasties";
    /// One dynasty.
    Dynasty(game, dynasty) => "/g/{game}/dynasties/{dynasty}";
    /// The log.
    Log(game) => "/g/{game}/log";
    /// One event: what it did, on which dice, by which law, and what can be done about it.
    Event(game, event) => "/g/{game}/log/{event}";
    /// Where an undo goes.
    Undo(game, event) => "/g/{game}/log/{event}/undo";
    /// Where a dispute goes.
    Dispute(game, event) => "/g/{game}/log/{event}/dispute";
    /// Where the wish goes that the words of an event be forgotten.
    Forget(game, event) => "/g/{game}/log/{event}/forget";
    /// Where the confirmation of a claim goes.
    Confirm(game, event) => "/g/{game}/log/{event}/confirm";
    /// Charts.
    Charts(game) => "/g/{game}/charts";
    /// Private messages.
    Messages(game) => "/g/{game}/messages";
    /// One conversation.
    Thread(game, thread) => "/g/{game}/messages/{thread}";
    /// Search in posts, comments and rules.
    Search(game) => "/g/{game}/search";
    /// The live stream of server-sent events.
    Stream(game) => "/g/{game}/stream";
    /// The feed of posts.
    Feed(game) => "/g/{game}/feed.atom";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_an_address_cannot_leave_its_place() {
        let href = Href::from(Post {
            game: "a/../b",
            post: "1?x=\"><script>",
        });
        assert_eq!(
            href.as_str(),
            "/g/a%2F..%2Fb/post/1%3Fx%3D%22%3E%3Cscript%3E"
        );
    }

    #[test]
    fn parameters_come_before_a_fragment() {
        let href = Href::from(Clause {
            game: "salt",
            rule: "tides",
            clause: "2",
        })
        .with("at", "2027-05-14");
        assert_eq!(href.as_str(), "/g/salt/rules?at=2027-05-14#rule-tides.2");
        assert_eq!(
            href.with("v", "1").at("top").as_str(),
            "/g/salt/rules?at=2027-05-14&v=1#top"
        );
    }

    #[test]
    fn nobody_is_sent_on_to_another_host() {
        for asked in [
            "https://elsewhere.example",
            "//elsewhere.example",
            "/\\elsewhere.example",
            "javascript:x",
            "",
            "/a b",
        ] {
            assert_eq!(Href::returning(asked), None, "{asked}");
        }
        assert_eq!(
            Href::returning("/g/salt/desk")
                .map(|h| h.to_string())
                .as_deref(),
            Some("/g/salt/desk")
        );
    }

    #[test]
    fn a_returned_path_is_escaped_where_it_is_written() {
        let href = Href::returning("/g/salt?q=\"onx").expect("a local path");
        assert_eq!(href.to_string(), "/g/salt?q=&#34;onx");
    }
}
