/** Tests that DRAIN_MS_MAX limits the whole stop, also while an endpoint of webhooks does not answer. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';
import { ask, basic, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
let receiver: Receiver;
beforeAll(async () => {
  receiver = await openReceiver();
});
afterAll(async () => {
  await receiver.close();
  folder.discard();
});

let server: Server;
afterEach(() => server.kill());

const waitMsMax = 30_000;

const card = { number: '4111111111111111', expiryMonth: '3', expiryYear: '2030', holderName: 'Anna van Dijk' };
const token = { card, merchantAccount: 'AcmeWeb', recurring: { contract: 'RECURRING' }, shopperReference: 'shopper-1' };

test('a webhook under way does not hold up the stop, and is sent again at once', async () => {
  // A webhook may take a minute here, twice as long as the test waits.
  const { variables, credential } = await prepareProduction(folder.path, {
    WEBHOOK_MS_MAX: '60000',
    DRAIN_MS_MAX: '1000',
  });
  const added = await triglyph(
    ['webhooks', 'endpoint', 'add', 'Acme', `${receiver.origin}/hooks`, '--format', 'tokenization'],
    folder.path,
    variables,
  );
  expect(added).toMatchObject({ code: 0 });
  receiver.respond('/hooks', () => {});
  server = await startServer('serve', folder.path, variables);
  const authorization = basic(credential.username, credential.secret);
  expect(await ask(server.callers, 'storeToken', token, authorization)).toMatchObject({ status: 200 });
  await until('the delivery', () => receiver.at('/hooks').length === 1);
  let code: number | null | undefined;
  void server.stop().then((ended) => {
    code = ended;
  });
  await until('the end', () => code !== undefined, waitMsMax);
  expect(code).toBe(0);
  expect(server.output()).not.toContain('"level":"error"');
  // Its lease would last another minute.
  receiver.respond('/hooks', (response) => response.end('[accepted]'));
  server = await startServer('serve', folder.path, variables);
  await until('the second delivery', () => receiver.at('/hooks').length === 2, waitMsMax);
  expect(receiver.eventsAt('/hooks')).toHaveLength(1);
});

test('SIGHUP drains a server without workers, as SIGTERM does', async () => {
  const { variables } = await prepareProduction(folder.path);
  server = await startServer('serve', folder.path, variables);
  process.kill(server.pid, 'SIGHUP');
  await until('the end', () => server.output().includes('"msg":"stopped"'), waitMsMax);
  expect(server.output()).toContain('"msg":"draining"');
});
