/** Tests the frame of the console in a browser: policy, sessions, the keyboard, hostile texts, and pages of other sites. */
import { createServer, type Server as WebServer } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { startBrowser, type TestBrowser, type Visit } from '../support/browser.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { now } from '../support/fixture.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { typeInto } from '../support/typing.ts';

const consoleUser = { kind: 'basic', username: 'demo@Company.Acme', secret: 'a-public-password' } as const;
let console: TestConsole;
let browser: TestBrowser;
const servers: WebServer[] = [];

beforeAll(async () => {
  [console, browser] = await Promise.all([startConsole({ oneClick: consoleUser }), startBrowser()]);
  await console.addCredential(['console-admin'], consoleUser);
});
afterEach(() => {
  for (const each of servers.splice(0)) each.close();
});
afterAll(async () => {
  await Promise.all([console?.stop(), browser?.close()]);
});

const visitConsole = (): Promise<Visit> => browser.visit({ origin: console.callers });

/** Serves a page at a port of its own, and tells of the requests that it gets. */
async function serve(html: string, headers: Readonly<Record<string, string>> = {}) {
  const requests: { readonly method: string | undefined; readonly cookie: string | undefined }[] = [];
  const server = createServer((request, response) => {
    if (request.url !== '/favicon.ico') requests.push({ method: request.method, cookie: request.headers.cookie });
    response.writeHead(200, { 'Content-Type': 'text/html', ...headers });
    response.end(html);
  });
  servers.push(server);
  return { origin: `http://127.0.0.1:${await listenLocally(server)}`, requests };
}

const strict = { 'Content-Security-Policy': "default-src 'self'" };

test.each([
  ['an inline script', '<script>document.title = "run"</script>', strict, /inline script/i],
  ['an inline style', '<p style="color: red">text</p>', strict, /inline style/i],
  [
    'an image of another server',
    '<img src="http://192.0.2.1/x.png" alt="">',
    {},
    /another server: http:\/\/192\.0\.2\.1/,
  ],
  ['a script that throws', '<script>throw new Error("broken")</script>', {}, /broken/],
] as const)('the harness sees a page with %s', async (_, html, headers, fault) => {
  const { origin } = await serve(`<!doctype html><title>page</title>${html}`, headers);
  const visit = await browser.visit({ origin });
  await visit.page.goto('/', { waitUntil: 'domcontentloaded' });
  await expect(visit.close()).rejects.toThrow(fault);
});

test('the harness finds nothing in a page without fault, and axe finds an image without a text', async () => {
  const { origin } = await serve('<!doctype html><html lang="en"><title>page</title><main><h1>Page</h1></main>');
  const visit = await browser.visit({ origin });
  await visit.open('/');
  expect(await visit.violations()).toEqual([]);
  await visit.page.evaluate('document.querySelector("main").append(new Image())');
  expect((await visit.violations()).join()).toContain('image-alt');
  await visit.close();
});

test('a page of another port, which the cookie is sent to, can do nothing with it', async () => {
  const visit = await visitConsole();
  await visit.enterDemo();
  const attack = `<!doctype html><title>attack</title><form method="post" enctype="text/plain"><input name="x"></form>`;
  const evil = await serve(attack);
  // Control: a server that trusts the cookie alone would be deceived.
  const trusting = await serve('<!doctype html><title>trusting</title>');
  const other = await visit.context.newPage();
  const body = JSON.stringify({ oneClick: true });
  const postTo = async (address: string): Promise<void> => {
    await other.goto(evil.origin);
    // The attacker does not see the answer, only its effect would count.
    await other.evaluate(
      `fetch(${JSON.stringify(address)}, { method: 'POST', mode: 'no-cors', credentials: 'include', body: ${JSON.stringify(body)} }).catch(() => {})`,
    );
  };
  await postTo(`${trusting.origin}/console/session`);
  expect(trusting.requests.at(-1)).toMatchObject({
    method: 'POST',
    cookie: expect.stringContaining('triglyph-console-'),
  });
  const before = await console.audited('consoleLogin');
  await postTo(`${console.callers}/console/session`);
  expect(await console.audited('consoleLogin')).toEqual(before);
  const framing = await serve(`<!doctype html><title>frame</title><iframe src="${console.callers}/console"></iframe>`);
  await other.goto(framing.origin);
  expect(await other.frames()[1]?.evaluate('document.getElementById("root")')).toBeNull();
  visit.takeFaults();
  // The session of the person is still there.
  await visit.open('/console');
  await visit.page.getByRole('heading', { name: 'Overview' }).waitFor();
  await visit.close();
});

