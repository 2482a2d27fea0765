//! The HTTP headers that repeat parts of a request, so that proxies can route it without reading
//! the body. This module encodes them for clients and checks them for servers.
//!
//! See revision 2026-07-28, page "Streamable HTTP", section "Request Metadata". Names and values
//! are strings and bytes: no HTTP library is needed.
//!
//! A tool marks parameters with `x-mcp-header` in its input schema; [`header_params`] finds them:
//!
//! ```
//! use mcp_types::headers::{decode_value, encode_value, header_params};
//! use mcp_types::json::{self, Object};
//!
//! let schema: Object = json::from_str(
//!     r#"{"type":"object","properties":{"city":{"type":"string","x-mcp-header":"City"}}}"#,
//! )?;
//! let arguments: Object = json::from_str(r#"{"city":"Zürich"}"#)?;
//! let params = header_params(&schema)?;
//! let [city] = params.as_slice() else { panic!("one parameter is marked") };
//!
//! // The client writes the header.
//! let value = city.value_in(&arguments)?.expect("the city is given");
//! let value = encode_value(&value);
//! assert_eq!(format!("{}: {value}", city.header()), "mcp-param-city: =?base64?WsO8cmljaA==?=");
//!
//! // The server compares it with the body.
//! assert_eq!(decode_value(value.as_bytes())?, "Zürich");
//! city.matches(Some(value.as_bytes()), Some(&arguments))?;
//! let error = city.matches(Some("Bern"), Some(&arguments)).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "header mismatch: mcp-param-city is \"Bern\", but the body has \"Zürich\""
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod name;
mod param;
mod param_error;
mod value;

pub use check::{
    HeaderMismatch, MismatchReason, check_method, check_name, check_version, name_member,
};
pub use name::{
    ANNOTATION, LAST_EVENT_ID, METHOD, NAME, PARAM_PREFIX, PROTOCOL_VERSION, SESSION_ID,
};
pub use param::{HeaderParam, ParamKind, header_params};
pub use param_error::{HeaderParamError, HeaderParamReason};
pub use value::{HeaderValueError, decode_value, encode_value};
