//! The five amendments of two rulebooks, in the words of the rulebooks' own tests.

use std::fs;
use std::path::Path;

use super::Edit;

/// A rulebook and what is changed in it.
pub(crate) struct Book {
    /// Its name.
    pub(crate) name: &'static str,
    /// The value of players that proposals beside the amendments give away.
    pub(crate) gift: &'static str,
    /// Where the amendments stand from which constants are taken.
    tests: String,
}

/// A proposal that changes the rules of the game.
pub(crate) struct Law {
    pub(crate) title: &'static str,
    pub(crate) edits: Vec<Edit>,
    /// What the report says of whether rules can still be changed.
    pub(crate) afterwards: &'static str,
}

impl Book {
    pub(crate) fn of(name: &'static str, gift: &'static str) -> Self {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulebooks");
        let tests = tests.join(name).join("tests/amendment.star");
        let tests = fs::read_to_string(tests).unwrap();
        Self { name, gift, tests }
    }

    /// A constant of the rulebook's tests.
    fn text(&self, name: &str) -> String {
        let (_, text) = self
            .tests
            .split_once(&format!("\n{name} = \"\"\""))
            .unwrap();
        let (text, _) = text.split_once("\"\"\"").unwrap();
        assert!(!text.contains('\\'), "{name} is not what it looks like");
        text.to_owned()
    }

    fn is_old(&self) -> bool {
        self.name == "hordes-22"
    }

    /// Quorum becomes two thirds.
    pub(crate) fn two_thirds(&self) -> Law {
        let edit = if self.is_old() {
            words(
                "enactment",
                &[
                    (
                        "is half of all {players}, rounded down, plus one",
                        "is two thirds of all {players}, rounded up",
                    ),
                    (
                        "majority(len(players()))",
                        "ceil_div(2 * len(players()), 3)",
                    ),
                ],
            )
        } else {
            words(
                "keywords",
                &[
                    (
                        "half their number, rounded down, plus one; without",
                        "two thirds of their number, rounded up; without",
                    ),
                    (
                        "return majority(len(group))",
                        "return ceil_div(2 * len(group), 3)",
                    ),
                ],
            )
        };
        law("[Appendix] Two thirds", vec![edit])
    }

    /// Nobody has a veto any more.
    pub(crate) fn no_veto(&self) -> Law {
        let edit = if self.is_old() {
            let was = "def no_leader(a: Attempt) -> bool:\n    return a.args.get(\"icon\") == \"veto\" and not leaders(a.actor)";
            let is =
                "def no_veto(a: Attempt) -> bool:\n    return a.args.get(\"icon\") == \"veto\"";
            words(
                "dynasties",
                &[
                    (&self.text("VETO"), &self.text("NO_VETO")),
                    (was, is),
                    (&self.text("VETO_CODE"), &self.text("NO_VETO_CODE")),
                ],
            )
        } else {
            let veto = "def veto(comment: Comment, proposal: Proposal):\n    boss = comment.author\n    if last_used(comment, proposal) \
                == \"veto\" and boss == game.emperor and boss not in proposal.vetoed_by:\n        proposal.vetoed_by += [boss]\n\n";
            words(
                "special-proposal-voting",
                &[
                    (
                        "2. On a proposal the {emperor} may also use the icon VETO. Such a vote makes the proposal vetoed, for good.",
                        "2. Nobody may veto a proposal, the {emperor} least of all. What was vetoed while that was allowed stays vetoed.",
                    ),
                    (veto, ""),
                    ("on(\"commented\", veto, of = Proposal)\n", ""),
                ],
            )
        };
        law("[Core] No more vetoes", vec![edit])
    }

    /// There is money, and a way to give it away.
    pub(crate) fn money(&self) -> Law {
        let add = Edit::Add {
            section: "dynastic",
            id: "pennies",
            text: self.text("MONEY"),
        };
        law("Pennies", vec![add])
    }

