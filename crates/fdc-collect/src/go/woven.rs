//! All mutants of a Go module in one build. What the compiler refuses is taken out by the places of its
//! errors, and it is asked again.

use std::collections::BTreeMap;

use super::Go;
use super::arguments::Arguments;
use super::build::Toolchain;
use crate::error::Result;
use crate::isolated::Isolated;
use crate::mutate::{Place, WovenSources, relative_to};
use crate::options::CollectOptions;
use crate::watch::Watch;

/// Joins each package that has mutants.
const SWITCHES: &str = r#"
import (
	"os"
	"strconv"
)

var fdcOn = fdcAsked()

func fdcAsked() int {
	on, _ := strconv.Atoi(os.Getenv("FDC_MUTANT"))
	return on
}

func fdcMutant(number int) bool { return fdcOn == number }

func fdcPick(number, changed, original int) int {
	if fdcOn == number {
		return changed
	}
	return original
}
"#;

const FILE: &str = "fdc_mutant_switches.go";

/// After so many tries whole files are left out, then we give up.
const BY_PLACE: usize = 8;
const ROUNDS: usize = 12;

pub(crate) fn build(
    options: &CollectOptions,
    sources: &mut WovenSources,
    watch: &dyn Watch,
) -> Result<Option<Box<dyn Isolated>>> {
    let arguments = Arguments::of(&options.arguments)?;
    for (folder, package) in packages(sources) {
        let path = match folder.is_empty() {
            true => FILE.to_owned(),
            false => format!("{folder}/{FILE}"),
        };
        sources.add(path, format!("package {package}\n{SWITCHES}"));
    }
    let work = options.work().join("go");
    let toolchain = Toolchain {
        root: &options.root,
        work: &work,
        arguments: &arguments,
        measures: false,
        lints: false,
        watch,
    };
    for round in 0..ROUNDS {
        sources.write()?;
        let Some(words) = toolchain.complaints()? else {
            let go = Go::build(options.clone(), arguments, watch)?;
            return Ok(
                (go.built.failures.is_empty() && go.silent.is_empty()).then(|| Box::new(go) as _)
            );
        };
        let errors = errors(&words, sources, options);
        if !sources.leave_out_blamed(&errors, round < BY_PLACE) {
            return Ok(None);
        }
    }
    Ok(None)
}

/// The folders that have mutants, and the names of their packages.
fn packages(sources: &WovenSources) -> BTreeMap<String, String> {
    let named = sources.paths().filter_map(|path| {
        let text = std::fs::read_to_string(sources.root.join(path)).ok()?;
        let name = text
            .lines()
            .find_map(|line| line.strip_prefix("package "))?;
        let name = name.split([' ', '\t', ';', '/']).next()?.to_owned();
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        Some((folder.to_owned(), name))
    });
    named.collect()
}

/// The places in words such as `./shop/price.go:7:12: undefined: x`.
fn errors(words: &str, sources: &WovenSources, options: &CollectOptions) -> Vec<Vec<Place>> {
    let place = |line: &str| {
        let mut parts = line.split(':');
        let (file, row) = (parts.next()?, parts.next()?.parse::<usize>().ok()?);
        let column = parts.next()?.parse::<usize>().ok()?;
        let file = file.trim_start_matches("./");
        let path = relative_to(&options.root, &options.root, file)?;
        let text = sources.text_of(&path)?;
        let mut lines = text.split_inclusive('\n');
        let before: usize = lines.by_ref().take(row.checked_sub(1)?).map(str::len).sum();
        let at = before + column.checked_sub(1)?.min(lines.next()?.len());
        Some(vec![(path, at..at)])
    };
    words.lines().filter_map(place).collect()
}
