//! Labelling on a local web page: a server for one case and one person at one machine.
//!
//! # Who may ask
//! The server listens on 127.0.0.1 only. Other programs and other web pages on the machine can
//! reach that address, too, so every request is looked at (`access`):
//!
//! - It carries the token of the printed address, in the header `x-fdc-token` or as `?token=`. A
//!   request that changes anything must have it in the header: no form, link or picture of another
//!   page can set one. There are no cookies, so nothing is sent along unasked.
//! - `Host` is this server, word for word: a name that was made to point here (DNS rebinding) is
//!   refused. `Origin` and `Sec-Fetch-Site`, where a browser sends them, are our own.
//! - No answer has a header that lets other origins read it, and preflights are refused.
//! - Whoever is refused, or asks for nothing, loses the connection (`connections`): any number of
//!   them leaves room for the page.
//!
//! The page's policy allows this server's script, style and connections and nothing else; markup
//! in names stays text. Files are served by the name the case has for them, through
//! [`fdc_source::Sources`]; no path of a request reaches the disk.
#![forbid(unsafe_code)]

mod access;
mod connections;
mod page;
mod routes;
pub mod served;
pub mod server;
mod token;

pub use served::ServedSession;
pub use server::{Server, ServerError};
