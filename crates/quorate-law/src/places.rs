//! Places in the text of a fence that the language's own tree does not tell.

use starlark_syntax::codemap::Span;
use starlark_syntax::syntax::ast::AstStmt;

/// The code between two places.
pub(crate) fn text(code: &str, span: Span) -> &str {
    &code[span.begin().get() as usize..span.end().get() as usize]
}

/// The place of an expression with the brackets around its first and last part, which the language's own leaves out: in
/// `(a + b) * c` it begins at `a`.
pub(crate) fn with_brackets(code: &str, span: Span) -> (u32, u32) {
    let (begin, end) = (span.begin().get(), span.end().get());
    if !text(code, span)
        .bytes()
        .any(|sign| matches!(sign, b'(' | b')'))
    {
        return (begin, end);
    }
    let (mut depth, mut least) = (0_usize, 0_usize);
    let mut quote = None;
    let mut signs = text(code, span).bytes();
    while let Some(sign) = signs.next() {
        match (quote, sign) {
            (Some(_), b'\\') => {
                signs.next();
            }
            (Some(open), _) if sign == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(sign),
            (None, b'#') => signs
                .by_ref()
                .take_while(|sign| *sign != b'\n')
                .for_each(drop),
            (None, b'(') => depth += 1,
            (None, b')') if depth == 0 => least += 1,
            (None, b')') => depth -= 1,
            _ => {}
        }
    }
    let bytes = code.as_bytes();
    let blank = |sign: &u8| sign.is_ascii_whitespace();
    let mut from = begin as usize;
    for _ in 0..least {
        let before = bytes[..from].iter().rposition(|sign| !blank(sign));
        match before {
            Some(at) if bytes[at] == b'(' => from = at,
            _ => return (begin, end),
        }
    }
    let mut to = end as usize;
    for _ in 0..depth {
        let after = bytes[to..].iter().position(|sign| !blank(sign));
        match after {
            Some(at) if bytes[to + at] == b')' => to += at + 1,
            _ => return (begin, end),
        }
    }
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    (place(from), place(to))
}

/// Where a sign stands between two places.
pub(crate) fn find(code: &str, from: u32, to: u32, sign: &str) -> Option<u32> {
    let between = code.get(from as usize..to as usize)?;
    let at = between.find(sign)?;
    Some(from + u32::try_from(at).ok()?)
}

/// The end of a statement, blanks after it left out.
pub(crate) fn end_of(statement: &AstStmt, code: &str) -> u32 {
    let begin = statement.span.begin().get() as usize;
    let end = statement.span.end().get() as usize;
    let length = code[begin..end].trim_end().len();
    u32::try_from(begin + length).unwrap_or(u32::MAX)
}
