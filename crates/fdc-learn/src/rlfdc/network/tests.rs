use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use serde_json::Value;

use super::twin::Twin;
use super::*;

/// Random states, actions, goals and batches of the sizes that occur.
struct Draws(Pcg64);

impl Draws {
    fn seeded(seed: u64) -> Self {
        Self(Pcg64::seed_from_u64(seed))
    }

    fn unit(&mut self) -> f32 {
        (self.0.next_u32() >> 8) as f32 / (1 << 24) as f32
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.0.next_u32() % bound
    }

    fn state(&mut self) -> State {
        State {
            added: self.below(10) as f32,
            groups: (1 + self.below(40)) as f32,
        }
    }

    fn action(&mut self) -> Action {
        Action {
            split: 3.0 * self.unit() * self.unit(),
            cover: self.unit(),
        }
    }

    fn actions(&mut self, count: usize) -> Vec<Action> {
        (0..count).map(|_| self.action()).collect()
    }

    fn batch(&mut self, count: usize) -> Vec<TrainingSample> {
        let sample = |_| TrainingSample {
            state: self.state(),
            action: self.action(),
            goal: 2.0 * self.unit() - 1.0,
        };
        (0..count).map(sample).collect()
    }
}

fn network(shape: Shape, seed: u64) -> Network {
    Network::random(shape, &mut Pcg64::seed_from_u64(seed))
}

/// A network whose weights have moved away from where they started.
fn trained(shape: Shape, seed: u64, steps: usize) -> Network {
    let mut network = network(shape, seed);
    let (mut adam, mut draws) = (
        Adam::new(AdamOptions::default(), &network),
        Draws::seeded(seed + 1),
    );
    for _ in 0..steps {
        network.learn(&mut adam, &draws.batch(32));
    }
    network
}

fn bits(tensors: &[Tensor]) -> Vec<u32> {
    tensors
        .iter()
        .flat_map(|tensor| tensor.data.iter().map(|value| value.to_bits()))
        .collect()
}

/// The forward pass in `f32`, a unit after the other, in the order that the module promises.
fn naive_value(network: &Network, state: State, action: Action) -> f32 {
    fn units(weight: &Tensor, bias: &Tensor, order: &[usize], inputs: &[f32]) -> Vec<f32> {
        let row = |(row, bias): (&[f32], &f32)| {
            order.iter().fold(*bias, |sum, &i| sum + row[i] * inputs[i])
        };
        weight
            .data
            .chunks(weight.shape[1])
            .zip(&bias.data)
            .map(row)
            .collect()
    }
    let in_order = |count: usize| (0..count).collect::<Vec<_>>();
    let rectified = |values: Vec<f32>| {
        values
            .into_iter()
            .map(|value| value.max(0.0))
            .collect::<Vec<_>>()
    };

    let (shape, tensors) = (network.shape(), network.tensors());
    let (embedding, head) = tensors.split_at(if shape.embeds() { 4 } else { 0 });
    let mut context = vec![state.added, state.groups];
    for layer in embedding.chunks(2) {
        context = rectified(units(
            &layer[0],
            &layer[1],
            &in_order(context.len()),
            &context,
        ));
    }
    let split = shape.uses_split().then_some(action.split);
    let cover = shape.uses_cover().then_some(action.cover);
    let inputs: Vec<f32> = split.into_iter().chain(cover).chain(context).collect();
    let order: Vec<usize> = (shape.actions()..inputs.len())
        .chain(0..shape.actions())
        .collect();
    let hidden = rectified(units(&head[0], &head[1], &order, &inputs));
    let wide = rectified(units(&head[2], &head[3], &in_order(16), &hidden));
    units(&head[4], &head[5], &in_order(32), &wide)[0]
}

#[test]
fn a_value_has_the_bits_of_the_naive_sum() {
    for shape in Shape::ALL {
        let (network, mut draws) = (trained(shape, 3, 200), Draws::seeded(4));
        for _ in 0..200 {
            let (state, action) = (draws.state(), draws.action());
            let value = network.at(state).value(action);
            assert_eq!(
                value.to_bits(),
                naive_value(&network, state, action).to_bits(),
                "{shape:?}"
            );
        }
    }
}

