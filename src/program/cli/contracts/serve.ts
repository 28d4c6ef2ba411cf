/** What `serve` does with sourced contracts: makes them its project, saves it, and says how to call what is served. */
import { resolve } from 'node:path';
import { type Backend, createService, type UpstreamOptions, type UpstreamPlan } from '../../../backend/index.ts';
import { type Config, didYouMean } from '../../../config/index.ts';
import { isTimeZone, type Service, serviceAddress } from '../../../core/contract/index.ts';
import { createProtocols } from '../../../core/formats/index.ts';
import { escapeUnprintable } from '../../../core/lib/index.ts';
import { roles as operatorRole } from '../../../operators/index.ts';
import type { LoadedConfigFile } from '../../app/load-config-file.ts';
import { CommandError } from '../command-error.ts';
import { useProject } from '../project.ts';
import type { ClientFlags, UpstreamFlags } from '../project-upstreams.ts';
import { clientFlagsOf } from './client.ts';
import { sampleCalls } from './sample-calls.ts';
import { saveProject } from './save.ts';
import type { ContractSource } from './source.ts';
import { type SourcedUpstreams, type UnknownFlag, upstreamsOf } from './upstreams.ts';

/** The options of `serve` that name a document with contracts. */
export interface ContractFlags extends UnknownFlag {
  readonly wsdl?: string;
  readonly openapi?: string;
  readonly reads?: readonly string[];
  /** Names of fields, `pin` or `Account.pin`. */
  readonly sensitive?: readonly string[];
  readonly notSensitive?: readonly string[];
  readonly save?: string;
  /** The folder that files may be in which the document names. */
  readonly folder?: string;
  readonly timeZone?: string;
  /** What happens to members of requests that the contract lacks. */
  readonly unknownRequestMembers?: 'refuse' | 'drop';
}

/** Contracts that `serve` serves without a configuration file. */
export interface ServedContracts {
  /** Adds credentials to a store without any: one for callers, where they need one, and one for the console, where it is served. */
  addFirstCredentials(
    backend: Pick<Backend, 'registry' | 'records'>,
    plan: UpstreamPlan,
    config: Config,
  ): Promise<void>;
  /** Prints a call in each format, and what was left out. */
  introduce(addresses: GatewayAddresses): void;
}

/** The origins of the ports for callers and of administration. */
interface GatewayAddresses {
  readonly callers: string;
  readonly admin: string;
}

/** What was added to a store without credentials: it is shown once. */
interface FirstKeys {
  readonly callers?: string;
  readonly console?: string;
}

/** Returns undefined where the options name no document. `isSilent`: for a worker, whose primary prints and saves. */
export async function openContracts(
  flags: ContractFlags & UpstreamFlags,
  { isSilent }: { readonly isSilent: boolean },
): Promise<ServedContracts | undefined> {
  const source = await openSource(flags);
  if (source === undefined) return undefined;
  const upstreams = upstreamsOf(source, flags);
  const { save: folder } = flags;
  useProject(projectOf(source, upstreams, folder));
  const saved = folder === undefined || isSilent ? [] : saveProject(folder, source, upstreams);
  const services = source.services.map(({ service }) => service);
  let keys: FirstKeys = {};
  return {
    async addFirstCredentials({ registry, records }, { decidesRights }, { console }) {
      // The credentials of a gateway without a database end with it: ADMIN_TOKEN is that of its console.
      if (records !== undefined) return;
      if ((await registry.listCredentials()).some(({ revokedAt }) => revokedAt === undefined)) return;
      const add = async (roles: readonly string[]): Promise<string> =>
        (await registry.addCredential({ tenant: 'default', kind: 'apiKey', roles, grants: {} })).secret;
      keys = {
        ...(!decidesRights && { callers: await add([...new Set(services.flatMap((each) => each.roles))]) }),
        ...(console && { console: await add([operatorRole.act]) }),
      };
    },
    introduce(addresses) {
      if (isSilent) return;
      const lines = introduction(source, upstreams, { services, addresses, keys, saved, folder });
      // The terminal would follow the control characters of a document.
      process.stderr.write(`${lines.map(escapeUnprintable).join('\n')}\n`);
    },
  };
}

/** Throws CommandError for a name that no operation has: the operation that it means would be one that writes. */
async function checkReads(reads: readonly string[] = [], source: ContractSource): Promise<ContractSource> {
  const { compileNames } = await import('../../../readers/index.ts');
  const names = source.services.flatMap(({ service }) => [...service.operations.keys()]);
  const unused = reads.filter((each) => !names.some(compileNames([each])));
  if (unused.length > 0)
    throw new CommandError(
      unused.map((each) => `--reads ${each}: no operation has this name; ${didYouMean(each, names)}`),
    );
  return source;
}

