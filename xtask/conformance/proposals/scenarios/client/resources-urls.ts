/**
 * HTTPS URLs of resources and SEP-973 test scenarios for MCP clients: which
 * URLs that a server names are requested, and how
 */

import type http from 'http';
import type { ConformanceCheck, ScenarioSource } from '../../types';
import { DRAFT_PROTOCOL_VERSION } from '../../types';
import { Findings, must, should, type Requirements } from '../findings';
import {
  credentials,
  ENDLESS,
  endless,
  HttpsScenario,
  TEXT
} from './local-https';

type Json = Record<string, unknown>;

const REQUESTED = 'request for the URL of test://linked';

const URL_REQUIREMENTS = {
  'https-url-client-credentials': must(
    'Requests for URLs have no credentials and no headers of MCP',
    REQUESTED
  ),
  'https-url-client-scheme': must('Only https URLs are requested', REQUESTED),
  'https-url-client-expired': should(
    'A URL is not requested after it has expired',
    REQUESTED
  ),
  'https-url-client-fallback': should(
    'A client reads a resource whose URL has expired with resources/read',
    REQUESTED
  ),
  'https-url-client-size': should(
    'A client stops reading what is larger than the stated size',
    'request for the URL of test://endless'
  )
} satisfies Requirements<string>;

export class ResourcesUrlsClientScenario extends HttpsScenario {
  name = 'resources-urls-client';
  description = `Tests that a client that fetches resources by their \`httpUrl\` requests only safe URLs, and without credentials.

The client gets the path of the certificate to trust, and the URIs, in the context: \`{ caCertificatePath, uris }\`. It should list all resources, and fetch the contents of each: by its URL, or with \`resources/read\`. An error is expected for \`test://endless\`.`;

  private readonly findings = new Findings(URL_REQUIREMENTS, [
    { id: 'SEP-0000-HTTPS-URL' }
  ]);
  private isRequested = false;

  getChecks(): ConformanceCheck[] {
    if (this.isRequested) {
      this.findings.met('https-url-client-scheme');
      this.findings.met('https-url-client-expired');
      this.findings.expect(
        'https-url-client-fallback',
        this.read.has('test://expired'),
        'test://expired is not read'
      );
    }
    return this.findings.checks();
  }

  protected resources(): Json[] {
    const [own, , unencrypted] = this.origins;
    const linked = (name: string, hours: number, origin = own): Json => ({
      uri: `test://${name}`,
      name,
      mimeType: 'text/plain',
      resourceType: 'document',
      size: TEXT.length,
      httpUrl: `${origin}/${name}?token=secret`,
      httpUrlExpiresAt: new Date(Date.now() + hours * 3.6e6).toISOString()
    });
    return [
      linked('linked', 1),
      linked('expired', -1),
      linked('unencrypted', 1, unencrypted),
      linked('endless', 1)
    ];
  }

  protected onUnencrypted(path: string): void {
    this.findings.violated('https-url-client-scheme', `${path} is requested`);
  }

  protected serve(
    path: string,
    { headers }: http.IncomingMessage,
    res: http.ServerResponse
  ): void {
    const refused = credentials(headers);
    this.findings.expect(
      'https-url-client-credentials',
      refused.length === 0,
      `${path} is requested with ${refused.join(', ')}`
    );
    const name = path.slice(1).split('?')[0];
    if (name === 'expired') {
      const text = `${path} is requested`;
      this.findings.violated('https-url-client-expired', text);
      res.writeHead(410).end();
    } else if (name === 'endless') {
      this.findings.met('https-url-client-size');
      endless(res, 'text/plain', () =>
        this.findings.violated('https-url-client-size', `${ENDLESS} bytes read`)
      );
    } else {
      this.isRequested ||= name === 'linked';
      res.writeHead(name === 'linked' ? 200 : 404, {
        'Content-Type': 'text/plain'
      });
      res.end(TEXT);
    }
  }
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQAAAAA3bvkkAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64'
);

const LOADED = 'request for the icon of the server';

const ICON_REQUIREMENTS = {
  'sep-973-client-origin': must(
    'Icons are loaded from the origin of the server or a trusted one only',
    LOADED
  ),
  'sep-973-client-scheme': must('Icons are loaded by https only', LOADED),
  'sep-973-client-credentials': must(
    'Icons are loaded without credentials',
    LOADED
  ),
  'sep-973-client-size': should(
    'A client stops reading an icon that is too large',
    'request for an icon without an end'
  )
} satisfies Requirements<string>;

export class IconsClientScenario extends HttpsScenario {
  name = 'icons-client';
  readonly source: ScenarioSource = { introducedIn: DRAFT_PROTOCOL_VERSION };
  description = `Tests that a client that shows icons loads only safe ones, and without credentials (SEP-973).

The client gets the path of the certificate to trust in the context: \`{ caCertificatePath }\`. It should list all resources and load the icons of each, as if it had to show them. Errors are expected.`;

  private readonly findings = new Findings(ICON_REQUIREMENTS, [
    {
      id: 'SEP-973',
      url: 'https://modelcontextprotocol.io/community/seps/973-expose-additional-metadata-for-implementations-res'
    }
  ]);

  getChecks(): ConformanceCheck[] {
    return this.findings.checks();
  }

  protected resources(): Json[] {
    const [own, address, unencrypted] = this.origins;
    return [
      `${own}/own.png`,
      `${address}/foreign.png`,
      `${unencrypted}/unencrypted.png`,
      `${own}/redirect.png`,
      `${own}/endless.png`
    ].map((src, at) => ({
      uri: `test://icon-${at}`,
      name: `icon-${at}`,
      resourceType: 'document',
      icons: [{ src, mimeType: 'image/png' }]
    }));
  }

  protected onUnencrypted(path: string): void {
    this.findings.violated('sep-973-client-scheme', `${path} is requested`);
  }

  protected serve(
    path: string,
    { headers }: http.IncomingMessage,
    res: http.ServerResponse
  ): void {
    const refused = credentials(headers);
    this.findings.expect(
      'sep-973-client-credentials',
      refused.length === 0,
      `${path} is requested with ${refused.join(', ')}`
    );
    if (headers.host?.startsWith('127.0.0.1')) {
      const text = `https://${headers.host}${path} is requested`;
      this.findings.violated('sep-973-client-origin', text);
      res.writeHead(404).end();
    } else if (path === '/redirect.png') {
      const location = `${this.origins[1]}/redirected.png`;
      res.writeHead(302, { Location: location }).end();
    } else if (path === '/endless.png') {
      this.findings.met('sep-973-client-size');
      endless(res, 'image/png', () =>
        this.findings.violated('sep-973-client-size', `${ENDLESS} bytes read`)
      );
    } else {
      this.findings.met('sep-973-client-origin');
      this.findings.met('sep-973-client-scheme');
      res.writeHead(200, { 'Content-Type': 'image/png' }).end(PNG);
    }
  }
}
