//! Names of tools for language models: the name of the server, `__`, the name of the tool.

use std::collections::{HashMap, HashSet};

/// The maximum length of a name. All interfaces have the same.
const NAME_CHARS: usize = 64;
/// The maximum length of the part that names the server.
const SERVER_CHARS: usize = 20;
const SEPARATOR: &str = "__";

fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// Returns the first part of the names of a server's tools. `attempt` is 0 unless another server has
/// the same part.
///
/// It contains no `__` and does not end with `_`, so that the first `__` of a name ends it: no tool
/// of one server can have the name of a tool of another one.
pub(super) fn server_part(server: &str, attempt: u64) -> String {
    let is_plain = (1..=SERVER_CHARS).contains(&server.len())
        && server.chars().all(is_allowed)
        && !server.contains(SEPARATOR)
        && !server.ends_with('_');
    if is_plain && attempt == 0 {
        return server.to_owned();
    }
    let rewrite = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let base: String = server.chars().take(SERVER_CHARS - 9).map(rewrite).collect();
    let hash = hash(server).wrapping_add(attempt) & 0xffff_ffff;
    format!("{base}-{hash:08x}")
}

/// Returns the names of a server's tools for a model; `None` for a tool whose name occurred before.
///
/// A name depends on nothing but the server and the tool, so that it stays the same when the list
/// changes. The exception are tools of one server whose hashes are the same.
pub(super) fn tool_names(part: &str, tools: &[&str]) -> Vec<Option<String>> {
    let room = NAME_CHARS - part.len() - SEPARATOR.len();
    let is_plain = |tool: &str| (1..=room).contains(&tool.len()) && tool.chars().all(is_allowed);
    let plain: HashSet<&str> = tools
        .iter()
        .copied()
        .filter(|tool| is_plain(tool))
        .collect();
    let (mut seen, mut rewritten) = (HashSet::new(), HashSet::new());
    // The numbers that were added to each hash. None is tried twice, so that the time does not
    // depend on the names that a server chooses.
    let mut added: HashMap<(String, u64), u64> = HashMap::new();
    let mut name = |tool: &str| {
        if is_plain(tool) {
            return tool.to_owned();
        }
        let rewrite = |c: char| if is_allowed(c) { c } else { '_' };
        let base: String = tool.chars().take(room - 13).map(rewrite).collect();
        let hash = hash(tool);
        let next = added.entry((base.clone(), hash)).or_default();
        loop {
            let hash = hash.wrapping_add(*next) & 0xffff_ffff_ffff;
            *next += 1;
            let candidate = format!("{base}_{hash:012x}");
            if !plain.contains(&*candidate) && rewritten.insert(candidate.clone()) {
                return candidate;
            }
        }
    };
    let names = tools.iter().map(|tool| {
        let is_new = seen.insert(*tool);
        is_new.then(|| format!("{part}{SEPARATOR}{}", name(tool)))
    });
    names.collect()
}

/// FNV-1a: the same in every release, unlike the hashes of the standard library.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_accepted(name: &str) {
        assert!((1..=64).contains(&name.len()), "{name}");
        assert!(name.chars().all(is_allowed), "{name}");
    }

    #[test]
    fn names_are_accepted_by_models_and_differ() {
        let long = "n".repeat(128);
        let tools = [
            "a.b", "a_b", "a/b", "", "\u{e9}", &long, "plain-1", "__", "_",
        ];
        let servers = [
            "files",
            "a",
            "a_",
            "a__b",
            "",
            "@scope/server",
            &long,
            "\u{e9}",
            "-",
            "x-y",
        ];
        let mut seen = HashSet::new();
        for server in servers {
            let names = tool_names(&server_part(server, 0), &tools);
            for name in names {
                let name = name.expect("no tool occurs twice");
                assert_accepted(&name);
                assert!(seen.insert(name.clone()), "{name}");
            }
        }
        assert!(seen.contains("files__a_b") && seen.contains("files__plain-1"));
    }

    #[test]
    fn tool_of_one_server_never_has_the_name_of_another_server() {
        let names = tool_names(&server_part("a", 0), &["b__c", "_b", "__c"]);
        let own: Vec<_> = ["a__b", "a_", "a___b"]
            .iter()
            .flat_map(|server| tool_names(&server_part(server, 0), &["c", "b", "_c"]))
            .collect();
        assert!(
            names.iter().all(|name| !own.contains(name)),
            "{names:?} {own:?}"
        );
    }

    #[test]
    fn names_do_not_depend_on_other_tools_or_releases() {
        let part = server_part("my server", 0);
        assert_eq!(part, "my-server-adaf036e");
        let all = tool_names(&part, &["a.b", "a/b", "list"]);
        let other = tool_names(&part, &["list", "a/b", "new.tool", "a.b"]);
        assert_eq!(all[0], other[3]);
        assert_eq!(all[1], other[1]);
        assert_eq!(all[2].as_deref(), Some("my-server-adaf036e__list"));
        assert_eq!(
            all[0].as_deref(),
            Some("my-server-adaf036e__a_b_99190466522c")
        );
    }

    #[test]
    fn second_tool_of_the_same_name_has_none() {
        let names = tool_names("s", &["x", "y.z", "x", "y.z"]);
        assert!(names[0].is_some() && names[1].is_some());
        assert_eq!(names[2..], [None, None]);
    }

    #[test]
    fn tool_with_the_rewritten_name_of_another_one_keeps_its_own() {
        let rewritten = tool_names("s", &["a.b"]).remove(0).expect("a name");
        let taken = rewritten.trim_start_matches("s__");
        let names = tool_names("s", &["a.b", taken]);
        assert_eq!(names[1], Some(rewritten));
        assert_ne!(names[0], names[1]);
    }

    #[test]
    fn other_server_with_the_same_part_gets_another_one() {
        assert_ne!(server_part("files", 0), server_part("files", 1));
        assert_accepted(&server_part("files", 1));
    }
}
