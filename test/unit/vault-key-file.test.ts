/** Changing a key file: whole or not at all, nothing lost, one at a time. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { addWrappingKey, useWrappingKey } from '../../src/vault/key-file.ts';
import { KeyRingError, parseKeyRing } from '../../src/vault/key-ring.ts';

const [a, b, c, d] = ['0a', '0b', '0c', '0d'].map((byte) => byte.repeat(32)) as [string, string, string, string];
const before = `# ours\n\nindex:${c}\r\n# the first\nk-2:${a}\n  k-1: ${b}\npepper:${d}`;

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'triglyph-keys-'));
  path = join(folder, 'keys');
  writeFileSync(path, before, { mode: 0o644 });
});
afterEach(() => rmSync(folder, { recursive: true }));

const text = () => readFileSync(path, 'utf8');
const ids = () => [...parseKeyRing(text()).wrapping.keys()];

describe('a fresh wrapping key', () => {
  test('comes first; all else stays as it was, the mode is the owner’s alone, and nothing lies beside', () => {
    const { id, earlier } = addWrappingKey(path, { standby: false });
    expect(earlier).toBe('k-2');
    expect(ids()).toEqual([id, 'k-2', 'k-1']);
    expect(
      text()
        .split('\n')
        .filter((line) => !line.startsWith(id))
        .join('\n'),
    ).toBe(before);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['keys']);
  });
  test('standing by comes last', () => {
    const { id, earlier } = addWrappingKey(path, { standby: true });
    expect(earlier).toBe('k-2');
    expect(ids()).toEqual(['k-2', 'k-1', id]);
    expect(
      text()
        .split('\n')
        .filter((line) => !line.startsWith(id))
        .join('\n'),
    ).toBe(before);
  });
  test('each has an id and a key of its own', () => {
    const added = Array.from({ length: 5 }, () => addWrappingKey(path, { standby: false }).id);
    expect(ids()).toEqual([...added.reverse(), 'k-2', 'k-1']);
  });
  test('goes into the file that a link names, and the link stays', () => {
    const link = join(folder, 'link');
    symlinkSync('keys', link);
    const { id } = addWrappingKey(link, { standby: false });
    expect(ids()[0]).toBe(id);
    expect(
      readdirSync(folder, { withFileTypes: true })
        .find(({ name }) => name === 'link')
        ?.isSymbolicLink(),
    ).toBe(true);
  });
});

describe('using a key', () => {
  test('puts it first, and back', () => {
    useWrappingKey(path, 'k-1');
    expect(ids()).toEqual(['k-1', 'k-2']);
    useWrappingKey(path, 'k-2');
    expect(ids()).toEqual(['k-2', 'k-1']);
    useWrappingKey(path, 'k-2');
    expect(text().split('\n').sort()).toEqual(before.split('\n').sort());
  });
  test.each(['k-3', 'index', 'pepper', ''])('%j is refused, and says which there are', (id) => {
    expect(() => useWrappingKey(path, id)).toThrow(/there are k-2, k-1$/);
    expect(text()).toBe(before);
    expect(readdirSync(folder)).toEqual(['keys']);
  });
});

describe('is refused, with nothing changed', () => {
  test('where the file holds no key ring', () => {
    writeFileSync(path, 'k-1:short');
    expect(() => addWrappingKey(path, { standby: false })).toThrow(KeyRingError);
    expect(text()).toBe('k-1:short');
    expect(readdirSync(folder)).toEqual(['keys']);
  });
  test('where there is no file', () => {
    expect(() => addWrappingKey(join(folder, 'gone'), { standby: false })).toThrow(/ENOENT/);
    expect(readdirSync(folder)).toEqual(['keys']);
  });
  test('while somebody else changes it, whose work is left alone', () => {
    writeFileSync(`${path}.new`, 'half');
    expect(() => addWrappingKey(path, { standby: false })).toThrow(/keys\.new is there: .* remove it$/);
    expect(text()).toBe(before);
    expect(readFileSync(`${path}.new`, 'utf8')).toBe('half');
  });
  test('where nothing can be written beside it', () => {
    expect(() => addWrappingKey(join(path, 'keys'), { standby: false })).toThrow(/ENOTDIR/);
    expect(text()).toBe(before);
  });
});
