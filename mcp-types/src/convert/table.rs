//! The macros of the generated tables of conversions.
//!
//! `From(from: A) -> B` is the head of a conversion that cannot fail, `TryFrom(from: A) -> B` that
//! of one that can. The name in it is used by the expressions that follow. All conversions are
//! marked `#[inline]`, so that they are compiled only in the crates that call them; otherwise they
//! would take three quarters of the time to build this crate.

#![allow(
    unused_imports,
    unused_macros,
    reason = "without older revisions there are no conversions"
)]

/// Implements the conversion of a value by an expression.
macro_rules! conversion {
    ($(#[$cfg:meta])* From($from:ident: $source:path) -> $target:path; $value:expr) => {
        $(#[$cfg])*
        impl From<$source> for $target {
            #[inline]
            fn from($from: $source) -> Self {
                $value
            }
        }
    };
    ($(#[$cfg:meta])* TryFrom($from:ident: $source:path) -> $target:path; $value:expr) => {
        $(#[$cfg])*
        impl TryFrom<$source> for $target {
            type Error = crate::convert::ConvertError;

            #[inline]
            fn try_from($from: $source) -> Result<Self, crate::convert::ConvertError> {
                Ok($value)
            }
        }
    };
}

/// Implements the conversion of a struct: statements about undeclared members, the fields that are
/// moved, and the other fields with their values.
macro_rules! object_conversion {
    (
        $(#[$cfg:meta])*
        $how:ident($from:ident: $source:path) -> $target:path;
        $({ $($statement:tt)* })?
        same { $($(#[$same_when:meta])* $same:ident),* $(,)? }
        $($(#[$when:meta])* $field:ident = $value:expr,)*
    ) => {
        crate::convert::conversion! {
            $(#[$cfg])*
            $how($from: $source) -> $target;
            {
                $($($statement)*)?
                Self {
                    $($(#[$same_when])* $same: $from.$same,)*
                    $($(#[$when])* $field: $value,)*
                }
            }
        }
    };
}

/// Implements the conversion of a union: the variants that the target does not have, and the others
/// with their values.
macro_rules! union_conversion {
    (
        $(#[$cfg:meta])*
        $how:ident($from:ident: $module:ident::$source:ident) -> $target:path, $kind:literal, $revision:literal;
        missing { $($(#[$missing_when:meta])* $missing:ident),* $(,)? }
        $($(#[$when:meta])* $variant:ident($content:ident) => $value:expr,)*
    ) => {
        crate::convert::conversion! {
            $(#[$cfg])*
            $how($from: $module::$source) -> $target;
            match $from {
                $($(#[$when])* $module::$source::$variant($content) => $value,)*
                $(
                    $(#[$missing_when])*
                    $module::$source::$missing { .. } => {
                        return Err(crate::convert::ConvertError::no_variant(
                            $kind,
                            stringify!($missing),
                            $revision,
                        ));
                    }
                )*
            }
        }
    };
}

pub(crate) use {conversion, object_conversion, union_conversion};
