//! Every argument that names a file is in the tables by which `tests/outputs.rs` runs the program.

use std::any::TypeId;
use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::ValueHint;

use crate::cli::args::command;
use crate::cli::terminal::OutputPath;

#[path = "../../../tests/common/outputs.rs"]
mod outputs;

/// The commands and arguments of this type.
fn arguments(of: TypeId) -> BTreeSet<(String, String)> {
    let command = command();
    let each = command.get_subcommands().flat_map(|sub| sub.get_arguments().map(move |argument| (sub, argument)));
    let found = each.filter(|(_, argument)| argument.get_value_parser().type_id() == of);
    found.map(|(sub, argument)| (sub.get_name().to_owned(), argument.get_id().to_string())).collect()
}

#[test]
fn every_argument_that_names_a_file_is_tested() {
    let named = |rows: &[(&str, &str, &str)]| -> BTreeSet<(String, String)> {
        rows.iter().map(|(command, argument, _)| ((*command).to_owned(), (*argument).to_owned())).collect()
    };
    assert_eq!(arguments(TypeId::of::<OutputPath>()), named(&outputs::OUTPUTS));
    assert_eq!(arguments(TypeId::of::<PathBuf>()), named(&outputs::KEPT));
    // No other type for names: the guard knows these two.
    let others = ["FILE", "PATH", "FOLDER", "FILE|NAME"];
    for sub in command().get_subcommands() {
        for argument in sub.get_arguments() {
            let names = argument.get_value_names().unwrap_or_default();
            let is_file = names.iter().any(|name| others.contains(&name.as_str()));
            let of = argument.get_value_parser().type_id();
            let is_known = of == TypeId::of::<OutputPath>() || of == TypeId::of::<PathBuf>();
            assert_eq!(
                argument.get_value_hint() == ValueHint::AnyPath,
                is_known,
                "{} {}",
                sub.get_name(),
                argument.get_id()
            );
            assert_eq!(is_file, is_known, "{} {}", sub.get_name(), argument.get_id());
        }
    }
}
