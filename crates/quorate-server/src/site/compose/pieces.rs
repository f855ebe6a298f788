//! A rule's text in pieces, as a form shows it: the words of each clause, and its code. Put together again, untouched pieces
//! are the very text.

use quorate_law::RuleText;

/// A piece of a rule's text.
#[derive(Clone, Debug)]
pub(crate) struct RulePiece {
    /// The number of its clause; 0 for what stands before the first one.
    pub(crate) clause: u32,
    /// Whether it is code, and no words.
    pub(crate) is_code: bool,
    /// What a form shows of it: code without its fence.
    pub(crate) shown: String,
    /// As it stands in the text, with the empty lines after it.
    raw: String,
    /// How far its fence is indented.
    indent: usize,
}

/// The pieces of a rule's text without its title, in order.
pub(crate) fn cut(body: &str) -> Vec<RulePiece> {
    let text = RuleText::parse(body);
    let mut pieces: Vec<(Option<usize>, Option<usize>, RulePiece)> = Vec::new();
    for (number, line) in (1_u32..).zip(body.split_inclusive('\n')) {
        let clause = text.clauses.iter().rposition(|one| one.line <= number);
        let fence = text.fences.iter().position(|one| {
            let length = u32::try_from(one.code.lines().count()).unwrap_or(u32::MAX);
            (one.line - 1..=one.line.saturating_add(length)).contains(&number)
        });
        if let Some((of, within, last)) = pieces.last_mut()
            && ((*of, *within) == (clause, fence) || fence.is_none() && line.trim().is_empty())
        {
            last.raw.push_str(line);
            continue;
        }
        let code = fence.map(|fence| &text.fences[fence]);
        let piece = RulePiece {
            clause: clause.map_or(0, |clause| text.clauses[clause].number),
            is_code: code.is_some(),
            shown: code.map_or_else(String::new, |code| code.code.trim_end().to_owned()),
            raw: line.to_owned(),
            indent: code.map_or(0, |code| code.indent as usize),
        };
        pieces.push((clause, fence, piece));
    }
    let pieces = pieces.into_iter().map(|(.., piece)| piece);
    pieces.map(RulePiece::with_its_words).collect()
}

/// The text of pieces that a form sent back: of each what was typed in its place, and code that was typed below it. What did
/// not arrive stays as it was.
pub(crate) fn joined<'a>(
    pieces: &[RulePiece],
    typed: impl Fn(usize) -> Option<&'a str>,
    added: impl Fn(usize) -> Option<&'a str>,
) -> String {
    let indent = pieces.iter().find(|piece| piece.is_code);
    let indent = indent.map_or(0, |piece| piece.indent);
    let mut body = String::new();
    for (nth, piece) in pieces.iter().enumerate() {
        match typed(nth) {
            Some(text) if text.trim_end() != piece.shown.trim_end() => {
                add(&mut body, &piece.with(text));
            }
            _ => body.push_str(&piece.raw),
        }
        if let Some(code) = added(nth).filter(|code| !code.trim().is_empty()) {
            add(&mut body, &fence("```starlark", "```", indent, code));
        }
    }
    body
}

/// The text with one more clause at its end, and its number.
pub(crate) fn with_a_clause(body: &str) -> (String, u32) {
    let clauses = RuleText::parse(body).clauses;
    let last = clauses.last().map_or(0, |clause| clause.number);
    let line = clauses
        .last()
        .and_then(|clause| body.lines().nth(clause.line as usize - 1));
    let is_numbered = line.is_none_or(|line| line.starts_with(|sign: char| sign.is_ascii_digit()));
    let mut more = body.to_owned();
    let clause = if is_numbered {
        format!("{}. ", last + 1)
    } else {
        "What the new clause says.".to_owned()
    };
    add(&mut more, &clause);
    (more, last + 1)
}

/// The text without clauses that are a number and no words.
pub(crate) fn said(body: &str) -> String {
    let pieces = cut(body);
    let bare = |nth: usize| !pieces[nth].is_code && is_bare(&pieces[nth].shown);
    let typed = |nth| bare(nth).then_some("");
    joined(&pieces, typed, |_| None)
}

/// Puts a paragraph at the end of a text.
fn add(body: &mut String, paragraph: &str) {
    if paragraph.is_empty() {
        return;
    }
    body.truncate(body.trim_end_matches('\n').len());
    if !body.is_empty() {
        body.push_str("\n\n");
    }
    body.push_str(paragraph);
    body.push_str("\n\n");
}

