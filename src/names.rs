//! Types whose every value has a name, by which it is read.

use std::fmt::Display;

/// No value has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{name}' is not one of {}", known.join(", "))]
#[non_exhaustive]
pub struct NameError {
    /// The name that was read.
    pub name: String,
    /// The names of all values.
    pub known: Vec<String>,
}

/// The value of this name, as values are displayed.
pub(crate) fn read<T: Copy + Display>(name: &str, all: &[T]) -> Result<T, NameError> {
    let found = all.iter().find(|value| value.to_string() == name);
    found.copied().ok_or_else(|| NameError { name: name.to_owned(), known: all.iter().map(T::to_string).collect() })
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
