//! A labelling session as the command line asks for it.

use fdc::label::{Session, SessionOptions};
use fdc_learn::catalogue;

use crate::args::session::SessionArguments;
use crate::exit::Problem;

/// Opens the case; everything that was asked for is checked.
pub fn open(arguments: &SessionArguments) -> Result<Session, Problem> {
    let choice = &arguments.choice;
    let metric = catalogue::asked_for(choice.metric.as_deref(), choice.model.as_deref())?;
    let options = SessionOptions {
        start: arguments.start,
        origins: choice.origin.clone(),
        trust: arguments.trust,
        who: arguments.who.clone().unwrap_or_else(user),
        ranking: arguments.scoring.options(),
    };
    Session::open(&arguments.case, choice.failing.as_deref(), metric, options)
}

/// Who is logged in, as far as the environment tells.
fn user() -> String {
    let mut names = ["USER", "LOGNAME", "USERNAME"].iter();
    let user = names.find_map(|name| std::env::var(name).ok());
    user.unwrap_or_else(|| "somebody".to_owned())
}
