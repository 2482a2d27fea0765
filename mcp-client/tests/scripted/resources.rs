//! The contents of resources.

use mcp_client::Client;
use mcp_client::types::Revision;

use super::fake::FakeStream;

#[tokio::test]
async fn text_of_a_resource_joins_texts_and_skips_binary_contents() {
    let contents =
        r#"{"uri":"a:1","text":"one"},{"uri":"a:2","blob":"AAAA"},{"uri":"a:3","text":"two"}"#;
    let hints = r#""resultType":"complete","ttlMs":0,"cacheScope":"private""#;
    for (contents, text) in [(contents, "one\ntwo"), ("", "")] {
        let result = format!(r#""result":{{"contents":[{contents}],{hints}}}"#);
        let builder = Client::builder("test", "1.0.0");
        let fake = FakeStream::connect(Revision::LATEST, builder, move |_, _| result.clone()).await;
        let read = fake.client.read_resource("a:1").await.expect("contents");
        assert_eq!(read.text(), text);
    }
}
