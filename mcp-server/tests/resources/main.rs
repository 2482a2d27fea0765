//! What `docs/resources.md` promises of servers, as peers see it on byte streams and sockets.

mod lists;
#[path = "../features/peer.rs"]
mod peer;
