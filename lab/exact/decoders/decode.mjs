// Decodes and encodes messages with the schemas of the TypeScript SDK; see `src/peers.rs`.
//
// Without an argument, the schemas that the SDK exports, which are those for all revisions. With the
// argument `wire`, those by which its sessions decode messages of 2026-07-28 first. The SDK does not export
// these, so they are taken from a copy of the file that has them.
import * as sdk from '@modelcontextprotocol/core';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const ending = 'Schema';

async function wireSchemas() {
  const folder = new URL('node_modules/@modelcontextprotocol/client/dist/', import.meta.url);
  for (const name of readdirSync(folder).filter((name) => /^src-.*\.mjs$/.test(name))) {
    const text = readFileSync(new URL(name, folder), 'utf8');
    if (text.includes('function buildSchemas2026(')) {
      const copy = new URL(`exact-${name}`, folder);
      writeFileSync(copy, `${text}\nexport { buildSchemas2026 };\n`);
      return (await import(copy)).buildSchemas2026();
    }
  }
  throw new Error(`no file in ${folder} has the schemas of 2026-07-28`);
}

const schemas = process.argv[2] === 'wire' ? await wireSchemas() : sdk;
const names = Object.keys(schemas).filter((name) => name.endsWith(ending) && schemas[name]?.safeParse);
const print = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

print(names.map((name) => name.slice(0, -ending.length)));
for await (const line of createInterface({ input: process.stdin })) {
  const [name, text] = JSON.parse(line);
  const parsed = schemas[name + ending].safeParse(JSON.parse(text));
  print(parsed.success ? [parsed.data] : null);
}
