/** The project that sourced contracts make: what a configuration file of them would say. */
import { resolve } from 'node:path';
import type { LoadedConfigFile } from '../../app/load-config-file.ts';
import { createService } from '../../backend/define-service.ts';
import type { ContractSource } from './source.ts';
import type { SourcedUpstreams } from './upstreams.ts';

/** `folder`: where the contracts are saved, if they are. The store is there, too. */
export function projectOf(
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
