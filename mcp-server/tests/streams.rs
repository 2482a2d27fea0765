//! What a peer sees on a pair of byte streams.

mod streams {
    mod basics;
    mod peer;
}
