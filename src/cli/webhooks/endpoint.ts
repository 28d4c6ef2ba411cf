/** `triglyph webhooks endpoint`: the endpoints that receive webhooks. Running servers use a change from the next event on. */
import { randomBytes } from 'node:crypto';
import { type Command, Option } from 'commander';
import type { Backend } from '../../backend/backend.ts';
import { webhookFormatsOf } from '../../backend/compose-services.ts';
import type { Config } from '../../config/config.ts';
import { parseEndpointUrl } from '../../jobs/webhooks/address.ts';
import type { Endpoint } from '../../jobs/webhooks/ports.ts';
import { createSigningKey, sealKeys } from '../../jobs/webhooks/signing-keys.ts';
import { balancePlatform } from '../../services/balance-platform/index.ts';
import { builtInServices } from '../../services/index.ts';
import { recurring } from '../../services/recurring/index.ts';
import { CommandError } from '../command-error.ts';
import { formatMinute, print, printAll } from '../output.ts';
import { projectServices } from '../project.ts';
import { withBackend } from '../with-backend.ts';

export function addEndpointCommands(webhooks: Command): void {
  const endpoint = webhooks.command('endpoint').description('adds, lists and removes webhook endpoints');
  addAddCommand(endpoint);
  addListCommand(endpoint);
  addRemoveCommand(endpoint);
  endpoint.addHelpText('after', '\nExample:\n  triglyph webhooks endpoint add Acme https://shop.example.com/webhooks');
}

interface OutputOptions {
  readonly json?: boolean;
}

function addAddCommand(endpoint: Command): void {
  endpoint
    .command('add')
    .argument('<company>', 'the company whose events are sent')
    .argument('<url>', 'the address: https, or http to this machine or with ENVIRONMENT=test')
    .addOption(
      new Option(
        '--format <format>',
        'tokenization or classic for events of stored details, configuration for events of balance platforms',
      )
        .choices(webhookFormatsOf(projectServices()).all.map(({ name }) => name))
        .default('tokenization'),
    )
    .option('--json', 'prints JSON')
    .description('adds an endpoint, and prints the key that signs its webhooks once')
    .addHelpText(
      'after',
      '\nExample:\n  triglyph webhooks endpoint add Acme https://shop.example.com/webhooks\n  triglyph webhooks endpoint add Acme https://shop.example.com/platform --format configuration',
    )
    .action(async (company: string, text: string, { format, json }: OutputOptions & { readonly format: string }) => {
      const { endpointId, url, key } = await withBackend((backend, config) =>
        addEndpoint(backend, config, { tenant: company, url: text, format }),
      );
      if (json) print(JSON.stringify({ id: endpointId, url, format, key }));
      else
        print(
          `key       ${key}`,
          `endpoint  ${endpointId}`,
          `url       ${url}`,
          `format    ${format}`,
          'The key is printed only once: the receiver verifies signatures with it (HMAC-SHA256, 64 hexadecimal digits).',
        );
    });
}

function addListCommand(endpoint: Command): void {
  endpoint
    .command('list')
    .option('--json', 'prints JSON')
    .description('lists the endpoints without their keys')
    .addHelpText('after', '\nExample:\n  triglyph webhooks endpoint list')
    .action(async ({ json }: OutputOptions) => {
      const endpoints = await withBackend((backend) => backend.endpoints.list());
      if (json)
        print(
          JSON.stringify(
            endpoints.map(({ endpointId: id, tenant: company, sealed: _, ...members }) => ({
              id,
              company,
              ...members,
            })),
          ),
        );
      else if (endpoints.length === 0) print('There is no endpoint yet.');
      else printAll(endpoints.map(formatEndpoint));
    });
}

function addRemoveCommand(endpoint: Command): void {
  endpoint
    .command('remove')
    .argument('<id>', 'the id that `endpoint list` prints')
    .description('removes an endpoint and its undelivered webhooks')
    .addHelpText('after', '\nExample:\n  triglyph webhooks endpoint remove we_Fx0uT4mQ9a1s')
    .action(async (id: string) => {
      const dropped = await withBackend(({ endpoints }) => endpoints.remove(id));
      if (dropped === undefined)
        throw new CommandError([`no endpoint has the id ${id}: \`triglyph webhooks endpoint list\` prints them`]);
      print(`${id} is removed with ${dropped} undelivered webhooks.`);
    });
}

/** Each endpoint adds a row for every event of its company. */
const endpointsMax = 10;

/** Returns the signing key in the clear. The store holds it encrypted. */
async function addEndpoint(
  backend: Backend,
  { environment }: Config,
  { tenant: company, url: text, format }: Pick<Endpoint, 'tenant' | 'url' | 'format'>,
): Promise<{ readonly endpointId: string; readonly url: string; readonly key: string }> {
  const address = parseEndpointUrl(text, environment);
  if ('hint' in address) throw new CommandError([`the address of the endpoint: ${address.hint}`]);
  await checkCompany(backend, { tenant: company, format });
  const { url } = address;
  const endpointId = `we_${randomBytes(9).toString('base64url')}`;
  const key = createSigningKey();
  const { vault, clock } = backend.context;
  const sealed = sealKeys(vault, { tenant: company, endpointId }, { key });
  await backend.endpoints.add({ tenant: company, endpointId, url, format, sealed, createdAt: clock.now() });
  return { endpointId, url, key };
}

/** What other services report belongs to whom they say. */
function isBuiltIn(format: string): boolean {
  return builtInServices.some(({ definition }) => definition.webhookFormats?.some(({ name }) => name === format));
}

/** Requires that the company has something to report, which finds misspelt names. */
async function checkCompany(
  backend: Backend,
  { tenant: company, format }: Pick<Endpoint, 'tenant' | 'format'>,
): Promise<void> {
  const [owned, noun, command] =
    format === 'configuration'
      ? [
          await balancePlatform.sharedIn(backend).registry.listBalancePlatforms(),
          'balance platform',
          'balance-platform',
        ]
      : [await recurring.sharedIn(backend).registry.listMerchantAccounts(), 'merchant account', 'merchant-account'];
  if (isBuiltIn(format) && !owned.some((each) => each.company === company))
    throw new CommandError([`${company} has no ${noun}: add one with triglyph credential ${command} add`]);
  const existing = (await backend.endpoints.list()).filter((endpoint) => endpoint.tenant === company);
  if (existing.length >= endpointsMax)
    throw new CommandError([`${company} has ${endpointsMax} endpoints already: remove one first`]);
}

function formatEndpoint({ endpointId, tenant: company, format, url, createdAt, rotation, altered }: Endpoint): string {
  const rotating = rotation?.isOver === false ? [`two keys until ${formatMinute(rotation.until)}`] : [];
  return [endpointId, company, format, formatMinute(createdAt), ...rotating, url, ...(altered ? ['altered'] : [])].join(
    '  ',
  );
}
