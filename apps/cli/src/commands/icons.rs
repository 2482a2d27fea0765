//! `mcp icons`: all icons of a server, whether hosts may load them, and a page of them.

use maud::{DOCTYPE, html};
use mcp_client::Client;
use mcp_client::types::json::{self, Object, Value};
use mcp_client::types::{Base64Text, Icon, IconTheme};
use mcp_host::icons::{IconError, IconWish, Image, LoadIcon, choose};

use super::json_requests::{Budget, list, objects, text};
use super::lists::short;
use crate::args::{self, Theme};
use crate::failure::Failure;
use crate::network::around;
use crate::output::exact::to_json;
use crate::output::html::head;
use crate::output::table::print;
use crate::output::{Output, clean, print_message};

/// What has icons: the method that lists it, the member of its result, and its name.
const LISTS: [(&str, &str, &str); 4] = [
    ("tools/list", "tools", "tool"),
    ("prompts/list", "prompts", "prompt"),
    ("resources/list", "resources", "resource"),
    ("resources/templates/list", "resourceTemplates", "template"),
];

/// The maximum size of all images of a page, in bytes.
const PAGE: usize = 32 << 20;

/// The maximum number of icons that are loaded.
const ICONS: usize = 500;

const STYLE: &str = include_str!("icons.css");

/// What has icons.
pub(super) struct Owner {
    /// Its kind and its name.
    pub(super) name: String,
    pub(super) icons: Vec<Icon>,
}

/// Returns the server, tools, prompts, resources and templates that have icons. A list that fails is
/// left out.
pub(super) async fn owners(client: &Client) -> Vec<Owner> {
    let info = client.server_info();
    let mut owners = vec![Owner {
        name: "server".to_owned(),
        icons: info.and_then(|info| info.icons).unwrap_or_default(),
    }];
    let capabilities = to_json(&client.server_capabilities());
    let budget = Budget::new();
    for (method, member, what) in LISTS {
        let (capability, _) = method.split_once('/').unwrap_or_default();
        if capabilities.get(capability).is_none() {
            continue;
        }
        let listed = list(client, (method, member), &Object::new(), ICONS, &budget).await;
        for one in listed.unwrap_or_default().entries {
            let name = text(&one, "name").unwrap_or_default();
            let icons = objects(&one, "icons").into_iter();
            let icons =
                icons.filter_map(|icon| json::from_str(&Value::from(icon).to_string()).ok());
            owners.push(Owner {
                name: format!("{what} `{name}`"),
                icons: icons.collect(),
            });
        }
    }
    let mut left = ICONS;
    for owner in &mut owners {
        owner.icons.truncate(left);
        left -= owner.icons.len();
    }
    owners.retain(|owner| !owner.icons.is_empty());
    if left == 0 {
        print_message(&format!("only the first {ICONS} icons are loaded"));
    }
    owners
}

/// Loads an icon. A server on this machine may have it on this machine.
pub(super) fn load(client: &Client, icon: &Icon) -> LoadIcon {
    LoadIcon::new(icon.clone(), client.url(), around(client))
}

/// An icon that was loaded, or the reason why hosts must not.
struct Loaded<'a> {
    owner: &'a str,
    icon: &'a Icon,
    image: Result<Image, IconError>,
    is_chosen: bool,
}

pub(crate) async fn icons(
    client: &Client,
    args: &args::Icons,
    output: Output,
) -> Result<(), Failure> {
    let mut wish = IconWish::new();
    if let Some(size) = args.size {
        wish = wish.size(size);
    }
    if let Some(theme) = args.theme {
        wish = wish.theme(theme.into());
    }
    let owners = owners(client).await;
    let mut all = Vec::new();
    for owner in &owners {
        let chosen = choose(&owner.icons, &wish);
        for icon in &owner.icons {
            all.push(Loaded {
                owner: &owner.name,
                icon,
                image: load(client, icon).await,
                is_chosen: chosen.is_some_and(|chosen| std::ptr::eq(chosen, icon)),
            });
        }
    }
    if let Some(path) = &args.output {
        std::fs::write(path, page(client, &all)).map_err(|source| Failure::File {
            path: path.clone(),
            source,
        })?;
    }
    if output.json {
        let all: Vec<Value> = all.iter().map(|loaded| loaded.to_json().into()).collect();
        return Ok(output.value(&Object::from([("icons", all)]))?);
    }
    let rows: Vec<[String; 6]> = all.iter().map(Loaded::row).collect();
    let titles = ["CHOSEN", "OF", "ICON", "SIZES", "THEME", "VERDICT"];
    Ok(print(output, titles, &rows)?)
}

