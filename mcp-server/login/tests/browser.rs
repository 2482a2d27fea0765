//! A browser, as far as a login needs one: cookies, redirects, links and forms.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;

use mcp_testkit::http::raw::{Head, Raw};

use super::setup::PUBLIC;

/// The maximum number of redirects.
const REDIRECTS: usize = 20;

/// A browser with cookies.
#[derive(Clone)]
pub(crate) struct Browser {
    hosts: HashMap<String, SocketAddr>,
    cookies: HashMap<String, BTreeMap<String, String>>,
    /// The URLs that were requested.
    pub(crate) visited: Vec<String>,
}

/// What the browser shows.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) url: String,
    /// The status; 0 for a host that the browser does not know, where it stops.
    pub(crate) status: u16,
    pub(crate) body: String,
    head: Option<Head>,
}

impl Page {
    /// Returns the first value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.as_ref()?.get(name)
    }

    /// Returns the value of a parameter in the query of the URL.
    pub(crate) fn param(&self, name: &str) -> Option<String> {
        param(&self.url, name)
    }

    /// Returns the URL to which the forms of the page are sent, and their hidden fields.
    pub(crate) fn form(&self) -> (String, Vec<(String, String)>) {
        let form = self.body.split("<form").nth(1).expect("a form");
        let action = attribute(form, "action").expect("an action");
        let inputs = form.split("<input").skip(1);
        let hidden = inputs.filter(|input| attribute(input, "type").as_deref() == Some("hidden"));
        let field = |input: &str| {
            let name = attribute(input, "name").expect("a name");
            (name, attribute(input, "value").expect("a value"))
        };
        (action, hidden.map(field).collect())
    }
}

/// Returns the value of a parameter in the query of a URL.
pub(crate) fn param(url: &str, name: &str) -> Option<String> {
    let (_, query) = url.split_once('?')?;
    let mut params = form_urlencoded::parse(query.as_bytes());
    let found = params.find(|(other, _)| other == name);
    found.map(|(_, value)| value.into_owned())
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let tag = tag.split('>').next()?;
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    let (value, _) = rest.split_once('"')?;
    let value = value
        .replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">");
    Some(value.replace("&amp;", "&"))
}

/// Encodes a form.
pub(crate) fn encoded(form: &[(&str, &str)]) -> String {
    let mut encoded = form_urlencoded::Serializer::new(String::new());
    encoded.extend_pairs(form);
    encoded.finish()
}

/// Returns the origin of a URL, and the rest.
fn split(url: &str) -> (&str, &str) {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url[start..]
        .find(['/', '?'])
        .map_or(url.len(), |at| start + at);
    url.split_at(end)
}

impl Browser {
    /// A browser that knows where the server is, and the provider.
    pub(crate) fn new(server: SocketAddr, provider: &str) -> Self {
        let mut browser = Self {
            hosts: HashMap::new(),
            cookies: HashMap::new(),
            visited: Vec::new(),
        };
        browser.knows(PUBLIC, server);
        if let Some(address) = provider.strip_prefix("http://") {
            browser.knows(provider, address.parse().expect("an address"));
        }
        browser
    }

    /// Tells the browser where an origin is.
    pub(crate) fn knows(&mut self, origin: &str, address: SocketAddr) {
        self.hosts.insert(origin.to_owned(), address);
    }

    /// Returns the cookies of the server, by their names without the part that differs.
    pub(crate) fn cookie_names(&self) -> Vec<String> {
        let cookies = self.cookies.get(PUBLIC).into_iter().flatten();
        cookies.map(|(name, _)| name.clone()).collect()
    }

