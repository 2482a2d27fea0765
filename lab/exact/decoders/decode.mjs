// Decodes and encodes messages with the schemas that the TypeScript SDK exports; see `src/peers.rs`.
import * as sdk from '@modelcontextprotocol/core';
import { createInterface } from 'node:readline';

const ending = 'Schema';
const names = Object.keys(sdk).filter((name) => name.endsWith(ending) && sdk[name].safeParse);
const print = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

print(names.map((name) => name.slice(0, -ending.length)));
for await (const line of createInterface({ input: process.stdin })) {
  const [name, text] = JSON.parse(line);
  const parsed = sdk[name + ending].safeParse(JSON.parse(text));
  print(parsed.success ? [parsed.data] : null);
}
