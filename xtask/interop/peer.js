// What the checks need of a client beyond its own methods, the same for all versions.

import { CHECKS } from './checks.js';
import { files } from './files.js';
import { notes } from './notes.js';
import { run } from './run.js';

export const INFO = { name: 'interop', version: '1.0.0' };
export const CAPABILITIES = { elicitation: {}, sampling: {}, roots: { listChanged: true } };

export class Peer {
  constructor(client, modern) {
    this.client = client;
    this.modern = modern;
    // How the user, the model and the file system answer; each check sets what it needs.
    this.answer = {};
    this.sent = [];
    this.received = [];
    this.waiting = [];
  }

  /// Notes every message on its way through the connected transport.
  watch(transport) {
    const { onmessage } = transport;
    transport.onmessage = (message, extra) => {
      this.received.push(message);
      this.waiting = this.waiting.filter(([method, resolve]) => {
        if (message.method !== method) return true;
        resolve(message);
        return false;
      });
      return onmessage(message, extra);
    };
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      this.sent.push(...[message].flat());
      return send(message, options);
    };
  }

  async tools() {
    return (await this.client.listTools()).tools;
  }

  /// How often the server has sent this.
  count(method) {
    return this.received.filter((message) => message.method === method).length;
  }

  /// The next message of this method.
  next(method) {
    return new Promise((resolve) => this.waiting.push([method, resolve]));
  }

  /// The id of the last request of this method.
  lastRequest(method) {
    return this.sent.findLast((message) => message.method === method).id;
  }

  answered(id) {
    return this.received.some((message) => message.id === id && message.method === undefined);
  }
}

/// Subscriptions before 2026-07-28: resources one by one; changes of lists come unasked.
export async function subscribeLegacy(client, { resourceSubscriptions = [] }) {
  for (const uri of resourceSubscriptions) await client.subscribeResource({ uri });
  return async () => {
    for (const uri of resourceSubscriptions) await client.unsubscribeResource({ uri });
  };
}

/// The options, and the number of words of each.
const OPTIONS = { '--lenient': 1, '--files': 2, '--notes': 1 };

/// Connects over the transport that the words on the command line name, and runs the checks:
/// `http URL`, `sse URL` for the transport of 2024-11-05, or `stdio PROGRAM ARGUMENT...`. With
/// `--lenient` in front, a server need not have everything; with `--files FOLDER` it is the example
/// `files`, which serves that folder, and with `--notes` the example `sqlite`.
export async function main(words, transports, connect) {
  const option = words[0];
  const [way, target, ...args] = words.slice(OPTIONS[option] ?? 0);
  const transport = way === 'stdio'
    ? new transports.stdio({ command: target, args, stderr: 'inherit' })
    : new transports[way](new URL(target));
  const peer = await connect(transport);
  let checks = CHECKS;
  if (option === '--files') checks = files(words[1]);
  if (option === '--notes') checks = notes(way === 'http' ? new URL(target).origin : undefined);
  const content = await run(peer, checks, option === '--lenient');
  // Where there is a session, the server is told that it has ended.
  await transport.terminateSession?.();
  await peer.client.close();
  process.exit(content ? 0 : 1);
}
