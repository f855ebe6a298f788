//! How a stored version's types are declared: beside the live ones and apart from them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::ids::{ClaimId, CommentId, DutyId, EntityId, EventSeq, Id, MessageId, PlayerId, PostId};
use crate::name::Name;
use crate::seal::Sealed;
use crate::tape::DiceKey;
use crate::time::{Moment, Span};

/// A type as a version stores it.
pub(super) trait Frozen {
    /// What it is today.
    type Live;
    /// The stored form of a live value.
    fn freeze(live: &Self::Live) -> Self;
    /// The live value of a stored form.
    fn thaw(self) -> Self::Live;
}

/// What every version shares: numbers, words, and what is no more than one of them. These types never change.
macro_rules! shared_by_all {
    ($($type:ty)+) => {$(
        impl Frozen for $type {
            type Live = Self;

            fn freeze(live: &Self) -> Self {
                live.clone()
            }

            fn thaw(self) -> Self {
                self
            }
        }
    )+};
}

shared_by_all!(() bool u16 u32 u64 i64 i128 String Arc<str> Name Digest DiceKey Moment Span);
shared_by_all!(EventSeq Id PlayerId EntityId PostId CommentId DutyId ClaimId MessageId);

/// Of a seal, its digest alone is stored.
impl<T: ?Sized> Frozen for Sealed<T> {
    type Live = Self;

    fn freeze(live: &Self) -> Self {
        live.clone()
    }

    fn thaw(self) -> Self {
        self
    }
}

impl<T: Frozen> Frozen for Option<T> {
    type Live = Option<T::Live>;

    fn freeze(live: &Self::Live) -> Self {
        live.as_ref().map(T::freeze)
    }

    fn thaw(self) -> Self::Live {
        self.map(T::thaw)
    }
}

impl<T: Frozen> Frozen for Vec<T> {
    type Live = Vec<T::Live>;

    fn freeze(live: &Self::Live) -> Self {
        live.iter().map(T::freeze).collect()
    }

    fn thaw(self) -> Self::Live {
        self.into_iter().map(T::thaw).collect()
    }
}

impl<T: Frozen> Frozen for Box<T> {
    type Live = Box<T::Live>;

    fn freeze(live: &Self::Live) -> Self {
        Self::new(T::freeze(live))
    }

    fn thaw(self) -> Self::Live {
        Box::new((*self).thaw())
    }
}

impl<A: Frozen, B: Frozen> Frozen for (A, B) {
    type Live = (A::Live, B::Live);

    fn freeze((a, b): &Self::Live) -> Self {
        (A::freeze(a), B::freeze(b))
    }

    fn thaw(self) -> Self::Live {
        (self.0.thaw(), self.1.thaw())
    }
}

/// What is shared today. Stored, it is what it points at.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Shared<T>(T);

impl<T: Frozen> Frozen for Shared<T> {
    type Live = Arc<T::Live>;

    fn freeze(live: &Self::Live) -> Self {
        Self(T::freeze(live))
    }

    fn thaw(self) -> Self::Live {
        Arc::new(self.0.thaw())
    }
}

/// A list that is shared today.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct SharedList<T>(Vec<T>);

impl<T: Frozen> Frozen for SharedList<T> {
    type Live = Arc<[T::Live]>;

    fn freeze(live: &Self::Live) -> Self {
        Self(live.iter().map(T::freeze).collect())
    }

    fn thaw(self) -> Self::Live {
        self.0.into_iter().map(T::thaw).collect()
    }
}

/// Declares a version's structs, each for the live type of the same name in `live`.
///
/// Fields are stored in the order written. A live field that the version does not know stands after a
/// semicolon, with what a reader takes for it, given what is stored.
macro_rules! frozen_structs {
    ($($name:ident { $($field:ident: $type:ty),+ $(,)? $(; $($new:ident: $read:expr),+ $(,)?)? })+) => {$(
        #[derive(Serialize, Deserialize)]
        #[allow(clippy::struct_field_names, reason = "the fields are those of the live type")]
        pub(super) struct $name {
            $($field: $type,)+
        }

        impl Frozen for $name {
            type Live = live::$name;

            fn freeze(live: &live::$name) -> Self {
                Self { $($field: Frozen::freeze(&live.$field),)+ }
            }

            fn thaw(self) -> live::$name {
                live::$name {
                    $($($new: ($read)(&self),)+)?
                    $($field: self.$field.thaw(),)+
                }
            }
        }
    )+};
}

/// Declares a version's enums, each for the live type of the same name in `live`.
///
/// Variants are numbered in the order written. A live variant that the version does not know stands after a
/// semicolon, with the one that is stored for it.
macro_rules! frozen_enums {
    ($($name:ident {
        $($variant:ident $(($($arg:ident: $arg_type:ty),+))? $({ $($field:ident: $type:ty),+ $(,)? })?),+ $(,)?
        $(; $($new:ident: $stored:ident),+ $(,)?)?
    })+) => {$(
        #[derive(Serialize, Deserialize)]
        pub(super) enum $name {
            $($variant $(($($arg_type),+))? $({ $($field: $type),+ })?,)+
        }

        impl Frozen for $name {
            type Live = live::$name;

            fn freeze(live: &live::$name) -> Self {
                match live {
                    $(live::$name::$variant $(($($arg),+))? $({ $($field),+ })? =>
                        Self::$variant $(($(Frozen::freeze($arg)),+))? $({ $($field: Frozen::freeze($field)),+ })?,)+
                    $($(live::$name::$new => Self::$stored,)+)?
                }
            }

            fn thaw(self) -> live::$name {
                match self {
                    $(Self::$variant $(($($arg),+))? $({ $($field),+ })? =>
                        live::$name::$variant $(($($arg.thaw()),+))? $({ $($field: $field.thaw()),+ })?,)+
                }
            }
        }
    )+};
}

pub(super) use {frozen_enums, frozen_structs};
