//! Export to [ONNX](https://onnx.ai), for whoever wants to run a model elsewhere.
//!
//! Operator set 17. Inputs `state` `[2]` (tests added, groups) and `actions` `[N, 2]` (split,
//! cover; one column for a network that reads only one of them), output `value` `[N]`, all `f32`.
//! The state is embedded once for all actions, as in [`Network::at`]. The same network always
//! gives the same bytes.

mod protobuf;

use super::network::{Network, Shape};
use crate::model_file::Tensor;
use protobuf::Message;

const IR_VERSION: u64 = 8;
const OPERATOR_SET: u64 = 17;
/// `TensorProto.DataType`
const FLOAT: u64 = 1;
const INT64: u64 = 7;

/// The bytes of a `ModelProto`.
pub fn export(network: &Network, fdc_version: &str) -> Vec<u8> {
    let opset = Message::default()
        .text(opset::DOMAIN, "")
        .number(opset::VERSION, OPERATOR_SET);
    let shape = Message::default()
        .text(entry::KEY, "network")
        .text(entry::VALUE, network.shape().id());
    let model = Message::default()
        .number(model::IR_VERSION, IR_VERSION)
        .text(model::PRODUCER_NAME, "fdc")
        .text(model::PRODUCER_VERSION, fdc_version)
        .message(model::GRAPH, &graph_of(network).finish(network.shape()))
        .message(model::OPSET_IMPORT, &opset)
        .message(model::METADATA_PROPS, &shape);
    model.into_bytes()
}

/// Nodes and constants in the order in which they are needed.
#[derive(Default)]
struct Graph {
    nodes: Vec<Message>,
    constants: Vec<Message>,
}

fn graph_of(network: &Network) -> Graph {
    let (shape, tensors) = (network.shape(), network.tensors());
    let tensor = |name: &str| {
        tensors
            .iter()
            .find(|tensor| tensor.name == name)
            .expect("a tensor of the shape")
    };
    let mut graph = Graph::default();
    let mut context = "state".to_owned();
    if shape.embeds() {
        for layer in ["embed.0", "embed.2"] {
            graph.constant(&turned(tensor(&format!("{layer}.weight"))));
            context = graph.node(
                "MatMul",
                [&context, &format!("{layer}.weight")],
                &format!("{layer}.product"),
            );
            context = graph.biased(&context, layer, tensor(&format!("{layer}.bias")));
            context = graph.rectified(&context, layer);
        }
    }
    let (action, from_state) = divided(&turned(tensor("head.0.weight")), shape.actions());
    graph.constant(&from_state);
    graph.constant(&action);
    let shared = graph.node("MatMul", [&context, &from_state.name], "head.0.context");
    let shared = graph.biased(&shared, "head.0", tensor("head.0.bias"));
    let own = graph.node("MatMul", ["actions", &action.name], "head.0.action");
    let hidden = graph.node("Add", [&own, &shared], "head.0.sum");
    let hidden = graph.rectified(&hidden, "head.0");

    graph.constant(&turned(tensor("head.2.weight")));
    let wide = graph.node("MatMul", [&hidden, "head.2.weight"], "head.2.product");
    let wide = graph.biased(&wide, "head.2", tensor("head.2.bias"));
    let wide = graph.rectified(&wide, "head.2");

    graph.constant(&turned(tensor("head.4.weight")));
    let column = graph.node("MatMul", [&wide, "head.4.weight"], "head.4.product");
    let column = graph.biased(&column, "head.4", tensor("head.4.bias"));
    // Not a weight vector to begin with: onnxruntime refuses its product with no candidates.
    graph.integers("value.axes", &[1]);
    graph.node("Squeeze", [&column, "value.axes"], "value");
    graph
}

impl Graph {
    fn constant(&mut self, tensor: &Tensor) {
        let bytes: Vec<u8> = tensor
            .data
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        let dimensions = tensor.shape.iter();
        let message = dimensions.fold(Message::default(), |m, &size| {
            m.number(array::DIMS, size as u64)
        });
        let message = message
            .number(array::DATA_TYPE, FLOAT)
            .text(array::NAME, &tensor.name);
        self.constants.push(message.bytes(array::RAW_DATA, &bytes));
    }

    fn integers(&mut self, name: &str, numbers: &[i64]) {
        let bytes: Vec<u8> = numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        let message = Message::default().number(array::DIMS, numbers.len() as u64);
        let message = message
            .number(array::DATA_TYPE, INT64)
            .text(array::NAME, name);
        self.constants.push(message.bytes(array::RAW_DATA, &bytes));
    }

    /// Adds a node and returns the name of its output, which is its own name as well.
    fn node<const N: usize>(&mut self, operator: &str, inputs: [&str; N], output: &str) -> String {
        let node = inputs
            .into_iter()
            .fold(Message::default(), |m, input| m.text(node::INPUT, input));
        let node = node
            .text(node::OUTPUT, output)
            .text(node::NAME, output)
            .text(node::OP_TYPE, operator);
        self.nodes.push(node);
        output.to_owned()
    }