/** Returns undefined where the options name no document, and loads no reader then. Throws CommandError for one that cannot be read. */
export async function openSource(flags: ContractFlags & ClientFlags): Promise<ContractSource | undefined> {
  const { sensitive, notSensitive } = flags;
  const secrets = { sensitive, notSensitive };
  const { wsdl, openapi, reads, timeZone, save, folder, unknownMembers, unknownRequestMembers } = flags;
  if (wsdl !== undefined && openapi !== undefined) throw new CommandError(['give --wsdl or --openapi, and not both.']);
  if (openapi !== undefined) {
    if (timeZone !== undefined) throw new CommandError(['--time-zone belongs to --wsdl: times of OpenAPI have one.']);
    const { openOpenApi } = await import('./openapi-source.ts');
    return checkReads(reads, await openOpenApi(openapi, { reads, ...secrets, folder, unknownRequestMembers }));
  }
  if (wsdl !== undefined) {
    if (timeZone !== undefined && !isTimeZone(timeZone))
      throw new CommandError([`--time-zone: ${timeZone} is no time zone like Europe/London`]);
    const { openWsdl } = await import('./wsdl-source.ts');
    return checkReads(reads, await openWsdl(wsdl, { reads, ...secrets, timeZone, folder, unknownRequestMembers }));
  }
  if ([reads, save, timeZone, folder, sensitive, notSensitive].some((each) => each !== undefined))
    throw new CommandError([
      '--reads, --sensitive, --not-sensitive, --save, --folder and --time-zone belong to --wsdl or --openapi: give it, too.',
    ]);
  if (clientFlagsOf(flags).length > 0)
    throw new CommandError([
      '--oauth2-client and its options belong to --wsdl or --openapi: give it, too, or credentials.oauth2 in a configuration file.',
    ]);
  if (unknownMembers !== undefined || unknownRequestMembers !== undefined)
    throw new CommandError([
      '--unknown-members and --unknown-request-members belong to --wsdl or --openapi: elsewhere the upstream and the contract say it.',
    ]);
  return undefined;
}

interface Introduced {
  readonly services: readonly Service[];
  readonly addresses: GatewayAddresses;
  readonly keys: FirstKeys;
  readonly saved: readonly string[];
  readonly folder: string | undefined;
}

function introduction(
  { location, report, services: sourced }: ContractSource,
  { upstreams, answeredBy }: SourcedUpstreams,
  { services, addresses: { callers, admin }, keys, saved, folder }: Introduced,
): readonly string[] {
  const names = new Set(sourced.map((_, at) => answeredBy[at]!));
  const protocols = createProtocols(services);
  return [
    '',
    `Serving ${location}, answered by ${[...names].map((name) => upstreams[name]?.url).join(' and ')}`,
    ...report.slice(0, -1).map((line) => `  ${line}`),
    ...errorLines(services, Object.values(upstreams)),
    '',
    ...addressLines(services, callers),
    ...(keys.callers === undefined ? [] : ['', `The first credential, shown once: X-API-Key: ${keys.callers}`]),
    ...(keys.console === undefined
      ? []
      : ['', `Console  ${admin}/console`, `  Its first API key, shown once: ${keys.console}`]),
    ...sampleCalls(services, protocols, callers, keys.callers),
    ...(saved.length === 0
      ? []
      : [
          '',
          `Saved ${saved.join(' and ')}: go on from there with \`triglyph serve\` in ${folder && resolve(folder)}.`,
        ]),
    '',
  ];
}

/** Says what an error of the server means for a write, and which option turns it around. */
function errorLines(services: readonly Service[], upstreams: readonly UpstreamOptions[]): readonly string[] {
  const writes = services.some((each) => [...each.operations.values()].some(({ effect }) => effect === 'writes'));
  if (!writes || !upstreams.some(({ idempotency = 'none' }) => idempotency === 'none')) return [];
  return upstreams.some(({ serverErrors }) => serverErrors === 'unknown')
    ? [
        '  A fault of the server, or a 5xx of its application, leaves the outcome of a write unknown (--upstream-server-errors unknown).',
      ]
    : [
        '  A fault of the server, or a 5xx of its application, is the final answer to a write;',
        '  for a server that is known to fail after the effect: --upstream-server-errors unknown',
      ];
}

/** Prints the addresses of each service. `callers`: the address of the gateway. */
export function addressLines(services: readonly Service[], callers: string): readonly string[] {
  return services.flatMap((service) => [
    `${service.name}`,
    `  SOAP 1.1 and 1.2  ${callers}${serviceAddress(service)}`,
    ...(service.paths === undefined
      ? [`  JSON and FORM     ${callers}${serviceAddress(service)}/{operation}`]
      : [
          `  JSON and FORM     ${callers}${service.paths}, at the paths of the document`,
          `  by name           ${callers}${serviceAddress(service)}/{operation}`,
        ]),
    `  WSDL              ${callers}${serviceAddress(service)}?wsdl`,
    `  OpenAPI           ${callers}/openapi.json`,
  ]);
}

/** `folder`: where the contracts are saved, if they are. The store is there, too. */
function projectOf(
  { option, services }: ContractSource,
  { upstreams, answeredBy }: SourcedUpstreams,
  folder: string | undefined,
): LoadedConfigFile {
  return {
    name: option,
    services: services.map(({ service }, at) =>
      createService({ contract: service, answeredBy: answeredBy[at] }, new Map()),
    ),
    servesBuiltIn: false,
    deprecations: [],
    source: { name: option, variables: folder === undefined ? {} : { DATA_DIR: resolve(folder, 'data') } },
    upstreams: { upstreams, answeredBy: undefined },
  };
}
