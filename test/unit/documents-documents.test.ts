/** Tests the documents that the server serves and those in the repository. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, jest, test } from '@jest/globals';
import { XMLParser } from 'fast-xml-parser';
import { type Operation, operation } from '../../src/core/contract/operation.ts';
import { binary, map, type ObjectSchema, object, optional, required, string } from '../../src/core/contract/schema.ts';
import type { Service } from '../../src/core/contract/service.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { committedDocuments } from '../../src/documents/committed.ts';
import { createDocuments } from '../../src/documents/documents.ts';
import { services } from '../../src/payments/index.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { platformResources } from '../resources/index.ts';
import { madeUpService } from '../support/made-up-service.ts';

const documents = createDocuments(services);
const origin = 'http://127.0.0.1:8080';
const home = '/pal/servlet/Recurring/v25';

const root = join(import.meta.dirname, '../..');

describe('the committed documents', () => {
  test.each(committedDocuments(services, Object.values(createProtocols(services))))(
    '$path is current',
    ({ path, text }) => {
      expect(readFileSync(join(root, path), 'utf8')).toBe(text);
    },
  );

  test.each(platformResources.map(({ api }) => [api.kind.name, api] as const))(
    'the reference has each transition of a status, with a reason: %s',
    (name, { moves }) => {
      const file = `docs/reference/balance-platform/update${name.charAt(0).toUpperCase()}${name.slice(1)}.md`;
      const [, section = ''] = readFileSync(join(root, file), 'utf8').split(/^## (?:Transitions|Response)$/m);
      const rows = [...section.matchAll(/^\| `(\w+)` \| (?:`(\w+)`|nothing) \| [A-Z].+\. \|$/gm)];
      const accepted = Object.entries(moves).flatMap(([from, outcomes]) => {
        const next = Object.entries(outcomes).filter(([, outcome]) => outcome === 'moves');
        return next.length === 0 ? [[from, undefined]] : next.map(([to]) => [from, to]);
      });
      expect(rows.map(([, from, to]) => [from, to]).sort()).toEqual(accepted.sort());
    },
  );
});

describe('a second version of a service', () => {
  const older: Service = recurringV25;
  const changed = older.operations.get('storeToken')!;
  const { input, output } = changed;
  const colour = { colour: optional(string({ example: 'red' }), 'The colour of the card.') };
  const options = { tolerated: input.ignoredMembers, choices: input.choices };
  const widened: Operation = {
    ...changed,
    input: object(input.name, { ...input.fields, ...colour }, options),
    output: object(output.name, { ...output.fields, ...colour }),
  };
  const newer = {
    ...older,
    version: 30,
    answers: { from: 30, to: 68 },
    operations: new Map(older.operations).set('storeToken', widened),
  };
  const both = [older, newer];
  const names = [...older.operations.keys()];
  const committed = committedDocuments(both, Object.values(createProtocols(both)));
  const textOf = (path: string) => committed.find((each) => each.path === path)!.text;

  test('has its own files, and the reference is that of the newest version', () => {
    const paths = committed.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    expect(textOf('wsdl/Recurring-v25-recurring.xsd')).not.toContain('colour');
    expect(textOf('wsdl/Recurring-v30-recurring.xsd')).toContain('name="colour"');
    expect(textOf('wsdl/Recurring-v30-payment.xsd')).toContain('schemaLocation="Recurring-v30-recurring.xsd"');
    expect(textOf('docs/reference/storeToken.md')).toContain('/pal/servlet/Recurring/v30/storeToken');
    expect(textOf('docs/reference/README.md')).toContain(
      '| `v30` to `v68` | Request of storeToken: `colour`. Response of storeToken: `colour`. |',
    );
    const links = [...textOf('docs/reference/README.md').matchAll(/\]\((.*?)\)/g)].map(([, file]) => file!);
    expect(links).toHaveLength(names.length);
    for (const file of links) expect(paths).toContain(`docs/reference/${file}`);
  });

  test.each([
    ['/pal/servlet/Recurring/v29', false],
    ['/pal/servlet/Recurring/v30', true],
    ['/pal/servlet/Recurring/v68', true],
    // The oldest version with the address.
    ['/pal/servlet/soap/Recurring', false],
  ])('is the contract of %s: %s', (path, isNewer) => {
    expect(createDocuments(both).find(path, 'wsdl', origin)!.body.includes('name="colour"')).toBe(isNewer);
  });

  test.each([
    ['/openapi.json', 30],
    ['/pal/servlet/Recurring/v30/openapi.json', 30],
    ['/pal/servlet/Recurring/V68/openapi.json', 30],
    ['/pal/servlet/Recurring/v25/openapi.json', 25],
    ['/pal/servlet/Recurring/v29/openapi.json', 25],
  ])('%s is the OpenAPI of version %i', (address, version) => {
    const { body } = createDocuments(both).find(address, '', origin)!;
    const { paths, tags, components, servers } = JSON.parse(body);
    expect(Object.keys(paths)).toEqual(names.map((name) => `/pal/servlet/Recurring/v${version}/${name}`));
    expect(tags).toHaveLength(1);
    expect(servers).toEqual([{ url: origin }]);
    const { $ref } =
      paths[`/pal/servlet/Recurring/v${version}/storeToken`].post.requestBody.content['application/json'].schema;
    const { properties } = components.schemas[$ref.split('/').at(-1)];
    expect(Object.hasOwn(properties, 'colour')).toBe(version === 30);
    if (address === '/openapi.json')
      expect(textOf('openapi.json')).toBe(body.replaceAll(origin, 'https://gateway.example'));
  });
});

describe('the bindings of a WSDL document', () => {
  const bindingsOf = (path: string, query: string, options = {}) => {
    const { body } = createDocuments(services, options).find(path, query, origin)!;
    return [...body.matchAll(/<wsdl:port name="RecurringHttpPort(12|)"/g)].map(([, suffix]) => suffix || '11');
  };
  const old = '/pal/servlet/soap/Recurring';

  test.each<readonly [path: string, query: string, bindings: readonly string[]]>([
    [home, 'wsdl', ['11', '12']],
    [home, 'wsdl&soap12=no', ['11']],
    [home, 'soap12=No&WSDL', ['11']],
    [home, 'wsdl&SOAP12=false', ['11']],
    [home, 'wsdl&soap12=yes', ['11', '12']],
    [home, 'wsdl&soap12=perhaps', ['11', '12']],
    ['/pal/servlet/Recurring/v68', 'wsdl&soap12=no', ['11']],
    ...['v1', 'v12', 'v13', 'v24'].map((version) => [`/pal/servlet/Recurring/${version}`, 'wsdl', ['11']] as const),
    ...['v26', 'v39', 'v40', 'v67'].map(
      (version) => [`/pal/servlet/Recurring/${version}`, 'wsdl', ['11', '12']] as const,
    ),
    ['/pal/servlet/Recurring/v12', 'wsdl&soap12=yes', ['11', '12']],
    [old, 'wsdl', ['11']],
    [old, 'wsdl&soap12=true', ['11', '12']],
    ['/pal/Recurring.wsdl', '', ['11']],
    ['/pal/Recurring.wsdl', 'soap12=yes', ['11', '12']],
  ])('%s?%s: %j', (path, query, bindings) => {
    expect(bindingsOf(path, query)).toEqual(bindings);
  });

  test('the setting decides for callers that do not say', () => {
    const off = { wsdlSoap12: false };
    expect(bindingsOf(home, 'wsdl', off)).toEqual(['11']);
    expect(bindingsOf(home, 'wsdl&soap12=yes', off)).toEqual(['11', '12']);
    expect(bindingsOf(old, 'wsdl', { wsdlSoap12: true })).toEqual(['11']);
  });

  test('a document with one binding names no other version of SOAP', () => {
    const single = documents.find(home, 'wsdl&soap12=no', origin)!;
    expect(single.body).not.toContain('soap12');
    expect(single.etag).not.toBe(documents.find(home, 'wsdl', origin)!.etag);
  });

  test.each(['soap', 'soap12'])('%s binds the fault of every operation', (prefix) => {
    const { body } = documents.find(home, 'wsdl', origin)!;
    const faults = body.match(new RegExp(`<${prefix}:fault name="ServiceException" use="literal"/>`, 'g'));
    expect(faults).toHaveLength(recurringV25.operations.size);
  });

  test('the service, its operations and the elements of records have documentation', () => {
    const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '@', parseTagValue: false });
    const { 'wsdl:portType': portType, 'wsdl:service': bound } = parser.parse(
      documents.find(home, 'wsdl', origin)!.body,
    )['wsdl:definitions'];
    expect(bound['wsdl:documentation']).toBe(recurringV25.doc);
    const docs = portType['wsdl:operation'].map((each: Record<string, string>) => each['wsdl:documentation']);
    expect(docs.sort()).toEqual([...recurringV25.operations.values()].map(({ doc }) => doc).sort());
    const schema = documents.find(home, 'xsd=payment', origin)!.body;
    const number = schema.slice(schema.indexOf('name="number"'));
    expect(number.slice(0, number.indexOf('<xsd:simpleType'))).toContain(
      '<xsd:documentation>The card number, digits only. The last four digits.</xsd:documentation>',
    );
  });
});

describe('the addresses of documents', () => {
  const located = (path: string, query: string) =>
    /address location="([^"]*)"/.exec(documents.find(path, query, origin)?.body ?? '')?.[1];

  test.each([
    [home, 'wsdl', `${origin}${home}`],
    [home, 'WSDL', `${origin}${home}`],
    [home, 'singleWsdl', `${origin}${home}`],
    [home, 'wsdl=', `${origin}${home}`],
    ['/pal/servlet/Recurring/V25/', 'wsdl', `${origin}${home}`],
    ['/pal/servlet/Recurring/v68', 'wsdl', `${origin}/pal/servlet/Recurring/v68`],
    ['/pal/servlet/soap/Recurring', 'wsdl', `${origin}/pal/servlet/soap/Recurring`],
    ['/pal/Recurring.wsdl', '', `${origin}/pal/servlet/soap/Recurring`],
    [home, '', undefined],
    [home, 'xsd=unknown', undefined],
    ['/pal/servlet/Recurring/v12', 'wsdl', `${origin}/pal/servlet/Recurring/v12`],
    ['/pal/servlet/Recurring/v1', 'wsdl', `${origin}/pal/servlet/Recurring/v1`],
    ['/pal/servlet/Recurring/v0', 'wsdl', undefined],
    ['/pal/servlet/Recurring/v012', 'wsdl', undefined],
    ['/pal/servlet/Recurring/v9999', 'wsdl', undefined],
    ['/pal/servlet/Payment/v25', 'wsdl', undefined],
    ['/pal/Payment.wsdl', '', undefined],
    ['/pal/adapter/httppost', 'wsdl', undefined],
    [`${home}/disable`, 'wsdl', undefined],
  ])('%s?%s calls %s', (path, query, address) => {
    expect(located(path, query)).toBe(address);
  });

  test('both ports of the WSDL have the address, SOAP 1.1 first', () => {
    const { body } = documents.find(home, 'wsdl', origin)!;
    const ports = [
      ...body.matchAll(/<wsdl:port name="(\w+)" binding="tns:(\w+)">\s*<(\w+):address location="([^"]*)"/g),
    ];
    expect(ports.map(([, ...parts]) => parts)).toEqual([
      ['RecurringHttpPort', 'RecurringHttpBinding', 'soap', origin + home],
      ['RecurringHttpPort12', 'RecurringHttpBinding12', 'soap12', origin + home],
    ]);
  });

  test('a schema imports the others from its own address', () => {
    const { body, contentType } = documents.find(home, 'XSD=Payment', origin)!;
    expect(contentType).toBe('text/xml; charset=utf-8');
    expect(body).toContain('targetNamespace="http://payment.services.adyen.com"');
    expect(body).toContain(`schemaLocation="${origin}${home}?xsd=recurring"`);
  });

  test('OpenAPI contains the origin', () => {
    const { body, contentType } = documents.find('/openapi.json', '', origin)!;
    expect(contentType).toBe('application/json; charset=utf-8');
    expect(JSON.parse(body).servers).toEqual([{ url: origin }]);
  });

  test('OpenAPI of the balance platform is at its own path and contains the origin', () => {
    const all = createDocuments(services);
    const { body, contentType } = all.find('/bcl/openapi.json', '', origin)!;
    expect(contentType).toBe('application/json; charset=utf-8');
    const { servers, paths } = JSON.parse(body);
    expect(servers).toEqual([{ url: `${origin}/bcl/v2` }]);
    const calls = Object.entries<object>(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(calls.sort()).toEqual(
      ['get /balancePlatforms/{id}', ...platformResources.flatMap(({ api }) => api.calls)].sort(),
    );
    expect(createDocuments([recurringV25]).find('/bcl/openapi.json', '', origin)).toBeUndefined();
  });

  test('a malicious host cannot inject into the document', () => {
    const { body } = documents.find(home, 'wsdl', 'http://a"/><x y=\'&')!;
    const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '@', parseTagValue: false });
    expect(parser.parse(body)['wsdl:definitions']['wsdl:service']['wsdl:port'][0]['soap:address']['@location']).toBe(
      `http://a"/><x y='&${home}`,
    );
    expect(body).not.toContain('<x y');
  });

  test('the ETag depends on document and origin only, however many were requested', () => {
    const first = documents.find(home, 'wsdl', origin)!;
    for (let at = 0; at < 300; at++) documents.find(home, 'wsdl', `http://host-${at}.example`);
    expect(documents.find(home, 'wsdl', origin)).toEqual(first);
    expect(documents.find(home, 'wsdl', 'http://other.example')!.etag).not.toBe(first.etag);
    expect(first.etag).toMatch(/^"[\w-]{43}"$/);
  });

  test('two documents at one origin have two ETags', () => {
    const paths = ['/openapi.json', `${home}/openapi.json`, '/bcl/v2/openapi.json'];
    expect(new Set(paths.map((path) => documents.find(path, '', origin)!.etag)).size).toBe(paths.length);
  });

  describe('a made-up origin', () => {
    /** Counts how often the description of a service is read, as each derivation does. */
    function count() {
      let derived = 0;
      const counted: Service = {
        ...recurringV25,
        get doc() {
          derived += 1;
          return recurringV25.doc;
        },
      };
      return { documents: createDocuments([counted]), derived: () => derived };
    }
    const askAll = ({ find, findPage }: ReturnType<typeof createDocuments>, at: string) => [
      find(home, 'wsdl', at)!.body,
      find(home, 'wsdl&soap12=no', at)!.body,
      find('/openapi.json', '', at)!.body,
      find(`${home}/openapi.json`, '', at)!.body,
      findPage('/', at)!.body,
    ];

    test('derives nothing anew, and stands in each document', () => {
      const { documents, derived } = count();
      askAll(documents, origin);
      const before = derived();
      expect(before).toBeGreaterThan(0);
      for (let at = 0; at < 100; at++)
        for (const body of askAll(documents, `http://host-${at}.example`)) {
          expect(body).toContain(`http://host-${at}.example`);
          expect(body).not.toContain('urn:address-of-the-service');
        }
      expect(derived()).toBe(before);
    });

    test('control: another set of documents is derived', () => {
      const { documents, derived } = count();
      expect(derived()).toBe(0);
      askAll(documents, origin);
      expect(derived()).toBeGreaterThan(0);
    });
  });
});

