//! The macros for unions.

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
///   conversion from its content, where `how` is a function of [`hold`](super::super::hold).
/// * `merged` names a struct with the members of all variants, for which there is a
///   [`merged_codec`](super::merged_codec).
/// * Then follows how objects are decoded: as `only` one variant, by a `tag`, or by their `shape`:
///   a list of candidates with the fields of [`Candidate`](super::super::Candidate), and how each of
///   them is decoded. `all` has the members that all candidates require. `object`, `union` and `map` are methods
///   of [`Members`](super::super::Members) and [`Undecided`](super::super::Undecided).
/// * `values` has the decoders of other values than objects, by the kind of the JSON value.
macro_rules! union_codec {
    (
        $(#[$cfg:meta])*
        $type:ident = $name:literal, $simplest:ident $(($vacant:expr))?;
        $(null { $($(#[$null_when:meta])* $null:ident;)* })?
        variants { $($(#[$when:meta])* $variant:ident $(($from:ident $content:ty))?;)* }
        $(merged $merged:ident;)?
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
            shape $(all [$($shared:literal),*])? [
                $(
                    $(#[$row_when:meta])*
                    $row:literal: [$($required:literal),*] [$($nested:expr),*] [$($texts:expr),*]
                    $(when [$($hinted:literal),*])? $(owns [$($owned:literal),*])? $(unless [$($unless:literal),*])?;
                )*
            ] {
                $(
                    $(#[$shape_when:meta])*
                    $shape:literal => $shape_read:ident $shape_hold:ident $shaped:ident
                    $(> $inner:ident $inner_hold:ident $inner_shaped:ident)*;
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

            $(
                fn decode_known<V: serde::de::VariantAccess<'de>>(
                    place: &mut Self,
                    text: &'de str,
                    content: V,
                ) -> Result<(), V::Error> {
                    codec::read_merged::<$merged<'de>, V>(place, text, content)
                }
            )?
            $($(codec::union_value! { 'de $(#[$kind_when])* $kind $(($argument))? $decoder })*)?

            $(
                fn decode_members<A: serde::de::MapAccess<'de>>(
                    place: &mut Self,
                    members: &mut codec::Members<'de, A>,
                ) -> Result<(), A::Error> {
                    codec::read_variant!(place, members $only_read Self $only_hold $only)
                }
            )?
            $(
                fn decode_members<A: serde::de::MapAccess<'de>>(
                    place: &mut Self,
                    members: &mut codec::Members<'de, A>,
                ) -> Result<(), A::Error> {
                    match codec::find_tag(members, $tag)? {
                        codec::Tagged::Found(tag) => match tag.as_str() {
                            $(
                                $(#[$tag_when])*
                                $($value)|+ => {
                                    codec::read_variant!(place, members $tag_read Self $tag_hold $tagged)
                                }
                            )*
                            other => Err(codec::unknown_tag($name, $tag, other)),
                        },
                        codec::Tagged::Later(text) => {
                            *place = codec::from_text(&text)?;
                            Ok(())
                        }
                        $(
                            codec::Tagged::Missing => {
                                codec::read_variant!(
                                    place, members $absent_read Self $absent_hold $absent
                                )
                            }
                            codec::Tagged::Absent(text) => {
                                let content = codec::from_text(&text)?;
                                *place = Self::$absent(codec::hold::$absent_hold(content));
                                Ok(())
                            }
                        )?
                        $(
                            codec::Tagged::Missing | codec::Tagged::Absent(_) => {
                                Err(codec::missing_tag($tag_required))
                            }
                        )?
                    }
                }
            )?
            $(
                fn decode_members<A: serde::de::MapAccess<'de>>(
                    place: &mut Self,
                    members: &mut codec::Members<'de, A>,
                ) -> Result<(), A::Error> {
                    const CANDIDATES: &codec::Candidates = &codec::Candidates::new(&[$($($shared),*)?], &[$(
                        $(#[$row_when])*
                        codec::Candidate {
                            name: $row,
                            required: &[$($required),*],
                            nested: &[$($nested),*],
                            texts: &[$($texts),*],
                            when: &[$($($hinted),*)?],
                            owned: &[$($($owned),*)?],
                            unless: &[$($($unless),*)?],
                        }
                    ),*], &[$(
                        $(#[$shape_when])*
                        ($shape, stringify!($shape_read))
                    ),*]);
                    codec::read_shape(place, members, $name, CANDIDATES, |place, name, object| {
                        match name {
                            $(
                                $(#[$shape_when])*
                                $shape => {
                                    codec::read_variant!(
                                        place, object $shape_read
                                        Self $shape_hold $shaped
                                        $(> $inner $inner_hold $inner_shaped)*
                                    )
                                }
                            )*
                            other => Err(codec::unknown_variant(other)),
                        }
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

/// Decodes the members of an object as the content of a variant, in place. `A hold Variant > B hold
/// Inner` stands for a variant of `A` that contains a union `B`, of which the variant is known, too.
macro_rules! read_variant {
    (
        $place:ident, $members:ident $read:ident $union:ident $hold:ident $variant:ident
        $(> $inner:ident $inner_hold:ident $inner_variant:ident)*
    ) => {{
        *$place = $union::$variant(codec::hold::$hold(codec::Vacant::VACANT));
        match $place {
            $union::$variant(content) => codec::read_content!(
                codec::hold::place!($hold content), $members $read
                $(> $inner $inner_hold $inner_variant)*
            ),
            #[allow(unreachable_patterns, reason = "a union may have only one variant")]
            _ => Err(codec::unknown_variant(stringify!($variant))),
        }
    }};
}

/// Decodes the members of an object as the content of a variant whose place is known.
macro_rules! read_content {
    ($place:expr, $members:ident $read:ident) => {
        $members.$read($place)
    };
    (
        $place:expr, $members:ident $read:ident > $union:ident $hold:ident $variant:ident
        $(> $inner:ident $inner_hold:ident $inner_variant:ident)*
    ) => {{
        let place: &mut $union = $place;
        codec::read_variant!(
            place, $members $read $union $hold $variant
            $(> $inner $inner_hold $inner_variant)*
        )
    }};
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

pub(crate) use {from_variant, read_content, read_variant, union_codec, union_value};
