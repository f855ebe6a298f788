//! The words of rule code, with their places: enough of the language to change one of them.

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    /// A name or a keyword.
    Word,
    /// A whole number.
    Number,
    /// A text, its quotes included.
    Text,
    /// A sign, or several that belong together.
    Sign,
}

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CodeToken<'a> {
    pub kind: TokenKind,
    pub text: &'a str,
    /// Its first byte.
    pub at: usize,
}

impl CodeToken<'_> {
    /// The byte behind it.
    pub(super) fn end(&self) -> usize {
        self.at + self.text.len()
    }

    /// Whether it is a value by itself or the end of one, so that a sign behind it stands between two.
    pub(super) fn ends_value(&self) -> bool {
        match self.kind {
            TokenKind::Number | TokenKind::Text => true,
            TokenKind::Word => !KEYWORDS.contains(&self.text),
            TokenKind::Sign => matches!(self.text, ")" | "]" | "}"),
        }
    }
}

/// A statement or the head of a block: its tokens, and the column of its first.
#[derive(Clone, Debug)]
pub(super) struct CodeLine<'a> {
    pub tokens: Vec<CodeToken<'a>>,
    pub column: usize,
}

const KEYWORDS: [&str; 16] = [
    "and", "or", "not", "in", "if", "elif", "else", "for", "def", "return", "pass", "break",
    "continue", "lambda", "load", "while",
];

/// Signs of more than one character; longer ones first.
const SIGNS: [&str; 19] = [
    "//=", "<<=", ">>=", "**", "==", "!=", "<=", ">=", "->", "+=", "-=", "*=", "/=", "%=", "|=",
    "&=", "//", "<<", ">>",
];

/// Takes code apart into its statements. Comments and blank lines are left out.
pub(super) fn lines(code: &str) -> Vec<CodeLine<'_>> {
    let mut lines: Vec<CodeLine<'_>> = Vec::new();
    let (mut at, mut depth, mut fresh) = (0_usize, 0_usize, true);
    while let Some(next) = code[at..].chars().next() {
        if next == '\n' {
            fresh = fresh || depth == 0;
            at += 1;
            continue;
        }
        if next == '#' {
            at += code[at..].find('\n').unwrap_or(code.len() - at);
            continue;
        }
        if next.is_whitespace() || next == '\\' {
            at += next.len_utf8();
            continue;
        }
        let token = token(code, at);
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if fresh {
            let start = code[..at].rfind('\n').map_or(0, |end| end + 1);
            lines.push(CodeLine {
                tokens: Vec::new(),
                column: at - start,
            });
            fresh = false;
        }
        if let Some(line) = lines.last_mut() {
            line.tokens.push(token);
        }
        at = token.end();
    }
    lines
}

fn token(code: &str, at: usize) -> CodeToken<'_> {
    let rest = &code[at..];
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let length = |of: &dyn Fn(char) -> bool| rest.find(|c: char| !of(c)).unwrap_or(rest.len());
    let first = rest.chars().next().unwrap_or(' ');
    let prefix = rest.len() - rest.trim_start_matches(['f', 'r', 'b']).len();
    if prefix <= 2 && rest[prefix..].starts_with(['"', '\'']) {
        let text = &rest[..prefix + text_length(&rest[prefix..])];
        let kind = TokenKind::Text;
        return CodeToken { kind, text, at };
    }
    let (kind, length) = if first.is_ascii_digit() {
        (TokenKind::Number, length(&word))
    } else if word(first) {
        (TokenKind::Word, length(&word))
    } else {
        let known = SIGNS.iter().find(|sign| rest.starts_with(**sign));
        (
            TokenKind::Sign,
            known.map_or(first.len_utf8(), |sign| sign.len()),
        )
    };
    let text = &rest[..length];
    CodeToken { kind, text, at }
}

/// How long a text is that begins with its quote.
fn text_length(rest: &str) -> usize {
    let quote = if rest.starts_with("\"\"\"") || rest.starts_with("'''") {
        &rest[..3]
    } else {
        &rest[..1]
    };
    let mut at = quote.len();
    while at < rest.len() {
        if rest[at..].starts_with(quote) {
            return at + quote.len();
        }
        let escaped = rest[at..].starts_with('\\');
        let mut chars = rest[at..].chars();
        at += chars.next().map_or(1, char::len_utf8);
        if escaped {
            at += chars.next().map_or(0, char::len_utf8);
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_go_over_lines_within_brackets_and_texts_hold_what_looks_like_code() {
        let code = "x = f(1,\n    2)  # a == b\n\ndef g(a: str) -> int:\n    return len(f\"a != {a}\") // 2 - -1\n";
        let lines = lines(code);
        let words: Vec<Vec<&str>> = lines
            .iter()
            .map(|line| line.tokens.iter().map(|token| token.text).collect())
            .collect();
        assert_eq!(words[0], ["x", "=", "f", "(", "1", ",", "2", ")"]);
        assert_eq!(
            words[2],
            [
                "return",
                "len",
                "(",
                "f\"a != {a}\"",
                ")",
                "//",
                "2",
                "-",
                "-",
                "1"
            ]
        );
        assert_eq!(lines[2].column, 4);
        let number = lines[2].tokens[9];
        assert_eq!(
            (number.kind, &code[number.at..number.end()]),
            (TokenKind::Number, "1")
        );
    }

    #[test]
    fn texts_end_at_their_own_quote() {
        let texts = |code| -> Vec<String> {
            let lines = lines(code);
            lines[0].tokens.iter().map(|t| t.text.to_owned()).collect()
        };
        assert_eq!(texts("\"a\\\"b\" + 'c'"), ["\"a\\\"b\"", "+", "'c'"]);
        assert_eq!(texts("\"\"\"a\n\"b\"\n\"\"\""), ["\"\"\"a\n\"b\"\n\"\"\""]);
    }
}
