//! Which of several icons is chosen.

use mcp_client::types::{Icon, IconTheme};
use mcp_host::icons::{IconWish, choose};

/// Returns an icon with this name and these sizes, separated by commas.
fn sized(name: &str, sizes: &str) -> Icon {
    let sizes: Vec<String> = sizes.split(',').map(str::to_owned).collect();
    plain(name).sizes(sizes)
}

fn plain(name: &str) -> Icon {
    Icon::new(format!("https://example.com/{name}"))
}

fn chosen(icons: &[Icon], wish: &IconWish) -> String {
    let chosen = choose(icons, wish).map(|icon| icon.src.clone());
    let name = chosen.as_deref().and_then(|src| src.rsplit('/').next());
    name.unwrap_or_default().to_owned()
}

#[test]
fn best_matching_size_is_chosen() {
    let icons = [
        sized("small", "16x16"),
        sized("middle", "48x48,96x96"),
        sized("large", "512x512"),
        sized("wide", "200x100"),
    ];
    for (size, name) in [
        (16, "small"),
        (48, "middle"),
        (96, "middle"),
        (512, "large"),
        (200, "wide"),
        // The next larger one, or else the largest.
        (17, "middle"),
        (100, "wide"),
        (300, "large"),
        (1000, "large"),
        (1, "small"),
    ] {
        assert_eq!(chosen(&icons, &IconWish::new().size(size)), name, "{size}");
    }
    assert_eq!(chosen(&icons, &IconWish::new()), "large");
}

#[test]
fn any_size_ranks_after_the_exact_size() {
    for any in [
        sized("any", "any"),
        sized("any", "ANY"),
        sized("any", "16x16,any"),
        plain("any"),
        // Counts as no size.
        sized("any", "large"),
        sized("any", "48x,x48,+48x48,48x48x48,99999999999x1"),
    ] {
        let icons = [sized("larger", "49x49"), any, sized("same", "48x48")];
        let wish = IconWish::new();
        assert_eq!(chosen(&icons, &wish.clone().size(48)), "same");
        assert_eq!(chosen(&icons, &wish.clone().size(47)), "any");
        assert_eq!(chosen(&icons, &wish.clone().size(1000)), "any");
        assert_eq!(chosen(&icons, &wish), "any");
    }
    // The format of an earlier revision of the specification.
    let icons = [plain("any"), sized("both", "48x48 96X96")];
    assert_eq!(chosen(&icons, &IconWish::new().size(96)), "both");
}

#[test]
fn theme_takes_precedence_over_size() {
    let icons = [
        sized("light", "48x48").theme(IconTheme::Light),
        sized("dark", "16x16").theme(IconTheme::Dark),
        sized("either", "32x32"),
    ];
    let wish = IconWish::new().size(48);
    assert_eq!(
        chosen(&icons, &wish.clone().theme(IconTheme::Light)),
        "light"
    );
    assert_eq!(chosen(&icons, &wish.clone().theme(IconTheme::Dark)), "dark");
    assert_eq!(chosen(&icons, &wish), "either");
    // An icon for both themes ranks before one for the other theme, and that one before none.
    let wish = wish.theme(IconTheme::Dark);
    assert_eq!(
        chosen(&[icons[0].clone(), icons[2].clone()], &wish),
        "either"
    );
    assert_eq!(chosen(&[icons[0].clone()], &wish), "light");
}

#[test]
fn media_type_decides_among_equal_icons() {
    let of = |name: &str, kind: &str| plain(name).mime_type(kind);
    let icons = [
        of("bmp", "image/bmp"),
        plain("unknown"),
        of("gif", "image/gif"),
        of("webp", "image/webp"),
        of("jpg", "image/JPG"),
        of("png", "image/png; a=b"),
        of("svg", "image/svg+xml"),
    ];
    let wish = IconWish::new();
    assert_eq!(chosen(&icons, &wish), "png");
    assert_eq!(chosen(&icons[..5], &wish), "jpg");
    assert_eq!(chosen(&icons[..4], &wish), "webp");
    assert_eq!(chosen(&icons[..3], &wish), "gif");
    assert_eq!(chosen(&icons[..2], &wish), "unknown");
    assert_eq!(chosen(&icons[..1], &wish), "");
    assert_eq!(chosen(&icons[6..], &wish), "");
    let vector = wish.clone().types(["image/svg+xml", "image/jpeg"]);
    assert_eq!(chosen(&icons, &vector), "svg");
    assert_eq!(chosen(&icons[..6], &vector), "jpg");
    // The media type of a `data:` URI is known.
    let svg = [Icon::new("data:image/svg+xml,%3Csvg/%3E"), plain("x")];
    assert_eq!(chosen(&svg, &wish), "x");
    assert_eq!(choose(&svg, &vector), Some(&svg[0]));
    // A type that names no format counts as none: that of the `data:` URI is used, or nothing.
    for generic in [
        "application/octet-stream",
        "BINARY/octet-stream",
        "text/plain",
        "",
    ] {
        assert_eq!(chosen(&[of("generic", generic)], &wish), "generic");
        assert_eq!(
            chosen(&[of("generic", generic), icons[2].clone()], &wish),
            "gif"
        );
        let data = Icon::new("data:image/bmp;base64,AAAA").mime_type(generic);
        assert_eq!(choose(&[data], &wish), None, "{generic}");
    }
    // Among equal icons, the first.
    assert_eq!(chosen(&[plain("one"), plain("two")], &wish), "one");
}

#[test]
fn icons_that_cannot_be_loaded_are_not_chosen() {
    for src in [
        "http://example.com/icon.png",
        "javascript:alert(1)",
        "file:///icon.png",
        "ftp://example.com/icon.png",
        "ws://example.com/icon.png",
        "myapp://icon",
        "icon.png",
        "https://me@example.com/icon.png",
        "",
    ] {
        let icons = [Icon::new(src).mime_type("image/png")];
        assert_eq!(choose(&icons, &IconWish::new()), None, "{src}");
        let icons = [icons[0].clone(), plain("other")];
        assert_eq!(chosen(&icons, &IconWish::new()), "other", "{src}");
    }
    assert_eq!(choose(&[], &IconWish::new()), None);
}
