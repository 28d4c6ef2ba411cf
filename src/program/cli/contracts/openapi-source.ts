/** Reads the contract of an OpenAPI document for `serve --openapi`. */

import {
  contractNames,
  type ImportedOpenApi,
  importOpenApi,
  type OpenApiOptions,
  openApiFindingLines,
  secretLines,
  Unread,
  withoutCredentials,
} from '../../../readers/index.ts';
import { CommandError } from '../command-error.ts';
import type { ContractSource } from './source.ts';

/** A URL may name others, as an operator who gives one expects. Throws CommandError where nothing can be imported. */
export async function openOpenApi(
  location: string,
  options: Omit<OpenApiOptions, 'allowNetwork'>,
): Promise<ContractSource> {
  const imported = await read(location, { ...options, allowNetwork: /^https?:/i.test(location) });
  const { service, location: server, tokenUrl, text } = imported;
  return {
    option: '--openapi',
    location: withoutCredentials(location),
    services: [{ service, location: server, format: 'json', hasSingleAddress: false, tokenUrl }],
    report: [...linesOf(imported), ''],
    contractNames: contractNames([service]),
    text,
  };
}

async function read(location: string, options: OpenApiOptions): Promise<ImportedOpenApi> {
  try {
    return await importOpenApi(location, options);
  } catch (thrown) {
    if (thrown instanceof Unread) throw new CommandError(thrown.message.split('\n'));
    throw thrown;
  }
}

function linesOf({ service: { name, operations }, declared, findings, secrets }: ImportedOpenApi): readonly string[] {
  const counted = `${name}: ${operations.size} of ${declared} operations`;
  return [counted, ...openApiFindingLines(findings), ...secretLines(secrets)];
}
