/** Tests the vault: a sealed value opens only with its own scope and key. */
import { describe, expect, jest, test } from '@jest/globals';
import { createWrapping } from '../../src/core/vault/data-key.ts';
import { freshKeys, parseKeyRing } from '../../src/core/vault/key-ring.ts';
import { type Sealed, VaultUnavailable } from '../../src/core/vault/ports.ts';
import { SealBroken } from '../../src/core/vault/seal.ts';
import { createVault } from '../../src/core/vault/vault.ts';

const text = freshKeys();
const ring = parseKeyRing(text);
const vault = createVault(ring);
const here = { tenant: 'Demo', record: '8314442372419167' };
const secrets = { number: '4111111111111111', payload: '{"bank":{"ownerName":"Änna 😀"}}' };

/** Flips one bit. */
const turned = (sealed: string, index: number): string => {
  const bytes = Buffer.from(sealed, 'base64');
  bytes[index]! ^= 1;
  return bytes.toString('base64');
};

describe('sealing', () => {
  test('opening returns the sealed value', () => {
    const sealed = vault.seal(here, secrets);
    expect(sealed.keyId).toBe(ring.current);
    expect(vault.open(here, sealed, 'number')).toBe(secrets.number);
    expect(vault.open(here, sealed, 'payload')).toBe(secrets.payload);
  });
  test('an absent part stays absent and does not open', () => {
    const sealed = vault.seal(here, { number: '' });
    expect(sealed.payload).toBeUndefined();
    expect(vault.open(here, sealed, 'number')).toBe('');
    expect(() => vault.open(here, sealed, 'payload')).toThrow(SealBroken);
  });
  test('what earlier releases sealed opens', () => {
    const earlierRing = parseKeyRing(`old:${'11'.repeat(32)}\nindex:${'22'.repeat(32)}\npepper:${'33'.repeat(32)}\n`);
    const stored: Sealed = {
      keyId: 'old',
      dataKey: 'tFI30ByUrQgAGnEUxqrV38ueOeGT5kxA9KkMNJRxwWz79567+mMG7WC9/eu3qBFzotXmverk8iDo/niF',
      number: 'xlA6FNm39pM2Xcxwu4q/NXRiMKCXYGwix6TLJDiXPNV49q9WEd1INSlu98A=',
      payload: 'e1mxWaEqGhhpiDy87WwQ6gAS0VW+fVxTgMBTAbCm/B3XEfuHwaI=',
    };
    const scope = { tenant: 'Demo', record: 'R1' };
    expect(createVault(earlierRing).open(scope, stored, 'number')).toBe('4111111111111111');
    expect(createVault(earlierRing).open(scope, stored, 'payload')).toBe('{"elv":{}}');
  });
  test('never produces the same bytes twice', () => {
    const [one, two] = [vault.seal(here, secrets), vault.seal(here, secrets)];
    for (const part of ['dataKey', 'number', 'payload'] as const) {
      expect(one[part]).not.toBe(two[part]);
      expect(one[part]!.slice(0, 16)).not.toBe(two[part]!.slice(0, 16));
    }
  });
  test('1,000 nonces of a record part are distinct', () => {
    const nonces = Array.from({ length: 1_000 }, () => vault.seal(here, secrets)).flatMap((sealed) =>
      [sealed.dataKey, sealed.number!, sealed.payload!].map((part) => part.slice(0, 16)),
    );
    expect(new Set(nonces).size).toBe(3_000);
  });
});

describe('a ciphertext in another scope does not open', () => {
  const sealed = vault.seal(here, secrets);
  const other = vault.seal({ ...here, record: 'OTHER' }, secrets);
  const places: [string, Parameters<typeof vault.open>][] = [
    ['another record', [{ ...here, record: 'OTHER' }, sealed, 'number']],
    ['another tenant', [{ ...here, tenant: 'Other' }, sealed, 'number']],
    ['the border of tenant and record moved', [{ tenant: 'Demo8', record: '314442372419167' }, sealed, 'number']],
    ['another field', [here, { ...sealed, payload: sealed.number }, 'payload']],
    ['the data key of another record', [here, { ...sealed, dataKey: other.dataKey }, 'number']],
    ['the number of another record', [here, { ...sealed, number: other.number }, 'number']],
    [
      'data key and number of another record',
      [here, { ...sealed, dataKey: other.dataKey, number: other.number }, 'number'],
    ],
    ['a field as data key', [here, { ...sealed, dataKey: sealed.number! }, 'number']],
    ['cut short', [here, { ...sealed, number: sealed.number!.slice(0, 32) }, 'number']],
    ['empty', [here, { ...sealed, number: '' }, 'number']],
    ['no base64', [here, { ...sealed, number: '!!!' }, 'number']],
  ];
  test.each(places)('%s', (_, [scope, moved, part]) => {
    expect(() => vault.open(scope, moved, part)).toThrow(SealBroken);
  });
  test.each(['dataKey', 'number'] as const)('any flipped bit of %s', (part) => {
    const length = Buffer.from(sealed[part]!, 'base64').length;
    for (let index = 0; index < length; index += 1) {
      const changed: Sealed = { ...sealed, [part]: turned(sealed[part]!, index) };
      expect(() => vault.open(here, changed, 'number')).toThrow(SealBroken);
    }
  });
  test('an error contains neither plaintext, key nor ciphertext', () => {
    try {
      vault.open(here, { ...sealed, number: other.number }, 'number');
      throw new Error('it opened');
    } catch (thrown) {
      const printed = `${(thrown as Error).message} ${(thrown as Error).stack}`;
      for (const secret of [secrets.number, other.number!, sealed.dataKey]) expect(printed).not.toContain(secret);
      expect(thrown).toBeInstanceOf(SealBroken);
    }
  });
});

