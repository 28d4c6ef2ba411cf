/** Imports one document at a time, in a thread of its own, with all that is derived from its contract. */
import { parentPort } from 'node:worker_threads';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { importOpenApi } from '../../src/readers/openapi/import-openapi.ts';

export interface Measured {
  readonly file: string;
  readonly declared: number;
  readonly imported: number;
  /** Places where JSON is text. */
  readonly asText: number;
  /** What is left out. */
  readonly causes: readonly string[];
  readonly ms: number;
  readonly crash?: string;
}

export async function measure(file: string): Promise<Measured> {
  const startedAt = performance.now();
  try {
    const { service, declared, findings, text } = await importOpenApi(file, { allowNetwork: false });
    createProtocols([service]);
    deriveWsdl(service, { address: 'http://gateway.example/', soap12: true });
    text();
    return {
      file,
      declared,
      imported: service.operations.size,
      asText: findings.filter((each) => each.text.includes('JSON as text')).length,
      causes: findings.filter(({ kind }) => kind === 'refused').map((each) => each.text),
      ms: performance.now() - startedAt,
    };
  } catch (thrown) {
    const crash = thrown instanceof Error ? thrown.message : String(thrown);
    return { file, declared: 0, imported: 0, asText: 0, causes: [], ms: performance.now() - startedAt, crash };
  }
}

parentPort?.on('message', async (file: string) => parentPort?.postMessage(await measure(file)));
