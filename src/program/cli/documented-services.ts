/** The services whose documents commands print: the built-in ones, if they are served, by names like `balance-platform`, and those of the project by their own. */
import { InvalidArgumentError, Option } from 'commander';
import { contractOf, type Service, versionsOf } from '../../core/contract/index.ts';
import { kebabCase } from '../../documents/index.ts';
import { services } from '../../payments/index.ts';
import { CommandError } from './command-error.ts';
import { ownServices, servesBuiltIn } from './project.ts';

export interface DocumentedService {
  /** Newest last. */
  readonly contracts: readonly Service[];
  readonly isBuiltIn: boolean;
}

export function documentedServices(): ReadonlyMap<string, DocumentedService> {
  const builtIn = Map.groupBy(servesBuiltIn() ? services : [], ({ name }) => kebabCase(name));
  return new Map<string, DocumentedService>([
    ...[...builtIn].map(([name, contracts]) => [name, { contracts, isBuiltIn: true }] as const),
    ...ownServices().map(({ service }) => [service.name, { contracts: [service], isBuiltIn: false }] as const),
  ]);
}

/** `--service`: by default Recurring, or else the first service of the project. */
export function serviceOption(names: readonly string[]): Option {
  const [first] = names;
  const option = new Option('--service <service>', 'the service').choices(names);
  return first === undefined ? option : option.default(names.includes('recurring') ? 'recurring' : first);
}

/** Returns the service of that name. Throws CommandError where there is none. */
export function documentedService<T>(of: ReadonlyMap<string, T>, name: string | undefined): T {
  const found = name === undefined ? undefined : of.get(name);
  if (found === undefined) throw new CommandError(['the project has no service with such a document.']);
  return found;
}

/** `otherwise`: the version that is printed without the option. */
export function versionOption(otherwise: string): Option {
  return new Option('--version <number>', `the version; by default ${otherwise}`).argParser((text) => {
    if (/^\d{1,4}$/.test(text)) return Number(text);
    throw new InvalidArgumentError('it is not a number.');
  });
}

/** Returns the contract that answers a version. Throws CommandError where none does. */
export function contractOfVersion({ contracts }: DocumentedService, version: number): Service {
  const { name } = contracts[0]!;
  const found = contractOf(contracts, name, version);
  if (found !== undefined) return found;
  const versions = contracts.flatMap(versionsOf);
  throw new CommandError([`${name} has no version ${version}: it has ${versions[0]} to ${versions.at(-1)}`]);
}
