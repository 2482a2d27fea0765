/**
 * SEP-2093 and versioned resources test scenario for MCP clients: lists of
 * collections, cursors and versions
 */

import type http from 'http';
import type { ScenarioContext } from '../../mock-server';
import type { ConformanceCheck, ScenarioUrls } from '../../types';
import { withRequiredDraftResultFields } from '../../mock-server';
import { Findings, must, should, type Requirements } from '../findings';
import { BaseHttpScenario } from './http-base';

const SPEC_REFERENCES = [
  {
    id: 'SEP-2093',
    url: 'https://github.com/modelcontextprotocol/modelcontextprotocol/pull/2093'
  },
  { id: 'Versioned-Resources' }
];

const MEMBERS = 'resources/list request with the uri of a collection';
const NEXT = 'request for the second page of test://collection';
const VERSION = 'resources/get request with a version';

const REQUIREMENTS = {
  'sep-2093-client-collection': should(
    'A client lists collections by their URI, and does not only read them',
    'resources/list request'
  ),
  'sep-2093-client-members': should(
    'A client does not ask documents for their members',
    MEMBERS
  ),
  'sep-2093-client-types': should(
    'A client reads resources without a type, and of an unknown one',
    'resources/read request for test://untyped and test://strange'
  ),
  'sep-2093-client-metadata': must(
    'A client requests metadata by the URI of the list',
    'resources/metadata request'
  ),
  'sep-2093-client-cursor': must(
    'A cursor is returned unchanged, and for the list that it comes from',
    NEXT
  ),
  'versioned-resources-client-version': must(
    'A version is one that the server gave for this resource',
    VERSION
  )
} satisfies Requirements<string>;

type Json = Record<string, unknown>;

const VERSIONED = 'test://document';
const CURRENT = 'W/"3 ä+%2F"';
const COLLECTION = 'test://collection';
const TYPES = ['test://untyped', 'test://strange'];

const entry = (uri: string, more: Json = {}): Json => ({
  uri,
  name: uri.slice('test://'.length),
  ...more
});
const document = { resourceType: 'document', mimeType: 'text/plain' };

/** The pages of each list. The empty URI is that of the list of all resources. */
const PAGES: Record<string, Json[][]> = {
  '': [
    [
      entry(VERSIONED, { ...document, version: CURRENT }),
      entry(COLLECTION, { resourceType: 'collection' })
    ],
    [
      entry(TYPES[0]),
      entry(TYPES[1], { resourceType: 'hologram', mimeType: 'text/plain' })
    ]
  ],
  [COLLECTION]: [
    [entry(`${COLLECTION}/a`, document)],
    [entry(`${COLLECTION}/b`, { resourceType: 'collection' })],
    [entry(`${COLLECTION}/c`, document)]
  ],
  [`${COLLECTION}/b`]: [[entry(`${COLLECTION}/b/d`, document)]]
};
const ALL = Object.values(PAGES).flat(2);

/** A cursor that a client breaks if it decodes, trims or encodes it. */
const cursorOf = (uri: string, page: number) => ` ${uri}?page=${page}&%41+=é `;

export class ResourcesCollectionsClientScenario extends BaseHttpScenario {
  name = 'resources-collections-client';
  description = `Tests that a client that supports collections and versions of resources asks for them as the server describes them (SEP-2093, versioned resources).

The client should:
1. Request all pages of \`resources/list\`
2. Request all members of the collections in it, with \`resources/list\` and their \`uri\`
3. Request \`resources/metadata\` of \`${VERSIONED}\`
4. Read \`${TYPES.join('` and `')}\` with \`resources/read\`
5. Request \`${VERSIONED}\` with \`resources/get\` and the version that it got from the server`;

  private readonly findings = new Findings(REQUIREMENTS, SPEC_REFERENCES);
  private readonly read = new Set<unknown>();
  private isListed = false;
  private hasMembers = false;

  async start(ctx: ScenarioContext): Promise<ScenarioUrls> {
    const urls = await super.start(ctx);
    return { serverUrl: `${urls.serverUrl}/mcp` };
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    await super.stop();
  }

