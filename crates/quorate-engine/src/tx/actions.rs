//! Long because the tests before an action stand in the order in which they are made.
//!
//! Actions: who may, what forbids, how often, and then the deed.
//!
//! The order is public: who acts → guards → limits → the body. The first that says no is the refusal.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use quorate_kernel::effect::Way;
use quorate_kernel::event::NoteKind;
use quorate_kernel::rows::{Use, UseKey};
use quorate_kernel::state::Effect;
use quorate_kernel::{EventSeq, Moment, Name, Need, PlayerId, Refusal, Span, Thing, Topic};
use quorate_law::datum::{Datum, Record, Type};
use quorate_law::declare::{ActionDecl, LimitDecl, Per};
use quorate_law::stop::{Answer, Site, Stop};
use quorate_law::{capital, readable, with_article};

use super::{Deck, Frame, Tx};
use crate::convert;
use crate::law::{At, GuardDecl};
use crate::lens::Caches;
use crate::reads::ReadKey;
use crate::scope;
use crate::words::worded;

/// Something that somebody tries to do, as guards see it.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Who.
    pub actor: PlayerId,
    /// The action, or the built-in act by its name: `post Proposal`, `vote`, `comment`.
    pub action: Name,
    /// Where the rule stands that it belongs to.
    pub site: Site,
    /// The post that it is about.
    pub post: Option<quorate_kernel::PostId>,
    /// What it was given.
    pub args: Vec<(Name, Datum)>,
    /// The action's tags.
    pub tags: Vec<Name>,
    /// The function whose reads count as the attempt's.
    pub body: Option<Name>,
}

/// Acts that nobody may take unless a rule permits them.
const ONLY_WHERE_PERMITTED: [&str; 3] = ["edit", "withdraw", "recategorise"];

impl Tx {
    /// A refusal by the clause at `site`.
    pub fn refusal_at(&self, site: &Site, what: &str) -> Refusal {
        let place = self.frame().law.place(&site.rule);
        Refusal {
            rule: self.with_state(|state| crate::words::worded(state, &place.title)),
            rule_id: site.rule.clone(),
            clause: site.clause,
            against: None,
            needs: vec![Need {
                what: what.to_owned(),
                ..Need::default()
            }],
            next_at: None,
        }
    }

    /// Takes an action: all tests but those waived, then the body and the hooks after it.
    pub fn act(
        &self,
        action: &Name,
        actor: PlayerId,
        args: Vec<(Name, Datum)>,
        waive: &[Name],
    ) -> Answer<()> {
        let law = self.frame().law;
        let Some(decl) = law.actions.get(action).cloned() else {
            return self.builtin_attempt(action, actor, args);
        };
        let args = self.arguments(&decl, args)?;
        let attempt = Self::attempt_of(&decl, actor, &args);
        self.may(&attempt, &decl, waive)?;
        let stranger = self.stranger(&attempt, &decl)?;
        let mut given = vec![Datum::Thing(Thing::Player(actor))];
        given.extend(args.into_iter().map(|(_, datum)| datum));
        let trial = self.frame().trial;
        let frame = Frame {
            actor: Some(actor),
            site: decl.site.clone(),
            action: Some(action.clone()),
            law: Arc::clone(&law),
            trial,
        };
        self.within(frame, || {
            self.call(&decl.it.body, given.clone())?;
            // The rule's own words about them go before these.
            stranger.map_or(Ok(()), Err)?;
            self.use_up(action, &decl.it.limits, actor);
            self.hooks_after(&decl, &given)
        })
    }

    /// Everything that is tested before the body runs.
    pub fn may(&self, attempt: &Attempt, decl: &At<ActionDecl>, waive: &[Name]) -> Answer<()> {
        self.who(attempt, decl.it.by.as_ref(), &decl.it.admits)?;
        if !waive.contains(&Name::from("guards")) {
            self.guards(attempt)?;
        }
        if !waive.contains(&Name::from("limits")) {
            self.limits(&attempt.action, &decl.it.limits, attempt.actor, &decl.site)?;
        }
        self.targets_count(attempt, decl)
    }