describe('several wrapping keys', () => {
  const [, first, ...rest] = text.trim().split('\n');
  const newer = parseKeyRing([`k-new:${'ab'.repeat(32)}`, first, ...rest].join('\n'));

  test('the first one seals, the others still open', () => {
    const rotated = createVault(newer);
    const old = vault.seal(here, secrets);
    expect(rotated.open(here, old, 'number')).toBe(secrets.number);
    const moved = rotated.seal(here, { number: rotated.open(here, old, 'number') });
    expect(moved.keyId).toBe('k-new');
    expect(rotated.open(here, moved, 'number')).toBe(secrets.number);
    expect(() => vault.open(here, moved, 'number')).toThrow(VaultUnavailable);
  });
  test('a key id missing from the ring raises VaultUnavailable with that id', () => {
    const sealed = { ...vault.seal(here, secrets), keyId: 'k-gone' };
    expect(() => vault.open(here, sealed, 'number')).toThrow(VaultUnavailable);
    expect(() => vault.open(here, sealed, 'number')).toThrow(/k-gone/);
  });
  test('a ciphertext does not open under another id, even of the same key', () => {
    const key = ring.wrapping.get(ring.current)!;
    const twins = createVault({ ...ring, wrapping: new Map([...ring.wrapping, ['k-twin', key]]) });
    const sealed = twins.seal(here, secrets);
    expect(twins.open(here, sealed, 'number')).toBe(secrets.number);
    expect(() => twins.open(here, { ...sealed, keyId: 'k-twin' }, 'number')).toThrow(SealBroken);
  });
  test('a key under the id of another does not open', () => {
    const sealed = createVault(newer).seal(here, secrets);
    expect(() => createVault(newer).open(here, { ...sealed, keyId: ring.current }, 'number')).toThrow(SealBroken);
    const twin = createVault(parseKeyRing([`k-new:${'cd'.repeat(32)}`, ...rest].join('\n')));
    expect(() => twin.open(here, sealed, 'number')).toThrow(SealBroken);
  });
});

describe('rewrapping with another key', () => {
  const [, first, ...rest] = text.trim().split('\n');
  const lines = [`k-new:${'ab'.repeat(32)}`, first, ...rest];
  const newer = parseKeyRing(lines.join('\n'));
  const newest = parseKeyRing([`k-last:${'cd'.repeat(32)}`, ...lines].join('\n'));
  const without = (keyId: string, from = newer) => ({
    ...from,
    wrapping: new Map([...from.wrapping].filter(([id]) => id !== keyId)),
  });
  const sealed = vault.seal(here, secrets);
  const moved: Sealed = { ...sealed, ...createWrapping(newer).rewrap(here, sealed) };

  test('changes the wrapping only, and the old key is no longer needed', () => {
    expect(moved).toEqual({ ...sealed, keyId: 'k-new', dataKey: expect.any(String) });
    expect(moved.dataKey).not.toBe(sealed.dataKey);
    const fresh = createVault(without(ring.current));
    expect(fresh.open(here, moved, 'number')).toBe(secrets.number);
    expect(fresh.open(here, moved, 'payload')).toBe(secrets.payload);
    expect(() => fresh.open(here, sealed, 'number')).toThrow(VaultUnavailable);
    expect(() => createVault(without('k-new')).open(here, moved, 'number')).toThrow(VaultUnavailable);
  });
  test('repeatedly, and back to the first key', () => {
    const twice = { ...moved, ...createWrapping(newest).rewrap(here, moved) };
    expect(twice.keyId).toBe('k-last');
    expect(createVault(without('k-new', newest)).open(here, twice, 'number')).toBe(secrets.number);
    const back = { ...twice, ...createWrapping({ ...newest, current: ring.current }).rewrap(here, twice) };
    expect(back.keyId).toBe(ring.current);
    expect(vault.open(here, back, 'payload')).toBe(secrets.payload);
  });
  test.each([
    ['another record', { ...here, record: 'OTHER' }, sealed],
    ['another tenant', { ...here, tenant: 'Other' }, sealed],
    ['a field as data key', here, { ...sealed, dataKey: sealed.number! }],
    ['a flipped bit', here, { ...sealed, dataKey: turned(sealed.dataKey, 20) }],
    ['another id', here, { ...sealed, keyId: 'k-new' }],
  ])('%s is refused', (_, scope, wrapped) => {
    expect(() => createWrapping(newer).rewrap(scope, wrapped)).toThrow(SealBroken);
  });
  test('keeps the data bound to its scope', () => {
    const moving = createVault(newer);
    const other = { ...here, record: 'OTHER' };
    expect(() => moving.open(other, moved, 'number')).toThrow(SealBroken);
    expect(() => moving.open({ ...here, tenant: 'Other' }, moved, 'number')).toThrow(SealBroken);
    expect(() => moving.open(here, { ...moved, payload: moved.number }, 'payload')).toThrow(SealBroken);
    // Neither the old wrapping under the new id, nor the new one under the old id.
    expect(() => moving.open(here, { ...moved, dataKey: sealed.dataKey }, 'number')).toThrow(SealBroken);
    expect(() => moving.open(here, { ...moved, keyId: sealed.keyId }, 'number')).toThrow(SealBroken);
    const twin = vault.seal(here, secrets);
    expect(() => moving.open(here, { ...moved, number: twin.number }, 'number')).toThrow(SealBroken);
    for (let index = 0; index < Buffer.from(moved.dataKey, 'base64').length; index += 1)
      expect(() => moving.open(here, { ...moved, dataKey: turned(moved.dataKey, index) }, 'number')).toThrow(
        SealBroken,
      );
  });
  test('a missing key raises VaultUnavailable with its id', () => {
    expect(() => createWrapping(without(ring.current)).rewrap(here, sealed)).toThrow(VaultUnavailable);
    expect(() => createWrapping(without(ring.current)).rewrap(here, sealed)).toThrow(ring.current);
  });
});

