//! `train`: learns metrics from bugs whose faults are known, a model per division of the bugs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fdc_case::FileError;
use fdc_core::spectrum::Bug;
use fdc_core::{Named as _, Shard, Spectrum};
use fdc_formats::collection::{Collection, digest_of};
use fdc_learn::learner::{self, EpisodeReport, Learner, Trainer, TrainingError};
use fdc_learn::learner::{TrainingObserver, TrainingTask};
use fdc_learn::model_file;
use fdc_learn::protocol::{Division, Protocol};
use fdc_learn::sharp::model::SharpModel;
use rayon::prelude::*;

use crate::merge::models::{ModelsPart, checkpoint_of, model_in};
use crate::{Failure, Result, Watch};

/// What to train, and from what.
pub struct TrainRequest<'a> {
    /// Bugs with known faults: files, or folders of files.
    pub data: &'a [PathBuf],
    /// Cases whose mutants are bugs to learn from, too: files, or folders of files.
    pub mutants: &'a [PathBuf],
    /// The model file; with any protocol but [`Protocol::All`], a folder for model files.
    pub out: &'a Path,
    /// Which learned metric.
    pub learner: &'static dyn Learner,
    /// What its training is told, by name; the defaults of all others.
    pub options: Vec<(String, String)>,
    /// The model to start from: a file, or the name of a learned metric for its built-in model.
    pub base: Option<&'a Path>,
    /// Which bugs each model learns from.
    pub protocol: Protocol,
    /// Which part of the models is trained here, if several machines share them.
    pub shard: Shard,
    /// Whether to resume interrupted trainings.
    pub resume: bool,
    /// Is told of every episode, from several threads.
    pub on_episode: Option<&'a OnEpisode<'a>>,
}

/// Is told of an episode; a failure ends the training.
pub type OnEpisode<'a> = dyn Fn(&Episode<'_>) -> Result<()> + Sync + 'a;

/// One episode of a training.
pub struct Episode<'a> {
    /// The division whose model learns.
    pub model: &'a str,
    /// The bug that it learns from.
    pub bug: &'a Bug,
    /// The number of the episode with this bug, from 1.
    pub number: usize,
    /// What happened.
    pub report: EpisodeReport,
}

/// What was trained.
pub struct TrainReply {
    /// A model per division.
    pub models: Vec<TrainedModel>,
    /// Files that could not be read.
    pub broken: Vec<FileError>,
}

/// One model, written to its file.
pub struct TrainedModel {
    /// The division.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// Whether all bugs were learned from; otherwise the training can be resumed.
    pub complete: bool,
    /// What was done, in half a sentence.
    pub summary: String,
    /// What could not be learned from, and why.
    pub notes: Vec<String>,
    /// What to know before relying on it.
    pub warning: Option<String>,
    /// Number of each version, and the mean reward of its episodes.
    pub curve: Vec<(usize, f64)>,
}

/// Trains every model of the protocol, in parallel.
pub fn train(request: &TrainRequest<'_>, watch: &dyn Watch) -> Result<TrainReply> {
    let trainer = request.learner.trainer(&request.options);
    let trainer = trainer.map_err(Failure::usage)?;
    let base = request.base.map(|base| base_of(base, request.learner));
    let base = base.transpose()?;
    let nothing = "there is no bug to learn from in the data";
    let collection = read_bugs(request.data, request.mutants, nothing, watch)?;
    let bugs: Vec<Bug> = collection.bugs.iter().map(|bug| bug.bug.clone()).collect();
    let mut divisions = request.protocol.divisions(&bugs);
    if request.protocol != Protocol::All {
        let folder = request.out;
        std::fs::create_dir_all(folder).map_err(FileError::io(folder, "make the folder"))?;
    }
    if !request.shard.is_whole() {
        take_shard(request, &collection, &divisions)?;
        divisions.retain(|division| request.shard.holds(&division.name));
    }
    let versions: usize = divisions.iter().map(|division| division.train.len()).sum();
    watch.planned((versions * trainer.rounds()) as u64);
    let done = AtomicU64::new(0);
    let models = divisions.par_iter().map(|division| {
        let observer = ModelObserver {
            request,
            division,
            watch,
            done: &done,
            version: 0,
            trouble: None,
            curve: Vec::new(),
        };
        train_one(&*trainer, base.clone(), &collection, observer)
    });
    let models: Vec<Result<TrainedModel>> = models.collect();
    Ok(TrainReply {
        models: models.into_iter().collect::<Result<_, _>>()?,
        broken: collection.broken,
    })
}

/// Notes in the folder which of all models are trained there.
fn take_shard(
    request: &TrainRequest<'_>,
    collection: &Collection,
    divisions: &[Division],
) -> Result<()> {
    if request.protocol == Protocol::All {
        let message = "there is one model to train, and --shard divides many";
        return Err(Failure::usage(message).hint("choose a --protocol of several models"));
    }
    let bugs = collection.bugs.iter();
    let base = request.base.map(|base| match std::fs::read(base) {
        Ok(bytes) => model_file::digest(&bytes),
        Err(_) => base.display().to_string(),
    });
    let part = ModelsPart {
        shard: request.shard.to_string(),
        fdc: env!("CARGO_PKG_VERSION").to_owned(),
        recipe: request.learner.name().to_owned(),
        options: request.options.iter().cloned().collect(),
        protocol: request.protocol.name().to_owned(),
        base,
        data: digest_of(bugs.map(|own| (&own.bug, &own.spectrum))),
        models: divisions.iter().map(|own| own.name.clone()).collect(),
    };
    part.note(request.out)
}

