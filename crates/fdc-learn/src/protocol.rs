//! Which bugs a model is trained on and which it is tested on.

use std::collections::BTreeMap;
use std::ops::Range;

use fdc_core::Named;
use fdc_core::spectrum::Bug;
use serde::{Deserialize, Serialize};

/// Folds of the cross-version protocol.
pub const FOLDS: usize = 5;

/// How bugs are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Nothing is trained: built-in models are tested on everything.
    #[serde(rename = "none")]
    Untrained,
    /// One model trained on everything; there is nothing left to test it on.
    All,
    /// Within each project, five contiguous folds by version: train on four, test on one.
    CrossVersion,
    /// Train on one project, test on the others.
    CrossProject,
    /// Train on all projects but one, test on that one.
    LeaveOneOut,
}

impl Named for Protocol {
    const TABLE: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Untrained, "none", "No training: the built-in model"),
        (Self::All, "all", "One model, trained on all bugs"),
        (
            Self::CrossVersion,
            "cross-version",
            "Per project, trained on four fifths of its versions, tested on the fifth",
        ),
        (
            Self::CrossProject,
            "cross-project",
            "Trained on one project, tested on all others",
        ),
        (
            Self::LeaveOneOut,
            "leave-one-out",
            "Trained on all projects but one, tested on that one",
        ),
    ];
}

/// One model's bugs, as indices into the list given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Division {
    /// What tells it from the others: `Lang-fold0`, `Lang`, `not-Lang` or `all`.
    pub name: String,
    /// Bugs to train on, in training order.
    pub train: Vec<usize>,
    /// Bugs to test on.
    pub test: Vec<usize>,
}

impl Protocol {
    /// The divisions of the bugs, in any order; each trains by project name and version number.
    pub fn divisions(self, bugs: &[Bug]) -> Vec<Division> {
        let projects = projects(bugs);
        let others = |name: &str| -> Vec<usize> {
            let others = projects.iter().filter(|(other, _)| *other != &name);
            others.flat_map(|(_, versions)| versions).copied().collect()
        };
        let mut divisions = Vec::new();
        let mut add = |name: String, train: Vec<usize>, test: Vec<usize>| {
            divisions.push(Division { name, train, test });
        };
        if self == Protocol::All {
            let all: Vec<usize> = projects.values().flatten().copied().collect();
            add("all".into(), all.clone(), all);
        }
        for (name, versions) in &projects {
            match self {
                Protocol::Untrained | Protocol::All => (),
                Protocol::CrossVersion => {
                    for number in 0..FOLDS {
                        let fold = fold(number, versions.len());
                        let train = [&versions[..fold.start], &versions[fold.end..]].concat();
                        let test = versions[fold].to_vec();
                        add(format!("{name}-fold{number}"), train, test);
                    }
                }
                Protocol::CrossProject => add((*name).to_owned(), versions.clone(), others(name)),
                Protocol::LeaveOneOut => {
                    add(format!("not-{name}"), others(name), versions.clone());
                }
            }
        }
        divisions
    }
}

/// Positions of a fold among so many versions.
fn fold(number: usize, versions: usize) -> Range<usize> {
    number * versions / FOLDS..(number + 1) * versions / FOLDS
}

fn projects(bugs: &[Bug]) -> BTreeMap<&str, Vec<usize>> {
    let mut projects: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, bug) in bugs.iter().enumerate() {
        projects.entry(&bug.subject).or_default().push(index);
    }
    for versions in projects.values_mut() {
        versions.sort_by_key(|&index| bugs[index].version);
    }
    projects
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bugs(list: &[(&str, u32)]) -> Vec<Bug> {
        let bug = |&(subject, version): &(&str, u32)| Bug {
            subject: subject.into(),
            version,
        };
        list.iter().map(bug).collect()
    }

    #[test]
    fn folds_are_contiguous_by_version_number_and_test_every_bug_once() {
        let bugs = bugs(&[
            ("B", 10),
            ("A", 2),
            ("B", 9),
            ("B", 1),
            ("B", 4),
            ("B", 5),
            ("B", 7),
        ]);
        let divisions = Protocol::CrossVersion.divisions(&bugs);
        assert_eq!(divisions.len(), 10);
        let of_b: Vec<_> = divisions
            .iter()
            .filter(|d| d.name.starts_with("B-"))
            .collect();
        let tested: Vec<Vec<usize>> = of_b.iter().map(|d| d.test.clone()).collect();
        assert_eq!(tested, [vec![3], vec![4], vec![5], vec![6], vec![2, 0]]);
        assert_eq!(of_b[4].train, [3, 4, 5, 6]);
        let a_last = divisions.iter().find(|d| d.name == "A-fold4").unwrap();
        assert_eq!((a_last.test.len(), a_last.train.len()), (1, 0));
    }

    #[test]
    fn projects_train_or_test_but_never_both() {
        let bugs = bugs(&[("B", 1), ("A", 2), ("C", 3), ("A", 1)]);
        let divisions = Protocol::CrossProject.divisions(&bugs);
        assert_eq!(divisions[0].name, "A");
        assert_eq!(
            (&divisions[0].train, &divisions[0].test),
            (&vec![3, 1], &vec![0, 2])
        );
        let divisions = Protocol::LeaveOneOut.divisions(&bugs);
        assert_eq!(
            (&divisions[0].train, &divisions[0].test),
            (&vec![0, 2], &vec![3, 1])
        );
    }
}
