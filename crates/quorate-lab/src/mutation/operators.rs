//! The small changes themselves.
//!
//! What only people read is left alone: texts, titles, lines for the log, and the numbers that a refusal shows.

use std::ops::Range;

use super::tokens::{self, CodeLine, CodeToken, TokenKind};

/// Some bytes of a fence and what takes their place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CodeEdit {
    pub at: Range<usize>,
    pub with: String,
    /// The change in words.
    pub change: String,
}

/// Arguments that only people read.
const FOR_PEOPLE: [&str; 4] = ["have", "need", "title", "why"];

/// Calls that only people see the effect of.
const SAID: [&str; 2] = ["note", "page"];

/// Declarations that act by being there.
const ACTING: [&str; 11] = [
    "permit",
    "forbid",
    "on",
    "after",
    "changed",
    "automatic",
    "modify",
    "exclude",
    "prioritise",
    "condition",
    "decision",
];

/// Arguments of a declaration that it can do without, at the loss of what they hold back.
const OPTIONAL: [&str; 11] = [
    "limit", "by", "min", "max", "unique", "outside", "shown_to", "author", "gap", "shared", "but",
];

/// Signs and what is written in their place.
const SIGNS: [(&str, &[&str]); 13] = [
    ("==", &["!="]),
    ("!=", &["=="]),
    ("<", &["<=", ">="]),
    ("<=", &["<", ">"]),
    (">", &[">=", "<="]),
    (">=", &[">", "<"]),
    ("+", &["-"]),
    ("-", &["+"]),
    ("*", &["//"]),
    ("//", &["*"]),
    ("%", &["//"]),
    ("+=", &["-="]),
    ("-=", &["+="]),
];

/// Words and what is written in their place.
const WORDS: [(&str, &str); 6] = [
    ("and", "or"),
    ("or", "and"),
    ("True", "False"),
    ("False", "True"),
    ("min", "max"),
    ("max", "min"),
];

/// All changes of a fence, in the order of its text.
pub(super) fn edits(code: &str) -> Vec<CodeEdit> {
    let lines = tokens::lines(code);
    let top = lines.first().map_or(0, |line| line.column);
    let mut edits = Vec::new();
    // How far the statements of the function are indented that is being read.
    let mut body = None;
    for line in &lines {
        let first = line.tokens[0];
        if line.column == top {
            body = None;
        } else if body.is_none() {
            body = Some(line.column);
        }
        if first.kind == TokenKind::Text {
            continue;
        }
        let nested = body.is_some_and(|body| line.column > body);
        if let Some(edit) = without_statement(code, line, body.is_none(), nested) {
            edits.push(edit);
        }
        edits.extend(negated(code, line));
        let quiet = quiet(&line.tokens);
        words_and_signs(line, &quiet, &mut edits);
        if body.is_none() {
            without_arguments(code, line, &mut edits);
        }
    }
    edits.sort_by_key(|edit| (edit.at.start, edit.at.end));
    edits
}

/// The edit that takes a statement away, where something may be missed then.
fn without_statement(code: &str, line: &CodeLine<'_>, top: bool, nested: bool) -> Option<CodeEdit> {
    let words: Vec<&str> = line.tokens.iter().take(2).map(|token| token.text).collect();
    let (first, second) = (words[0], words.get(1).copied().unwrap_or(""));
    let goes = if top {
        ACTING.contains(&first) && second == "("
    } else {
        match first {
            "return" | "break" | "continue" => nested,
            "if" | "elif" | "else" | "for" | "def" | "pass" => false,
            _ if SAID.contains(&first) => false,
            _ => matches!(second, "(" | "." | "[" | "+=" | "-="),
        }
    };
    let at = line.tokens[0].at..line.tokens.last()?.end();
    goes.then(|| CodeEdit {
        change: format!("`{}` is deleted", shortened(&code[at.clone()])),
        with: if top { "" } else { "pass" }.to_owned(),
        at,
    })
}

/// The edit that turns a condition round which is no comparison, for those are turned round by their signs.
fn negated(code: &str, line: &CodeLine<'_>) -> Option<CodeEdit> {
    let (first, last) = (line.tokens.first()?, line.tokens.last()?);
    if !matches!(first.text, "if" | "elif") {
        return None;
    }
    let mut depth = 0_i32;
    let end = line.tokens.iter().find(|token| {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        depth == 0 && token.text == ":"
    });
    let condition = line.tokens.get(1)?.at..end.unwrap_or(last).at;
    let inner = line
        .tokens
        .iter()
        .filter(|token| condition.contains(&token.at));
    let plain = !inner.into_iter().any(|token| {
        matches!(
            token.text,
            "==" | "!=" | "<" | "<=" | ">" | ">=" | "and" | "or" | "not" | "in"
        )
    });
    let text = &code[condition.clone()];
    plain.then(|| CodeEdit {
        change: format!("the condition `{}` is turned round", shortened(text)),
        with: format!("not ({text})"),
        at: condition,
    })
}

