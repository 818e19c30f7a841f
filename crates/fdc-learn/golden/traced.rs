//! The training that `examples/trace_training.rs` traces and `tests/training.rs` repeats: the
//! example subject twice, 80 learning steps, the target copied before steps 0, 20, 40 and 60.

use std::collections::HashMap;
use std::path::Path;

use fdc_formats::read;
use fdc_learn::model_file::Tensor;
use fdc_learn::rlfdc::Hyperparameters;
use fdc_learn::rlfdc::environment::SituationId;
use fdc_learn::rlfdc::hyperparameters::TargetRule;
use fdc_learn::rlfdc::network::Network;
use fdc_learn::rlfdc::train::{EpisodeReport, LearningStep, Training, Witness};
use serde_json::{Value, json};

pub(crate) const RULES: [(&str, TargetRule); 3] = [
    ("target", TargetRule::Target),
    ("double", TargetRule::Double),
    ("regular", TargetRule::Regular),
];

/// What a training did, step by step.
pub(crate) struct Traced {
    pub options: Hyperparameters,
    pub initial: Network,
    pub losses: Vec<f32>,
    /// Situations met, as `[[added, groups], [[split, cover], ...]]`.
    pub situations: Vec<Value>,
    /// Per step the transitions, as `[from, split, cover, reward, last, to]`.
    pub steps: Vec<Value>,
    pub last: Network,
}

pub(crate) fn train(target: TargetRule) -> Traced {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/orders/orders.json");
    let spectrum = read(&file).expect("the example subject");
    let options = Hyperparameters {
        target,
        ..Hyperparameters::default()
    };
    let mut training = Training::new(options.clone());
    let initial = training.network.clone();
    let mut recorder = Recorder::default();
    for number in [1, 2] {
        recorder.numbers.clear();
        let report = training
            .version(&spectrum, number, &mut recorder)
            .expect("it can be learned from");
        assert_eq!(report.learn_steps, 40);
    }
    Traced {
        options,
        initial,
        losses: recorder.losses,
        situations: recorder.situations,
        steps: recorder.steps,
        last: training.network,
    }
}

#[derive(Default)]
struct Recorder {
    losses: Vec<f32>,
    situations: Vec<Value>,
    /// Places in `situations` of those of the version under way.
    numbers: HashMap<SituationId, usize>,
    steps: Vec<Value>,
}

impl Witness for &mut Recorder {
    fn episode(&mut self, _: EpisodeReport) {}

    fn learned(&mut self, step: LearningStep<'_>) {
        assert_eq!(step.training.learn_steps as usize, self.steps.len() + 1);
        let mut number = |id: SituationId| {
            *self.numbers.entry(id).or_insert_with(|| {
                let situation = step.environment.situation(id);
                let state = [situation.state.added, situation.state.groups];
                let actions: Vec<_> = situation
                    .actions
                    .iter()
                    .map(|action| [action.split, action.cover])
                    .collect();
                self.situations.push(json!([state, actions]));
                self.situations.len() - 1
            })
        };
        let transitions: Vec<Value> = step
            .batch
            .iter()
            .map(|transition| {
                let action = transition.action;
                json!([
                    number(transition.from),
                    action.split,
                    action.cover,
                    transition.reward,
                    transition.last,
                    number(transition.to)
                ])
            })
            .collect();
        self.steps.push(transitions.into());
        self.losses.push(step.loss);
    }
}

pub(crate) fn tensors_json(tensors: &[Tensor]) -> Value {
    let tensor = |t: &Tensor| json!({"name": t.name, "shape": t.shape, "data": t.data});
    tensors.iter().map(tensor).collect()
}
