//! Strategies for strings, numbers and other values without parts.

use super::depth::remembered;
use super::part::{Draw, Part, Values};
use crate::base64::Base64Text;
use crate::codec::{Empty, Extra, Null, Table};
use crate::cursor::Cursor;
use crate::id::{ProgressToken, RequestId};
use crate::json::{Map, Number, Object, Value};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Arbitrary, BoxedStrategy, Just, Strategy, any, prop_oneof};
use proptest::sample::select;
use std::fmt::Debug;
use std::ops::RangeInclusive;

/// Implements the strategy for values that have no parts.
macro_rules! whole {
    ($($type:ty => $strategy:expr;)*) => {$(
        impl Draw for $type {
            fn values() -> Values<Self> {
                remembered(|| whole($strategy.boxed()))
            }

            fn from_part(part: Part) -> Self {
                part.into_whole()
            }
        }
    )*};
}

/// Implements `Arbitrary` for types that are written by hand.
macro_rules! arbitrary {
    ($($type:ty),*) => {$(
        impl Arbitrary for $type {
            type Parameters = ();
            type Strategy = Values<Self>;

            fn arbitrary_with((): ()) -> Self::Strategy {
                <Self as Draw>::values()
            }
        }
    )*};
}

whole! {
    bool => any::<bool>();
    i64 => integers(i64::MIN..=i64::MAX);
    String => strings();
    Value => trees();
    Number => numbers();
    Base64Text => vec(any::<u8>(), 0..12).prop_map(Base64Text::encode);
    Empty => Just(Empty);
    Null => Just(Null);
    Cursor => strings().prop_map(Cursor::from);
    RequestId => prop_oneof![
        any::<i64>().prop_map(RequestId::from),
        strings().prop_map(RequestId::from),
    ];
    ProgressToken => prop_oneof![
        any::<i64>().prop_map(ProgressToken::from),
        strings().prop_map(ProgressToken::from),
    ];
}

arbitrary! { Value, Number, Base64Text, Empty, Null, Cursor, RequestId, ProgressToken }

impl<T: Draw> Arbitrary for Map<T> {
    type Parameters = ();
    type Strategy = Values<Self>;

    fn arbitrary_with((): ()) -> Self::Strategy {
        <Self as Draw>::values()
    }
}

fn whole<T: Debug + 'static>(values: BoxedStrategy<T>) -> BoxedStrategy<Part> {
    values.prop_map(Part::whole).boxed()
}

thread_local! {
    /// The strategy that [`strings`] returns. It is built once for each thread, because parsing its
    /// patterns takes long.
    static STRINGS: BoxedStrategy<String> = prop_oneof![
        4 => "[a-z]{0,8}",
        1 => "\\PC{0,6}",
        1 => any::<String>().prop_map(|text| text.chars().take(12).collect()),
        1 => Just(String::new()),
        1 => Just("line\n\"quoted\" \\ \u{0} \u{1f600} \u{2028}".to_owned()),
    ]
    .boxed();

    /// The strategy that [`trees`] returns.
    static TREES: BoxedStrategy<Value> = new_trees();
}

/// Returns a strategy for strings: short, empty, with escapes, and beyond ASCII.
pub(super) fn strings() -> BoxedStrategy<String> {
    STRINGS.with(Clone::clone)
}

/// Returns a strategy for any JSON value.
fn trees() -> BoxedStrategy<Value> {
    TREES.with(Clone::clone)
}

fn new_trees() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        numbers().prop_map(Value::Number),
        strings().prop_map(Value::String),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::Array),
            vec((strings(), inner), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
    .boxed()
}

/// Panics if no value is in a range. The strategies of `proptest` would fail without naming it.
#[track_caller]
pub(super) fn expect_values<T: PartialOrd + Debug>(kind: &str, range: &RangeInclusive<T>) {
    assert!(
        !range.is_empty(),
        "no {kind} is within the bounds {range:?}"
    );
}

/// Returns a strategy for integers within bounds. Small ones are more frequent.
///
/// # Panics
///
/// Panics if the range is empty.
#[must_use]
#[track_caller]
pub fn int(range: RangeInclusive<i64>) -> Values<i64> {
    expect_values("integer", &range);
    Values::new(whole(integers(range)))
}

fn integers(range: RangeInclusive<i64>) -> BoxedStrategy<i64> {
    let (low, high) = (*range.start(), *range.end());
    let near = low.max(-3).min(high)..=high.min(1000).max(low);
    prop_oneof![3 => near, 1 => range, 1 => Just(low), 1 => Just(high)].boxed()
}

/// Returns a strategy for numbers within bounds, written as integers and as floats.
///
/// # Panics
///
/// Panics if the range is empty.
#[must_use]
#[track_caller]
pub fn number(range: RangeInclusive<f64>) -> Values<Number> {
    expect_values("number", &range);
    let inside = range.clone();
    let float = prop_oneof![any::<f64>(), range, 0.0..1.0_f64];
    let float = float.prop_filter_map("a number within the bounds", move |value| {
        Number::from_f64(value).filter(|_| inside.contains(&value))
    });
    let numbers = prop_oneof![3 => float, 1 => Just(Number::from(0)), 1 => Just(Number::from(1))];
    Values::new(whole(numbers.boxed()))
}

fn numbers() -> BoxedStrategy<Number> {
    prop_oneof![
        any::<i64>().prop_map(Number::from),
        any::<u64>().prop_map(Number::from),
        any::<f64>().prop_filter_map("a finite number", Number::from_f64),
        (-100..100_i32).prop_map(Number::from),
    ]
    .boxed()
}

/// Returns a strategy for members with names that the type does not declare.
pub fn extra(declared: &'static Table) -> BoxedStrategy<Part> {
    let name = prop_oneof![strings(), Just("x-extra".to_owned())];
    let name = name.prop_filter("an undeclared name", |name| {
        !declared.names.contains(&name.as_str())
    });
    let members = option::weighted(0.2, vec((name, trees()), 1..3));
    let extra = members.prop_map(|members| {
        let members = members.unwrap_or_default().into_iter();
        Extra::from(members.collect::<Object>())
    });
    whole(extra.boxed())
}

/// Returns a strategy for the known strings of an enumeration.
pub fn closed_text(known: &'static [&'static str]) -> BoxedStrategy<Part> {
    whole(select(known).prop_map(str::to_owned).boxed())
}

/// Returns a strategy for any string, most often one of the known strings of an enumeration.
pub fn open_text(known: &'static [&'static str]) -> BoxedStrategy<Part> {
    let known = select(known).prop_map(str::to_owned);
    whole(prop_oneof![3 => known, 1 => strings()].boxed())
}