    /// Whether the one who acts counts as a player for the rule and is one of those who may.
    pub fn who(&self, attempt: &Attempt, by: Option<&Name>, admits: &[Name]) -> Answer<()> {
        if !self.counts_for(attempt.actor, &attempt.site.rule, admits)? {
            let player = with_article(&self.term("player", false));
            let mut refusal =
                self.refusal_at(&attempt.site, &format!("to be {player} for this rule"));
            refusal.needs[0].topic = Topic::Role(format!("to be {player}"));
            match self.excluding(attempt.actor, &attempt.site.rule, admits)? {
                Some(site) => refusal.needs[0].need = self.none_by(attempt.actor, &site),
                None => refusal.needs[0].have = self.why_not_counted(attempt.actor),
            }
            return Err(Stop::Refused(Box::new(refusal)));
        }
        let Some(by) = by else { return Ok(()) };
        if self.holds_at(
            &attempt.site,
            by,
            vec![Datum::Thing(Thing::Player(attempt.actor))],
        )? {
            return Ok(());
        }
        let what = match by.as_str() {
            "nobody" => "a rule that does it: nobody does it by hand".to_owned(),
            _ => self.wanted_role(by),
        };
        Err(Stop::Refused(Box::new(
            self.refusal_at(&attempt.site, &what),
        )))
    }

    /// What somebody needs to be for a predicate: the words that its text begins with, "To be the {emperor}: …", else its name.
    fn wanted_role(&self, predicate: &Name) -> String {
        let law = self.frame().law;
        let doc = law.code.signature(predicate.as_str());
        let doc = doc.and_then(|signature| signature.doc.as_deref());
        let role = doc.and_then(|doc| doc.trim_start().strip_prefix("To be "));
        match role.and_then(|role| role.split([':', '.', '\n']).next()) {
            Some(role) => self.with_state(|state| format!("to be {}", worded(state, role.trim()))),
            None => format!("to be one of the {}", readable(predicate.as_str())),
        }
    }

    /// "Cleo is none, by Zombies, clause 3": whom the law excludes, and where it says so.
    fn none_by(&self, actor: PlayerId, site: &Site) -> String {
        self.with_state(|state| {
            let name = state.people.get(&actor).map(|person| person.name.as_str());
            let title = state.rules.get(&site.rule).map(|rule| rule.title.as_str());
            let title = worded(state, title.unwrap_or(site.rule.as_str()));
            let name = name.unwrap_or("that one");
            format!("{name} is none, by {title}, clause {}", site.clause)
        })
    }

    fn why_not_counted(&self, actor: PlayerId) -> String {
        let standing =
            self.with_state(|state| state.people.get(&actor).map(|person| person.standing));
        match standing {
            Some(quorate_kernel::rows::Standing::Member) => "idle".to_owned(),
            Some(standing) => standing.as_str().to_owned(),
            None => "unknown here".to_owned(),
        }
    }

    /// Players given must be players for the rule, as its actor must; of those who are no members, see [`Self::stranger`].
    fn targets_count(&self, attempt: &Attempt, decl: &At<ActionDecl>) -> Answer<()> {
        for (param, id) in people_in(&attempt.args) {
            if self.is_member(&Thing::Player(id))
                && !self.counts_for(id, &attempt.site.rule, &decl.it.admits)?
            {
                return Err(self.no_target(id, attempt, decl, param)?);
            }
        }
        Ok(())
    }

    /// The refusal of somebody given who applies or has left, unless the parameter's options list them.
    fn stranger(&self, attempt: &Attempt, decl: &At<ActionDecl>) -> Answer<Option<Stop>> {
        for (param, id) in people_in(&attempt.args) {
            let thing = Thing::Player(id);
            if !self.is_member(&thing)
                && !self.is_listed(&Datum::Thing(thing), attempt, decl, param)?
            {
                return self.no_target(id, attempt, decl, param).map(Some);
            }
        }
        Ok(None)
    }

    fn is_listed(
        &self,
        datum: &Datum,
        attempt: &Attempt,
        decl: &At<ActionDecl>,
        param: &Name,
    ) -> Answer<bool> {
        let mut listed = decl.it.options.iter().filter(|(of, _)| of == param);
        let Some((_, function)) = listed.next() else {
            return Ok(false);
        };
        let actor = vec![Datum::Thing(Thing::Player(attempt.actor))];
        Ok(match self.call_at(&decl.site, function, actor)? {
            Datum::List(items) => items.contains(datum),
            _ => false,
        })
    }

