//! Challenges in the header `WWW-Authenticate`.

use http::header::WWW_AUTHENTICATE;
use http::{HeaderMap, HeaderValue};
use mcp_wire::challenge::{
    AuthChallenge, CHALLENGE_BYTES, CHALLENGE_PARAMS, CHALLENGES, ChallengeError, challenges,
};

fn parse(field: &str) -> Vec<String> {
    match AuthChallenge::parse(field.as_bytes()) {
        Ok(found) => found.iter().map(ToString::to_string).collect(),
        Err(fault) => vec![fault.to_string()],
    }
}

#[test]
fn all_challenges_of_a_field_are_parsed() {
    for (field, expected) in [
        ("", &[] as &[&str]),
        (" , ,", &[]),
        ("Bearer", &["Bearer"]),
        ("Negotiate, NTLM", &["Negotiate", "NTLM"]),
        (
            "Negotiate a+/b==, Bearer x=y",
            &["Negotiate a+/b==", r#"Bearer x="y""#],
        ),
        ("Basic Zm9v=", &["Basic Zm9v="]),
        ("Bearer a=", &["Bearer a="]),
        (
            r#"Bearer realm="a, b=c", scope=x , ,Basic  realm = "é",charset=UTF-8"#,
            &[
                r#"Bearer realm="a, b=c", scope="x""#,
                r#"Basic realm="é", charset="UTF-8""#,
            ],
        ),
        (
            r#"Bearer a="x", DPoP, Basic b=c"#,
            &[r#"Bearer a="x""#, "DPoP", r#"Basic b="c""#],
        ),
        (r#"bearer  a="\"\\\x""#, &[r#"bearer a="\"\\x""#]),
        ("Bearer ,a=b", &[r#"Bearer a="b""#]),
        ("Bearer\t", &["Bearer"]),
    ] {
        assert_eq!(parse(field), expected, "{field}");
    }
}

#[test]
fn faults_name_the_place_and_what_was_expected() {
    for (field, expected) in [
        (
            "Bearer x=y, a=",
            "at byte 14: expected the value of a parameter",
        ),
        (
            "Bearer a=\"b",
            "at byte 11: expected a quote at the end of the value",
        ),
        (
            "Bearer a=\"b\\",
            "at byte 12: expected a character after the backslash",
        ),
        ("Bearer a=b c=d", "at byte 11: expected a comma"),
        ("Bearer a=\"b\"c", "at byte 12: expected a comma"),
        (
            "Bearer a=\"\u{7}\"",
            "at byte 10: expected no control characters in a value",
        ),
        ("=x", "at byte 0: expected the name of a scheme"),
        ("Bearer a=b, =c", "at byte 12: expected a parameter"),
        ("Bearer/x", "at byte 6: expected a comma"),
        (
            "Bearer a b",
            "at byte 7: expected `=` after the name of a parameter",
        ),
        ("Bearer a=b, A=c", "at byte 12: a parameter is repeated"),
    ] {
        assert_eq!(
            parse(field),
            [format!("invalid WWW-Authenticate {expected}")],
            "{field}"
        );
    }
}

#[test]
fn number_and_size_of_challenges_are_bounded() {
    let too_large = Err(ChallengeError::TooLarge);
    let many = "a, ".repeat(CHALLENGES);
    assert_eq!(
        AuthChallenge::parse(many.as_bytes()).map(|found| found.len()),
        Ok(CHALLENGES)
    );
    let many = "a, ".repeat(CHALLENGES + 1);
    assert_eq!(AuthChallenge::parse(many.as_bytes()), too_large);
    let params: Vec<String> = (0..=CHALLENGE_PARAMS)
        .map(|at| format!("p{at}=x"))
        .collect();
    assert_eq!(
        AuthChallenge::parse(format!("a {}", params.join(",")).as_bytes()),
        too_large
    );
    let long = format!("a b={}", "x".repeat(CHALLENGE_BYTES));
    assert_eq!(AuthChallenge::parse(long.as_bytes()), too_large);
}

#[test]
fn malformed_field_does_not_hide_the_others() {
    let mut headers = HeaderMap::new();
    for field in [
        "Digest qop=\"auth",
        "Negotiate x, Bearer scope=\"a b\", Broken a=b c=d",
    ] {
        headers.append(WWW_AUTHENTICATE, HeaderValue::from_static(field));
    }
    headers.append(
        WWW_AUTHENTICATE,
        HeaderValue::from_static("DPoP algs=\"ES256\""),
    );
    let all = challenges(&headers);
    let found: Vec<&str> = all.found.iter().map(AuthChallenge::scheme).collect();
    assert_eq!(found, ["Negotiate", "Bearer", "DPoP"]);
    let fault = all.fault.map(|fault| fault.to_string()).unwrap_or_default();
    assert!(fault.contains("a quote at the end"), "{fault}");
}

#[test]
fn written_challenge_is_parsed_as_the_same() {
    let challenge = AuthChallenge::new("Bearer")
        .with("error", "insufficient_scope")
        .with("error_description", r#"a "quoted" \ text, with = and ,"#);
    let value = challenge.to_header_value().expect("printable");
    assert_eq!(AuthChallenge::parse(value.as_bytes()), Ok(vec![challenge]));
}

#[test]
fn values_that_the_header_cannot_represent_are_rejected() {
    for (scheme, name, value) in [
        ("Bearer", "realm", "a\r\nSet-Cookie: x"),
        ("Bearer", "realm", "é"),
        ("Bearer", "a b", "x"),
        ("Bearer,", "a", "x"),
        ("", "a", "x"),
    ] {
        let written = AuthChallenge::new(scheme)
            .with(name, value)
            .to_header_value();
        assert!(
            matches!(written, Err(ChallengeError::Unwritable(_))),
            "{written:?}"
        );
    }
}
