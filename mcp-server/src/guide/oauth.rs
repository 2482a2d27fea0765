//! Protect a server: access tokens, scopes and proofs of possession.
