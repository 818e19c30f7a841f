//! The networks that `examples/export_models.rs` exports and `tests/onnx.rs` compares, the same
//! bits in both and on every machine.

use fdc_learn::rlfdc::network::{Action, Adam, AdamOptions, Network, Shape, State, TrainingSample};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::SeedableRng;

/// A network that learned something: split and cover add up, later tests are worth less.
pub(crate) fn network(shape: Shape) -> Network {
    let mut network = Network::random(shape, &mut Pcg64::seed_from_u64(2026));
    let mut adam = Adam::new(AdamOptions::default(), &network);
    let samples: Vec<TrainingSample> = probes()
        .into_iter()
        .flat_map(|(state, actions)| actions.into_iter().map(move |action| (state, action)))
        .map(|(state, action)| TrainingSample {
            state,
            action,
            goal: action.split + action.cover - 0.1 * state.added,
        })
        .collect();
    for step in 0..300 {
        let batch: Vec<TrainingSample> = (0..32)
            .map(|place| samples[(7 * step + 5 * place) % samples.len()])
            .collect();
        network.learn(&mut adam, &batch);
    }
    network
}

/// States, and the candidates in each: none, one, some.
pub(crate) fn probes() -> Vec<(State, Vec<Action>)> {
    let action = |place: usize| Action {
        split: (place % 13) as f32 / 8.0,
        cover: (place % 7) as f32 / 6.0,
    };
    let probe = |(number, count): (usize, usize)| {
        let state = State {
            added: number as f32,
            groups: (3 * number + 1) as f32,
        };
        (
            state,
            (0..count).map(|place| action(place + 5 * number)).collect(),
        )
    };
    [0, 1, 7, 8, 21]
        .into_iter()
        .enumerate()
        .map(probe)
        .collect()
}
