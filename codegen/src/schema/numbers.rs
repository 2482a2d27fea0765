//! Integers that are written with a fraction or an exponent.

use serde_json::{Map, Value};

use super::exact::ExactNumbers;
use super::keyword::{Holds, holds};

/// Writes the integers among the counts and bounds of a schema without a fraction: `2.0` is `2`. A
/// count that is too large for a list or a text in memory becomes the largest one.
pub(super) fn make_whole(members: &mut Map<String, Value>, exact: &ExactNumbers) {
    for (keyword, value) in members {
        let is_count = match holds(keyword) {
            Holds::Count => true,
            Holds::Number | Holds::PositiveNumber | Holds::NumberOrFlag => false,
            _ => continue,
        };
        let Some(number) = value.as_f64().filter(|number| number.fract() == 0.0) else {
            continue;
        };
        let is_exact = |number| is_count || !exact.has(number);
        if value.is_f64()
            && value.as_number().is_some_and(is_exact)
            && let Some(whole) = whole(number, is_count)
        {
            *value = whole;
        }
    }
}

fn whole(number: f64, is_count: bool) -> Option<Value> {
    let text = format!("{number:.0}");
    if is_count {
        return Some(text.parse().unwrap_or(u64::MAX).into());
    }
    text.parse::<i64>().ok().map(Value::from)
}
