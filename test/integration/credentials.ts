/** Credentials on every engine: which secrets are accepted, for how long, and what the database reveals of them. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createRegistry, type Registry } from '../../src/services/registry.ts';
import type { Credentials } from '../../src/store/sql/credentials.ts';
import { cacheMsMax, createCredentials } from '../../src/store/sql/credentials.ts';
import type { Engine } from '../../src/store/sql/engine.ts';
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
          createdAt: now,
          revokedAt: undefined,
          secrets: [{ createdAt: now, validUntil: undefined }],
        },
      ]);
      expect(JSON.stringify(list)).not.toContain(secret);
      await registry.revokeCredential(id);
      expect(await registry.listCredentials()).toMatchObject([{ id, revokedAt: now, secrets: [] }]);
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
