/** Tests dead letters: a server that soon gives up on refused webhooks delivers later events and retries on command. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sendJson } from '../support/production-platform.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { startWebhookServer, tokenOf, type WebhookServer } from '../support/webhook-server.ts';

let serving: WebhookServer;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await openReceiver();
  serving = await startWebhookServer({ WEBHOOK_MS_MAX: '500', WEBHOOK_GIVE_UP_MS: '3000' });
});
afterAll(async () => {
  await serving?.close();
  await receiver?.close();
});

test.concurrent('a refused webhook becomes a dead letter, later events are delivered, and a retry delivers it', async () => {
  const shop = await serving.openShop('Dead');
  const { id } = await shop.listen(`${receiver.origin}/dead?token=hidden`);
  let refusing = true;
  receiver.respond('/dead?token=hidden', (response, { body }) => {
    if (refusing && JSON.parse(body).type === 'recurring.token.created') response.writeHead(500);
    response.end();
  });
  const idsHere = () => receiver.at('/dead?token=hidden').map(({ body }) => JSON.parse(body).eventId);
  const refused = (await shop.call('storeToken', tokenOf('anna'))).pspReference!;
  const next = (await shop.call('storeToken', tokenOf('anna', { expiryYear: '2031' }))).pspReference!;
  await until(idsHere, () => idsHere().includes(next));
  expect(idsHere().filter((each) => each === refused).length).toBeGreaterThan(1);

  const [letter, ...others] = JSON.parse(await serving.webhooks('list', 'Dead', '--json'));
  expect(others).toEqual([]);
  expect(letter).toEqual({
    id: `${refused}/${id}`,
    company: 'Dead',
    type: 'recurring.token.created',
    merchantAccount: 'DeadWeb',
    endpoint: `${receiver.origin}/dead`,
    happenedAt: expect.any(String),
    givenUpAt: expect.any(String),
    attempts: expect.any(Number),
    because: 'it answered 500',
  });
  expect(await serving.webhooks('list', 'Else')).toBe('There is no dead letter.\n');
  expect(await serving.webhooks('list')).toContain(
    `${refused}/${id}  Dead  recurring.token.created  ${receiver.origin}/dead  given up`,
  );
  const metrics = await (await fetch(`${serving.server.admin}/metrics`)).text();
  expect(metrics).toMatch(/^triglyph_webhooks_total\{outcome="givenUp"\} [1-9]/m);
  expect(metrics).toMatch(/^triglyph_webhooks_total\{outcome="refused"\} [1-9]/m);
  expect(metrics).toMatch(/^triglyph_webhooks_dead_letters [1-9]/m);
  expect(metrics).toMatch(/^triglyph_webhooks_oldest_due_seconds \d/m);

  const before = idsHere().length;
  refusing = false;
  expect(await serving.webhooks('retry', `${refused}/${id}`)).toBe(
    'The servers deliver 1 webhook again, with new attempts.\n',
  );
  await until(idsHere, () => idsHere().slice(before).includes(refused));
  await until(idsHere, async () => (await serving.webhooks('list', 'Dead')) === 'There is no dead letter.\n');
});

test.concurrent('a refused webhook of a company with only a balance platform is a dead letter of the platform and can be retried', async () => {
  let isRefusing = true;
  receiver.respond('/alone', (response) => {
    response.statusCode = isRefusing ? 500 : 202;
    response.end();
  });
  const platformSecret = await serving.openPlatform('Alone', 'AlonePlatform');
  await serving.listen('Alone', `${receiver.origin}/alone`, 'configuration');
  const { status, text } = await sendJson(
    serving.server.callers,
    ['POST', '/accountHolders', { legalEntityId: 'LE1' }],
    {
      'X-API-Key': platformSecret,
    },
  );
  expect(status).toBe(200);
  const letters = async () => JSON.parse(await serving.webhooks('list', 'Alone', '--json'));
  await until(letters, async () => (await letters()).length === 1);
  const [letter] = await letters();
  expect(letter).toMatchObject({
    company: 'Alone',
    type: 'balancePlatform.accountHolder.created',
    balancePlatform: 'AlonePlatform',
  });
  expect(letter).not.toHaveProperty('merchantAccount');
  isRefusing = false;
  await serving.webhooks('retry', letter.id);
  await until(letters, async () => (await letters()).length === 0);
  const tries = receiver.at('/alone');
  expect(new Set(tries.map(({ body, headers }) => `${headers.eventid} ${body}`)).size).toBe(1);
  expect(letter.id.startsWith(`${tries[0]?.headers.eventid}/we_`)).toBe(true);
  expect(JSON.parse(tries.at(-1)!.body).data.accountHolder).toEqual(JSON.parse(text));
});
