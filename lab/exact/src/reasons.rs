//! Why mcp-types deviates from the published schema.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::Value;

use crate::candidates::Candidate;
use crate::cases::Case;
use crate::judge::{self, Judge};

const NULL: &str = "`null` is accepted for an optional member, as if it were absent";
const SIZES: &str = "`Icon.sizes` is accepted as one string of words";

/// Prints how many cases have each reason. Returns `true` if all have one.
pub(crate) fn print(ours: &Candidate, cases: &[Case], judge: &Judge) -> Result<bool> {
    // How many values are refused, and accepted.
    let mut reasons: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let mut all_known = true;
    for case in cases.iter().filter(|case| ours.has(&case.of)) {
        let is_accepted = ours.decode(case)?.is_some();
        if is_accepted == case.published {
            continue;
        }
        let reason = reason(case, is_accepted, judge)?;
        if reason.is_none() {
            all_known = false;
            eprintln!("no reason for {} {}", case.of, case.text);
        }
        let reason = reason.unwrap_or_else(|| "no known reason".to_owned());
        reasons.entry(reason).or_default()[usize::from(is_accepted)] += 1;
    }
    println!("| why mcp-types deviates | valid refused | invalid accepted |");
    println!("| --- | --- | --- |");
    for (reason, [refused, accepted]) in reasons {
        println!("| {reason} | {refused} | {accepted} |");
    }
    Ok(all_known)
}

fn reason(case: &Case, is_accepted: bool, judge: &Judge) -> Result<Option<String>> {
    for (name, validators) in &judge.errata {
        if judge::is_valid(validators, &case.of, &case.value)? == is_accepted {
            return Ok(Some(format!("correction `{name}`")));
        }
    }
    for (reason, change) in [(NULL, without_null as fn(&mut Value)), (SIZES, with_list)] {
        let mut value = case.value.clone();
        change(&mut value);
        if judge.is_corrected(&case.of, &value)? == is_accepted {
            return Ok(Some(reason.to_owned()));
        }
    }
    Ok(None)
}

/// Removes members that are `null`.
fn without_null(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, value| !value.is_null());
            members.values_mut().for_each(without_null);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        _ => {}
    }
}

/// Makes a list of the sizes of icons.
fn with_list(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if let Some(sizes) = members.get_mut("sizes").filter(|sizes| sizes.is_string()) {
                *sizes = Value::Array(Vec::new());
            }
            members.values_mut().for_each(with_list);
        }
        Value::Array(items) => items.iter_mut().for_each(with_list),
        _ => {}
    }
}
