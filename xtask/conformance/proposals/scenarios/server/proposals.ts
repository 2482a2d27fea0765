/**
 * Requests that the scenarios for the proposals for resources share.
 */

import {
  DEFAULT_CLIENT_CAPABILITIES,
  JsonRpcError,
  type Connection,
  type RunContext
} from '../../connection';
import type { ConformanceCheck } from '../../types';
import { message, type Findings } from '../findings';

export type Json = Record<string, unknown>;

/** A URI that no server has. */
export const UNKNOWN_URI = 'conformance://unknown/resource';

/** The maximum number of pages of a list, and of resources that are checked. */
const PAGES = 1000;
const RESOURCES = 200;

/** Runs a scenario on a connection that announces the proposals. */
export async function runOn<Id extends string>(
  ctx: RunContext,
  checks: Findings<Id>,
  scenario: (conn: Connection) => Promise<void>
): Promise<ConformanceCheck[]> {
  const names = ['sep-2093', 'versioned-resources', 'https-url'];
  const experimental = Object.fromEntries(names.map((name) => [name, {}]));
  const capabilities = { ...DEFAULT_CLIENT_CAPABILITIES, experimental };
  let conn: Connection | undefined;
  try {
    conn = await ctx.connect({ capabilities });
    await scenario(conn);
  } catch (error) {
    return checks.checks(error);
  } finally {
    await conn?.close();
  }
  return checks.checks();
}

/** The result of a request, or the error that the server answered with. */
export type Outcome = { result: Json } | { error: JsonRpcError };

/** Sends a request. Throws only if the server did not answer with JSON-RPC. */
export async function request(
  conn: Connection,
  method: string,
  params: Json
): Promise<Outcome> {
  try {
    return { result: await conn.request<Json>(method, params) };
  } catch (error) {
    if (error instanceof JsonRpcError) return { error };
    throw error;
  }
}

export function describe(outcome: Outcome): string {
  return 'error' in outcome
    ? `the error ${outcome.error.code} (${message(outcome.error)})`
    : 'a result';
}

/** Returns a member that is an object, or an empty one. */
export function object(of: Json, member: string): Json {
  const value = of[member];
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

/** Returns the objects of a member that is an array. */
export function objects(of: Json, member: string): Json[] {
  const value = of[member];
  const list: unknown[] = Array.isArray(value) ? value : [];
  return list.filter((one): one is Json => typeof one === 'object' && !!one);
}

/** Returns the bytes of contents, or undefined without text and valid base64. */
export function bytes(contents: Json, text = 'text'): Buffer | undefined {
  const { [text]: value, blob } = contents;
  if (typeof value === 'string') return Buffer.from(value, 'utf8');
  if (typeof blob !== 'string') return undefined;
  const isBase64 = blob.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(blob);
  return isBase64 ? Buffer.from(blob, 'base64') : undefined;
}

/** Compares two values as JSON, whatever the order of their members is. */
export function isEqual(one: unknown, other: unknown): boolean {
  const sorted = (_key: string, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort())
      : value;
  return JSON.stringify(one, sorted) === JSON.stringify(other, sorted);
}

export interface List {
  resources: Json[];
  repeated: string[];
  isEndless: boolean;
}

/** Requests all pages of `resources/list`. */
export async function listAll(
  conn: Connection,
  params: Json = {}
): Promise<List | { error: JsonRpcError }> {
  const list: List = { resources: [], repeated: [], isEndless: false };
  const uris = new Set<unknown>();
  const cursors = new Set<string>();
  let cursor: unknown;
  for (let page = 0; page < PAGES; page++) {
    const at = typeof cursor === 'string' ? { ...params, cursor } : params;
    const outcome = await request(conn, 'resources/list', at);
    if ('error' in outcome) return outcome;
    for (const resource of objects(outcome.result, 'resources')) {
      if (uris.has(resource.uri)) list.repeated.push(String(resource.uri));
      uris.add(resource.uri);
      list.resources.push(resource);
    }
    cursor = outcome.result.nextCursor;
    if (typeof cursor !== 'string') return list;
    if (cursors.has(cursor)) break;
    cursors.add(cursor);
  }
  list.isEndless = true;
  return list;
}

/** Returns the resources of the list and of all collections that it leads to. */
export async function walk(
  conn: Connection,
  onList: (uri: string | undefined, list: List) => void = () => undefined,
  onError: (uri: string, error: JsonRpcError) => void = () => undefined
): Promise<Json[]> {
  const all = new Map<unknown, Json>();
  const add = (uri: string | undefined, list: List) => {
    onList(uri, list);
    for (const resource of list.resources) {
      if (all.size < RESOURCES && !all.has(resource.uri)) {
        all.set(resource.uri, resource);
      }
    }
  };
  const first = await listAll(conn);
  if ('error' in first) throw first.error;
  add(undefined, first);
  // A Map also iterates over what is added meanwhile.
  for (const { uri, resourceType } of all.values()) {
    if (resourceType !== 'collection' || typeof uri !== 'string') continue;
    const members = await listAll(conn, { uri });
    if ('error' in members) onError(uri, members.error);
    else add(uri, members);
  }
  return [...all.values()];
}
