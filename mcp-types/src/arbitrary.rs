//! Building blocks for the generated `proptest` strategies.

mod fields;
mod maybe;

pub(crate) use self::fields::{field, object};
pub(crate) use self::maybe::maybe;

use crate::base64::Base64Text;
use crate::codec::{Declared, Empty, Extra};
use crate::cursor::Cursor;
use crate::id::{ProgressToken, RequestId};
use crate::json::{Map, Number, Object, Value};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Arbitrary, BoxedStrategy, Just, Strategy, any, prop_oneof};
use proptest::sample::select;
use std::cell::Cell;
use std::fmt::Debug;
use std::ops::RangeInclusive;

thread_local! {
    /// The strategy that [`text`] returns. It is built once for each thread, because parsing its
    /// patterns takes long.
    static TEXT: BoxedStrategy<String> = prop_oneof![
        4 => "[a-z]{0,8}",
        1 => "\\PC{0,6}",
        1 => any::<String>().prop_map(|text| text.chars().take(12).collect()),
        1 => Just(String::new()),
        1 => Just("line\n\"quoted\" \\ \u{0} \u{1f600} \u{2028}".to_owned()),
    ]
    .boxed();

    /// The strategy that [`value`] returns.
    static VALUE: BoxedStrategy<Value> = any_value();
}

/// Returns a strategy for strings: short, empty, with escapes, and beyond ASCII.
pub(crate) fn text() -> BoxedStrategy<String> {
    TEXT.with(Clone::clone)
}

pub(crate) fn base64() -> BoxedStrategy<Base64Text> {
    vec(any::<u8>(), 0..12).prop_map(Base64Text::encode).boxed()
}

/// Returns a strategy for integers within bounds. Small ones are more frequent.
pub(crate) fn int(range: RangeInclusive<i64>) -> BoxedStrategy<i64> {
    let (low, high) = (*range.start(), *range.end());
    let near = low.max(-3).min(high)..=high.min(1000).max(low);
    prop_oneof![3 => near, 1 => range, 1 => Just(low), 1 => Just(high)].boxed()
}

/// Returns a strategy for numbers within bounds, written as integers and as floats.
pub(crate) fn number(range: RangeInclusive<f64>) -> BoxedStrategy<Number> {
    let inside = range.clone();
    let float = prop_oneof![any::<f64>(), range, 0.0..1.0_f64];
    let float = float.prop_filter_map("a number within the bounds", move |value| {
        Number::from_f64(value).filter(|_| inside.contains(&value))
    });
    prop_oneof![3 => float, 1 => Just(Number::from(0)), 1 => Just(Number::from(1))].boxed()
}

fn any_number() -> BoxedStrategy<Number> {
    prop_oneof![
        any::<i64>().prop_map(Number::from),
        any::<u64>().prop_map(Number::from),
        any::<f64>().prop_filter_map("a finite number", Number::from_f64),
        (-100..100_i32).prop_map(Number::from),
    ]
    .boxed()
}

/// Returns a strategy for any JSON value.
pub(crate) fn value() -> BoxedStrategy<Value> {
    VALUE.with(Clone::clone)
}

fn any_value() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any_number().prop_map(Value::Number),
        text().prop_map(Value::String),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::Array),
            vec((text(), inner), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
    .boxed()
}

/// Returns a strategy for objects whose members have one type.
pub(crate) fn map<V: Debug + 'static>(
    inner: impl Strategy<Value = V> + 'static,
) -> BoxedStrategy<Map<V>> {
    vec((text(), inner), 0..3)
        .prop_map(|members| members.into_iter().collect())
        .boxed()
}

pub(crate) fn list<V: Debug + 'static>(
    inner: impl Strategy<Value = V> + 'static,
    length: RangeInclusive<usize>,
) -> BoxedStrategy<Vec<V>> {
    vec(inner, length).boxed()
}