    fn biased(&mut self, product: &str, layer: &str, bias: &Tensor) -> String {
        self.constant(bias);
        self.node("Add", [product, &bias.name], &format!("{layer}.biased"))
    }

    fn rectified(&mut self, sum: &str, layer: &str) -> String {
        self.node("Relu", [sum], &format!("{layer}.output"))
    }

    fn finish(self, shape: Shape) -> Message {
        let graph = self
            .nodes
            .iter()
            .fold(Message::default(), |m, node| m.message(graph::NODE, node));
        let graph = graph.text(graph::NAME, "rlfdc");
        let graph = self
            .constants
            .iter()
            .fold(graph, |m, constant| m.message(graph::INITIALIZER, constant));
        graph
            .message(graph::INPUT, &array_of("state", &[Size::Fixed(2)]))
            .message(
                graph::INPUT,
                &array_of("actions", &[Size::Candidates, Size::Fixed(shape.actions())]),
            )
            .message(graph::OUTPUT, &array_of("value", &[Size::Candidates]))
    }
}

enum Size {
    Fixed(usize),
    /// As many as there are candidates: `N`.
    Candidates,
}

/// A `ValueInfoProto` of `f32`s.
fn array_of(name: &str, sizes: &[Size]) -> Message {
    let shape = sizes.iter().fold(Message::default(), |shape, size| {
        let dimension = match size {
            Size::Fixed(size) => Message::default().number(dimension::VALUE, *size as u64),
            Size::Candidates => Message::default().text(dimension::PARAM, "N"),
        };
        shape.message(array_shape::DIM, &dimension)
    });
    let tensor = Message::default()
        .number(array_type::ELEM_TYPE, FLOAT)
        .message(array_type::SHAPE, &shape);
    let kind = Message::default().message(value_type::TENSOR_TYPE, &tensor);
    Message::default()
        .text(value::NAME, name)
        .message(value::TYPE, &kind)
}

/// A weight with a row per input, as `MatMul` wants it on the right.
fn turned(weight: &Tensor) -> Tensor {
    let (outputs, inputs) = (weight.shape[0], weight.shape[1]);
    let columns =
        (0..inputs).flat_map(|input| (0..outputs).map(move |output| output * inputs + input));
    let data = columns.map(|place| weight.data[place]).collect();
    Tensor {
        name: weight.name.clone(),
        shape: vec![inputs, outputs],
        data,
    }
}

/// The first `rows` rows, which belong to the action, and the rest, which belong to the state.
fn divided(weight: &Tensor, rows: usize) -> (Tensor, Tensor) {
    let (inputs, outputs) = (weight.shape[0], weight.shape[1]);
    let (upper, lower) = weight.data.split_at(rows * outputs);
    let part = |name: &str, rows: usize, data: &[f32]| Tensor {
        name: format!("{}.{name}", weight.name),
        shape: vec![rows, outputs],
        data: data.to_vec(),
    };
    (
        part("action", rows, upper),
        part("context", inputs - rows, lower),
    )
}

/// Field numbers of onnx.proto, a module per message.
mod model {
    pub const IR_VERSION: u32 = 1;
    pub const PRODUCER_NAME: u32 = 2;
    pub const PRODUCER_VERSION: u32 = 3;
    pub const GRAPH: u32 = 7;
    pub const OPSET_IMPORT: u32 = 8;
    pub const METADATA_PROPS: u32 = 14;
}
mod opset {
    pub const DOMAIN: u32 = 1;
    pub const VERSION: u32 = 2;
}
mod entry {
    pub const KEY: u32 = 1;
    pub const VALUE: u32 = 2;
}
mod graph {
    pub const NODE: u32 = 1;
    pub const NAME: u32 = 2;
    pub const INITIALIZER: u32 = 5;
    pub const INPUT: u32 = 11;
    pub const OUTPUT: u32 = 12;
}
mod node {
    pub const INPUT: u32 = 1;
    pub const OUTPUT: u32 = 2;
    pub const NAME: u32 = 3;
    pub const OP_TYPE: u32 = 4;
}
mod array {
    pub const DIMS: u32 = 1;
    pub const DATA_TYPE: u32 = 2;
    pub const NAME: u32 = 8;
    pub const RAW_DATA: u32 = 9;
}
mod value {
    pub const NAME: u32 = 1;
    pub const TYPE: u32 = 2;
}
mod value_type {
    pub const TENSOR_TYPE: u32 = 1;
}
mod array_type {
    pub const ELEM_TYPE: u32 = 1;
    pub const SHAPE: u32 = 2;
}
mod array_shape {
    pub const DIM: u32 = 1;
}
mod dimension {
    pub const VALUE: u32 = 1;
    pub const PARAM: u32 = 2;
}
