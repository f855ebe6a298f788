//! The site at work: requests come in, are authorised in one place, and go out as pages, streams or JSON.
//!
//! **Invariant:** everything that changes a game goes through [`send::send`], everything that is shown of one comes from a
//! [`look::Look`].

mod api;
mod forget;
pub mod forms;
pub mod kept;
pub mod look;
pub mod mail;
pub mod past;
pub mod play;
pub mod reply;
mod routes;
pub mod send;
pub mod server;
pub mod site;
mod stream;
pub mod table;
pub mod trouble;
pub mod visitor;

pub use mail::Mail;
pub use routes::router;
pub use site::{House, Parts, Site};
