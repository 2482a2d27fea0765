use regex::Regex;

use super::translate;

/// Returns whether a part of a text matches; `None` if that is not known.
fn matches(pattern: &str, text: &str) -> Option<bool> {
    let translated = translate(pattern)?;
    Some(Regex::new(&translated).unwrap().is_match(text))
}

#[test]
fn pattern_matches_what_ecma_262_says() {
    for (pattern, texts, others) in [
        // The ends of a text, not of a line.
        ("^a$", &["a"][..], &["a\n", "\na", "b\na"][..]),
        ("a$", &["ba"], &["a\n", "a\r\n"]),
        // Any character but line terminators.
        (
            "^.$",
            &["a", "\u{85}", "\u{1f4a9}", "\u{b}"],
            &["\n", "\r", "\u{2028}", "\u{2029}", ""],
        ),
        // ASCII only.
        (r"^\d$", &["0", "9"], &["\u{660}", "\u{ff11}", "a"]),
        (r"^\D$", &["\u{660}", "a"], &["0"]),
        (r"^\w$", &["a", "Z", "0", "_"], &["\u{e9}", "-", "\u{17f}"]),
        (r"^\W$", &["\u{e9}", "-"], &["a", "_"]),
        (r"^[^\W]$", &["a"], &["\u{e9}"]),
        (r"^[\W\d]$", &["\u{e9}", "1"], &["a"]),
        (r"\bb", &["b", "\u{e9}b"], &["ab"]),
        (r"\Bb", &["ab"], &["b", "\u{e9}b", " b"]),
        // White space of Unicode, and the mark of byte order.
        (
            r"^\s$",
            &[
                " ", "\t", "\u{b}", "\u{a0}", "\u{2003}", "\u{2028}", "\u{3000}", "\u{feff}",
            ],
            &["\u{85}", "\u{200b}", "\u{180e}", "a"],
        ),
        (r"^\S$", &["\u{85}", "a"], &["\u{feff}", " "]),
        // Characters that have a meaning only for the crate.
        (r"^[a&&b]$", &["a", "&", "b"], &["c"]),
        (r"^[a~~b]$", &["~", "a"], &["c"]),
        (r"^[!--]$", &["!", "-", "&"], &["."]),
        (r"^[[a]$", &["[", "a"], &["b"]),
        (r"^[\w--]$", &["a", "-"], &["."]),
        (r"^\<$", &["<"], &["", "a"]),
        (r"^a#b c$", &["a#b c"], &["a"]),
        // Escapes.
        (
            r"^\cJ\x41\u0042\u{43}\0\t\v\f\r$",
            &["\nABC\0\t\u{b}\u{c}\r"],
            &["ABC"],
        ),
        (r"^\ud83d\udca9$", &["\u{1f4a9}"], &["\u{1f4a8}"]),
        (
            r"^[\u{1f4a9}-\u{1f4ab}]{2}$",
            &["\u{1f4aa}\u{1f4ab}"],
            &["\u{1f4aa}"],
        ),
        (r"^[\b]$", &["\u{8}"], &["b"]),
        (r"^[\]\\^]$", &["]", "\\", "^"], &["a"]),
        (r"^\-\.\/\@\ \_$", &["-./@ _"], &["-a/@ _"]),
        // Classes that are empty, or have all characters.
        ("^[]$", &[], &["", "a"]),
        ("^[^]$", &["a", "\n"], &[""]),
        (r"^[a-]$", &["a", "-"], &["b"]),
        (r"^[^a-c]$", &["d", "\n"], &["b"]),
        // Groups and quantifiers.
        (
            r"^(?<year>\d{4})-(?:0|1)?$",
            &["2024-", "2024-1"],
            &["24-1"],
        ),
        (r"^a{2,}?b{0,1}$", &["aa", "aaab"], &["ab"]),
        (r"^x*?y+?$", &["xy"], &["x"]),
        ("^(|a|b)$", &["", "a"], &["c"]),
        // Braces that count nothing are characters.
        (r"^{{a}}$", &["{{a}}"], &["a"]),
        (r"^a{,2}$", &["a{,2}"], &["aa"]),
        // Properties of Unicode.
        (r"^\p{L}\P{Lu}$", &["\u{e9}a"], &["1a", "aA"]),
        (r"^\p{Script=Greek}$", &["\u{3b1}"], &["a"]),
        (r"^[\p{gc=Decimal_Number}a]$", &["\u{660}", "a"], &["b"]),
    ] {
        for text in texts {
            assert_eq!(matches(pattern, text), Some(true), "{pattern} {text:?}");
        }
        for text in others {
            assert_eq!(matches(pattern, text), Some(false), "{pattern} {text:?}");
        }
    }
}

#[test]
fn pattern_that_cannot_be_expressed_is_not_translated() {
    for pattern in [
        // The crate, or other languages, have them, and ECMA-262 does not.
        r"\Aa",
        r"a\z",
        r"a\Z",
        r"\G",
        r"\h",
        r"\Q.\E",
        "(?i)a",
        "(?x) a",
        "(?s).",
        "(?i:a)",
        "(?P<a>b)",
        "(?#a)",
        "(?>a)",
        "[[:alpha:]]",
        "[[:^digit:]]",
        r"\p{Greek}",
        r"\p{letter}",
        r"\pL",
        "a++",
        "a**",
        "^*",
        // ECMA-262 has them, and the crate does not.
        "(?=a)",
        "(?!a)",
        "(?<=a)",
        "(?<!a)",
        r"(a)\1",
        r"(?<a>b)\k<a>",
        r"\ud800",
        r"[\ud800-\udfff]",
        // None of both.
        "(",
        ")",
        "[",
        "a]",
        "*",
        "{1}",
        "a{2,1}",
        "[b-a]",
        r"\u{110000}",
        r"\x4",
        "\\",
    ] {
        let expression = translate(pattern).and_then(|it| Regex::new(&it).ok());
        assert!(expression.is_none(), "{pattern}: {expression:?}");
    }
}

#[test]
fn deeply_nested_groups_are_refused() {
    let nested = |count| format!("{}a{}", "(".repeat(count), ")".repeat(count));
    assert_eq!(matches(&nested(200), "a"), Some(true));
    assert_eq!(matches(&nested(100_000), "a"), None);
}
