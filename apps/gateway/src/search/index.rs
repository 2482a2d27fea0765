//! [`Index`]: ranks tools by the words of a query, with BM25.
//!
//! The crate `bm25` depends on `fxhash`, which is not maintained, and compares hashes of words. Its
//! tokenizer, which is the larger part of it, is for prose; names such as `listPullRequests` have to be
//! divided into words here anyway.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The maximum number of words of a tool that are indexed, and of a query.
const WORDS: usize = 512;
const QUERY_WORDS: usize = 32;
/// The longest word that is indexed, in bytes. It bounds the memory of the index.
const WORD: usize = 64;
/// The usual parameters of BM25: how fast repetitions saturate, and how much the length counts.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// Words that most queries and descriptions contain.
const STOP: [&str; 16] = [
    "a", "an", "and", "are", "as", "be", "by", "for", "in", "is", "of", "on", "or", "the", "to",
    "with",
];

/// An index of tools by their positions in a list.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// For each word, the tools that have it, and how often.
    words: HashMap<String, Vec<(u32, f32)>>,
    lengths: Vec<f32>,
    mean: f32,
    /// The tools by their names and titles in lower case, and by the words of these with spaces.
    names: HashMap<String, Vec<u32>>,
    /// The number of entries of `words` and `names`.
    pub(super) size: usize,
}

/// The members of a tool that are indexed.
#[derive(Deserialize)]
struct Tool {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default, rename = "inputSchema")]
    input_schema: Value,
}

impl Index {
    pub(super) fn new(tools: &[Box<RawValue>]) -> Self {
        let mut index = Self::default();
        for (position, tool) in (0..).zip(tools) {
            index.add(position, tool);
        }
        let total: f32 = index.lengths.iter().sum();
        index.mean = total / as_float(index.lengths.len().max(1));
        index
    }

    fn add(&mut self, position: u32, tool: &RawValue) {
        let mut counts: HashMap<String, f32> = HashMap::new();
        let mut length = 0.0;
        if let Ok(tool) = serde_json::from_str::<Tool>(tool.get()) {
            for name in [&tool.name, &tool.title].into_iter().flatten() {
                self.add_name(position, name);
            }
            let arguments = tool
                .input_schema
                .get("properties")
                .and_then(Value::as_object);
            let arguments = arguments.into_iter().flatten();
            let arguments = arguments.map(|(name, _)| (name.as_str(), 1.0));
            // A word of the name says more about a tool than one of its description.
            let texts = [(tool.name, 3.0), (tool.title, 2.0), (tool.description, 1.0)];
            let texts = texts
                .iter()
                .filter_map(|(text, weight)| Some((text.as_deref()?, *weight)));
            let words = texts
                .chain(arguments)
                .flat_map(|(text, weight)| words(text).map(move |word| (word, weight)));
            for (word, weight) in words.take(WORDS) {
                length += weight;
                *counts.entry(word).or_default() += weight;
            }
        }
        self.size += counts.len();
        for (word, count) in counts {
            self.words.entry(word).or_default().push((position, count));
        }
        self.lengths.push(length);
    }

    fn add_name(&mut self, position: u32, name: &str) {
        let mut keys = name_keys(name);
        keys.dedup();
        for key in keys {
            self.names.entry(key).or_default().push(position);
            self.size += 1;
        }
    }

    /// Returns the positions of the tools whose name or title is the query, and of those that have a word of
    /// it, the best first.
    pub(super) fn search(&self, query: &str) -> Vec<usize> {
        let mut wanted: Vec<String> = words(query).take(QUERY_WORDS).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let all = as_float(self.lengths.len());
        let mut scores: HashMap<u32, f32> = HashMap::new();
        for word in &wanted {
            let Some(tools) = self.words.get(word) else {
                continue;
            };
            let having = as_float(tools.len());
            let rarity = (1.0 + (all - having + 0.5) / (having + 0.5)).ln();
            for (position, count) in tools {
                let length = self
                    .lengths
                    .get(*position as usize)
                    .copied()
                    .unwrap_or_default();
                let norm = K1 * (1.0 - B + B * length / self.mean.max(1.0));
                *scores.entry(*position).or_default() +=
                    rarity * count * (K1 + 1.0) / (count + norm);
            }
        }
        let mut ranked: Vec<(u32, f32)> = scores.into_iter().collect();
        // Tools with equal scores keep the order of the list.
        ranked.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let named = name_keys(query.trim_matches(|it: char| !it.is_alphanumeric()));
        let named = named.iter().filter_map(|key| self.names.get(key)).flatten();
        let mut known = HashSet::new();
        let all = named.copied().chain(ranked.into_iter().map(|it| it.0));
        all.filter(|position| known.insert(*position))
            .map(|position| position as usize)
            .collect()
    }
}

#[expect(clippy::cast_precision_loss, reason = "a number of tools, for a score")]
fn as_float(number: usize) -> f32 {
    number as f32
}

/// Returns the texts by which a tool is found as the one of this name: the name itself, and its words.
fn name_keys(name: &str) -> Vec<String> {
    if name.len() > QUERY_WORDS * WORD {
        return Vec::new();
    }
    let words: Vec<String> = words(name).collect();
    vec![name.to_lowercase(), words.join(" ")]
}

