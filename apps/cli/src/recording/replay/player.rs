//! [`Player`]: answers the messages of a client as the recorded server did.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_client::types::id::RequestId;
use mcp_client::types::json::{self, Value};
use mcp_client::types::rpc::{self, ErrorObject, Message};
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};

use super::script::{Call, Script, What, token};
use super::substitute::Substitutes;
use crate::args::Timing;
use crate::failure::Failure;
use crate::output::{print_error, print_message};
use crate::recording::compare::{canonical, differences, matched};
use crate::secrets;

/// The number of recorded requests that are compared with one that does not match.
const CANDIDATES: usize = 100;

/// The number of methods that an error names.
const METHODS: usize = 20;

/// The number of requests that are printed because they are not as recorded.
const SHOWN: usize = 100;

/// Requests that depend on the client, and not on what it is used for.
const BEGINNINGS: [&str; 4] = ["initialize", "logging/setLevel", "ping", "server/discover"];

/// Plays the server of a recording.
pub(crate) struct Player {
    script: Script,
    timing: Timing,
    /// Whether the params of the client are compared without secrets, as they were recorded.
    without_secrets: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// How many of the calls with the same method and params were played.
    played: HashMap<(String, String), usize>,
    substitutes: Substitutes,
    /// The requests that the client has not answered.
    asked: HashMap<RequestId, oneshot::Sender<()>>,
    /// The requests that are played, to cancel them.
    running: HashMap<RequestId, oneshot::Sender<()>>,
    /// The number of requests with ids of this program.
    renamed: u64,
    /// The number of requests that were not recorded.
    misses: usize,
    /// The number of requests that got their last answer again.
    repeats: usize,
    is_closed: bool,
}

/// A message for the client.
#[derive(Debug)]
pub(crate) struct Out {
    pub(crate) text: String,
    /// Whether it is the response to the request that is played.
    pub(crate) is_response: bool,
}

impl Out {
    fn response(text: String) -> Self {
        Self {
            text,
            is_response: true,
        }
    }
}

/// What the client has sent and what is played for it.
struct Play<'a> {
    call: &'a Call,
    /// The id of a request.
    id: Option<RequestId>,
}

