//! The pages, a folder for each thing that people do: what handles its requests, what its pages hold, their templates and
//! samples, side by side.

pub mod account;
pub mod act;
pub mod api_page;
pub mod blog;
pub mod board;
pub mod charts;
pub mod compose;
pub mod desk;
pub mod discord;
pub mod dynasty;
pub mod feeds;
pub mod forecast;
pub mod forget;
#[cfg(test)]
mod gallery;
pub mod game_page;
pub mod help;
pub mod home;
pub mod join;
pub mod log;
pub mod mail_in;
pub mod messages;
pub mod new_game;
pub mod notices;
pub mod operator;
pub mod people;
pub mod picture;
pub mod post;
pub mod report;
pub mod ruleset;
pub mod ruling;
pub mod search;
pub mod seen;
pub mod tracker;
pub mod versions;
