//! What each function comes to, over all that it calls.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use quorate_kernel::Name;

use super::Compilation;
use crate::unit::{FunctionFound, Unit};

/// The function of the library by which rule code makes the changes that a post carries.
const ENACTS: &str = "apply";

/// Who calls whom and reads what. All have numbers: a law has hundreds of functions, and each is followed.
#[derive(Default)]
struct CallGraph<'c> {
    /// Functions, quantities and values that are filtered, and what enacts.
    numbers: HashMap<&'c str, usize>,
    /// For each of them, whom it calls.
    calls: Vec<Vec<usize>>,
    /// And which values it reads itself.
    reads: Vec<Vec<usize>>,
}

/// The values of a law by name, in order: the number of each, and the function of a derived one.
type Values<'c> = BTreeMap<&'c str, (usize, Option<&'c str>)>;

impl<'c> CallGraph<'c> {
    fn number(&mut self, name: &'c str) -> usize {
        let next = self.calls.len();
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            self.calls.push(Vec::new());
            self.reads.push(Vec::new());
        }
        number
    }

    /// Adds what a function uses. All that calls anything has its number by now; the rest leads nowhere.
    fn follow(
        &mut self,
        function: &'c FunctionFound,
        values: &Values<'c>,
        actions: &HashMap<String, &'c str>,
    ) {
        let number = self.number(&function.name);
        let mut next: Vec<&str> = Vec::new();
        let read = function.reads.iter();
        for (value, derived) in read.filter_map(|read| values.get(read.as_str())) {
            self.reads[number].push(*value);
            next.extend(derived);
        }
        for name in &function.uses {
            next.push(name.as_str());
            next.extend(actions.get(name.as_str()));
        }
        let next = next.into_iter();
        let next = next.filter_map(|name| self.numbers.get(name).copied());
        self.calls[number].extend(next);
    }

    /// All that can be come to from somewhere, the start included.
    fn from(&self, start: usize) -> Vec<usize> {
        let mut seen = vec![false; self.calls.len()];
        seen[start] = true;
        let mut reached = vec![start];
        let mut at = 0;
        while let Some(number) = reached.get(at).copied() {
            at += 1;
            for next in self.calls[number].iter().copied() {
                if !std::mem::replace(&mut seen[next], true) {
                    reached.push(next);
                }
            }
        }
        reached
    }
}

impl Compilation<'_> {
    /// What each function reads, over all that it calls, and which functions may enact what a post carries.
    pub(super) fn reaches(&self) -> (BTreeMap<Name, BTreeSet<Name>>, BTreeSet<Name>) {
        let units = || self.units.iter().flatten().map(AsRef::<Unit>::as_ref);
        let actions: HashMap<String, &str> = units()
            .flat_map(|unit| &unit.actions)
            .map(|(action, body)| (format!("action {action}"), body.as_str()))
            .collect();
        let functions: HashMap<&str, &FunctionFound> = units()
            .flat_map(|unit| &unit.functions)
            .map(|function| (function.name.as_str(), function))
            .collect();
        let mut values = Values::new();
        for value in units().flat_map(|unit| &unit.values) {
            let known = values.entry(value.name.as_str()).or_default();
            known.1 = value.function.as_deref().or(known.1);
        }
        for (number, value) in values.values_mut().enumerate() {
            value.0 = number;
        }
        let mut graph = CallGraph::default();
        let enacts = graph.number(ENACTS);
        for name in functions.keys() {
            graph.number(name);
        }
        for (what, _) in units().flat_map(|unit| &unit.modifies) {
            graph.number(what);
        }
        for (what, filter) in units().flat_map(|unit| &unit.modifies) {
            let (what, filter) = (graph.number(what), graph.number(filter));
            graph.calls[what].push(filter);
        }
        for function in functions.values() {
            graph.follow(function, &values, &actions);
        }
        let names: Vec<Name> = values.keys().map(|name| Name::from(*name)).collect();
        let (mut all, mut enacting) = (BTreeMap::new(), BTreeSet::new());
        for name in functions.keys() {
            let reached = graph.from(graph.numbers[name]);
            let reads = reached.iter().flat_map(|number| &graph.reads[*number]);
            let reads: BTreeSet<usize> = reads.copied().collect();
            let reads = reads.into_iter().map(|value| names[value].clone());
            all.insert(Name::from(*name), reads.collect());
            if reached.contains(&enacts) {
                enacting.insert(Name::from(*name));
            }
        }
        (all, enacting)
    }
}

#[cfg(test)]
mod tests {
    use quorate_kernel::Name;

    use crate::{RuleSource, RuleText, compile};

    /// The values that a function reads, and whether it may enact, in a law of one clause.
    fn reached(code: &str, function: &str) -> (Vec<String>, bool) {
        let text = format!("# A\n\n1. A clause.\n\n```starlark\n{code}\n```\n");
        let source = RuleSource {
            since: 0,
            rule: Name::from("a"),
            title: "A".to_owned(),
            library: false,
            text: RuleText::parse(&text),
            left: None,
        };
        let law = compile(&[source], 2);
        assert!(law.asleep.is_empty(), "{:?}", law.asleep);
        let reads = law.reads[function].iter().map(ToString::to_string);
        (reads.collect(), law.enacts.contains(function))
    }

    const GOLD: &str = "category(\"Bill\")\ngold = number(\"Gold\", of = player)\nsilver = number(\"Silver\", of = player)\n\n\
        def worth(p: Player) -> int:\n    return p.gold * 2\n\nwealth = derived(\"Wealth\", worth, of = player)\n\n";

    #[test]
    fn what_a_function_reads_is_read_by_all_that_call_it_also_by_a_derived_value() {
        let calls =
            |body: &str| format!("{GOLD}def rich(p: Player) -> bool:\n    return {body} > 3\n");
        let reads = |body: &str| reached(&calls(body), "rich").0;
        assert_eq!(reads("p.silver"), ["silver"]);
        assert_eq!(reads("worth(p)"), ["gold"]);
        assert_eq!(reads("p.wealth"), ["gold", "wealth"]);
    }

    #[test]
    fn a_function_may_enact_through_another_and_through_an_action_that_it_performs() {
        let acts = |body: &str| {
            format!(
                "{GOLD}def carry(bill: Bill):\n    apply(bill)\n\n\
                 def enact(actor: Player, bill: Bill):\n    carry(bill)\n\n\
                 def other(actor: Player, bill: Bill):\n    {body}\n\naction(\"enact\", enact)\n"
            )
        };
        for (body, enacts) in [
            ("carry(bill)", true),
            ("perform(\"enact\", actor, bill = bill)", true),
            ("pass", false),
        ] {
            assert_eq!(reached(&acts(body), "other").1, enacts, "{body}");
        }
    }
}
