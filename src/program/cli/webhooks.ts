/** `triglyph webhooks`: the endpoints of companies, dead letters, and background jobs. */
import { type Command, Option } from 'commander';
import { webhookFormatsOf } from '../../backend/index.ts';
import { formatMinute, formatSecond, isoTime } from '../../core/lib/index.ts';
import {
  addWebhookEndpoint,
  listDeadLetters,
  listJobs,
  listWebhooks,
  removeWebhookEndpoint,
  retryAllDeadLetters,
  retryDeadLetter,
  rotateWebhookKey,
} from '../../operators/index.ts';
import { CommandError } from './command-error.ts';
import { addOperation, formatTable, givenOf, linesOf, performOnBackend, sentence } from './operator-command.ts';
import { printAll } from './output.ts';
import { projectServices, tenantOperand } from './project.ts';

const example = 'triglyph webhooks endpoint add Acme https://shop.example.com/webhooks';

export function add(program: Command): void {
  const webhooks = program.command('webhooks').description('manages webhook endpoints and dead letters');
  addEndpointCommands(webhooks);
  addOperation(webhooks, 'rotate', rotateWebhookKey, {
    operands: { id: 'id' },
    flags: { grace: '--grace <minutes>' },
    example: 'triglyph webhooks rotate we_Fx0uT4mQ9a1s --grace 10080',
    json: ({ key, rotatingUntil }, { id }) => ({ id, key, rotatingUntil }),
    text: ({ key, rotatingUntil }, { id }) => [
      `key       ${key}`,
      `endpoint  ${id}`,
      rotatingUntil === undefined
        ? 'The key before it signs no more.'
        : `Until ${formatMinute(rotatingUntil)} the key before it signs HmacSignature, and this one HmacSignatureNext.`,
      'The key is printed only once.',
    ],
  });
  addOperation(webhooks, 'list', listDeadLetters, {
    doc: 'lists the dead letters: webhooks that could not be delivered, with reason and time',
    operands: { [tenantOperand()]: 'tenant' },
    defaults: { max: '1000000' },
    example: 'triglyph webhooks list Acme',
    json: ({ letters }) =>
      letters.map(
        ({ id, tenant: company, type, belongsTo, endpoint: to, happenedAt, givenUpAt, attempts, because }) => ({
          ...{ id, company, type, ...belongsTo, endpoint: to, happenedAt: isoTime(happenedAt) },
          ...{ givenUpAt: isoTime(givenUpAt), attempts, because },
        }),
      ),
    text: ({ letters }) =>
      linesOf(
        letters,
        ({ id, tenant, type, endpoint: to, givenUpAt, attempts, because }) => [
          ...[id, tenant, type, to, `given up ${formatSecond(givenUpAt)}`, `${attempts} attempts`, because],
        ],
        'There is no dead letter.',
      ),
  });
  const retry = webhooks
    .command('retry')
    .argument('[id]', 'the id that `webhooks list` prints')
    .option('--all', 'all dead letters')
    .description('makes the servers deliver dead letters again')
    .addHelpText('after', '\nExample:\n  triglyph webhooks retry --all');
  retry.action(async (...parameters: readonly unknown[]) => {
    const { id, all } = givenOf(retry, { id: 'id' }, parameters) as { readonly id?: string; readonly all?: true };
    if ((id === undefined) === (all !== true)) throw new CommandError(['name one dead letter, or give --all']);
    const { retried } =
      id === undefined
        ? await performOnBackend(retryAllDeadLetters, {})
        : await performOnBackend(retryDeadLetter, { id });
    printAll([`The servers deliver ${retried} ${retried === 1 ? 'webhook' : 'webhooks'} again, with new attempts.`]);
  });
  addOperation(webhooks, 'jobs', listJobs, {
    doc: 'counts the background jobs by kind',
    example: 'triglyph webhooks jobs',
    json: ({ kinds }) => kinds,
    text: ({ kinds }) =>
      kinds.length === 0
        ? ['There is no job.']
        : formatTable(kinds, {
            KIND: ({ kind }) => kind,
            DUE: ({ due }) => due,
            RUNNING: ({ leased }) => leased,
            LATER: ({ scheduled }) => scheduled,
            BLOCKED: ({ blocked }) => blocked,
            FAILING: ({ failing }) => failing,
            DEAD: ({ dead }) => dead,
            'LAST FAILURE': ({ lastFailure }) => lastFailure ?? '-',
          }),
  });
  webhooks.addHelpText('after', `\nExample:\n  ${example}`);
}

function addEndpointCommands(webhooks: Command): void {
  const formats = webhookFormatsOf(projectServices()).all.map(({ name }) => name);
  const endpoint = webhooks.command('endpoint').description('adds, lists and removes webhook endpoints');
  addOperation(endpoint, 'add', addWebhookEndpoint, {
    operands: { [tenantOperand()]: 'tenant', url: 'url' },
    flags: { format: null, event: '--event <type...>' },
    options: [
      new Option('--format <format>', sentence(addWebhookEndpoint.input.fields.format.doc))
        .choices(formats)
        .default(formats[0]),
    ],
    example: `Example:\n  ${example}\n  triglyph webhooks endpoint add Acme https://shop.example.com/platform --format configuration`,
    json: ({ id, url, format, events, key }) => ({ id, url, format, ...(events && { events }), key }),
    text: ({ id, url, format, events = [], key }) => [
      `key       ${key}`,
      `endpoint  ${id}`,
      `url       ${url}`,
      `format    ${format}`,
      ...events.map((each) => `event     ${each}`),
      'The key is printed only once: the receiver verifies signatures with it (HMAC-SHA256, 64 hexadecimal digits).',
    ],
  });
  addOperation(endpoint, 'list', listWebhooks, {
    doc: 'lists the endpoints without their keys',
    example: 'triglyph webhooks endpoint list',
    json: ({ endpoints }) =>
      endpoints.map(({ id, tenant: company, address, changedTo: url = address, ...endpoint }) => ({
        ...{
          id,
          company,
          url,
          format: endpoint.format,
          events: endpoint.events,
          createdAt: endpoint.createdAt,
          altered: endpoint.altered,
        },
        rotation: endpoint.twoKeysUntil && { until: endpoint.twoKeysUntil, isOver: false },
      })),
    text: ({ endpoints }) =>
      linesOf(
        endpoints,
        ({ id, tenant, format, events = [], createdAt, twoKeysUntil, address, changedTo, altered }) => [
          ...[id, tenant, format, formatMinute(createdAt)],
          ...(twoKeysUntil === undefined ? [] : [`two keys until ${formatMinute(twoKeysUntil)}`]),
          ...[changedTo ?? address, ...(altered ? ['altered'] : []), ...events],
        ],
        'There is no endpoint yet.',
      ),
  });
  addOperation(endpoint, 'remove', removeWebhookEndpoint, {
    operands: { id: 'id' },
    example: 'triglyph webhooks endpoint remove we_Fx0uT4mQ9a1s',
    text: ({ dropped }, { id }) => [`${id} is removed with ${dropped} undelivered webhooks.`],
  });
  endpoint.addHelpText('after', `\nExample:\n  ${example}`);
}