test('a wrong password is explained, and a session that has ended leads to the log-in', async () => {
  const person = await console.addCredential(['console']);
  const visit = await visitConsole();
  const { page } = visit;
  await visit.open('/console');
  await visit.logIn(person.username, 'wrong');
  await page
    .getByRole('alert')
    .getByText('The credential is unknown, or its secret or one-time code is wrong.')
    .waitFor();
  expect(visit.takeFaults()).toEqual([expect.stringContaining('401')]);
  await visit.logIn(person.username, person.secret);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByText('reads', { exact: true }).waitFor();
  await console.revoke(person.id);
  console.pass(2_000);
  await page.getByText('Your session has ended. Log in again.').waitFor();
  expect(visit.takeFaults().every((fault) => fault.includes('401'))).toBe(true);
  await visit.close();
});

test('an operator sets up a second factor, and the password alone is not enough any more', async () => {
  const person = await console.addCredential(['console-admin']);
  const visit = await visitConsole();
  const { page } = visit;
  await visit.open('/console/actions/setSecondFactor');
  await visit.logIn(person.username, person.secret);
  await typeInto(page.getByRole('textbox', { name: /^id/ }), person.id);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
  const outcome = page.getByRole('region', { name: 'Outcome' });
  const { key, recoveryCodes } = JSON.parse((await outcome.locator('pre').textContent()) ?? '');
  await page.getByRole('button', { name: 'Log out' }).click();
  const refused = page.getByRole('alert').getByText('its secret or one-time code is wrong.');
  const logIn = async (code: string): Promise<void> => {
    await typeInto(page.getByRole('textbox', { name: /^One-time code/ }), code);
    await visit.logIn(person.username, person.secret);
  };
  await logIn('');
  await refused.waitFor();
  expect(await visit.violations()).toEqual([]);
  const code = new TOTP({ secret: Secret.fromBase32(key) }).generate({ timestamp: now });
  await logIn(code);
  await page.getByText(person.username, { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Log out' }).click();
  await logIn(code);
  await refused.waitFor();
  await logIn(recoveryCodes[0]);
  await page.getByText(person.username, { exact: true }).waitFor();
  expect(visit.takeFaults().every((fault) => fault.includes('401'))).toBe(true);
  await visit.close();
});

test('tabs follow each other: the other person is shown, and a log-out ends both', async () => {
  const [first, second] = [await console.addCredential(['console']), await console.addCredential(['console-admin'])];
  const visit = await browser.visit({ origin: console.origin });
  const { page } = visit;
  await visit.open('/console');
  // Who has only a keyboard types at once, and again after a wrong password.
  await page.locator('.one-click button:focus').waitFor();
  await visit.logIn(first.username, 'wrong');
  await page.getByRole('alert').waitFor();
  await page.locator('[name=secret]:focus').waitFor();
  visit.takeFaults();
  await visit.logIn(first.username, first.secret);
  await page.getByText(first.username, { exact: true }).waitFor();
  const other = await visit.context.newPage();
  await other.goto('/console/explorer/Recurring/68/disable');
  await other.getByText(first.username, { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Log out' }).click();
  await other.getByText('Your session has ended. Log in again.').waitFor();
  await visit.logIn(second.username, second.secret);
  await other.getByText(second.username, { exact: true }).waitFor();
  await other.getByText('may act', { exact: true }).waitFor();
  // What it sends belongs to the new session.
  await other.getByText('Valid in every format.').waitFor();
  await visit.close();
});

test('consoles at two ports of one machine have sessions of their own', async () => {
  const second = await startConsole();
  try {
    const [here, there] = [await console.addCredential(['console']), await second.addCredential(['console'])];
    const visit = await browser.visit({ origin: console.origin });
    await visit.open('/console');
    await visit.logIn(here.username, here.secret);
    await visit.page.getByText(here.username, { exact: true }).waitFor();
    const other = await visit.context.newPage();
    await other.goto(`${second.origin}/console`);
    await typeInto(other.getByRole('textbox', { name: /^Username/ }), there.username);
    await typeInto(other.getByRole('textbox', { name: /^Password/ }), there.secret);
    await other.getByRole('button', { name: 'Log in', exact: true }).click();
    await other.getByText(there.username, { exact: true }).waitFor();
    await visit.page.reload();
    await visit.page.getByText(here.username, { exact: true }).waitFor();
    await visit.close();
  } finally {
    await second.stop();
  }
});

test('after many wrong passwords the page says that the right one is not checked, and for how long', async () => {
  const locking = await startConsole({ settings: { LOGIN_FAILURES_MAX: '3' } });
  try {
    const person = await locking.addCredential(['console']);
    const visit = await browser.visit({ origin: locking.origin });
    const { page } = visit;
    await visit.open('/console');
    for (const wrong of ['first', 'second', 'third']) {
      await visit.logIn(person.username, wrong);
      await page.getByRole('alert').getByText('one-time code is wrong').waitFor();
    }
    await visit.logIn(person.username, person.secret);
    await page.getByRole('alert').getByText('none is checked for a while').waitFor();
    await page.getByRole('alert').getByText('try again in 30 minutes').waitFor();
    expect(visit.takeFaults().map((fault) => fault.match(/40[013]|429/)?.[0])).toEqual(['401', '401', '401', '429']);
    // The control: after the lock, the same password is right.
    locking.pass(31 * 60_000);
    await visit.logIn(person.username, person.secret);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await visit.close();
  } finally {
    await locking.stop();
  }
});

test('the keyboard alone logs in, moves to a view, and logs out', async () => {
  const visit = await visitConsole();
  const { page } = visit;
  await visit.open('/console');
  await page.getByRole('button', { name: 'Enter the demo' }).waitFor();
  const pressUntil = async (name: string): Promise<void> => {
    for (let times = 0; times < 60; times++) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate('document.activeElement?.textContent?.trim() ?? ""')) === name) return;
    }
    throw new Error(`the keyboard does not reach ${name}`);
  };
  await pressUntil('Enter the demo');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await pressUntil('Overview');
  await page.keyboard.press('Enter');
  await pressUntil('Log out');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Enter the demo' }).waitFor();
  await visit.close();
});

test.each([
  ['normal', 'no-preference', '0.12s'],
  ['reduced', 'reduce', '0s'],
] as const)(
  'with %s motion, a phone leads to every view and shows which one is open',
  async (_, reducedMotion, duration) => {
    const phone = { width: 390, height: 844 };
    const visit = await browser.visit({ origin: console.callers, viewport: phone, reducedMotion });
    const { page } = visit;
    await visit.enterDemo();
    const link = (name: string) => page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name });
    const durations = await page.evaluate('getComputedStyle(document.querySelector("nav a")).transitionDuration');
    expect(String(durations).split(', ')[0]).toBe(duration);
    for (const name of ['Explorer', 'Traffic', 'Callers', 'State', 'Test API', 'Overview']) {
      await link(name).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      const { x, width } = (await link(name).boundingBox())!;
      expect([name, x >= 0, x + width < phone.width + 1]).toEqual([name, true, true]);
    }
    // A page that is opened by its address.
    await visit.open('/console/testing');
    await page.getByRole('heading', { name: 'Test API', level: 1 }).waitFor();
    const { x, width } = (await link('Test API').boundingBox())!;
    expect([x >= 0, x + width < phone.width + 1]).toEqual([true, true]);
    await page.getByText('Loading…').first().waitFor({ state: 'detached' });
    expect(await visit.violations()).toEqual([]);
    await visit.close();
  },
);

