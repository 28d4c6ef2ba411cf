/** Tests key files: parsing, refusals, and that no error message contains a key. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createKeyFile, freshKeys, KeyRingError, parseKeyRing } from '../../src/core/vault/key-ring.ts';

const a = 'a1'.repeat(32);
const b = 'b2'.repeat(32);
const c = 'c3'.repeat(32);
const d = 'd4'.repeat(32);

describe('the text of a key ring', () => {
  test('several wrapping keys: the first is current', () => {
    const ring = parseKeyRing(`# keys\n\nk-2:${a}\r\nk-1: ${b.toUpperCase()}\n  index:${c}\npepper:${d}\n`);
    expect(ring.current).toBe('k-2');
    expect([...ring.wrapping].map(([id, key]) => [id, key.export().toString('hex')])).toEqual([
      ['k-2', a],
      ['k-1', b],
    ]);
    expect(ring.index.export().toString('hex')).toBe(c);
    expect(ring.pepper.export().toString('hex')).toBe(d);
    expect(inspect(ring, { depth: 9 })).not.toContain(a);
  });
  const refused: [string, string, RegExp][] = [
    ['no colon', `k-1${a}\nindex:${c}\npepper:${d}`, /^line 1 has no colon/],
    ['the parts swapped', `${a}:k-1\nindex:${c}\npepper:${d}`, /^line 1: a key id/],
    ['capitals in the id', `\nK1:${a}\nindex:${c}\npepper:${d}`, /^line 2: a key id/],
    ['a short key', `k-1:${a.slice(1)}\nindex:${c}\npepper:${d}`, /^line 1: .*63 characters/],
    ['no hex', `k-1:${a.slice(1)}g\nindex:${c}\npepper:${d}`, /^line 1: a key is 64 hex digits/],
    ['a repeated id', `k-1:${a}\nk-1:${b}\nindex:${c}\npepper:${d}`, /^line 2 repeats .* line 1$/],
    ['a repeated key', `k-1:${a}\nindex:${c}\npepper:${a.toUpperCase()}`, /^line 3 repeats .* line 1$/],
    ['no index', `k-1:${a}\npepper:${d}`, /index:.* is missing/],
    ['no pepper', `k-1:${a}\nindex:${d}`, /pepper:.* is missing/],
    ['no wrapping key', `index:${c}\npepper:${d}`, /wrapping key is missing/],
    ['nothing', '', /is missing/],
  ];
  test.each(refused)('%s is refused with the line number and without the key', (_, text, message) => {
    const complaint = (() => {
      try {
        parseKeyRing(text);
        return '';
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(KeyRingError);
        return (thrown as Error).message;
      }
    })();
    expect(complaint).toMatch(message);
    for (const key of [a, b, c, d]) expect(complaint.toLowerCase()).not.toContain(key.slice(0, 8));
  });
  test('fresh keys parse and always differ', () => {
    const [one, two] = [parseKeyRing(freshKeys()), parseKeyRing(freshKeys())];
    expect(one.wrapping.size).toBe(1);
    expect(one.current).not.toBe(two.current);
    expect(one.index.equals(two.index)).toBe(false);
  });
});

describe('a key file', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'triglyph-keys-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is created with mode 600 and never overwritten', () => {
    const path = join(folder, 'keys');
    createKeyFile(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const text = readFileSync(path, 'utf8');
    expect(parseKeyRing(text).wrapping.size).toBe(1);
    expect(() => createKeyFile(path)).toThrow(/EEXIST/);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});
