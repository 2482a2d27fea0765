/**
 * A server over HTTPS that observes clients. Its certificate for localhost is
 * made when the scenario starts.
 */

import { generateKeyPairSync, randomBytes, sign } from 'crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'fs';
import http from 'http';
import https from 'https';
import type { AddressInfo } from 'net';
import { tmpdir } from 'os';
import { join } from 'path';
import type { ScenarioContext } from '../../mock-server';
import { withRequiredDraftResultFields } from '../../mock-server';
import type { ScenarioUrls } from '../../types';
import { BaseHttpScenario } from './http-base';

type Json = Record<string, unknown>;

const der = (tag: number, ...content: Uint8Array[]): Buffer => {
  const body = Buffer.concat(content);
  const size = body.length;
  const length =
    size < 0x80
      ? [size]
      : size < 0x100
        ? [0x81, size]
        : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...content: Uint8Array[]) => der(0x30, ...content);
const octets = (content: Uint8Array) => der(0x04, content);
const bits = (content: Uint8Array) => der(0x03, Buffer.from([0]), content);
const oid = (...bytes: number[]) => der(0x06, Buffer.from(bytes));
const time = (at: Date) => {
  const text = at.toISOString().replace(/[-:T]|\.\d+/g, '');
  return der(0x17, Buffer.from(text.slice(2)));
};

const TRUE = der(0x01, Buffer.from([0xff]));
const ECDSA_WITH_SHA256 = sequence(
  oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02)
);
const COMMON_NAME = oid(0x55, 0x04, 0x03);
const BASIC_CONSTRAINTS = oid(0x55, 0x1d, 0x13);
const SUBJECT_ALT_NAME = oid(0x55, 0x1d, 0x11);

const DAY = 24 * 60 * 60 * 1000;

/** Returns a certificate for localhost and 127.0.0.1 and its key, in PEM. */
function localCertificate(): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256'
  });
  const name = sequence(
    der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from('conformance'))))
  );
  const names = sequence(
    der(0x82, Buffer.from('localhost')),
    der(0x87, Buffer.from([127, 0, 0, 1]))
  );
  const now = Date.now();
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(new Date(now - DAY)), time(new Date(now + DAY))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(
        sequence(BASIC_CONSTRAINTS, TRUE, octets(sequence())),
        sequence(SUBJECT_ALT_NAME, octets(names))
      )
    )
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const all = sequence(toBeSigned, ECDSA_WITH_SHA256, bits(signature));
  const lines = all.toString('base64').match(/.{1,64}/g) ?? [];
  const [begin, end] = ['BEGIN', 'END'].map(
    (edge) => `-----${edge} CERTIFICATE-----`
  );
  return {
    cert: `${[begin, ...lines, end].join('\n')}\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  };
}

/** The contents of all resources. */
export const TEXT = 'The same bytes at the URL as in the protocol.';

/** How much of contents or an icon without an end a client may read, in bytes. */
export const ENDLESS = 64 << 20;

/** A server over HTTPS, and one beside it that nobody should request. */
export abstract class HttpsScenario extends BaseHttpScenario {
  allowClientError = true;
  protected readonly read = new Set<unknown>();
  private other: http.Server | null = null;
  private folder = '';

  /** Answers requests for other paths than that of the endpoint. */
  protected abstract serve(
    path: string,
    req: http.IncomingMessage,
    res: http.ServerResponse
  ): void;
  /** Is called if a URL that is not https is requested. */
  protected abstract onUnencrypted(path: string): void;
  protected abstract resources(): Json[];

  /** The origin of the server, the same by its address, and without TLS. */
  protected get origins(): [string, string, string] {
    const { port } = this.other?.address() as AddressInfo;
    const own = `https://localhost:${this.port}`;
    const address = `https://127.0.0.1:${this.port}`;
    return [own, address, `http://127.0.0.1:${port}`];
  }

  async start(_ctx: ScenarioContext): Promise<ScenarioUrls> {
    const { cert, key } = localCertificate();
    this.folder = mkdtempSync(join(tmpdir(), 'mcp-conformance-'));
    const caCertificatePath = join(this.folder, 'cert.pem');
    writeFileSync(caCertificatePath, cert);
    this.server = https.createServer({ cert, key }, (req, res) => {
      const path = req.url ?? '';
      if (path !== '/mcp') return this.serve(path, req, res);
      // A client with a jar for cookies must not send this one to URLs.
      res.setHeader('Set-Cookie', 'session=secret; Path=/; Secure');
      this.handleRequest(req, res);
    }) as unknown as http.Server;
    this.other = http.createServer((req, res) => {
      this.onUnencrypted(req.url ?? '');
      res.writeHead(404).end();
    });
    for (const server of [this.server, this.other]) {
      await new Promise<void>((resolve, reject) => {
        server.on('error', reject);
        server.listen(0, '127.0.0.1', resolve);
      });
    }
    this.port = (this.server.address() as AddressInfo).port;
    const uris = this.resources().map(({ uri }) => uri);
    return {
      serverUrl: `${this.origins[0]}/mcp`,
      context: { caCertificatePath, uris }
    };
  }

  async stop(): Promise<void> {
    this.other?.close();
    this.server?.closeAllConnections();
    await super.stop();
    rmSync(this.folder, { recursive: true });
  }

  protected discoverCapabilities(): object {
    return { resources: {}, experimental: { 'sep-2093': {}, 'https-url': {} } };
  }

  protected handlePost(
    _req: http.IncomingMessage,
    res: http.ServerResponse,
    { id, method, params }: any
  ): void {
    const resources = this.resources();
    const resource = resources.find(({ uri }) => uri === params?.uri);
    const results: Json = {
      'resources/list': { resources },
      'resources/templates/list': { resourceTemplates: [] }
    };
    if (resource !== undefined) {
      results['resources/metadata'] = { resource };
      results['resources/read'] = { contents: [{ ...resource, text: TEXT }] };
    }
    if (method === 'resources/read') this.read.add(params?.uri);
    if (method === 'initialize') {
      this.sendInitialize(res, { id });
    } else if (id === undefined) {
      this.sendNotificationAck(res);
    } else if (method in results) {
      const result = withRequiredDraftResultFields(method, results[method]);
      this.sendJson(res, { jsonrpc: '2.0', id, result });
    } else {
      const error = { code: -32602, message: `Invalid request: ${method}` };
      this.sendJson(res, { jsonrpc: '2.0', id, error });
    }
  }
}

/** Sends bytes until the client stops. Calls `onEnd` if it read everything. */
export function endless(
  res: http.ServerResponse,
  type: string,
  onEnd: () => void
): void {
  res.writeHead(200, { 'Content-Type': type });
  const part = Buffer.alloc(64 << 10, 'x');
  let left = ENDLESS;
  const write = () => {
    while (left > 0 && !res.destroyed) {
      left -= part.length;
      if (!res.write(part)) {
        res.once('drain', write);
        return;
      }
    }
    if (res.destroyed) return;
    onEnd();
    res.end();
  };
  write();
}

/** Returns the names of headers that belong to requests of MCP only. */
export const credentials = (headers: http.IncomingHttpHeaders): string[] =>
  Object.keys(headers).filter((name) =>
    /^(authorization|cookie|mcp-.*)$/.test(name)
  );
