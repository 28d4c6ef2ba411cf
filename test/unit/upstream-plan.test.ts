/** Tests the configuration of upstreams: which one answers what, their secrets, and every fault at once. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ordersV1 } from '../../examples/orders/contract.ts';
import { orders } from '../../examples/orders/orders.ts';
import { createService, type GatewayService } from '../../src/backend/define-service.ts';
import { productionFaults } from '../../src/backend/production-checks.ts';
import { describeUpstreams } from '../../src/backend/upstreams/describe.ts';
import { withCallers } from '../../src/backend/upstreams/named-callers.ts';
import { planUpstreams, type UpstreamParts } from '../../src/backend/upstreams/plan.ts';
import { VariableSources } from '../../src/config/variable-sources.ts';
import { namedProtocols } from '../../src/core/formats/wire-formats.ts';
import { builtInServices, services } from '../../src/payments/index.ts';
import { newestRecurring } from '../../src/payments/recurring/versions.ts';
import { importWsdl } from '../support/import-wsdl.ts';
import { readConfig } from '../support/services.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
const secretFile = join(folder.path, 'secret');
const pem = join(folder.path, 'ca.pem');
beforeAll(() => {
  writeFileSync(secretFile, 'from-a-file\n');
  writeFileSync(pem, '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n');
});
afterAll(() => folder.discard());

const variables = new VariableSources({ name: 'environment', variables: { ERP_KEY: 'from-a-variable' } });

const plan = (parts: unknown, own: readonly GatewayService[] = []) =>
  planUpstreams(parts as UpstreamParts, [...builtInServices, ...own], variables);

const erp = { url: 'https://erp.example.com', credentials: 'forward' };

describe('callers of the configuration', () => {
  const mapped = { upstreams: { erp: { ...erp, credentials: 'mapped' } }, answeredBy: { Recurring: 'erp' } };
  const caller = { name: 'acme', tenant: 'Acme', apiKey: { env: 'ERP_KEY' }, grants: { merchantAccount: ['A'] } };
  const faultsOf = (callers: unknown, parts: object = mapped) => plan({ ...parts, callers }).faults;

  test.each([
    ['anna', 'wrong', { refusal: 'wrongSecret', credential: 'acme', tenant: 'Acme' }],
    ['anna', 'from-a-variable', { caller: expect.objectContaining({ credential: 'acme' }) }],
    ['other', 'wrong', { refusal: 'unknownName' }],
  ] as const)('%s with the secret %s is told to operators as it is', async (username, secret, expected) => {
    const { apiKey: _, ...others } = caller;
    const password = { env: 'ERP_KEY' };
    const { plan: planned } = plan({ ...mapped, callers: [{ ...others, basic: { username: 'anna', password } }] });
    const stored = { verify: async () => ({ refusal: 'unknownName' }) as const };
    expect(await withCallers(stored, planned!.callers).verify({ kind: 'basic', username, secret })).toEqual(expected);
  });

  test('have a name, a tenant, and the roles of their grants, or those that they name', () => {
    const { plan: planned } = plan({
      ...mapped,
      callers: [
        { ...caller, upstreams: { erp: { bearer: { file: secretFile } } } },
        {
          ...caller,
          name: 'ws@Beta',
          apiKey: { inClear: 'x' },
          roles: ['recurring:list'],
          grants: { merchantAccount: ['B'] },
        },
      ],
    });
    const [first, second] = planned!.callers;
    expect(first).toMatchObject({ source: 'ERP_KEY, environment', isInClear: false });
    expect(first!.caller.roles).toEqual(new Set(['recurring']));
    expect(first!.atUpstreams).toEqual(new Map([['erp', { authorization: 'Bearer from-a-file' }]]));
    expect(second).toMatchObject({
      isInClear: true,
      caller: { credential: 'ws@Beta', roles: new Set(['recurring:list']) },
    });
    expect(second!.caller.grants).toEqual(new Map([['merchantAccount', new Set(['B'])]]));
    expect(plan(mapped).plan!.callers).toEqual([]);
  });

  test.each<[string, unknown, RegExp | readonly RegExp[]]>([
    ['no list', {}, /^callers is no list of up to 1000 callers\.$/],
    ['too many', Array.from({ length: 1_001 }, () => caller), /up to 1000/],
    ['no object', ['acme'], /^callers\[0\] is not an object\.$/],
    ['nothing', [{}], [/name is missing/, /tenant is missing/, /roles is missing/, /needs one of apiKey and basic/]],
    ['a name of a stored credential', [{ ...caller, name: 'cr_1' }], /name is no name/],
    ['a line break in a name', [{ ...caller, name: 'a\nb' }], /name is no name/],
    ['a secret as a text', [{ ...caller, apiKey: 'secret' }], /apiKey is a text: name its place/],
    ['two secrets', [{ ...caller, basic: {} }], /needs one of apiKey and basic/],
    ['a secret that is not set', [{ ...caller, apiKey: { env: 'OTHER' } }], /names OTHER, which is not set/],
    ['a colon', [{ ...caller, apiKey: undefined, basic: { username: 'a:b', password: { inClear: 'x' } } }], /colon/],
    ['an unknown role', [{ ...caller, roles: ['root'] }], /roles has root, which no service has/],
    ['no roles', [{ ...caller, roles: 'merchant' }], /roles is no list of texts/],
    ['an unknown grant', [{ ...caller, grants: { shop: ['A'] }, roles: ['recurring'] }], /shop is not known/],
    ['an unknown upstream', [{ ...caller, upstreams: { crm: {} } }], /upstreams\.crm is no upstream with credentials/],
    ['a token', [{ ...caller, upstreams: { erp: { oauth2: {} } } }], [/tokenUrl/, /clientId/, /clientSecret/]],
    ['one name twice', [caller, { ...caller, apiKey: { inClear: 'x' } }], /two of them have one name/],
    ['one secret twice', [caller, { ...caller, name: 'other' }], /two of them have one secret/],
    ['a misspelt member', [{ ...caller, role: [] }], /role is not known: did you mean roles\?/],
  ])('%s', (_, callers, expected) => {
    const faults = faultsOf(callers);
    const patterns = expected instanceof RegExp ? [expected] : expected;
    expect(faults).toHaveLength(patterns.length);
    for (const [at, pattern] of patterns.entries()) expect(faults[at]).toMatch(pattern);
  });

  test('are not asked for where upstreams decide', () => {
    const everything = { upstreams: { erp }, answeredBy: { Recurring: 'erp', BalancePlatform: 'erp' } };
    expect(faultsOf([caller], everything)).toEqual([expect.stringContaining('callers are not asked for')]);
    expect(faultsOf([caller], { upstreams: { erp }, answeredBy: { Recurring: 'erp' } })).toEqual([]);
  });
});

describe('which upstream answers', () => {
  test('a service, but for one operation', () => {
    const { plan: planned, faults } = plan({
      upstreams: { erp, cards: erp },
      answeredBy: { Recurring: 'erp', 'Recurring.disable': 'builtIn', 'Recurring.storeToken': 'cards' },
    });
    expect(faults).toEqual([]);
    const answers = ['listRecurringDetails', 'disable', 'storeToken'].map((name) =>
      planned!.upstreamOf('Recurring', name),
    );
    expect(answers).toEqual(['erp', undefined, 'cards']);
    expect(planned!.upstreamOf('BalancePlatform', 'getAccountHolder')).toBeUndefined();
    expect(planned!.answersEverything).toBe(false);
  });

  test('an operation with a dot in its name', async () => {
    const file = join(import.meta.dirname, '../wsdl/ledger.wsdl');
    const { service } = await importWsdl(file, { allowNetwork: false });
    const ledger = createService({ contract: service, answeredBy: 'erp' }, new Map());
    const answers = (name: string) =>
      plan({ upstreams: { erp, shop: erp }, answeredBy: { [name]: 'shop', Recurring: 'shop' } }, [ledger]);
    const { plan: planned, faults } = answers('Ledger.List.Entries');
    expect(faults).toEqual([]);
    expect(['Post', 'List.Entries'].map((name) => planned?.upstreamOf('Ledger', name))).toEqual(['erp', 'shop']);
    expect(answers('Ledger.List.Entrys').faults).toEqual([
      'answeredBy.Ledger.List.Entrys: Ledger has no operation List.Entrys; did you mean List.Entries?',
    ]);
  });

  test("the operations of a service of one's own that have no handler; the configuration overrides it", () => {
    const own = ordersV1.answeredBy('erp', {
      getOrder: async ({ input }) => ({ ...input, item: 'Bicycle', quantity: 1 }),
    });
    const answers = (parts: object) => {
      const { plan: planned, faults } = plan({ upstreams: { erp, shop: erp }, ...parts }, [own]);
      return planned === undefined
        ? faults
        : ['getOrder', 'placeOrder'].map((name) => planned.upstreamOf('Orders', name));
    };
    expect(answers({ answeredBy: { Recurring: 'shop' } })).toEqual([undefined, 'erp']);
    expect(answers({ answeredBy: { Orders: 'shop', Recurring: 'erp' } })).toEqual(['shop', 'shop']);
    expect(
      answers({ answeredBy: { 'Orders.placeOrder': 'builtIn', Recurring: 'shop', BalancePlatform: 'erp' } }),
    ).toEqual(['Orders.placeOrder has no handler: let an upstream answer it.']);
  });

  test('in the form adapter only where the contract has its address', () => {
    const form = { ...erp, format: 'adapter' };
    expect(plan({ upstreams: { form }, answeredBy: { Recurring: 'form' } }).faults).toEqual([
      `upstreams.form.format is adapter, and version ${newestRecurring.version} of Recurring has no address for it: choose another format.`,
    ]);
    const own = ordersV1.answeredBy('form');
    expect(plan({ upstreams: { form } }, [own]).faults).toEqual([]);
  });

  test('everything', () => {
    const answeredBy = Object.fromEntries(services.map(({ name }) => [name, 'erp']));
    const { plan: planned } = plan({ upstreams: { erp }, answeredBy });
    expect(planned!.answersEverything).toBe(true);
  });
});

test('secrets come from variables and files, and are not described', () => {
  const { plan: planned, faults } = plan({
    upstreams: {
      erp: { ...erp, credentials: { apiKey: { env: 'ERP_KEY' }, header: 'X-Erp-Key' }, tls: { caFile: pem } },
      crm: { ...erp, url: 'https://crm.example.com/api/', credentials: { bearer: { file: secretFile } } },
      old: {
        url: 'http://127.0.0.1:8081',
        format: 'soap11',
        credentials: { basic: { username: 'ws', password: { inClear: 'a:b' } } },
        idempotency: 'header',
        idempotencyHeader: 'X-Request-Key',
      },
    },
    answeredBy: { Recurring: 'erp', 'Recurring.disable': 'crm', BalancePlatform: 'old' },
  });
  expect(faults).toEqual([]);
  expect(planned!.upstreams.map(({ url, credentials, key }) => ({ url, credentials, key }))).toEqual([
    {
      url: 'https://erp.example.com',
      credentials: { kind: 'fixed', headers: { 'x-erp-key': 'from-a-variable' }, source: 'ERP_KEY, environment' },
    },
    {
      url: 'https://crm.example.com/api',
      credentials: { kind: 'fixed', headers: { authorization: 'Bearer from-a-file' }, source: secretFile },
    },
    {
      url: 'http://127.0.0.1:8081',
      credentials: {
        kind: 'fixed',
        headers: { authorization: `Basic ${Buffer.from('ws:a:b').toString('base64')}` },
        source: 'in clear in the configuration',
      },
      key: { header: 'x-request-key' },
    },
  ]);
  const others = [...newestRecurring.operations.keys()]
    .filter((name) => name !== 'disable')
    .map((name) => `Recurring.${name}`);
  const described = describeUpstreams(planned!, services, 'triglyph.config.ts');
  expect(described.slice(0, 5)).toEqual([
    'upstream erp  https://erp.example.com  (json, up to 64 connections; from triglyph.config.ts)',
    `  answers      ${others.join(', ')}`,
    '  credentials  x-erp-key: (hidden)  (from ERP_KEY, environment)',
    '  retries      reads only: it does not deduplicate writes',
    '  tls          trusts caFile only',
  ]);
  expect(described).toContain('  retries      by the key in x-request-key');
  expect(described.join('\n')).not.toMatch(/from-a-|a:b|d3M6YTpi/);
});

test('every fault is reported at once, with its place', () => {
  const { faults, plan: planned } = plan(
    {
      upstreams: {
        erp: { url: 'erp.example.com', formt: 'json', credentials: 'forwards', connections: 0 },
        'a b': erp,
        builtIn: erp,
        none: 3,
        crm: {
          url: 'https://user:password@crm.example.com',
          format: 'xml',
          credentials: { bearer: 'a-secret-in-clear' },
          timeouts: { headerMs: 1, connectMs: '2' },
          idempotencyHeader: 'X-Key',
        },
        idle: { url: 'http://127.0.0.1', credentials: { apiKey: { env: 'NO_SUCH' } }, tls: { certFile: pem } },
        gone: { credentials: { basic: { username: 'a:b', password: { file: '/no/such/file', env: 'ERP_KEY' } } } },
      },
      answeredBy: { Recuring: 'erp', 'Recurring.disabel': 'crm', Recurring: 'epr', Orders: 'gone' },
    },
    [{ ...orders, definition: { ...orders.definition, answeredBy: 'nowhere' } }],
  );
  expect(planned).toBeUndefined();
  expect(faults).toEqual([
    'upstreams.erp.formt is not known: did you mean format?',
    'upstreams.erp.url is no address: give http:// or https:// with a host, like https://erp.example.com/api.',
    `upstreams.erp.credentials is "forwards": give 'forward', 'mapped', 'none', or one of basic, apiKey, bearer and oauth2.`,
    'upstreams.erp.connections is 0: give a whole number from 1 to 10000.',
    'upstreams.a b: a name has 1 to 40 letters, digits, _ and -, a letter first.',
    'upstreams.builtIn: builtIn stands for the handlers of this program: give another name.',
    'upstreams.none is not an object.',
    'upstreams.crm.url holds user and password: give them in credentials.basic.',
    `upstreams.crm.format is "xml": give one of ${namedProtocols.join(', ')}.`,
    'upstreams.crm.credentials.bearer is a text: name its place, { env: ... } or { file: ... }, or give { inClear: ... }.',
    'upstreams.crm.timeouts.headerMs is not known: did you mean headersMs?',
    'upstreams.crm.timeouts.connectMs is "2": give a whole number from 10 to 600000.',
    `upstreams.crm.idempotencyHeader is given without idempotency: 'header', so no header has a key: add it, or leave both out.`,
    'upstreams.idle.credentials.apiKey.env names NO_SUCH, which is not set.',
    'upstreams.idle.tls needs both certFile and keyFile for a certificate of the gateway.',
    'upstreams.idle.tls is given, and the address is plain http: give an https address.',
    'upstreams.gone.url is missing: give the address of the upstream, like https://erp.example.com.',
    'upstreams.gone.credentials.basic.password needs one of env, file and inClear.',
    'answeredBy.Recuring: no service has the name Recuring; did you mean Recurring?',
    'answeredBy.Recurring.disabel: Recurring has no operation disabel; did you mean disable?',
    'answeredBy.Recurring is "epr", which is no upstream; did you mean erp?',
    'Orders is answered by nowhere, which is no upstream; there are erp, a b, builtIn, none, crm, idle, gone',
  ]);
});

test('an upstream that answers nothing', () => {
  expect(plan({ upstreams: { erp, crm: erp }, answeredBy: { Recurring: 'erp' } }).faults).toEqual([
    'upstreams.crm answers nothing: name it in answeredBy, or remove it.',
  ]);
});

test('members of the wrong kind', () => {
  expect(plan({ upstreams: [], answeredBy: 'erp' }).faults).toEqual([
    'upstreams is not an object.',
    'answeredBy is not an object.',
  ]);
  expect(plan({ answeredBy: { Recurring: 'erp' } }).faults).toEqual([
    'answeredBy.Recurring is "erp", and there are no upstreams: declare it in upstreams.',
  ]);
});

test('ENVIRONMENT=live refuses a plain address on another machine', () => {
  const config = readConfig('production', {
    TRIGLYPH_KEYS: 'ring',
    DATA_DIR: folder.path,
    ENVIRONMENT: 'live',
    HOST: '127.0.0.1',
    PUBLIC_URL: 'https://pay.example.com',
  });
  const faultsAt = (url: string, more: object = {}) =>
    productionFaults(config, {
      plan: plan({ upstreams: { erp: { ...erp, url, ...more } }, answeredBy: { Recurring: 'erp' } }).plan!,
    });
  expect(faultsAt('https://erp.example.com')).toEqual([]);
  expect(faultsAt('http://127.0.0.1:8081')).toEqual([]);
  expect(faultsAt('http://erp.example.com')).toEqual([
    'upstreams.erp.url is plain http while ENVIRONMENT is live: give its https address, or one on this machine.',
  ]);
  const oauth2 = { tokenUrl: 'http://login.example.com', clientId: 'c', clientSecret: { env: 'ERP_KEY' } };
  expect(faultsAt('https://erp.example.com', { credentials: { oauth2 } })).toEqual([
    'upstreams.erp.credentials.oauth2.tokenUrl is plain http while ENVIRONMENT is live: give its https address, or one on this machine.',
  ]);
});

test('client credentials: what is wrong with them, and their description without the secret', () => {
  const oauth2 = (members: object) =>
    plan({ upstreams: { erp: { ...erp, credentials: { oauth2: members } } }, answeredBy: { Recurring: 'erp' } });
  expect(
    oauth2({ tokenUrl: 'login', clientSecret: 'clear', sentIn: 'head', scopes: 'a', parameters: { scope: 'a', b: 1 } })
      .faults,
  ).toEqual([
    'upstreams.erp.credentials.oauth2.scopes is not known: did you mean scope?',
    'upstreams.erp.credentials.oauth2.tokenUrl is no address: give http:// or https:// with a host, like https://erp.example.com/api.',
    'upstreams.erp.credentials.oauth2.clientId is missing.',
    'upstreams.erp.credentials.oauth2.clientSecret is a text: name its place, { env: ... } or { file: ... }, or give { inClear: ... }.',
    'upstreams.erp.credentials.oauth2.sentIn is "head": give one of basic, body.',
    'upstreams.erp.credentials.oauth2.parameters.scope is sent by the gateway itself.',
    'upstreams.erp.credentials.oauth2.parameters.b is not a text.',
  ]);
  const clientSecret = { file: secretFile };
  const { plan: planned } = oauth2({ tokenUrl: 'https://login.example.com/token', clientId: 'gateway', clientSecret });
  const described = describeUpstreams(planned!, services, 'here').join('\n');
  expect(described).toContain('tokens of https://login.example.com/token for the client gateway');
  expect(described).not.toContain('from-a-file');
});

describe('look-ups of outcomes', () => {
  const byNumber = {
    by: 'Orders.getOrder',
    input: { shop: 'shop', number: 'number' },
    output: { status: { value: 'placed' } },
    notFound: ['1002'],
    notFoundAfterMs: 60_000,
  };
  const faultsOf = (lookups: object, options: object = {}) =>
    plan({ upstreams: { erp: { ...erp, lookups, ...options } } }, [ordersV1.answeredBy('erp')]).faults;
  const withLookup = (parts: object, options: object = {}) =>
    faultsOf({ 'Orders.placeOrder': { ...byNumber, ...parts } }, options);

  test('that of docs/upstreams.md fits the orders of the examples', () => {
    const guide = readFileSync(join(import.meta.dirname, '../../docs/upstreams.md'), 'utf8');
    const [, text = ''] = /^```json triglyph\.config\.json\n([\s\S]*?)\n```$/m.exec(guide) ?? [];
    const known = new VariableSources({ name: 'environment', variables: { SHOP_KEY: 'from-a-variable' } });
    const served = [...builtInServices, ordersV1.answeredBy('shop')];
    const { faults, plan: planned } = planUpstreams(JSON.parse(text) as UpstreamParts, served, known);
    expect(faults).toEqual([]);
    expect(planned?.upstreams[0]?.lookups).toMatchObject([{ notFound: ['1002'], arrivesWithinMs: 60_000 }]);
  });
  test('one that fits the contracts is described', () => {
    const served = [ordersV1.answeredBy('erp')];
    const lookups = { 'Orders.placeOrder': byNumber };
    const { faults, plan: planned } = plan({ upstreams: { erp: { ...erp, lookups } } }, served);
    expect(faults).toEqual([]);
    expect(describeUpstreams(planned!, [ordersV1], 'triglyph.config.ts')).toContain(
      '  look-up      Orders.placeOrder by Orders.getOrder, by retries of callers alone; not found after 60000 ms counts',
    );
  });
  test.each<[string, readonly string[], string]>([
    ['an unknown write', faultsOf({ 'Orders.placeOrdr': byNumber }), 'there is no operation Orders.placeOrdr'],
    ['a read', faultsOf({ 'Orders.getOrder': byNumber }), 'it reads, so its outcome is never unknown'],
    ['a look-up that writes', withLookup({ by: 'Orders.placeOrder' }), 'which may change something'],
    ['a look-up of another upstream', withLookup({ by: 'Recurring.listRecurringDetails' }), 'is answered by another'],
    ['input that is missing', withLookup({ input: { shop: 'shop' } }), '.input lacks number'],
    ['input of the request that is unknown', withLookup({ input: { shop: 'shp', number: 'number' } }), 'shop is shp'],
    [
      'input of the look-up that is unknown',
      withLookup({ input: { ...byNumber.input, id: 'shop' } }),
      '.input.id is no',
    ],
    [
      'another kind',
      withLookup({ input: { shop: 'shop', number: 'quantity' } }),
      'has kind string, and quantity kind integer',
    ],
    ['output that is missing', withLookup({ output: {} }), '.output lacks status'],
    ['a place without anything', withLookup({ found: 'order' }), 'has no such object'],
    ['a condition of nothing', withLookup({ done: { state: 'placed' } }), '.done.state is no single value'],
    ['a key that is not sent', withLookup({ input: { shop: 'shop', number: { key: true } } }), 'without lookupHeader'],
    ['a status of success', withLookup({ notFound: [200] }), 'is no list of statuses'],
    ['a server that deduplicates', withLookup({}, { idempotency: 'header' }), 'leave one out'],
    ['a member that is not known', withLookup({ notFoundMs: 1 }), 'notFoundMs is not known'],
    [
      'a header alone',
      plan({ upstreams: { erp: { ...erp, lookupHeader: 'X-Key' } }, answeredBy: { Recurring: 'erp' } }).faults,
      'without lookups',
    ],
  ])('refused: %s', (_, faults, text) => {
    expect(faults.join('\n')).toContain(text);
  });
});
