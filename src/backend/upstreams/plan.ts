/** Plans which upstream answers which operation, and reports everything that is wrong with the configuration of both. */

import { didYouMean, type VariableSources } from '../../config/index.ts';
import { namedOperations, newestOf, operationNamed, type Schema, type Service } from '../../core/contract/index.ts';
import { wireFormats } from '../../core/formats/index.ts';
import { servicesOf } from '../../core/gateway/index.ts';
import { isMembers, type Members } from '../../core/lib/index.ts';
import { type BlockContent, unusedPaths } from '../../forward/index.ts';
import type { GatewayService } from '../define-service.ts';
import { type GatewayCaller, type NamedCaller, readCallers } from './named-callers.ts';
import type { AnsweredBy, Upstreams } from './options.ts';
import { resolveLookups } from './read-lookups.ts';
import { findLogIn } from './read-session.ts';
import { type ConfiguredShadow, readShadow } from './read-shadow.ts';
import { type ConfiguredUpstream, type ReadUpstream, readUpstream } from './read-upstream.ts';

/** What a configuration says of upstreams; its types may not have been checked. */
export interface UpstreamParts {
  readonly upstreams?: Upstreams | undefined;
  readonly answeredBy?: AnsweredBy | undefined;
  readonly callers?: readonly GatewayCaller[] | undefined;
}

/** Which upstream answers which operation. */
export interface UpstreamPlan {
  readonly upstreams: readonly ConfiguredUpstream[];
  /** The second servers, by the names of the upstreams that they stand next to. */
  readonly shadows: ReadonlyMap<string, ConfiguredShadow>;
  /** The name of the upstream of an operation; undefined where a handler of this program answers it. */
  upstreamOf(service: string, operation: string): string | undefined;
  /** Whether upstreams answer every operation of every service. */
  readonly answersEverything: boolean;
  /** Whether upstreams know the rights of every caller: they answer everything, and receive the callers' credentials. */
  readonly decidesRights: boolean;
  /** The callers that need no stored credential. */
  readonly callers: readonly NamedCaller[];
}

export interface PlanReport {
  readonly faults: readonly string[];
  /** Present if there is no fault. */
  readonly plan?: UpstreamPlan;
}

/** Stands for the handlers of this program. */
const builtIn = 'builtIn';

export function planUpstreams(
  parts: UpstreamParts,
  served: readonly GatewayService[],
  variables: VariableSources,
): PlanReport {
  const faults: string[] = [];
  const given = membersOf('upstreams', parts.upstreams, faults);
  const assigned = membersOf('answeredBy', parts.answeredBy, faults);
  const upstreams = Object.entries(given).flatMap(([name, each]) => readUpstream(name, each, variables, faults) ?? []);
  const shadows = Object.entries(given).flatMap(([name, each]) => {
    const shadow = readShadow(name, each, variables, faults);
    return shadow === undefined ? [] : [[name, shadow] as const];
  });
  const names = Object.keys(given);
  const services = newestOf(servicesOf(served));
  faults.push(...assignmentFaults(assigned, services, names));
  const answers = new Map<string, string>();
  for (const service of services) {
    const own = served.find((each) => each.service === service);
    const answeredBy = own?.definition.answeredBy;
    if (answeredBy !== undefined && !names.includes(answeredBy))
      faults.push(`${service.name} is answered by ${answeredBy}, ${noUpstream(answeredBy, names)}`);
    for (const operation of service.operations.values()) {
      const full = `${service.name}.${operation.name}`;
      const hasHandler = own?.handlers === undefined || own.handlers.has(operation);
      const chosen = assigned[full] ?? assigned[service.name] ?? (hasHandler ? builtIn : answeredBy);
      if (chosen === builtIn && !hasHandler) faults.push(`${full} has no handler: let an upstream answer it.`);
      if (typeof chosen === 'string' && chosen !== builtIn) answers.set(full, chosen);
    }
    const shadowFormats = shadows.map(([name, { upstream }]) => ({ name, format: upstream.format, part: '.shadow' }));
    faults.push(...adapterFaults(service, answers, [...upstreams, ...shadowFormats]));
  }
  const used = new Set(answers.values());
  // What a misspelt assignment means may be the upstream that seems to have none.
  for (const name of faults.length === 0 ? names : [])
    if (!used.has(name)) faults.push(`upstreams.${name} answers nothing: name it in answeredBy, or remove it.`);
  const plan = (upstream: ReadUpstream, name: string): ConfiguredUpstream => {
    const answersIt = (service: string, operation: string) => answers.get(`${service}.${operation}`) === name;
    const place = `upstreams.${upstream.name}`;
    faults.push(...sessionValueFaults(upstream, place));
    const session = upstream.session && findLogIn(upstream.session, place, services, answersIt, faults);
    const lookups = resolveLookups(upstream.lookups, upstream.name, services, answersIt, faults);
    return Object.freeze({ ...upstream, session, lookups });
  };
  const planned = upstreams.map((upstream) => plan(upstream, upstream.name));
  const plannedShadows = shadows.map(([name, shadow]) => {
    for (const operation of shadow.operations ?? []) {
      const fault = nameFault(operation, services);
      if (fault !== undefined) faults.push(`upstreams.${name}.shadow.operations: ${fault}`);
    }
    const unused = unusedPaths(shadow.rules, outputsOf(services, answers, name));
    faults.push(...unused.map((path) => `upstreams.${name}.shadow.rules: no answer has ${path}.`));
    return [name, Object.freeze({ ...shadow, upstream: plan(shadow.upstream, name) })] as const;
  });
  const callers = readCallers(
    parts.callers,
    served,
    [...upstreams, ...shadows.map(([, { upstream }]) => upstream)],
    variables,
    faults,
  );
  const operations = services.reduce((sum, service) => sum + service.operations.size, 0);
  const found = createPlan(planned, new Map(plannedShadows), answers, answers.size === operations, callers);
  if (callers.length > 0 && upstreams.length > 0 && found.decidesRights)
    faults.push('callers are not asked for: every upstream receives the credential of the caller, and decides.');
  return faults.length > 0 ? { faults } : { faults, plan: found };
}

