//! Decodes and encodes values by the types of many schemas.
//!
//! Argument: a file with a list of lists, one for each schema, of values as JSON texts. Prints the
//! outcomes in the same form: the text that came back, or `null` for a value that is refused.
//! Prints the error of each refused value on standard error.

mod list;

fn main() {
    let file = std::env::args().nth(1).expect("an argument");
    let text = std::fs::read_to_string(file).expect("the file is there");
    let all: Vec<Vec<String>> = serde_json::from_str(&text).expect("lists of texts");
    let mut outcomes = Vec::new();
    for (group, values) in all.iter().enumerate() {
        let mut outcome = Vec::new();
        for (at, value) in values.iter().enumerate() {
            match list::GROUPS[group](value) {
                Ok(back) => outcome.push(Some(back)),
                Err(error) => {
                    eprintln!("{group}/{at}: {error}");
                    outcome.push(None);
                }
            }
        }
        outcomes.push(outcome);
    }
    println!("{}", serde_json::to_string(&outcomes).expect("texts are JSON"));
}
