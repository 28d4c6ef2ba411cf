/**
 * Measures the page of the console in Chromium with a CPU that is four times slower: the first paint, the frames of the traffic
 * view while 200 requests arrive in a second, and a table of 10,000 rows while it scrolls and sorts. A control page with nothing but
 * an animation has the frames that this machine draws while it answers the same requests. The control of the table is the same one
 * with all rows in the page, as it is printed. `npm run bench:console`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type CDPSession, chromium } from 'playwright-core';
import { chromiumPath } from '../test/support/browser.ts';

const root = join(import.meta.dirname, '..');
const slowDown = 4;
const visits = 7;
const requestsPerSecond = 200;
const secondsOfFrames = 10;
const rounds = 3;
const tableRows = 10_000;
const secondsOfScrolling = 5;

/** A bar that moves. */
const animation = `
  const bar = document.createElement('div');
  bar.style.cssText = 'position:fixed;top:0;left:0;width:40px;height:4px;background:red';
  document.body.append(bar);
  bar.animate([{ transform: 'none' }, { transform: 'translateX(400px)' }], { duration: 1000, iterations: Infinity });`;

const folder = mkdtempSync(join(tmpdir(), 'triglyph-bench-'));
const demo = spawn(process.execPath, [join(root, 'src/program/main.ts'), 'demo', '--port', '0', '--admin-port', '0'], {
  cwd: folder,
  env: { ...process.env, LOG_LEVEL: 'warn' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await chromium.launch({
  executablePath: chromiumPath(),
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
});
try {
  const origin = await findOrigin();
  // The first request builds the page.
  await (await fetch(`${origin}/console`)).text();
  const paints: number[] = [];
  for (let visit = 0; visit < visits; visit += 1) paints.push(await measurePaint(origin));
  const [median, worst] = [paints.toSorted((a, b) => a - b)[Math.floor(visits / 2)]!, Math.max(...paints)];
  process.stdout.write(`first contentful paint: median ${median} ms, worst ${worst} ms, of ${visits} visits\n`);
  for (let round = 0; round < rounds; round += 1) {
    const control = await measureFrames(origin, false);
    const { frames, sent, work } = await measureFrames(origin, true);
    process.stdout.write(
      `frames: ${frames.toFixed(1)} in a second, with ${sent.toFixed(0)} requests in a second; control ${control.frames.toFixed(1)}, ` +
        `ratio ${(frames / control.frames).toFixed(2)}\n`,
    );
    process.stdout.write(`work of a second: ${work.map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`).join(', ')}\n`);
  }
  for (let round = 0; round < rounds; round += 1)
    for (const isWhole of [false, true]) {
      const { rows, sortMs, frames, worstMs } = await measureTable(origin, isWhole);
      process.stdout.write(
        `table of ${tableRows} rows, ${rows} of them in the page: sorted in ${sortMs} ms, ${frames.toFixed(1)} frames in a second of ` +
          `scrolling, the longest ${worstMs} ms\n`,
      );
    }
} finally {
  await browser.close();
  demo.kill();
  await once(demo, 'exit');
  rmSync(folder, { recursive: true, force: true });
}

function findOrigin(): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    demo.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const [, origin] = /callers at (http:\S+?),/.exec(text) ?? [];
      if (origin !== undefined) resolve(origin);
    });
    demo.once('exit', (code) => reject(new Error(`the demo ended with ${code}: ${text}`)));
  });
}

async function openPage(origin: string, path: string) {
  const context = await browser.newContext({ baseURL: origin });
  const page = await context.newPage();
  const debuggerSession = await context.newCDPSession(page);
  await debuggerSession.send('Emulation.setCPUThrottlingRate', { rate: slowDown });
  await page.goto(path);
  await page.getByRole('button', { name: 'Enter the demo' }).waitFor();
  return { page, debuggerSession, close: () => context.close() };
}

async function measurePaint(origin: string): Promise<number> {
  const { page, close } = await openPage(origin, '/console');
  const at = await page.evaluate(
    'performance.getEntriesByName("first-contentful-paint").map(({ startTime }) => startTime)[0]',
  );
  await close();
  return Math.round(Number(at));
}

/** `isTraffic`: of the traffic view, or of the control. */
async function measureFrames(
  origin: string,
  isTraffic: boolean,
): Promise<{ readonly frames: number; readonly sent: number; readonly work: Work }> {
  const { page, debuggerSession, close } = await openPage(origin, '/console/traffic');
  if (isTraffic) {
    await page.getByRole('button', { name: 'Enter the demo' }).click();
    await page.getByText('Live', { exact: true }).waitFor();
  } else {
    await page.goto('about:blank');
  }
  await page.evaluate(animation);
  const ended = new AbortController();
  const sending = sendRequests(origin, ended.signal);
  await debuggerSession.send('Performance.enable');
  await wait(2_000);
  const before = await readWork(debuggerSession);
  const frames = await page.evaluate(`new Promise((resolve) => {
    let frames = 0;
    const begin = performance.now();
    const next = (now) => {
      frames += 1;
      if (now - begin < ${secondsOfFrames * 1_000}) requestAnimationFrame(next);
      else resolve((frames * 1000) / (now - begin));
    };
    requestAnimationFrame(next);
  })`);
  const after = await readWork(debuggerSession);
  ended.abort();
  const sent = await sending;
  await close();
  const work = after.map(([name, ms], at) => [name, (ms - before[at]![1]) / secondsOfFrames] as const);
  return { frames: Number(frames), sent, work };
}

/** `isWhole`: with all rows in the page. */
async function measureTable(origin: string, isWhole: boolean) {
  const { page, close } = await openPage(origin, '/console/callers');
  const callers = Array.from({ length: tableRows }, (_, at) => ({
    ...{ id: `use-${at}`, credential: `cr_${at}`, format: 'json', client: `shop-${(at * 7_919) % tableRows}/1.0` },
    ...{ service: 'Recurring', operation: 'disable', version: 68, lastOutcome: 'ok', deprecation: 'none' },
    ...{ firstUsedAt: '2026-01-01T00:00:00Z', lastUsedAt: '2026-01-02T00:00:00Z', trend: Array(30).fill(at % 17) },
    ...{ succeeded: at, refused: 0, failed: 0, switchedOff: 0, exempt: 0 },
  }));
  await page.route('**/console/api/v1/callers?*', (route) =>
    route.fulfill({ json: { isRecorded: true, total: tableRows, since: '2026-01-01T00:00:00Z', callers } }),
  );
  await page.getByRole('button', { name: 'Enter the demo' }).click();
  await page.getByText('10,000 rows').waitFor();
  if (isWhole) await page.evaluate('dispatchEvent(new Event("beforeprint"))');
  const measured = await page.evaluate(`(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    await frame();
    await frame();
    const begin = performance.now();
    [...document.querySelectorAll('th button')].find((each) => each.textContent === 'Client').click();
    await frame();
    await frame();
    const sortMs = Math.round(performance.now() - begin);
    const box = document.querySelector('.table.long') ?? document.documentElement;
    let [frames, worstMs, last] = [0, 0, performance.now()];
    const start = last;
    while (last - start < ${secondsOfScrolling * 1_000}) {
      box.scrollTop += 120;
      const now = await frame().then(() => performance.now());
      worstMs = Math.max(worstMs, Math.round(now - last));
      last = now;
      frames += 1;
    }
    const rows = document.querySelectorAll('tbody tr').length;
    return { rows, sortMs, frames: (frames * 1000) / (last - start), worstMs };
  })()`);
  await close();
  return measured as Record<'rows' | 'sortMs' | 'frames' | 'worstMs', number>;
}

type Work = readonly (readonly [name: string, ms: number])[];

/** What the main thread of the page has done so far. */
async function readWork(session: CDPSession): Promise<Work> {
  const { metrics } = await session.send('Performance.getMetrics');
  return ['ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration', 'TaskDuration'].map((name) => {
    const found = metrics.find((each) => each.name === name);
    return [name.replace('Duration', ''), (found?.value ?? 0) * 1_000] as const;
  });
}

/** Sends requests at a steady rate, and returns how many were answered in a second. */
async function sendRequests(origin: string, signal: AbortSignal): Promise<number> {
  const begin = performance.now();
  const open = new Set<Promise<void>>();
  let [sent, answered] = [0, 0];
  while (!signal.aborted) {
    for (const due = ((performance.now() - begin) * requestsPerSecond) / 1_000; sent < due; sent += 1) {
      // A connection that the server closes meanwhile is no answer.
      const request = sendOne(origin)
        .then(
          () => {
            answered += 1;
          },
          () => {},
        )
        .finally(() => open.delete(request));
      open.add(request);
    }
    await wait(5);
  }
  await Promise.all(open);
  return (answered * 1_000) / (performance.now() - begin);
}

async function sendOne(origin: string): Promise<void> {
  const response = await fetch(`${origin}/pal/servlet/Recurring/v68/listRecurringDetails`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': 'demo-api-key' },
    body: '{"merchantAccount":"DemoMerchant","shopperReference":"shopper-1"}',
  });
  await response.text();
}
