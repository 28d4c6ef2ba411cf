/** Tests changes of a key file: atomic, lossless, one at a time. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { addWrappingKey, useWrappingKey } from '../../src/core/vault/key-file.ts';
import { KeyRingError, parseKeyRing } from '../../src/core/vault/key-ring.ts';

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
  test('comes first; the other lines are unchanged, the mode is 600, and no temporary file remains', () => {
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
  test('comes last with standby', () => {
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
  test('each has its own id and key', () => {
    const added = Array.from({ length: 5 }, () => addWrappingKey(path, { standby: false }).id);
    expect(ids()).toEqual([...added.reverse(), 'k-2', 'k-1']);
  });
  test('is written to the target of a symbolic link, and the link remains', () => {
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
  test('moves it to the first place', () => {
    useWrappingKey(path, 'k-1');
    expect(ids()).toEqual(['k-1', 'k-2']);
    useWrappingKey(path, 'k-2');
    expect(ids()).toEqual(['k-2', 'k-1']);
    useWrappingKey(path, 'k-2');
    expect(text().split('\n').sort()).toEqual(before.split('\n').sort());
  });
  test.each(['k-3', 'index', 'pepper', ''])('%j is refused with the list of existing ids', (id) => {
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
  test('while another change is in progress, whose file is left unchanged', () => {
    writeFileSync(`${path}.new`, 'half');
    expect(() => addWrappingKey(path, { standby: false })).toThrow(/keys\.new is there: .* remove it$/);
    expect(text()).toBe(before);
    expect(readFileSync(`${path}.new`, 'utf8')).toBe('half');
  });
  test('where no temporary file can be created', () => {
    expect(() => addWrappingKey(join(path, 'keys'), { standby: false })).toThrow(/ENOTDIR/);
    expect(text()).toBe(before);
  });
});
