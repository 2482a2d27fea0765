//! The macro for unions.

/// Implements the encoder of a union, `Deserialize`, and the conversions of its variants. The decoder,
/// [`Decode`](super::super::Decode), stands before the table.
///
/// ```text
/// codec::union_codec! {
///     ContentBlock;
///     Text(TextContent);
///     Image(ImageContent);
/// }
/// ```
///
/// Each line is a variant. It has a conversion from its content if the type in parentheses tells the variant.
macro_rules! union_codec {
    (
        $(#[$cfg:meta])*
        $type:ident;
        $($(#[$when:meta])* $variant:ident $(($content:ty))?;)*
    ) => {
        $(#[$cfg])*
        const _: () = {
            $(codec::from_variant! { $(#[$when])* $type $variant $($content)? })*
        };

        $(#[$cfg])*
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                codec::deserialize(deserializer)
            }
        }

        $(#[$cfg])*
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $($(#[$when])* Self::$variant(value) => value.serialize(serializer),)*
                }
            }
        }
    };
}

/// Implements the conversion of a variant's content to its union.
macro_rules! from_variant {
    ($(#[$when:meta])* $type:ident $variant:ident) => {};
    ($(#[$when:meta])* $type:ident $variant:ident $content:ty) => {
        $(#[$when])*
        impl From<$content> for $type {
            fn from(value: $content) -> Self {
                // The content may be stored in a box. It may also have a setter with the name `into`.
                Self::$variant(Into::into(value))
            }
        }
    };
}

pub(crate) use {from_variant, union_codec};
