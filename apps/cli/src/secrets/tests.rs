//! What is a secret, and what is not.

use clap::CommandFactory;
use mcp_gateway::config::SECRET_NAMES;

use super::names::{FORMS, FURTHER, IN_QUERIES};
use super::text::of_message;
use super::*;

#[test]
fn help_lists_all_names() {
    let program = crate::args::Mcp::command();
    let record = program.find_subcommand("record").expect("the command");
    let help = record.get_long_about().expect("a help").to_string();
    let mut help = help.to_lowercase();
    help.retain(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == ',');
    let names = SECRET_NAMES.iter().chain(&FURTHER);
    for name in names.chain(&IN_QUERIES).chain(&FORMS) {
        assert!(help.contains(name), "{name}");
    }
}

#[test]
fn names_of_secrets_are_told_from_others() {
    for name in [
        "API keys",
        "AWS_SECRET_ACCESS_KEY",
        "Set-Cookie",
        "access_token",
        "accessToken",
        "apiKey",
        "client.secrets",
        "clientAssertion",
        "clientSecret",
        "codeVerifier",
        "credentials",
        "dbPwd",
        "encryptionKey",
        "id_token",
        "jwt",
        "passphrase",
        "password",
        "passwordHash",
        "password_salt",
        "private_key_pem",
        "privateKey",
        "pwd",
        "refreshToken",
        "secret",
        "secretKey",
        "secret_key",
        "secret_key_base",
        "signingKey",
        "token",
        "token2",
        "tokenValue",
        "x-api-key",
    ] {
        for place in [Place::Member, Place::Setting, Place::Query] {
            assert!(is_secret_name(name, place), "{name} {place:?}");
        }
    }
    for name in [
        "",
        "PWD",
        "author",
        "authorization_endpoint",
        "bypass",
        "compass",
        "contentHash",
        "continuationToken",
        "cookiePolicy",
        "cursor",
        "designTokens",
        "foreignKey",
        "key",
        "keyword",
        "monkey",
        "nextCursor",
        "nextPageToken",
        "pageToken",
        "passed",
        "passwordRequired",
        "primaryKey",
        "progressToken",
        "publicKey",
        "requestState",
        "secretName",
        "sessionId",
        "sortKey",
        "taskId",
        "tokenCount",
        "tokenType",
        "tokenUsage",
        "token_endpoint",
        "tokenizer",
        "tokens_used",
    ] {
        assert!(!is_secret_name(name, Place::Member), "{name}");
    }
    for name in ["OPENAI_KEY", "GITHUB_TOKEN_RO"] {
        assert!(is_secret_name(name, Place::Member), "{name}");
    }
    for name in ["--pass", "X-Auth"] {
        let is_secret = |place| is_secret_name(name, place);
        assert!(
            is_secret(Place::Setting) && !is_secret(Place::Member),
            "{name}"
        );
    }
}

#[test]
fn values_of_known_forms_are_told_from_others() {
    let github = format!("ghp_{}", "a1B2".repeat(9));
    let old = format!("sk-{}", "aB3d".repeat(12));
    for value in [
        &*github,
        &*old,
        "xoxb-1234567890-abcdef",
        "AKIAIOSFODNN7EXAMPLE",
        "github_pat_11ABCDEFG0abcdefghijkl",
        "glpat-abcdefgh12345678",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb\n-----END OPENSSH PRIVATE KEY-----",
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\ncut off",
    ] {
        let quoted = format!("see '{value}'.");
        for source in [text(&quoted), of_message(&quoted), urls(&quoted)] {
            assert!(source.starts_with("see '[removed]"), "{value}: {source}");
        }
        assert!(is_secret_value(value), "{value}");
        let url = format!("https://x/?a=1%3D{value}");
        let one_line = !value.contains('\n');
        assert!(!one_line || !urls(&url).contains(value), "{url}");
    }
    for value in [
        "sk-learn",
        "task-scheduler-implementation-2024",
        "sk-toolbar-button-placeholder-1",
        "ghp_short",
        "eyJwYWdlIjoyLCJzaXplIjoxMDB9",
        "eyJ.x",
        "AKIA",
        "xoxo-love",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
        "see hf_hub_download",
    ] {
        assert_eq!(of_message(value), value);
        assert_eq!(text(value), value);
    }
}

#[test]
fn values_after_names_are_removed_from_texts_of_messages() {
    for (given, expected) in [
        (
            "A=1\nDB_PASSWORD=abc\nB=2",
            "A=1\nDB_PASSWORD=[removed]\nB=2",
        ),
        ("STRIPE_KEY=abc", "STRIPE_KEY=[removed]"),
        ("--token=abc, then", "--token=[removed], then"),
        ("password = \"a b\"", "password = \"[removed]\""),
        ("{'secret': 'a b', n: 1}", "{'secret': '[removed]', n: 1}"),
        (
            "db:\n  password: sesame\n  port: 1",
            "db:\n  password: [removed]\n  port: 1",
        ),
        ("export const TOKEN='abc'", "export const TOKEN='[removed]'"),
    ] {
        assert_eq!(of_message(given), expected);
    }
    for same in [
        "The token: how to get one.",
        "token: string",
        "password: required",
        "token == null",
        "const token = next();",
        "--token=${TOKEN}",
        "token={{ secrets.TOKEN }}",
        "max_tokens=100",
        "sort_key=name",
        "token_type=bearer",
        "PWD=/home/ada",
        "Set a password: at least 8 letters",
        "secret: 'no end",
    ] {
        assert_eq!(of_message(same), same);
    }
}

