//! Base64 text is kept unchanged and decoded on demand.

use mcp_types::base64::Base64Text;
use mcp_types::json;

#[test]
fn bytes_are_decoded_with_and_without_padding() {
    assert_eq!(Base64Text::encode(b"hello").as_str(), "aGVsbG8=");
    for text in ["aGVsbG8=", "aGVsbG8"] {
        assert_eq!(Base64Text::from(text).decode().unwrap(), b"hello");
    }
    assert_eq!(Base64Text::default().decode().unwrap(), b"");
}

#[test]
fn white_space_is_kept_but_not_decoded() {
    let bytes: Vec<u8> = (0..=255).collect();
    let dense = Base64Text::encode(&bytes).into_string();
    let lines: Vec<&str> = dense
        .as_bytes()
        .chunks(76)
        .map(|line| str::from_utf8(line).unwrap())
        .collect();
    for text in [
        lines.join("\r\n"),
        lines.join("\n") + "\n",
        lines.join(" \t"),
    ] {
        let decoded: Base64Text = json::from_str(&format!("{text:?}")).unwrap();
        assert_eq!(decoded.as_str(), text);
        assert_eq!(decoded.decode().unwrap(), bytes);
    }
}

#[test]
fn invalid_base64_is_kept_but_not_decoded() {
    for text in ["a", "a\n", "_-_-", "aGVsbG8==", "é", "aGVsbG9="] {
        let decoded: Base64Text = json::from_str(&format!("{text:?}")).unwrap();
        assert_eq!(decoded.as_str(), text);
        assert!(decoded.decode().is_err(), "{text}");
    }
    assert!(json::from_str::<Base64Text>("1").is_err());
}