  getChecks(): ConformanceCheck[] {
    if (this.isListed) {
      this.findings.expect(
        'sep-2093-client-collection',
        this.hasMembers,
        `the members of ${COLLECTION} are not requested`
      );
    }
    for (const uri of TYPES) {
      if (this.read.size === 0) break;
      const isRead = this.read.has(uri);
      this.findings.expect('sep-2093-client-types', isRead, `${uri} not read`);
    }
    return this.findings.checks();
  }

  protected discoverCapabilities(): object {
    return {
      resources: {},
      experimental: { 'sep-2093': {}, 'versioned-resources': {} }
    };
  }

  protected handlePost(
    _req: http.IncomingMessage,
    res: http.ServerResponse,
    request: any
  ): void {
    const params: Json = request.params ?? {};
    if (request.method === 'initialize') {
      this.sendInitialize(res, request);
    } else if (request.id === undefined) {
      this.sendNotificationAck(res);
    } else {
      const answer = this.answer(request.method, params);
      if ('result' in answer) {
        const { method } = request;
        const result = withRequiredDraftResultFields(method, answer.result);
        this.sendJson(res, { jsonrpc: '2.0', id: request.id, result });
      } else {
        this.sendJson(res, { jsonrpc: '2.0', id: request.id, ...answer });
      }
    }
  }

  private answer(method: string, params: Json): { result: Json } | Json {
    const found = ALL.find(({ uri }) => uri === params.uri);
    const text = `Contents of ${params.uri}`;
    switch (method) {
      case 'resources/list':
        return this.list(params);
      case 'resources/templates/list':
        return { result: { resourceTemplates: [] } };
      case 'resources/metadata':
        this.findings.expect(
          'sep-2093-client-metadata',
          found !== undefined,
          `no list has ${params.uri}`
        );
        return found ? { result: { resource: found } } : notFound(params);
      case 'resources/read':
        this.read.add(params.uri);
        if (!found) return notFound(params);
        if (found.resourceType === 'collection') {
          return { result: { contents: [] } };
        }
        return { result: { contents: [{ ...found, text }] } };
      case 'resources/get':
        if (params.version !== undefined) return this.getVersion(params);
        if (!found) return notFound(params);
        return {
          result: {
            resource: found,
            contents: { contentType: 'text/plain', content: text }
          }
        };
      default:
        return error(-32601, `Method not found: ${method}`);
    }
  }

  private list(params: Json): { result: Json } | Json {
    const uri = typeof params.uri === 'string' ? params.uri : '';
    const pages = PAGES[uri];
    this.isListed = true;
    if (uri !== '') {
      const { resourceType } = ALL.find((it) => it.uri === uri) ?? {};
      const text = `${uri} is of the type ${resourceType}`;
      const isDocument = resourceType === 'document';
      this.findings.expect('sep-2093-client-members', !isDocument, text);
      this.hasMembers ||= resourceType === 'collection';
    }
    if (pages === undefined) return error(-32602, `${uri} has no members`);
    let page = 0;
    if (params.cursor !== undefined) {
      const at = pages.map((_, at) => cursorOf(uri, at));
      page = at.indexOf(String(params.cursor));
      const text = `${JSON.stringify(params.cursor)} for ${uri || 'the list'}`;
      // Only collections have something else to mix up a cursor with.
      if (page < 1 || uri !== '') {
        this.findings.expect('sep-2093-client-cursor', page >= 1, text);
      }
      if (page < 1) return error(-32602, 'unknown cursor');
    }
    const isLast = page + 1 === pages.length;
    const next = isLast ? {} : { nextCursor: cursorOf(uri, page + 1) };
    return { result: { resources: pages[page], ...next } };
  }

  private getVersion({ uri, version }: Json): Json {
    const isGiven = uri === VERSIONED && version === CURRENT;
    this.findings.expect(
      'versioned-resources-client-version',
      isGiven,
      `${version} for ${uri}`
    );
    if (!isGiven) return this.answer('resources/get', { uri });
    return error(304, 'Not Modified', { uri, version });
  }
}

const error = (code: number, message: string, data?: Json): Json => ({
  error: { code, message, data }
});

const notFound = ({ uri }: Json): Json =>
  error(-32602, 'Resource not found', { uri });
