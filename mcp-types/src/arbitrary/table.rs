//! Macros that implement strategies from the generated tables.

/// Implements the strategy of a generated type: the strategy for its parts, and how a value is put
/// together from them.
macro_rules! strategy {
    ($(#[$cfg:meta])* $type:ident: $parts:expr, |$part:ident| $value:expr) => {
        $(#[$cfg])*
        const _: () = {
            impl arbitrary::Draw for $type {
                fn values() -> arbitrary::Values<Self> {
                    arbitrary::remembered(|| $parts)
                }

                fn from_part($part: arbitrary::Part) -> Self {
                    $value
                }
            }

            impl proptest::arbitrary::Arbitrary for $type {
                type Parameters = ();
                type Strategy = arbitrary::Values<Self>;

                fn arbitrary_with((): ()) -> Self::Strategy {
                    arbitrary::draw()
                }
            }
        };
    };
}

/// Implements the strategy of a struct from the list of its fields. A field has the strategy of its
/// type, or the one behind `in`. `+ extra` stands for members that the type does not declare.
macro_rules! object_strategy {
    (
        $(#[$cfg:meta])*
        $type:ident {
            $($(#[$when:meta])* $field:ident $(in $values:expr)?),* $(,)?
        }
        $(+ $extra:ident)?
    ) => {
        arbitrary::strategy! {
            $(#[$cfg])* $type: arbitrary::fields(vec![
                $(
                    $(#[$when])*
                    arbitrary::field_strategy!($type $field $($values)?),
                )*
                $(
                    (
                        stringify!($extra),
                        arbitrary::extra(&<$type as codec::FromMembers>::TABLE),
                    ),
                )?
            ]),
            |part| {
                let mut fields = part.into_fields();
                let value = Self {
                    $(
                        $(#[$when])*
                        $field: fields.take(),
                    )*
                    $($extra: fields.take_whole(),)?
                };
                fields.end();
                value
            }
        }
    };
}

/// Implements the strategy of a union from the list of its variants. The content of a variant has
/// the strategy of its type, or the one behind `in`.
macro_rules! union_strategy {
    (
        $(#[$cfg:meta])*
        $type:ident {
            $($(#[$when:meta])* $variant:ident $(in $values:expr)?),* $(,)?
        }
    ) => {
        arbitrary::strategy! {
            $(#[$cfg])* $type: arbitrary::one_of(vec![
                $(
                    $(#[$when])*
                    arbitrary::variant_strategy!($type $variant $($values)?),
                )*
            ]),
            |part| {
                let variants: &[fn(arbitrary::Part) -> Self] = &[
                    $(
                        $(#[$when])*
                        |part| Self::$variant(arbitrary::Draw::from_part(part)),
                    )*
                ];
                let (index, content) = part.into_variant();
                variants[index](content)
            }
        }
    };
}

/// Implements the strategy of a string enumeration.
macro_rules! text_strategy {
    ($(#[$cfg:meta])* $type:ident closed) => {
        arbitrary::strategy! {
            $(#[$cfg])* $type:
            arbitrary::closed_text(<$type as codec::FromText>::VALUES),
            |part| {
                let text: String = part.into_whole();
                match <$type as codec::FromText>::from_text(&text) {
                    Some(value) => value,
                    None => panic!("{text} is not known"),
                }
            }
        }
    };
    ($(#[$cfg:meta])* $type:ident open) => {
        arbitrary::strategy! {
            $(#[$cfg])* $type:
            arbitrary::open_text(<$type as codec::FromText>::VALUES),
            |part| $type::from(part.into_whole::<String>())
        }
    };
}

macro_rules! field_strategy {
    ($type:ident $field:ident) => {
        arbitrary::field(stringify!($field), |it: &$type| &it.$field)
    };
    ($type:ident $field:ident $values:expr) => {
        arbitrary::field_of(stringify!($field), |it: &$type| &it.$field, $values)
    };
}

macro_rules! variant_strategy {
    ($type:ident $variant:ident) => {
        Some(arbitrary::content($type::$variant))
    };
    ($type:ident $variant:ident $values:expr) => {
        arbitrary::content_of($type::$variant, $values)
    };
}

pub(crate) use {
    field_strategy, object_strategy, strategy, text_strategy, union_strategy, variant_strategy,
};
