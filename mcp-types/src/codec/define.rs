//! The macros that implement a type's codec from a table.
//!
//! A generated file defines a type; a table next to it lists what is mechanical. Each macro expands
//! in one step, without recursion over the rows, so that a table costs little compile time. Paths
//! such as `codec::Reader` are those of the file that contains the table.

#![allow(
    unused_imports,
    unused_macros,
    reason = "a schema may have only some kinds of types"
)]

/// Implements the constructor, the setters, the decoder and the encoder of a struct.
///
/// ```text
/// codec::object_codec! {
///     Annotations = "Annotations", extra(extra);
///     new();
///     0 "audience" optional_list audience = some(impl Into<Vec<Role>>);
///     1 "priority" optional_number(0.0..=1.0) priority = some(impl Into<Number>);
/// }
/// ```
///
/// * The first line has the type, its name in the schema, and what happens to members that it does
///   not declare: they are stored in a field (`extra(field)`) or rejected (`unknown`).
/// * `new(field: how(Type), ...)` lists the parameters of the constructor, and `default(field =
///   value, ...)` the fields that it sets to a value. All other fields are absent.
/// * Each other line is a member: its number, its name, its [kind](super::need) with arguments, its
///   field, and the parameter of its setter. A constant has no field, and a member that is a
///   parameter of the constructor has no setter.
///
/// `how` is the function of [`fill`](super::fill) that makes the field's value of a parameter. The
/// kind is the name of a method of [`Reader`](super::Reader), of [`Writer`](super::Writer) and of a
/// constant in [`need`](super::need).
macro_rules! object_codec {
    (
        $(#[$cfg:meta])*
        $type:ident = $name:literal, $rest:ident $(($extra:ident))?;
        $(#[$constructor:meta])*
        new($($parameter:ident: $fill:ident($parameter_type:ty)),* $(,)?);
        $(default($($preset:ident = $value:expr),* $(,)?);)?
        $(
            $(#[$when:meta])*
            $at:literal $json:literal $kind:ident $(($($argument:expr),+))?
            $($field:ident $(= $how:ident($setter_type:ty))?)?;
        )*
    ) => {
        $(#[$cfg])*
        impl $type {
            #[doc = concat!("Creates a value of `", stringify!($type), "` from its required fields. The others are absent.")]
            $(#[$constructor])*
            #[must_use]
            pub fn new($($parameter: $parameter_type),*) -> Self {
                Self {
                    $($parameter: codec::fill::$fill($parameter),)*
                    $($($preset: $value,)*)?
                    ..<Self as codec::Vacant>::VACANT
                }
            }

            $(codec::setter! { $(#[$when])* $json $($field $(= $how($setter_type))?)? })*
        }

        $(#[$cfg])*
        impl codec::Vacant for $type {
            const VACANT: Self = Self {
                $($(#[$when])* $($field: codec::Vacant::VACANT,)?)*
                $($extra: codec::Extra::new(),)?
            };

            fn read_into<'de, D: serde::Deserializer<'de>>(
                place: &mut Self,
                deserializer: D,
            ) -> Result<(), D::Error> {
                codec::read_object_into(place, deserializer)
            }
        }

        $(#[$cfg])*
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                codec::read_object(deserializer)
            }
        }

        $(#[$cfg])*
        impl<'de> codec::FromMembers<'de> for $type {
            const NAME: &'static str = $name;
            const MEMBERS: &'static [codec::Declared] = &[
                $($(#[$when])* codec::Declared::new($at, $json, codec::need::$kind)),*
            ];
            const NAMES: &'static [&'static str] = &[$($(#[$when])* $json),*];

            fn read_member<A: serde::de::MapAccess<'de>>(
                &mut self,
                at: u8,
                reader: &mut codec::Reader<'de, A>,
            ) -> Result<(), A::Error> {
                match at {
                    $(
                        $(#[$when])*
                        $at => reader.$kind($(&mut self.$field,)? $($($argument),+)?),
                    )*
                    _ => reader.$rest($(&mut self.$extra)?),
                }
            }
        }

        $(#[$cfg])*
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut writer = codec::Writer::new(serializer);
                $($(#[$when])* writer.$kind($json, $(&self.$field,)? $($($argument),+)?);)*
                $(writer.extra(&self.$extra, <Self as codec::FromMembers>::MEMBERS);)?
                writer.end()
            }
        }
    };
}

/// Implements the setter of a member, if it has one.
macro_rules! setter {
    ($(#[$when:meta])* $json:literal) => {};
    ($(#[$when:meta])* $json:literal $field:ident) => {};
    ($(#[$when:meta])* $json:literal $field:ident = $how:ident($type:ty)) => {
        #[doc = concat!("Sets `", $json, "`.")]
        $(#[$when])*
        #[inline]
        #[must_use]
        pub fn $field(mut self, $field: $type) -> Self {
            self.$field = codec::fill::$how($field);
            self
        }
    };
}

/// Implements `Default` for a struct whose constructor has no parameters and sets values.
macro_rules! default_codec {
    ($(#[$cfg:meta])* $type:ident) => {
        $(#[$cfg])*
        impl Default for $type {
            fn default() -> Self {
                Self::new()
            }
        }
    };
}

/// Implements the conversions of a string enumeration from and to text.
///
/// ```text
/// codec::text_codec! {
///     Role = "Role", closed;
///     User = "user";
///     Assistant = "assistant";
/// }
/// ```
///
/// An `open(Other)` enumeration has a variant for the texts that it does not declare.
macro_rules! text_codec {
    (
        $(#[$cfg:meta])*
        $type:ident = $name:literal, closed;
        $first:ident = $first_text:literal; $($variant:ident = $text:literal;)*
    ) => {
        codec::text_codec! {
            @common $(#[$cfg])* $type = $name; $first; $first = $first_text; $($variant = $text;)*
        }

        $(#[$cfg])*
        impl codec::FromText for $type {
            const VALUES: &'static [&'static str] = &[$first_text, $($text),*];

            #[inline]
            fn from_text(text: &str) -> Option<Self> {
                Some(match text {
                    $first_text => Self::$first,
                    $($text => Self::$variant,)*
                    _ => return None,
                })
            }
        }

        $(#[$cfg])*
        impl std::str::FromStr for $type {
            type Err = codec::UnknownValue;

            #[inline]
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                codec::parse_text(text)
            }
        }
    };
    (
        $(#[$cfg:meta])*
        $type:ident = $name:literal, open($other:ident);
        $first:ident = $first_text:literal; $($variant:ident = $text:literal;)*
    ) => {
        codec::text_codec! {
            @common $(#[$cfg])* $type = $name, $other;
            $first; $first = $first_text; $($variant = $text;)*
        }

        $(#[$cfg])*
        impl codec::FromText for $type {
            const VALUES: &'static [&'static str] = &[$first_text, $($text),*];

            #[inline]
            fn from_text(text: &str) -> Option<Self> {
                Some(Self::from(text))
            }
        }

        $(#[$cfg])*
        impl From<&str> for $type {
            #[inline]
            fn from(text: &str) -> Self {
                match text {
                    $first_text => Self::$first,
                    $($text => Self::$variant,)*
                    other => Self::$other(codec::FromText::other(other)),
                }
            }
        }

        $(#[$cfg])*
        impl From<String> for $type {
            #[inline]
            fn from(text: String) -> Self {
                Self::from(text.as_str())
            }
        }
    };
    (
        @common $(#[$cfg:meta])* $type:ident = $name:literal $(, $other:ident)?;
        $first:ident; $($variant:ident = $text:literal;)*
    ) => {
        $(#[$cfg])*
        impl $type {
            /// Returns the value as it is written in messages.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    $(Self::$other(text) => text.as_str(),)?
                }
            }
        }

        $(#[$cfg])*
        impl codec::Vacant for $type {
            const VACANT: Self = Self::$first;
        }

        $(#[$cfg])*
        impl std::fmt::Display for $type {
            #[inline]
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }

        $(#[$cfg])*
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        $(#[$cfg])*
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                codec::read_text_enum(deserializer, $name)
            }
        }
    };
}

/// Implements the decoder and the encoder of a union, and the conversions of its variants.
///
/// ```text
/// codec::union_codec! {
///     ContentBlock = "ContentBlock", Text(codec::Vacant::VACANT);
///     variants {
///         Text(plain TextContent);
///         Image(plain ImageContent);
///     }
///     tag "type" {
///         "text" => object plain Text;
///         "image" => object plain Image;
///     }
/// }
/// ```
///
/// * The first line has the type, its name in the schema, and the placeholder value.
/// * `null` has the variants without content. `variants` has the others; `Name(how Type);` has a
///   conversion from its content, where `how` is a function of [`hold`](super::hold).
/// * Then follows how objects are decoded: as `only` one variant, by a `tag`, or by their `shape`:
///   a list of candidates, and how each of them is decoded. `object`, `union` and `map` are methods
///   of [`Members`](super::Members) and [`Undecided`](super::Undecided).
/// * `values` has the decoders of other values than objects, by the kind of the JSON value.
macro_rules! union_codec {
    (
        $(#[$cfg:meta])*
        $type:ident = $name:literal, $simplest:ident $(($vacant:expr))?;
        $(null { $($(#[$null_when:meta])* $null:ident;)* })?
        variants { $($(#[$when:meta])* $variant:ident $(($from:ident $content:ty))?;)* }
        $(only { $only_read:ident $only_hold:ident $only:ident; })?
        $(
            tag $tag:literal {
                $(
                    $(#[$tag_when:meta])*
                    $($value:literal)|+ => $tag_read:ident $tag_hold:ident $tagged:ident;
                )*
            }
            $(absent { $absent_read:ident $absent_hold:ident $absent:ident; })?
            $(required { $tag_required:literal })?
        )?
        $(
            shape [
                $(
                    $(#[$row_when:meta])*
                    $row:literal: [$($required:literal),*] [$($nested:expr),*] [$($texts:expr),*];
                )*
            ] {
                $(
                    $(#[$shape_when:meta])*
                    $shape:literal => $shape_read:ident $shape_hold:ident $shaped:ident;
                )*
            }
        )?
        $(values { $($(#[$kind_when:meta])* $kind:ident $(($argument:ident))? => $decoder:expr;)* })?
    ) => {
        $(#[$cfg])*
        const _: () = {
            $(codec::from_variant! { $(#[$when])* $type $variant $(($from $content))? })*
        };

        $(#[$cfg])*
        impl codec::Vacant for $type {
            const VACANT: Self = Self::$simplest $(($vacant))?;

            fn read_into<'de, D: serde::Deserializer<'de>>(
                place: &mut Self,
                deserializer: D,
            ) -> Result<(), D::Error> {
                codec::read_union_into(place, deserializer)
            }
        }

        $(#[$cfg])*
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                codec::read_union(deserializer)
            }
        }

        $(#[$cfg])*
        impl<'de> codec::FromAny<'de> for $type {
            const NAME: &'static str = $name;

            $($(codec::union_value! { 'de $(#[$kind_when])* $kind $(($argument))? $decoder })*)?

            $(
                fn from_object<A: serde::de::MapAccess<'de>>(
                    members: codec::Members<'de, A>,
                ) -> Result<Self, A::Error> {
                    members.$only_read().map(|value| Self::$only(codec::hold::$only_hold(value)))
                }
            )?
            $(
                fn from_object<A: serde::de::MapAccess<'de>>(
                    members: codec::Members<'de, A>,
                ) -> Result<Self, A::Error> {
                    match codec::find_tag(members, $tag)? {
                        codec::Tagged::Found(tag, members) => match tag.as_str() {
                            $(
                                $(#[$tag_when])*
                                $($value)|+ => members
                                    .$tag_read()
                                    .map(|value| Self::$tagged(codec::hold::$tag_hold(value))),
                            )*
                            other => Err(codec::unknown_tag($name, $tag, other)),
                        },
                        codec::Tagged::Later(text) => codec::from_text(&text),
                        $(
                            codec::Tagged::Missing(members) => members
                                .$absent_read()
                                .map(|value| Self::$absent(codec::hold::$absent_hold(value))),
                            codec::Tagged::Absent(text) => codec::from_text(&text).map(Self::$absent),
                        )?
                        $(
                            codec::Tagged::Missing(_) | codec::Tagged::Absent(_) => {
                                Err(codec::missing_tag($tag_required))
                            }
                        )?
                    }
                }
            )?
            $(
                fn from_object<A: serde::de::MapAccess<'de>>(
                    members: codec::Members<'de, A>,
                ) -> Result<Self, A::Error> {
                    const CANDIDATES: &codec::Candidates = &codec::Candidates::new(&[$(
                        $(#[$row_when])*
                        codec::Candidate {
                            name: $row,
                            required: &[$($required),*],
                            nested: &[$($nested),*],
                            texts: &[$($texts),*],
                        }
                    ),*]);
                    codec::read_shape(members, $name, CANDIDATES, |name, object| match name {
                        $(
                            $(#[$shape_when])*
                            $shape => object
                                .$shape_read()
                                .map(|value| Self::$shaped(codec::hold::$shape_hold(value))),
                        )*
                        other => Err(codec::unknown_variant(other)),
                    })
                }
            )?
        }

        $(#[$cfg])*
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $($($(#[$null_when])* Self::$null => serializer.serialize_unit(),)*)?
                    $($(#[$when])* Self::$variant(value) => value.serialize(serializer),)*
                }
            }
        }
    };
}

/// Implements the conversion of a variant's content to its union, if the content tells the variant.
macro_rules! from_variant {
    ($(#[$when:meta])* $type:ident $variant:ident) => {};
    ($(#[$when:meta])* $type:ident $variant:ident ($hold:ident $content:ty)) => {
        $(#[$when])*
        impl From<$content> for $type {
            fn from(value: $content) -> Self {
                Self::$variant(codec::hold::$hold(value))
            }
        }
    };
}

/// Implements the decoder of one kind of JSON value for a union.
macro_rules! union_value {
    ($de:lifetime $(#[$when:meta])* null $decoder:expr) => {
        $(#[$when])*
        fn from_null<E: serde::de::Error>() -> Result<Self, E> {
            $decoder
        }
    };
    ($de:lifetime $(#[$when:meta])* bool($value:ident) $decoder:expr) => {
        $(#[$when])*
        fn from_bool<E: serde::de::Error>($value: bool) -> Result<Self, E> {
            $decoder
        }
    };
    ($de:lifetime $(#[$when:meta])* number($value:ident) $decoder:expr) => {
        $(#[$when])*
        fn from_number<E: serde::de::Error>($value: codec::Number) -> Result<Self, E> {
            $decoder
        }
    };
    ($de:lifetime $(#[$when:meta])* string($value:ident) $decoder:expr) => {
        $(#[$when])*
        fn from_string<E: serde::de::Error>($value: String) -> Result<Self, E> {
            $decoder
        }
    };
    ($de:lifetime $(#[$when:meta])* array($items:ident) $decoder:expr) => {
        $(#[$when])*
        fn from_array<A: serde::de::SeqAccess<$de>>($items: A) -> Result<Self, A::Error> {
            $decoder
        }
    };
}

pub(crate) use {
    default_codec, from_variant, object_codec, setter, text_codec, union_codec, union_value,
};
