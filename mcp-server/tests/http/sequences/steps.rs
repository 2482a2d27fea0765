//! The actions of clients.

use proptest::prelude::*;

/// An action of a client. Numbers select among the existing objects, modulo their count.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Initialize {
        revision: usize,
    },
    Call {
        session: usize,
        tool: usize,
        id: u32,
    },
    Batch {
        session: usize,
        id: u32,
    },
    Cancel {
        session: usize,
        id: u32,
    },
    Answer {
        session: usize,
        id: u32,
    },
    Listen {
        session: usize,
    },
    Resume {
        session: usize,
        event: usize,
    },
    Delete {
        session: usize,
    },
    Modern {
        tool: usize,
    },
    Subscribe,
    OpenChannel,
    PostToChannel {
        channel: usize,
        message: usize,
    },
    /// The client of a request disconnects.
    Disconnect {
        request: usize,
    },
    /// Lets a waiting handler continue.
    Go,
    Wait {
        seconds: u64,
    },
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    let (n, id) = (any::<u8>().prop_map(usize::from), 0..3_u32);
    prop_oneof![
        4 => n.clone().prop_map(|revision| Step::Initialize { revision }),
        10 => (n.clone(), n.clone(), id.clone())
            .prop_map(|(session, tool, id)| Step::Call { session, tool, id }),
        1 => (n.clone(), id.clone()).prop_map(|(session, id)| Step::Batch { session, id }),
        2 => (n.clone(), id.clone()).prop_map(|(session, id)| Step::Cancel { session, id }),
        1 => (n.clone(), id).prop_map(|(session, id)| Step::Answer { session, id }),
        2 => n.clone().prop_map(|session| Step::Listen { session }),
        2 => (n.clone(), n.clone()).prop_map(|(session, event)| Step::Resume { session, event }),
        6 => n.clone().prop_map(|session| Step::Delete { session }),
        2 => n.clone().prop_map(|tool| Step::Modern { tool }),
        1 => Just(Step::Subscribe),
        1 => Just(Step::OpenChannel),
        2 => (n.clone(), n.clone())
            .prop_map(|(channel, message)| Step::PostToChannel { channel, message }),
        6 => n.prop_map(|request| Step::Disconnect { request }),
        2 => Just(Step::Go),
        1 => prop_oneof![0..60_u64, Just(4_000)].prop_map(|seconds| Step::Wait { seconds }),
    ]
}