fn fence(opening: &str, closing: &str, indent: usize, code: &str) -> String {
    let lines = code.trim_end().lines();
    let lines = [opening.trim()]
        .into_iter()
        .chain(lines)
        .chain([closing.trim()]);
    let lines = lines.map(|line| format!("{:indent$}{line}", "").trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

impl RulePiece {
    /// Whether both show the same.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (self.clause, self.is_code, &self.shown) == (other.clause, other.is_code, &other.shown)
    }

    fn with_its_words(mut self) -> Self {
        if !self.is_code {
            let words = self.raw.trim_end_matches(['\n', ' ']);
            // A number waits for its words.
            let blank = if is_bare(words) { " " } else { "" };
            self.shown = format!("{words}{blank}");
        }
        self
    }

    /// The piece with another text in its place, without the empty lines after it.
    fn with(&self, text: &str) -> String {
        let text = text.trim_end().trim_start_matches('\n');
        if text.trim().is_empty() || !self.is_code && is_bare(text) {
            return String::new();
        }
        if !self.is_code {
            return text.to_owned();
        }
        let mut lines = self.raw.trim_end().lines();
        let opening = lines.next().unwrap_or_default();
        let marks = |line: &&str| line.trim_start().starts_with(['`', '~']);
        let closing = lines.next_back().filter(marks).unwrap_or("```");
        fence(opening, closing, self.indent, text)
    }
}

/// Whether it is the number of a clause without any words.
fn is_bare(text: &str) -> bool {
    let number = text.trim().strip_suffix('.');
    number.is_some_and(|number| number.bytes().all(|sign| sign.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "Words before.\n\n1. First words,\n   on two lines.\n\n```starlark\nA = 1\n```\n\n\
        2. Second.\n\n   ```starlark\n   def b():\n       return 2\n   ```\n\n   Still second.\n3. Third.\n";

    fn shown(body: &str) -> Vec<(u32, bool, String)> {
        let pieces = cut(body).into_iter();
        pieces
            .map(|piece| (piece.clause, piece.is_code, piece.shown))
            .collect()
    }

    fn changed(body: &str, nth: usize, text: &str) -> String {
        joined(&cut(body), |at| (at == nth).then_some(text), |_| None)
    }

    #[test]
    fn a_text_comes_apart_by_clauses_and_code() {
        let piece = |clause, is_code, text: &str| (clause, is_code, text.to_owned());
        assert_eq!(
            shown(BODY),
            [
                piece(0, false, "Words before."),
                piece(1, false, "1. First words,\n   on two lines."),
                piece(1, true, "A = 1"),
                piece(2, false, "2. Second."),
                piece(2, true, "def b():\n    return 2"),
                piece(2, false, "   Still second."),
                piece(3, false, "3. Third."),
            ]
        );
        assert_eq!(shown("1. \n"), [piece(1, false, "1. ")]);
    }

    #[test]
    fn untouched_pieces_are_the_very_text() {
        for body in [
            BODY,
            "",
            "\n\n1. A\n```starlark\nopen",
            "One.\n\n\nTwo.",
            "## Part\n\n1. A.",
        ] {
            let pieces = cut(body);
            assert_eq!(joined(&pieces, |_| None, |_| None), body);
            let as_shown = |nth: usize| pieces.get(nth).map(|piece| piece.shown.as_str());
            assert_eq!(joined(&pieces, as_shown, |_| None), body);
        }
    }

    #[test]
    fn a_piece_is_changed_in_its_place_and_nothing_else_is() {
        let other = "def b():\n    return 3\n";
        assert_eq!(
            changed(BODY, 4, other),
            BODY.replace("return 2", "return 3")
        );
        let words = changed(BODY, 1, "1. Other words.");
        assert_eq!(
            words,
            BODY.replace("1. First words,\n   on two lines.", "1. Other words.")
        );
    }

    #[test]
    fn an_emptied_piece_is_gone() {
        let without = changed(BODY, 2, " ");
        assert_eq!(without, BODY.replace("```starlark\nA = 1\n```\n\n", ""));
        assert_eq!(changed("1. A.\n\n2. \n", 1, "2. "), "1. A.\n\n2. \n");
        assert_eq!(said("1. A.\n\n2. \n"), "1. A.\n\n");
        assert_eq!(changed("1. A.\n\n2. B.\n", 1, "2."), "1. A.\n\n");
    }

    #[test]
    fn code_is_added_below_its_clause() {
        let pieces = cut("1. A.\n2. B.\n");
        let both = joined(&pieces, |_| None, |nth| (nth == 0).then_some("X = 1\n"));
        assert_eq!(both, "1. A.\n\n```starlark\nX = 1\n```\n\n2. B.\n");
        assert_eq!(shown(&both)[1], (1, true, "X = 1".to_owned()));
    }

    #[test]
    fn one_more_clause_has_the_next_number_or_is_a_paragraph() {
        assert_eq!(with_a_clause("1. A.\n"), ("1. A.\n\n2. \n\n".to_owned(), 2));
        assert_eq!(with_a_clause(""), ("1. \n\n".to_owned(), 1));
        let (text, number) = with_a_clause("One.\n\nTwo.\n");
        assert_eq!((cut(&text).len(), number), (3, 3));
    }
}
