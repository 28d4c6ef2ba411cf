/** Tests the explorer and the traffic in a browser with two worker processes behind the console. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startBrowser, type TestBrowser } from '../support/browser.ts';
import { triglyph } from '../support/commands.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { sendRefused } from '../support/refused-request.ts';
import { type Production, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { typeInto } from '../support/typing.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
const username = 'anna@Company.Acme';
let postgres: Postgres;
let server: Server;
let browser: TestBrowser;
let caller: Production['credential'];
let secret: string;

beforeAll(async () => {
  [postgres, browser] = await Promise.all([startPostgres(), startBrowser()]);
  const { variables, credential } = await prepareProduction(folder.path, {
    DATABASE_URL: await postgres.createMigratedDatabase(),
  });
  caller = credential;
  const parameters = ['credential', 'add', 'Acme', '--username', username, '--role', 'console-admin', '--json'];
  const added = await triglyph(parameters, folder.path, variables);
  ({ secret } = JSON.parse(added.stdout));
  server = await startServer('serve', folder.path, { ...variables, WORKERS: '2' });
});
afterAll(async () => {
  await Promise.all([server?.stop(), browser?.close()]);
  await postgres?.discard();
  folder.discard();
});

test('a request of the explorer is answered by a worker, and requests of both appear as they are answered', async () => {
  const visit = await browser.visit({ origin: server.admin });
  const { page } = visit;
  await visit.open('/console/explorer/Recurring/68/disable');
  await visit.logIn(username, secret);
  await page.getByRole('heading', { name: 'Explorer', level: 1 }).waitFor();
  // The demo alone has a test API.
  expect(await page.getByRole('link', { name: 'Test API' }).count()).toBe(0);
  await typeInto(page.getByLabel(/^merchantAccount/), 'AcmeWeb');
  await page.getByLabel('Caller').selectOption('User and password');
  await typeInto(page.getByLabel('User', { exact: true }), caller.username);
  await typeInto(page.getByLabel('Password of the user'), caller.secret);
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('button', { name: 'Send as JSON' }).click();
  // Authenticated and authorized: the shopper has no details.
  await page.getByRole('status').filter({ hasText: '422 refused' }).waitFor();
  await page.getByText('"message": "Contract not found"').waitFor();

  await page.getByRole('link', { name: 'Find it in the traffic' }).click();
  await page.getByRole('row').filter({ hasText: 'contractNotFound' }).getByRole('link').click();
  await page.getByRole('heading', { name: 'Request disable' }).waitFor();
  // Its details are there, although the traffic was not open before.
  await page.getByRole('tab', { name: 'Canonical' }).click();
  await page.getByText('"merchantAccount": "AcmeWeb"').waitFor();
  await page.getByRole('link', { name: 'All requests' }).click();
  await page.getByText('Live', { exact: true }).waitFor();

  const rows = page.getByRole('region', { name: 'Requests' }).getByRole('link');
  const workers = async (): Promise<number> => {
    const hrefs = await rows.evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    return new Set(hrefs.map((href) => /(\d+)-\d+$/.exec(href ?? '')?.[1])).size;
  };
  let sent = 1;
  await until('requests of both workers are in the list', async () => {
    await sendRefused(server.callers);
    sent += 1;
    return (await workers()) === 2;
  });
  await until('the list has each request once', async () => (await rows.count()) === sent);
  expect(await workers()).toBe(2);
  await visit.close();
});