#[test]
fn ids_of_tasks_are_numbered_where_the_protocol_has_them() {
    let mut tasks = TaskIds::default();
    let mut clean = |text: &str| message(text, Some(&mut tasks)).into_owned();
    for (given, expected) in [
        (
            r#"{"id":1,"result":{"taskId":"a1"}}"#,
            r#"{"id":1,"result":{"taskId":"[task 1]"}}"#,
        ),
        (
            r#"{"result":{"tasks":[{"taskId":"b2"},{"taskId":"a1"}]}}"#,
            r#"{"result":{"tasks":[{"taskId":"[task 2]"},{"taskId":"[task 1]"}]}}"#,
        ),
        (
            r#"{"params":{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"b2"}}}}"#,
            r#"{"params":{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"[task 2]"}}}}"#,
        ),
        (
            r#"{"params":{"arguments":{"taskId":"c3","of":"a1"}}}"#,
            r#"{"params":{"arguments":{"taskId":"c3","of":"[task 1]"}}}"#,
        ),
        (
            r#"{"result":{"content":[{"text":"{\"taskId\":\"c3\"}"}]}}"#,
            r#"{"result":{"content":[{"text":"{\"taskId\":\"c3\"}"}]}}"#,
        ),
    ] {
        assert_eq!(clean(given), expected);
    }
}

#[test]
fn urls_of_resources_keep_only_their_origin() {
    let given = r#"{"httpUrl":"https://u@files.example.com:8443/r/x?sig=1","uri":"x://y"}"#;
    let expected = r#"{"httpUrl":"https://files.example.com:8443/[removed]","uri":"x://y"}"#;
    assert_eq!(message(given, None), expected);
}

#[test]
fn secrets_are_removed_and_all_else_keeps_its_bytes() {
    for (given, expected) in [
        (
            r#"{"a": 1.0, "token" : "x"}"#,
            r#"{"a": 1.0, "token" : "[removed]"}"#,
        ),
        (
            r#"{"password":12,"ok":true}"#,
            r#"{"password":"[removed]","ok":true}"#,
        ),
        (
            r#"{"credentials":{"user":["a",1]},"b":"c"}"#,
            r#"{"credentials":{"user":["[removed]","[removed]"]},"b":"c"}"#,
        ),
        (
            r#"{"name":"api_key","value":"x"}"#,
            r#"{"name":"api_key","value":"[removed]"}"#,
        ),
        (
            r#"{"value":"x","name":"api_key"}"#,
            r#"{"value":"[removed]","name":"api_key"}"#,
        ),
        (
            r#"{"inputSchema":{"properties":{"token":{"type":"string","default":"x"}}}}"#,
            r#"{"inputSchema":{"properties":{"token":{"type":"string","default":"[removed]"}}}}"#,
        ),
        (
            r#"{"text":"{\"API_KEY\": \"x\", \"é\": 1}"}"#,
            r#"{"text":"{\"API_KEY\": \"[removed]\", \"é\": 1}"}"#,
        ),
        (r#"{"to\u006ben":"x"}"#, r#"{"to\u006ben":"[removed]"}"#),
        (
            r#"["see https://a:b@c/"]"#,
            r#"["see https://[removed]@c/"]"#,
        ),
    ] {
        assert_eq!(message(given, None), expected);
    }
    for same in [
        r#"{"_meta":{"progressToken":"x"},"maxTokens": 100}"#,
        r#"{ "token": "" , "secret":null}"#,
        r#"{"text":"the token \" is \\", "n":-1.5e+3}"#,
        r#"{"properties":["token"]}"#,
    ] {
        assert_eq!(message(same, None), same);
    }
}

#[test]
fn secrets_in_texts_are_removed() {
    for (given, expected) in [
        ("TOKEN=abc x", "TOKEN=[removed] x"),
        (r#"{"password": "abc", "#, r#"{"password": "[removed]", "#),
        (
            "Authorization: Bearer abc def\nx",
            "Authorization: [removed]\nx",
        ),
        ("used bearer abcdefgh.i", "used bearer [removed]"),
        ("a basic idea", "a basic idea"),
        (
            "see https://u:p@h/x?code=1&b=2#access_token=3",
            "see https://[removed]@h/x?code=[removed]&b=2#access_token=[removed]",
        ),
        ("postgres://u:p@h/db", "postgres://[removed]@h/db"),
        ("token: ", "token: "),
        (
            r#"{"password": "a b, c", "n": 1}"#,
            r#"{"password": "[removed]", "n": 1}"#,
        ),
        (r#"{"password": "a\" b"}"#, r#"{"password": "[removed]"}"#),
        (
            r#""{\"token\": \"a b\", \"n\": 1}""#,
            r#""{\"token\": \"[removed]\", \"n\": 1}""#,
        ),
        ("é: token=ü, é", "é: token=[removed], é"),
    ] {
        assert_eq!(text(given), expected);
    }
    assert_eq!(of_message("token: this one"), "token: this one");
}

#[test]
fn headers_and_queries_with_other_names_of_keys_are_removed() {
    for name in [
        "Ocp-Apim-Subscription-Key",
        "X-Functions-Key",
        "X-Auth",
        "Api-Pass",
    ] {
        assert_eq!(header(name, "abc"), REMOVED, "{name}");
    }
    // They repeat arguments of tools, which a replay sends again.
    for name in [
        "Mcp-Param-Key",
        "Mcp-Method",
        "Content-Type",
        "Www-Authenticate",
    ] {
        assert_eq!(header(name, "abc"), "abc", "{name}");
    }
    for name in ["subscription-key", "auth", "pass"] {
        let expected = format!("/x?{name}={REMOVED}&a=1");
        assert_eq!(path(&format!("/x?{name}=abc&a=1")), expected);
    }
    assert_eq!(path("/x?pageToken=abc"), "/x?pageToken=abc");
}
