//! Pages that the law declares and that people keep.

use quorate_engine::law::PageDecl;
use quorate_kernel::Name;

use crate::ui::{Link, urls};
use crate::view::game::GameView;

/// The declared pages, and texts that play keeps beside them.
pub(crate) fn index(view: &GameView) -> Vec<Link> {
    let game = view.game.as_str();
    let link = |name: &Name, title: String| {
        let page = name.as_str();
        Link::new(title, urls::Page { game, page })
    };
    let declared = view.law.pages.iter();
    let mut links: Vec<Link> = declared
        .map(|page| link(&page.it.name, view.themed(&page.it.title)))
        .collect();
    let kept = view.state().pages.keys();
    let others = kept.filter(|name| declaration(view, name).is_none());
    links.extend(others.map(|name| link(name, name.to_string())));
    links
}

pub(crate) fn declaration<'a>(view: &'a GameView, name: &Name) -> Option<&'a PageDecl> {
    let mut pages = view.law.pages.iter();
    let found = pages.find(|page| page.it.name == *name);
    found.map(|page| &page.it)
}

/// The rule that a page's text rests on where nobody says another.
pub(crate) fn home(view: &GameView, name: &Name) -> Name {
    let mut pages = view.law.pages.iter();
    let found = pages.find(|page| page.it.name == *name);
    found.map(|page| page.site.rule.clone()).unwrap_or_default()
}
