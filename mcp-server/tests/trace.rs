//! What a subscriber of `tracing` learns of requests.

mod trace {
    mod collect;
    mod spans;
}
