/** Lists, adds, rotates and removes webhook endpoints, and delivers dead letters again. */
import { randomBytes } from 'node:crypto';
import { redact } from '../../core/lib/index.ts';
import {
  createSigningKey,
  type Endpoint,
  openKeys,
  parseEndpointUrl,
  sealKeys,
  webhookJobKind,
} from '../../stores/jobs/index.ts';
import { type OperatorContext, type OperatorHandlers, refuse } from '../operator.ts';
import { type webhookOperations, webhookProblems } from './contract.ts';

/** Each endpoint adds a row for every event of its tenant. */
const endpointsMax = 10;
/** Dead letters that are read at a time. */
const pageSize = 1_000;
const graceMinutes = 1_440;

export const webhookHandlers: OperatorHandlers<(typeof webhookOperations)[number]> = {
  async listWebhooks(_, { backend: { endpoints, inspection } }) {
    const backlogs = new Map((await inspection.summarizeEndpoints()).map((each) => [each.endpointId, each]));
    return {
      endpoints: (await endpoints.list()).map((endpoint) => {
        const { endpointId: id, tenant, format, eventTypes: events, createdAt, rotation, altered } = endpoint;
        const { waiting = 0, dead = 0, oldestMs } = backlogs.get(id) ?? {};
        const twoKeysUntil = rotation?.isOver === false ? rotation.until : undefined;
        return {
          ...{ id, tenant, address: addressOf(endpoint), format, events, createdAt, twoKeysUntil },
          ...{ waiting, oldestMs, dead, altered },
          changedTo: altered && URL.canParse(endpoint.url) ? addressOf({ url: endpoint.url }) : undefined,
        };
      }),
    };
  },

  async addWebhookEndpoint({ tenant, url: given, format: named, event: eventTypes }, context) {
    const { backend, config } = context;
    const formats = backend.services.webhookFormats.all.map(({ name }) => name);
    const format = named ?? formats[0];
    if (format === undefined) return refuse('no service of this server has events for webhooks');
    if (!formats.includes(format))
      refuse(`${format} is no webhook format of this server; its formats: ${formats.join(', ')}`);
    const { accepts } = backend.services.webhookFormats.get(format);
    const unknown = eventTypes?.filter((each) => !accepts(each)) ?? [];
    if (unknown.length > 0) refuse(`the webhook format ${format} has no event ${unknown.join(', ')}`);
    if (eventTypes?.length === 0) refuse('an endpoint without events gets nothing');
    const parsed = parseEndpointUrl(given, config.environment);
    if ('hint' in parsed) return refuse(`the address of the endpoint: ${parsed.hint}`);
    await checkTenant(context, tenant, format);
    const { url } = parsed;
    const { vault, clock } = backend.context;
    const id = `we_${randomBytes(9).toString('base64url')}`;
    const key = createSigningKey();
    const sealed = sealKeys(vault, { tenant, endpointId: id }, { key });
    await backend.endpoints.add({ tenant, endpointId: id, url, format, eventTypes, sealed, createdAt: clock.now() });
    return { id, url, format, events: eventTypes, key };
  },

  async removeWebhookEndpoint({ id }, { backend }) {
    return { dropped: (await backend.endpoints.remove(id)) ?? refuseUnknown(id) };
  },

  async rotateWebhookKey({ id, grace = graceMinutes }, { backend: { endpoints, context } }) {
    const { vault, clock } = context;
    const key = createSigningKey();
    const rotatingUntil = grace === 0 ? undefined : clock.now() + grace * 60_000;
    // The key that receivers know stays the first one, also where a rotation is under way.
    const seal = (endpoint: Endpoint) =>
      sealKeys(vault, endpoint, grace === 0 ? { key } : { key: openKeys(vault, endpoint).key, nextKey: key });
    if (!(await endpoints.rotate(id, { rotatingUntil, seal }))) refuseUnknown(id);
    return { key, rotatingUntil };
  },

  async listDeadLetters({ tenant, max = pageSize }, { backend: { endpoints, inspection, services } }) {
    const addresses = new Map((await endpoints.list()).map((each) => [each.endpointId, addressOf(each)]));
    const dead = await inspection.findDead(webhookJobKind, { tenant, max });
    return {
      letters: dead.map(({ jobId: id, tenant: company, payload, deadSince, attempts, lastFailure }) => {
        const { at, type, owner } = services.summarizeEvent(payload);
        const endpointId = id.slice(id.indexOf('/') + 1);
        return {
          ...{ id, tenant: company, type, owner: Object.values(owner).join(', ') || undefined, belongsTo: owner },
          endpoint: addresses.get(endpointId) ?? redact(endpointId),
          ...{ happenedAt: at, givenUpAt: deadSince, attempts, because: redact(lastFailure) },
        };
      }),
    };
  },

  async retryDeadLetter({ tenant, id }, { backend: { inspection, jobs } }) {
    // The ids of webhook jobs have a slash. Other jobs must not be revived here.
    const isWebhook = id.includes('/');
    const tenants = tenant === undefined ? await inspection.findDeadTenants(webhookJobKind) : [tenant];
    for (const each of isWebhook ? tenants : []) if (await jobs.revive(each, id)) return { retried: 1 };
    return refuse(
      `no dead letter has the id ${id}: \`triglyph webhooks list\` prints them`,
      webhookProblems.deadLetterNotFound,
    );
  },

  async retryAllDeadLetters(_, { backend: { inspection, jobs } }) {
    let retried = 0;
    for (let more = true; more; ) {
      const letters = await inspection.findDead(webhookJobKind, { max: pageSize });
      for (const { tenant, jobId } of letters) if (await jobs.revive(tenant, jobId)) retried += 1;
      more = letters.length === pageSize;
    }
    return { retried };
  },

  listJobs: async (_, { backend: { inspection } }) => ({
    kinds: (await inspection.summarizeJobs()).map(({ lastFailure, ...counts }) => ({
      ...counts,
      lastFailure: lastFailure === undefined ? undefined : redact(lastFailure),
    })),
  }),
};

/** The address of an endpoint without its query, which may hold a secret of the receiver. */
function addressOf({ url, altered }: Pick<Endpoint, 'url'> & Partial<Pick<Endpoint, 'altered'>>): string {
  if (altered) return 'changed in the database';
  const { origin, pathname } = new URL(url);
  return redact(`${origin}${pathname}`);
}

function refuseUnknown(id: string): never {
  return refuse(`no endpoint has the id ${id}: \`triglyph webhooks endpoint list\` prints them`);
}

/** Requires that the tenant has something to report, and fewer endpoints than the limit. */
async function checkTenant({ backend }: OperatorContext, tenant: string, format: string): Promise<void> {
  const fault = await backend.services.findEndpointFault(format, tenant);
  if (fault !== undefined) refuse(fault);
  const existing = (await backend.endpoints.list()).filter((each) => each.tenant === tenant);
  if (existing.length >= endpointsMax) refuse(`${tenant} has ${endpointsMax} endpoints already: remove one first`);
}
