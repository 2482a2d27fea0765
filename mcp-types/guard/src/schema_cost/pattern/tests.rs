use super::*;

/// Patterns that common schema libraries write, all of them linear.
const LINEAR: [&str; 6] = [
    r"^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$",
    r"^(?=.*[A-Z])(?=.*\d).{8,}$",
    r"^(?=.{1,253}\.?$)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[-0-9a-zA-Z]{0,61}[0-9a-zA-Z])?)*\.?$",
    r"^[0-9a-fA-F]{8}\b-[0-9a-fA-F]{4}\b-[0-9a-fA-F]{12}$",
    r"^\p{L}[\p{L}\p{N} '-]*$",
    r"^.{1,255}$",
];

#[test]
fn usual_pattern_is_linear() {
    for pattern in LINEAR {
        let cost = Pattern::of(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        assert!(!cost.backtracks, "{pattern}");
    }
}

#[test]
fn lookaround_behind_other_parts_backtracks() {
    for pattern in [
        r"^(?!-)(?:[A-Za-z0-9-]{1,63}(?<!-)\.)+[A-Za-z]{2,}$",
        r"(?!a)b",
        r"^a(?=b)",
        r"^(?:(?!--).)*$",
        r"(a)\1",
        r"^(?:a)(?=.*b)c",
    ] {
        let cost = Pattern::of(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        assert!(cost.backtracks, "{pattern}");
    }
}

#[test]
fn large_automaton_is_rejected() {
    for pattern in [
        r"\pL{200}0",
        r"(a|b)*a(a|b){2000}c",
        r"((((a{20}){20}){20}){20}){20}",
        r"a{99999999999999999999}",
        r"(?:[^a]{30}){30}",
        r"(?:\p{L}\p{N}){8}",
    ] {
        assert!(
            matches!(Pattern::of(pattern), Err(CostError::Costly(_))),
            "{pattern}"
        );
    }
}

#[test]
fn syntax_beyond_ecmascript_is_rejected() {
    for pattern in [
        r"(?=a)(x\g<1>?\g<1>?\g<1>?)",
        r"(?=a)(?<x>x(?&x)?)",
        r"(?P>x)(?P<x>a)",
        "[ab]*+c",
        "a{3}+",
        "a??+",
        "(?>a*)",
        "(?x)a{ 3000 }",
        "a{ 3000 }",
        "a{,450}",
        "(?#[)a{3000}(?#])",
        "(?(1)a|b)",
        "(*FAIL)",
        r"a\Kb",
        r"\Gb",
        r"[\h]",
        "(?i",
    ] {
        assert_eq!(Pattern::of(pattern), Err(BEYOND), "{pattern}");
    }
}

#[test]
fn named_groups_flags_and_code_points_are_counted() {
    let states = |pattern: &str| {
        let cost = Pattern::of(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        cost.states
    };
    assert_eq!(states("(?<year>a)"), states("(a)"));
    assert_eq!(states("(?P<year>a)"), states("(?:a)"));
    assert_eq!(states("(?i:a)"), 2 * states("(a)"));
    assert_eq!(states("(?ms-i)a"), 2 * states("()a"));
    assert_eq!(states("(?s:a)"), states("(a)"));
    assert_eq!(states(r"\u{2028}"), 4);
    assert_eq!(states(r"\x{3000}"), 4);
    assert_eq!(states(r"\u00e9{10}"), 5 * 10);
    assert!(states("a{}") < 5);
    // The second bracket does not open a group for the engine.
    assert!(states("(x{20}[[a](]){20}") > 800);
    assert!(states("(x{20}[](]){20}") > 800);
}

#[test]
fn lookaround_that_is_read_again_for_each_character_is_rejected() {
    for pattern in [
        r"^(?:(?=a*)a)*$",
        r"^(?:(?=[^b]{2,})a){500}$",
        r"^(?=(?=a*)a)",
        r"^(?=(?:(?:x(?=a+))))a",
        r"^(a*)(?:(?=\1)a)*$",
        r"^(?:x|(?:(?!a*b)a))+$",
    ] {
        assert_eq!(Pattern::of(pattern), Err(READS_AGAIN), "{pattern}");
    }
}
