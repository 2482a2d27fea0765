//! `mcp icons`: all icons of a server, whether hosts may load them, and a page of them.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use maud::{DOCTYPE, PreEscaped, html};
use mcp_client::Client;
use mcp_client::types::json::{self, Object, Value};
use mcp_client::types::{Base64Text, Icon, IconTheme};
use mcp_host::icons::{self, IconError, IconWish, Image, choose};
use sha2::{Digest, Sha256};

use super::json_requests::{objects, pages_of, text};
use super::lists::short;
use crate::args::{self, Theme};
use crate::failure::Failure;
use crate::output::exact::to_json;
use crate::output::table::print;
use crate::output::{Output, clean, print_message};

/// What has icons: the method that lists it, the member of its result, and its name.
const LISTS: [(&str, &str, &str); 4] = [
    ("tools/list", "tools", "tool"),
    ("prompts/list", "prompts", "prompt"),
    ("resources/list", "resources", "resource"),
    ("resources/templates/list", "resourceTemplates", "template"),
];

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
    for (method, member, what) in LISTS {
        let (capability, _) = method.split_once('/').unwrap_or_default();
        if capabilities.get(capability).is_none() {
            continue;
        }
        for one in pages_of(client, method, member, ICONS).await {
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
    owners.retain(|owner| !owner.icons.is_empty());
    owners
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
            if all.len() == ICONS {
                print_message(&format!("only the first {ICONS} icons are loaded"));
                break;
            }
            all.push(Loaded {
                owner: &owner.name,
                icon,
                image: icons::load(client, icon).await,
                is_chosen: chosen.is_some_and(|chosen| std::ptr::eq(chosen, icon)),
            });
        }
    }
    if let Some(path) = &args.output {
        write(path, &page(client, &all))?;
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

    fn theme(&self) -> &'static str {
        match self.icon.theme {
            Some(IconTheme::Light) => "light",
            Some(IconTheme::Dark) => "dark",
            None => "",
        }
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

    /// Returns the image as a URI that a page may show.
    fn data(&self) -> Option<String> {
        let image = self.image.as_ref().ok()?;
        let bytes = Base64Text::encode(&image.bytes);
        Some(format!("data:{};base64,{}", image.format, bytes.as_str()))
    }
}

/// Returns a page that shows each icon in three sizes on both backgrounds. It has no scripts and loads
/// nothing, and all text of the server is escaped.
fn page(client: &Client, all: &[Loaded<'_>]) -> String {
    let hash = Base64Text::encode(Sha256::digest(STYLE));
    let policy = format!(
        "default-src 'none'; img-src data:; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash.as_str()
    );
    let name = client
        .server_info()
        .map(|info| info.title.unwrap_or(info.name));
    let name = name.unwrap_or_default();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Icons of " (clean::line(&name)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "Icons of " (clean::line(&name)) }
                p { (all.len()) " icons. Each is shown with 16, 48 and 96 pixels, on a light and on a dark background." }
                @for loaded in all {
                    section {
                        h2 { (clean::line(loaded.owner)) @if loaded.is_chosen { " " b { "chosen" } } }
                        @if let Some(data) = loaded.data() {
                            @for background in ["light", "dark"] {
                                p class=(background) {
                                    @for size in ["16", "48", "96"] {
                                        img src=(data) width=(size) height=(size) alt="";
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

fn write(path: &Path, page: &str) -> Result<(), Failure> {
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .open(path);
    let written = file.and_then(|mut file| file.write_all(page.as_bytes()));
    written.map_err(|source| Failure::File {
        path: path.to_owned(),
        source,
    })
}

impl From<Theme> for IconTheme {
    fn from(theme: Theme) -> Self {
        match theme {
            Theme::Light => Self::Light,
            Theme::Dark => Self::Dark,
        }
    }
}
