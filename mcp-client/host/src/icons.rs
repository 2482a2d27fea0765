//! Icons and websites of servers, tools, resources and prompts (SEP-973): chooses, validates and
//! loads icons, and checks websites.
//!
//! The server names the URL of an icon, and its content is not trusted. The URL must be `https` or
//! `data:`, at the origin of the server or at a host that the program allows. The icon is loaded
//! without credentials, and its format is detected from its bytes, whatever the declared type is.
//! SVG documents can contain scripts, and are rejected by default.
//!
//! ```
//! use mcp_host::icons::{self, IconWish};
//! use mcp_client::types::IconTheme;
//!
//! # async fn run(client: mcp_client::Client) -> Result<(), icons::IconError> {
//! let info = client.server_info();
//! let icons = info.and_then(|info| info.icons).unwrap_or_default();
//! let wish = IconWish::new().size(48).theme(IconTheme::Dark);
//! if let Some(icon) = icons::choose(&icons, &wish) {
//!     let image = icons::load(&client, icon).await?;
//!     println!("{}, {} bytes", image.format, image.bytes.len());
//! }
//! # Ok(())
//! # }
//! ```

mod choose;
mod data;
mod error;
mod format;
mod image;
mod load;
mod pixels;
mod policy;
mod website;

pub use choose::{IconWish, choose};
pub use error::{DataFault, IconError};
pub use format::ImageFormat;
pub use image::Image;
pub use load::{LoadIcon, load};
pub use policy::IconPolicy;
pub use website::{Website, website};