    /// Votes are secret until the matter is closed.
    pub(crate) fn secrecy(&self) -> Law {
        let mut edits = if self.is_old() {
            vec![
                words(
                    "voting",
                    &[
                        (
                            "Any {player} may vote on a pending proposal by a comment with an icon:",
                            "Any {player} may vote on a pending proposal, by the Secret Ballot:",
                        ),
                        ("{p: ballot(post, p)", "{p: true_ballot(post, p)"),
                        (
                            "def votes(post: Post, side: str)",
                            "def true_votes(post: Post, side: str)",
                        ),
                        (
                            "def ballot(post: Post, p: Player) -> str:\n    used",
                            "def true_ballot(post: Post, p: Player) -> str:\n    paper = paper_vote(post, p)\n    if paper != \"\":\n        return paper\n    used",
                        ),
                    ],
                ),
                words(
                    "enactment",
                    &[
                        (
                            "return 2 * votes(proposal, side)",
                            "return 2 * true_votes(proposal, side)",
                        ),
                        (
                            "return votes(proposal, \"for\") >= quorum()",
                            "return true_votes(proposal, \"for\") >= quorum()",
                        ),
                        (
                            "- votes(proposal, \"against\") < quorum()",
                            "- true_votes(proposal, \"against\") < quorum()",
                        ),
                        (
                            "\"enact\", tally(proposal)",
                            "\"enact\", true_tally(proposal)",
                        ),
                        (
                            "else tally(proposal), remark)",
                            "else true_tally(proposal), remark)",
                        ),
                        (
                            "if ballot(proposal, p) == \"\"]",
                            "if true_ballot(proposal, p) == \"\"]",
                        ),
                    ],
                ),
            ]
        } else {
            vec![
                words(
                    "votes",
                    &[
                        (
                            "by a comment under it with the icon FOR, AGAINST or DEFERENTIAL.",
                            "by a comment under it with the icon FOR, AGAINST or DEFERENTIAL, or on a proposal by the Secret Ballot.",
                        ),
                        ("def ballot(post: Post", "def comment_vote(post: Post"),
                        ("{p: ballot(post, p)", "{p: true_ballot(post, p)"),
                        ("def votes(post: Post", "def true_votes(post: Post"),
                        (
                            "= votes(post, \"for\"), votes(post, \"against\")",
                            "= true_votes(post, \"for\"), true_votes(post, \"against\")",
                        ),
                        (
                            "len(players()) - votes(post",
                            "len(players()) - true_votes(post",
                        ),
                    ],
                ),
                words(
                    "resolution",
                    &[
                        (
                            "resolve(proposal, \"enacted\", tally(proposal), remark)",
                            "resolve(proposal, \"enacted\", true_tally(proposal), remark)",
                        ),
                        (
                            "if proposal.self_killed else tally(proposal)",
                            "if proposal.self_killed else true_tally(proposal)",
                        ),
                    ],
                ),
            ]
        };
        edits.push(Edit::Add {
            section: "core",
            id: "the-secret-ballot",
            text: self.text("SECRET"),
        });
        Law {
            afterwards: "with votes given by “Ask for a ballot paper”",
            ..law("[Core] Secrecy", edits)
        }
    }

    /// Another rule of voting in the place of the one there is: twice as many votes for elders, or three sides instead of two.
    pub(crate) fn other_voting(&self) -> Law {
        if self.is_old() {
            let last = "    return \"for\" if post.category == \"Proposal\" and post.author == p and not used else \"\"\n```\n";
            let elders = self
                .text("SENIORITY")
                .replace("30 days", "a day")
                .replace("SENIOR = 30", "SENIOR = 1");
            let edits = vec![
                words(
                    "voting",
                    &[
                        (last, &format!("{last}{elders}")),
                        (
                            "return len([own for own in post.ballots.values() if own == side])",
                            "return weights([p for p, own in post.ballots.items() if own == side])",
                        ),
                        (
                            "return len([own for own in post.ballots.values() if own != \"\"])",
                            "return weights([p for p, own in post.ballots.items() if own != \"\"])",
                        ),
                    ],
                ),
                words(
                    "enactment",
                    &[
                        (
                            "is two thirds of all {players}, rounded up",
                            "is two thirds of the votes that all {players} have together, rounded up",
                        ),
                        (
                            "ceil_div(2 * len(players()), 3)",
                            "ceil_div(2 * weights(players()), 3)",
                        ),
                        (
                            "hopeless = len(players()) - true_votes",
                            "hopeless = weights(players()) - true_votes",
                        ),
                        (
                            "votes_cast(proposal) == len(players())",
                            "votes_cast(proposal) == weights(players())",
                        ),
                    ],
                ),
            ];
            // Votes are still on paper.
            return Law {
                afterwards: "with votes given by “Ask for a ballot paper”",
                ..law("Seniority", edits)
            };
        }
        let edits = vec![
            Edit::Whole("votes", self.text("THREE_SIDES")),
            Edit::Repeal("imperial-deferentials"),
            Edit::Repeal("the-secret-ballot"),
            words(
                "resolution",
                &[
                    (
                        "resolve(proposal, \"enacted\", true_tally(proposal), remark)",
                        "resolve(proposal, \"enacted\", tally(proposal), remark)",
                    ),
                    (
                        "if proposal.self_killed else true_tally(proposal)",
                        "if proposal.self_killed else tally(proposal)",
                    ),
                ],
            ),
        ];
        law("[Core] [Special Case] Three sides", edits)
    }
}

fn law(title: &'static str, edits: Vec<Edit>) -> Law {
    let afterwards = "Yes: such a proposal would be enacted";
    Law {
        title,
        edits,
        afterwards,
    }
}

fn words(rule: &'static str, pairs: &[(&str, &str)]) -> Edit {
    let pairs = pairs.iter();
    Edit::Words(
        rule,
        pairs
            .map(|(old, new)| ((*old).to_owned(), (*new).to_owned()))
            .collect(),
    )
}
