//! Imports with a source in TypeScript.

use super::*;

#[cfg(feature = "typescript")]
#[test]
fn source_in_typescript_replaces_the_facts() {
    let folder = Folder::new("typescript");
    folder.import(NEW, "2000-01-01").unwrap();
    folder.put(
        "2000-01-01/facts.json",
        "{\"revision\": \"2000-01-01\", \"open\": [\"/A\"]}",
    );
    let json = folder.put("published.json", NEW);
    let source = "export interface A { c: unknown; b: number }\nexport type B = keyof A;";
    let source = folder.put("published.ts", source);
    let published = Published {
        json,
        revision: "2000-01-01".to_owned(),
        typescript: Some(source),
    };
    let store = Store::at(folder.0.clone());
    let report = import(&store, &published, true, review).unwrap();
    assert!(report.ready, "{}", report.checklist);
    let stored = fs::read_to_string(folder.0.join("2000-01-01/facts.json")).unwrap();
    assert!(
        stored.contains(r#""/A": ["c","b"]"#) && !stored.contains("open"),
        "{stored}"
    );
    let line = "- [ ] published.ts:2:17: this type is not supported and left out";
    assert!(report.checklist.contains(line), "{}", report.checklist);
}

#[test]
fn source_in_typescript_that_declares_no_type_of_the_schema_is_an_error() {
    let folder = Folder::new("no-types");
    for (source, expected) in [
        ("", "the file is empty"),
        (" \n", "the file is empty"),
        (
            "// interface of A\nexport interface Other {}",
            "the file declares none of them",
        ),
    ] {
        let published = Published {
            json: folder.put("published.json", NEW),
            revision: "2000-01-01".to_owned(),
            typescript: Some(folder.put("published.ts", source)),
        };
        let store = Store::at(folder.0.clone());
        let error = import(&store, &published, false, review)
            .err()
            .expect("an error");
        let error = error.to_string();
        assert!(
            error.contains("published.ts: expected the TypeScript source"),
            "{error}"
        );
        assert!(error.contains(expected), "{error}");
        assert_eq!(folder.stored("2000-01-01"), None);
    }
}
