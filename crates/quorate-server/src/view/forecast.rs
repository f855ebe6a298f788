//! What a proposal would do: the forecast of what the reader may see, kept for a minute, as pieces of a page.

use std::sync::Arc;

use quorate_engine::judge::Judge;
use quorate_engine::query::PageAccount;
use quorate_forecast::words::{self, ForecastLine, ForecastSection, MoreAt, Voice};
use quorate_forecast::{
    ActForecast, Extent, Forecast, Fork, PastEvents, PatchTests, PatchTrial, Proof, Proposed,
};
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::digest::Digest;
use quorate_kernel::event::Event;
use quorate_kernel::{EventSeq, Moment, Name, Refusal, Span, Thing, Value};

use crate::ui::urls::{self, Href};
use crate::ui::{Effect, EffectGroup, Link, plural};
use crate::view::game::GameView;

impl PastEvents for GameView {
    fn event(&self, seq: EventSeq) -> Option<Event> {
        let seqs = [seq];
        let reading = self.site.events(&self.game, &seqs);
        // Pages are made where waiting holds up nobody.
        let events = tokio::runtime::Handle::current().block_on(reading);
        events.ok()?.into_iter().next()
    }

    fn log(&self) -> Result<Vec<Event>, Refusal> {
        let reading = self.site.whole_log(&self.game);
        let log = tokio::runtime::Handle::current().block_on(reading);
        let mut log = log.map_err(|error| Refusal::plain(format!("a log that reads ({error})")))?;
        log.retain(|event| event.seq <= self.published.head.seq);
        Ok(log)
    }
}

impl Voice for GameView {
    fn moment(&self, at: Moment) -> String {
        self.when(at).full()
    }

    fn value(&self, value: &Value) -> String {
        self.label(value)
    }

    fn moves(&self, old: &Value, new: &Value) -> Option<String> {
        self.list_moves(old, new)
    }

    fn refusal(&self, refusal: &Refusal) -> String {
        let told = GameView::refusal(self, "It", refusal);
        let reason = told.reason();
        match told.cite {
            Some(cite) => format!("{} ({})", reason.trim_end_matches('.'), cite.text),
            None => reason,
        }
    }

    fn tells(&self, thing: &Thing, name: &Name) -> bool {
        self.declared_of(thing, name)
            .is_none_or(|decl| !decl.tracked.is_empty())
    }
}