    /// Sends one request.
    pub(crate) async fn request(
        &mut self,
        method: &str,
        url: &str,
        headers: &[(&'static str, &str)],
        body: &str,
    ) -> Page {
        self.visited.push(url.to_owned());
        let (origin, rest) = split(url);
        let Some(address) = self.hosts.get(origin) else {
            return Page {
                url: url.to_owned(),
                status: 0,
                body: String::new(),
                head: None,
            };
        };
        let path = if rest.starts_with('/') {
            rest.to_owned()
        } else {
            format!("/{rest}")
        };
        let mut all: Vec<(&'static str, String)> = Vec::new();
        for (name, value) in headers {
            all.push((name, (*value).to_owned()));
        }
        let cookies = self.cookies.entry(origin.to_owned()).or_default();
        if !cookies.is_empty() {
            let pairs: Vec<_> = cookies
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            all.push(("Cookie", pairs.join("; ")));
        }
        let (head, body) = Raw::connect(*address)
            .await
            .at(&path)
            .ask(method, &all, body)
            .await;
        for line in head.all("set-cookie") {
            store(cookies, line, origin);
        }
        Page {
            url: url.to_owned(),
            status: head.status,
            body,
            head: Some(head),
        }
    }

    /// Opens a URL, and follows redirects.
    pub(crate) async fn open(&mut self, url: &str) -> Page {
        let page = self.request("GET", url, &[], "").await;
        self.follow(page).await
    }

    /// Sends a form, and follows redirects.
    pub(crate) async fn post(&mut self, url: &str, form: &[(&str, &str)]) -> Page {
        let page = self.post_once(url, form).await;
        self.follow(page).await
    }

    /// Sends a form.
    pub(crate) async fn post_once(&mut self, url: &str, form: &[(&str, &str)]) -> Page {
        let headers = [
            ("Content-Type", "application/x-www-form-urlencoded"),
            ("Origin", "null"),
            ("Sec-Fetch-Site", "same-origin"),
        ];
        self.request("POST", url, &headers, &encoded(form)).await
    }

    async fn follow(&mut self, mut page: Page) -> Page {
        for _ in 0..REDIRECTS {
            let target = match page.status {
                301 | 302 | 303 | 307 => page.header("location").map(str::to_owned),
                200 => refresh(&page.body),
                _ => None,
            };
            let Some(target) = target else {
                return page;
            };
            page = self.request("GET", &target, &[], "").await;
        }
        panic!("too many redirects: {}", page.url);
    }

    /// Sends the form of a page, with the name and the value of a button.
    pub(crate) async fn press(&mut self, page: &Page, name: &str, value: &str) -> Page {
        self.press_with(page, &[(name, value)]).await
    }

    pub(crate) async fn press_with(&mut self, page: &Page, more: &[(&str, &str)]) -> Page {
        let (action, fields) = page.form();
        let mut form: Vec<(&str, &str)> = Vec::new();
        for (name, value) in &fields {
            form.push((name, value));
        }
        form.extend_from_slice(more);
        self.post(&action, &form).await
    }

    /// Presses the button that allows access.
    pub(crate) async fn allow(&mut self, page: &Page) -> Page {
        assert_eq!(page.status, 200, "{}", page.body);
        self.press(page, "decision", "allow").await
    }
}

/// Returns the URL to which a page leads by itself.
fn refresh(body: &str) -> Option<String> {
    let tag = body.split("<meta http-equiv=\"refresh\"").nth(1)?;
    let content = attribute(tag, "content")?;
    content.strip_prefix("0;url=").map(str::to_owned)
}

/// Stores a cookie as a browser does, and checks that it is a safe one.
fn store(cookies: &mut BTreeMap<String, String>, line: &str, origin: &str) {
    let mut parts = line.split("; ");
    let (name, value) = parts
        .next()
        .and_then(|pair| pair.split_once('='))
        .expect("a cookie");
    let attributes: Vec<_> = parts.collect();
    if origin.starts_with("https://") {
        assert!(name.starts_with("__Host-"), "{line}");
        for needed in ["Secure", "HttpOnly", "Path=/", "SameSite=Lax"] {
            assert!(attributes.contains(&needed), "{line}");
        }
        assert!(!line.contains("Domain"), "{line}");
    }
    assert!(line.len() < 4096, "a browser ignores this cookie: {line}");
    if attributes.contains(&"Max-Age=0") {
        cookies.remove(name);
    } else {
        cookies.insert(name.to_owned(), value.to_owned());
    }
}
