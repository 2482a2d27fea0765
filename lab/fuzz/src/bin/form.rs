//! Forms and their answers: a completed answer matches the form, and completing it again does not
//! change it. The first line is a form, the second an answer.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use mcp_types::form::{check, complete};
use mcp_types::{ElicitAction, ElicitResult, RequestedSchema, json};

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let mut lines = bytes.splitn(2, |byte| *byte == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let (Ok(form), answer) = (json::from_slice::<RequestedSchema>(line()), line()) else {
        return Corpus::Reject;
    };
    let answer = json::from_slice::<ElicitResult>(answer)
        .unwrap_or_else(|_| ElicitResult::new(ElicitAction::Accept));
    let given = answer.content.clone().unwrap_or_default();
    let Ok(completed) = complete(&form, answer) else {
        return Corpus::Keep;
    };
    let Some(content) = &completed.content else {
        assert_ne!(completed.action, ElicitAction::Accept);
        return Corpus::Keep;
    };
    check(&form, content).expect("a completed answer is valid");
    for (name, value) in &given {
        assert_eq!(
            content.get(name),
            Some(value),
            "values of the answer are kept"
        );
    }
    for name in form.required.iter().flatten() {
        assert!(content.contains_key(name), "{name} is required");
    }
    assert_eq!(complete(&form, completed.clone()), Ok(completed));
    Corpus::Keep
});
