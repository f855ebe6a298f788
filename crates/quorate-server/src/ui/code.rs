//! Rule code as readers see it: keywords, strings and comments told apart, nothing more.

use std::fmt::Write as _;

use crate::ui::html::escape;

/// Starlark's keywords.
const KEYWORDS: &[&str] = &[
    "and", "break", "continue", "def", "elif", "else", "False", "for", "if", "in", "lambda",
    "load", "None", "not", "or", "pass", "return", "True", "while",
];

/// Rule code as HTML for the inside of `<pre><code>`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeHtml {
    html: String,
    /// How many lines it has.
    pub line_count: usize,
}

impl CodeHtml {
    /// Reads Starlark.
    pub fn new(code: &str) -> Self {
        let code = code.trim_end();
        Self {
            html: paint(code),
            line_count: code.lines().count(),
        }
    }
}

impl std::fmt::Display for CodeHtml {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.html)
    }
}

/// A sentence in which names between backticks are drawn as code. Where one is not closed, all of it stays as it is.
pub struct WithCode<'a>(pub &'a str);

impl std::fmt::Display for WithCode<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts: Vec<_> = self.0.split('`').map(escape).collect();
        if parts.len().is_multiple_of(2) {
            return f.write_str(&escape(self.0));
        }
        for (nth, part) in parts.iter().enumerate() {
            if nth.is_multiple_of(2) {
                f.write_str(part)?;
            } else {
                write!(f, "<code>{part}</code>")?;
            }
        }
        Ok(())
    }
}

crate::ui::html::writes_html!(CodeHtml, WithCode<'_>);

fn paint(code: &str) -> String {
    let mut out = String::with_capacity(code.len() * 3 / 2);
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' => string_length(rest, first),
            c if c.is_alphabetic() || c == '_' => word_length(rest),
            c => c.len_utf8(),
        };
        let (piece, tail) = rest.split_at(length);
        let class = match first {
            '#' => Some("cm"),
            '"' | '\'' => Some("st"),
            _ if KEYWORDS.contains(&piece) => Some("kw"),
            _ => None,
        };
        // Writing into a string cannot fail.
        let _ = match class {
            Some(class) => write!(out, r#"<span class="{class}">{}</span>"#, escape(piece)),
            None => write!(out, "{}", escape(piece)),
        };
        rest = tail;
    }
    out
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(text.len())
}

/// The length of a string with its quotation marks, triple ones too; an unclosed one ends with its line.
fn string_length(text: &str, quote: char) -> usize {
    let triple: String = [quote; 3].iter().collect();
    if let Some(inner) = text.strip_prefix(&triple) {
        return inner.find(&triple).map_or(text.len(), |end| end + 6);
    }
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_strings_and_comments_are_told_apart() {
        let html = CodeHtml::new("def f():  # why\n    return \"in\"\n").to_string();
        assert_eq!(
            html,
            "<span class=\"kw\">def</span> f():  <span class=\"cm\"># why</span>\n    \
             <span class=\"kw\">return</span> <span class=\"st\">&#34;in&#34;</span>"
        );
    }

    #[test]
    fn names_in_a_sentence_are_code_and_bring_no_markup() {
        let html = |text| WithCode(text).to_string();
        assert_eq!(
            html("it uses `a<b` & `c`."),
            "it uses <code>a&#60;b</code> &#38; <code>c</code>."
        );
        assert_eq!(html("one ` alone <i>"), "one ` alone &#60;i&#62;");
    }

    #[test]
    fn code_cannot_bring_markup() {
        for code in [
            "<script>",
            "\"<script>",
            "# <script>",
            "'''<script>",
            "x = '\\",
            "é<b>",
        ] {
            assert!(
                !CodeHtml::new(code).to_string().contains("<script>"),
                "{code}"
            );
        }
    }
}