/// Tolerance 1e-5 of the value or of 1, whichever is larger: some ten roundings of `f32`.
#[test]
fn values_agree_with_the_f64_twin() {
    for shape in Shape::ALL {
        let (network, mut draws) = (trained(shape, 5, 200), Draws::seeded(6));
        let twin = Twin::of(&network);
        for _ in 0..500 {
            let (state, action) = (draws.state(), draws.action());
            let (value, expected) = (network.at(state).value(action), twin.value(state, action));
            assert!(
                (f64::from(value) - expected).abs() <= 1e-5 * expected.abs().max(1.0),
                "{value} {expected}"
            );
        }
    }
}

/// Tolerance 1e-6 of the gradient or of 1, whichever is larger. The step is that small because a
/// ReLU's kink inside it spoils the difference: over 240 networks 5 parameters were off with 1e-6,
/// 1 with 1e-7, none with 1e-8, where rounding still costs only 2e-8.
#[test]
fn the_twins_gradient_agrees_with_central_differences() {
    const STEP: f64 = 1e-8;
    for shape in Shape::ALL {
        let (twin, batch) = (
            Twin::of(&trained(shape, 7, 100)),
            Draws::seeded(8).batch(32),
        );
        for (parameter, slope) in twin.gradient(&batch).into_iter().enumerate() {
            let (up, down) = (twin.nudged(parameter, STEP), twin.nudged(parameter, -STEP));
            let difference = (up.error(&batch) - down.error(&batch)) / (2.0 * STEP);
            let allowed = 1e-6 * difference.abs().max(1.0);
            assert!(
                (slope - difference).abs() <= allowed,
                "{shape:?} {parameter}: {slope} {difference}"
            );
        }
    }
}

/// Tolerance 1e-5 of the gradient or of the tensor's largest, whichever is larger.
#[test]
fn gradients_agree_with_the_f64_twin() {
    for shape in Shape::ALL {
        for (seed, count) in [(9, 32), (10, 1), (11, 7), (12, 8), (13, 45)] {
            let (network, batch) = (trained(shape, seed, 100), Draws::seeded(seed).batch(count));
            let twin = Twin::of(&network);
            let (error, gradient) = learn::gradient(shape, &network.weights, &batch);
            let expected_error = twin.error(&batch);
            assert!((f64::from(error) - expected_error).abs() <= 1e-5 * expected_error);

            let mut expected = twin.gradient(&batch).into_iter();
            for tensor in gradient.tensors(shape) {
                let expected: Vec<f64> = expected.by_ref().take(tensor.data.len()).collect();
                let largest = expected
                    .iter()
                    .fold(0.0_f64, |most, slope| most.max(slope.abs()));
                for (slope, expected) in tensor.data.into_iter().zip(expected) {
                    let off = (f64::from(slope) - expected).abs();
                    assert!(
                        off <= 1e-5 * largest,
                        "{shape:?} {}: {slope} {expected}",
                        tensor.name
                    );
                }
            }
            assert_eq!(expected.next(), None);
        }
    }
}

#[test]
fn avx2_and_portable_give_the_same_bits() {
    let Some(avx2) = Backend::avx2() else { return };
    for shape in Shape::ALL {
        let start = network(shape, 14);
        let mut networks =
            [Backend::PORTABLE, avx2].map(|backend| start.clone().with_backend(backend));
        let mut adams = networks
            .each_ref()
            .map(|network| Adam::new(AdamOptions::default(), network));
        let mut targets = networks.each_ref().map(TargetHead::of);
        let mut draws = Draws::seeded(15);
        for step in 0..3000 {
            let count = if step % 2 == 0 {
                32
            } else {
                1 + draws.below(70) as usize
            };
            let batch = draws.batch(count);
            let errors = [0, 1].map(|i| networks[i].learn(&mut adams[i], &batch).to_bits());
            assert_eq!(errors[0], errors[1], "{shape:?}, step {step}");

            let (state, count) = (draws.state(), draws.below(40) as usize);
            let actions = draws.actions(count);
            let results = [0, 1].map(|i| {
                let (online, target) =
                    (networks[i].at(state), networks[i].at_by(&targets[i], state));
                let mut values = vec![0.0; count];
                online.values(&actions, &mut values);
                let most = target.max(&actions).map(f32::to_bits);
                let best = online
                    .best(&actions)
                    .map(|(place, value)| (place, value.to_bits()));
                (
                    values.into_iter().map(f32::to_bits).collect::<Vec<_>>(),
                    most,
                    best,
                )
            });
            assert_eq!(results[0], results[1], "{shape:?}, step {step}");
            if step % 20 == 0 {
                targets
                    .iter_mut()
                    .zip(&networks)
                    .for_each(|(target, network)| *target = TargetHead::of(network));
            }
            if step % 100 == 99 {
                assert_eq!(bits(&networks[0].tensors()), bits(&networks[1].tensors()));
                let [ours, theirs] = adams.each_ref().map(|adam| adam.moments().concat());
                assert_eq!(bits(&ours), bits(&theirs));
            }
        }
        assert_ne!(bits(&start.tensors()), bits(&networks[0].tensors()));
    }
}

