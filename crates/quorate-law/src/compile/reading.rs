//! Fences that were read before. What one is by itself follows from its text and its place alone, whatever stands beside it: a
//! law that changes in one rule has all others read already.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use quorate_kernel::Name;
use starlark::environment::Globals;

use crate::check::{cycles, house};
use crate::diagnostic::CodeFault;
use crate::library::{self, Additions};
use crate::sheet::UnitInfo;
use crate::syntax::{self, Flavour};
use crate::unit::Unit;

/// A fence, read by itself.
pub(super) struct ReadFence {
    /// None where it cannot be parsed.
    pub(super) unit: Option<Arc<Unit>>,
    /// What is wrong with it, whatever stands beside it.
    pub(super) faults: Vec<CodeFault>,
}

impl ReadFence {
    fn of(info: &UnitInfo) -> Self {
        match syntax::parse(&info.code, Flavour::Law) {
            Err(fault) => Self {
                unit: None,
                faults: vec![fault],
            },
            Ok(ast) => {
                let (mut faults, in_place) = house::check(&ast, Flavour::Law);
                let mut unit = Unit::read(ast, &info.code, &info.site(), info);
                unit.in_place = in_place;
                unit.variables = cycles::variables(unit.ast.statement());
                faults.extend(unit.faults.iter().cloned());
                Self {
                    unit: Some(Arc::new(unit)),
                    faults,
                }
            }
        }
    }
}

/// All that reading a fence depends on.
#[derive(PartialEq, Eq, Hash)]
struct FenceKey {
    code: Arc<str>,
    rule: Name,
    clause: u32,
    line: u32,
    indent: u32,
}

impl FenceKey {
    fn of(info: &UnitInfo) -> Self {
        Self {
            code: Arc::clone(&info.code),
            rule: info.rule.clone(),
            clause: info.clause,
            line: info.line,
            indent: info.indent,
        }
    }

    /// About how much memory the fence takes, in bytes.
    fn bytes(&self) -> usize {
        BYTES_A_FENCE + self.code.len() * BYTES_A_BYTE_OF_CODE
    }
}

/// Fences that are kept as they were read, up to a bound of memory. What was not asked for lately goes first.
///
/// Beside them the names that code finds, for the last few laws: the whole library, which laws that add the same to it share. Each
/// would keep it once more otherwise.
pub struct FenceCache {
    bytes_max: usize,
    kept: Mutex<KeptFences>,
    names: Mutex<Vec<(Additions, Globals)>>,
}

/// For how many additions to the library the names are kept, some fifty kilobytes each.
const NAMES_MAX: usize = 4;

/// Those that were asked for since half of the room was full last, and those that were asked for before and not since.
#[derive(Default)]
struct KeptFences {
    young: FencesOfAge,
    old: FencesOfAge,
}

#[derive(Default)]
struct FencesOfAge {
    fences: HashMap<FenceKey, Arc<ReadFence>>,
    bytes: usize,
}

impl KeptFences {
    fn known(&mut self, key: &FenceKey, room: usize) -> Option<Arc<ReadFence>> {
        if let Some(known) = self.young.fences.get(key) {
            return Some(Arc::clone(known));
        }
        let (key, known) = self.old.fences.remove_entry(key)?;
        self.old.bytes -= key.bytes();
        self.keep(key, Arc::clone(&known), room);
        Some(known)
    }

    fn keep(&mut self, key: FenceKey, read: Arc<ReadFence>, room: usize) {
        let bytes = key.bytes();
        if bytes > room {
            return;
        }
        if self.young.bytes + bytes > room {
            self.old = std::mem::take(&mut self.young);
        }
        if self.young.fences.insert(key, read).is_none() {
            self.young.bytes += bytes;
        }
    }
}

/// A fence that was read takes about so many bytes for each byte of its code.
const BYTES_A_BYTE_OF_CODE: usize = 100;

