//! A labelling session as the command line asks for it.

use fdc::label::{Session, SessionOptions};
use fdc_learn::catalogue;

use crate::args::session::SessionArguments;
use crate::commands::select::check_origins;
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
    let failing = choice.failing.as_deref();
    let session = Session::open(&arguments.case, failing, metric, options)?;
    check_origins(session.spectrum(), &choice.origin)?;
    Ok(session)
}

/// Who is logged in, as far as the environment tells.
fn user() -> String {
    ["USER", "LOGNAME", "USERNAME"]
        .iter()
        .find_map(|name| std::env::var(name).ok())
        .unwrap_or_else(|| "somebody".to_owned())
}
