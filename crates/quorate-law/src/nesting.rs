//! A look at code before it is parsed: how deeply would its tree be nested?
//!
//! The parser, and everything that walks a tree, calls itself once for each level. Twenty thousand brackets, or a
//! sum of twenty thousand parts, would exhaust the stack, which nothing can catch.

/// The longest fence, in bytes.
pub(crate) const SOURCE_MAX: usize = 64 << 10;

/// The deepest tree.
pub(crate) const DEPTH_MAX: u32 = 400;

/// The deepest indentation, and the most branches in one fence.
pub(crate) const BLOCKS_MAX: usize = 200;

/// What is wrong with code that is not fit to be parsed, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TooDeep {
    pub(crate) offset: u32,
    pub(crate) text: String,
}

/// Refuses code whose tree would be too deep.
pub(crate) fn look(code: &str) -> Result<(), TooDeep> {
    let at = |offset: usize, text: &str| {
        Err(TooDeep {
            offset: u32::try_from(offset).unwrap_or(u32::MAX),
            text: text.to_owned(),
        })
    };
    if code.len() > SOURCE_MAX {
        return at(0, "a fence is at most 64 KiB long: split it");
    }
    if let Some(offset) = code.find('\0') {
        return at(offset, "there is a character here that no text has");
    }
    let mut scanner = Scanner::new(code);
    scanner.run();
    if let Some(offset) = scanner.too_deep {
        return at(
            offset,
            "this is nested too deeply, or too long: use names for its parts",
        );
    }
    if let Some(offset) = scanner.too_many_blocks {
        return at(
            offset,
            "too many blocks stand inside one another: use functions",
        );
    }
    Ok(())
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// For each open bracket, how long the chain before it is; the last is the present one.
    chains: Vec<u32>,
    depth: u32,
    branches: usize,
    too_deep: Option<usize>,
    too_many_blocks: Option<usize>,
}

impl<'a> Scanner<'a> {
    fn new(code: &'a str) -> Self {
        Self {
            bytes: code.as_bytes(),
            at: 0,
            chains: vec![0],
            depth: 0,
            branches: 0,
            too_deep: None,
            too_many_blocks: None,
        }
    }

    fn run(&mut self) {
        let mut line_start = true;
        while self.at < self.bytes.len() && self.too_deep.is_none() {
            if line_start && self.chains.len() == 1 {
                self.indentation();
                self.depth -= self.chains[0];
                self.chains[0] = 0;
            }
            line_start = false;
            let Some(&byte) = self.bytes.get(self.at) else {
                break;
            };
            match byte {
                b'\n' => {
                    line_start = true;
                    self.at += 1;
                }
                b'#' => self.skip_until(b'\n'),
                b'"' | b'\'' => self.string(false),
                b'(' | b'[' | b'{' => {
                    self.longer();
                    self.chains.push(0);
                    self.at += 1;
                }
                b')' | b']' | b'}' => {
                    if self.chains.len() > 1 {
                        self.depth -= self.chains.pop().unwrap_or(0);
                    }
                    self.at += 1;
                }
                b',' => {
                    if let Some(chain) = self.chains.last_mut() {
                        self.depth -= std::mem::take(chain);
                    }
                    self.at += 1;
                }
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
                b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>' | b'=' | b'!' | b'&' | b'|'
                | b'^' | b'~' | b'.' => {
                    self.longer();
                    self.at += 1;
                }
                _ => self.at += 1,
            }
        }
    }

    fn longer(&mut self) {
        if let Some(chain) = self.chains.last_mut() {
            *chain += 1;
            self.depth += 1;
            if self.depth > DEPTH_MAX {
                self.too_deep.get_or_insert(self.at);
            }
        }
    }

    fn indentation(&mut self) {
        let start = self.at;
        while self.bytes.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        if self.at - start > BLOCKS_MAX {
            self.too_many_blocks.get_or_insert(start);
        }
    }

    fn word(&mut self) {
        let start = self.at;
        while self
            .bytes
            .get(self.at)
            .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
        {
            self.at += 1;
        }
        match &self.bytes[start..self.at] {
            b"not" | b"and" | b"or" | b"if" | b"else" | b"in" | b"for" | b"lambda" => self.longer(),
            b"elif" => {
                self.branches += 1;
                if self.branches > BLOCKS_MAX {
                    self.too_many_blocks.get_or_insert(start);
                }
            }
            prefix if prefix.len() <= 2 => {
                if matches!(self.bytes.get(self.at), Some(b'"' | b'\'')) {
                    let f_string = prefix.contains(&b'f');
                    self.string(f_string);
                }
            }
            _ => {}
        }
    }

    fn skip_until(&mut self, end: u8) {
        while self.bytes.get(self.at).is_some_and(|b| *b != end) {
            self.at += 1;
        }
    }

    /// Passes a string. What an f-string computes counts towards the chain that the string stands in.
    fn string(&mut self, f_string: bool) {
        let quote = self.bytes[self.at];
        let triple = self.bytes[self.at..].starts_with(&[quote; 3]);
        self.at += if triple { 3 } else { 1 };
        let mut braces = 0_u32;
        while let Some(&byte) = self.bytes.get(self.at) {
            let ends = if triple {
                self.bytes[self.at..].starts_with(&[quote; 3])
            } else {
                byte == quote || byte == b'\n'
            };
            if ends {
                self.at += if triple { 3 } else { 1 };
                return;
            }
            match byte {
                b'\\' => self.at += 1,
                b'{' if f_string => braces += 1,
                b'}' if f_string => braces = braces.saturating_sub(1),
                b' ' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' => {}
                _ if braces > 0 => self.longer(),
                _ => {}
            }
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_would_overflow_the_stack_is_refused() {
        let deep = |code: String| look(&code).is_err();
        assert!(deep(format!(
            "x = {}1{}",
            "(".repeat(20_000),
            ")".repeat(20_000)
        )));
        assert!(deep(format!("x = 1{}", " + 1".repeat(10_000))));
        assert!(deep(format!("x = a{}", ".b".repeat(10_000))));
        assert!(deep(format!("x = {} 1", "not ".repeat(10_000))));
        assert!(deep(format!("x = f{}", "()".repeat(10_000))));
        assert!(deep(format!("x = f\"{{a{}}}\"", ".b".repeat(10_000))));
        let branches = "    elif a: b()\n".repeat(1_000);
        assert!(deep(format!("def f():\n    if a: b()\n{branches}")));
        assert!(deep("x".repeat(70_000)));
    }

    #[test]
    fn ordinary_code_passes() {
        let list = format!("X = [{}]", "(\"a\", 1 + 2), ".repeat(2_000));
        assert_eq!(look(&list), Ok(()));
        let text = "x = \"((((((((\"  # ((((((((\ny = '''\n((((\n'''\n".repeat(300);
        assert_eq!(look(&text), Ok(()));
    }
}