impl GameView {
    /// Uses a copy of the game as the reader sees it, for as long as a report may take.
    fn forked<T>(&self, try_it: impl FnOnce(&Fork<'_>) -> T) -> T {
        let judge = self.blind.get_or_init(|| {
            let laws = &self.site.deps.laws;
            let judge = Judge::open(self.sight().blind(), self.head(), laws);
            // All that one request tries is paid from one account.
            let judge = judge.paid_from(&PageAccount::of_preview());
            judge.make_ready();
            judge
        });
        let is_over = self.time_is_over(self.site.deps.config.report);
        try_it(&Fork {
            judge: judge.clone(),
            reader: self.reader(),
            is_blind: judge.state().cells.len() < self.state().cells.len(),
            now: self.now,
            past: self,
            time_is_over: &is_over,
        })
    }

    /// Says whether so much time has gone by from now on, by the server's clock.
    fn time_is_over(&self, after: Span) -> impl Fn() -> bool + Clone + use<> {
        let end = self.site.now() + after;
        let site = Arc::clone(&self.site);
        move || site.now() >= end
    }

    /// Enacts a post on a copy of the game, as far as the reader may see it.
    pub fn try_out(&self, proposed: &Proposed) -> Result<PatchTrial, Refusal> {
        self.forked(|fork| fork.try_out(proposed))
    }

    /// What a post would do: what this reader was told of it within the same minute and the same state, or what is found
    /// out now.
    pub fn forecast(&self, proposed: &Proposed, extent: Extent) -> Arc<Forecast> {
        let minute = self.now.0.div_euclid(60_000);
        let key = Digest::of_parts([
            self.game.as_str().as_bytes(),
            &self.published.head.hash.0,
            &minute.to_le_bytes(),
            format!("{extent:?} {:?} {proposed:?}", self.me).as_bytes(),
        ]);
        self.site.forecasts.get(&key).unwrap_or_else(|| {
            let made = Arc::new(self.forked(|fork| Forecast::of(fork, proposed, extent)));
            self.site.forecasts.insert(key, Arc::clone(&made));
            made
        })
    }

    /// The same as groups of a page.
    pub fn forecast_groups(&self, proposed: &Proposed, extent: Extent) -> Vec<EffectGroup> {
        let sections = words::sections(&self.forecast(proposed, extent), self);
        let group = |section: ForecastSection| EffectGroup {
            id: section.id.to_owned(),
            title: section.title.to_owned(),
            note: section.note.to_owned(),
            lines: section
                .lines
                .into_iter()
                .map(|line| self.drawn_line(line))
                .collect(),
            later: None,
        };
        sections.into_iter().map(group).collect()
    }

    /// What an act of the reader would do, as far as they may see it.
    pub fn act_lines(&self, act: Act) -> Result<Vec<Effect>, Refusal> {
        let me = self
            .me
            .ok_or_else(|| Refusal::plain("a player of this game"))?;
        let forecast = self.forked(|fork| ActForecast::of(fork, Actor::Player(me), act))?;
        let lines = words::of_act(&forecast, self).into_iter();
        Ok(lines.map(|line| self.drawn_line(line)).collect())
    }

    fn drawn_line(&self, line: ForecastLine) -> Effect {
        let game = self.game.as_str();
        let more = line.more.map(|more| match more {
            MoreAt::Post(id, title) => Link::new(
                title,
                urls::Post {
                    game,
                    post: &id.to_string(),
                },
            ),
            MoreAt::Claim(seq) => Link::new(
                "the claim",
                urls::Event {
                    game,
                    event: &seq.to_string(),
                },
            ),
        });
        Effect {
            lead: line.lead,
            text: line.text,
            more,
            finding: line.finding,
            is_alarm: line.is_alarm,
        }
    }

    /// Runs the tests of a patch and of the text that comes with it. Where none was left out, what was found is kept, as nothing
    /// but texts has a say in it.
    pub fn proof(&self, proposed: &Proposed, text: &str) -> Result<Arc<Proof>, Refusal> {
        let about = self.state().about.get(&());
        let mut books = self.site.deps.books.iter();
        let book = about.and_then(|about| books.find(|book| book.name == about.rulebook));
        let tests =
            self.forked(|fork| PatchTests::of(fork, proposed, ("the proposal", text), book))?;
        let key = tests.digest();
        Ok(self.site.proofs.get(&key).unwrap_or_else(|| {
            let is_over = self.time_is_over(self.site.deps.config.tests);
            let proof = Arc::new(tests.run(is_over));
            if proof.left_out == 0 {
                self.site.proofs.insert(key, Arc::clone(&proof));
            }
            proof
        }))
    }

    /// The tests of a patch and of the text that comes with it, as a group of a report.
    pub fn proof_group(&self, proposed: &Proposed, text: &str) -> EffectGroup {
        let lines = match self.proof(proposed, text) {
            Err(refusal) => vec![words::not_tried(&refusal)],
            Ok(proof) => words::proof(&proof),
        };
        EffectGroup {
            lines: lines
                .into_iter()
                .map(|line| self.drawn_line(line))
                .collect(),
            ..self.proof_later(None)
        }
    }

    /// The same group before they have run.
    pub fn proof_later(&self, later: Option<Href>) -> EffectGroup {
        let seconds = self.site.deps.config.tests.0.div_euclid(1000);
        let note = format!(
            "Those of the proposal itself, and those that name the rules it touches, on games of their own under the ruleset \
             as it would be. They may take {} in all.",
            plural(usize::try_from(seconds).unwrap_or(0), "second", "seconds")
        );
        EffectGroup {
            id: "tests".to_owned(),
            title: "Tests of the rules".to_owned(),
            note,
            lines: Vec::new(),
            later,
        }
    }
}