/// And so many beside, however short it is.
const BYTES_A_FENCE: usize = 2_000;

/// How much memory a cache takes: the laws of some four games.
const BYTES_MAX: usize = 32 << 20;

impl Default for FenceCache {
    fn default() -> Self {
        Self::of_bytes(BYTES_MAX)
    }
}

impl FenceCache {
    /// A cache that takes about so many bytes.
    pub fn of_bytes(bytes_max: usize) -> Self {
        Self {
            bytes_max,
            kept: Mutex::default(),
            names: Mutex::default(),
        }
    }

    /// About how much memory the kept fences take, in bytes.
    pub fn bytes(&self) -> usize {
        self.with(|kept| kept.young.bytes + kept.old.bytes)
    }

    /// The names that the code of a law finds.
    pub(super) fn globals(&self, additions: &Additions) -> Globals {
        // A panic while the lock was held leaves whole entries, which are good to use.
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let globals = match names.iter().position(|(of, _)| of == additions) {
            Some(at) => names.remove(at).1,
            None => library::globals(additions),
        };
        names.push((additions.clone(), globals.clone()));
        if names.len() > NAMES_MAX {
            names.remove(0);
        }
        globals
    }

    /// A fence, read now or before.
    pub(super) fn read(&self, info: &UnitInfo) -> Arc<ReadFence> {
        let (key, room) = (FenceKey::of(info), self.bytes_max / 2);
        self.with(|kept| kept.known(&key, room)).unwrap_or_else(|| {
            let read = Arc::new(ReadFence::of(info));
            self.with(|kept| kept.keep(key, Arc::clone(&read), room));
            read
        })
    }

    fn with<T>(&self, use_it: impl FnOnce(&mut KeptFences) -> T) -> T {
        // A panic while the lock was held leaves whole entries, which are good to use.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        use_it(&mut kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(code: &str, line: u32) -> UnitInfo {
        UnitInfo {
            source: 0,
            fence: 0,
            rule: "house".into(),
            library: false,
            clause: 1,
            line,
            indent: 0,
            code: code.into(),
        }
    }

    #[test]
    fn a_fence_is_read_again_only_where_its_text_or_its_place_is_another() {
        let fences = FenceCache::default();
        let code = "def two() -> int:\n    return 2\n";
        let first = fences.read(&info(code, 3));
        assert!(Arc::ptr_eq(&first, &fences.read(&info(code, 3))));
        let further_down = fences.read(&info(code, 4));
        let line = |read: &ReadFence| {
            let unit = read.unit.as_ref().expect("it can be parsed");
            unit.functions[0].signature.site.line
        };
        assert_eq!((line(&first), line(&further_down)), (3, 4));
        let other = fences.read(&info(&code.replace('2', "3"), 3));
        assert!(!Arc::ptr_eq(&first, &other));
    }

    #[test]
    fn ever_new_fences_take_no_more_than_the_bound_and_the_oldest_go() {
        let fence = |nth: u32| info(&format!("N = {nth:05}\n"), 1);
        let room = 10 * FenceKey::of(&fence(0)).bytes();
        let fences = FenceCache::of_bytes(room);
        let first = fences.read(&fence(0));
        for nth in 1..40 {
            let before = fences.read(&fence(nth));
            assert!(fences.bytes() <= room, "{} of {room}", fences.bytes());
            // What is asked for again and again goes on being kept.
            assert!(Arc::ptr_eq(&first, &fences.read(&fence(0))), "{nth}");
            assert!(Arc::ptr_eq(&before, &fences.read(&fence(nth))), "{nth}");
        }
        let kept = fences.with(|kept| kept.young.fences.len() + kept.old.fences.len());
        assert!((5..=10).contains(&kept), "{kept}");
        let too_large = FenceCache::of_bytes(1);
        too_large.read(&fence(1));
        assert_eq!(too_large.bytes(), 0);
    }
}
