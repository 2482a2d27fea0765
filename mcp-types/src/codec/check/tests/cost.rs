//! Values and schemas that would take much time, or stack, if parts were compared more than once.

use super::*;

static TREE: Checks = &[Check::Any(&[
    &[
        Check::Types(&["array"]),
        Check::Rest(0, &[Check::All(&TREE)]),
    ],
    &[
        Check::Types(&["array"]),
        Check::Rest(0, &[Check::All(&TREE)]),
        Check::Items(1, 9),
    ],
    TEXT,
])];

fn nested(levels: usize, leaf: &str) -> String {
    format!("{}{leaf}{}", "[".repeat(levels), "]".repeat(levels))
}

#[test]
fn alternatives_within_alternatives_are_compared_once() {
    // Each level doubles the number of ways.
    let levels = json::NESTING_LIMIT;
    assert_eq!(check(TREE, &nested(levels, "\"a\"")), Ok(()));
    let error = check(TREE, &nested(levels, "1")).unwrap_err();
    assert!(
        error.starts_with("invalid type: number, expected array (at $[0][0]"),
        "{error}"
    );
}

pub(super) static ENDLESS: Checks = &[Check::All(&ENDLESS)];

/// One of two schemas that refer to each other, so that there is no way to tell whether a value is valid.
static LIAR: Checks = &[Check::Not(&[Check::All(&FRIEND)])];
static FRIEND: Checks = &[Check::Any(&[TEXT, &[Check::All(&LIAR)]])];

#[test]
fn schema_that_refers_to_itself_without_an_end_is_the_reason() {
    for (checks, text) in [
        (ENDLESS, "1"),
        (ENDLESS, "[1]"),
        (LIAR, "1"),
        (FRIEND, "[1]"),
    ] {
        let error = check(checks, text).unwrap_err();
        assert!(error.contains("the schema refers to itself"), "{error}");
    }
}

/// Nine schemas for each level of a value.
static STEEP: Checks = &[
    Check::All(
        &(&[Check::Any(&[&[Check::All(
            &(&[Check::If(
                TEXT,
                &[],
                &[Check::Rest(
                    0,
                    &[Check::All(
                        &(&[Check::One(&[&[Check::All(&STEEP)]])] as Checks),
                    )],
                )],
            )] as Checks),
        )]])] as Checks),
    ),
    Check::Types(&["array", "string"]),
];

#[test]
fn deepest_value_that_is_decoded_can_be_compared() {
    let levels = json::NESTING_LIMIT;
    assert_eq!(check(STEEP, &nested(levels, "")), Ok(()));
    let error = check(STEEP, &nested(levels, "1")).unwrap_err();
    assert!(error.contains("invalid type: number"), "{error}");
}

#[test]
fn long_chain_of_references_takes_no_stack() {
    let mut last: &'static Checks = &TEXT;
    for _ in 0..20_000 {
        let next: Checks = Box::leak(Box::new([Check::All(last)]));
        last = Box::leak(Box::new(next));
    }
    assert_eq!(check(last, "\"a\""), Ok(()));
    assert!(check(last, "[1]").is_err());
}

/// A list of lists of any depth, each of which has checks.
struct Lists(Vec<Lists>);

static LISTS: Checks = &[Check::Unique, Check::Rest(0, &[Check::All(&LISTS)])];

impl Decode for Lists {
    fn vacant() -> Self {
        Self(Vec::new())
    }

    fn decode(&mut self, text: &mut Text<'_>) -> Result<(), DecodeError> {
        checked(text, LISTS, |text| {
            if text.kind() == Some(Kind::Array) {
                self.0 = read(text)?;
                return Ok(());
            }
            read::<Value>(text).map(drop)
        })
    }
}

#[test]
fn values_within_values_with_checks_are_read_once() {
    // Takes minutes if the elements are compared at each level.
    let numbers: Vec<String> = (0..20_000).map(|number| number.to_string()).collect();
    let lists = |last: &str| {
        let list = nested(100, &format!("{},{last}", numbers.join(",")));
        let lists = read::<Lists>(&mut Text::new(&list)).map(|lists| lists.0.len());
        lists.map_err(|error| error.to_string())
    };
    assert_eq!(lists("20000"), Ok(1));
    let error = lists("7e0").unwrap_err();
    assert!(error.contains("equal to element 7,"), "{error}");
    let path = format!("(at ${}[20000])", "[0]".repeat(99));
    assert!(error.ends_with(&path), "{error}");
}

#[test]
fn value_that_cannot_be_read_has_the_error_of_the_decoder() {
    for (text, expected) in [
        ("[[1,[2]],[1,[2,]]]", "expected value"),
        ("[[1],[{\"a\":1,\"a\":1}]]", "duplicate member `a`"),
        ("[[\"\\ud800\"]]", "surrogate"),
    ] {
        let error = read::<Lists>(&mut Text::new(text)).map(|lists| lists.0.len());
        let error = error.unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}
