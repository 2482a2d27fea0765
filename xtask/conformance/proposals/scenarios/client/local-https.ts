/**
 * A certificate for localhost, made when a scenario starts, so that clients can
 * be observed over HTTPS.
 */

import { generateKeyPairSync, randomBytes, sign } from 'crypto';

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
export function localCertificate(): { cert: string; key: string } {
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