/// Which tokens only people read.
fn quiet(tokens: &[CodeToken<'_>]) -> Vec<bool> {
    // For each open bracket: whether what it holds is quiet, and whether the argument is that is being read.
    let mut open: Vec<(bool, bool)> = Vec::new();
    let mut quiet = Vec::with_capacity(tokens.len());
    for (index, token) in tokens.iter().enumerate() {
        let before = index
            .checked_sub(1)
            .map_or("", |before| tokens[before].text);
        let after = tokens.get(index + 1).map_or("", |after| after.text);
        if token.text == ","
            && let Some((_, argument)) = open.last_mut()
        {
            *argument = false;
        }
        if after == "="
            && matches!(before, "(" | ",")
            && FOR_PEOPLE.contains(&token.text)
            && let Some((_, argument)) = open.last_mut()
        {
            *argument = true;
        }
        let here = open.last().is_some_and(|(all, argument)| *all || *argument);
        quiet.push(here);
        match token.text {
            "(" | "[" | "{" => open.push((here || SAID.contains(&before), false)),
            ")" | "]" | "}" => {
                open.pop();
            }
            _ => {}
        }
    }
    quiet
}

fn words_and_signs(line: &CodeLine<'_>, quiet: &[bool], edits: &mut Vec<CodeEdit>) {
    let tokens = &line.tokens;
    let mut becomes = |token: &CodeToken<'_>, with: &str| {
        edits.push(CodeEdit {
            at: token.at..token.end(),
            with: with.to_owned(),
            change: format!("`{}` becomes `{with}`", token.text),
        });
    };
    let mut loops = 0_u32;
    for (index, token) in tokens.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| &tokens[before]);
        let after = tokens.get(index + 1);
        let is_for = token.text == "for";
        let ends_for = token.text == "in" && loops > 0;
        loops = loops + u32::from(is_for) - u32::from(ends_for);
        if quiet[index] || ends_for {
            continue;
        }
        match token.kind {
            TokenKind::Number => {
                for near in numbers_near(token.text) {
                    becomes(token, &near);
                }
            }
            TokenKind::Sign if between_values(before, token, after) => {
                let signs = SIGNS.iter().find(|(sign, _)| *sign == token.text);
                for with in signs.map_or(&[][..], |(_, others)| others) {
                    becomes(token, with);
                }
            }
            TokenKind::Word if token.text == "in" && before.is_none_or(|b| b.text != "not") => {
                becomes(token, "not in");
            }
            TokenKind::Word if token.text == "min" || token.text == "max" => {
                let called = after.is_some_and(|after| after.text == "(");
                if called && before.is_none_or(|before| before.text != ".") {
                    becomes(token, if token.text == "min" { "max" } else { "min" });
                }
            }
            TokenKind::Word => {
                let other = WORDS.iter().find(|(word, _)| *word == token.text);
                if let Some((_, other)) = other {
                    becomes(token, other);
                }
            }
            TokenKind::Sign | TokenKind::Text => {}
        }
    }
    for pair in tokens.windows(2).zip(quiet).filter(|(_, quiet)| !**quiet) {
        let ([not, next], _) = (pair.0, pair.1) else {
            continue;
        };
        if not.text == "not" {
            edits.push(CodeEdit {
                at: not.at..next.at,
                with: String::new(),
                change: format!("`not` goes from `not {}`", next.text),
            });
        }
    }
}

/// Whether a sign compares or reckons: it stands between two values, and puts no texts together.
fn between_values(
    before: Option<&CodeToken<'_>>,
    sign: &CodeToken<'_>,
    after: Option<&CodeToken<'_>>,
) -> bool {
    let (Some(before), Some(after)) = (before, after) else {
        return false;
    };
    let joins = matches!(sign.text, "+" | "+=" | "%");
    let of_texts = before.kind == TokenKind::Text || after.kind == TokenKind::Text;
    let of_lists = before.text == "]" || after.text == "[";
    before.ends_value() && !(joins && (of_texts || of_lists))
}

fn numbers_near(text: &str) -> Vec<String> {
    let Ok(number) = text.parse::<i64>() else {
        return Vec::new();
    };
    let below = number.checked_sub(1).filter(|below| *below >= 0);
    let above = number.checked_add(1);
    below
        .into_iter()
        .chain(above)
        .map(|near| near.to_string())
        .collect()
}

/// The edits that take an argument from a declaration.
fn without_arguments(code: &str, line: &CodeLine<'_>, edits: &mut Vec<CodeEdit>) {
    let tokens = &line.tokens;
    let (mut depth, mut comma) = (0_usize, None);
    let mut dropped: Option<(usize, usize)> = None;
    for (index, token) in tokens.iter().enumerate() {
        let ends = depth == 1 && matches!(token.text, "," | ")");
        if ends && let Some((from, name)) = dropped.take() {
            let at = from..tokens[index - 1].end();
            edits.push(CodeEdit {
                change: format!("`{}` is dropped", shortened(&code[name..at.end])),
                with: String::new(),
                at,
            });
        }
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "," if depth == 1 => comma = Some(token.at),
            name if depth == 1 && OPTIONAL.contains(&name) => {
                let named = tokens.get(index + 1).is_some_and(|next| next.text == "=");
                let follows = index > 0 && tokens[index - 1].text == ",";
                if let Some(comma) = comma.filter(|_| named && follows) {
                    dropped = Some((comma, token.at));
                }
            }
            _ => {}
        }
    }
}

