//! Prints what a candidate and a learning step cost, with AVX2 and without.
//!
//!     cargo run --release --example speed

use std::hint::black_box;
use std::time::Instant;

use fdc_learn::rlfdc::network::{
    Action, Adam, AdamOptions, Backend, Network, Shape, State, TrainingSample,
};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};

const CANDIDATES: usize = 256;
const BATCH: usize = 32;
const REPEATS: usize = 15;

fn main() {
    for backend in [Some(Backend::PORTABLE), Backend::avx2()]
        .into_iter()
        .flatten()
    {
        for shape in [Shape::Full, Shape::Simple] {
            let instructions = if backend == Backend::PORTABLE {
                "portable"
            } else {
                "avx2"
            };
            let name = format!("{instructions:8} {:6}", shape.id());
            println!(
                "{name}  forward {:6.1} ns a candidate (of {CANDIDATES}, state included)",
                forward(backend, shape)
            );
            println!(
                "{name}  max     {:6.1} ns a candidate (of {CANDIDATES}, state included)",
                max(backend, shape)
            );
            println!(
                "{name}  best    {:6.1} ns a candidate (of {CANDIDATES}, state included)",
                best(backend, shape)
            );
            println!("{name}  state   {:6.1} ns", state(backend, shape));
            println!(
                "{name}  learn   {:6.2} us a step (batch {BATCH})",
                learn(backend, shape) / 1000.0
            );
        }
    }
}

fn forward(backend: Backend, shape: Shape) -> f64 {
    let (network, actions, mut values) = (network(backend, shape), actions(), [0.0; CANDIDATES]);
    let each = median(2000, || {
        network
            .at(black_box(STATE))
            .values(black_box(&actions), &mut values);
        black_box(&values);
    });
    each / CANDIDATES as f64
}

fn max(backend: Backend, shape: Shape) -> f64 {
    let (network, actions) = (network(backend, shape), actions());
    let each = median(2000, || {
        black_box(network.at(black_box(STATE)).max(black_box(&actions)));
    });
    each / CANDIDATES as f64
}

fn best(backend: Backend, shape: Shape) -> f64 {
    let (network, actions) = (network(backend, shape), actions());
    let each = median(2000, || {
        black_box(network.at(black_box(STATE)).best(black_box(&actions)));
    });
    each / CANDIDATES as f64
}

fn state(backend: Backend, shape: Shape) -> f64 {
    let network = network(backend, shape);
    median(100_000, || {
        black_box(network.at(black_box(STATE)));
    })
}

fn learn(backend: Backend, shape: Shape) -> f64 {
    let mut network = network(backend, shape);
    let mut adam = Adam::new(AdamOptions::default(), &network);
    let batch: Vec<TrainingSample> = actions()[..BATCH]
        .iter()
        .enumerate()
        .map(|(i, &action)| TrainingSample {
            state: State {
                added: (i % 10) as f32,
                groups: (i / 2) as f32,
            },
            action,
            goal: action.cover - 0.3,
        })
        .collect();
    median(5000, || {
        black_box(network.learn(&mut adam, black_box(&batch)));
    })
}

const STATE: State = State {
    added: 3.0,
    groups: 17.0,
};

fn network(backend: Backend, shape: Shape) -> Network {
    Network::random(shape, &mut Pcg64::seed_from_u64(1)).with_backend(backend)
}

fn actions() -> Vec<Action> {
    let mut rng = Pcg64::seed_from_u64(2);
    let mut unit = || rng.next_u32() as f32 / u32::MAX as f32;
    (0..CANDIDATES)
        .map(|_| Action {
            split: 4.0 * unit(),
            cover: unit(),
        })
        .collect()
}

/// Nanoseconds of one call: the median over repeats of a mean over calls.
fn median(calls: usize, mut call: impl FnMut()) -> f64 {
    let mut means = [0.0; REPEATS];
    for mean in &mut means {
        let start = Instant::now();
        for _ in 0..calls {
            call();
        }
        *mean = start.elapsed().as_nanos() as f64 / calls as f64;
    }
    means.sort_by(f64::total_cmp);
    means[REPEATS / 2]
}
