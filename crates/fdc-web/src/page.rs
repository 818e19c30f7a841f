//! The page: plain HTML, CSS and JavaScript, part of the program.

use crate::token::Token;

/// The style.
pub(crate) const STYLE: &str = include_str!("page/page.css");
/// The scripts, one after the other in one scope: a module that loads another could not hand on
/// the token.
pub(crate) const SCRIPT: &str = concat!(
    include_str!("page/dom.js"),
    include_str!("page/server.js"),
    include_str!("page/failure.js"),
    include_str!("page/ranking.js"),
    include_str!("page/question.js"),
    include_str!("page/source.js"),
    include_str!("page/picture.js"),
    include_str!("page/history.js"),
    include_str!("page/main.js"),
);
/// The picture in the browser's tab.
pub(crate) const ICON: &str = include_str!("page/icon.svg");

/// The page; what it loads carries the token.
pub(crate) fn html(token: &Token) -> String {
    include_str!("page/page.html").replace("{token}", token.as_str())
}
