// A host that reaches a gateway, at which its user logs in, through mcp-remote: `node remote.js PROGRAM URL`.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { INFO } from './peer.js';
import { watch } from './user.js';

const [program, url] = process.argv.slice(2);
const args = [program, url, '--allow-http'];
const transport = new StdioClientTransport({ command: process.execPath, args, env: process.env, stderr: 'pipe' });
watch(transport.stderr);
const client = new Client(INFO);
try {
  await client.connect(transport);
  const result = await client.callTool({ name: 'test_simple_text', arguments: {} });
  console.log(result.content[0].text);
} finally {
  await client.close();
}
