/** Prints the report of a migration as one HTML page that needs nothing else: no scripts, no links, light and dark, and for paper. */

import { escapeUnprintable } from '../../core/lib/index.ts';
import { escapeAttribute } from '../../documents/index.ts';
import type { MigrationReport } from './build-report.ts';

/** A cell: a text, a number, or HTML that is escaped already. */
type Cell = string | number | undefined | { readonly html: string };

/** Returns the page. Texts of callers and owners are escaped; control characters of any kind are shown by their code. */
export function printHtml(report: MigrationReport): string {
  const { totals, ends, createdAt, since, sunset, risk, reasons, lacks } = report;
  return [
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Migration report</title>',
    // Whatever a text of a caller may be taken for, nothing is loaded and no script runs.
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">',
    `<style>${style}</style></head><body><main><h1>Migration report</h1>`,
    `<p>What ends: <strong>${text(ends)}</strong>${sunset === undefined ? '' : `, on ${text(sunset)}`}. `,
    `Requests since ${day(since)}, as of ${minute(createdAt)} UTC.</p>`,
    `<p class="risk ${risk}">The risk, if these calls ended today: <strong>${risk}</strong></p>`,
    listOf(reasons),
    `<dl>${[
      ['requests', totals.requests],
      ['of these end', `${totals.ending} (${share(totals.ending, totals.requests)})`],
      ['credentials', totals.credentials],
      ['ready', totals.ready],
      ['moving', totals.moving],
      ['not begun', totals.notBegun],
      ['exempt', totals.exempt],
      ['without an owner', totals.withoutOwner],
      ['differences', `${totals.open} open, ${totals.accepted} accepted`],
    ]
      .map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`)
      .join('')}</dl>`,
    ...(lacks.length === 0 ? [] : ['<h2>What this report lacks</h2>', listOf(lacks)]),
    ...sections(report),
    '</main></body></html>\n',
  ].join('\n');
}

function sections({
  weeks,
  formats,
  callers,
  breaks,
  comparisons,
  shadows,
  noise,
}: MigrationReport): readonly string[] {
  const most = Math.max(1, ...formats.flatMap(({ weekly }) => weekly));
  return [
    section(
      'Requests by format and week',
      'Weeks begin on the Monday that is named, in UTC.',
      ['format', 'credentials', 'requests', ...weeks.map((week) => week.slice(5))],
      formats.map(({ format, credentials, requests, weekly }) => [
        ...[format, credentials, requests],
        ...weekly.map((count) => bar(count, most)),
      ]),
    ),
    section(
      'Callers and owners',
      'A credential is ready when it has made no call that ends for four weeks; moving when it also calls each operation in a way that can stay; else it has not begun.',
      ['caller', 'owner', 'state', 'risk', 'why', 'formats', 'requests', 'end', 'last call that ends'],
      callers.map((each) => [
        nameOf(each),
        ownerOf(each),
        stateNames[each.state],
        { html: `<span class="risk ${each.risk}">${each.risk}</span>` },
        each.reasons.join('; '),
        each.formats.join(', '),
        each.requests,
        each.ending,
        each.lastEndingAt === undefined ? '' : day(each.lastEndingAt),
      ]),
    ),
    section(
      'What breaks if these calls ended today',
      'Calls of the last four weeks. A call that the credential also makes in a way that can stay is named as such.',
      ['caller', 'owner', 'operation', 'format', 'client', 'requests', 'last', 'other way'],
      breaks.map((each) => [
        nameOf(each),
        each.owner ?? { html: '<em>nobody</em>' },
        `${each.service ?? ''}.${each.operation ?? ''}${each.version === undefined ? '' : ` v${each.version}`}`,
        ...[each.format, each.client, each.requests, day(each.lastUsedAt), each.hasReplacement ? 'yes' : 'no'],
      ]),
    ),
    ...comparisons.map(({ name, savedAt, savedBy, compared, different, unanswered, unsent, differences }) =>
      section(
        `Differences: ${name}`,
        `${compared} answers were compared, ${different} differ in what is not accepted; ${unanswered} requests had no answer, ${unsent} were not sent. Saved ${minute(savedAt)} UTC by ${savedBy}.`,
        differenceColumns,
        differences.map(differenceCells),
      ),
    ),
    ...shadows.map(({ upstream, differences }) =>
      section(
        `Differences: the shadow of ${upstream}`,
        'Of the copies of requests that the shadow got.',
        differenceColumns,
        differences.map(differenceCells),
      ),
    ),
    section(
      'Noise',
      'Requests that are in none of the numbers above.',
      ['kind', 'format', 'client', 'requests', 'last'],
      noise.map((each) => [noiseNames[each.kind], each.format, each.client, each.requests, day(each.lastUsedAt)]),
    ),
  ];
}

const differenceColumns = [
  'operation',
  'member',
  'difference',
  'answers',
  'callers',
  'first',
  'last',
  'accepted, since',
];

function differenceCells(each: MigrationReport['shadows'][number]['differences'][number]): readonly Cell[] {
  return [
    ...[each.operation, each.path, each.kind, each.count, each.callers, day(each.firstAt), day(each.lastAt)],
    each.accepted ?? { html: '<em>not accepted</em>' },
  ];
}

const stateNames: Readonly<Record<MigrationReport['callers'][number]['state'], string>> = {
  ...{ notBegun: 'not begun', moving: 'moving', exempt: 'exempt', ready: 'ready', notConcerned: 'not concerned' },
};

const noiseNames: Readonly<Record<MigrationReport['noise'][number]['kind'], string>> = {
  noCredential: 'no valid credential, such as scanners',
  noOperation: 'no such address or operation, such as typing errors',
  console: 'the explorer of the console',
  uncounted: 'beyond the limits of the records',
};

function nameOf({
  username,
  credential,
  tenant,
}: { readonly [N in 'username' | 'credential' | 'tenant']?: string | undefined }): Cell {
  const rest = [username === undefined ? undefined : credential, tenant].filter((each) => each !== undefined);
  return {
    html: `${text(username ?? credential ?? '')}${rest.length === 0 ? '' : `<br><small>${text(rest.join(' · '))}</small>`}`,
  };
}

function ownerOf({ owner, address }: MigrationReport['callers'][number]): Cell {
  return { html: owner === undefined ? '<em>nobody</em>' : `${text(owner)}<br><small>${text(address ?? '')}</small>` };
}

function section(title: string, lead: string, heads: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const head = heads.map((each) => `<th scope="col">${text(each)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map(cellOf).join('')}</tr>`).join('\n');
  const table =
    rows.length === 0
      ? '<p>None.</p>'
      : `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
  return `<section><h2>${text(title)}</h2><p>${text(lead)}</p>${table}</section>`;
}

