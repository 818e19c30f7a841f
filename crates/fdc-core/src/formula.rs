//! Suspiciousness formulas: one table from which help, reference pages and look-ups come.
//!
//! To add one, add an entry to [`FORMULAS`]. Any 0/0 is 0 unless an entry says otherwise.

use crate::naming::entry_named;
use crate::tally::Counts;

/// A suspiciousness formula. Higher is more suspicious.
#[derive(Debug)]
pub struct Formula {
    /// The name on the command line.
    pub name: &'static str,
    /// The formula as text, in `ef`, `ep`, `nf`, `np`, `F = ef+nf`, `P = ep+np`.
    pub text: &'static str,
    /// Where it comes from.
    pub citation: &'static str,
    value: fn(Counts) -> f64,
}

impl Formula {
    const fn new(
        name: &'static str,
        text: &'static str,
        citation: &'static str,
        value: fn(Counts) -> f64,
    ) -> Self {
        Formula {
            name,
            text,
            citation,
            value,
        }
    }

    /// The default: [`FORMULAS`]' first, ochiai.
    pub fn default_formula() -> &'static Formula {
        &FORMULAS[0]
    }

    /// The formula of that name, or the nearest known name.
    pub fn named(name: &str) -> Result<&'static Formula, Option<&'static str>> {
        entry_named(FORMULAS, |formula| formula.name, name)
    }

    /// The suspiciousness of an element with these counts. Never NaN.
    #[inline]
    pub fn value(&self, counts: Counts) -> f64 {
        // -0 and 0 are one score.
        (self.value)(counts) + 0.0
    }
}

