//! URI templates: every text is parsed or rejected, and every URI either matches or does not. The
//! first line is a template, the others are URIs.
#![no_main]

use fuzz::world::{exchange, request, run};
use libfuzzer_sys::{Corpus, fuzz_target};
use mcp_server::{ResourceUri, Server, TemplateDef};
use mcp_types::json::{self, Map};
use mcp_types::rpc::{self, Message};

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Corpus::Reject;
    };
    let mut lines = text.lines();
    let template = lines.next().unwrap_or_default();
    let template = TemplateDef::new(template, "any").handler(
        |variables: Map<String>, ResourceUri(uri): ResourceUri| async move {
            format!("{uri} {variables:?}")
        },
    );
    let builder = Server::builder("fuzz", "1").add_resource_template(template);
    let Ok(server) = builder.build() else {
        return Corpus::Keep;
    };
    let mut asked = 0;
    let mut input = String::new();
    for uri in lines {
        let uri = json::to_string(uri).expect("text");
        asked += 1;
        input += &request(asked, "resources/read", &format!(r#""uri":{uri}"#));
        input.push('\n');
    }
    if asked == 0 {
        return Corpus::Keep;
    }
    let heard = run(exchange(&server, [input.as_bytes()].into_iter()));
    for line in heard
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        match rpc::parse(line).expect("a message") {
            Message::Result { .. } => {}
            Message::Error { error, .. } => {
                let error: rpc::ErrorObject = json::from_str(error.get()).expect("an error");
                assert_eq!(error.code, rpc::INVALID_PARAMS, "{error:?}");
            }
            other => panic!("{other:?}"),
        }
        asked -= 1;
    }
    assert_eq!(asked, 0, "all requests have responses");
    Corpus::Keep
});
