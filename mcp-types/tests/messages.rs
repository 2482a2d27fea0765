//! The message table of each revision, and the lookup of messages in it.

use mcp_types::{MessageInfo, Revision, Sender};

/// Returns the revisions whose features are enabled, and their messages.
fn tables() -> impl Iterator<Item = (Revision, &'static [MessageInfo])> {
    let all = Revision::WITH_DRAFT.iter();
    let tables = all.map(|revision| (*revision, revision.messages()));
    tables.filter(|(_, messages)| !messages.is_empty())
}

#[test]
fn each_message_is_found_by_its_method_and_each_of_its_senders() {
    let (mut requests, mut notifications) = (0, 0);
    for (revision, messages) in tables() {
        for message in messages {
            let (client, server) = match message.sender {
                Sender::Client => (Some(message), None),
                Sender::Server => (None, Some(message)),
                Sender::Both => (Some(message), Some(message)),
            };
            let find = |sender| revision.message(message.method, sender);
            assert_eq!(find(Sender::Client), client, "{revision}");
            assert_eq!(find(Sender::Server), server, "{revision}");
            let both = client.and(server);
            assert_eq!(find(Sender::Both), both, "{revision}");
            match message.result {
                Some(_) => requests += 1,
                None => notifications += 1,
            }
        }
    }
    assert!(requests > 0 && notifications > 0);
}

#[test]
fn method_that_a_revision_lacks_is_not_found() {
    for (revision, messages) in tables() {
        let names = messages.iter().map(|message| message.name);
        for method in ["", "tools/calls", "Tools/call"].into_iter().chain(names) {
            for sender in [Sender::Client, Sender::Server, Sender::Both] {
                assert_eq!(revision.message(method, sender), None, "{method}");
            }
        }
    }
}

#[cfg(feature = "v2025-11-25")]
#[test]
fn messages_are_those_of_the_revision() {
    let (old, new) = (Revision::V2025_11_25, Revision::V2026_07_28);
    assert!(old.message("initialize", Sender::Client).is_some());
    assert_eq!(new.message("initialize", Sender::Client), None);
    assert_eq!(old.message("server/discover", Sender::Client), None);
    let params = |revision: Revision, method| {
        let message = revision.message(method, Sender::Client);
        message.and_then(|message| message.params)
    };
    for revision in [old, new] {
        let call = params(revision, "tools/call");
        assert_eq!(call, Some("CallToolRequestParams"), "{revision}");
    }
    assert_eq!(params(old, "ping"), Some("RequestParams"));
    assert!(new.message("server/discover", Sender::Client).is_some());
    // Progress was reported by both sides.
    let progress = "notifications/progress";
    assert!(old.message(progress, Sender::Both).is_some());
    assert_eq!(new.message(progress, Sender::Both), None);
    assert!(new.message(progress, Sender::Server).is_some());
}
