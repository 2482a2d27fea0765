//! JSON texts that could be expensive to decode or to keep.

use anyhow::Result;

use super::{Attack, volley};
use crate::messages::{INFO, LARGE, LEGACY, array, initialize, modern, modern_headers, object};
use crate::peer::Peer;
use crate::target::Target;

pub(super) const ATTACKS: &[Attack] = &[
    Attack::new(
        "retained-initialize",
        "15 `initialize` with 1.39 million small values in what is kept of a client",
        |target| Box::pin(retained(target)),
    )
    .one_at_a_time()
    .lasting(2_500, 10_000),
    Attack::new(
        "many-arguments",
        "1.39 million small values in arguments, also of unknown tools",
        |target| Box::pin(arguments(target)),
    )
    .one_at_a_time()
    .lasting(700, 6_000),
    Attack::new(
        "many-shapes",
        "4 MiB of small values of each other shape",
        |target| Box::pin(shapes(target)),
    )
    .one_at_a_time()
    .lasting(700, 6_000),
    Attack::new(
        "deep-nesting",
        "2 million arrays in one another, and 32,000 times 120",
        |target| Box::pin(nesting(target)),
    )
    .one_at_a_time(),
    Attack::new(
        "duplicate-members",
        "objects with 500,000 members, the same and different ones",
        |target| Box::pin(members(target)),
    )
    .one_at_a_time()
    .lasting(700, 6_000),
    Attack::new(
        "long-numbers",
        "numbers with 4 million digits, and strings of escapes",
        |target| Box::pin(scalars(target)),
    )
    .one_at_a_time()
    .lasting(700, 6_000),
];

async fn retained(target: Target) -> Result<()> {
    let values = array("{}", LARGE);
    let info = format!(r#"{{"name":"client","version":"1","x":{values}}}"#);
    let capabilities = format!(r#"{{"experimental":{{"x":{{"y":{values}}}}}}}"#);
    let meta = format!(r#","_meta":{{"x":{values}}}"#);
    let requests = [
        target.post("", &initialize(LEGACY, "{}", &info, "")),
        target.post("", &initialize(LEGACY, &capabilities, INFO, "")),
        target.post("", &initialize(LEGACY, "{}", INFO, &meta)),
    ];
    let mut ticks = super::ticks(std::time::Duration::from_millis(125));
    for request in requests.iter().cycle().take(15) {
        ticks.tick().await;
        let mut peer = Peer::open(&target, 0).await?;
        // A server may refuse such a message before it has read all of it.
        let _ = peer.exchange(request).await;
    }
    Ok(())
}

async fn arguments(target: Target) -> Result<()> {
    let values = array("{}", LARGE - 1024);
    let arguments = format!(r#"{{"x":{values}}}"#);
    let tool = target.tool().name.clone();
    let meta = format!(r#"{{"_meta":{{"x":{values}}}}}"#);
    let requests = vec![
        target.modern_call("1", &tool, &arguments),
        target.modern_call("1", "no-such-tool", &arguments),
        target.modern_call("1", "json_schema_2020_12_tool", &arguments),
        target.post(
            &modern_headers("no/such", None),
            &modern("1", "no/such", &format!(r#""x":{values}"#)),
        ),
        target.post("", &crate::messages::request("1", "ping", &meta)),
    ];
    volley(target, 10, requests).await
}

async fn shapes(target: Target) -> Result<()> {
    let tool = target.tool().name.clone();
    let shapes = ["0", "\"\"", "[]", "null", "[0]", r#"{"":0}"#, "0.1"];
    let requests = shapes.map(|value| {
        let arguments = format!(r#"{{"x":{}}}"#, array(value, LARGE - 1024));
        target.modern_call("1", &tool, &arguments)
    });
    volley(target, 10, requests.into()).await
}

async fn nesting(target: Target) -> Result<()> {
    let tool = target.tool().name.clone();
    let open = "[".repeat(LARGE / 2 - 2048);
    let closed = format!("{open}{}", "]".repeat(open.len()));
    let allowed = array(
        &format!("{}{}", "[".repeat(120), "]".repeat(120)),
        LARGE / 2,
    );
    let requests = vec![
        target.post("", &open),
        target.post("", &closed),
        target.modern_call("1", &tool, &format!(r#"{{"x":{closed}}}"#)),
        target.modern_call("1", &tool, &format!(r#"{{"x":{allowed}}}"#)),
        target.post("", &r#"{"params":"#.repeat(400_000)),
    ];
    volley(target, 10, requests).await
}

async fn members(target: Target) -> Result<()> {
    let tool = target.tool().name.clone();
    let same = object(LARGE - 2048, |_| r#""a":1"#.to_owned());
    let different = object(LARGE - 2048, |at| format!(r#""{at:x}":1"#));
    let requests = vec![
        target.modern_call("1", &tool, &same),
        target.modern_call("1", &tool, &different),
        target.modern("1", "tools/list", None, &format!(r#""x":{different}"#)),
        target.post("", &same),
        target.post("", &different),
        target.post("", &initialize(LEGACY, &different, INFO, "")),
    ];
    volley(target, 10, requests).await
}

async fn scalars(target: Target) -> Result<()> {
    let tool = target.tool().name.clone();
    let digits = "7".repeat(LARGE - 2048);
    let escapes = r"\u0000".repeat((LARGE - 2048) / 6);
    let requests = vec![
        target.modern_call("1", &tool, &format!(r#"{{"x":{digits}}}"#)),
        target.modern_call("1", &tool, &format!(r#"{{"x":0.{digits}}}"#)),
        target.modern_call(
            "1",
            "test_structured_content",
            &format!(r#"{{"a":{digits},"b":1}}"#),
        ),
        target.modern_call(
            "1",
            "test_structured_content",
            &format!(r#"{{"a":1e{digits},"b":1}}"#),
        ),
        target.modern_call("1", &tool, &format!(r#"{{"x":"{escapes}"}}"#)),
        target.modern(&digits, "tools/list", None, ""),
    ];
    volley(target, 10, requests).await
}
