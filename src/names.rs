//! Values that are read from texts and numbers, and what is none.

use std::fmt::Display;

/// Why something is not a size, a shard or the name of a value: what is allowed, in a line for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ValueError(pub(crate) String);

/// The value of this name, as values are displayed.
pub(crate) fn read<T: Copy + Display>(name: &str, all: &[T]) -> Result<T, ValueError> {
    let known = || all.iter().map(T::to_string).collect::<Vec<_>>().join(", ");
    let found = all.iter().find(|value| value.to_string() == name).copied();
    found.ok_or_else(|| ValueError(format!("'{name}' is not one of {}", known())))
}

#[cfg(test)]
mod tests {
    use crate::{ENGINES, Isa, Rotation};

    #[test]
    fn values_are_read_by_their_names() {
        assert!(Isa::ALL.iter().all(|isa| isa.to_string().parse() == Ok(*isa)));
        assert!(ENGINES.iter().all(|info| info.name.parse() == Ok(info.kind)));
        assert!(Rotation::ALL.iter().all(|rotation| rotation.to_string().parse() == Ok(*rotation)));
        assert_eq!("third".parse::<Rotation>().unwrap_err().to_string(), "'third' is not one of half, quarter");
    }
}
