//! Building blocks for the generated `proptest` strategies.

use crate::base64::Base64Text;
use crate::codec::{Empty, Extra};
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

/// Returns a strategy for strings: short, empty, with escapes, and beyond ASCII.
pub(crate) fn text() -> BoxedStrategy<String> {
    prop_oneof![
        4 => "[a-z]{0,8}",
        1 => "\\PC{0,6}",
        1 => any::<String>().prop_map(|text| text.chars().take(12).collect()),
        1 => Just(String::new()),
        1 => Just("line\n\"quoted\" \\ \u{0} \u{1f600} \u{2028}".to_owned()),
    ]
    .boxed()
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

/// Returns a strategy for any JSON object.
pub(crate) fn object() -> BoxedStrategy<Object> {
    vec((text(), value()), 0..3)
        .prop_map(|members| members.into_iter().collect())
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

pub(crate) fn maybe<V: Debug + 'static>(
    inner: impl Strategy<Value = V> + 'static,
) -> BoxedStrategy<Option<V>> {
    option::weighted(0.3, inner).boxed()
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
pub(crate) fn extra(known: &'static [&'static str]) -> BoxedStrategy<Extra> {
    let name = prop_oneof![text(), Just("x-extra".to_owned())];
    let name = name.prop_filter("an undeclared name", |name| !known.contains(&name.as_str()));
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

/// Adds a strategy for one more field to a strategy for a struct.
pub(crate) fn with<T: Debug + 'static, V: Debug + 'static>(
    all: BoxedStrategy<T>,
    field: impl Strategy<Value = V> + 'static,
    set: fn(&mut T, V),
) -> BoxedStrategy<T> {
    (all, field)
        .prop_map(move |(mut it, value)| {
            set(&mut it, value);
            it
        })
        .boxed()
}

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