/** A format may not carry the operations of every contract: the form adapter has an address of its own. */
function adapterFaults(
  service: Service,
  answers: ReadonlyMap<string, string>,
  upstreams: readonly (Pick<ConfiguredUpstream, 'name' | 'format'> & { readonly part?: string })[],
): readonly string[] {
  return upstreams.flatMap(({ name, format, part = '' }) => {
    const asked = namedOperations(service).filter((each) => answers.get(`${service.name}.${each.name}`) === name);
    return asked.every((operation) => wireFormats[format].carries(operation, service))
      ? []
      : `upstreams.${name}${part}.format is ${format}, and version ${service.version} of ${service.name} has no address for it: choose another format.`;
  });
}

/** Blocks name values of the session. */
function sessionValueFaults({ soap, session }: ReadUpstream, place: string): readonly string[] {
  const unknown = (soap?.blocks ?? [])
    .flatMap(({ content }) => sessionValuesIn(content))
    .filter((name) => !Object.hasOwn(session?.values ?? {}, name));
  return unknown.map((name) => `${place}.soapHeaders names ${name}, which is no value of the session.`);
}

function sessionValuesIn(content: BlockContent): readonly string[] {
  if ('session' in content) return [content.session];
  return 'elements' in content ? Object.values(content.elements).flatMap(sessionValuesIn) : [];
}

function createPlan(
  upstreams: readonly ConfiguredUpstream[],
  shadows: UpstreamPlan['shadows'],
  answers: ReadonlyMap<string, string>,
  answersEverything: boolean,
  callers: UpstreamPlan['callers'],
): UpstreamPlan {
  return Object.freeze<UpstreamPlan>({
    upstreams,
    shadows,
    answersEverything,
    callers,
    decidesRights: answersEverything && upstreams.every(({ credentials }) => credentials.kind === 'forward'),
    upstreamOf: (service, operation) => answers.get(`${service}.${operation}`),
  });
}

/** What an upstream answers, by the names of operations. */
function outputsOf(
  services: readonly Service[],
  answers: ReadonlyMap<string, string>,
  upstream: string,
): ReadonlyMap<string, Schema> {
  return new Map(
    services.flatMap(({ name, operations }) =>
      [...operations.values()].flatMap((each): [string, Schema][] =>
        answers.get(`${name}.${each.name}`) === upstream ? [[each.name, each.output]] : [],
      ),
    ),
  );
}

/** Every server that a plan sends requests to: the upstreams, and the second servers next to them. */
export function serversOf({
  upstreams,
  shadows,
}: Pick<UpstreamPlan, 'upstreams' | 'shadows'>): readonly ConfiguredUpstream[] {
  return [...upstreams, ...[...shadows.values()].map(({ upstream }) => upstream)];
}

/** The plan of a server without upstreams. */
export const noUpstreams: UpstreamPlan = createPlan([], new Map(), new Map(), false, []);

function membersOf(name: string, value: unknown, faults: string[]): Members {
  if (value === undefined) return {};
  if (isMembers(value)) return value;
  faults.push(`${name} is not an object.`);
  return {};
}

function assignmentFaults(assigned: Members, services: readonly Service[], upstreams: readonly string[]) {
  return Object.entries(assigned).flatMap(([name, upstream]) => {
    const place = `answeredBy.${name}`;
    const fault = nameFault(name, services);
    const faults = fault === undefined ? [] : [`${place}: ${fault}`];
    if (upstream === builtIn || (typeof upstream === 'string' && upstreams.includes(upstream))) return faults;
    return [...faults, `${place} is ${JSON.stringify(upstream)}, ${noUpstream(String(upstream), upstreams)}`];
  });
}

function nameFault(name: string, services: readonly Service[]): string | undefined {
  if (services.some((each) => each.name === name) || operationNamed(services, name) !== undefined) return undefined;
  const service = services.find((each) => name.startsWith(`${each.name}.`));
  const [serviceName = ''] = name.split('.');
  if (service === undefined)
    return `no service has the name ${serviceName}; ${didYouMean(
      serviceName,
      services.map((each) => each.name),
    )}`;
  const operation = name.slice(service.name.length + 1);
  return `${service.name} has no operation ${operation}; ${didYouMean(operation, [...service.operations.keys()])}`;
}

function noUpstream(name: string, upstreams: readonly string[]): string {
  if (upstreams.length === 0) return 'and there are no upstreams: declare it in upstreams.';
  return `which is no upstream; ${didYouMean(name, [...upstreams, builtIn])}`;
}
