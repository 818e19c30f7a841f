//! The command line of `model`.

use std::path::PathBuf;

use clap::Subcommand;

use super::select::SelectFormat;

/// What to do with a model.
#[derive(Debug, Subcommand)]
pub enum ModelAction {
    /// Show what a model is: shape, hyper-parameters, data digest
    Show {
        /// A model file, or sharp or rlfdc for a built-in model
        #[arg(default_value = "sharp")]
        file: PathBuf,
        /// How to print
        #[arg(long, default_value = "table")]
        format: SelectFormat,
    },
    /// Write a model as ONNX
    Export {
        /// A model file of rlfdc (default: the built-in model)
        file: Option<PathBuf>,
        /// The ONNX file to write
        #[arg(long, short, value_name = "FILE")]
        out: PathBuf,
    },
}
