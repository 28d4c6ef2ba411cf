/** Credentials on every engine: which secrets are accepted, for how long, and what the database reveals of them. */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { CredentialOrigin } from '../../src/access/credentials/credential-bounds.ts';
import { createCredentialUses } from '../../src/access/credentials/credential-uses.ts';
import type { Credentials } from '../../src/access/credentials/credentials.ts';
import { cacheMsMax, createCredentials } from '../../src/access/credentials/credentials.ts';
import { findCredentialsOfOtherPeppers } from '../../src/access/credentials/rehash-secret.ts';
import { pepperKeys } from '../../src/access/credentials/secret-hash.ts';
import type { Engine } from '../../src/stores/sql/engine.ts';
import { createRegistry, type Registry } from '../support/services.ts';
import { until } from '../support/until.ts';
import { furnish, pepper, ring } from './samples.ts';
import type { EngineFactory } from './store.ts';

export function describeCredentials({ open, dispose }: EngineFactory): void {
  describe('credentials', () => {
    let engine: Engine;
    let registry: Registry;
    let credentials: Credentials;
    let now: number;
    const clock = { now: () => now };
    beforeEach(async () => {
      now = 1_700_000_000_000;
      engine = await open();
      await furnish(engine);
      registry = createRegistry(engine, pepper, clock);
      credentials = createCredentials(engine, pepper, clock);
    });
    afterEach(() => dispose(engine));

    const wanted = {
      tenant: 'Demo',
      roles: ['recurring'],
      grants: { merchantAccount: ['DemoMerchant', 'DemoMerchantNL'] },
    } as const;
    const basic = async (secret: string, username = 'ws@Company.Demo') =>
      (await credentials.verify({ kind: 'basic', username, secret })).caller;
    const apiKey = async (secret: string) => (await credentials.verify({ kind: 'apiKey', secret })).caller;
    const expected = (id: string) => ({
      credential: id,
      tenant: 'Demo',
      roles: new Set(['recurring']),
      grants: new Map([['merchantAccount', new Set(['DemoMerchant', 'DemoMerchantNL'])]]),
      requiresKey: false,
    });

    test('of a balance platform: lets in for that platform alone, and has its role alone', async () => {
      const platform = { id: 'DemoPlatform', company: 'Demo', status: 'Active', timeZone: 'UTC' } as const;
      const grants = { balancePlatform: ['DemoPlatform'] };
      const of = { ...wanted, roles: ['balancePlatform'], grants };
      const add = (also: object) => registry.addCredential({ ...of, kind: 'basic', ...also } as never);
      await expect(add({})).rejects.toThrow(/not one of Demo; add it first/);
      await registry.saveBalancePlatform(platform);
      await expect(registry.saveBalancePlatform({ ...platform, company: 'Other' })).rejects.toThrow(/another company/);
      await expect(registry.saveBalancePlatform({ ...platform, id: 'a.b' })).rejects.toThrow(/letters, digits/);
      await expect(registry.saveBalancePlatform({ ...platform, timeZone: 'Mars' })).rejects.toThrow(/IANA/);
      await expect(add({ tenant: 'Other' })).rejects.toThrow(/not one of Other/);
      await expect(add({ roles: ['balancePlatform', 'recurring'] })).rejects.toThrow(/no other role/);
      await expect(add({ grants: { ...grants, ...wanted.grants } })).rejects.toThrow(/no other grants/);
      await registry.saveBalancePlatform({ ...platform, id: 'Second' });
      const two = { balancePlatform: ['DemoPlatform', 'Second'] };
      await expect(add({ grants: two })).rejects.toThrow(/no other grants/);
      await expect(add({ grants: {} })).rejects.toThrow(/needs a balance platform/);
      await expect(add({ username: 'ws@Company.Demo' })).rejects.toThrow(/@BalancePlatform\.Demo/);
      const { id, secret, username } = await add({});
      expect(username).toBe('ws@BalancePlatform.Demo');
      expect(await basic(secret, username)).toEqual({
        ...expected(id),
        roles: new Set(['balancePlatform']),
        grants: new Map([['balancePlatform', new Set(['DemoPlatform'])]]),
        partition: 'DemoPlatform',
      });
      expect(await registry.listCredentials()).toMatchObject([{ id, grants }]);
      expect(await registry.listBalancePlatforms()).toEqual([platform, { ...platform, id: 'Second' }]);
    });
    test('a rotation of the pepper: both verify, a used secret moves, and what is left is named', async () => {
      const newer = createSecretKey(randomBytes(32));
      const used = await registry.addCredential({ ...wanted, kind: 'basic' });
      const usedKey = await registry.addCredential({ ...wanted, kind: 'apiKey' });
      const idle = await registry.addCredential({ ...wanted, kind: 'apiKey' });
      const left = async () => {
        const rows = await findCredentialsOfOtherPeppers(engine, pepperKeys(newer), clock);
        return rows.map(({ credential_id: id }) => id).sort();
      };
      const serve = (current: KeyObject, state?: 'next' | 'old') => {
        const key = state === 'next' ? newer : pepper;
        credentials = createCredentials(engine, current, clock, () => {}, state && { state, key });
      };
      const accepted = async () => [
        (await basic(used.secret))?.credential === used.id,
        (await apiKey(usedKey.secret))?.credential === usedKey.id,
      ];
      serve(newer);
      expect(await accepted()).toEqual([false, false]);
      serve(pepper, 'next');
      expect(await accepted()).toEqual([true, true]);
      expect(await left()).toEqual([used.id, usedKey.id, idle.id].sort());
      serve(newer, 'old');
      expect(await accepted()).toEqual([true, true]);
      expect(await basic('wrong')).toBeUndefined();
      expect(await apiKey('wrong')).toBeUndefined();
      await until('the used secrets moved', async () => (await left()).length === 1);
      expect(await left()).toEqual([idle.id]);
      serve(newer);
      expect(await accepted()).toEqual([true, true]);
      expect(await apiKey(idle.secret)).toBeUndefined();
      serve(pepper, 'next');
      expect(await accepted()).toEqual([true, true]);
      serve(pepper);
      expect(await accepted()).toEqual([false, false]);
    });
    test('the right secret lets its credential in, and no other does', async () => {
      const { id, username, secret } = await registry.addCredential({ ...wanted, kind: 'basic' });
      expect(username).toBe('ws@Company.Demo');
      expect(secret).toMatch(/^[A-Za-z0-9_-]{32}$/);
      expect(await basic(secret)).toEqual(expected(id));
      for (const wrong of ['', `${secret}x`, secret.slice(0, -1), secret.toUpperCase()]) {
        expect(await basic(wrong)).toBeUndefined();
      }
      expect(await basic(secret, 'ws@Company.Other')).toBeUndefined();
      expect(await basic(secret, 'x'.repeat(10_000))).toBeUndefined();
      expect(await basic(secret, 'ws@Company.Demo\0')).toBeUndefined();
      expect(await apiKey(secret)).toBeUndefined();
    });
    test('an API key lets its credential in, and is no password', async () => {
      const { id, username, secret } = await registry.addCredential({ ...wanted, kind: 'apiKey' });
      expect(username).toBeUndefined();
      expect(await apiKey(secret)).toEqual(expected(id));
      expect(await apiKey(`${secret}x`)).toBeUndefined();
      expect(await basic(secret)).toBeUndefined();
    });
    test('a given secret serves a demonstration; the same API key twice is refused', async () => {
      await registry.addCredential({ ...wanted, kind: 'apiKey', secret: 'demo-api-key' });
      expect(await apiKey('demo-api-key')).toBeDefined();
      const again = registry.addCredential({ ...wanted, kind: 'apiKey', secret: 'demo-api-key' });
      await expect(again).rejects.toThrow(/another API key/);
      expect(await registry.listCredentials()).toHaveLength(1);
    });
    test('revoked: out within a second, and the username is free again', async () => {
      const { id, secret } = await registry.addCredential({ ...wanted, kind: 'basic' });
      expect(await basic(secret)).toBeDefined();
      await registry.revokeCredential(id);
      now += cacheMsMax;
      expect(await basic(secret)).toBeUndefined();
      await expect(registry.revokeCredential(id)).rejects.toThrow(/no live credential/);
      const next = await registry.addCredential({ ...wanted, kind: 'basic' });
      now += cacheMsMax;
      expect(await basic(secret)).toBeUndefined();
      expect(await basic(next.secret)).toEqual(expected(next.id));
    });
    test('cached credentials are read again when the clock is set back', async () => {
      const { id, secret } = await registry.addCredential({ ...wanted, kind: 'apiKey' });
      expect(await apiKey(secret)).toBeDefined();
      await registry.revokeCredential(id);
      now -= 1;
      expect(await apiKey(secret)).toBeUndefined();
    });
    test.each(['basic', 'apiKey'] as const)('a %s secret that is rotated stays good for its grace', async (kind) => {
      const verify = kind === 'basic' ? basic : apiKey;
      const { id, secret: old } = await registry.addCredential({ ...wanted, kind });
      const { secret: fresh } = await registry.rotateCredential(id, { graceMs: 10_000 });
      expect(fresh).not.toBe(old);
      expect(await verify(old)).toEqual(expected(id));
      expect(await verify(fresh)).toEqual(expected(id));
      now += 9_999;
      expect(await verify(old)).toBeDefined();
      now += 1;
      expect(await verify(old)).toBeUndefined();
      expect(await verify(fresh)).toBeDefined();
    });
    test('a later rotation does not lengthen an earlier grace, and clears what is over', async () => {
      const { id, secret } = await registry.addCredential({ ...wanted, kind: 'apiKey' });
      await registry.rotateCredential(id, { graceMs: 1_000 });
      now += 500;
      await registry.rotateCredential(id, { graceMs: 60_000 });
      expect((await registry.listCredentials())[0]?.secrets).toHaveLength(3);
      now += 500;
      expect(await apiKey(secret)).toBeUndefined();
      await registry.rotateCredential(id, { graceMs: 0 });
      expect((await registry.listCredentials())[0]?.secrets).toHaveLength(2 - 1);
    });
    test('the list shows everything but the secrets', async () => {
      const { id, secret } = await registry.addCredential({ ...wanted, kind: 'basic' });
      const list = await registry.listCredentials();
      expect(list).toEqual([
        {
          id,
          tenant: 'Demo',
          kind: 'basic',
          username: 'ws@Company.Demo',
          roles: ['recurring'],
          grants: wanted.grants,
          requiresKey: false,
          readOnly: false,
          createdAt: now,
          revokedAt: undefined,
          expiresAt: undefined,
          networks: undefined,
          certificates: undefined,
          lastUsedAt: undefined,
          secrets: [{ createdAt: now, validUntil: undefined }],
        },
      ]);
      expect(JSON.stringify(list)).not.toContain(secret);
      await registry.revokeCredential(id);
      expect(await registry.listCredentials()).toMatchObject([{ id, revokedAt: now, secrets: [] }]);
    });
    const refusalOf = async (secret: string, origin?: CredentialOrigin) => {
      const verification = await credentials.verify({ kind: 'apiKey', secret }, origin);
      return verification.caller === undefined ? verification.refusal : undefined;
    };
    const from = (address: string) => ({ sender: { address } });
    const [first, second, third] = ['a', 'b', 'c'].map((each) => each.repeat(64)) as [string, string, string];
    const addKey = (also: object) => registry.addCredential({ ...wanted, kind: 'apiKey', ...also });

    test('an expired credential is refused, until its expiry is edited', async () => {
      const { id, secret } = await addKey({ expiresAt: now + 500 });
      expect(await refusalOf(secret)).toBeUndefined();
      now += 499;
      expect(await refusalOf(secret)).toBeUndefined();
      now += 1;
      expect(await refusalOf(secret)).toBe('expired');
      // Another edit leaves it as it is.
      await registry.editCredential(id, { readOnly: true });
      now += cacheMsMax;
      expect(await refusalOf(secret)).toBe('expired');
      expect(await registry.listCredentials()).toMatchObject([{ id, readOnly: true, expiresAt: 1_700_000_000_500 }]);
      await registry.editCredential(id, { expiresAt: null });
      now += cacheMsMax;
      expect(await apiKey(secret)).toEqual({ ...expected(id), readOnly: true });
      await expect(registry.editCredential(id, { expiresAt: now })).rejects.toThrow(/not in the future/);
      await expect(addKey({ expiresAt: now })).rejects.toThrow(/not in the future/);
    });
    test('a credential that is bound to networks is refused from others, and without an address', async () => {
      const { id, secret } = await addKey({ networks: ['192.0.2.0/24', '2001:db8::1'] });
      for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '2001:db8::1'])
        expect(await refusalOf(secret, from(address))).toBeUndefined();
      for (const address of ['192.0.3.7', '2001:db8::2', '', '192.0.2.7, 10.0.0.1'])
        expect(await refusalOf(secret, from(address))).toBe('otherAddress');
      expect(await refusalOf(secret)).toBe('otherAddress');
      // A wrong secret is refused as one, from wherever it comes.
      expect(await refusalOf(`${secret}x`, from('192.0.3.7'))).toBe('unknownName');
      await registry.editCredential(id, { networks: null });
      now += cacheMsMax;
      expect(await refusalOf(secret, from('192.0.3.7'))).toBeUndefined();
      for (const text of ['', 'example.com', '192.0.2.0/0', '10.0.0.1 10.0.0.2'])
        await expect(addKey({ networks: [text] })).rejects.toThrow(/no IP address and no network/);
    });
    test('an empty list is refused: it would admit everybody', async () => {
      for (const empty of [{ networks: [] }, { certificates: [] }]) {
        await expect(addKey(empty)).rejects.toThrow(/an empty list/);
        const { id } = await addKey({ networks: ['192.0.2.1'], certificates: [first] });
        await expect(registry.editCredential(id, empty)).rejects.toThrow(/an empty list/);
      }
    });
    test('a credential may require a certificate besides its secret, and two of them during a change', async () => {
      const { id, secret } = await addKey({ certificates: [first] });
      expect(await refusalOf(secret, { certificate: first })).toBeUndefined();
      expect(await refusalOf(secret, { certificate: second })).toBe('otherCertificate');
      expect(await refusalOf(secret)).toBe('otherCertificate');
      // The certificate replaces no secret.
      expect(await credentials.verify({ kind: 'certificate', secret: first })).toEqual({ refusal: 'unknownName' });
      await registry.editCredential(id, { certificates: [first, second] });
      now += cacheMsMax;
      for (const certificate of [first, second]) expect(await refusalOf(secret, { certificate })).toBeUndefined();
      await expect(addKey({ certificates: [first.toUpperCase()] })).rejects.toThrow(/64 lower-case/);
    });
    test('a certificate may replace the secret, and its fingerprint is no API key', async () => {
      const add = (...certificates: string[]) => registry.addCertificateCredential({ ...wanted, certificates });
      const { id } = await add(first);
      const verify = async (certificate: string) =>
        (await credentials.verify({ kind: 'certificate', secret: certificate }, { certificate })).caller;
      expect(await verify(first)).toEqual(expected(id));
      expect(await verify(second)).toBeUndefined();
      expect(await apiKey(first)).toBeUndefined();
      await expect(add(first)).rejects.toThrow(/another credential has this certificate/);
      await expect(add()).rejects.toThrow(/needs a certificate/);
      await expect(registry.rotateCredential(id, { graceMs: 0 })).rejects.toThrow(/has no secret: edit it/);
      await registry.editCredential(id, { certificates: [first, second] });
      await expect(registry.editCredential(id, { certificates: null })).rejects.toThrow(/needs a certificate/);
      now += cacheMsMax;
      expect(await verify(first)).toEqual(expected(id));
      expect(await verify(second)).toEqual(expected(id));
      await registry.editCredential(id, { certificates: [third] });
      now += cacheMsMax;
      expect(await verify(first)).toBeUndefined();
      expect(await verify(third)).toEqual(expected(id));
      expect(await registry.listCredentials()).toMatchObject([{ id, kind: 'certificate', certificates: [third] }]);
      await registry.revokeCredential(id);
      now += cacheMsMax;
      expect(await verify(third)).toBeUndefined();
      // It is free again.
      await add(third);
    });
    test('roles are edited as they are added', async () => {
      await registry.saveBalancePlatform({ id: 'P', company: 'Demo', status: 'Active', timeZone: 'UTC' });
      const grants = { balancePlatform: ['P'] };
      const { id, secret } = await addKey({ roles: ['balancePlatform:read'], grants });
      expect((await apiKey(secret))?.roles).toEqual(new Set(['balancePlatform:read']));
      await expect(registry.editCredential(id, { roles: ['recurring:list'] })).rejects.toThrow(/no other role/);
      await registry.editCredential(id, { roles: ['balancePlatform'] });
      now += cacheMsMax;
      expect((await apiKey(secret))?.roles).toEqual(new Set(['balancePlatform']));
      await registry.revokeCredential(id);
      await expect(registry.editCredential(id, { readOnly: true })).rejects.toThrow(/no live credential/);
    });
    test('the last use is stored at a flush, of accepted requests only', async () => {
      const uses = createCredentialUses(engine);
      const watched = createCredentials(engine, pepper, clock, uses.record);
      const { secret } = await addKey({});
      const lastUse = async () => (await registry.listCredentials())[0]?.lastUsedAt;
      await watched.verify({ kind: 'apiKey', secret: `${secret}x` });
      await uses.flush();
      expect(await lastUse()).toBeUndefined();
      await watched.verify({ kind: 'apiKey', secret });
      expect(await lastUse()).toBeUndefined();
      await uses.flush();
      expect(await lastUse()).toBe(now);
      now += 5_000;
      await watched.verify({ kind: 'apiKey', secret });
      await uses.flush();
      expect(await lastUse()).toBe(now);
      // Another process, which saw it earlier, changes nothing.
      const late = createCredentialUses(engine);
      late.record((await apiKey(secret))!, now - 1_000);
      await late.flush();
      expect(await lastUse()).toBe(now);
    });
    test('a last use that the store does not take is stored the next time', async () => {
      let fails = true;
      const uses = createCredentialUses({
        ...engine,
        write: (work, options) => (fails ? Promise.reject(new Error('away')) : engine.write(work, options)),
      });
      const { secret } = await addKey({});
      uses.record((await apiKey(secret))!, now);
      await expect(uses.flush()).rejects.toThrow('away');
      fails = false;
      await uses.flush();
      expect((await registry.listCredentials())[0]?.lastUsedAt).toBe(now);
    });
    test('another pepper knows no secret', async () => {
      const { secret } = await registry.addCredential({ ...wanted, kind: 'basic' });
      const elsewhere = createCredentials(engine, ring.index, clock);
      expect(await elsewhere.verify({ kind: 'basic', username: 'ws@Company.Demo', secret })).toMatchObject({
        refusal: 'wrongSecret',
      });
    });
    test('what cannot be is refused, with its reason', async () => {
      await registry.addCredential({ ...wanted, kind: 'basic' });
      const add = (parts: object) => registry.addCredential({ ...wanted, kind: 'basic', ...parts });
      await expect(add({})).rejects.toThrow(/is taken/);
      await expect(add({ username: 'ws@Company.Other' })).rejects.toThrow(/\{name\}@Company\.Demo/);
      await expect(add({ username: 'a:b@Company.Demo' })).rejects.toThrow(/\{name\}@Company\.Demo/);
      await expect(add({ kind: 'apiKey', username: 'ws@Company.Demo' })).rejects.toThrow(/no username/);
      await expect(add({ grants: { merchantAccount: ['OtherMerchant'] } })).rejects.toThrow(/not one of Demo/);
      await expect(add({ grants: { shop: ['Corner'] } })).rejects.toThrow(/no service declares the grant shop/);
      await expect(add({ tenant: 'a b', grants: {} })).rejects.toThrow(/a company has/);
      await expect(registry.addMerchantAccount('Other', 'DemoMerchant')).rejects.toThrow(/another company/);
      await expect(registry.addMerchantAccount('Demo', '')).rejects.toThrow(/1 to 80/);
      expect(await registry.findCompany('DemoMerchant')).toBe('Demo');
      expect(await registry.findCompany('unknown')).toBeUndefined();
      expect(await registry.listCredentials()).toHaveLength(1);
    });
  });
}
