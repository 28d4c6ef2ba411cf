/** The report of a migration: what it counts, what it calls noise, and that no text of a caller becomes HTML. */
import { expect, test } from '@jest/globals';
import type { CallerUse, DayCounts, RecordedUse } from '../../src/insight/callers/caller-record.ts';
import { compileConcern } from '../../src/insight/callers/concerned.ts';
import { beginOfWeeks, buildReport, type ReportParts } from '../../src/operators/report/build-report.ts';
import { printCsv } from '../../src/operators/report/print-csv.ts';
import { printHtml } from '../../src/operators/report/print-html.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** A Tuesday. */
const now = Date.parse('2026-11-24T12:00:00Z');
const today = Math.floor(now / dayMs);

let number = 0;
const uses: { readonly record: RecordedUse; readonly days: readonly DayCounts[] }[] = [];
const used = (use: Partial<CallerUse>, daysAgo: number, times: number, lastOutcome = 'ok'): void => {
  number += 1;
  const lastUsedAt = now - daysAgo * dayMs;
  const record = {
    id: String(number),
    use: {
      ...{ tenant: 'Acme', credential: 'cr_a', service: 'Orders', operation: 'find', version: 1, format: 'soap11' },
      client: 'PHP',
      ...use,
    },
    ...{ firstUsedAt: lastUsedAt, lastUsedAt, lastOutcome },
  };
  const counts = { refused: 0, failed: 0, switchedOff: 0, exempt: 0 };
  uses.push({ record, days: [{ day: today - daysAgo, succeeded: times, ...counts }] });
};

used({ credential: 'cr_old' }, 1, 10);
used({ credential: 'cr_moving' }, 2, 5);
used({ credential: 'cr_moving', format: 'json' }, 2, 7);
used({ credential: 'cr_ready' }, 40, 3);
used({ credential: 'cr_ready', format: 'json' }, 0, 4);
used({ credential: 'cr_json', format: 'json' }, 9, 2);
used({ credential: '', tenant: '', client: 'scanner' }, 1, 100, 'unauthorized');
used({ credential: 'cr_old', operation: '' }, 1, 9, 'notFound');
used({ credential: 'cr_old', client: 'triglyph-console, SOAPAction quoted' }, 1, 8);

const difference = {
  ...{ operation: 'find', path: 'total', kind: 'value', count: 3, callers: 1, firstAt: now, lastAt: now },
};
const comparison = {
  name: 'new server',
  savedAt: now,
  savedBy: 'user anna',
  result: {
    ...{ compared: 10, different: 3, unanswered: 0, unsent: 0 },
    differences: [difference, { ...difference, path: 'date', accepted: 'rounded' }],
  },
};

const partsWith = (changes: Partial<ReportParts> = {}): ReportParts => ({
  ...{ now, weeks: 12, records: uses.map(({ record }) => record), lacks: [], sunset: undefined },
  days: new Map(uses.map(({ record, days }) => [record.id, days])),
  concern: compileConcern({ format: ['soap11', 'soap12'], deprecatedSince: '1970-01-01' }),
  usernames: new Map([['cr_old', 'ws@Old']]),
  owners: new Map([['cr_old', { name: 'Anna', address: 'anna@example.com' }]]),
  comparisons: [comparison],
  shadowDifferences: [],
  ends: 'format soap11, soap12',
  ...changes,
});

test('weeks begin on Mondays', () => {
  expect(new Date(beginOfWeeks(now, 1)).toISOString()).toBe('2026-11-23T00:00:00.000Z');
  expect(new Date(beginOfWeeks(Date.parse('2026-11-23T00:00:00Z'), 2)).toISOString()).toBe('2026-11-16T00:00:00.000Z');
});

test('what a shadow answers differently counts as what a replay found', () => {
  const found = {
    ...{ id: 'a', upstream: 'stock', operation: 'Orders.find', kind: 'value', path: 'pieces', count: 4 },
    ...{ firstAt: now - dayMs, lastAt: now, callers: ['cr_old', 'cr_json'], example: undefined },
  };
  const accepted = { ...found, id: 'b', path: 'room', accepted: { reason: 'new', at: now, by: 'user anna' } };
  const { totals, shadows, reasons } = buildReport(
    partsWith({ comparisons: [], shadowDifferences: [found, accepted] }),
  );
  expect(totals).toMatchObject({ open: 1, accepted: 1 });
  expect(reasons).toContain('1 kind of difference is not accepted');
  expect(shadows).toMatchObject([
    {
      upstream: 'stock',
      differences: [
        { path: 'pieces', count: 4, callers: 2 },
        { path: 'room', accepted: 'new' },
      ],
    },
  ]);
  const html = printHtml(buildReport(partsWith({ shadowDifferences: [{ ...found, path: '<b>' }] })));
  expect(html).toContain('Differences: the shadow of stock');
  expect(html).toContain('&lt;b&gt;');
});

