//! The text that the language compiles, put together from all fences of a law, and the way back to each fence.
//!
//! Rules use each other's names both ways, so all of them make one module: functions first, then what is assigned,
//! then what is declared, each in document order. The text is rewritten on the way (guards, typed setters); every
//! place in it leads back to the fence it came from.

use std::sync::Arc;

use quorate_kernel::Name;

use crate::diagnostic::{CodeFault, Diagnostic, Severity};
use crate::stop::Site;

/// One fence, or one library file.
#[derive(Clone, Debug)]
pub(crate) struct UnitInfo {
    /// The place of its text among the sources.
    pub(crate) source: usize,
    /// Its place among the fences of its text.
    pub(crate) fence: usize,
    pub(crate) rule: Name,
    pub(crate) library: bool,
    pub(crate) clause: u32,
    /// The line of its first line in the rule's text, counted from 1.
    pub(crate) line: u32,
    /// How far its code is indented there.
    pub(crate) indent: u32,
    pub(crate) code: Arc<str>,
}

impl UnitInfo {
    /// Where it begins.
    pub(crate) fn site(&self) -> Site {
        Site {
            rule: self.rule.clone(),
            clause: self.clause,
            line: self.line,
        }
    }

    /// Line and column in the rule's text, both counted from 1, of a place in the fence's code.
    pub(crate) fn position(&self, offset: u32) -> (u32, u32) {
        let offset = (offset as usize).min(self.code.len());
        let before = &self.code.as_bytes()[..offset];
        let line_start = before
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |at| at + 1);
        let line = before.split(|b| *b == b'\n').count() - 1;
        let column = String::from_utf8_lossy(&before[line_start..])
            .chars()
            .count();
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        (self.line + count(line), self.indent + count(column) + 1)
    }

    /// What is wrong with the fence's code, at its place in the rule's text.
    pub(crate) fn diagnostic(&self, fault: &CodeFault) -> Diagnostic {
        let (line, column) = self.position(fault.offset);
        Diagnostic {
            rule: self.rule.clone(),
            line,
            column,
            severity: Severity::Error,
            text: fault.text.clone(),
            help: fault.help.clone(),
            is_elsewhere: fault.is_elsewhere,
        }
    }
}

/// A change to a fence's code: some bytes go, others come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TextEdit {
    pub(crate) at: u32,
    pub(crate) delete: u32,
    pub(crate) insert: String,
}

/// A stretch of a fence that stands in the sheet.
#[derive(Clone, Copy, Debug)]
struct SheetPiece {
    /// Where it begins in the sheet.
    at: u32,
    unit: u32,
    /// Where it begins in the fence.
    start: u32,
    /// Which edits of the fence lie in it.
    edits: (u32, u32),
}

/// The whole text and the way back.
#[derive(Clone, Debug, Default)]
pub(crate) struct CodeSheet {
    pub(crate) text: String,
    pub(crate) units: Vec<UnitInfo>,
    edits: Vec<Vec<TextEdit>>,
    pieces: Vec<SheetPiece>,
}

impl CodeSheet {
    /// Adds a fence and gives its number. Nothing of it stands in the text yet.
    pub(crate) fn add(&mut self, unit: UnitInfo, edits: Vec<TextEdit>) -> usize {
        self.units.push(unit);
        self.edits.push(edits);
        self.units.len() - 1
    }

    /// Writes a stretch of a fence, whole lines, with its edits.
    pub(crate) fn write(&mut self, unit: usize, start: u32, end: u32) {
        let code = Arc::clone(&self.units[unit].code);
        let edits = &self.edits[unit];
        let first = edits.partition_point(|edit| edit.at < start);
        let last = edits.partition_point(|edit| edit.at < end);
        self.pieces.push(SheetPiece {
            at: u32::try_from(self.text.len()).unwrap_or(u32::MAX),
            unit: u32::try_from(unit).unwrap_or(u32::MAX),
            start,
            edits: (
                u32::try_from(first).unwrap_or(u32::MAX),
                u32::try_from(last).unwrap_or(u32::MAX),
            ),
        });
        let mut from = start as usize;
        for edit in &edits[first..last] {
            self.text.push_str(&code[from..edit.at as usize]);
            self.text.push_str(&edit.insert);
            from = (edit.at + edit.delete) as usize;
        }
        self.text.push_str(&code[from..end as usize]);
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// The fence and the place in it of an error of the text.
    pub(crate) fn place_of(&self, error: &starlark::Error) -> Option<(usize, u32)> {
        self.place(error.span()?.span.begin().get())
    }

    /// The fence and the place in it of a place in the text.
    pub(crate) fn place(&self, offset: u32) -> Option<(usize, u32)> {
        let index = self.pieces.partition_point(|piece| piece.at <= offset);
        let piece = self.pieces.get(index.checked_sub(1)?)?;
        let unit = piece.unit as usize;
        let edits = &self.edits[unit][piece.edits.0 as usize..piece.edits.1 as usize];
        let mut left = offset - piece.at;
        let mut from = piece.start;
        for edit in edits {
            let before = edit.at - from;
            if left < before {
                return Some((unit, from + left));
            }
            left -= before;
            let inserted = u32::try_from(edit.insert.len()).unwrap_or(u32::MAX);
            if left < inserted {
                return Some((unit, edit.at));
            }
            left -= inserted;
            from = edit.at + edit.delete;
        }
        Some((unit, from + left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_leads_back_to_its_fence() {
        let code = "a = 1\nb = x + y\n";
        let mut sheet = CodeSheet::default();
        let unit = UnitInfo {
            source: 0,
            fence: 0,
            rule: "r".into(),
            library: false,
            clause: 1,
            line: 10,
            indent: 2,
            code: code.into(),
        };
        let edit = |at, delete, insert: &str| TextEdit {
            at,
            delete,
            insert: insert.into(),
        };
        let edits = vec![edit(10, 0, "add("), edit(12, 1, ","), edit(15, 0, ")")];
        let unit = sheet.add(unit, edits);
        sheet.write(unit, 6, 16);
        sheet.write(unit, 0, 6);
        assert_eq!(sheet.text, "b = add(x , y)\na = 1\n");
        let back = |text: &str| {
            let at = u32::try_from(sheet.text.find(text).unwrap()).unwrap();
            let (unit, at) = sheet.place(at).unwrap();
            sheet.units[unit].position(at)
        };
        assert_eq!(back("b ="), (11, 3));
        assert_eq!(back("x "), (11, 7));
        assert_eq!(back("y)"), (11, 11));
        assert_eq!(back("a = 1"), (10, 3));
    }
}
