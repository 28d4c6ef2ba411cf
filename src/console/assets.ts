/** Serves the files of the page: the document without caching, and its parts by names that change with their content. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { WireRequest } from '../core/formats/index.ts';
import type { SiteAnswer } from '../http/index.ts';

/** `manifest.json` of a built page. scripts/console-page.mjs writes it. */
interface Manifest {
  /** The names of the files by their path below `/console/`. */
  readonly files: Readonly<Record<string, { readonly type: string; readonly encodings: readonly string[] }>>;
}

interface Asset {
  readonly type: string;
  /** `identity` is among them. */
  readonly bodies: ReadonlyMap<string, Uint8Array>;
}

export type Assets = ReadonlyMap<string, Asset>;

/** The name of the document of all views. */
export const documentName = 'index.html';

/**
 * Loads the page: from the package, which has it built, or from the sources, where it is built into the cache of the
 * checkout. A process of its own builds, so that the bundler takes no memory of the server.
 */
export async function loadAssets(): Promise<Assets> {
  const packaged = join(import.meta.dirname, '../console-page');
  const folder = existsSync(join(packaged, 'manifest.json')) ? packaged : await build();
  const { files } = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Manifest;
  const assets = Object.entries(files).map(async ([name, { type, encodings }]): Promise<[string, Asset]> => {
    const bodies = encodings.map(async (encoding): Promise<[string, Uint8Array]> => {
      return [encoding, await readFile(join(folder, `${name}.${encoding}`))];
    });
    const found = new Map(await Promise.all(bodies));
    const zipped = found.get('gzip');
    if (zipped === undefined) throw new Error(`the page of the console has no ${name}.gzip`);
    return [name, { type, bodies: found.set('identity', await promisify(gunzip)(zipped)) }];
  });
  return new Map(await Promise.all(assets));
}

async function build(): Promise<string> {
  const script = join(import.meta.dirname, '../../scripts/console-page.mjs');
  if (!existsSync(script)) throw new Error('the page of the console is not part of this installation');
  const { stdout } = await promisify(execFile)(process.execPath, [script], { env: { PATH: process.env.PATH } });
  return stdout.trim();
}

/**
 * Nothing is loaded from elsewhere, no script or style stands in the document, and no other page may frame it. Editors
 * set sizes from scripts, which the policy allows.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** Returns undefined for a file that the page does not have. `name`: below `/console/`. */
export function answerAsset(assets: Assets, name: string, { headers }: WireRequest): SiteAnswer | undefined {
  const asset = assets.get(name);
  if (asset === undefined) return undefined;
  const accepted = headers['accept-encoding'] ?? '';
  const encoding = ['br', 'gzip'].find((each) => asset.bodies.has(each) && accepts(accepted, each)) ?? 'identity';
  const isDocument = name === documentName;
  return {
    status: 200,
    headers: {
      'Content-Type': asset.type,
      ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
      Vary: 'Accept-Encoding',
      'Cache-Control': isDocument ? 'no-cache' : 'public, max-age=31536000, immutable',
      ...(isDocument && { 'Content-Security-Policy': policy }),
    },
    body: asset.bodies.get(encoding)!,
  };
}

function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((each) => {
    const [name, ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((part) => /^q=0(?:\.0*)?$/.test(part));
  });
}
