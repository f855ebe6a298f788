//! Where a text is that a search found.

use quorate_kernel::PostId;
use quorate_runtime::ports::SearchKey;

use crate::ui::urls::Href;
use crate::ui::{Link, urls};
use crate::view::game::GameView;

impl GameView {
    /// What a text is called, and the way to it.
    pub(crate) fn way_to(&self, key: &SearchKey, title: &str) -> (String, Link) {
        let game = self.game().as_str();
        let of_post = |id: PostId| -> Href {
            let post = id.to_string();
            urls::Post { game, post: &post }.into()
        };
        match key {
            SearchKey::Post(id) => {
                let kind = self.post(*id).map(|post| self.category_title(post));
                (kind.unwrap_or_default(), Link::new(title, of_post(*id)))
            }
            SearchKey::Comment(id, comment) => {
                let above = self.post(*id);
                let above = above.map(|post| self.themed(post.title.as_str()));
                let comment = comment.to_string();
                // The post may have several pages of them.
                let href = of_post(*id).with("comment", &comment);
                let href = href.at(&format!("c{comment}"));
                let title = format!("under {}", above.unwrap_or_default());
                ("Comment".to_owned(), Link::new(title, href))
            }
            SearchKey::Rule(id) => {
                let rule = urls::Rule {
                    game,
                    rule: id.as_str(),
                };
                ("Rule".to_owned(), Link::new(title, rule))
            }
            SearchKey::Event(seq) => {
                let event = seq.to_string();
                let event = urls::Event {
                    game,
                    event: &event,
                };
                ("Event".to_owned(), Link::new(title, event))
            }
            SearchKey::Person(id) => {
                let player = id.to_string();
                let player = urls::Player {
                    game,
                    player: &player,
                };
                (self.word("Player"), Link::new(title, player))
            }
        }
    }
}
