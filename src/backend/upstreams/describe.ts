/** Describes upstreams for `triglyph check`, without secrets. */
import { newestOf, type Service } from '../../core/contract/index.ts';
import type { UpstreamPlan } from './plan.ts';
import type { ConfiguredUpstream } from './read-upstream.ts';

/** Returns a few lines for each upstream, and one for each caller of the configuration. `source`: where the configuration is, `triglyph.config.ts`. */
export function describeUpstreams(plan: UpstreamPlan, services: readonly Service[], source: string): readonly string[] {
  const upstreams = plan.upstreams.flatMap((upstream) => {
    const { name, url, format, connections } = upstream;
    return [
      `upstream ${name}  ${url}  (${format}, up to ${connections} connections; from ${source})`,
      `  answers      ${answersOf(plan, services, name).join(', ')}`,
      `  credentials  ${describeCredentials(upstream)}`,
      ...sessionLines(upstream),
      `  retries      ${describeRetries(upstream)}`,
      ...(upstream.serverErrors === 'final'
        ? []
        : ['  errors       of the server leave the outcome of a write unknown']),
      ...lookupLines(upstream),
      ...tlsLines(upstream),
      ...shadowLines(plan, name),
    ];
  });
  const callers = plan.callers.map(({ caller: { credential, tenant }, source: place, atUpstreams }) => {
    const mapped = atUpstreams.size === 0 ? '' : `; it has a credential at ${[...atUpstreams.keys()].join(', ')}`;
    return `caller ${credential}  of ${tenant}  (secret from ${place}${mapped})`;
  });
  return [...upstreams, ...callers];
}

/** `Orders` where an upstream answers all its operations, and else `Orders.getOrder` for each that it answers. */
export function answersOf(plan: UpstreamPlan, services: readonly Service[], upstream: string): readonly string[] {
  return newestOf(services).flatMap(({ name, operations }) => {
    const answered = [...operations.keys()].filter((operation) => plan.upstreamOf(name, operation) === upstream);
    return answered.length === operations.size ? name : answered.map((operation) => `${name}.${operation}`);
  });
}

function describeRetries({ key }: ConfiguredUpstream): string {
  if (key === undefined) return 'reads only: it does not deduplicate writes';
  return key === 'body' ? 'by the key in the body' : `by the key in ${key.header}`;
}

function lookupLines({ lookups, credentials }: ConfiguredUpstream): readonly string[] {
  const asker = credentials.kind === 'forward' ? 'by retries of callers alone' : 'by retries and by the gateway';
  return lookups.map(({ service, operation, lookupService, lookupOperation, arrivesWithinMs }) => {
    const later =
      arrivesWithinMs === undefined
        ? 'that it is not found never counts'
        : `not found after ${arrivesWithinMs} ms counts`;
    const by = `${lookupService.name}.${lookupOperation.name}`;
    return `  look-up      ${service.name}.${operation.name} by ${by}, ${asker}; ${later}`;
  });
}

function describeCredentials({ credentials }: ConfiguredUpstream): string {
  switch (credentials.kind) {
    case 'forward':
      return 'those of the caller, as received';
    case 'mapped':
      return 'those that `callers` has for the caller, or that `triglyph upstream credential set` has saved';
    case 'none':
      return 'none';
    case 'fixed':
      return `${Object.keys(credentials.headers).join(', ')}: (hidden)  (from ${credentials.source})`;
    case 'client':
      return `tokens of ${credentials.client.tokenUrl} for the client ${credentials.client.clientId}  (secret from ${credentials.source})`;
    default:
      return credentials satisfies never;
  }
}

function shadowLines({ shadows }: UpstreamPlan, name: string): readonly string[] {
  const shadow = shadows.get(name);
  if (shadow === undefined) return [];
  const { upstream, percent, copiesWrites } = shadow;
  return [
    `  shadow       ${upstream.url}  (${upstream.format}; gets ${percent} % of the ${copiesWrites ? 'requests' : 'requests that read'})`,
    `    credentials  ${describeCredentials(upstream)}`,
    ...tlsLines(upstream).map((line) => `  ${line}`),
  ];
}

function sessionLines({ session }: ConfiguredUpstream): readonly string[] {
  return session === undefined ? [] : [`  session      by ${session.service.name}.${session.logIn.name}`];
}

function tlsLines({ tls: { ca, cert, serverName } }: ConfiguredUpstream): readonly string[] {
  const parts = [
    ...(ca === undefined ? [] : ['trusts caFile only']),
    ...(cert === undefined ? [] : ['presents certFile']),
    ...(serverName === undefined ? [] : [`expects the name ${serverName}`]),
  ];
  return parts.length === 0 ? [] : [`  tls          ${parts.join(', ')}`];
}