    fn no_target(
        &self,
        id: PlayerId,
        attempt: &Attempt,
        decl: &At<ActionDecl>,
        param: &Name,
    ) -> Answer<Stop> {
        let player = with_article(&self.term("player", false));
        let label = label(param.as_str());
        let what = format!("{player} for this rule as {label}");
        let mut refusal = self.refusal_at(&attempt.site, &what);
        refusal.needs[0].topic = Topic::Argument(param.clone());
        match self.excluding(id, &attempt.site.rule, &decl.it.admits)? {
            Some(site) => refusal.needs[0].need = self.none_by(id, &site),
            None => {
                refusal.needs[0].have =
                    format!("{}, {}", self.name_of(id), self.why_not_counted(id));
            }
        }
        Ok(Stop::Refused(Box::new(refusal)))
    }

    /// Asks the guards. Those that cover the attempt and speak: none or only permits, go on; else the stronger decides.
    pub fn guards(&self, attempt: &Attempt) -> Answer<()> {
        let law = self.frame().law;
        let place = law.place(&attempt.site.rule);
        let covers = |guard: &At<GuardDecl>| {
            scope::covers_attempt(
                &guard.it.scope,
                &attempt.action,
                &attempt.tags,
                &attempt.site.rule,
                &place,
            )
        };
        let record = self.attempt_record(attempt);
        let mut forbids = Vec::new();
        for guard in law
            .guards
            .iter()
            .filter(|guard| guard.it.forbids && covers(guard))
        {
            let (speaks, reads) = self.reading(|| self.guard_speaks(guard, &record));
            if speaks? {
                forbids.push((guard, reads.until));
            }
        }
        let must_be_permitted = ONLY_WHERE_PERMITTED
            .iter()
            .any(|name| attempt.action == *name);
        if forbids.is_empty() && !must_be_permitted {
            return Ok(());
        }
        let mut permits = Vec::new();
        let mut unheld = Vec::new();
        for guard in law
            .guards
            .iter()
            .filter(|guard| !guard.it.forbids && covers(guard))
        {
            if self.guard_speaks(guard, &record)? {
                permits.push(guard);
            } else {
                unheld.push(guard);
            }
        }
        if must_be_permitted && permits.is_empty() {
            return Err(Stop::Refused(Box::new(
                self.nobody_permits(attempt, &unheld),
            )));
        }
        // A prohibition that no permit beats refuses, however many others are beaten.
        for (forbid, until) in forbids {
            let mut beaten = false;
            // The permission that makes an act its rule's own is no exception to anything.
            let home = |permit: &&At<GuardDecl>| {
                permit.site == attempt.site
                    && super::builtin::NAMES
                        .iter()
                        .any(|name| attempt.action == *name)
            };
            for permit in permits.iter().filter(|permit| !home(permit)) {
                beaten |= std::ptr::eq(self.stronger_of(forbid, permit)?, *permit);
            }
            if !beaten {
                let mut refusal = self.refusal_at(&forbid.site, &forbid.it.why);
                refusal.against = permits.first().map(|permit| permit.site.rule.clone());
                refusal.next_at = self.silent_from(forbid, &record, until);
                return Err(Stop::Refused(Box::new(refusal)));
            }
        }
        Ok(())
    }

    /// From when on a guard that speaks now may be silent, if time alone can bring that: what it rests on is looked up ahead,
    /// as one that reads the calendar may speak again on the morrow.
    fn silent_from(
        &self,
        guard: &At<GuardDecl>,
        record: &Datum,
        until: Option<Moment>,
    ) -> Option<Moment> {
        let mut at = until.filter(|at| *at > self.now)?;
        for _ in 0..LOOKS_MAX {
            let caches = Rc::new(RefCell::new(Caches::default()));
            let later = Self::new(
                &self.state(),
                self.seq,
                at,
                &self.law,
                Deck::nowhere(),
                &caches,
            );
            let (speaks, reads) = later.within(self.frame(), || {
                later.reading(|| later.guard_speaks(guard, record))
            });
            if !speaks.unwrap_or(true) {
                break;
            }
            at = reads.until.filter(|next| *next > at)?;
        }
        Some(at)
    }

