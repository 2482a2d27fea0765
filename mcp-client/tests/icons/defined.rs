//! Icons that the program sets for the client.

use mcp_client::types::Icon;
use mcp_client::{ByteStream, Client, ConnectError};
use tokio::io::AsyncReadExt as _;

#[tokio::test]
async fn client_with_an_invalid_icon_does_not_connect() {
    for (icon, expected) in [
        (
            Icon::new("https://example.com/i.png").mime_type("png"),
            "invalid `mimeType` \"png\"",
        ),
        (Icon::new("javascript:alert(1)"), "invalid `src`"),
    ] {
        let (ours, mut theirs) = tokio::io::duplex(1 << 10);
        let client = Client::builder("test", "1").icon(icon);
        let error = client.connect(ByteStream::of(ours)).await.unwrap_err();
        assert!(matches!(error, ConnectError::Icon(_)), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
        let mut sent = Vec::new();
        theirs.read_to_end(&mut sent).await.unwrap();
        assert!(sent.is_empty());
    }
}