/// The bugs in files and folders, and the mutants of cases; what cannot be read is only told where
/// nothing else is left.
pub(crate) fn read_bugs(
    data: &[PathBuf],
    mutants: &[PathBuf],
    nothing: &str,
    watch: &dyn Watch,
) -> Result<Collection> {
    let mut collection = Collection::read(data)?;
    collection.add_mutants(mutants)?;
    collection.notes.iter().for_each(|note| watch.note(note));
    if collection.bugs.is_empty() {
        warn_broken(&collection.broken, watch);
        let hint = match mutants.is_empty() {
            true => "give files of `fdc explain dataset`, or folders of them",
            false => "run `fdc mutate` on the cases first",
        };
        return Err(Failure::input(nothing).hint(hint));
    }
    Ok(collection)
}

pub(crate) fn warn_broken(broken: &[FileError], watch: &dyn Watch) {
    for error in broken {
        watch.warn(&format!("left out: {error}"));
    }
}

fn base_of(path: &Path, learner: &dyn Learner) -> Result<Arc<SharpModel>> {
    if !learner.takes_base() {
        let problem = format!("{} does not start from a model", learner.name());
        return Err(Failure::usage(problem).hint("leave out --base, or choose --recipe sharp"));
    }
    let built_in = path.to_str().and_then(learner::named);
    let model = match built_in {
        Some(own) => own.built_in().localiser(),
        None => learner::read(path)?.1.localiser(),
    };
    model.ok_or_else(|| {
        let problem = format!(
            "{}: a model that {} cannot start from",
            path.display(),
            learner.name()
        );
        Failure::usage(problem)
            .hint("give one that `fdc train --recipe sharp` made, or sharp for the built-in one")
    })
}

fn train_one(
    trainer: &dyn Trainer,
    base: Option<Arc<SharpModel>>,
    collection: &Collection,
    mut observer: ModelObserver<'_>,
) -> Result<TrainedModel> {
    let (request, division) = (observer.request, observer.division);
    let bugs = division.train.iter().map(|&index| &collection.bugs[index]);
    let bugs: Vec<(&Bug, &Spectrum)> = bugs.map(|bug| (&bug.bug, &bug.spectrum)).collect();
    let path = match request.protocol {
        Protocol::All => request.out.to_owned(),
        _ => model_in(request.out, &division.name),
    };
    if path.is_dir() {
        let folder = std::io::ErrorKind::IsADirectory.into();
        return Err(FileError::io(&path, "write it")(folder).into());
    }
    let checkpoint = checkpoint_beside(&path)?;
    let task = TrainingTask {
        data_digest: digest_of(bugs.iter().copied()),
        bugs,
        base,
        checkpoint: checkpoint.clone(),
        resume: request.resume,
    };
    let trained = trainer.train(&task, &mut observer);
    let trained = trained.map_err(|error| failure(error, &division.name))?;
    if let Some(failure) = observer.trouble {
        return Err(failure);
    }
    model_file::write(&path, trained.model.to_bytes())?;
    if let Some(checkpoint) = checkpoint.filter(|_| trained.complete) {
        // Best effort: a checkpoint left behind is only a file too many.
        let _ = std::fs::remove_file(checkpoint);
    }
    Ok(TrainedModel {
        name: division.name.clone(),
        path,
        complete: trained.complete,
        summary: trained.summary,
        notes: trained.notes,
        warning: trained.warning,
        curve: observer.curve,
    })
}

/// Where the training is kept while it is under way; nowhere if the model goes to a device or pipe.
fn checkpoint_beside(model: &Path) -> Result<Option<PathBuf>> {
    let is_stream = fdc_case::is_stream(model);
    let is_stream = is_stream.map_err(FileError::io(model, "write it"))?;
    Ok((!is_stream).then(|| checkpoint_of(model)))
}

fn failure(error: TrainingError, model: &str) -> Failure {
    let message = error.to_string();
    match error {
        TrainingError::Checkpoint(error) => error.into(),
        TrainingError::OtherTraining { .. } => Failure::input(message)
            .hint("give the data and options it was started with, or leave out --resume"),
        TrainingError::NoFaultReached => Failure::input(format!("{model}: {message}"))
            .hint("it learns from bugs whose faulty methods are known and covered"),
    }
}

/// Looks on while one model is trained; progress is shared by all.
struct ModelObserver<'a> {
    request: &'a TrainRequest<'a>,
    division: &'a Division,
    watch: &'a dyn Watch,
    /// Versions done, of all models.
    done: &'a AtomicU64,
    /// Versions done, of this one.
    version: usize,
    trouble: Option<Failure>,
    curve: Vec<(usize, f64)>,
}

impl TrainingObserver for ModelObserver<'_> {
    fn resumed(&mut self, versions: usize) {
        self.version = versions;
        self.done.fetch_add(versions as u64, Ordering::Relaxed);
    }

    fn episode(&mut self, bug: &Bug, number: usize, report: EpisodeReport) {
        let loss = report.loss.map_or("-".into(), |loss| format!("{loss:.4}"));
        let name = &self.division.name;
        let what = format!(
            "{name} {} {}, episode {number}: reward {:.2}, loss {loss}",
            bug.subject, bug.version, report.reward
        );
        self.watch.at(self.done.load(Ordering::Relaxed), &what);
        let episode = Episode {
            model: name,
            bug,
            number,
            report,
        };
        if let Some(Err(failure)) = self.request.on_episode.map(|told| told(&episode)) {
            self.trouble = Some(failure);
        }
    }

    fn version(&mut self, mean_reward: Option<f64>) -> bool {
        self.version += 1;
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.watch.at(done, &self.division.name);
        let point = mean_reward.map(|reward| (self.version, reward));
        self.curve.extend(point);
        self.trouble.is_none() && !self.watch.asked_to_stop()
    }
}
