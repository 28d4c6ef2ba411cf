/** Tests keys wrapped by a key management service: no key in the file, rotation of its key, faults, TLS and tokens. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import { createSelfSigned } from '../../src/core/lib/self-signed.ts';
import { addWrappingKey, replaceKeys } from '../../src/core/vault/key-file.ts';
import { parseKeyLines } from '../../src/core/vault/key-lines.ts';
import { createKeyFile, freshKeys, keyFileText, parseKeyRing } from '../../src/core/vault/key-ring.ts';
import { createTransitKeys } from '../../src/core/vault/transit/keys.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { startTransitServer, type TransitServer } from '../support/transit-server.ts';

const folder = tempFolder();
afterAll(() => folder.discard());
const tokenFile = join(folder.path, 'token');

let kms: TransitServer;
beforeEach(async () => {
  writeFileSync(tokenFile, 'test-token\n');
  kms = await startTransitServer();
});
afterEach(() => kms.close());

const keysOf = (more: object = {}) =>
  createTransitKeys({ url: kms.url, mount: 'transit', key: 'triglyph', tokenFile, msMax: 2_000, ...more });

const freshText = async () => {
  const keys = keysOf();
  return keyFileText(await keys.create(), await keys.create(), await keys.create());
};

const hexOf = (ring: ReturnType<typeof parseKeyRing>) =>
  [ring.wrapping.get(ring.current)!, ring.index, ring.pepper].map((key) => key.export().toString('hex'));

test('a new key file holds no key, and opens with the service only', async () => {
  const text = await freshText();
  expect(kms.calls.map(({ operation }) => operation)).toEqual(Array(3).fill('datakey/wrapped'));
  const ring = await keysOf().open(text);
  for (const hex of hexOf(ring)) {
    expect(text.toLowerCase()).not.toContain(hex);
    expect(text).not.toContain(Buffer.from(hex, 'hex').toString('base64'));
  }
  expect(() => parseKeyRing(text)).toThrow(/line 2 is wrapped .* KMS_URL/);
  await expect(keysOf().open(text.replace('pepper:', 'pepper:vault:v1:AAAA#'))).rejects.toThrow(/line 4/);
});

test('keys in the clear are refused until they are wrapped, and stay the same keys', async () => {
  const file = join(folder.path, 'moved');
  createKeyFile(file, freshKeys());
  const before = readFileSync(file, 'utf8');
  await expect(keysOf().open(before)).rejects.toThrow(/line 2 holds a key in the clear/);
  const wrapped = new Map<string, string>();
  for (const { id, key } of parseKeyLines(before)) wrapped.set(id, await keysOf().renew(key));
  replaceKeys(file, wrapped);
  const after = readFileSync(file, 'utf8');
  expect(hexOf(await keysOf().open(after))).toEqual(hexOf(parseKeyRing(before)));
  for (const hex of hexOf(parseKeyRing(before))) expect(after).not.toContain(hex);
});

test('the key of the service is rotated: wrapped keys are rewrapped, and its old version can be retired', async () => {
  const file = join(folder.path, 'rotated');
  createKeyFile(file, await freshText());
  const before = readFileSync(file, 'utf8');
  const ring = await keysOf().open(before);
  kms.rotate();
  addWrappingKey(file, { standby: true, key: await keysOf().create() });
  const rewrapped = new Map<string, string>();
  for (const { id, key } of parseKeyLines(readFileSync(file, 'utf8'))) rewrapped.set(id, await keysOf().renew(key));
  replaceKeys(file, rewrapped);
  kms.minVersion = 2;
  const after = await keysOf().open(readFileSync(file, 'utf8'));
  expect(hexOf(after)).toEqual(hexOf(ring));
  expect(after.wrapping.size).toBe(2);
  await expect(keysOf().open(before)).rejects.toThrow(/answered decrypt with 400/);
});

test.each([500, 503, 429, 412])('an answer of %d is asked again', async (status) => {
  const text = await freshText();
  kms.failures.push(status, status);
  expect(await keysOf().open(text)).toMatchObject({ current: expect.stringMatching(/^k-/) });
});

test('retries end with their time, and a refusal is not repeated', async () => {
  const text = await freshText();
  kms.failures.push(...Array(1000).fill(503));
  await expect(keysOf({ msMax: 600 }).open(text)).rejects.toThrow(/answered decrypt with 503/);
  expect(kms.calls.length).toBeLessThan(20);
  kms.failures.length = 0;
  const before = kms.calls.length;
  kms.tokens.clear();
  await expect(keysOf().open(text)).rejects.toThrow(/the token may not use the key/);
  expect(kms.calls.length).toBe(before + 1);
});

test('a slow service ends the call in its time', async () => {
  const text = await freshText();
  kms.delayMs = 60_000;
  await expect(keysOf({ msMax: 300 }).open(text)).rejects.toThrow(/does not answer/);
});

test('a renewed token is read without a restart, and no message holds it', async () => {
  const keys = keysOf();
  await keys.open(await freshText());
  await expect(keys.check!()).resolves.toBeUndefined();
  kms.tokens.clear();
  kms.tokens.add('renewed-token');
  await expect(keys.check!()).rejects.toThrow(expect.not.stringContaining('test-token'));
  writeFileSync(tokenFile, 'renewed-token');
  await expect(keys.check!()).resolves.toBeUndefined();
});

test('over TLS the service must have a certificate of the given authority; the namespace is sent', async () => {
  const from = new Date(Date.now() - 60_000);
  const until = new Date(Date.now() + 3_600_000);
  const tls = createSelfSigned({ commonName: 'kms', names: ['localhost'], addresses: ['127.0.0.1'], from, until });
  const caFile = join(folder.path, 'ca.pem');
  writeFileSync(caFile, tls.cert);
  const secure = await startTransitServer({ tls, namespace: 'payments' });
  try {
    const trusted = { url: secure.url, caFile, namespace: 'payments' };
    await expect(keysOf(trusted).create()).resolves.toMatch(/^vault:v1:/);
    await expect(keysOf({ ...trusted, namespace: undefined }).create()).rejects.toThrow(/404/);
    await expect(keysOf({ ...trusted, caFile: undefined, msMax: 300 }).create()).rejects.toThrow(
      /SELF_SIGNED|does not answer/,
    );
  } finally {
    await secure.close();
  }
});