    fn nobody_permits(&self, attempt: &Attempt, unheld: &[&At<GuardDecl>]) -> Refusal {
        match unheld.split_first() {
            None => Refusal::plain(format!("a rule that permits to {}", attempt.action)),
            Some((first, more)) => {
                let mut refusal = self.refusal_at(&first.site, &first.it.why);
                let others = more.iter().map(|guard| Need {
                    what: format!("or {}", guard.it.why),
                    ..Need::default()
                });
                refusal.needs.extend(others);
                refusal
            }
        }
    }

    /// Whether a guard speaks. One that breaks is left out, and the log names it.
    fn guard_speaks(&self, guard: &At<GuardDecl>, record: &Datum) -> Answer<bool> {
        match self.holds_at(&guard.site, &guard.it.when, vec![record.clone()]) {
            Err(Stop::Broken(fault)) => {
                self.broke(&guard.site, &fault.text);
                self.say(
                    NoteKind::Broke,
                    format!("a guard of {} broke: {}", guard.site.rule, fault.text),
                );
                Ok(false)
            }
            other => other,
        }
    }

    fn stronger_of<'a>(
        &self,
        one: &'a At<GuardDecl>,
        other: &'a At<GuardDecl>,
    ) -> Answer<&'a At<GuardDecl>> {
        if one.it.forbids == other.it.forbids {
            return Ok(one);
        }
        let prohibition = if one.it.forbids { one } else { other };
        let law = self.frame().law;
        let Some(stronger) = &law.stronger else {
            return Ok(prohibition);
        };
        let args = vec![self.guard_record(one), self.guard_record(other)];
        match self.call_at(&stronger.site, &stronger.it, args.clone()) {
            Ok(answer) if answer == args[0] => Ok(one),
            Ok(answer) if answer == args[1] => Ok(other),
            Ok(_) => Ok(prohibition),
            Err(Stop::Broken(fault)) => {
                self.broke(&stronger.site, &fault.text);
                self.say(
                    NoteKind::Broke,
                    format!("the precedence of guards broke: {}", fault.text),
                );
                Ok(prohibition)
            }
            Err(stop) => Err(stop),
        }
    }

    fn guard_record(&self, guard: &At<GuardDecl>) -> Datum {
        let law = self.frame().law;
        let place = law.place(&guard.site.rule);
        let actions = law.actions.iter().map(|(name, decl)| {
            (
                name,
                decl.it.tags.as_slice(),
                &decl.site.rule,
                law.place(&decl.site.rule),
            )
        });
        let built_in: Vec<(Name, Name)> = crate::tx::builtin::NAMES
            .iter()
            .map(|name| (Name::from(*name), self.home_of(&(*name).into()).rule))
            .collect();
        let actions = actions.chain(
            built_in
                .iter()
                .map(|(name, rule)| (name, [].as_slice(), rule, law.place(rule))),
        );
        let mut tags = guard.it.tags.clone();
        tags.extend(place.tags.iter().cloned());
        Datum::Record(Arc::new(Record {
            kind: "Guard",
            fields: vec![
                ("forbids", Datum::Bool(guard.it.forbids)),
                ("section", Datum::Text(place.section.as_str().into())),
                ("rule", Datum::Thing(Thing::Rule(guard.site.rule.clone()))),
                (
                    "tags",
                    Datum::List(
                        tags.iter()
                            .map(|tag| Datum::Text(tag.as_str().into()))
                            .collect(),
                    ),
                ),
                (
                    "breadth",
                    Datum::Int(scope::breadth(&guard.it.scope, actions)),
                ),
            ],
        }))
    }

    /// An attempt as guards see it.
    fn attempt_record(&self, attempt: &Attempt) -> Datum {
        let law = self.frame().law;
        let place = law.place(&attempt.site.rule);
        let text = |name: &Name| Datum::Text(name.as_str().into());
        let rule = if attempt.site.rule.is_empty() {
            Datum::None
        } else {
            Datum::Thing(Thing::Rule(attempt.site.rule.clone()))
        };
        let args = attempt
            .args
            .iter()
            .map(|(name, datum)| (text(name), datum.clone()))
            .collect();
        let reads = attempt
            .body
            .as_ref()
            .map_or_else(Vec::new, |body| self.value_records_read_by(body));
        Datum::Record(Arc::new(Record {
            kind: "Attempt",
            fields: vec![
                ("actor", Datum::Thing(Thing::Player(attempt.actor))),
                ("action", text(&attempt.action)),
                ("rule", rule),
                ("section", text(&place.section)),
                (
                    "post",
                    attempt
                        .post
                        .map_or(Datum::None, |post| Datum::Thing(Thing::Post(post))),
                ),
                ("args", Datum::Dict(args)),
                ("tags", Datum::List(attempt.tags.iter().map(text).collect())),
                ("reads", Datum::List(reads.into())),
            ],
        }))
    }

    fn attempt_of(decl: &At<ActionDecl>, actor: PlayerId, args: &[(Name, Datum)]) -> Attempt {
        let post = args.iter().find_map(|(_, datum)| {
            if let Datum::Thing(Thing::Post(id)) = datum {
                Some(*id)
            } else {
                None
            }
        });
        Attempt {
            actor,
            action: decl.it.name.clone(),
            site: decl.site.clone(),
            post,
            args: args.to_vec(),
            tags: decl.it.tags.clone(),
            body: Some(decl.it.body.clone()),
        }
    }

    /// Whether limits leave a use.
    pub fn limits(
        &self,
        action: &Name,
        limits: &[LimitDecl],
        actor: PlayerId,
        site: &Site,
    ) -> Answer<()> {
        for limit in limits {
            let slot = limit.counted_in(action);
            let who = (!limit.shared).then_some(actor);
            let used = self.uses_in_window(slot, who, &limit.per)?;
            let times = usize::try_from(limit.times.max(1)).unwrap_or(usize::MAX);
            let mut next_at = None;
            if used.len() >= times {
                next_at = Some(self.window_end(&limit.per));
            }
            let last = self.last_use(slot, Some(actor)).map(|(_, at)| at);
            if let (Some(gap), Some(last)) = (limit.gap, last) {
                let free = last + gap;
                self.read_clock(free);
                if self.now < free {
                    next_at = Some(Some(
                        next_at.flatten().map_or(free, |end: Moment| end.max(free)),
                    ));
                }
            }
            if let Some(next_at) = next_at {
                let what = format!(
                    "to be used {}",
                    limit_words(limit, &self.since_words(&limit.per))
                );
                let mut refusal = self.refusal_at(site, &what);
                refusal.needs[0].have = match used.len() {
                    0 => last.map_or_else(String::new, |last| format!("last used {last}")),
                    1 => "used once".to_owned(),
                    n => format!("used {n} times"),
                };
                refusal.next_at = next_at;
                return Err(Stop::Refused(Box::new(refusal)));
            }
        }
        Ok(())
    }

    /// How much of each limit somebody has used, in the limits' order.
    pub fn quotas(&self, action: &Name, limits: &[LimitDecl], actor: PlayerId) -> Vec<Quota> {
        let quotas = limits.iter().filter_map(|limit| {
            let slot = limit.counted_in(action);
            let who = (!limit.shared).then_some(actor);
            let used = self.uses_in_window(slot, who, &limit.per).ok()?;
            Some(Quota {
                used: u32::try_from(used.len()).unwrap_or(u32::MAX),
                limit: limit.clone(),
                since: self.since_words(&limit.per),
            })
        });
        quotas.collect()
    }

    /// What a limit counts from, by the title of the value or the action: "turn began".
    fn since_words(&self, per: &Per) -> String {
        let Per::Since(name) = per else {
            return String::new();
        };
        let law = self.frame().law;
        let value = law.values.get(&("Game".into(), name.clone()));
        let title = match (law.actions.get(name), value) {
            (Some(action), _) => return format!("“{}”", action.it.title),
            (None, Some(value)) => &value.it.title,
            (None, None) => return readable(name.as_str()),
        };
        let mut letters = title.chars();
        let first = letters.next().into_iter().flat_map(char::to_lowercase);
        first.collect::<String>() + letters.as_str()
    }

    /// The uses that a limit counts.
    fn uses_in_window(&self, slot: &Name, who: Option<PlayerId>, per: &Per) -> Answer<Vec<Moment>> {
        let start = match per {
            Per::Ever => None,
            Per::Day => Some(self.now.day_start()),
            Per::Week => Some(self.now.week_start()),
            Per::Since(name) if self.frame().law.actions.contains_key(name) => {
                // Of one moment the number of the event decides which came first.
                let last = self.last_use(name, None).map(|(event, _)| event);
                return Ok(self.used_by(slot, who, &|event, _| Some(event) > last));
            }
            Per::Since(name) => match self.attribute(&Thing::Game, name.as_str())? {
                Datum::Moment(at) => Some(at),
                _ => None,
            },
        };
        Ok(self.uses(slot, who, start))
    }

    fn window_end(&self, per: &Per) -> Option<Moment> {
        match per {
            Per::Ever | Per::Since(_) => None,
            Per::Day => Some(self.now.day_start() + Span::days(1)),
            Per::Week => Some(self.now.week_start() + Span::days(7)),
        }
    }

    /// The moments of completed uses, the newest first.
    pub fn uses(&self, slot: &Name, who: Option<PlayerId>, since: Option<Moment>) -> Vec<Moment> {
        let since = since.unwrap_or(Moment(i64::MIN));
        // No event is older than one before it, so that what lies behind the window is not looked at.
        self.used_by(slot, who, &|_, at| at >= since)
    }

    /// The moments of completed uses, the newest first, for as long as they are wanted.
    fn used_by(
        &self,
        slot: &Name,
        who: Option<PlayerId>,
        wanted: &dyn Fn(EventSeq, Moment) -> bool,
    ) -> Vec<Moment> {
        self.newest_uses(slot, |uses| {
            uses.take_while(|(key, used)| wanted(key.event, used.at))
                .filter(|(key, _)| who.is_none() || key.who == who)
                .map(|(_, used)| used.at)
                .collect()
        })
    }

    /// The last completed use, by somebody or by anybody.
    fn last_use(&self, slot: &Name, who: Option<PlayerId>) -> Option<(EventSeq, Moment)> {
        self.newest_uses(slot, |uses| {
            let mut of_them = uses.filter(|(key, _)| who.is_none() || key.who == who);
            of_them.next().map(|(key, used)| (key.event, used.at))
        })
    }

    fn newest_uses<T>(
        &self,
        slot: &Name,
        look: impl FnOnce(&mut dyn Iterator<Item = (&UseKey, &Use)>) -> T,
    ) -> T {
        self.read(ReadKey::Uses(slot.clone()));
        let at = |event| UseKey {
            slot: slot.clone(),
            event: EventSeq(event),
            who: None,
        };
        self.with_state(|state| look(&mut state.uses.range(at(0)..at(u64::MAX)).rev()))
    }

    /// Notes a completed use under the action's own name and under each slot of its limits.
    pub fn use_up(&self, action: &Name, limits: &[LimitDecl], actor: PlayerId) {
        let hidden = action
            .as_str()
            .strip_prefix("post ")
            .and_then(|category| self.law.categories.get(category));
        if hidden.is_some_and(|category| category.it.author_hidden) && limits.is_empty() {
            // A use would tell whose the post is, and no limit asks for it.
            return;
        }
        let mut slots = vec![action.clone()];
        slots.extend(
            limits
                .iter()
                .map(|limit| limit.slot.clone())
                .filter(|slot| !slot.is_empty()),
        );
        slots.dedup();
        for slot in slots {
            let key = UseKey {
                slot,
                event: self.seq,
                who: Some(actor),
            };
            let old = self.with_state(|state| state.uses.get(&key).cloned());
            self.write(
                Effect::Use {
                    key,
                    old,
                    new: Some(Use { at: self.now }),
                },
                Way::Put,
            );
        }
    }

    /// Runs the hooks on an action. A hook is given the action's arguments that it has parameters for, by their names.
    fn hooks_after(&self, decl: &At<ActionDecl>, given: &[Datum]) -> Answer<()> {
        // The law that judged the action has its hooks, though the action may have changed the law.
        let law = Arc::clone(&self.law);
        let of_action = |name: &Name| {
            decl.it
                .params
                .iter()
                .position(|param| param.name == *name)
                .map(|index| index + 1)
        };
        for hook in law.after.iter().filter(|hook| hook.it.on == decl.it.name) {
            let params = law
                .code
                .signature(hook.it.hook.as_str())
                .map(|signature| signature.params.clone())
                .unwrap_or_default();
            let args = params.iter().enumerate().map(|(index, param)| {
                let at = if index == 0 {
                    Some(0)
                } else {
                    of_action(&param.name).or(Some(index))
                };
                at.and_then(|at| given.get(at)).cloned().unwrap_or_default()
            });
            self.hook(&hook.site, &hook.it.hook, args.collect())?;
        }
        Ok(())
    }

    /// Runs a hook: what it refuses is refused, what breaks in it is left out.
    pub fn hook(&self, site: &Site, function: &Name, args: Vec<Datum>) -> Answer<()> {
        let mark = self.mark();
        match self.call_at(site, function, args) {
            Ok(_) => Ok(()),
            Err(Stop::Broken(fault)) => {
                self.go_back(mark);
                self.broke(site, &fault.text);
                self.say(
                    NoteKind::Broke,
                    format!("{} broke and was left out: {}", site.rule, fault.text),
                );
                Ok(())
            }
            Err(stop) => Err(stop),
        }
    }

    /// The arguments of an action in the order of its parameters, each of its type.
    fn arguments(
        &self,
        decl: &At<ActionDecl>,
        mut given: Vec<(Name, Datum)>,
    ) -> Answer<Vec<(Name, Datum)>> {
        let mut args = Vec::with_capacity(decl.it.params.len());
        for param in &decl.it.params {
            let index = given.iter().position(|(name, _)| *name == param.name);
            let datum = match (index.map(|index| given.remove(index).1), &param.default) {
                (Some(datum), _) => datum,
                (None, Some(default)) => default.clone(),
                (None, None) if matches!(param.ty, Type::Optional(_)) => Datum::None,
                (None, None) => {
                    return Err(self.bad_argument(decl, param.name.as_str(), &param.ty, "nothing"));
                }
            };
            if !self.argument_fits(&param.ty, &datum) {
                let have = match &datum {
                    Datum::Thing(thing) if !self.exists(thing) => "one that is gone".to_owned(),
                    there => self.label(there),
                };
                return Err(self.bad_argument(decl, param.name.as_str(), &param.ty, &have));
            }
            args.push((param.name.clone(), datum));
        }
        if let Some((name, _)) = given.first() {
            let known: Vec<_> = decl
                .it
                .params
                .iter()
                .map(|param| param.name.as_str())
                .collect();
            let what = format!("only what {} asks for: {}", decl.it.title, known.join(", "));
            let mut refusal = self.refusal_at(&decl.site, &what);
            refusal.needs[0].have = name.to_string();
            refusal.needs[0].topic = Topic::Argument(name.clone());
            return Err(Stop::Refused(Box::new(refusal)));
        }
        Ok(args)
    }

    fn argument_fits(&self, ty: &Type, datum: &Datum) -> bool {
        match (ty, datum) {
            (Type::Kind(wanted), Datum::Thing(thing)) => {
                self.exists(thing)
                    && self
                        .kind_of(thing)
                        .is_ok_and(|kind| self.is_a(&kind, wanted))
            }
            (Type::Optional(_), Datum::None) => true,
            (Type::Optional(inner), datum) => self.argument_fits(inner, datum),
            (Type::List(item), Datum::List(items)) => {
                items.iter().all(|datum| self.argument_fits(item, datum))
            }
            (ty, datum) => convert::fits(ty, datum),
        }
    }

    fn bad_argument(&self, decl: &At<ActionDecl>, name: &str, ty: &Type, have: &str) -> Stop {
        let what = self.wanted(&label(name), ty);
        let mut refusal = self.refusal_at(&decl.site, &what);
        refusal.needs[0].have = have.to_owned();
        refusal.needs[0].topic = Topic::Argument(name.into());
        Stop::Refused(Box::new(refusal))
    }

    /// What a field takes, for a refusal: "a Battle as Fight".
    pub fn wanted(&self, label: &str, ty: &Type) -> String {
        let type_words = convert::type_words(ty, &|kind| self.kind_word(kind));
        format!("{type_words} as {label}")
    }

    /// What an action lacks for a field where nothing can be picked: "an applicant to pick". A field that is called by how it
    /// is used, such as `to`, says what it takes.
    pub fn to_pick(&self, label: &str, ty: &Type) -> String {
        let label = label.to_lowercase();
        if !PREPOSITIONS.contains(&label.as_str()) {
            return format!("{} to pick", with_article(&label));
        }
        match ty {
            Type::Kind(_) | Type::Square => {
                let type_words = convert::type_words(ty, &|kind| self.kind_word(kind));
                format!("{type_words} to pick")
            }
            _ => format!("something to pick as {label}"),
        }
    }

    /// What people call one thing of a kind.
    pub fn kind_word(&self, kind: &Name) -> String {
        let law = self.frame().law;
        let title = match kind.as_str() {
            "Player" => return self.term("player", false),
            "Game" | "Post" | "Rule" | "Comment" | "Dynasty" => {
                return kind.as_str().to_lowercase();
            }
            _ => match (law.entities.get(kind), law.categories.get(kind)) {
                (Some(entity), _) => &entity.it.title,
                (None, Some(category)) => &category.it.title,
                (None, None) => return kind.to_string(),
            },
        };
        self.with_state(|state| worded(state, title))
    }

    /// The word for a term.
    pub fn term(&self, name: &str, many: bool) -> String {
        self.with_state(|state| {
            state.terms.get(name).map_or_else(
                || {
                    if many {
                        format!("{name}s")
                    } else {
                        name.to_owned()
                    }
                },
                |term| {
                    if many {
                        term.many.clone()
                    } else {
                        term.one.clone()
                    }
                },
            )
        })
    }
}

