//! `partial_debug`: `Debug` for types that must not, or need not, show all of their fields.

/// Implements `Debug` for a type, with the named values only.
macro_rules! partial_debug {
    ($type:ident) => {
        partial_debug!($type, |_it|);
    };
    ($(#[$doc:meta])* $type:ident $(<$lifetime:lifetime>)?, |$this:ident| $($name:ident: $value:expr),*) => {
        $(#[$doc])*
        impl std::fmt::Debug for $type $(<$lifetime>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let $this = self;
                f.debug_struct(stringify!($type))
                    $(.field(stringify!($name), &$value))*
                    .finish_non_exhaustive()
            }
        }
    };
}

pub(crate) use partial_debug;
