//! The macros of the generated table of versioned types.

#![allow(
    unused_imports,
    unused_macros,
    reason = "without older revisions there are no steps"
)]

/// Implements [`Versioned`](crate::revision::Versioned) for a type.
///
/// ```text
/// versioned! {
///     v2026_07_28::Tool = "Tool", Revision::V2024_11_05, LAST;
///     V2025_11_25 "v2025-11-25": v2025_11_25::Tool, from, try_from;
/// }
/// ```
///
/// * The first line has the type, its name in the schema, and the first and the last revision that
///   have it.
/// * `[before R: Variant]` stands for a union of which revisions before `R` have one variant.
/// * `[draft R: Type, up, down]` is the form in the draft of the next revision.
/// * Each other line is an older form, newest first: the last revision that has it, the feature of
///   that revision, the type, and how it is converted to the form of the line before and from it.
macro_rules! versioned {
    (
        $(#[$when:meta])*
        $module:ident::$type:ident = $name:literal, $oldest:expr, $newest:expr;
        $([before $since:ident: $plain:ident])?
        $([draft $draft:ident: $draft_module:ident::$draft_type:ident, $draft_up:ident, $draft_down:ident])?
        $($last:ident $feature:literal: $old_module:ident::$old:ident, $up:ident, $down:ident;)*
    ) => {
        $(#[$when])*
        impl crate::revision::Versioned for $module::$type {
            #[inline]
            fn decode_at(revision: Revision, text: &str) -> Result<Self, VersionError> {
                $(
                    if revision < Revision::$since {
                        return crate::revision::Versioned::decode_at(revision, text).map(Self::$plain);
                    }
                )?
                check_revision($name, revision, $oldest, $newest)?;
                $(
                    #[cfg(feature = "draft")]
                    if revision == Revision::$draft {
                        let value: $draft_module::$draft_type = crate::json::from_str(text)?;
                        return Ok(crate::revision::step!($draft_up Self, value));
                    }
                )?
                Ok(crate::revision::decode_form! {
                    revision text Self;
                    $($last $feature: $old_module::$old, $up;)*
                })
            }

            #[inline]
            fn write_at(
                self,
                revision: Revision,
                out: &mut crate::json::Writer<'_>,
            ) -> Result<(), VersionError> {
                $(
                    if revision < Revision::$since {
                        return match self {
                            Self::$plain(result) => {
                                crate::revision::Versioned::write_at(result, revision, out)
                            }
                            _ => Err(crate::convert::ConvertError::no_variant(
                                $name,
                                "an outcome other than the plain one",
                                revision.as_str(),
                            )
                            .into()),
                        };
                    }
                )?
                check_revision($name, revision, $oldest, $newest)?;
                let value = self;
                $(
                    #[cfg(feature = "draft")]
                    if revision == Revision::$draft {
                        let value =
                            crate::revision::step!($draft_down $draft_module::$draft_type, value);
                        return Ok(out.write(&value)?);
                    }
                )?
                $(
                    #[cfg(feature = $feature)]
                    if revision > Revision::$last {
                        return Ok(out.write(&value)?);
                    }
                    #[cfg(feature = $feature)]
                    let value = crate::revision::step!($down $old_module::$old, value);
                )*
                Ok(out.write(&value)?)
            }
        }
    };
}

/// Decodes the form of a revision and converts it step by step. There are as many levels as
/// revisions.
macro_rules! decode_form {
    ($revision:ident $text:ident $type:ty;) => {
        crate::json::from_str($text)?
    };
    (
        $revision:ident $text:ident $type:ty;
        $last:ident $feature:literal: $old_module:ident::$old:ident, $up:ident;
        $($rest:tt)*
    ) => {
        match $revision {
            #[cfg(feature = $feature)]
            older if older <= Revision::$last => {
                let value: $old_module::$old = crate::revision::decode_form! {
                    $revision $text $old_module::$old;
                    $($rest)*
                };
                crate::revision::step!($up $type, value)
            }
            _ => crate::json::from_str($text)?,
        }
    };
}

/// Converts a value to another type.
macro_rules! step {
    (from $type:ty, $value:ident) => {
        <$type>::from($value)
    };
    (try_from $type:ty, $value:ident) => {
        <$type>::try_from($value)?
    };
}

/// Implements [`Outcome`](crate::message::Outcome) for a result: a type that is complete as such,
/// one that is complete if open enumerations have certain values, or a union with a complete
/// variant.
macro_rules! outcome {
    ($(#[$when:meta])* $module:ident::$type:ident: $variant:ident => $plain_module:ident::$plain:ident) => {
        $(#[$when])*
        impl crate::message::Outcome for $module::$type {
            type Complete = $plain_module::$plain;

            #[inline]
            fn complete(self) -> Result<$plain_module::$plain, Box<Self>> {
                match self {
                    Self::$variant(result) => Ok(result),
                    other => Err(Box::new(other)),
                }
            }
        }
    };
    ($(#[$when:meta])* $module:ident::$type:ident) => {
        $(#[$when])*
        impl crate::message::Outcome for $module::$type {
            type Complete = Self;

            #[inline]
            fn complete(self) -> Result<Self, Box<Self>> {
                Ok(self)
            }
        }
    };
    ($(#[$when:meta])* $module:ident::$type:ident $(, $field:ident == $value:literal)+) => {
        $(#[$when])*
        impl crate::message::Outcome for $module::$type {
            type Complete = Self;

            #[inline]
            fn complete(self) -> Result<Self, Box<Self>> {
                if $(self.$field.as_str() == $value)&&+ {
                    Ok(self)
                } else {
                    Err(Box::new(self))
                }
            }
        }
    };
}

pub(crate) use {decode_form, outcome, step, versioned};
