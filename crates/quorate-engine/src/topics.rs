//! What rule code and players do on a working copy: each file a topic, with functions over it. A topic uses only those below
//! it; where the law itself leads back up, it does so through the world that its code is given.

pub(crate) mod actions;
pub(crate) mod automatics;
pub(crate) mod built_in_acts;
pub(crate) mod by_hand;
pub(crate) mod change_records;
pub(crate) mod conditions;
pub(crate) mod declared;
pub(crate) mod dice;
pub(crate) mod duties;
pub(crate) mod dynasties;
pub(crate) mod entities;
pub(crate) mod first_edition;
pub(crate) mod follow;
pub(crate) mod guards;
pub(crate) mod hooks;
pub(crate) mod host;
pub(crate) mod inborn;
pub(crate) mod labels;
pub(crate) mod last_look;
pub(crate) mod law_changes;
pub(crate) mod ledgers;
pub(crate) mod lengths;
pub(crate) mod limits;
pub(crate) mod new_law;
pub(crate) mod owed;
pub(crate) mod payments;
pub(crate) mod people;
pub(crate) mod permission;
pub(crate) mod posts;
pub(crate) mod rules;
pub(crate) mod rulings;
pub(crate) mod search;
pub(crate) mod things;
pub(crate) mod titles;
pub(crate) mod values;