/// The number of recursive values inside one another.
const DEEPEST: usize = 2;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Returns a strategy for a value that may contain another one of the type to which it belongs, or
/// `otherwise` where this would be too deep.
#[allow(dead_code, reason = "used only if the schema has recursive types")]
pub(crate) fn deeper<V: Debug>(
    all: impl FnOnce() -> BoxedStrategy<V>,
    otherwise: impl FnOnce() -> BoxedStrategy<V>,
) -> BoxedStrategy<V> {
    let depth = DEPTH.get();
    if depth == DEEPEST {
        return otherwise();
    }
    DEPTH.set(depth + 1);
    let strategy = all();
    DEPTH.set(depth);
    strategy
}

/// Returns a strategy for members with names that the type does not declare.
pub(crate) fn extra(declared: &'static [Declared]) -> BoxedStrategy<Extra> {
    let name = prop_oneof![text(), Just("x-extra".to_owned())];
    let name = name.prop_filter("an undeclared name", |name| {
        declared.iter().all(|member| member.name != name)
    });
    let members = vec((name, value()), 1..3);
    option::weighted(0.2, members)
        .prop_map(|members| {
            members
                .unwrap_or_default()
                .into_iter()
                .collect::<Object>()
                .into()
        })
        .boxed()
}

pub(crate) fn closed_text<T: crate::codec::FromText + Clone + Debug + 'static>(
    values: &'static [&'static str],
) -> BoxedStrategy<T> {
    select(values)
        .prop_filter_map("a known value", |text| T::from_text(text))
        .boxed()
}

pub(crate) fn open_text(values: &'static [&'static str]) -> BoxedStrategy<String> {
    prop_oneof![3 => select(values).prop_map(str::to_owned), 1 => text()].boxed()
}

pub(crate) fn one_of<T: Debug + 'static>(
    variants: impl IntoIterator<Item = BoxedStrategy<T>>,
) -> BoxedStrategy<T> {
    proptest::strategy::Union::new(variants).boxed()
}

/// A type of a member, and the strategy for its values if the schema does not restrict them.
pub(crate) trait Draw: Debug + Sized + 'static {
    fn draw() -> BoxedStrategy<Self>;
}

/// Returns the strategy for the values of a type.
pub(crate) fn draw<T: Draw>() -> BoxedStrategy<T> {
    T::draw()
}

/// Returns a strategy for a variant of a union.
pub(crate) fn variant<T: Draw, U: Debug + 'static>(make: fn(T) -> U) -> BoxedStrategy<U> {
    T::draw().prop_map(make).boxed()
}

impl<T: Draw> Draw for Option<T> {
    fn draw() -> BoxedStrategy<Self> {
        maybe(T::draw())
    }
}

impl<T: Draw> Draw for Box<T> {
    fn draw() -> BoxedStrategy<Self> {
        T::draw().prop_map(Box::new).boxed()
    }
}

impl<T: Draw> Draw for Vec<T> {
    fn draw() -> BoxedStrategy<Self> {
        list(T::draw(), 0..=3)
    }
}

impl<T: Draw> Draw for Map<T> {
    fn draw() -> BoxedStrategy<Self> {
        map(T::draw())
    }
}

/// Implements [`Draw`] for types that are written by hand.
macro_rules! draw {
    ($($type:ty => $strategy:expr;)*) => {$(
        impl Draw for $type {
            fn draw() -> BoxedStrategy<Self> {
                $strategy
            }
        }
    )*};
}

draw! {
    bool => any::<bool>().boxed();
    i64 => int(i64::MIN..=i64::MAX);
    String => text();
    Value => any::<Self>();
    Number => any::<Self>();
    Base64Text => any::<Self>();
    Empty => any::<Self>();
    Cursor => any::<Self>();
    RequestId => any::<Self>();
    ProgressToken => any::<Self>();
}

