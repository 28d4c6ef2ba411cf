/**
 * Opens pages in Debian's Chromium. A visit fails at its end where the page has logged an error, broken its security policy, or
 * asked another server.
 */
import { Buffer } from 'node:buffer';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { typeInto } from './typing.ts';
import { hangMsMax } from './until.ts';

const root = join(import.meta.dirname, '../..');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface VisitOptions {
  /** Such as `http://127.0.0.1:8080`. */
  readonly origin: string;
  readonly colorScheme?: 'light' | 'dark';
  /** A phone is 390 × 844. */
  readonly viewport?: { readonly width: number; readonly height: number };
  /** By default, nothing moves. */
  readonly reducedMotion?: 'reduce' | 'no-preference';
  /** For servers with a certificate of their own. */
  readonly ignoreHTTPSErrors?: boolean;
}

/** A person in front of a browser of their own, without cookies of others. A dialog that opens without the focus at its first field is a fault of the page. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Opens a path of the server. */
  open(path: string): Promise<void>;
  /** Opens the console of the demo, and logs in by one click. */
  enterDemo(path?: string): Promise<void>;
  /** Logs in by the form. */
  logIn(username: string, secret: string): Promise<void>;
  /** What the page has done wrong since the last call. A test that expects something calls it. */
  takeFaults(): readonly string[];
  /** Returns what axe finds in the page as it is now: `rule: element`. */
  violations(): Promise<readonly string[]>;
  /** Writes a picture to `.cache/pictures`, and with PICTURES=docs a small one to `docs/images` too. `name`: `console/overview`. */
  picture(name: string, options?: { readonly fullPage?: boolean; readonly isOfDocs?: boolean }): Promise<void>;
  /** Throws where faults are left. */
  close(): Promise<void>;
}

export interface TestBrowser {
  visit(options: VisitOptions): Promise<Visit>;
  close(): Promise<void>;
}

/** Without windows, and with less than half of the CPU time. */
const headless = '/usr/bin/chromium-headless-shell';

/** The program that is Chromium here. */
export function chromiumPath(): string {
  return process.env.CHROMIUM ?? (existsSync(headless) ? headless : '/usr/bin/chromium');
}

/** One for each test file: a browser takes a second to start. */
export async function startBrowser(): Promise<TestBrowser> {
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    // Tests run as root, in machines with little shared memory.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });
  return { visit: (options) => startVisit(browser, options), close: () => browser.close() };
}

async function startVisit(browser: Browser, options: VisitOptions): Promise<Visit> {
  const { origin, colorScheme = 'light', viewport = { width: 1280, height: 860 } } = options;
  const { ignoreHTTPSErrors = false, reducedMotion = 'reduce' } = options;
  const context = await browser.newContext({
    baseURL: origin,
    colorScheme,
    viewport,
    ignoreHTTPSErrors,
    locale: 'en-GB',
    timezoneId: 'Europe/Amsterdam',
    reducedMotion,
  });
  context.setDefaultTimeout(hangMsMax);
  await context.addInitScript(checksFocusOfDialogs);
  const page = await context.newPage();
  const faults = collectFaults(page, origin);
  const takeFaults = (): readonly string[] => faults.splice(0);
  return {
    page,
    context,
    takeFaults,
    async open(path) {
      await page.goto(path);
    },
    async enterDemo(path = '/console') {
      await page.goto(path);
      await page.getByRole('button', { name: 'Enter the demo' }).click();
      await page.getByRole('navigation', { name: 'Views' }).waitFor();
    },
    async logIn(username, secret) {
      await typeInto(page.getByRole('textbox', { name: /^Username/ }), username);
      await typeInto(page.getByRole('textbox', { name: /^Password/ }), secret);
      await page.getByRole('button', { name: 'Log in', exact: true }).click();
    },
    violations: () => findViolations(page),
    async picture(name, { fullPage = false, isOfDocs = true } = {}) {
      const picture = await page.screenshot({ fullPage, animations: 'disabled' });
      write(`.cache/pictures/${name}.png`, picture);
      if (process.env.PICTURES === 'docs' && isOfDocs)
        write(`docs/images/${name}.webp`, await toWebp(browser, picture));
    },
    async close() {
      const left = takeFaults();
      await context.close();
      if (left.length > 0) throw new Error(`the page is at fault:\n${left.join('\n')}`);
    },
  };
}

/** Downloads the file of the only table of a page, and returns its lines. */
export async function downloadCsv(page: Page): Promise<readonly string[]> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  const file = readFileSync(await download.path(), 'utf8');
  return file.trimEnd().split('\r\n');
}

function write(path: string, content: Uint8Array): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Returns a third of the bytes. */
async function toWebp(browser: Browser, png: Uint8Array): Promise<Uint8Array> {
  const page = await browser.newPage();
  const source = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
  const url = await page.evaluate(`new Promise((resolve) => {
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      canvas.getContext('2d').drawImage(image, 0, 0);
      resolve(canvas.toDataURL('image/webp', 0.8));
    };
    image.src = ${JSON.stringify(source)};
  })`);
  await page.close();
  return Buffer.from(String(url).split(',')[1]!, 'base64');
}

/** A dialog that opens takes the next key: at its first field, or at its first button where it has none. The closing button is for dialogs that have neither. */
const checksFocusOfDialogs = `{
  const { showModal } = HTMLDialogElement.prototype;
  HTMLDialogElement.prototype.showModal = function () {
    showModal.call(this);
    queueMicrotask(() => {
      const usable = [...this.querySelectorAll('input, select, textarea, button')].filter((each) => !each.disabled);
      const fields = usable.filter((each) => each.localName !== 'button');
      const buttons = usable.filter((each) => each.ariaLabel !== 'Close');
      const [expected] = [...fields, ...buttons, ...usable];
      const { activeElement } = document;
      if (activeElement !== expected) console.error('The dialog opened with the focus at', activeElement.outerHTML);
    });
  };
}`;

function collectFaults(page: Page, origin: string): string[] {
  const faults: string[] = [];
  page.on('console', (message) => {
    // Chromium logs violations of the policy as errors.
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (thrown) => faults.push(`thrown: ${thrown.stack ?? thrown.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (/^https?:$/.test(url.protocol) && url.origin !== origin) faults.push(`another server: ${request.url()}`);
  });
  return faults;
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** The program is injected by the debugger, which the policy of the page does not bind. */
async function findViolations(page: Page): Promise<readonly string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe);
  const { violations } = (await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } })',
  )) as AxeResults;
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${help}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}
