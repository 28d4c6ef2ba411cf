/** Tests the configuration of upstreams: which one answers what, their secrets, and every fault at once. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ordersV1 } from '../../examples/orders/contract.ts';
import { orders } from '../../examples/orders/orders.ts';
import type { GatewayService } from '../../src/backend/define-service.ts';
import { productionFaults } from '../../src/backend/production-checks.ts';
import { describeUpstreams } from '../../src/backend/upstreams/describe.ts';
import { planUpstreams, type UpstreamParts } from '../../src/backend/upstreams/plan.ts';
import { VariableSources } from '../../src/config/variable-sources.ts';
import { builtInServices, services } from '../../src/services/index.ts';
import { newestRecurring } from '../../src/services/recurring/contract.ts';
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
    `upstreams.erp.credentials is "forwards": give 'forward', 'mapped', 'none', or one of basic, apiKey and bearer.`,
    'upstreams.erp.connections is 0: give a whole number from 1 to 10000.',
    'upstreams.a b: a name has 1 to 40 letters, digits, _ and -, a letter first.',
    'upstreams.builtIn: builtIn stands for the handlers of this program: give another name.',
    'upstreams.none is not an object.',
    'upstreams.crm.url holds user and password: give them in credentials.basic.',
    'upstreams.crm.format is "xml": give one of soap11, soap12, json, form, adapter.',
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
    'Orders is answered by nowhere, which is no upstream; did you mean erp or a b or builtIn or none or crm or idle or gone or builtIn?',
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
  const faultsAt = (url: string) =>
    productionFaults(config, {
      plan: plan({ upstreams: { erp: { ...erp, url } }, answeredBy: { Recurring: 'erp' } }).plan!,
    });
  expect(faultsAt('https://erp.example.com')).toEqual([]);
  expect(faultsAt('http://127.0.0.1:8081')).toEqual([]);
  expect(faultsAt('http://erp.example.com')).toEqual([
    'upstreams.erp.url is plain http while ENVIRONMENT is live: give its https address, or one on this machine.',
  ]);
});
