//! Icons and websites, over real sockets, and what comes of everything that can go wrong.

#[path = "../subject/certificate.rs"]
mod certificate;
mod choosing;
mod embedded;
mod extremes;
mod loading;
mod older;
#[path = "../fetch/web.rs"]
mod web;
mod websites;
