//! The mix of requests, and their expected responses.

use serde_json::{Value, json};

/// The kind of client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    Modern,
    /// Legacy, after a handshake at 2025-11-25.
    Legacy,
}

/// A request and its expected response.
#[derive(Debug)]
pub(crate) struct PlannedRequest {
    pub(crate) era: Era,
    pub(crate) message: Value,
    pub(crate) expect: Expect,
}

#[derive(Debug)]
pub(crate) enum Expect {
    /// This text, preceded by this number of log messages.
    Text(String, usize),
    /// A failed tool with this text.
    Failed(String),
    Code(i64),
    /// An empty result.
    Empty,
    /// A page of the list of tools that begins with this one.
    Page(usize),
    /// A result after an input request with this message, which is answered with this word.
    Word(String, String),
    /// A subscription to this URI, which is cancelled after the first notification: no response.
    Subscription(String),
    /// No response before the group is released, and none at all if it was cancelled.
    Held,
    /// The number of waiting handlers, at least this many.
    Counted(u64),
}

/// The action that follows from a response.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FollowUp {
    Done,
    Page(String, usize),
    Retry(String),
}

pub(crate) const TOOLS: usize = 14;
const PAGE: usize = 4;

/// The generator of requests, the same in every run.
pub(crate) struct Mix {
    seed: u64,
    next: u64,
    group: u64,
}

impl Mix {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            seed,
            next: 0,
            group: 0,
        }
    }

    /// The number of generated requests.
    pub(crate) fn made(&self) -> u64 {
        self.next
    }

    fn random(&mut self, below: u64) -> u64 {
        // Knuth's MMIX.
        self.seed = self
            .seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.seed >> 33) % below
    }

    fn shot(
        &mut self,
        era: Era,
        method: &str,
        mut params: Value,
        expect: Expect,
    ) -> PlannedRequest {
        self.next += 1;
        let number = self.next;
        // Numbers and texts are different ids.
        let id = if number.is_multiple_of(2) {
            json!(number)
        } else {
            json!(number.to_string())
        };
        let mut meta = json!({ "progressToken": id });
        if era == Era::Modern {
            meta = json!({
                "progressToken": id,
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "soak", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
                "io.modelcontextprotocol/logLevel": "info",
            });
        }
        params["_meta"] = meta;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        PlannedRequest {
            era,
            message,
            expect,
        }
    }

    pub(crate) fn tool(
        &mut self,
        era: Era,
        name: &str,
        arguments: Value,
        expect: Expect,
    ) -> PlannedRequest {
        let mut params = json!({ "name": name });
        params["arguments"] = arguments;
        self.shot(era, "tools/call", params, expect)
    }

    /// A tool call with a unique text.
    fn say(&mut self, era: Era, name: &str, expect: fn(String) -> Expect) -> PlannedRequest {
        let text = format!("{name} {}", self.next + 1);
        self.tool(era, name, json!({ "text": text }), expect(text))
    }

    /// Returns a request of a random kind.
    pub(crate) fn any(&mut self) -> PlannedRequest {
        let era = [Era::Modern, Era::Legacy][usize::from(self.random(3) == 0)];
        match self.random(100) {
            0..30 => self.say(era, "echo", |text| Expect::Text(text, 0)),
            30..48 => self.say(era, "late", |text| Expect::Text(text, 0)),
            48..60 => self.say(era, "talk", |text| Expect::Text(text, 3)),
            60..66 => self.say(era, "fail", Expect::Failed),
            66..70 if self.random(16) == 0 => self.say(era, "panic", |_| Expect::Code(-32603)),
            66..70 => {
                let uri = format!("soak:{}", self.random(10));
                self.touch(era, &uri)
            }
            70..76 => self.shot(era, "no/such", json!({}), Expect::Code(-32601)),
            76..80 => self.shot(
                era,
                "tools/call",
                json!({ "name": 5 }),
                Expect::Code(-32602),
            ),
            80..84 => self.tool(era, "no-such", json!({}), Expect::Code(-32602)),
            84..88 => self.page(era, None, 0),
            88..94 => self.ask(era),
            94..96 => self.shot(Era::Legacy, "ping", json!({}), Expect::Empty),
            96 => self.watch("resources/subscribe"),
            97 => self.watch("resources/unsubscribe"),
            _ => self.listen(),
        }
    }

    pub(crate) fn touch(&mut self, era: Era, uri: &str) -> PlannedRequest {
        let expect = Expect::Text(uri.to_owned(), 0);
        self.tool(era, "touch", json!({ "text": uri }), expect)
    }

    fn watch(&mut self, method: &str) -> PlannedRequest {
        let uri = format!("soak:{}", self.random(10));
        self.shot(Era::Legacy, method, json!({ "uri": uri }), Expect::Empty)
    }

    fn listen(&mut self) -> PlannedRequest {
        let uri = format!("soak:of%20{}", self.next + 1);
        let wanted = json!({ "toolsListChanged": true, "resourceSubscriptions": [uri] });
        let params = json!({ "notifications": wanted });
        let expect = Expect::Subscription(uri);
        self.shot(Era::Modern, "subscriptions/listen", params, expect)
    }

    fn page(&mut self, era: Era, cursor: Option<String>, first: usize) -> PlannedRequest {
        let params = cursor.map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
        self.shot(era, "tools/list", params, Expect::Page(first))
    }

    fn ask(&mut self, era: Era) -> PlannedRequest {
        let text = format!("ask {}", self.next + 1);
        let word = format!("word {}", self.next + 1);
        let arguments = json!({ "text": text });
        self.tool(era, "ask", arguments, Expect::Word(text, word))
    }

    /// Returns requests that wait until their group is released.
    pub(crate) fn hold(&mut self, count: usize) -> (u64, Vec<PlannedRequest>) {
        self.group += 1;
        let group = self.group;
        let shots = (0..count).map(|at| {
            let era = [Era::Modern, Era::Legacy][usize::from(at % 3 == 0)];
            self.tool(era, "hold", json!({ "number": group }), Expect::Held)
        });
        (group, shots.collect())
    }

    pub(crate) fn free(&mut self, group: u64) -> PlannedRequest {
        let expect = Expect::Text("freed".to_owned(), 0);
        self.tool(Era::Modern, "free", json!({ "number": group }), expect)
    }

    /// Returns the request that follows a response which asks for input.
    pub(crate) fn follow(
        &mut self,
        shot: &PlannedRequest,
        then: FollowUp,
    ) -> Option<PlannedRequest> {
        match then {
            FollowUp::Done => None,
            FollowUp::Page(cursor, first) => Some(self.page(shot.era, Some(cursor), first)),
            FollowUp::Retry(state) => {
                let Expect::Word(_, word) = &shot.expect else {
                    panic!("{shot:?} has no second round");
                };
                let mut params = shot.message["params"].clone();
                params["requestState"] = Value::String(state);
                params["inputResponses"] = json!({ "word": said(word) });
                let expect = Expect::Text(word.clone(), 0);
                Some(self.shot(shot.era, "tools/call", params, expect))
            }
        }
    }
}