impl PartialEq for Formula {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

const NAISH: &str = "Naish, Lee, Ramamohanarao 2011 (A model for spectra-based software diagnosis)";
const LUCIA: &str =
    "Lucia, Lo, Jiang, Thung, Budi 2014 (Extended comprehensive study of association measures)";

const WONG: &str = "Wong, Qi, Zhao, Cai 2007 (Effective fault localization using code coverage)";

/// All formulas, the default first.
pub static FORMULAS: &[Formula] = &[
    Formula::new(
        "ochiai",
        "ef / sqrt(F (ef+ep)), 0 where ef = 0",
        "Abreu, Zoeteweij, van Gemund 2006 (An evaluation of similarity coefficients for software fault localization)",
        |c| ratio(c.ef, (failed(c) * (c.ef + c.ep)).sqrt()),
    ),
    Formula::new(
        "tarantula",
        "(ef/F) / (ef/F + ep/P)",
        "Jones, Harrold, Stasko 2002 (Visualization of test information to assist fault localization)",
        |c| {
            let fail = ratio(c.ef, failed(c));
            ratio(fail, fail + ratio(c.ep, passed(c)))
        },
    ),
    Formula::new(
        "dstar",
        "ef^2 / (ep + nf), infinite where the denominator is 0 and ef > 0",
        "Wong, Debroy, Gao, Li 2014 (The DStar method for effective software fault localization), star = 2",
        |c| {
            if c.ep + c.nf == 0.0 && c.ef > 0.0 {
                f64::INFINITY
            } else {
                ratio(c.ef * c.ef, c.ep + c.nf)
            }
        },
    ),
    Formula::new("op2", "ef - ep / (P+1)", NAISH, |c| {
        c.ef - c.ep / (passed(c) + 1.0)
    }),
    Formula::new("wong1", "ef", WONG, |c| c.ef),
    Formula::new("wong2", "ef - ep", WONG, |c| c.ef - c.ep),
    Formula::new(
        "wong3",
        "ef - h, h = ep up to 2, 2 + 0.1 (ep-2) up to 10, 2.8 + 0.001 (ep-10) above",
        WONG,
        |c| {
            c.ef - if c.ep <= 2.0 {
                c.ep
            } else if c.ep <= 10.0 {
                2.0 + 0.1 * (c.ep - 2.0)
            } else {
                2.8 + 0.001 * (c.ep - 10.0)
            }
        },
    ),
    Formula::new(
        "jaccard",
        "ef / (F + ep)",
        "Chen, Kiciman, Fratkin, Fox, Brewer 2002 (Pinpoint)",
        |c| ratio(c.ef, failed(c) + c.ep),
    ),
    Formula::new(
        "barinel",
        "1 - ep / (ep+ef), 0 where ef = 0",
        "Abreu, Zoeteweij, van Gemund 2009 (Spectrum-based multiple fault localization), single-fault form",
        |c| where_failed(c, 1.0 - c.ep / (c.ep + c.ef)),
    ),
    Formula::new(
        "gp13",
        "ef (1 + 1 / (2 ep + ef))",
        "Yoo 2012 (Evolving human competitive spectra-based fault localisation techniques)",
        |c| c.ef * (1.0 + ratio(1.0, 2.0 * c.ep + c.ef)),
    ),
    Formula::new("naish1", "-1 if ef < F, else np", NAISH, |c| {
        if c.nf > 0.0 { -1.0 } else { c.np }
    }),
    Formula::new("kulczynski2", "1/2 (ef/F + ef/(ef+ep))", NAISH, |c| {
        0.5 * (ratio(c.ef, failed(c)) + ratio(c.ef, c.ef + c.ep))
    }),
    Formula::new(
        "ample",
        "abs(ef/F - ep/P)",
        "Dallmeier, Lindig, Zeller 2005 (Lightweight bug localization with AMPLE), as in Abreu et al. 2006",
        |c| (ratio(c.ef, failed(c)) - ratio(c.ep, passed(c))).abs(),
    ),
    Formula::new(
        "zoltar",
        "ef / (F + ep + 10^4 nf ep / ef), 0 where ef = 0",
        "Gonzalez-Sanchez 2007 (Automatic error detection techniques based on dynamic invariants)",
        |c| where_failed(c, c.ef / (failed(c) + c.ep + 1e4 * c.nf * c.ep / c.ef)),
    ),
    Formula::new("ochiai2", "ef np / sqrt((ef+ep) (nf+np) F P)", NAISH, |c| {
        let margins = (c.ef + c.ep) * (c.nf + c.np) * failed(c) * passed(c);
        ratio(c.ef * c.np, margins.sqrt())
    }),
    Formula::new("sorensen-dice", "2 ef / (2 ef + nf + ep)", NAISH, |c| {
        ratio(2.0 * c.ef, 2.0 * c.ef + c.nf + c.ep)
    }),
    Formula::new("anderberg", "ef / (ef + 2 (nf + ep))", NAISH, |c| {
        ratio(c.ef, c.ef + 2.0 * (c.nf + c.ep))
    }),
    Formula::new(
        "goodman",
        "(2 ef - nf - ep) / (2 ef + nf + ep)",
        NAISH,
        |c| ratio(2.0 * c.ef - c.nf - c.ep, 2.0 * c.ef + c.nf + c.ep),
    ),
    Formula::new("simple-matching", "(ef + np) / (F + P)", NAISH, |c| {
        ratio(c.ef + c.np, failed(c) + passed(c))
    }),
    Formula::new(
        "rogers-tanimoto",
        "(ef + np) / (ef + np + 2 (nf + ep))",
        NAISH,
        |c| ratio(c.ef + c.np, c.ef + c.np + 2.0 * (c.nf + c.ep)),
    ),
    Formula::new("russell-rao", "ef / (F + P)", NAISH, |c| {
        ratio(c.ef, failed(c) + passed(c))
    }),
    Formula::new("hamann", "(ef + np - nf - ep) / (F + P)", NAISH, |c| {
        ratio(c.ef + c.np - c.nf - c.ep, failed(c) + passed(c))
    }),
    Formula::new(
        "cohen",
        "2 (ef np - nf ep) / ((ef+ep) P + F (nf+np))",
        NAISH,
        |c| {
            let margins = (c.ef + c.ep) * passed(c) + failed(c) * (c.nf + c.np);
            ratio(2.0 * (c.ef * c.np - c.nf * c.ep), margins)
        },
    ),
    Formula::new(
        "harmonic",
        "(ef np - nf ep) ((ef+ep)(np+nf) + F P) / ((ef+ep)(np+nf) F P)",
        NAISH,
        |c| {
            let (covered, judged) = ((c.ef + c.ep) * (c.np + c.nf), failed(c) * passed(c));
            let gain = (c.ef * c.np - c.nf * c.ep) * (covered + judged);
            ratio(gain, covered * judged)
        },
    ),
    Formula::new(
        "hyperbolic",
        "1 / (0.375 + nf/F) + 0.711 / (0.768 + ep/(ef+ep)), 0 where ef = 0",
        "Neelofar, Naish, Lee, Ramamohanarao 2017 (Improving spectral-based fault localization using static analysis), hyperbolic metric",
        |c| {
            let failing = 1.0 / (0.375 + ratio(c.nf, failed(c)));
            where_failed(c, failing + 0.711 / (0.768 + c.ep / (c.ef + c.ep)))
        },
    ),
    Formula::new(
        "klosgen",
        "sqrt(ef/(F+P)) max(ef/(ef+ep) - F/(F+P), ef/F - (ef+ep)/(F+P))",
        LUCIA,
        |c| {
            let all = failed(c) + passed(c);
            let precision = ratio(c.ef, c.ef + c.ep) - ratio(failed(c), all);
            let recall = ratio(c.ef, failed(c)) - ratio(c.ef + c.ep, all);
            ratio(c.ef, all).sqrt() * precision.max(recall)
        },
    ),
];

fn failed(c: Counts) -> f64 {
    c.ef + c.nf
}

fn passed(c: Counts) -> f64 {
    c.ep + c.np
}

/// The value, and 0 where no failing test covers the element.
fn where_failed(c: Counts, value: f64) -> f64 {
    if c.ef == 0.0 { 0.0 } else { value }
}

/// `a / b`, and 0 where `b` is 0.
#[inline]
pub(crate) fn ratio(a: f64, b: f64) -> f64 {
    if b == 0.0 { 0.0 } else { a / b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn value(name: &str, [ef, ep, nf, np]: [f64; 4]) -> f64 {
        let counts = Counts { ef, ep, nf, np };
        Formula::named(name).unwrap().value(counts)
    }

    #[test]
    fn names_are_unique_and_every_entry_is_documented() {
        let names: HashSet<_> = FORMULAS.iter().map(|formula| formula.name).collect();
        assert_eq!(names.len(), FORMULAS.len());
        for formula in FORMULAS {
            assert!(!formula.text.is_empty() && !formula.citation.is_empty());
        }
    }

    /// Worked by hand for ef = 2, ep = 3, nf = 1, np = 4 (F = 3, P = 7).
    #[test]
    fn values_on_plain_counts() {
        let counts = [2.0, 3.0, 1.0, 4.0];
        let expected = [
            ("ochiai", 2.0 / 15f64.sqrt()),
            ("tarantula", (2.0 / 3.0) / (2.0 / 3.0 + 3.0 / 7.0)),
            ("dstar", 1.0),
            ("op2", 2.0 - 3.0 / 8.0),
            ("wong1", 2.0),
            ("wong2", -1.0),
            ("wong3", 2.0 - 2.1),
            ("jaccard", 1.0 / 3.0),
            ("barinel", 0.4),
            ("gp13", 2.25),
            ("naish1", -1.0),
            ("kulczynski2", 0.5 * (2.0 / 3.0 + 0.4)),
            ("ample", 2.0 / 3.0 - 3.0 / 7.0),
            ("zoltar", 2.0 / (6.0 + 15_000.0)),
            ("ochiai2", 8.0 / 525f64.sqrt()),
            ("sorensen-dice", 0.5),
            ("anderberg", 0.2),
            ("goodman", 0.0),
            ("simple-matching", 0.6),
            ("rogers-tanimoto", 6.0 / 14.0),
            ("russell-rao", 0.2),
            ("hamann", 0.2),
            ("cohen", 2.0 * 5.0 / (35.0 + 15.0)),
            ("harmonic", 5.0 * (25.0 + 21.0) / (25.0 * 21.0)),
            (
                "hyperbolic",
                1.0 / (0.375 + 1.0 / 3.0) + 0.711 / (0.768 + 0.6),
            ),
            ("klosgen", 0.2f64.sqrt() * (2.0 / 3.0 - 0.5)),
        ];
        assert_eq!(
            expected.len(),
            FORMULAS.len(),
            "a formula has no value here"
        );
        for (name, expected) in expected {
            let found = value(name, counts);
            assert!(
                (found - expected).abs() < 1e-12,
                "{name}: {found} {expected}"
            );
        }
    }

    #[test]
    fn edge_cases_are_as_documented_and_never_nan() {
        assert_eq!(value("dstar", [2.0, 0.0, 0.0, 5.0]), f64::INFINITY);
        assert_eq!(value("dstar", [0.0, 0.0, 0.0, 5.0]), 0.0);
        assert_eq!(value("naish1", [2.0, 3.0, 0.0, 4.0]), 4.0);
        for formula in FORMULAS {
            for bits in 0..81u32 {
                let at = |digit: u32| f64::from(bits / 3u32.pow(digit) % 3);
                let found = value(formula.name, [at(0), at(1), at(2), at(3)]);
                assert!(!found.is_nan(), "{} at {bits}", formula.name);
            }
        }
    }

    #[test]
    fn a_slip_suggests_the_nearest() {
        assert_eq!(Formula::named("ochai").unwrap_err(), Some("ochiai"));
    }
}