test('callers have states and risks, and noise is in no other number', () => {
  const report = buildReport(partsWith());
  const states = report.callers.map(({ credential, state, risk, ending }) => [credential, state, risk, ending]);
  expect(states).toEqual([
    ['cr_old', 'notBegun', 'high', 10],
    ['cr_moving', 'moving', 'high', 5],
    ['cr_ready', 'ready', 'low', 3],
    ['cr_json', 'notConcerned', 'none', 0],
  ]);
  expect(report.totals).toMatchObject({
    ...{ credentials: 4, concerned: 3, ready: 1, moving: 1, notBegun: 1, exempt: 0 },
    ...{ withoutOwner: 3, requests: 31, ending: 18, open: 1, accepted: 1 },
  });
  expect(report.noise.map(({ kind, requests }) => [kind, requests])).toEqual([
    ['noCredential', 100],
    ['noOperation', 9],
    ['console', 8],
  ]);
  expect(report.breaks.map(({ credential, owner, hasReplacement }) => [credential, owner, hasReplacement])).toEqual([
    ['cr_old', 'Anna', false],
    ['cr_moving', undefined, true],
  ]);
  const json = report.formats.find(({ format }) => format === 'json')!;
  expect([json.credentials, json.requests, json.weekly.at(-1), json.weekly.at(-2), json.weekly.at(-3)]).toEqual([
    ...[3, 13, 4, 7, 2],
  ]);
  expect(report.weeks).toHaveLength(12);
  expect([report.risk, report.reasons[0]]).toEqual(['high', '1 credential would lose operations']);
});

test('exemptions are no breaks, and without concerned callers and differences the risk is low', () => {
  const concern = compileConcern({ format: 'soap11', deprecatedSince: '1970-01-01', except: ['cr_old', 'cr_moving'] });
  const exempt = buildReport(partsWith({ concern }));
  expect(exempt.totals).toMatchObject({ exempt: 2, notBegun: 0, moving: 0 });
  expect(exempt.breaks).toEqual([]);
  const none = buildReport(partsWith({ records: [], comparisons: [] }));
  expect([none.risk, none.callers, none.formats]).toEqual(['low', [], []]);
});

/** Markup that a text of a caller has added to a page, and whatever leads out of it. */
const markupOf = (page: string): readonly string[] =>
  page.match(/<(script|img|a|iframe|link|svg|object)\b[^>]*>|<[^>]*\s(on\w+|href|src)=|url\(|@import/gi) ?? [];
const hostile = `</td><script>alert(1)</script><img src=x onerror=alert(1)>"'&\u202e\u0007`;

test('texts of callers and owners are text in the page, which loads nothing', () => {
  const records = uses.map(({ record }) => ({ ...record, use: { ...record.use, client: hostile, tenant: hostile } }));
  const owners = new Map([['cr_old', { name: hostile, address: hostile }]]);
  const usernames = new Map([['cr_old', hostile]]);
  const result = { ...comparison.result, differences: [{ ...difference, path: hostile, accepted: hostile }] };
  const comparisons = [{ ...comparison, name: hostile, savedBy: hostile, result }];
  const page = printHtml(
    buildReport(
      partsWith({ records, owners, usernames, comparisons, ends: hostile, sunset: hostile, lacks: [hostile] }),
    ),
  );
  expect(markupOf(page)).toEqual([]);
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(page).not.toMatch(/[^\n\P{C}]/u);
  expect(page.match(/<(\w+)/g)!.every((tag) => !/script|img/.test(tag))).toBe(true);
});

test('control: a text that is not escaped is found', () => {
  expect(markupOf(`<td>${hostile}</td>`)).toContain('<script>');
});

test('a spreadsheet takes no text for a formula', () => {
  const owners = new Map([['cr_old', { name: '=HYPERLINK("http://evil.example")', address: '+49 30 1' }]]);
  const csv = printCsv(buildReport(partsWith({ owners })));
  expect(csv).toContain(`"'=HYPERLINK(""http://evil.example"")",'+49 30 1,notBegun,high`);
  expect(csv.split('\r\n')).toHaveLength(6);
});