/// Returns the answer to an input request.
pub(crate) fn said(word: &str) -> Value {
    json!({ "action": "accept", "content": { "word": word } })
}

impl PlannedRequest {
    pub(crate) fn id(&self) -> &Value {
        &self.message["id"]
    }

    /// Checks a response that was preceded by this number of log messages.
    pub(crate) fn check(&self, answer: &Value, logged: usize) -> FollowUp {
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str();
        let modern = self.era == Era::Modern;
        let good = match &self.expect {
            Expect::Text(expected, logs) => {
                text == Some(expected) && result["isError"].is_null() && logged == *logs
            }
            Expect::Failed(expected) => text == Some(expected) && result["isError"] == true,
            Expect::Code(code) => answer["error"]["code"] == *code,
            Expect::Empty => *result == json!({}),
            Expect::Held => text == Some("free"),
            Expect::Counted(least) => {
                let there = result["structuredContent"]["there"].as_u64();
                there.is_some_and(|there| there >= *least)
            }
            Expect::Subscription(_) => false,
            Expect::Word(_, word) if !modern => text == Some(word),
            Expect::Word(asked, _) => {
                let question = &result["inputRequests"]["word"]["params"]["message"];
                let Some(state) = result["requestState"].as_str() else {
                    panic!("{answer} to {self:?}");
                };
                assert_eq!(question, asked);
                return FollowUp::Retry(state.to_owned());
            }
            Expect::Page(first) => {
                let count = result["tools"].as_array().map_or(0, Vec::len);
                assert_eq!(count, PAGE.min(TOOLS - first), "{answer} to {self:?}");
                let next = result["nextCursor"].as_str();
                assert_eq!(next.is_some(), first + PAGE < TOOLS, "{answer}");
                let next = next.map(|next| FollowUp::Page(next.to_owned(), first + PAGE));
                return next.unwrap_or(FollowUp::Done);
            }
        };
        assert!(good, "{answer} to {self:?} after {logged} log messages");
        if answer["error"].is_null() {
            assert_eq!(result.get("resultType").is_some(), modern, "{answer}");
        }
        FollowUp::Done
    }
}
