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
        .text(field::OPSET_DOMAIN, "")
        .number(field::OPSET_VERSION, OPERATOR_SET);
    let shape = Message::default()
        .text(field::ENTRY_KEY, "network")
        .text(field::ENTRY_VALUE, network.shape().id());
    let model = Message::default()
        .number(field::MODEL_IR_VERSION, IR_VERSION)
        .text(field::MODEL_PRODUCER_NAME, "fdc")
        .text(field::MODEL_PRODUCER_VERSION, fdc_version)
        .message(
            field::MODEL_GRAPH,
            &graph_of(network).finish(network.shape()),
        )
        .message(field::MODEL_OPSET_IMPORT, &opset)
        .message(field::MODEL_METADATA_PROPS, &shape);
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
        let found = tensors.iter().find(|tensor| tensor.name == name);
        found.expect("a tensor of the shape")
    };
    let mut graph = Graph::default();
    let mut context = "state".to_owned();
    if shape.embeds() {
        for layer in ["embed.0", "embed.2"] {
            context = graph.dense(&context, layer, &tensor);
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

    let wide = graph.dense(&hidden, "head.2", &tensor);
    let wide = graph.rectified(&wide, "head.2");
    let column = graph.dense(&wide, "head.4", &tensor);
    // Not a weight vector to begin with: onnxruntime refuses its product with no candidates.
    graph.array("value.axes", &[1], INT64, 1i64.to_le_bytes().to_vec());
    graph.node("Squeeze", [&column, "value.axes"], "value");
    graph
}

impl Graph {
    fn constant(&mut self, tensor: &Tensor) {
        let bytes = tensor.data.iter().flat_map(|number| number.to_le_bytes());
        self.array(&tensor.name, &tensor.shape, FLOAT, bytes.collect());
    }

    fn array(&mut self, name: &str, sizes: &[usize], kind: u64, bytes: Vec<u8>) {
        let array = sizes.iter().fold(Message::default(), |array, &size| {
            array.number(field::ARRAY_DIMS, size as u64)
        });
        let array = array
            .number(field::ARRAY_DATA_TYPE, kind)
            .text(field::ARRAY_NAME, name)
            .bytes(field::ARRAY_RAW_DATA, &bytes);
        self.constants.push(array);
    }

    /// Adds a node and returns the name of its output, which is its own name as well.
    fn node<const N: usize>(&mut self, operator: &str, inputs: [&str; N], output: &str) -> String {
        let node = inputs.into_iter().fold(Message::default(), |m, input| {
            m.text(field::NODE_INPUT, input)
        });
        let node = node
            .text(field::NODE_OUTPUT, output)
            .text(field::NODE_NAME, output)
            .text(field::NODE_OP_TYPE, operator);
        self.nodes.push(node);
        output.to_owned()
    }

    /// A layer without its ReLU.
    fn dense<'a>(
        &mut self,
        input: &str,
        layer: &str,
        tensor: &impl Fn(&str) -> &'a Tensor,
    ) -> String {
        let weight = turned(tensor(&format!("{layer}.weight")));
        self.constant(&weight);
        let product = self.node("MatMul", [input, &weight.name], &format!("{layer}.product"));
        self.biased(&product, layer, tensor(&format!("{layer}.bias")))
    }

    fn biased(&mut self, product: &str, layer: &str, bias: &Tensor) -> String {
        self.constant(bias);
        self.node("Add", [product, &bias.name], &format!("{layer}.biased"))
    }

    fn rectified(&mut self, sum: &str, layer: &str) -> String {
        self.node("Relu", [sum], &format!("{layer}.output"))
    }

    fn finish(self, shape: Shape) -> Message {
        let graph = self.nodes.iter().fold(Message::default(), |m, node| {
            m.message(field::GRAPH_NODE, node)
        });
        let graph = graph.text(field::GRAPH_NAME, "rlfdc");
        let graph = self.constants.iter().fold(graph, |m, constant| {
            m.message(field::GRAPH_INITIALIZER, constant)
        });
        graph
            .message(field::GRAPH_INPUT, &array_of("state", &[Size::Fixed(2)]))
            .message(
                field::GRAPH_INPUT,
                &array_of("actions", &[Size::Candidates, Size::Fixed(shape.actions())]),
            )
            .message(field::GRAPH_OUTPUT, &array_of("value", &[Size::Candidates]))
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
            Size::Fixed(size) => Message::default().number(field::DIMENSION_VALUE, *size as u64),
            Size::Candidates => Message::default().text(field::DIMENSION_PARAM, "N"),
        };
        shape.message(field::ARRAY_SHAPE_DIM, &dimension)
    });
    let tensor = Message::default()
        .number(field::ARRAY_TYPE_ELEM_TYPE, FLOAT)
        .message(field::ARRAY_TYPE_SHAPE, &shape);
    let kind = Message::default().message(field::VALUE_TYPE_TENSOR_TYPE, &tensor);
    Message::default()
        .text(field::VALUE_NAME, name)
        .message(field::VALUE_TYPE, &kind)
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

/// Field numbers of onnx.proto, message by message.
mod field {
    pub(super) const MODEL_IR_VERSION: u32 = 1;
    pub(super) const MODEL_PRODUCER_NAME: u32 = 2;
    pub(super) const MODEL_PRODUCER_VERSION: u32 = 3;
    pub(super) const MODEL_GRAPH: u32 = 7;
    pub(super) const MODEL_OPSET_IMPORT: u32 = 8;
    pub(super) const MODEL_METADATA_PROPS: u32 = 14;
    pub(super) const OPSET_DOMAIN: u32 = 1;
    pub(super) const OPSET_VERSION: u32 = 2;
    pub(super) const ENTRY_KEY: u32 = 1;
    pub(super) const ENTRY_VALUE: u32 = 2;
    pub(super) const GRAPH_NODE: u32 = 1;
    pub(super) const GRAPH_NAME: u32 = 2;
    pub(super) const GRAPH_INITIALIZER: u32 = 5;
    pub(super) const GRAPH_INPUT: u32 = 11;
    pub(super) const GRAPH_OUTPUT: u32 = 12;
    pub(super) const NODE_INPUT: u32 = 1;
    pub(super) const NODE_OUTPUT: u32 = 2;
    pub(super) const NODE_NAME: u32 = 3;
    pub(super) const NODE_OP_TYPE: u32 = 4;
    pub(super) const ARRAY_DIMS: u32 = 1;
    pub(super) const ARRAY_DATA_TYPE: u32 = 2;
    pub(super) const ARRAY_NAME: u32 = 8;
    pub(super) const ARRAY_RAW_DATA: u32 = 9;
    pub(super) const VALUE_NAME: u32 = 1;
    pub(super) const VALUE_TYPE: u32 = 2;
    pub(super) const VALUE_TYPE_TENSOR_TYPE: u32 = 1;
    pub(super) const ARRAY_TYPE_ELEM_TYPE: u32 = 1;
    pub(super) const ARRAY_TYPE_SHAPE: u32 = 2;
    pub(super) const ARRAY_SHAPE_DIM: u32 = 1;
    pub(super) const DIMENSION_VALUE: u32 = 1;
    pub(super) const DIMENSION_PARAM: u32 = 2;
}
