use super::super::super::error::Rule;
use super::super::super::json;
use super::super::{Decode, Kind, Value, read};
use super::*;

mod cost;

fn check(checks: Checks, text: &str) -> Result<(), String> {
    let mut text = Text::new(text);
    let outcome = checked(&mut text, checks, |text| read::<Value>(text).map(drop));
    outcome.map_err(|error| error.to_string())
}

/// Returns the outcome for each value: whether it is valid.
fn valid(checks: Checks, texts: &[&str]) -> Vec<bool> {
    texts
        .iter()
        .map(|text| check(checks, text).is_ok())
        .collect()
}

const TEXT: Checks = &[Check::Types(&["string"])];
const SMALL: Checks = &[Check::Maximum("3")];

#[test]
fn keyword_accepts_what_fulfils_it_and_values_of_other_kinds() {
    let vowels = Pattern {
        source: "^[aeiou]+$",
        matches: |text| !text.is_empty() && text.chars().all(|c| "aeiou".contains(c)),
    };
    let patterns: &'static [(Pattern, Checks)] = Box::leak(Box::new([(vowels, SMALL)]));
    let known: &'static [Pattern] = Box::leak(Box::new([vowels]));
    let leak = |check: Check| -> Checks { Box::leak(Box::new([check])) };
    for (check, accepted, refused) in [
        (Check::Nothing, &[][..], &["1", "null", "{}"][..]),
        (
            Check::Types(&["integer", "null"]),
            &["1", "1.0", "null"],
            &["1.5", "[]", "\"1\""],
        ),
        (
            Check::Values(&[
                Literal::Number("1e0"),
                Literal::Array(&[Literal::Bool(true), Literal::Null]),
            ]),
            &["1.0", "10e-1", "[true,null]"],
            &["true", "[null,true]", "\"1\"", "{}"],
        ),
        (
            Check::Values(&[Literal::Object(&[
                ("a", Literal::String("b")),
                ("c", Literal::Null),
            ])]),
            &[r#"{"c":null,"a":"b"}"#],
            &[r#"{"a":"b"}"#, r#"{"a":"b","c":null,"d":1}"#],
        ),
        (
            Check::Minimum("2.5"),
            &["2.5", "25e-1", "1e400", "\"a\""],
            &["2.4999999999999999999", "-1e400"],
        ),
        (
            Check::Maximum("9007199254740992"),
            &["9007199254740992"],
            &["9007199254740993"],
        ),
        (Check::Above("0"), &["1e-400"], &["0", "-0.0", "-1"]),
        (Check::Below("0"), &["-1e-400"], &["0", "1"]),
        (Check::MultipleOf("0.01"), &["19.99", "0", "[]"], &["0.001"]),
        (
            Check::Length(1, 2),
            &["\"\u{1f4a9}\u{1f4a9}\"", "[]"],
            &["\"\"", "\"abc\""],
        ),
        (
            Check::Pattern(vowels),
            &["\"aei\"", "1"],
            &["\"abc\"", "\"\""],
        ),
        (
            Check::Items(1, 2),
            &["[1]", "[1,2]", "{}"],
            &["[]", "[1,2,3]"],
        ),
        (
            Check::First(&[TEXT, SMALL]),
            &["[]", "[\"a\"]", "[\"a\",3,9]"],
            &["[1]", "[\"a\",4]"],
        ),
        (Check::Rest(1, TEXT), &["[1]", "[1,\"a\"]"], &["[1,2]"]),
        (
            Check::Contains(1, 2, TEXT),
            &["[1,\"a\"]", "{}"],
            &["[]", "[1]", "[\"a\",\"b\",\"c\"]"],
        ),
        (
            Check::Members(1, 1),
            &[r#"{"a":1}"#, "[]"],
            &["{}", r#"{"a":1,"b":1}"#],
        ),
        (Check::Required(&["a"]), &[r#"{"a":null}"#, "1"], &["{}"]),
        (
            Check::Properties(&[("a", TEXT)]),
            &["{}", r#"{"a":"","b":1}"#],
            &[r#"{"a":1}"#],
        ),
        (
            Check::Matching(patterns),
            &[r#"{"e":3,"f":9}"#],
            &[r#"{"e":4}"#],
        ),
        (
            Check::Others(&["x"], known, TEXT),
            &[r#"{"x":1,"a":1,"y":""}"#],
            &[r#"{"y":1}"#],
        ),
        (
            Check::Names(&[Check::Length(0, 1)]),
            &[r#"{"a":1}"#],
            &[r#"{"ab":1}"#],
        ),
        (
            Check::With("a", &[Check::Required(&["b"])]),
            &["{}", r#"{"a":1,"b":2}"#],
            &[r#"{"a":1}"#],
        ),
        (Check::Any(&[TEXT, SMALL]), &["\"a\"", "1", "null"], &["4"]),
        (Check::One(&[TEXT, SMALL]), &["1"], &["4", "\"a\""]),
        (Check::Not(TEXT), &["1"], &["\"a\""]),
        (
            Check::If(TEXT, &[Check::Length(2, 9)], SMALL),
            &["\"ab\"", "2"],
            &["\"a\"", "4"],
        ),
    ] {
        let accepted: Vec<&&str> = accepted
            .iter()
            .filter(|text| super::tests::check(leak(check), text).is_err())
            .collect();
        assert!(accepted.is_empty(), "{check:?} refuses {accepted:?}");
        let refused: Vec<&&str> = refused
            .iter()
            .filter(|text| super::tests::check(leak(check), text).is_ok())
            .collect();
        assert!(refused.is_empty(), "{check:?} accepts {refused:?}");
    }
}

#[test]
fn error_has_the_path_of_what_is_wrong() {
    const CHECKS: Checks = &[Check::Properties(&[("list", &[Check::Rest(0, TEXT)])])];
    let error = check(CHECKS, r#"{"list":["a",1]}"#).unwrap_err();
    assert!(
        error.contains("list[1]") && error.contains("expected string"),
        "{error}"
    );
}

#[test]
fn parts_that_an_alternative_describes_are_known() {
    const COUSINS: Checks = &[
        Check::All(&(&[Check::Rest(0, TEXT)] as Checks)),
        Check::All(&(&[Check::UnseenItems(&[Check::Nothing])] as Checks)),
    ];
    const CHECKS: Checks = &[
        Check::Any(&[
            &[Check::Properties(&[("a", TEXT)]), Check::Required(&["a"])],
            &[Check::Properties(&[("b", TEXT)])],
        ]),
        Check::UnseenMembers(&[Check::Nothing]),
    ];
    let texts = [
        r#"{"a":""}"#,
        r#"{"a":"","b":""}"#,
        r#"{"b":""}"#,
        r#"{"a":1}"#,
        r#"{"c":""}"#,
    ];
    assert_eq!(valid(CHECKS, &texts), [true, true, true, false, false]);
    // What another schema says of the same value is not known inside.
    assert_eq!(valid(COUSINS, &["[]", "[\"a\"]"]), [true, false]);
}

#[test]
fn equal_elements_are_found_however_they_are_written() {
    for list in [
        r#"[1,"a",1]"#,
        "[1,1.0]",
        "[-0,0.0]",
        "[100,1e2]",
        "[0.10,1e-1]",
        "[12345678901234567890123,12345678901234567890123.0]",
        r#"["a","\u0061"]"#,
        r#"[{"a":1,"b":[2]},{"b":[2.0],"a":1}]"#,
        "[[],[]]",
        "[null,null]",
    ] {
        let error = check(&[Check::Unique], list).unwrap_err();
        assert!(error.contains("equal to element 0"), "{list}: {error}");
    }
    for list in [
        "[]",
        r#"[1,"1",true,null,[1],{"a":1}]"#,
        "[1,10,-1,0.1]",
        "[9007199254740993,9007199254740992]",
        "[1e99999999999999999999,1e99999999999999999998]",
        r#"["a","A",""]"#,
        r#"[{"a":1},{"a":2},{"b":1},{}]"#,
        r#"[["a,1:b"],["a","b"],[["a"],"b"],[["a","b"]]]"#,
        "null",
        r#""aa""#,
    ] {
        assert_eq!(check(&[Check::Unique], list), Ok(()), "{list}");
    }
}

#[test]
fn error_has_a_rule_and_what_it_expects() {
    let pattern: &'static [Check] = Box::leak(Box::new([Check::Pattern(Pattern {
        source: "^a",
        matches: |text| text.starts_with('a'),
    })]));
    for (checks, text, rule, expected) in [
        (&[Check::Nothing] as Checks, "1", Rule::Excluded, &[][..]),
        (
            &[Check::Types(&["null", "array"])],
            "1",
            Rule::Type,
            &["null", "array"],
        ),
        (
            &[Check::Values(&[Literal::Null, Literal::String("a")])],
            "1",
            Rule::Value,
            &["a"],
        ),
        (&[Check::Minimum("2")], "1", Rule::Bound, &["2", "inf"]),
        (&[Check::Maximum("0.5")], "1", Rule::Bound, &["-inf", "0.5"]),
        (&[Check::Above("1")], "1", Rule::Bound, &["1", "inf"]),
        (&[Check::Below("1")], "1", Rule::Bound, &["-inf", "1"]),
        (&[Check::MultipleOf("2")], "1", Rule::Multiple, &["2"]),
        (&[Check::Length(2, 3)], "\"a\"", Rule::Bound, &["2", "3"]),
        (pattern, "\"b\"", Rule::Pattern, &["^a"]),
        (&[Check::Items(2, 3)], "[1]", Rule::Bound, &["2", "3"]),
        (&[Check::Unique], "[1,2,2]", Rule::Unique, &["1"]),
        (
            &[Check::Contains(1, 2, TEXT)],
            "[1]",
            Rule::Bound,
            &["1", "2"],
        ),
        (&[Check::Members(1, 2)], "{}", Rule::Bound, &["1", "2"]),
        (
            &[Check::Required(&["a", "b"])],
            "{\"a\":1}",
            Rule::MissingMember,
            &["b"],
        ),
        (&[Check::Any(&[TEXT, TEXT])], "[]", Rule::Type, &["string"]),
        (&[Check::One(&[SMALL, SMALL])], "1", Rule::Variant, &[]),
        (&[Check::Not(SMALL)], "1", Rule::Excluded, &[]),
        (cost::ENDLESS, "1", Rule::Limit, &[]),
    ] {
        let mut source = Text::new(text);
        let outcome = checked(&mut source, checks, |text| read::<Value>(text).map(drop));
        let error = outcome.unwrap_err();
        assert_eq!(error.rule(), rule, "{checks:?}: {error}");
        assert_eq!(error.expected(), expected, "{checks:?}: {error}");
    }
}
