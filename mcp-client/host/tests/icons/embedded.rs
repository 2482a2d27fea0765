//! Icons that are `data:` URIs.

use mcp_client::types::Icon;
use mcp_client::types::base64::Base64Text;
use mcp_client::{Client, UrlFault};
use mcp_host::icons::{self, DataFault, IconError, IconPolicy, Image, ImageFormat};

use crate::serve;
use mcp_testkit::soon;

/// The beginning of an image of 48 by 48 pixels.
pub(crate) const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x30\0\0\0\x30\x08\x06";
pub(crate) const JPEG: &[u8] = b"\xff\xd8\xff\xc0\0\x0b\x08\0\x30\0\x30\x01";
const GIF: &[u8] = b"GIF89a\x30\0\x30\0";
const WEBP: &[u8] = b"RIFF\x1a\0\0\0WEBPVP8L\x0e\0\0\0\x2f\x2f\xc0\x0b\0";
const SVG: &[u8] = b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>";

/// Returns a client of a server over a stream.
async fn client() -> Client {
    let server = mcp_server::Server::builder("demo", "1.0.0").build();
    let server = server.expect("valid");
    let builder = Client::builder("test", "1.0.0");
    let client = soon(builder.connect(serve(&server))).await;
    client.expect("connected")
}

fn base64(media_type: &str, bytes: &[u8]) -> Icon {
    let text = Base64Text::encode(bytes);
    Icon::new(format!("data:{media_type};base64,{text}"))
}

fn percent(media_type: &str, bytes: &[u8]) -> Icon {
    let text: String = bytes.iter().map(|byte| format!("%{byte:02x}")).collect();
    Icon::new(format!("data:{media_type},{text}"))
}

async fn load(icon: &Icon, policy: IconPolicy) -> Result<Image, IconError> {
    soon(icons::load(&client().await, icon).policy(policy)).await
}

#[tokio::test]
async fn images_are_detected_by_their_bytes() {
    for (media_type, bytes, format) in [
        ("image/png", PNG, ImageFormat::Png),
        ("image/jpeg", JPEG, ImageFormat::Jpeg),
        ("image/jpg", JPEG, ImageFormat::Jpeg),
        ("IMAGE/GIF", GIF, ImageFormat::Gif),
        ("image/webp;a=b", WEBP, ImageFormat::Webp),
        // Without a media type.
        ("", PNG, ImageFormat::Png),
        ("application/octet-stream", PNG, ImageFormat::Png),
        ("text/plain", PNG, ImageFormat::Png),
    ] {
        for icon in [base64(media_type, bytes), percent(media_type, bytes)] {
            let image = load(&icon, IconPolicy::new()).await.expect("an image");
            assert_eq!((image.format, &image.bytes[..]), (format, bytes));
        }
    }
}

#[tokio::test]
async fn image_that_contradicts_its_media_type_is_rejected() {
    for (icon, declared, format) in [
        (base64("image/png", JPEG), "image/png", ImageFormat::Jpeg),
        (base64("image/jpeg", PNG), "image/jpeg", ImageFormat::Png),
        (base64("text/html", PNG), "text/html", ImageFormat::Png),
        (base64("image/png", SVG), "image/png", ImageFormat::Svg),
        // The media type is in the icon, or only in the URI.
        (
            base64("", PNG).mime_type("image/jpeg"),
            "image/jpeg",
            ImageFormat::Png,
        ),
        (
            base64("image/png", PNG).mime_type("image/gif"),
            "image/gif",
            ImageFormat::Png,
        ),
    ] {
        match load(&icon, IconPolicy::new().allow_svg(true)).await {
            Err(IconError::Type {
                declared: said,
                found,
            }) => {
                assert_eq!((said.as_str(), found), (declared, format));
            }
            other => panic!("{}: {other:?}", icon.src),
        }
    }
    for bytes in [
        &b"hello"[..],
        b"",
        b"BM\x30",
        b"<html><svg/></html>",
        b"\0\0\x01\0",
    ] {
        for media_type in ["image/png", ""] {
            let found = load(&base64(media_type, bytes), IconPolicy::new()).await;
            assert!(matches!(found, Err(IconError::Unknown)), "{found:?}");
        }
    }
}

#[tokio::test]
async fn image_without_pixels_is_broken() {
    let without = |bytes: &[u8], at: std::ops::Range<usize>| {
        let mut bytes = bytes.to_vec();
        bytes[at].fill(0);
        bytes
    };
    for (format, bytes) in [
        (ImageFormat::Png, PNG[..20].to_vec()),
        // No width, no height, neither.
        (ImageFormat::Png, without(PNG, 16..20)),
        (ImageFormat::Png, without(PNG, 20..24)),
        (ImageFormat::Png, without(PNG, 16..24)),
        (ImageFormat::Jpeg, without(JPEG, 9..11)),
        (ImageFormat::Gif, without(GIF, 6..10)),
        (
            ImageFormat::Webp,
            b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\0\0\0\0".to_vec(),
        ),
    ] {
        let found = load(&base64("", &bytes), IconPolicy::new()).await;
        let expected = matches!(found, Err(IconError::Broken(found)) if found == format);
        assert!(expected, "{format}: {found:?}");
    }
}