describe('a large service', () => {
  /** Objects of `depth` levels, each of which has the next one twice: its pairs have 2 ** depth names. */
  const nested = (depth: number): ObjectSchema => {
    const code = { code: optional(string({ example: 'a' }), 'x'.repeat(200)) };
    if (depth === 0) return object('Level0', code);
    const inner = nested(depth - 1);
    return object(`Level${depth}`, { ...code, left: optional(inner, ''), right: optional(inner, '') });
  };
  const large = (depth: number, operations: number, doc = '') =>
    madeUpService(
      'Large',
      ...Array.from({ length: operations }, (_, at) =>
        operation({
          ...{ name: `call${at}`, doc, effect: 'reads', role: 'r', problems: [] },
          input: object(`Call${at}`, { top: optional(nested(depth), '') }),
          output: object(`Done${at}`, { top: optional(nested(depth), '') }),
        }),
      ),
    );
  const turnsOf = async <T>(work: Promise<T>): Promise<readonly [T, number]> => {
    let turns = 0;
    const count = (): void => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const result = await work;
    clearImmediate(timer);
    return [result, turns];
  };

  test('has a document that names each object and each response once', () => {
    const sizeOf = (depth: number, operations: number) =>
      createDocuments([large(depth, operations)]).find('/openapi.json', '', origin)!.body.length;
    expect(sizeOf(14, 20)).toBeLessThan(200_000);
    const [one, two] = [sizeOf(5, 20), sizeOf(5, 40)];
    // An operation costs its own members alone.
    expect((two - one) / 20).toBeLessThan(3_000);
  });

  test.each([
    ['/openapi.json', ''],
    ['/large/v1', 'wsdl'],
  ])('%s?%s is derived once, while other work runs', async (path, query) => {
    const documents = createDocuments([large(14, 60)]);
    // Each step takes longer than a slice, on any machine.
    let time = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => (time += 10));
    const asked = Promise.all([1, 2].map(() => documents.findInSteps(path, query, origin)));
    const [[first, second], turns] = await turnsOf(asked);
    expect(first).toEqual(second);
    expect(first).toEqual(createDocuments([large(14, 60)]).find(path, query, origin));
    // No step is larger than an operation.
    expect(turns).toBeGreaterThanOrEqual(60);
    // Control: what is known takes no further turn.
    expect((await turnsOf(documents.findInSteps(path, query, origin)))[1]).toBeLessThan(3);
  });

  test('is described by operation, which an index names', async () => {
    const huge = large(2, 300, 'x'.repeat(20_000));
    const all = createDocuments([huge]);
    const { body } = (await all.findInSteps('/openapi.json', '', origin))!;
    expect(body.length).toBeLessThan(10_000_000);
    const { post } = JSON.parse(body).paths['/large/v1/call7'];
    expect(post.externalDocs.url).toBe(`${origin}/openapi.json?operation=call7`);
    const single = JSON.parse(all.find('/openapi.json', 'operation=call7', origin)!.body);
    expect(Object.keys(single.paths)).toEqual(['/large/v1/call7']);
    expect(single.components.schemas).toHaveProperty('Level2');
    expect(all.find('/openapi.json', 'operation=unknown', origin)).toBeUndefined();
  });
});

