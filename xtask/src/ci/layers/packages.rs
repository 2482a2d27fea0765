//! Which packages of the workspace may depend on each other.

use serde_json::Value;

use crate::workspace;

/// The packages by layer, lowest first. A package may depend on those of lower layers; only its tests
/// and examples may use others.
const ORDER: [&[&str]; 7] = [
    &[
        "codegen",
        "mcp-fetch",
        "mcp-oauth",
        "mcp-types",
        "xtask-support",
    ],
    &["mcp-guard", "mcp-wire"],
    &["mcp-extensions"],
    &["mcp-client", "mcp-server"],
    &[
        "mcp-client-oauth",
        "mcp-host",
        "mcp-login",
        "mcp-server-oauth",
        "mcp-skills",
        "mcp-stores",
        "mcp-testkit",
    ],
    &["mcp-gateway", "mcp-openapi"],
    &["mcp-cli", "xtask"],
];

/// Returns the dependencies in the output of `cargo metadata` that are not allowed.
pub(super) fn faults(metadata: &Value) -> Vec<String> {
    let rank = |name: &str| ORDER.iter().position(|layer| layer.contains(&name));
    let mut faults = Vec::new();
    for package in workspace::packages(metadata) {
        let name = package["name"].as_str().unwrap_or_default();
        let Some(own) = rank(name) else {
            faults.push(format!("`{name}` belongs to no layer of packages"));
            continue;
        };
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        // Those of tests and build scripts have a kind.
        let used = dependencies.filter(|used| used["kind"].is_null() && used["path"].is_string());
        for used in used.filter_map(|used| used["name"].as_str()) {
            if rank(used).is_none_or(|rank| rank >= own) {
                faults.push(format!(
                    "`{name}` must not depend on `{used}`: expected a package of a lower layer"
                ));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn packages_depend_on_lower_layers_only() {
        let package = |name: &str, kind: Value, used: &str| {
            let used = json!({ "name": used, "kind": kind, "path": "/workspace" });
            json!({ "name": name, "dependencies": [used] })
        };
        let metadata = json!({ "packages": [
            package("mcp-server", Value::Null, "mcp-types"),
            package("mcp-server", json!("dev"), "mcp-client"),
            package("mcp-server", Value::Null, "mcp-client"),
            package("mcp-types", Value::Null, "mcp-wire"),
            package("new", Value::Null, "mcp-types"),
        ] });
        let expected = |name: &str, used: &str| {
            format!("`{name}` must not depend on `{used}`: expected a package of a lower layer")
        };
        assert_eq!(
            faults(&metadata),
            [
                expected("mcp-server", "mcp-client"),
                expected("mcp-types", "mcp-wire"),
                "`new` belongs to no layer of packages".to_owned(),
            ]
        );
    }
}