/// Recorded on x86-64 Linux; every platform and every level of optimisation must agree.
#[test]
fn training_from_a_seed_ends_in_the_recorded_bits() {
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    for bits in bits(&trained(Shape::Full, 36, 200).tensors()) {
        digest = (digest ^ u64::from(bits)).wrapping_mul(0x100_0000_01b3);
    }
    assert_eq!(digest, 0x9768_aea3_5be8_3644, "{digest:#x}");
}

#[test]
fn a_candidates_value_does_not_depend_on_its_place() {
    let (network, mut draws) = (network(Shape::Full, 16), Draws::seeded(17));
    let scorer = network.at(draws.state());
    for count in 0..40 {
        let actions = draws.actions(count);
        let mut values = vec![0.0; count];
        scorer.values(&actions, &mut values);
        let alone: Vec<f32> = actions.iter().map(|&action| scorer.value(action)).collect();
        assert_eq!(values, alone);

        let most = values.iter().copied().reduce(f32::max);
        assert_eq!(scorer.max(&actions), most);
        let first = most.map(|most| {
            (
                values.iter().position(|value| *value == most).unwrap(),
                most,
            )
        });
        assert_eq!(scorer.best(&actions), first);
    }
}

#[test]
fn the_first_of_equal_candidates_is_best() {
    let (network, mut draws) = (network(Shape::Full, 18), Draws::seeded(19));
    let scorer = network.at(draws.state());
    let actions = vec![draws.action(); 21];
    assert_eq!(scorer.best(&actions).unwrap().0, 0);
}

#[test]
fn nan_comes_out_wherever_it_goes_in() {
    let (network, mut draws) = (network(Shape::Full, 20), Draws::seeded(21));
    let mut actions = draws.actions(19);
    actions[11].cover = f32::NAN;
    actions[13].split = f32::NAN;
    let scorer = network.at(draws.state());
    assert!(scorer.value(actions[11]).is_nan());
    assert!(scorer.max(&actions).unwrap().is_nan());
    assert_eq!(scorer.best(&actions).unwrap().0, 11);
    assert!(
        network
            .at(State {
                added: f32::NAN,
                groups: 1.0
            })
            .value(actions[0])
            .is_nan()
    );
}

#[test]
fn a_batch_whose_error_is_not_finite_teaches_nothing() {
    for goal in [f32::NAN, f32::INFINITY, f32::MAX] {
        let mut network = network(Shape::Full, 22);
        let mut adam = Adam::new(AdamOptions::default(), &network);
        let mut batch = Draws::seeded(23).batch(32);
        network.learn(&mut adam, &batch);
        let (weights, moments) = (network.tensors(), adam.moments());
        batch[30].goal = goal;
        assert!(!network.learn(&mut adam, &batch).is_finite());
        assert_eq!(
            (network.tensors(), adam.moments(), adam.steps()),
            (weights, moments, 1)
        );
        assert!(
            network
                .tensors()
                .iter()
                .flat_map(|own| &own.data)
                .all(|w| w.is_finite())
        );
    }
}

#[test]
fn an_empty_batch_teaches_nothing() {
    let mut network = network(Shape::Full, 24);
    let (before, mut adam) = (
        network.tensors(),
        Adam::new(AdamOptions::default(), &network),
    );
    assert_eq!(network.learn(&mut adam, &[]), 0.0);
    assert_eq!((network.tensors(), adam.steps()), (before, 0));
}

