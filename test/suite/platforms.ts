/** The balance platform over an engine, through a whole gateway: what is kept, listed, done once, and by whom. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { callers, gatewayOver, type TestGateway } from '../support/gateway.ts';
import { type Headers, type Resources, resourcesOf } from '../support/resources.ts';
import type { EngineFactory } from './store.ts';

export function describePlatforms({ open, dispose }: EngineFactory): void {
  describe('the balance platform', () => {
    let engine: Awaited<ReturnType<typeof open>>;
    let gateway: TestGateway;
    let ask: Resources;
    beforeEach(async () => {
      engine = await open();
      gateway = await gatewayOver(engine);
      ask = resourcesOf(gateway);
    });
    afterEach(() => dispose(engine));

    const makeHolder = async (also: object = {}, who: Headers = callers.platform) =>
      (await ask.post('/accountHolders', { legalEntityId: 'LE1', ...also }, { who })).body;

    test('an account holder is kept, found, changed and listed', async () => {
      const made = await ask.post('/accountHolders', {
        legalEntityId: 'LE1',
        reference: 'Ä "1"',
        metadata: { a: '1' },
      });
      expect(made).toMatchObject({ status: 200, headers: { ETag: '"1"' } });
      expect(made.body).toEqual({
        balancePlatform: 'DemoPlatform',
        id: expect.stringMatching(/^AH[A-Z0-9]{23}$/),
        legalEntityId: 'LE1',
        metadata: { a: '1' },
        reference: 'Ä "1"',
        status: 'active',
        timeZone: 'Europe/Amsterdam',
      });
      const path = `/accountHolders/${made.body.id}`;
      expect((await ask.get(path)).text).toBe(made.text);
      const changed = await ask.patch(
        path,
        { metadata: { b: '2' }, timeZone: 'UTC' },
        { headers: { 'if-match': '"1"' } },
      );
      expect(changed).toMatchObject({ status: 200, headers: { ETag: '"2"' } });
      expect(changed.body).toEqual({ ...made.body, metadata: { b: '2' }, timeZone: 'UTC' });
      const list = await ask.get('/balancePlatforms/DemoPlatform/accountHolders');
      expect(list.body).toEqual({ accountHolders: [changed.body], hasNext: false, hasPrevious: false });
    });

    test('what changes nothing is no new state, and If-Match holds the later of two', async () => {
      const path = `/accountHolders/${(await makeHolder({ description: 'one' })).id}`;
      expect((await ask.patch(path, { description: 'one' })).headers.ETag).toBe('"1"');
      const both = await Promise.all(
        ['two', 'three'].map((description) => ask.patch(path, { description }, { headers: { 'if-match': '"1"' } })),
      );
      expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
      expect((await ask.get(path)).headers.ETag).toBe('"2"');
      for (const header of ['"2"', '"9", "2"', '*'])
        expect((await ask.patch(path, {}, { headers: { 'if-match': header } })).status).toBe(200);
      for (const header of ['"1"', 'W/"2"', '2'])
        expect((await ask.patch(path, {}, { headers: { 'if-match': header } })).status).toBe(412);
    });

    test('a create and a change are done once for their key, and a list is not kept', async () => {
      const key = { headers: { 'idempotency-key': '6f1c1f0e-3b7a-4d67-9f8e-2f6a3c1d9b10' } };
      const [first, ...others] = await Promise.all(
        Array.from({ length: 5 }, () => ask.post('/accountHolders', { legalEntityId: 'LE1' }, key)),
      );
      for (const other of others) if (other.status !== 409) expect(other.text).toBe(first!.text);
      gateway.restart();
      const again = await ask.post('/accountHolders', { legalEntityId: 'LE1' }, key);
      expect(again).toMatchObject({ text: first!.text, headers: { 'Idempotent-Replayed': 'true', ETag: '"1"' } });
      expect((await ask.post('/accountHolders', { legalEntityId: 'LE2' }, key)).body.errorCode).toBe('704');
      const path = `/accountHolders/${first!.body.id}`;
      const other = { headers: { 'idempotency-key': 'another-key-of-the-test' } };
      const changed = await ask.patch(path, { status: 'suspended' }, other);
      await ask.patch(path, { status: 'active' });
      expect((await ask.patch(path, { status: 'suspended' }, other)).text).toBe(changed.text);
      expect((await ask.get(path)).body.status).toBe('active');
      const list = '/balancePlatforms/DemoPlatform/accountHolders';
      expect((await ask.get(list, other)).body.accountHolders).toHaveLength(1);
    });

    test('a key belongs to the platform: another of the same company may use the same one', async () => {
      const headers = { 'idempotency-key': 'the-same-key-for-both-of-them' };
      const mine = await ask.post('/accountHolders', { legalEntityId: 'LE1' }, { headers });
      const theirs = await ask.post(
        '/accountHolders',
        { legalEntityId: 'LE1' },
        { headers, who: callers.otherPlatform },
      );
      expect([mine.body.balancePlatform, theirs.body.balancePlatform]).toEqual(['DemoPlatform', 'OtherPlatform']);
      expect(theirs.headers['Idempotent-Replayed']).toBeUndefined();
    });

    test('a platform that is not active takes nobody in, and says so', async () => {
      const platform = { id: 'DemoPlatform', company: 'Demo', timeZone: 'UTC', description: 'Ours' } as const;
      await gateway.registry.saveBalancePlatform({ ...platform, status: 'Suspended' });
      expect((await ask.post('/accountHolders', { legalEntityId: 'LE1' })).body).toMatchObject({
        status: 422,
        errorCode: '30_003',
      });
      expect((await ask.get('/balancePlatforms/DemoPlatform')).body).toEqual({
        description: 'Ours',
        id: 'DemoPlatform',
        status: 'Suspended',
      });
      await gateway.registry.saveBalancePlatform({ ...platform, status: 'Active' });
      expect((await makeHolder()).timeZone).toBe('UTC');
      const other = { ...platform, company: 'Other', status: 'Active' } as const;
      await expect(gateway.registry.saveBalancePlatform(other)).rejects.toThrow(/another company/);
    });

    test('pages follow one another, and rows that come meanwhile change none of them', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 25; n += 1) ids.push((await makeHolder({ reference: `n${n}` })).id);
      const list = '/balancePlatforms/DemoPlatform/accountHolders';
      expect((await ask.get(list)).body.accountHolders).toHaveLength(10);
      const seen: string[] = [];
      for (let offset = 0; ; offset += 7) {
        const { body } = await ask.get(`${list}?offset=${offset}&limit=7`);
        seen.push(...body.accountHolders.map(({ id }: { id: string }) => id));
        expect(body.hasPrevious).toBe(offset > 0);
        if (!body.hasNext || seen.length > 25) break;
        await makeHolder({}, callers.otherPlatform);
        await makeHolder();
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.slice(0, 25).toSorted()).toEqual(ids.toSorted());
      const beyond = await ask.get(`${list}?offset=1000`);
      expect(beyond.body).toEqual({ accountHolders: [], hasNext: false, hasPrevious: true });
      const empty = await ask.get('/balancePlatforms/OtherPlatform/accountHolders?offset=1', { who: callers.demo });
      expect(empty.status).toBe(403);
    });
  });
}