function cellOf(cell: Cell): string {
  if (typeof cell === 'number') return `<td class="number">${cell}</td>`;
  return `<td>${typeof cell === 'object' ? cell.html : text(cell ?? '')}</td>`;
}

/** A number on a bar of its length. */
function bar(count: number, most: number): Cell {
  return { html: `<span class="bar" style="--share:${Math.round((100 * count) / most)}%">${count}</span>` };
}

function listOf(items: readonly string[]): string {
  return items.length === 0 ? '' : `<ul>${items.map((each) => `<li>${text(each)}</li>`).join('')}</ul>`;
}

function text(value: string): string {
  return escapeAttribute(escapeUnprintable(value));
}

function share(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${((100 * part) / whole).toFixed(1)} %`;
}

function day(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}

function minute(moment: number): string {
  return new Date(moment).toISOString().slice(0, 16).replace('T', ' ');
}

const style = `
:root{color-scheme:light dark;--line:light-dark(#ccc,#555);--bar:light-dark(#cfe0f5,#24466e)}
body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:light-dark(#222,#ddd);background:light-dark(#fff,#161616)}
h1{font-size:1.7rem}h2{font-size:1.2rem;margin-top:2rem}
dl{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem}dl div{border:1px solid var(--line);border-radius:4px;padding:.4rem .8rem}dt{font-size:.85rem}dd{margin:0;font-size:1.2rem}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}th,td{border-bottom:1px solid var(--line);padding:.25rem .5rem;text-align:left;vertical-align:top;overflow-wrap:break-word}
th{font-size:.85rem;overflow-wrap:normal}.number{text-align:right;font-variant-numeric:tabular-nums}
.bar{display:block;min-width:3ch;text-align:right;background:linear-gradient(var(--bar),var(--bar)) no-repeat left/var(--share) 100%;print-color-adjust:exact}
.risk.high{color:light-dark(#a40000,#ff8d8d)}.risk.medium{color:light-dark(#8a5200,#ffc069)}.risk.low,.risk.none{color:light-dark(#136b2c,#7fd99a)}
@media print{body{margin:0;max-width:none;font-size:10px;color-scheme:light}.wide{overflow:visible}tr{break-inside:avoid}thead{display:table-header-group}h2{break-after:avoid}@page{size:landscape;margin:12mm}}
`;
