/** The page for people who open the address of a service in a browser: what answers there, and where to read more. */
import { createHash } from 'node:crypto';
import {
  boundOperations,
  type LegacyAddresses,
  namedOperations,
  newestOf,
  type Service,
  serviceAddress,
  versionsOf,
} from '../core/contract/index.ts';
import { escapeAttribute } from './xml-document.ts';

interface PageOptions {
  /** The address of the console, where all readers of the page may open it. */
  readonly console?: string | undefined;
  /** Whether this server refuses callers without a credential. */
  readonly needsCredentials: boolean;
}

/** `services`: all versions, newest last. */
export function printPage(
  services: readonly Service[],
  origin: string,
  { console, needsCredentials }: PageOptions,
): string {
  return printHtml([
    `<p>This gateway is up. It serves programs at the addresses below.${needsCredentials ? ' Their requests need credentials.' : ''}</p>`,
    ...(console === undefined
      ? []
      : [`<p><a class="button" href="${escapeAttribute(console)}">Open the console</a></p>`]),
    ...newestOf(services).map((newest) => section(newest, services, origin)),
  ]);
}

/** The page of an address that nothing answers. It does not repeat the address. */
export function printWrongAddress(origin: string): string {
  return printHtml([
    '<p>Nothing is served to browsers at this address. Programs call operations, most of them by POST.</p>',
    `<p><a href="${origin}/">The start page</a> has the addresses of all services, and`,
    `<a href="${origin}/openapi.json">openapi.json</a> describes their operations.</p>`,
  ]);
}

/** `lines`: HTML. */
function printHtml(lines: readonly string[]): string {
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Triglyph</title>',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<style>${style}</style></head><body><main><h1>Triglyph</h1>`,
    ...lines,
    '</main></body></html>\n',
  ].join('\n');
}

const style =
  ':root{color-scheme:light dark}' +
  'body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:56rem;padding:0 1rem}' +
  'body{color:light-dark(#16202a,#e6edf0);background:light-dark(#fff,#101416)}' +
  'h2{margin-top:2rem}a,code{overflow-wrap:anywhere}a{color:light-dark(#0c5f67,#62c4cc)}' +
  'th{text-align:left;font-weight:normal;padding-right:1rem;vertical-align:top;white-space:nowrap}' +
  '.button{display:inline-block;padding:.5rem 1rem;border-radius:6px;font-weight:600;text-decoration:none;' +
  'color:light-dark(#fff,#06292c);background:light-dark(#0c5f67,#62c4cc)}';

/** The page loads nothing, runs nothing, sends nothing, and no other page may frame it. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function section(newest: Service, services: readonly Service[], origin: string): string {
  const contracts = services.filter((each) => each.name === newest.name);
  const address = origin + serviceAddress(newest);
  const versions = contracts.flatMap(versionsOf);
  const rows = [
    ['Versions', `${versions[0]} to ${versions.at(-1)}`],
    ...(namedOperations(newest).length > 0 ? namedRows(contracts, newest, origin) : []),
    ...(boundOperations(newest).length > 0 ? [['JSON', code(address)]] : []),
    ['OpenAPI', link(`${address}/openapi.json`)],
  ];
  const table = rows.map(([name, cell]) => `<tr><th scope="row">${name}</th><td>${cell}</td></tr>`).join('');
  const { name, doc } = newest;
  return `<h2>${escapeAttribute(name)}</h2><p>${escapeAttribute(doc)}</p><table>${table}</table>`;
}

function namedRows(
  contracts: readonly Service[],
  { paths, ...newest }: Service,
  origin: string,
): readonly (readonly string[])[] {
  const address = origin + serviceAddress(newest);
  const rows = (name: string, key: keyof LegacyAddresses) =>
    [...new Set(contracts.flatMap(({ legacy }) => legacy?.[key] ?? []))].map((path) => [name, code(origin + path)]);
  return [
    ['SOAP', code(address)],
    ...rows('SOAP, without a version', 'soap'),
    ...(paths === undefined
      ? [['JSON and FORM', code(`${address}/{operation}`)]]
      : [
          ['JSON and FORM', `${code(`${origin}${paths}/...`)}, at the paths of the document`],
          ['By name', code(`${address}/{operation}`)],
        ]),
    ...rows('Form adapter', 'adapter'),
    ['WSDL', link(`${address}?wsdl`)],
  ];
}

function code(text: string): string {
  return `<code>${escapeAttribute(text)}</code>`;
}

function link(address: string): string {
  return `<a href="${escapeAttribute(address)}">${escapeAttribute(address)}</a>`;
}