#[test]
fn inputs_that_a_shape_lacks_are_never_read_and_their_weights_stay_zero() {
    for (shape, unread) in [
        (
            Shape::Split,
            Action {
                split: 0.5,
                cover: f32::NAN,
            },
        ),
        (
            Shape::Cover,
            Action {
                split: f32::NAN,
                cover: 0.5,
            },
        ),
    ] {
        let mut network = trained(shape, 25, 300);
        let read = Action {
            split: 0.5,
            cover: 0.5,
        };
        let state = Draws::seeded(26).state();
        assert_eq!(
            network.at(state).value(unread),
            network.at(state).value(read)
        );
        let mut adam = Adam::new(AdamOptions::default(), &network);
        assert!(
            network
                .learn(
                    &mut adam,
                    &[TrainingSample {
                        state,
                        action: unread,
                        goal: 0.0
                    }]
                )
                .is_finite()
        );
        let row = if shape == Shape::Split {
            weights::COVER_ROW
        } else {
            weights::SPLIT_ROW
        };
        assert_eq!(network.weights.head.first.weight[row], [0.0; 16]);
    }
    let simple = trained(Shape::Simple, 27, 300);
    assert!(
        simple.weights.head.first.weight[2..16]
            .iter()
            .flatten()
            .all(|w| *w == 0.0)
    );
    assert!(
        simple
            .weights
            .embedding
            .second
            .weight
            .iter()
            .flatten()
            .all(|w| *w == 0.0)
    );
}

#[test]
fn the_target_keeps_its_head_and_follows_the_embedding() {
    let mut online = network(Shape::Full, 28);
    let (mut target, mut adam, mut draws) = (
        TargetHead::of(&online),
        Adam::new(AdamOptions::default(), &online),
        Draws::seeded(29),
    );
    let (state, action) = (draws.state(), draws.action());
    assert_eq!(
        online.at_by(&target, state).value(action),
        online.at(state).value(action)
    );

    let frozen = online.clone();
    for _ in 0..50 {
        online.learn(&mut adam, &draws.batch(32));
    }
    let mut mixed = frozen.clone();
    mixed.weights.embedding = online.weights.embedding.clone();
    assert_eq!(
        online.at_by(&target, state).value(action),
        mixed.at(state).value(action)
    );
    assert_ne!(
        online.at_by(&target, state).value(action),
        online.at(state).value(action)
    );

    target = TargetHead::of(&online);
    assert_eq!(
        online.at_by(&target, state).value(action),
        online.at(state).value(action)
    );
}

#[test]
fn learning_brings_the_error_down() {
    for shape in Shape::ALL {
        let (mut network, batch) = (network(shape, 30), Draws::seeded(31).batch(32));
        let mut adam = Adam::new(AdamOptions::default(), &network);
        let first = network.learn(&mut adam, &batch);
        let last = (0..500)
            .map(|_| network.learn(&mut adam, &batch))
            .last()
            .unwrap();
        assert!(last < 0.9 * first, "{shape:?}: {first} {last}");
    }
}

#[test]
fn a_resumed_optimiser_goes_on_as_if_nothing_had_happened() {
    let mut straight = network(Shape::Full, 32);
    let (mut adam, mut draws) = (
        Adam::new(AdamOptions::default(), &straight),
        Draws::seeded(33),
    );
    for _ in 0..10 {
        straight.learn(&mut adam, &draws.batch(32));
    }
    let mut resumed = Network::from_tensors(Shape::Full, &straight.tensors()).unwrap();
    let moments = adam.moments();
    let moments = moments.each_ref().map(Vec::as_slice);
    let mut again = Adam::resume(adam.options(), Shape::Full, adam.steps(), moments).unwrap();
    for _ in 0..10 {
        let batch = draws.batch(32);
        assert_eq!(
            straight.learn(&mut adam, &batch),
            resumed.learn(&mut again, &batch)
        );
    }
    assert_eq!(bits(&straight.tensors()), bits(&resumed.tensors()));
}

#[test]
fn tensors_go_out_and_come_back_in_any_order() {
    for shape in Shape::ALL {
        let network = network(shape, 34);
        let mut tensors = network.tensors();
        assert!(
            tensors
                .iter()
                .zip(TensorSpec::all(shape))
                .all(|(t, spec)| t.name == spec.name && t.shape == spec.shape)
        );
        tensors.reverse();
        assert_eq!(
            Network::from_tensors(shape, &tensors).unwrap().tensors(),
            network.tensors()
        );
    }
    let shapes = Shape::ALL.map(|shape| {
        TensorSpec::all(shape)
            .iter()
            .map(TensorSpec::elements)
            .sum::<usize>()
    });
    assert_eq!(shapes, [1201, 1185, 1185, 657]);
}

