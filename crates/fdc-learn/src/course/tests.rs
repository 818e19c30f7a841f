use fdc_core::spectrum::Outcome;

use super::*;
use crate::subjects::{bug, numbered, spectrum};

/// Bugs that can be learned from, and three that cannot: places 1, 3 and 4.
fn data() -> Vec<(Bug, Spectrum)> {
    let fails = (Some(Outcome::Fail), vec![0, 1]);
    let alone = spectrum(4, &vec![fails.clone()], &[0]);
    let faultless = spectrum(4, &vec![fails.clone(), fails], &[]);
    let passing = spectrum(4, &vec![(Some(Outcome::Pass), vec![0]); 3], &[0]);
    let spectra = [
        numbered(1, 15),
        alone,
        numbered(2, 4),
        faultless,
        passing,
        numbered(3, 20),
        numbered(4, 12),
    ];
    (1..).map(bug).zip(spectra).collect()
}

fn course(data: &[(Bug, Spectrum)]) -> Course<'_> {
    Course {
        bugs: data.iter().map(|(bug, spectrum)| (bug, spectrum)).collect(),
        hyperparameters: Hyperparameters::default(),
        data_digest: "digest".into(),
    }
}

fn model_bytes(course: &Course<'_>, attendance: &Attendance) -> Vec<u8> {
    course.model(attendance).to_bytes().unwrap()
}

/// Ends the course after so many versions.
struct StopAfter(usize);

impl Observer for StopAfter {
    fn version(&mut self, _: &Bug, _: Option<&VersionReport>, at: &Attendance) -> bool {
        at.progress().versions < self.0
    }
}

#[test]
fn broken_bugs_are_left_out_and_listed_and_the_course_goes_on() {
    let data = data();
    let course = course(&data);
    let mut attendance = course.start();
    assert!(course.attend(&mut attendance, &mut NoObserver));
    let progress = attendance.progress();
    assert_eq!((progress.versions, progress.learn_steps), (7, 3 * 40));
    let skipped = [
        ("made 2", "the failing test is alone in its pool"),
        ("made 4", "no faulty method that can be ranked"),
        ("made 5", "no failing test"),
    ];
    let skipped = skipped.map(|(bug, why)| (bug.to_owned(), why.to_owned()));
    assert_eq!(progress.skipped, skipped);
    assert_eq!(progress.ring_not_filled, ["made 3"]);
}

#[test]
fn a_course_taken_up_again_after_any_version_ends_with_the_same_bytes() {
    let data = data();
    let course = course(&data);
    let mut undisturbed = course.start();
    course.attend(&mut undisturbed, &mut NoObserver);
    for stop in 1..=data.len() {
        let mut attendance = course.start();
        let complete = course.attend(&mut attendance, &mut StopAfter(stop));
        assert_eq!(complete, stop == data.len());
        assert_eq!(attendance.progress().versions, stop);
        // What was learned so far is a model that can be used.
        Model::from_bytes(&model_bytes(&course, &attendance)).unwrap();

        let kept = course.checkpoint(&attendance).to_bytes().unwrap();
        let checkpoint = Checkpoint::from_bytes(&kept).unwrap();
        let mut resumed = course.resume(checkpoint).unwrap();
        assert!(course.attend(&mut resumed, &mut NoObserver));
        assert_eq!(resumed.progress(), undisturbed.progress());
        assert_eq!(
            model_bytes(&course, &resumed),
            model_bytes(&course, &undisturbed)
        );
        let ends = [&resumed, &undisturbed].map(|at| course.checkpoint(at).to_bytes().unwrap());
        assert_eq!(ends[0], ends[1]);
    }
}

#[test]
fn a_checkpoint_of_another_training_is_refused() {
    let data = data();
    let course_a = course(&data);
    let checkpoint = || course_a.checkpoint(&course_a.start());
    let mut other = course(&data);
    other.hyperparameters.seed = 1;
    let refusal = other.resume(checkpoint()).unwrap_err();
    assert!(
        refusal.to_string().contains("hyper-parameters"),
        "{refusal}"
    );
    let mut other = course(&data);
    other.data_digest = "other".into();
    let refusal = other.resume(checkpoint()).unwrap_err();
    assert!(refusal.to_string().contains("data"), "{refusal}");
}

#[test]
fn an_observer_sees_every_episode_of_every_usable_bug() {
    #[derive(Default)]
    struct Counter {
        episodes: Vec<(u32, usize)>,
        versions: Vec<(u32, bool)>,
    }
    impl Observer for Counter {
        fn episode(&mut self, bug: &Bug, number: usize, _: EpisodeReport) {
            self.episodes.push((bug.version, number));
        }

        fn version(&mut self, bug: &Bug, report: Option<&VersionReport>, _: &Attendance) -> bool {
            self.versions.push((bug.version, report.is_some()));
            true
        }
    }
    let data = data();
    let mut counter = Counter::default();
    let course = course(&data);
    course.attend(&mut course.start(), &mut counter);
    let usable = [1, 3, 6, 7];
    let versions: Vec<_> = (1..=7).map(|v| (v, usable.contains(&v))).collect();
    assert_eq!(counter.versions, versions);
    let episodes: Vec<_> = usable
        .into_iter()
        .flat_map(|v| (0..30).map(move |e| (v, e)))
        .collect();
    assert_eq!(counter.episodes, episodes);
}