test('texts of others are shown as text, with what cannot be seen made visible', async () => {
  const visit = await visitConsole();
  const { page } = visit;
  const detail = '<img src=x onerror="document.title=1"> \u202egnp.exe\u0007\u200b </p><script>1</script>';
  await page.route('**/console/session', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 400, contentType: 'application/json', body: JSON.stringify({ detail }) })
      : route.continue(),
  );
  await visit.open('/console');
  await page.getByRole('button', { name: 'Enter the demo' }).click();
  const alert = page.getByRole('alert');
  await alert.waitFor();
  const text = await alert.innerText();
  expect(text).toContain('<img src=x onerror="document.title=1"> U+202Egnp.exeU+0007U+200B </p><script>1</script>');
  expect(await alert.locator('img, script').count()).toBe(0);
  visit.takeFaults();
  await visit.close();
});

test('an unknown view, and the choice of colours', async () => {
  const visit = await visitConsole();
  const { page } = visit;
  await visit.enterDemo('/console/nothing');
  await page.getByText('The console has no such page.').waitFor();
  await page.getByRole('button', { name: 'Colours: system' }).click();
  await page.getByRole('button', { name: 'Colours: light' }).click();
  await page.getByRole('button', { name: 'Colours: dark' }).waitFor();
  expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(16, 20, 22)');
  expect(await visit.violations()).toEqual([]);
  await visit.close();
});

test('an empty installation says the next step, until it is done', async () => {
  const empty = await startConsole();
  try {
    const person = await empty.addCredential(['console-admin']);
    const visit = await browser.visit({ origin: empty.origin });
    const { page } = visit;
    await visit.open('/console');
    await visit.logIn(person.username, person.secret);
    await page.getByText('No request in the last hour.').waitFor();
    await page.getByRole('link', { name: 'No caller has a credential yet. Add the first one.' }).click();
    await page.waitForURL('**/console/actions/addCredential');
    await empty.addCredential(['recurring']);
    await visit.open('/console/overview');
    await page.getByText('Every webhook is delivered').waitFor();
    expect(await page.getByText('No caller has a credential yet').count()).toBe(0);
    await visit.close();
  } finally {
    await empty.stop();
  }
});