#[test]
fn tensors_that_do_not_fit_are_refused() {
    let good = network(Shape::Full, 35).tensors();
    let refusal = |tensors: &[Tensor]| Network::from_tensors(Shape::Full, tensors).unwrap_err();
    assert_eq!(
        refusal(&good[1..]),
        TensorMismatch::Missing("embed.0.weight".to_owned())
    );
    let twice: Vec<_> = good.iter().chain(&good[3..4]).cloned().collect();
    assert_eq!(
        refusal(&twice),
        TensorMismatch::Extra("embed.2.bias".to_owned())
    );
    let mut odd = good.clone();
    odd[4].shape.reverse();
    assert!(matches!(refusal(&odd), TensorMismatch::Shape { name, .. } if name == "head.0.weight"));
    let simple = network(Shape::Simple, 35).tensors();
    assert!(Network::from_tensors(Shape::Full, &simple).is_err());
}

#[test]
fn shape_ids_are_unique_and_lead_back() {
    for shape in Shape::ALL {
        assert_eq!(Shape::from_id(shape.id()), Some(shape));
    }
    assert_eq!(Shape::from_id("tiny"), None);
}

/// Fifty learning steps of PyTorch from the same weights on the same batches; the fixture says
/// which version, `golden/make_golden.py` made it. Tolerances: losses 1e-6 relative, values
/// 1e-6 of the value or of 1, whichever is larger, weights 1e-6 (a weight moves by about 0.05;
/// seen: losses 3e-7, weights 3e-8).
#[test]
fn fifty_steps_agree_with_pytorch() {
    let golden: Value = serde_json::from_str(include_str!("../../../golden/torch.json")).unwrap();
    for run in golden["runs"].as_array().unwrap() {
        let shape = Shape::from_id(run["shape"].as_str().unwrap()).unwrap();
        let mut network = Network::from_tensors(shape, &tensors(&run["initial"])).unwrap();
        let mut adam = Adam::new(AdamOptions::default(), &network);
        check_values(&network, &run["values"], 4);
        for (number, step) in run["steps"].as_array().unwrap().iter().enumerate() {
            let batch: Vec<TrainingSample> = step["samples"]
                .as_array()
                .unwrap()
                .iter()
                .map(sample)
                .collect();
            let (loss, expected) = (network.learn(&mut adam, &batch), float(&step["loss"]));
            assert!(
                (loss - expected).abs() <= 1e-6 * expected,
                "{shape:?}, step {number}: {loss} {expected}"
            );
        }
        check_values(&network, &run["values"], 5);
        for (ours, torch) in network.tensors().iter().zip(tensors(&run["final"])) {
            for (weight, expected) in ours.data.iter().zip(&torch.data) {
                assert!(
                    (weight - expected).abs() <= 1e-6,
                    "{shape:?} {}: {weight} {expected}",
                    ours.name
                );
            }
        }
    }
}

fn check_values(network: &Network, values: &Value, column: usize) {
    for row in values.as_array().unwrap() {
        let TrainingSample { state, action, .. } = sample(row);
        let (value, expected) = (network.at(state).value(action), float(&row[column]));
        assert!(
            (value - expected).abs() <= 1e-6 * expected.abs().max(1.0),
            "{value} {expected}"
        );
    }
}

/// A row of the fixture: added, groups, split, cover, goal.
fn sample(row: &Value) -> TrainingSample {
    TrainingSample {
        state: State {
            added: float(&row[0]),
            groups: float(&row[1]),
        },
        action: Action {
            split: float(&row[2]),
            cover: float(&row[3]),
        },
        goal: float(&row[4]),
    }
}

fn float(number: &Value) -> f32 {
    number.as_f64().unwrap() as f32
}

fn tensors(fixture: &Value) -> Vec<Tensor> {
    let tensor = |tensor: &Value| Tensor {
        name: tensor["name"].as_str().unwrap().to_owned(),
        shape: tensor["shape"]
            .as_array()
            .unwrap()
            .iter()
            .map(|n| n.as_u64().unwrap() as usize)
            .collect(),
        data: tensor["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(float)
            .collect(),
    };
    fixture.as_array().unwrap().iter().map(tensor).collect()
}
