//! Words: of the theme, of values, of refusals.

use quorate_engine::convert;
use quorate_engine::icons::IconWords;
use quorate_engine::view::Seen;
use quorate_kernel::rows::{CellKey, Standing};
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Moment, Name, Need, PostId, Refusal, Topic, Value};
use quorate_law::stop::Site;

use crate::app::reply::timestamp;
use crate::ui;
use crate::ui::markup::{Markup, People, Reading};
use crate::ui::urls::Href;
use crate::ui::{Cite, When, markup, urls};
use crate::view::game::GameView;

/// Things that come several times told once, with how many they are: "4 × dagger".
pub(crate) fn bundled(words: Vec<String>) -> Vec<String> {
    let mut found: Vec<(String, usize)> = Vec::new();
    for word in words {
        match found.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => found.push((word, 1)),
        }
    }
    let told = found.into_iter().map(|(word, count)| match count {
        1 => word,
        count => format!("{count} × {word}"),
    });
    told.collect()
}

/// What stands in the first list alone, and what in the second alone, each as often as it does.
fn difference(old: Vec<String>, new: Vec<String>) -> (Vec<String>, Vec<String>) {
    let mut come = new;
    let mut gone = old;
    gone.retain(|word| match come.iter().position(|other| other == word) {
        Some(place) => {
            come.remove(place);
            false
        }
        None => true,
    });
    (gone, come)
}

impl GameView {
    /// The theme's word for a token, or the token.
    pub fn word(&self, token: &str) -> String {
        self.terms
            .get(token)
            .cloned()
            .unwrap_or_else(|| token.to_owned())
    }

    /// A moment as the page tells it.
    pub fn when(&self, at: Moment) -> When {
        When::new(timestamp(at), timestamp(self.now))
    }

    /// A value in words, things by what they are called.
    pub fn label(&self, value: &Value) -> String {
        match value {
            Value::None => "none".to_owned(),
            Value::Flag(true) => "yes".to_owned(),
            Value::Flag(false) => "no".to_owned(),
            Value::Moment(at) => self.when(*at).full(),
            Value::List(items) => {
                let words = items.iter().map(|item| self.label(item)).collect();
                bundled(words).join(", ")
            }
            value => self.trial_run(|tx| tx.label(&convert::datum(value))),
        }
    }

    /// How a list that several things stand in changed: how many stood there, and what came and went.
    pub fn list_change(&self, old: &Value, new: &Value) -> Option<(String, String)> {
        let (Value::List(before), Value::List(after)) = (old, new) else {
            return None;
        };
        let changed = self.list_moves(old, new)?;
        Some((
            format!("{} in it", before.len()),
            format!("{}: {changed}", after.len()),
        ))
    }

    /// What left a list and what came into it.
    pub(crate) fn list_moves(&self, old: &Value, new: &Value) -> Option<String> {
        let (Value::List(before), Value::List(after)) = (old, new) else {
            return None;
        };
        if before.len() < 2 || after.len() < 2 {
            return None;
        }
        let words = |items: &[Value]| items.iter().map(|item| self.label(item)).collect();
        let (gone, come) = difference(words(before), words(after));
        let gone = bundled(gone).into_iter().map(|word| format!("− {word}"));
        let come = bundled(come).into_iter().map(|word| format!("+ {word}"));
        let moved: Vec<_> = gone.chain(come).collect();
        Some(if moved.is_empty() {
            "in another order".to_owned()
        } else {
            moved.join(", ")
        })
    }

    /// A tracked value in words, as far as the reader may know it.
    pub fn shown(&self, key: &CellKey) -> String {
        match self.sight().cell(key) {
            Seen::Value(value) => self.label(&value),
            Seen::Hidden => "hidden".to_owned(),
            Seen::Nothing => String::new(),
        }
    }

    /// A text with the words of the theme and live values in it, for titles.
    pub fn themed(&self, text: &str) -> String {
        quorate_engine::words::worded(self.state(), text)
    }

    /// A refusal in the words of the theme.
    pub fn themed_refusal(&self, refusal: &Refusal) -> Refusal {
        quorate_engine::words::worded_refusal(self.state(), refusal)
    }

    /// A text of several paragraphs, headings at a level.
    pub fn prose(&self, text: &str, heading: u8) -> Markup {
        self.markup(text, &IconWords::default(), Some(heading), true, None)
    }

    /// The text of a post, with the pictures that were uploaded for it.
    pub fn post_prose(&self, post: PostId, text: &str, heading: u8) -> Markup {
        let pictures = self.pictures_under(post);
        self.markup(
            text,
            &IconWords::default(),
            Some(heading),
            true,
            Some(&pictures),
        )
    }

    /// The text of a post that is not there yet, as its writer sees it.
    pub fn draft_prose(&self, text: &str, heading: u8) -> Markup {
        let to = urls::Upload {
            game: self.game.as_str(),
            word: "",
        };
        let pictures = Href::from(to);
        self.markup(
            text,
            &IconWords::default(),
            Some(heading),
            true,
            Some(pictures.as_str()),
        )
    }

    /// Where the pictures of a post and its comments are.
    fn pictures_under(&self, post: PostId) -> String {
        let post = post.to_string();
        let to = urls::PostPicture {
            game: self.game.as_str(),
            post: &post,
            word: "",
        };
        Href::from(to).as_str().to_owned()
    }

    /// A text without headings of its own: a message, a line of flavour.
    pub fn remark(&self, text: &str) -> Markup {
        self.markup(text, &IconWords::default(), None, true, None)
    }

