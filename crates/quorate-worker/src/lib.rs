//! Rule code in processes of its own.
//!
//! A worker is this same program, started with a socket as its standard input. Before it reads anything from there it gives
//! away what it does not need ([`confine`]): files, the network, other processes, memory beyond a cap. What it is asked and
//! what it answers are frames of bytes ([`frame`]). There are two kinds: [`judges`] keeps a game's commands judged by workers,
//! as a port of the runtime; [`readers`] has pages, previews and tests made by workers, which reach the store through
//! [`pipe`]. Whoever waits for a worker keeps the time by a clock, and kills it when the time is over.

#![cfg(unix)]

pub mod confine;
mod culprit;
pub mod frame;
pub mod judges;
mod patience;
pub mod pipe;
pub mod process;
pub mod readers;
pub mod testing;