#[tokio::test]
async fn svg_is_rejected_by_default() {
    for icon in [
        base64("image/svg+xml", SVG),
        percent("image/svg+xml", SVG),
        base64("", b"<?xml version=\"1.0\"?><!-- x --><svg><script/></svg>"),
    ] {
        let refused = load(&icon, IconPolicy::new()).await;
        assert!(matches!(refused, Err(IconError::Svg)), "{refused:?}");
        let image = load(&icon, IconPolicy::new().allow_svg(true)).await;
        assert_eq!(image.expect("allowed").format, ImageFormat::Svg);
    }
}

#[tokio::test]
async fn too_large_data_is_rejected() {
    let tail = |length: usize| [PNG, &vec![0; length - PNG.len()]].concat();
    let policy = || IconPolicy::new().size(1000);
    for made in [base64, percent] {
        assert!(
            load(&made("image/png", &tail(1000)), policy())
                .await
                .is_ok()
        );
        for length in [1001, 100_000] {
            let found = load(&made("image/png", &tail(length)), policy()).await;
            let expected = matches!(found, Err(IconError::TooLarge { limit: 1000 }));
            assert!(expected, "{found:?}");
        }
    }
    // The default limit.
    let mib = 1 << 20;
    assert!(
        load(&base64("", &tail(mib)), IconPolicy::new())
            .await
            .is_ok()
    );
    let found = load(&base64("", &tail(mib + 1)), IconPolicy::new()).await;
    assert!(
        matches!(found, Err(IconError::TooLarge { .. })),
        "{found:?}"
    );
}

#[tokio::test]
async fn image_with_too_many_pixels_is_rejected() {
    let mut wide = PNG.to_vec();
    wide[16..20].copy_from_slice(&4097_u32.to_be_bytes());
    let mut high = PNG.to_vec();
    high[20..24].copy_from_slice(&u32::MAX.to_be_bytes());
    for (bytes, size) in [(wide, (4097, 48)), (high, (48, u32::MAX))] {
        match load(&base64("image/png", &bytes), IconPolicy::new()).await {
            Err(IconError::Pixels {
                width,
                height,
                limit: 4096,
            }) => assert_eq!((width, height), size),
            other => panic!("{other:?}"),
        }
    }
    let small = || IconPolicy::new().pixels(47);
    for (media_type, bytes) in [
        ("image/png", PNG),
        ("image/jpeg", JPEG),
        ("image/gif", GIF),
        ("image/webp", WEBP),
    ] {
        match load(&base64(media_type, bytes), small()).await {
            Err(IconError::Pixels { width, height, .. }) => assert_eq!((width, height), (48, 48)),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn invalid_data_uri_is_reported_with_the_reason() {
    let load = async |src: &str| load(&Icon::new(src), IconPolicy::new()).await;
    for (src, fault) in [
        ("data:image/png;base64", DataFault::NoData),
        ("data:image/png;base64,AA AA", DataFault::Characters),
        ("data:image/png,%9", DataFault::Characters),
        ("data:image/svg+xml,<svg>#</svg>", DataFault::Fragment),
    ] {
        match load(src).await {
            Err(IconError::Data(found)) => assert_eq!(found, fault, "{src}"),
            other => panic!("{src}: {other:?}"),
        }
    }
    let found = load("data:image/png;base64,====").await;
    let expected = matches!(found, Err(IconError::Data(DataFault::Base64(_))));
    assert!(expected, "{found:?}");
}

#[tokio::test]
async fn other_schemes_are_rejected_and_streams_have_no_origin() {
    let load = async |src: &str| load(&Icon::new(src), IconPolicy::new()).await;
    for (src, scheme) in [
        ("http://example.com/icon.png", "http"),
        ("javascript:alert(1)", "javascript"),
        ("file:///icon.png", "file"),
        ("ftp://example.com/icon.png", "ftp"),
        ("ws://example.com/icon.png", "ws"),
        ("blob:https://example.com/1", "blob"),
        ("myapp://icon", "myapp"),
    ] {
        match load(src).await {
            Err(IconError::Url(UrlFault::Scheme(found))) => assert_eq!(found, scheme),
            other => panic!("{src}: {other:?}"),
        }
    }
    match load("https://example.com/icon.png").await {
        Err(IconError::Origin { origin }) => assert_eq!(origin, "https://example.com:443"),
        other => panic!("{other:?}"),
    }
}
