// Generates types for schemas by programs of others: `json-schema-to-typescript`, and `quicktype` for
// Rust. The argument is a file with a list of schemas, by path. Prints a list with two flags for each:
// whether the programs generate something.

import { readFileSync } from "node:fs";
import { compile } from "json-schema-to-typescript";
import { FetchingJSONSchemaStore, InputData, JSONSchemaInput, quicktype } from "quicktype-core";

// The longest time for one schema, in milliseconds.
const LONGEST = 30_000;

// References to other documents are not followed.
class NoStore extends FetchingJSONSchemaStore {
  async fetch() {
    return undefined;
  }
}

async function typescript(text) {
  const $refOptions = { resolve: { http: false, file: false } };
  return compile(JSON.parse(text), "Root", { $refOptions, format: false });
}

async function rust(text) {
  const input = new JSONSchemaInput(new NoStore());
  await input.addSource({ name: "Root", schema: text });
  const inputData = new InputData();
  inputData.addInput(input);
  const { lines } = await quicktype({ inputData, lang: "rust" });
  return lines.join("\n");
}

async function generates(program, text) {
  const late = new Promise((resolve) => setTimeout(resolve, LONGEST, ""));
  try {
    const types = await Promise.race([program(text), late]);
    return types.trim() !== "";
  } catch {
    return false;
  }
}

// What a program says of a schema is not part of the output.
const { log } = console;
console.log = console.info = console.warn = console.error = () => {};
const outcomes = [];
for (const file of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const text = readFileSync(file, "utf8");
  outcomes.push([await generates(typescript, text), await generates(rust, text)]);
}
log(JSON.stringify(outcomes));
process.exit(0);
