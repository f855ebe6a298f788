//! What stands on the table: tracked values, boards, declared pages, people, the desk, messages, the operator's panel.

pub(crate) mod boards;
pub(crate) mod claim;
pub(crate) mod desk;
pub(crate) mod grid;
pub(crate) mod history;
pub(crate) mod messages;
pub(crate) mod operator;
pub(crate) mod pages;
pub(crate) mod people;
pub(crate) mod pictures;
pub(crate) mod places;
pub(crate) mod rolls;
pub(crate) mod tracker;
pub(crate) mod tree;
pub(crate) mod withhold;
