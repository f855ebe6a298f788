//! The reader's own vote: what it is, how it is cast by one click, and which matter is next.

use quorate_engine::conventions;
use quorate_kernel::{Name, PostId, rows};

use crate::ui::{Ballot, QuickVote, urls};
use crate::view::game::GameView;
use crate::view::matters::Count;

impl GameView {
    /// The reader's vote as they cast it last; none where they cast none.
    pub fn own_vote(&self, id: PostId, icons: &[Name]) -> Option<Name> {
        let cast = self.cast_by(id, self.me?, icons).pop();
        cast.map(|(_, icon)| icon)
    }

    /// What counts as the reader's vote, cast or not.
    fn standing_vote(&self, id: PostId, count: &Count) -> Option<Name> {
        let me = self.me?;
        let own = self.own_vote(id, &count.icons);
        own.or_else(|| {
            let mine = count.ballots.iter().find(|(player, _)| *player == me)?;
            (!mine.1.is_empty()).then(|| Name::from(mine.1.as_str()))
        })
    }

    /// The sides that the reader may take on an open matter, with the one that is their vote now.
    pub(crate) fn own_sides(&self, id: PostId, count: &Count) -> Vec<(Ballot, bool)> {
        let mine = self.standing_vote(id, count);
        let outlook = self.outlook(id, count);
        let sides = outlook.sides.iter();
        sides
            .map(|side| (Ballot::new(side.as_str()), mine.as_ref() == Some(side)))
            .collect()
    }

    /// A vote by one click; `back` says where it leads, the post's page where nothing is said. None where the reader may not
    /// vote.
    pub(crate) fn quick_vote(&self, id: PostId, back: Option<&str>) -> Option<QuickVote> {
        let post = self.post(id)?;
        let playing = self
            .me
            .filter(|me| self.is_member() && !self.has_flag(*me, conventions::IDLE));
        if self.is_past || playing.is_none() || !self.is_open(post) {
            return None;
        }
        let count = self.count(id)?;
        let mut sides = self.own_sides(id, &count);
        sides.retain(|(side, is_mine)| side.name != conventions::FINAL || *is_mine);
        // A veto stands: there is nothing to change by one click.
        if sides.is_empty()
            || sides
                .iter()
                .any(|(side, mine)| *mine && side.name == conventions::FINAL)
        {
            return None;
        }
        let (game, word) = (self.game.as_str(), id.to_string());
        let send = self.send(urls::Comment { game, post: &word });
        let send = match back {
            Some(back) => send.with("back", back),
            None => send,
        };
        let title = self.themed(post.title.as_str());
        Some(QuickVote { send, title, sides })
    }

    /// Whether a matter waits for the reader's vote: they play, it is open, they are not its author and have cast none.
    pub(crate) fn waits_for_vote(&self, id: PostId, post: &rows::Post) -> bool {
        let Some(me) = self
            .me
            .filter(|me| self.is_member() && !self.has_flag(*me, conventions::IDLE))
        else {
            return false;
        };
        let Some(category) = self.law.categories.get(&post.category) else {
            return false;
        };
        self.sight().post(post)
            && self.is_open(post)
            && !category.it.icons.is_empty()
            && self.sight().author(&post.author) != Some(me)
            && self.own_vote(id, &category.it.icons).is_none()
    }

    /// The matters that wait for the reader's vote, oldest first, those behind a given one before those ahead of it.
    pub(crate) fn unvoted(&self, after: Option<PostId>) -> Vec<PostId> {
        let posts = self.open_posts();
        let waiting = posts.filter(|(id, post)| self.waits_for_vote(**id, post));
        let mut waiting: Vec<_> = waiting.map(|(id, post)| (post.open_at, *id)).collect();
        waiting.sort_unstable();
        let here = after.and_then(|id| Some((self.post(id)?.open_at, id)));
        let split = here.map_or(0, |here| waiting.partition_point(|one| *one <= here));
        waiting.rotate_left(split);
        waiting.into_iter().map(|(_, id)| id).collect()
    }
}
