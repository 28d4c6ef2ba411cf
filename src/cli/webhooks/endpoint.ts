/** `triglyph webhooks endpoint`: where companies want to be told. A running server heeds it from the next effect on. */
import { randomBytes } from 'node:crypto';
import { type Command, Option } from 'commander';
import type { Backend } from '../../app/backend.ts';
import type { Config } from '../../app/config.ts';
import { parseEndpointUrl } from '../../webhooks/address.ts';
import { keyScope } from '../../webhooks/deliver.ts';
import type { Endpoint, EndpointFormat } from '../../webhooks/ports.ts';
import { CommandError } from '../command-error.ts';
import { formatMinute, print } from '../output.ts';
import { withBackend } from '../with-backend.ts';

interface Printing {
  readonly json?: boolean;
}

/** Each is one row more for every notice of the company. */
const endpointsMax = 10;
const keyBytes = 32;

const refuse = (why: string): never => {
  throw new CommandError([why]);
};

/** What the format tells of has to be there, so that a name that was mistyped is found out. */
const checkCompany = async (
  { registry, endpoints }: Backend,
  { company, format }: Pick<Endpoint, 'company' | 'format'>,
): Promise<void> => {
  const [owned, wanted, command] =
    format === 'configuration'
      ? [await registry.listBalancePlatforms(), 'balance platform', 'balance-platform']
      : [await registry.listMerchantAccounts(), 'merchant account', 'merchant-account'];
  if (!owned.some((each) => each.company === company))
    refuse(`${company} has no ${wanted}: triglyph credential ${command} add makes one`);
  const there = (await endpoints.list()).filter((endpoint) => endpoint.company === company);
  if (there.length >= endpointsMax) refuse(`${company} has ${endpointsMax} endpoints already: remove one first`);
};

/** Gives the key that deliveries are signed with; it is shown nowhere else. */
const addEndpoint = async (
  room: Backend,
  { environment }: Config,
  { company, url: given, format }: Pick<Endpoint, 'company' | 'url' | 'format'>,
): Promise<{ readonly endpointId: string; readonly url: string; readonly key: string }> => {
  const address = parseEndpointUrl(given, environment);
  if ('hint' in address) return refuse(`the address of the endpoint: ${address.hint}`);
  await checkCompany(room, { company, format });
  const { url } = address;
  const endpointId = `we_${randomBytes(9).toString('base64url')}`;
  const key = randomBytes(keyBytes).toString('hex');
  const sealed = room.context.vault.seal(keyScope({ company, endpointId }), { shown: key });
  await room.endpoints.add({ company, endpointId, url, format, sealed, createdAt: room.context.clock.now() });
  return { endpointId, url, key };
};

const addAdd = (endpoint: Command): void => {
  endpoint
    .command('add')
    .argument('<company>', 'the company that wants to be told')
    .argument('<url>', 'where; https, or http to this machine and where ENVIRONMENT is test')
    .addOption(
      new Option(
        '--format <format>',
        'what is sent: of stored details tokenization or classic, of balance platforms configuration',
      )
        .choices(['tokenization', 'classic', 'configuration'])
        .default('tokenization'),
    )
    .option('--json', 'prints JSON')
    .description('adds an endpoint and prints the key that its webhooks are signed with, this once')
    .addHelpText(
      'after',
      '\nExample:\n  triglyph webhooks endpoint add Acme https://shop.example.com/webhooks\n  triglyph webhooks endpoint add Acme https://shop.example.com/platform --format configuration',
    )
    .action(
      async (company: string, given: string, { format, json }: Printing & { readonly format: EndpointFormat }) => {
        const { endpointId, url, key } = await withBackend((room, config) =>
          addEndpoint(room, config, { company, url: given, format }),
        );
        if (json) print(JSON.stringify({ id: endpointId, url, format, key }));
        else
          print(
            `endpoint  ${endpointId}\nurl       ${url}\nformat    ${format}\nkey       ${key}\n` +
              'It is shown this once: the receiver checks signatures with it (HMAC-SHA256, 64 hexadecimal digits).',
          );
      },
    );
};

const lineOf = ({ endpointId, company, format, url, createdAt }: Endpoint): string =>
  `${endpointId}  ${company}  ${format}  ${formatMinute(createdAt)}  ${url}`;

const addListAndRemove = (endpoint: Command): void => {
  endpoint
    .command('list')
    .option('--json', 'prints JSON')
    .description('lists the endpoints, without their keys')
    .addHelpText('after', '\nExample:\n  triglyph webhooks endpoint list')
    .action(async ({ json }: Printing) => {
      const all = await withBackend(({ endpoints }) => endpoints.list());
      if (json) print(JSON.stringify(all.map(({ endpointId: id, sealed: _kept, ...shown }) => ({ id, ...shown }))));
      else print(all.length === 0 ? 'There is no endpoint yet.' : all.map(lineOf).join('\n'));
    });
  endpoint
    .command('remove')
    .argument('<id>', 'the endpoint, as `endpoint list` names it')
    .description('removes an endpoint, and all that it has not been told')
    .addHelpText('after', '\nExample:\n  triglyph webhooks endpoint remove we_Fx0uT4mQ9a1s')
    .action(async (id: string) => {
      const dropped = await withBackend(({ endpoints }) => endpoints.remove(id));
      if (dropped === undefined) refuse(`no endpoint has the id ${id}`);
      print(`${id} is removed, and ${dropped} webhooks that it had not taken.`);
    });
};

export const addEndpointCommands = (webhooks: Command): void => {
  const endpoint = webhooks.command('endpoint').description('where companies want to be told');
  addAdd(endpoint);
  addListAndRemove(endpoint);
  endpoint.addHelpText('after', '\nExample:\n  triglyph webhooks endpoint add Acme https://shop.example.com/webhooks');
};
