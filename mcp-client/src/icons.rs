//! Icons and websites of servers, tools, resources and prompts (SEP-973): which icon suits, what
//! may be loaded, and what it really is.
//!
//! Who says where an icon lies is the server, and nothing is known of what lies there. So an icon
//! is `https` or `data:` and nothing else, from the server's own origin or a host that the program
//! trusts; it is loaded without anything that says who asks; and it is an image of a kind that is
//! known by its bytes, whatever it is called. SVG is a document that can hold scripts, and is
//! refused unless the program says otherwise.
//!
//! ```
//! use mcp_client::icons::{self, IconWish};
//! use mcp_client::types::IconTheme;
//!
//! # async fn run(client: mcp_client::Client) -> Result<(), icons::IconError> {
//! let info = client.server_info();
//! let icons = info.and_then(|info| info.icons).unwrap_or_default();
//! let wish = IconWish::new().size(48).theme(IconTheme::Dark);
//! if let Some(icon) = icons::choose(&icons, &wish) {
//!     let image = client.icon(icon).await?;
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
pub use load::LoadIcon;
pub use policy::IconPolicy;
pub use website::Website;
