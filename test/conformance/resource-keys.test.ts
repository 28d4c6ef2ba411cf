/** Exactly once on resources: every writing operation under a key, sent again, with another body, by others, and after a restart. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { BoundOperation } from '../../src/core/contract/operation.ts';
import { boundOperations } from '../../src/core/contract/service.ts';
import { balancePlatformV2 } from '../../src/payments/balance-platform/v2.ts';
import { platformResources } from '../resources/index.ts';
import type { PlatformApi } from '../resources/platform-api.ts';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { furnished } from '../support/seeded-platform.ts';

let gateway: TestGateway;
let keys = 0;
beforeAll(async () => {
  gateway = await openGateway();
  await gateway.parts.registry.addCredential({
    ...{ tenant: 'Demo', kind: 'apiKey', secret: 'needs-a-key', roles: ['balancePlatform'] },
    ...{ grants: { balancePlatform: ['DemoPlatform'] }, requiresKey: true },
  });
});
afterAll(() => gateway.close());

interface Write {
  readonly method: string;
  readonly path: string;
  readonly body: object;
  /** Another request of the same operation. */
  readonly other: object;
}

/** Each has an effect that a second time would show. The path of a change names a new resource. */
const prepare = async (api: PlatformApi, { name, http }: BoundOperation): Promise<Write> => {
  const { kind, writes } = api;
  const ids = await furnished(gateway).branch(api);
  const parent = kind.parent === undefined ? 'DemoPlatform' : ids[kind.parent.kind.name]!;
  return { method: http.method, path: http.path.replace('{id}', ids[kind.name]!), ...writes[name]!(parent) };
};

const writing = boundOperations(balancePlatformV2).filter(({ effect }) => effect === 'writes');
const tried = platformResources.flatMap(({ api }) =>
  Object.keys(api.writes).map((name) => ({ api, name, operation: writing.find((each) => each.name === name)! })),
);

test('every writing operation is tried', () => {
  expect(tried.map(({ name }) => name).sort()).toEqual(writing.map(({ name }) => name).sort());
});

/** What a replay leaves out: it is shown in the first answer only. */
const shownOnce = (body: { readonly card?: { readonly lastFour?: string } }) =>
  body.card === undefined
    ? body
    : { ...body, card: { ...body.card, number: `************${body.card.lastFour}`, cvc: undefined } };

describe.each(tried)('$name', ({ api, operation }) => {
  const by = () => furnished(gateway);
  const send = ({ method, path }: Write, body: object, key: string | undefined, who: object = callers.platform) =>
    by().ask(method, path, body, { who: who as never, headers: { 'idempotency-key': key } });
  const freshKey = () => {
    keys += 1;
    return `a-key-of-the-test-${keys}`;
  };

  test('has its effect once, and gives the retry what it gave', async () => {
    const write = await prepare(api, operation);
    const key = freshKey();
    const first = await send(write, write.body, key);
    expect(first.status).toBe(200);
    for (const restarted of [false, true]) {
      if (restarted) gateway.restart();
      const again = await send(write, write.body, key, callers.platformKey);
      expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: shownOnce(first.body) });
      expect(again.headers).toMatchObject({
        ...{ 'Idempotency-Key': key, 'Idempotent-Replayed': 'true', ETag: first.headers.ETag },
        pspReference: first.headers.pspReference,
      });
    }
    const asItIs = (await by().get(`${write.path.split('/').slice(0, 2).join('/')}/${first.body.id}`)).headers.ETag;
    expect(asItIs).toBe(first.headers.ETag);
  });

  test('refuses the key for another request, and reveals nothing to another caller', async () => {
    const write = await prepare(api, operation);
    const key = freshKey();
    const first = await send(write, write.body, key);
    const other = await send(write, write.other, key);
    expect(other.body).toMatchObject({ status: 422, errorCode: '704' });
    expect(other.headers['transient-error']).toBe('false');
    expect((await send(write, write.body, key, callers.platformWithoutRole)).status).toBe(403);
    expect((await send(write, write.body, key, callers.anonymous)).status).toBe(401);
    const stranger = await send(write, write.body, key, callers.otherPlatform);
    expect(stranger.text).not.toContain(first.body.id);
    expect(stranger.headers['Idempotent-Replayed']).toBeUndefined();
  });

  test('keeps a refusal of the domain, and not one of the fields', async () => {
    const write = await prepare(api, operation);
    const path = write.path.replace(/[A-Z]{2}\d{23}/, 'AH0');
    const absent = path === write.path ? undefined : { ...write, path };
    if (absent !== undefined) {
      const key = freshKey();
      expect((await send(absent, write.body, key)).body.errorCode).toBe('30_002');
      expect((await send(absent, write.body, key)).headers['Idempotent-Replayed']).toBe('true');
    }
    const key = freshKey();
    expect((await send(write, { ...write.body, misspelt: 1 }, key)).status).toBe(400);
    expect((await send(write, write.body, key)).status).toBe(200);
  });

  test('is refused without a key where the credential needs one', async () => {
    const write = await prepare(api, operation);
    const who = { 'x-api-key': 'needs-a-key' };
    expect((await send(write, write.body, undefined, who)).body).toMatchObject({ status: 400, errorCode: '00_400' });
    expect((await send(write, write.body, freshKey(), who)).status).toBe(200);
  });
});
