//! Named values, and the error of invalid ones.

/// An invalid size, shard or name; the message says what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ValueError(pub(crate) String);

/// Gives an enumeration the names by which its values are displayed and parsed.
macro_rules! named {
    ($type:ty { $($value:ident: $name:literal),+ }) => {
        impl $type {
            /// All values, in order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$value),+];

            /// Its name, on the command line and in results.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$value => $name),+ }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::names::ValueError;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                let found = Self::ALL.into_iter().find(|value| value.name() == name);
                let refused = || format!("'{name}' is not one of {}", [$($name),+].join(", "));
                found.ok_or_else(|| $crate::names::ValueError(refused()))
            }
        }
    };
}
pub(crate) use named;

#[cfg(test)]
mod tests {
    use crate::{EngineKind, Isa, Rotation};

    #[test]
    fn values_are_parsed_by_their_names() {
        assert!(Isa::ALL.iter().all(|isa| isa.to_string().parse() == Ok(*isa)));
        assert!(EngineKind::ALL.iter().all(|engine| engine.to_string().parse() == Ok(*engine)));
        assert!(Rotation::ALL.iter().all(|rotation| rotation.to_string().parse() == Ok(*rotation)));
        assert_eq!("third".parse::<Rotation>().unwrap_err().to_string(), "'third' is not one of half, quarter");
    }
}