/// The people among an action's arguments, alone and in lists, each with the parameter.
fn people_in(args: &[(Name, Datum)]) -> impl Iterator<Item = (&Name, PlayerId)> {
    let person = |datum: &Datum| match datum {
        Datum::Thing(Thing::Player(id)) => Some(*id),
        _ => None,
    };
    args.iter().flat_map(move |(name, datum)| {
        let people: Vec<PlayerId> = match datum {
            Datum::List(items) => items.iter().filter_map(person).collect(),
            one => person(one).into_iter().collect(),
        };
        people.into_iter().map(move |id| (name, id))
    })
}

/// How many times a guard is asked how it will speak.
const LOOKS_MAX: usize = 12;

/// Words by which a field can be called that are no name of what it takes.
const PREPOSITIONS: [&str; 16] = [
    "about", "after", "at", "before", "by", "for", "from", "in", "into", "of", "on", "onto",
    "over", "through", "to", "with",
];

/// A field's code name as forms show it: `row_out` reads "Row out".
fn label(name: &str) -> String {
    capital(&readable(name))
}

/// A limit and what is used of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quota {
    /// How often within the limit's time so far.
    pub used: u32,
    /// The limit.
    pub limit: LimitDecl,
    /// What it counts from where that is a moment or an action of the law, by its title: "turn began".
    pub since: String,
}

impl Quota {
    /// In few words: "2 of 3 a day used", "once a week"; the limit as it is where nothing can be counted.
    pub fn words(&self) -> String {
        match (self.used, self.limit.times.max(1)) {
            (0, _) | (_, 1) => limit_words(&self.limit, &self.since),
            (used, times) => {
                let per = per_words(&self.limit.per, &self.since);
                format!("{used} of {times}{per} used")
            }
        }
    }
}

fn per_words(per: &Per, since: &str) -> String {
    match per {
        Per::Ever => String::new(),
        Per::Day => " a day".to_owned(),
        Per::Week => " a week".to_owned(),
        Per::Since(_) => format!(" since {since}"),
    }
}

fn limit_words(limit: &LimitDecl, since: &str) -> String {
    let often = match limit.times.max(1) {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    };
    let by = if limit.shared {
        " for everybody together"
    } else {
        ""
    };
    let per = per_words(&limit.per, since);
    let gap = limit
        .gap
        .map(|gap| format!(", with {gap} between"))
        .unwrap_or_default();
    format!("at most {often}{per}{by}{gap}")
}
