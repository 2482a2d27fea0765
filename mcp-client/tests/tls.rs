//! TLS with a certificate made for the test.