describe('fingerprints and aliases', () => {
  test('are equal for the same card of a company only', () => {
    const fingerprint = vault.fingerprint('Demo', secrets.number);
    expect(fingerprint).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(createVault(ring).fingerprint('Demo', secrets.number)).toBe(fingerprint);
    expect(vault.fingerprint('Other', secrets.number)).not.toBe(fingerprint);
    expect(vault.fingerprint('Demo', '4111111111111112')).not.toBe(fingerprint);
    const alias = vault.alias('Demo', secrets.number);
    expect(alias).toMatch(/^[A-Z]\d{15}$/);
    expect(createVault(ring).alias('Demo', secrets.number)).toBe(alias);
    expect(vault.alias('Other', secrets.number)).not.toBe(alias);
  });
  test('stay the same when the wrapping key changes, and change with the index key', () => {
    const lines = text.trim().split('\n');
    const rewrapped = createVault(parseKeyRing([`k-x:${'12'.repeat(32)}`, ...lines.slice(2)].join('\n')));
    expect(rewrapped.alias('Demo', '1')).toBe(vault.alias('Demo', '1'));
    const elsewhere = createVault(parseKeyRing(freshKeys()));
    expect(elsewhere.fingerprint('Demo', '1')).not.toBe(vault.fingerprint('Demo', '1'));
  });
  test('companies evicted from the key cache get the same fingerprint again', () => {
    const before = vault.fingerprint('c0', '1');
    const all = Array.from({ length: 1_500 }, (_, index) => vault.fingerprint(`c${index}`, '1'));
    expect(new Set(all).size).toBe(1_500);
    expect(vault.fingerprint('c0', '1')).toBe(before);
  });
  test('known answers: the derivation never changes, or every stored fingerprint is lost', () => {
    const fixed = createVault(
      parseKeyRing(`k:${'01'.repeat(32)}\nindex:${'02'.repeat(32)}\npepper:${'03'.repeat(32)}`),
    );
    expect([fixed.fingerprint('Demo', secrets.number), fixed.alias('Demo', secrets.number)]).toEqual([
      'CxZ2FpDNQJStC0KlWxmIh4UPBjeVwhO3YTggfKS_nGE',
      'U732633698462464',
    ]);
  });
});

test('what was decrypted is overwritten, also where a seal is broken', () => {
  const vault = createVault(parseKeyRing(freshKeys()));
  const scope = { tenant: 'Demo', record: 'r' };
  const sealed = vault.seal(scope, { number: '4111111111111111' });
  const fill = jest.spyOn(Buffer.prototype, 'fill');
  try {
    // Of the data key and of the number.
    expect(vault.open(scope, sealed, 'number')).toBe('4111111111111111');
    expect(fill).toHaveBeenCalledTimes(2);
    fill.mockClear();
    expect(() => vault.open({ ...scope, record: 'other' }, sealed, 'number')).toThrow(/does not belong/);
    expect(fill).toHaveBeenCalledTimes(1);
    fill.mockClear();
    const broken = { ...sealed, number: `${sealed.number!.slice(0, -4)}AAA=` };
    expect(() => vault.open(scope, broken, 'number')).toThrow();
    expect(fill).toHaveBeenCalledTimes(2);
  } finally {
    fill.mockRestore();
  }
});