describe('operations at the paths of their upstreams', () => {
  const text = string({ example: 'a' });
  const document = (options = {}, older = false) => {
    const getItem = operation({
      ...{ name: 'getItem', doc: 'Returns an item.', effect: 'reads', role: 'r', problems: [] },
      input: object('GetItem', {
        itemId: required(text, ''),
        traceIn: optional(text, 'The trace.'),
        session: optional(text, ''),
        filter: optional(object('Filter', { min: optional(text, '') }), ''),
        where: optional(map(5, { a: 'b' }), ''),
      }),
      output: object('Item', {
        title: optional(text, '', { json: 'the-title' }),
        left: optional(text, 'What is left.'),
      }),
      upstream: {
        method: 'GET',
        path: '/items/{itemId}',
        parameters: {
          itemId: { in: 'path', name: 'item-id' },
          traceIn: { in: 'header', name: 'X-Trace' },
          session: { in: 'cookie' },
          filter: { in: 'query', style: 'deepObject' },
          where: { in: 'query', style: 'json' },
        },
        answer: { headers: { left: 'X-Left' } },
      },
    });
    const putItem = operation({
      ...{ name: 'putItem', doc: 'Changes an item.', effect: 'writes', role: 'r', problems: [] },
      input: object('PutItem', {
        id: required(text, ''),
        title: optional(text, '', { json: 'the-title' }),
        file: optional(binary({ max: 9, example: 'YQ==' }), 'The file.'),
      }),
      output: object('Done', {}),
      upstream: {
        method: 'PUT',
        path: '/items/{id}',
        parameters: { id: { in: 'path' } },
        body: { type: 'multipart/form-data', optional: true },
      },
    });
    const served = { ...madeUpService('Shop', getItem, putItem), paths: '/api' };
    const next = { ...served, version: 2, answers: { from: 2, to: 2 } };
    const all = createDocuments([served, next], options);
    const path = older ? '/shop/v1/openapi.json' : '/openapi.json';
    return JSON.parse(all.find(path, '', origin)!.body).paths;
  };

  test('are described with parameters, bodies and answers, under the names that are sent', () => {
    const { '/api/items/{item-id}': item } = document();
    const { get, put } = item;
    expect([get.operationId, put.operationId]).toEqual(['getItemAtPath', 'putItemAtPath']);
    expect(get.parameters).toMatchObject([
      { name: 'item-id', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'X-Trace', in: 'header', required: false, description: 'The trace.' },
      { name: 'session', in: 'cookie' },
      { name: 'filter', in: 'query', style: 'deepObject', schema: { properties: { min: { type: 'string' } } } },
      { name: 'where', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } },
    ]);
    expect(get.responses['200'].headers).toMatchObject({ 'X-Left': { description: 'What is left.' } });
    expect(Object.keys(get.responses['200'].content)).toEqual(['application/json']);
    // One path has one name for its parameter.
    expect(put.parameters).toMatchObject([
      { name: 'item-id', in: 'path' },
      { $ref: '#/components/parameters/Idempotency-Key' },
    ]);
    expect(put.requestBody).toMatchObject({
      required: false,
      content: {
        'multipart/form-data': {
          schema: {
            properties: {
              'the-title': { type: 'string' },
              file: { type: 'string', contentMediaType: 'application/octet-stream', description: 'The file.' },
            },
          },
        },
      },
    });
    expect(put.responses['204']).not.toHaveProperty('content');
    expect(put.responses['422'].$ref).toMatch('#/components/responses/UnprocessableContent');
  });

  test('are those of the newest version', () => {
    expect(Object.keys(document())).toEqual(['/shop/v2/getItem', '/shop/v2/putItem', '/api/items/{item-id}']);
    expect(Object.keys(document({}, true))).toEqual(['/shop/v1/getItem', '/shop/v1/putItem']);
  });

  test('may get no valid answer where they are forwarded', () => {
    const call = '/shop/v2/getItem';
    for (const paths of [document(), document({ isForwarded: () => true }, true)]) {
      const { post } = Object.values<Record<string, { responses: object }>>(paths)[0]!;
      expect(post!.responses).toHaveProperty('502');
    }
    expect(document({ isForwarded: () => false })[call].post.responses).not.toHaveProperty('502');
  });
});
