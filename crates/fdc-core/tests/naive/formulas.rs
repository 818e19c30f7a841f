//! Every formula, written from the specification's table, and those beyond it from the literature
//! (Naish, Lee, Ramamohanarao 2011; Wong et al. 2007; Lucia et al. 2014).

use fdc_core::tally::Counts;

use super::ratio;

type Value = fn(Counts) -> f64;

/// Names as on the command line, with their twins.
pub(crate) static FORMULA_TWINS: &[(&str, Value)] = &[
    ("ochiai", ochiai),
    ("tarantula", tarantula),
    ("dstar", |c| {
        let below = c.ep + c.nf;
        if below == 0.0 && c.ef > 0.0 {
            f64::INFINITY
        } else {
            ratio(c.ef * c.ef, below)
        }
    }),
    ("op2", |c| c.ef - c.ep / (c.ep + c.np + 1.0)),
    ("wong1", |c| c.ef),
    ("wong2", |c| c.ef - c.ep),
    ("wong3", |c| {
        let h = match c.ep {
            ep if ep <= 2.0 => ep,
            ep if ep <= 10.0 => 2.0 + 0.1 * (ep - 2.0),
            ep => 2.8 + 0.001 * (ep - 10.0),
        };
        c.ef - h
    }),
    ("jaccard", |c| ratio(c.ef, c.ef + c.nf + c.ep)),
    ("barinel", |c| {
        if c.ef == 0.0 {
            0.0
        } else {
            1.0 - c.ep / (c.ep + c.ef)
        }
    }),
    ("gp13", |c| {
        if c.ef == 0.0 {
            0.0
        } else {
            c.ef * (1.0 + 1.0 / (2.0 * c.ep + c.ef))
        }
    }),
    ("naish1", |c| if c.ef < c.ef + c.nf { -1.0 } else { c.np }),
    ("kulczynski2", |c| {
        0.5 * (ratio(c.ef, c.ef + c.nf) + ratio(c.ef, c.ef + c.ep))
    }),
    ("ample", |c| {
        (ratio(c.ef, c.ef + c.nf) - ratio(c.ep, c.ep + c.np)).abs()
    }),
    ("zoltar", |c| {
        if c.ef == 0.0 {
            0.0
        } else {
            c.ef / (c.ef + c.nf + c.ep + 10_000.0 * c.nf * c.ep / c.ef)
        }
    }),
    ("ochiai2", |c| {
        let product = (c.ef + c.ep) * (c.nf + c.np) * (c.ef + c.nf) * (c.ep + c.np);
        ratio(c.ef * c.np, product.sqrt())
    }),
    ("sorensen-dice", |c| {
        ratio(2.0 * c.ef, 2.0 * c.ef + c.nf + c.ep)
    }),
    ("anderberg", |c| ratio(c.ef, c.ef + 2.0 * (c.nf + c.ep))),
    ("goodman", |c| {
        ratio(2.0 * c.ef - c.nf - c.ep, 2.0 * c.ef + c.nf + c.ep)
    }),
    ("simple-matching", |c| {
        ratio(c.ef + c.np, c.ef + c.ep + c.nf + c.np)
    }),
    ("rogers-tanimoto", |c| {
        ratio(c.ef + c.np, c.ef + c.np + 2.0 * (c.nf + c.ep))
    }),
    ("russell-rao", |c| ratio(c.ef, c.ef + c.ep + c.nf + c.np)),
    ("hamann", |c| {
        ratio(c.ef + c.np - c.nf - c.ep, c.ef + c.ep + c.nf + c.np)
    }),
    ("cohen", |c| {
        let by_chance = (c.ef + c.ep) * (c.ep + c.np) + (c.ef + c.nf) * (c.nf + c.np);
        ratio(2.0 * (c.ef * c.np - c.nf * c.ep), by_chance)
    }),
    ("harmonic", |c| {
        let covered = (c.ef + c.ep) * (c.nf + c.np);
        let judged = (c.ef + c.nf) * (c.ep + c.np);
        ratio(
            (c.ef * c.np - c.nf * c.ep) * (covered + judged),
            covered * judged,
        )
    }),
    ("hyperbolic", |c| {
        if c.ef == 0.0 {
            return 0.0;
        }
        let (k1, k2, k3) = (0.375, 0.768, 0.711);
        1.0 / (k1 + c.nf / (c.ef + c.nf)) + k3 / (k2 + c.ep / (c.ef + c.ep))
    }),
    ("klosgen", |c| {
        let all = c.ef + c.ep + c.nf + c.np;
        let failing = ratio(c.ef, c.ef + c.ep) - ratio(c.ef + c.nf, all);
        let covered = ratio(c.ef, c.ef + c.nf) - ratio(c.ef + c.ep, all);
        ratio(c.ef, all).sqrt() * failing.max(covered)
    }),
];

/// ef / sqrt(F (ef+ep)), 0 where ef = 0.
pub(crate) fn ochiai(c: Counts) -> f64 {
    if c.ef == 0.0 {
        0.0
    } else {
        c.ef / ((c.ef + c.nf) * (c.ef + c.ep)).sqrt()
    }
}

/// (ef/F) / (ef/F + ep/P).
pub(crate) fn tarantula(c: Counts) -> f64 {
    let (fail, pass) = (ratio(c.ef, c.ef + c.nf), ratio(c.ep, c.ep + c.np));
    ratio(fail, fail + pass)
}