/// Implements `Arbitrary` for a generated type.
macro_rules! strategy {
    ($(#[$cfg:meta])* $type:ident => $strategy:expr) => {
        $(#[$cfg])*
        const _: () = {
            impl proptest::arbitrary::Arbitrary for $type {
                type Parameters = ();
                type Strategy = proptest::strategy::BoxedStrategy<Self>;

                fn arbitrary_with((): ()) -> Self::Strategy {
                    $strategy
                }
            }

            impl arbitrary::Draw for $type {
                fn draw() -> proptest::strategy::BoxedStrategy<Self> {
                    proptest::arbitrary::any::<Self>()
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
            $($(#[$when:meta])* $field:ident $(in $strategy:expr)?),* $(,)?
        }
        $(+ $extra:ident)?
    ) => {
        arbitrary::strategy! { $(#[$cfg])* $type => {
            arbitrary::object(|| <$type as codec::Vacant>::VACANT, vec![
                $(
                    $(#[$when])*
                    arbitrary::field(
                        arbitrary::strategy_or_draw!($($strategy)?),
                        |it: &$type| &it.$field,
                        |it, drawn| drawn.assign(&mut it.$field),
                    ),
                )*
                $(
                    arbitrary::field(
                        arbitrary::extra(<$type as codec::FromMembers>::MEMBERS),
                        |it: &$type| &it.$extra,
                        |it, drawn| drawn.assign(&mut it.$extra),
                    ),
                )?
            ])
        } }
    };
}

/// Implements the strategy of a union from the list of its variants. A variant has the strategy of
/// its content, or the one behind `in`.
macro_rules! union_strategy {
    (
        $(#[$cfg:meta])*
        $type:ident { $($(#[$when:meta])* $variant:ident $(in $strategy:expr)?),* $(,)? }
    ) => {
        arbitrary::strategy! { $(#[$cfg])* $type => {
            arbitrary::one_of([
                $($(#[$when])* arbitrary::strategy_or_variant!($type $variant $($strategy)?)),*
            ])
        } }
    };
}

/// Implements the strategy of a string enumeration.
macro_rules! text_strategy {
    ($(#[$cfg:meta])* $type:ident closed) => {
        arbitrary::strategy! { $(#[$cfg])* $type =>
            arbitrary::closed_text(<$type as codec::FromText>::VALUES)
        }
    };
    ($(#[$cfg:meta])* $type:ident open) => {
        arbitrary::strategy! { $(#[$cfg])* $type => {
            let text = arbitrary::open_text(<$type as codec::FromText>::VALUES);
            proptest::strategy::Strategy::boxed(
                proptest::strategy::Strategy::prop_map(text, $type::from),
            )
        } }
    };
}

macro_rules! strategy_or_draw {
    () => {
        arbitrary::draw()
    };
    ($strategy:expr) => {
        $strategy
    };
}

macro_rules! strategy_or_variant {
    ($type:ident $variant:ident) => {
        arbitrary::variant($type::$variant)
    };
    ($type:ident $variant:ident $strategy:expr) => {
        $strategy
    };
}

pub(crate) use {
    object_strategy, strategy, strategy_or_draw, strategy_or_variant, text_strategy, union_strategy,
};

macro_rules! arbitrary {
    ($($type:ty => $strategy:expr;)*) => {$(
        impl Arbitrary for $type {
            type Parameters = ();
            type Strategy = BoxedStrategy<Self>;

            fn arbitrary_with((): ()) -> Self::Strategy {
                ($strategy).boxed()
            }
        }
    )*};
}

arbitrary! {
    Value => value();
    Number => any_number();
    Base64Text => base64();
    Empty => Just(Empty);
    Cursor => text().prop_map(Cursor::from);
    RequestId => prop_oneof![
        any::<i64>().prop_map(RequestId::from),
        text().prop_map(RequestId::from),
    ];
    ProgressToken => prop_oneof![
        any::<i64>().prop_map(ProgressToken::from),
        text().prop_map(ProgressToken::from),
    ];
}

impl<V: Arbitrary + 'static> Arbitrary for Map<V> {
    type Parameters = ();
    type Strategy = BoxedStrategy<Self>;

    fn arbitrary_with((): ()) -> Self::Strategy {
        map(any::<V>())
    }
}