impl Player {
    pub(crate) fn new(script: Script, timing: Timing, without_secrets: bool) -> Self {
        Self {
            script,
            timing,
            without_secrets,
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Plays what the server sends after a message of the client, until all of it is sent.
    pub(crate) async fn answer(&self, text: &str, out: &mpsc::Sender<Out>) {
        let response = match rpc::parse_str(text) {
            Ok(Message::Request {
                id, method, params, ..
            }) => match self.find(&method, params.map(RawValue::get), true) {
                Some(call) => {
                    let (cancel, cancelled) = oneshot::channel();
                    let own = token(params.map(RawValue::get));
                    {
                        let mut state = self.state();
                        if let Some(recorded) = &call.id {
                            let recorded = (recorded, call.token.as_ref());
                            state.substitutes.add(recorded, (id.clone(), own));
                        }
                        state.running.insert(id.clone(), cancel);
                    }
                    let play = Play {
                        call,
                        id: Some(id.clone()),
                    };
                    tokio::select! {
                        () = self.play(play, out) => {}
                        Ok(()) = cancelled => {}
                    }
                    self.state().running.remove(&id);
                    return;
                }
                None if method == "ping" => error_or_empty(&id, None),
                None => {
                    let error = self.expected(&method, params.map(RawValue::get));
                    if !BEGINNINGS.contains(&&*method) {
                        let mut state = self.state();
                        state.misses += 1;
                        if state.misses <= SHOWN {
                            print_error(&error.message);
                        }
                    }
                    error_or_empty(&id, Some(&error))
                }
            },
            Ok(Message::Notification { method, params, .. }) => {
                if method == "notifications/cancelled" {
                    self.cancel(params.map(RawValue::get));
                }
                if let Some(call) = self.find(&method, params.map(RawValue::get), false) {
                    self.play(Play { call, id: None }, out).await;
                }
                return;
            }
            Ok(Message::Result { id, .. } | Message::Error { id: Some(id), .. }) => {
                if let Some(asked) = self.state().asked.remove(&id) {
                    // The request may have been cancelled.
                    let _ = asked.send(());
                }
                return;
            }
            Ok(Message::Error { id: None, .. }) => return,
            Err(error) => {
                let answer = ErrorObject::new(error.code(), error.to_string());
                let mut text = Vec::new();
                if rpc::write_error(&mut text, error.id(), &answer).is_err() {
                    return;
                }
                String::from_utf8(text).unwrap_or_default()
            }
        };
        // The client has gone.
        let _ = out.send(Out::response(response)).await;
    }

    /// Prints what was not as recorded.
    ///
    /// # Errors
    ///
    /// [`Failure::Different`] if there is anything.
    pub(crate) fn finish(&self) -> Result<(), Failure> {
        let state = self.state();
        let mut unused: BTreeMap<&str, usize> = BTreeMap::new();
        let mut all = 0;
        for ((method, params), calls) in &self.script.same {
            let is_request = |at: &&usize| {
                let call = self.script.calls.get(**at);
                call.is_some_and(|call| call.id.is_some())
            };
            let recorded = calls.iter().filter(is_request).count();
            if recorded == 0 || BEGINNINGS.contains(&method.as_str()) {
                continue;
            }
            all += recorded;
            let key = (method.clone(), params.clone());
            let played = state.played.get(&key).copied().unwrap_or_default();
            if played < recorded {
                *unused.entry(method).or_default() += recorded - played;
            }
        }
        let (misses, repeats) = (state.misses, state.repeats);
        let played = all - unused.values().sum::<usize>();
        let mut text = format!(
            "{played} of {all} requests replayed, {misses} not recorded, {repeats} answered again"
        );
        for (at, (method, count)) in unused.iter().enumerate() {
            let before = if at == 0 { "; not made: " } else { ", " };
            text += &format!("{before}{count} `{method}`");
        }
        print_message(&text);
        if misses == 0 && repeats == 0 && unused.is_empty() {
            Ok(())
        } else {
            Err(Failure::Different)
        }
    }

    /// The client sends nothing more: no answers are awaited.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.asked.clear();
    }

    fn cancel(&self, params: Option<&str>) {
        let params: Value = params
            .and_then(|params| json::from_str(params).ok())
            .unwrap_or_default();
        let id = params.get("requestId");
        let id = id.and_then(|id| json::from_value::<RequestId>(id.clone()).ok());
        let running = id.and_then(|id| self.state().running.remove(&id));
        if let Some(running) = running {
            // It may end at this moment.
            let _ = running.send(());
        }
    }

    /// Returns the recorded call with this method and these params: the next one that was not
    /// played, or the last one again if it is a request.
    fn find(&self, method: &str, params: Option<&str>, is_request: bool) -> Option<&Call> {
        let params = self.matched(method, params);
        let key = (method.to_owned(), canonical(&params));
        let same = self.script.same.get(&key)?;
        let mut state = self.state();
        let mut is_repeated = false;
        let played = state.played.entry(key).or_default();
        let at = match same.get(*played) {
            Some(at) => at,
            None if is_request => {
                is_repeated = !BEGINNINGS.contains(&method);
                same.last()?
            }
            None => return None,
        };
        *played += 1;
        if is_repeated {
            state.repeats += 1;
            if state.repeats <= SHOWN {
                let text = "has this request less often, so its last answer is sent again";
                print_message(&format!("the recording {text}: `{method}`"));
            }
        }
        self.script.calls.get(*at)
    }

    fn matched(&self, method: &str, params: Option<&str>) -> Value {
        if self.without_secrets {
            let clean = params.map(|params| secrets::message(params, None));
            return matched(method, clean.as_deref());
        }
        matched(method, params)
    }

    /// Returns the error for a request that was not recorded.
    fn expected(&self, method: &str, params: Option<&str>) -> ErrorObject {
        let calls = self.script.calls.iter().filter(|call| call.id.is_some());
        let candidates = calls.clone().filter(|call| call.method == method);
        let params = self.matched(method, params);
        let nearest = candidates
            .take(CANDIDATES)
            .map(|call| differences(&call.params, &params, METHODS))
            .min_by_key(Vec::len);
        if let Some(differences) = nearest {
            let differences = differences.iter().map(ToString::to_string);
            let differences = differences.collect::<Vec<_>>().join("; ");
            let message =
                format!("the recording has `{method}` only with other params: {differences}");
            return ErrorObject::invalid_params(message);
        }
        let mut methods: Vec<&str> = calls.map(|call| &*call.method).collect();
        methods.sort_unstable();
        methods.dedup();
        let more = if methods.len() > METHODS { ", ..." } else { "" };
        methods.truncate(METHODS);
        let method = mcp_client::types::error::excerpt(method);
        ErrorObject::method_not_found(format!(
            "the recording has no request `{method}`: expected one of {}{more}",
            methods.join(", ")
        ))
    }

    async fn play(&self, play: Play<'_>, out: &mpsc::Sender<Out>) {
        let mut answers = HashMap::new();
        for step in &play.call.steps {
            if self.timing == Timing::Recorded {
                tokio::time::sleep(step.after).await;
            }
            let text = match &step.what {
                What::Await(id) => {
                    let Some(answered) = answers.remove(id) else {
                        return;
                    };
                    match answered.await {
                        Ok(()) => continue,
                        // The client has closed the connection.
                        Err(_) => return,
                    }
                }
                What::Ask(id, text) => {
                    let (asked, answered) = oneshot::channel();
                    answers.insert(id.clone(), answered);
                    Some(self.ask(id, text, asked))
                }
                What::Send(text) => self.state().substitutes.notification(text.clone()),
                What::Result(result) => {
                    let result = self.state().substitutes.result(result.clone());
                    play.response("result", &result)
                }
                What::Error(error) => play.response("error", error),
            };
            let is_response = matches!(step.what, What::Result(_) | What::Error(_));
            let message = text.map(|text| Out { text, is_response });
            if let Some(message) = message
                && out.send(message).await.is_err()
            {
                return;
            }
        }
        // A subscription stays open.
        let call = play.call;
        if !call.is_answered()
            && call.method != "subscriptions/listen"
            && let Some(id) = &play.id
        {
            let error = ErrorObject::internal_error("the recording has no answer to this request");
            // The client has gone.
            let response = error_or_empty(id, Some(&error));
            let _ = out.send(Out::response(response)).await;
        }
    }

    /// Returns a request of the server, whose id no other open request has.
    fn ask(&self, id: &RequestId, text: &str, asked: oneshot::Sender<()>) -> String {
        let mut state = self.state();
        if state.is_closed {
            return text.to_owned();
        }
        if !state.asked.contains_key(id) {
            state.asked.insert(id.clone(), asked);
            return text.to_owned();
        }
        state.renamed += 1;
        let own = RequestId::from(format!("replay-{}", state.renamed));
        state.asked.insert(own.clone(), asked);
        let mut message: Value = json::from_str(text).unwrap_or_default();
        if let Some(id) = message.get_mut("id") {
            *id = own.into();
        }
        json::to_string(&message).unwrap_or_default()
    }
}

impl Play<'_> {
    /// Returns the response with the id of the client.
    fn response(&self, member: &str, body: &str) -> Option<String> {
        let id = Value::from(self.id.clone()?);
        Some(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"{member}":{body}}}"#
        ))
    }
}

fn error_or_empty(id: &RequestId, error: Option<&ErrorObject>) -> String {
    let mut text = Vec::new();
    let written = match error {
        Some(error) => rpc::write_error(&mut text, Some(id), error),
        None => rpc::write_result(&mut text, id, &Value::Object(json::Object::new())),
    };
    // Ids and errors can always be encoded.
    debug_assert!(written.is_ok());
    String::from_utf8(text).unwrap_or_default()
}