/// Divides a text into words in lower case: at characters other than letters and digits, and where a
/// capital letter begins a word, as in `listPullRequests`. Chinese, Japanese and Korean letters are taken
/// in pairs, because spaces do not divide them into words. The plural is that of most English words.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let parts = text.split(|it: char| !it.is_alphanumeric());
    parts.flat_map(humps).flat_map(pairs).filter_map(|part| {
        if part.len() > WORD {
            return None;
        }
        let mut word = part.to_lowercase();
        if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") {
            word.pop();
        }
        (!word.is_empty() && !STOP.contains(&&*word)).then_some(word)
    })
}

/// Divides `listPullRequests` into its words, and `HTTPServer` as well.
fn humps(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut before: Option<char> = None;
        let mut letters = rest.char_indices().peekable();
        let mut end = rest.len();
        while let Some((at, letter)) = letters.next() {
            let next_is_small = letters.peek().is_some_and(|(_, next)| next.is_lowercase());
            let begins = before.is_some_and(|before| {
                letter.is_uppercase() && (!before.is_uppercase() || next_is_small)
            });
            if begins {
                end = at;
                break;
            }
            before = Some(letter);
        }
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

/// Divides a part without spaces at the borders of Chinese, Japanese and Korean letters, and returns each
/// two of them that follow each other: of `天気予報`, `天気`, `気予` and `予報`.
fn pairs(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        if !is_cjk(first) {
            let (word, after) = rest.split_at(rest.find(is_cjk).unwrap_or(rest.len()));
            rest = after;
            return Some(word);
        }
        let (one, after) = rest.split_at(first.len_utf8());
        let Some(second) = after.chars().next().filter(|second| is_cjk(*second)) else {
            rest = after;
            return Some(one);
        };
        let (pair, behind) = rest.split_at(one.len() + second.len_utf8());
        rest = if behind.starts_with(is_cjk) {
            after
        } else {
            behind
        };
        Some(pair)
    })
}

fn is_cjk(letter: char) -> bool {
    matches!(letter,
        '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(tools: &[(&str, &str)]) -> Index {
        let tools = tools.iter().map(|(name, description)| {
            let tool = serde_json::json!({ "name": name, "description": description });
            serde_json::value::to_raw_value(&tool).unwrap()
        });
        Index::new(&tools.collect::<Vec<_>>())
    }

    #[test]
    fn names_are_divided_into_words() {
        let found: Vec<String> = words("listPullRequests get_the HTTPServer v2 glass").collect();
        let expected = [
            "list", "pull", "request", "get", "http", "server", "v2", "glass",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn letters_of_scripts_without_spaces_are_found_in_pairs() {
        let found: Vec<String> = words("天気予報API v2 車").collect();
        assert_eq!(found, ["天気", "気予", "予報", "api", "v2", "車"]);
        let index = index(&[
            ("weather", "指定した都市の天気予報を取得する"),
            ("mail", "查询城市的邮件并发送给用户"),
            ("book", "음식점을예약합니다"),
        ]);
        for (query, tool) in [("天気を調べる", 0), ("发送邮件", 1), ("음식점", 2)] {
            assert_eq!(index.search(query).first(), Some(&tool), "{query}");
        }
    }

    #[test]
    fn endless_words_are_not_kept() {
        let index = index(&[("a1", &"x".repeat(65)), ("a2", &"x".repeat(64))]);
        assert_eq!(index.search(&"x".repeat(65)), [0_usize; 0]);
        assert_eq!(index.search(&"x".repeat(64)), [1]);
    }

    #[test]
    fn tool_whose_name_is_the_query_is_the_first() {
        let index = index(&[
            ("get_issue_comments", "get issue: get an issue, get issues"),
            ("getIssue", "Reads one"),
            ("get_issues_of_the_issue", "get issue issue"),
            ("on", "Turns it on"),
            ("get_Issue", "Reads another"),
        ]);
        for (query, tools) in [
            ("getIssue", &[1, 4][..]),
            ("get_issue", &[4, 1]),
            ("`get issues`", &[1, 4]),
            ("GET_ISSUE_COMMENTS", &[0]),
            ("on", &[3]),
            ("get_issues_of_the_issue", &[2]),
        ] {
            assert_eq!(&index.search(query)[..tools.len()], tools, "{query}");
        }
    }

    #[test]
    fn rare_words_and_names_count_more() {
        let index = index(&[
            ("list_issues", "Lists the issues of a repository"),
            ("list_repositories", "Lists repositories"),
            ("merge", "Merges a pull request of a repository"),
            ("create_issue", "Creates an issue of a repository"),
        ]);
        assert_eq!(index.search("merge the repository").first(), Some(&2));
        assert_eq!(index.search("repositories").first(), Some(&1));
        assert_eq!(index.search("create issue")[..2], [3, 0]);
        assert_eq!(index.search("weather"), [0_usize; 0]);
        assert_eq!(index.search(""), [0_usize; 0]);
    }
}