/// Enough of some code to know it by, on one line.
fn shortened(code: &str) -> String {
    const ENOUGH: usize = 60;
    let words: Vec<&str> = code.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(ENOUGH) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code after each edit, where it differs from the code before in one line: that line.
    fn outcomes(code: &str) -> Vec<String> {
        let made = edits(code).into_iter().map(|edit| {
            let mut text = code.to_owned();
            text.replace_range(edit.at, &edit.with);
            let old: Vec<&str> = code.lines().collect();
            let new: Vec<&str> = text.lines().collect();
            let differs = new.iter().zip(&old).find(|(new, old)| new != old);
            differs.map_or("", |(new, _)| new).trim().to_owned()
        });
        made.collect()
    }

    fn in_function(line: &str) -> Vec<String> {
        outcomes(&format!("def f():\n    {line}\n"))
    }

    #[test]
    fn comparisons_are_turned_round_and_their_boundaries_moved() {
        assert_eq!(
            in_function("return a <= b"),
            ["return a < b", "return a > b"]
        );
        assert_eq!(in_function("return a == b"), ["return a != b"]);
        assert_eq!(in_function("return a in b"), ["return a not in b"]);
        assert_eq!(in_function("return a not in b"), ["return a in b"]);
    }

    #[test]
    fn the_in_of_a_loop_is_no_comparison() {
        assert_eq!(
            in_function("return [x for x in y if x in z]"),
            ["return [x for x in y if x not in z]"]
        );
        assert_eq!(in_function("for x in y:"), Vec::<String>::new());
    }

    #[test]
    fn numbers_go_one_up_and_one_down_but_not_below_nothing() {
        assert_eq!(in_function("return 7"), ["return 6", "return 8"]);
        assert_eq!(in_function("return 0"), ["return 1"]);
        assert_eq!(in_function("return x1"), Vec::<String>::new());
    }

    #[test]
    fn and_or_not_true_false_least_and_most_are_exchanged() {
        assert_eq!(
            in_function("return not a and b"),
            ["return a and b", "return not a or b"]
        );
        assert_eq!(in_function("return True"), ["return False"]);
        assert_eq!(in_function("return min(a, b)"), ["return max(a, b)"]);
        assert_eq!(in_function("return a.min(b)"), Vec::<String>::new());
    }

    #[test]
    fn sums_change_and_texts_and_lists_do_not() {
        assert_eq!(in_function("return a - -b"), ["return a + -b"]);
        assert_eq!(in_function("return a // b"), ["return a * b"]);
        assert_eq!(in_function("return \"a < 1\" + a"), Vec::<String>::new());
        assert_eq!(in_function("return a + [b]"), Vec::<String>::new());
        assert_eq!(in_function("def g(*, a):"), Vec::<String>::new());
    }

    #[test]
    fn statements_with_an_effect_go_and_those_that_only_name_a_value_stay() {
        assert_eq!(in_function("close(p)"), ["pass"]);
        assert_eq!(in_function("p.idle = other"), ["pass"]);
        assert_eq!(in_function("p.n += k"), ["pass", "p.n -= k"]);
        assert_eq!(in_function("n = k"), Vec::<String>::new());
        assert_eq!(in_function("return n"), Vec::<String>::new());
        assert_eq!(
            outcomes("def f():\n    if a:\n        return b\n"),
            ["if not (a):", "pass"]
        );
    }

    #[test]
    fn declarations_that_act_go_and_lose_what_holds_them_back() {
        assert_eq!(outcomes("permit(s, f, \"why\")\n"), [""]);
        assert_eq!(
            outcomes("action(\"a\", a, limit = daily(), title = \"A 1\")\n"),
            ["action(\"a\", a, title = \"A 1\")"]
        );
        assert_eq!(
            outcomes("x = number(\"X\", of = player, min = 0)\n"),
            [
                "x = number(\"X\", of = player)",
                "x = number(\"X\", of = player, min = 1)"
            ]
        );
    }

    #[test]
    fn what_only_people_read_is_left_alone() {
        assert_eq!(in_function("note(f\"{a}\", 1)"), Vec::<String>::new());
        assert_eq!(
            in_function("require(a < b, \"w\", have = a + 1, need = 3)"),
            [
                "pass",
                "require(a <= b, \"w\", have = a + 1, need = 3)",
                "require(a >= b, \"w\", have = a + 1, need = 3)"
            ]
        );
    }

    #[test]
    fn docstrings_and_annotations_are_no_code_to_change() {
        assert_eq!(
            outcomes("def f(a: int) -> int:\n    \"\"\"1 < 2.\"\"\"\n    return a\n"),
            Vec::<String>::new()
        );
    }
}
