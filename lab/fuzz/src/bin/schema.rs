//! The cost of JSON Schemas and of values: every schema has a cost or is rejected, and a value
//! never costs less than a part of it. The first line is a schema, the second a value.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use mcp_guard::schema_cost::{self, Extent};
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let mut lines = bytes.splitn(2, |byte| *byte == b'\n');
    let mut line = || serde_json::from_slice::<Value>(lines.next().unwrap_or_default());
    let (Ok(schema), value) = (line(), line().unwrap_or_default()) else {
        return Corpus::Reject;
    };
    let Ok(cost) = schema_cost::of(&schema) else {
        return Corpus::Keep;
    };
    let part = Extent::of_json(&value);
    let whole = Extent::of_json(&Value::from(vec![value.clone(), value]));
    assert!(cost.admits(&part) || !cost.admits(&whole));
    assert!(cost.is_quick(&part) || !cost.is_quick(&whole));
    assert!(cost.explains(&part) || !cost.explains(&whole));
    Corpus::Keep
});
