/** Measures one WSDL: what is imported, why other operations are not, and how the derived WSDL differs. Runs in a thread that may be ended. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import type { Service } from '../../src/core/contract/service.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { loadDocuments } from '../../src/readers/wsdl/documents.ts';
import { importWsdl } from '../../src/readers/wsdl/import-wsdl.ts';
import { createReading, Unread } from '../../src/readers/wsdl/read-location.ts';
import { type DeclaredOperation, declaredOperations } from './shape.ts';

export interface Measured {
  readonly file: string;
  /** Operations of the document, and those whose parts are all declared. */
  readonly total: number;
  readonly attainable: number;
  readonly imported: number;
  /** Of `imported`, those that are encoded, which are not compared. */
  readonly encoded: number;
  readonly compared: number;
  readonly identical: number;
  /** Why operations are not there, once for each. */
  readonly causes: readonly string[];
  /** The first difference of each operation, by its kind. */
  readonly differences: readonly string[];
  /** What ended the measurement. */
  readonly crash?: string | undefined;
}

const reading = { allowNetwork: false, folder: '/' };

/** Runs in the calling thread. A document that cannot be read has causes and no operations. */
export async function measure(file: string): Promise<Measured> {
  const nothing = {
    file,
    total: 0,
    attainable: 0,
    imported: 0,
    encoded: 0,
    compared: 0,
    identical: 0,
    differences: [],
  };
  let declared: readonly DeclaredOperation[];
  try {
    declared = declaredOperations(await loadDocuments(file, createReading(reading)));
  } catch (thrown) {
    if (thrown instanceof Unread) return { ...nothing, causes: [`not read: ${general(thrown.message)}`] };
    return { ...nothing, causes: [], crash: `measuring: ${stackOf(thrown)}` };
  }
  const total = declared.length;
  const attainable = declared.filter(({ isIncomplete }) => !isIncomplete).length;
  try {
    const read = await importWsdl(file, reading);
    const { findings } = read;
    const services = read.services.map(({ service }) => service);
    const causes = findings
      .filter(({ kind, text }) => kind === 'refused' && / is left out$/.test(text) && text.includes('the operation'))
      .map(({ text }) => general(text.replace(/; the operation [^;]* is left out$/, '')));
    const imported = services.reduce((sum, { operations }) => sum + operations.size, 0);
    const { differences, ...counts } = await compare(services, declared);
    return { file, total, attainable, imported: Math.min(imported, total), causes, differences, ...counts };
  } catch (thrown) {
    if (thrown instanceof Unread) {
      const texts = thrown.findings.filter(({ kind }) => kind === 'refused').map(({ text }) => general(text));
      const causes = texts.filter((text) => text.includes('the operation'));
      return {
        ...nothing,
        total,
        attainable,
        causes: causes.length > 0 ? causes : [general(thrown.message), ...texts.slice(0, 1)],
      };
    }
    return { ...nothing, total, attainable, causes: [], crash: stackOf(thrown) };
  }
}

async function compare(services: readonly Service[], declared: readonly DeclaredOperation[]) {
  const folder = mkdtempSync(join(tmpdir(), 'wsdl-coverage-'));
  const differences: string[] = [];
  let compared = 0;
  let identical = 0;
  let encoded = 0;
  const open = [...declared];
  try {
    for (const service of services) {
      const derivedFile = join(folder, 'derived.wsdl');
      writeFileSync(derivedFile, deriveWsdl(service, { address: 'http://gateway.example/', soap12: true }));
      const derived = declaredOperations(await loadDocuments(derivedFile, createReading({ allowNetwork: false })));
      for (const each of derived) {
        const alike = open.filter(({ name }) => name === each.name);
        const original = alike.find(({ lines }) => firstDifference(lines, each.lines) === undefined) ?? alike[0];
        if (original === undefined) continue;
        open.splice(open.indexOf(original), 1);
        if (original.isEncoded) {
          encoded += 1;
          continue;
        }
        compared += 1;
        const difference = each.isIncomplete
          ? 'names what is not declared'
          : firstDifference(original.lines, each.lines);
        if (difference === undefined) identical += 1;
        else differences.push(`${each.name}: ${difference}`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return { compared, identical, encoded, differences };
}

/** An answer that the original has not is empty. */
function firstDifference(original: readonly string[], derived: readonly string[]): string | undefined {
  const end = derived.indexOf('output');
  const wanted = end === -1 || original.includes('output') ? derived : derived.slice(0, end);
  for (let at = 0; at < Math.max(original.length, wanted.length); at += 1)
    if (original[at] !== wanted[at]) return `${original[at] ?? 'nothing'} | ${wanted[at] ?? 'nothing'}`;
  return undefined;
}

/** Without the names of one document. */
function general(text: string): string {
  return text
    .replace(/\S*(?:[a-z][A-Z]|[._:/{}\d-])\S*/g, '_')
    .replace(
      /\b(?:element|member|called|type|attribute|no|in) (?:[A-Z]\w*|_)(?= is| are|$|:)/g,
      (found) => `${found.split(' ')[0]} _`,
    )
    .slice(0, 160);
}

function stackOf(thrown: unknown): string {
  return thrown instanceof Error
    ? (thrown.stack ?? thrown.message).split('\n').slice(0, 4).join(' | ')
    : String(thrown);
}

parentPort?.on('message', (file: string) => {
  void measure(file).then((measured) => parentPort?.postMessage(measured));
});