    /// A comment, in which those icons are drawn that count as votes.
    pub fn comment(&self, post: PostId, text: &str, counted: &IconWords) -> Markup {
        let pictures = self.pictures_under(post);
        self.markup(text, counted, None, true, Some(&pictures))
    }

    /// A clause of the law, whose lines were broken to fit an editor.
    pub fn clause_prose(&self, text: &str) -> Markup {
        let categories = self.law.categories.values();
        let icons = categories.map(|category| IconWords::of(&category.it));
        let icons = icons.fold(IconWords::default(), IconWords::and);
        self.markup(&outdented(text), &icons, None, false, None)
    }

    fn markup(
        &self,
        text: &str,
        icons: &IconWords,
        heading: Option<u8>,
        keeps_lines: bool,
        pictures: Option<&str>,
    ) -> Markup {
        markup::render(
            text,
            Reading {
                terms: &self.terms,
                icons,
                people: self.people_named(),
                keeps_lines,
                pictures,
                heading,
            },
        )
    }

    /// Who can be named by an @: everybody of the game.
    fn people_named(&self) -> &People {
        self.people.get_or_init(|| {
            let members = self.state().people.iter();
            let members = members.filter(|(_, person)| person.standing == Standing::Member);
            let ways = members.map(|(id, _)| {
                let (game, player) = (self.game.as_str(), id.to_string());
                let player = &player;
                let href = Href::from(urls::Player { game, player });
                (self.name(*id).to_lowercase(), href.as_str().to_owned())
            });
            ways.collect()
        })
    }

    /// Every icon that some kind of post takes, in law order.
    pub fn icons(&self) -> Vec<Name> {
        let mut icons: Vec<Name> = Vec::new();
        for name in &self.law.category_order {
            for icon in self
                .law
                .categories
                .get(name)
                .iter()
                .flat_map(|c| &c.it.icons)
            {
                if !icons.contains(icon) {
                    icons.push(icon.clone());
                }
            }
        }
        icons
    }

    /// Where a clause stands: its rule's title, leading there.
    pub fn cite(&self, rule: &Name, clause: u32) -> Option<Cite> {
        let title = self.themed(&self.state().rules.get(rule)?.title);
        let game = self.game.as_str();
        Some(if clause == 0 {
            let rule = rule.as_str();
            Cite::new(title, urls::Rule { game, rule })
        } else {
            let (rule, clause) = (rule.as_str(), clause.to_string());
            let text = format!("{title}, clause {clause}");
            let clause = &clause;
            Cite::new(text, urls::Clause { game, rule, clause })
        })
    }

    /// A need; a part of a rule by the rule's title.
    fn need_words(&self, need: &Need) -> String {
        let rules = &self.state().rules;
        match &need.topic {
            Topic::Part { part, rule } if rules.contains_key(rule) => {
                format!("{part} in {}", self.themed(&rules[rule].title))
            }
            _ => need.what.clone(),
        }
    }

    /// Where a declaration stands.
    pub fn cite_site(&self, site: &Site) -> Option<Cite> {
        self.cite(&site.rule, site.clause)
    }

    /// A refusal of the law as pages show it. `tried` says what was tried: "Row out".
    pub fn refusal(&self, tried: &str, refusal: &Refusal) -> ui::Refusal {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        // Moments stand in refusals as the law writes them.
        let told = |text: &str| match text.parse::<Moment>() {
            Ok(at) => Some(self.when(at).full()),
            Err(_) => some(text),
        };
        // The moment that holds now says nothing beside the one when the answer may change.
        let is_moment = |text: &str| text.parse::<Moment>().is_ok();
        let needs = refusal.needs.iter().map(|need| ui::Need {
            what: self.need_words(need),
            have: told(&need.have).filter(|_| refusal.next_at.is_none() || !is_moment(&need.have)),
            need: told(&need.need),
            topic: need.topic.clone(),
        });
        ui::Refusal {
            tried: tried.to_owned(),
            needs: needs.collect(),
            because: None,
            cite: self.cite(&refusal.rule_id, refusal.clause),
            next: refusal.next_at.map(|at| self.when(at)),
            field: None,
        }
    }
}

/// A clause without the blanks before its later lines, which stand under the number that is cut off: four of them would make
/// code of a note.
fn outdented(text: &str) -> String {
    let blanks = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let later = text.lines().skip(1).filter(|line| !line.trim().is_empty());
    let indent = later.map(blanks).min().unwrap_or(0);
    let lines = text.lines().enumerate().map(|(nth, line)| match nth {
        0 => line,
        _ => line.get(indent.min(blanks(line))..).unwrap_or_default(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A text that somebody wrote, or that it was taken out.
pub(crate) fn written(text: &Sealed<str>) -> &str {
    text.plain().unwrap_or("*What stood here was taken out.*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_under_a_clause_of_two_digits_is_no_code() {
        let clause = "A lamp burns\n    all night.\n\n    > Note: by day\n    > it is out.";
        let flat = "A lamp burns\nall night.\n\n> Note: by day\n> it is out.";
        assert_eq!(outdented(clause), flat);
        assert_eq!(outdented("One line."), "One line.");
        assert_eq!(outdented("List\n  - a\n    - b"), "List\n- a\n  - b");
    }

    #[test]
    fn what_comes_several_times_is_counted() {
        let words = ["dagger", "robe", "dagger"].map(str::to_owned).to_vec();
        assert_eq!(bundled(words), ["2 × dagger", "robe"]);
    }

    #[test]
    fn what_came_and_went_is_counted_piece_by_piece() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (gone, come) = difference(words("dagger dagger robe"), words("robe dagger cup cup"));
        assert_eq!((gone, come), (words("dagger"), words("cup cup")));
    }
}