impl Loaded<'_> {
    fn sizes(&self) -> String {
        self.icon.sizes.as_deref().unwrap_or_default().join(" ")
    }

    fn theme(&self) -> &str {
        self.icon.theme.as_ref().map_or("", IconTheme::as_str)
    }

    /// Says what the icon is, or why hosts must not load it.
    fn verdict(&self) -> String {
        match &self.image {
            Ok(image) => {
                let pixels = image.pixels();
                let pixels = pixels.map(|(width, height)| format!(", {width}x{height}"));
                let (format, bytes) = (image.format, image.bytes.len());
                format!("{format}{}, {bytes} bytes", pixels.unwrap_or_default())
            }
            Err(error) => format!("refused: {error}"),
        }
    }

    fn row(&self) -> [String; 6] {
        let chosen = if self.is_chosen { "*" } else { "" };
        [
            chosen.to_owned(),
            self.owner.to_owned(),
            short(&self.icon.src),
            self.sizes(),
            self.theme().to_owned(),
            self.verdict(),
        ]
    }

    fn to_json(&self) -> Object {
        let mut members = Object::from([("of", self.owner)]);
        members.insert("icon", to_json(self.icon));
        members.insert("chosen", self.is_chosen);
        match &self.image {
            Ok(image) => {
                members.insert("format", image.format.to_string());
                members.insert("bytes", image.bytes.len() as u64);
                if let Some((width, height)) = image.pixels() {
                    members.insert("width", width);
                    members.insert("height", height);
                }
            }
            Err(error) => {
                members.insert("refused", error.to_string());
            }
        }
        members
    }

    /// Returns the image as a URI that a page may show; `None` if the page is full.
    fn data(&self, left: &mut usize) -> Option<String> {
        let image = self.image.as_ref().ok()?;
        *left = left.checked_sub(image.bytes.len())?;
        let bytes = Base64Text::encode(&image.bytes);
        Some(format!("data:{};base64,{}", image.format, bytes.as_str()))
    }
}

/// Returns a page that shows each icon in three sizes on both backgrounds. It has no scripts and loads
/// nothing, and all text of the server is escaped.
fn page(client: &Client, all: &[Loaded<'_>]) -> String {
    let name = client
        .server_info()
        .map(|info| info.title.unwrap_or(info.name));
    let title = format!("Icons of {}", clean::line(&name.unwrap_or_default()));
    let mut left = PAGE;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&title, STYLE, true))
            body {
                h1 { (title) }
                p { (all.len()) " icons. Each is shown with 16, 48 and 96 pixels, on a light and on a dark background." }
                @for (at, loaded) in all.iter().enumerate() {
                    section {
                        h2 { (clean::line(loaded.owner)) @if loaded.is_chosen { " " b { "chosen" } } }
                        @if let Some(data) = loaded.data(&mut left) {
                            // Once in the file, and shown six times.
                            svg width="0" height="0" aria-hidden="true" {
                                symbol id={ "i" (at) } viewBox="0 0 96 96" {
                                    image href=(data) width="96" height="96" {}
                                }
                            }
                            @for background in ["light", "dark"] {
                                p class=(background) {
                                    @for size in ["16", "48", "96"] {
                                        svg width=(size) height=(size) {
                                            use href={ "#i" (at) } {}
                                        }
                                    }
                                }
                            }
                        }
                        p class=(if loaded.image.is_ok() { "allowed" } else { "refused" }) {
                            (clean::line(&loaded.verdict()))
                        }
                        p { code { (clean::line(&short(&loaded.icon.src))) } }
                        @if let Some(sizes) = &loaded.icon.sizes {
                            p { "Sizes: " (clean::line(&sizes.join(" "))) }
                        }
                        @if !loaded.theme().is_empty() {
                            p { "Theme: " (loaded.theme()) }
                        }
                    }
                }
            }
        }
    };
    page.into_string()
}

impl From<Theme> for IconTheme {
    fn from(theme: Theme) -> Self {
        match theme {
            Theme::Light => Self::Light,
            Theme::Dark => Self::Dark,
        }
    }
}
