//! The host's kinds of values, as the language sees them.
//!
//! Invariant: no unsafe code is written here. Each value derives `ProvidesStaticType`, an unsafe trait by which the
//! language tells types apart at run time; what the derive writes needs this permission.
#![allow(
    unsafe_code,
    reason = "derived implementations of the language's marker trait"
)]

pub(crate) mod callable;
pub(crate) mod convert;
pub(crate) mod guard;
pub(crate) mod kind;
pub(crate) mod object;
pub(crate) mod picture;
pub(crate) mod plain;
pub(crate) mod record;
pub(crate) mod square;
pub(crate) mod thing;
pub(crate) mod time;
