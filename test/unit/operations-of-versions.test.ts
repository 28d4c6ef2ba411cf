/** Services whose versions have different operations: documents, conversions, the explorer and calls. */
import { describe, expect, test } from '@jest/globals';
import { editMessage } from '../../src/console/converter/edit-message.ts';
import { createConverter } from '../../src/convert/convert.ts';
import { createMessageEditor } from '../../src/convert/draft/message-editor.ts';
import type { Caller } from '../../src/core/contract/canonical.ts';
import { olderVersion } from '../../src/core/contract/older-version.ts';
import { operation } from '../../src/core/contract/operation.ts';
import { object, optional, string } from '../../src/core/contract/schema.ts';
import { service } from '../../src/core/contract/service.ts';
import { createProtocols, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import { committedDocuments } from '../../src/documents/committed.ts';
import { createDocuments } from '../../src/documents/documents.ts';
import { implement } from '../../src/stores/handlers.ts';
import { openGateway } from '../support/gateway.ts';

const note = optional(string({ max: 40, example: 'row 4' }), 'A note.');
const fleet = <N extends string>(name: N) =>
  operation({
    ...{ name, doc: `Does ${name}.`, effect: 'reads', role: 'fleet', problems: [] },
    input: object(`${name}Request`, { note }),
    output: object(`${name}Result`, { note }),
  });
const [park, tow, lease] = [fleet('park'), fleet('tow'), fleet('lease')];

const parts = {
  ...{ name: 'Fleet', doc: 'Vehicles.', address: '/fleet', roles: ['fleet'] },
  namespaces: { own: 'fleet', uris: { fleet: 'urn:example:fleet' } },
};
const oldest = { ...parts, version: 1, answers: { from: 1, to: 1 }, legacy: { soap: '/soap/Fleet', adapter: '/form' } };
const newest = { ...parts, version: 2, answers: { from: 2, to: 2 } };

const current = service({ ...newest, operations: [park, tow] });
const older = olderVersion(current, {
  ...{ version: oldest.version, answers: oldest.answers, legacy: oldest.legacy },
  withoutOperations: ['tow'],
});
const inNewestOnly = [older, current] as const;
const inOldestOnly = [
  service({ ...oldest, operations: [park, lease] }),
  service({ ...newest, operations: [park] }),
] as const;

describe.each([
  { where: 'the newest version only', versions: inNewestOnly, only: tow, version: 2, text: 'Operations: `tow`.' },
  {
    where: 'the oldest version only',
    versions: inOldestOnly,
    only: lease,
    version: 1,
    text: 'Without Operations: `lease`.',
  },
])('an operation in $where', ({ versions, only, version, text }) => {
  const { name } = only;
  const has = (each: number) => each === version;

  test('has a page in the reference of the newest version, with the formats that carry it', () => {
    const documents = committedDocuments(versions, Object.values(createProtocols(versions)));
    const pages = new Map(documents.map((each) => [each.path, each.text]));
    expect(pages.get('docs/reference/README.md')).toContain(`| \`v2\` | ${text} |`);
    expect(pages.get('docs/reference/park.md')).toContain('### The form adapter, version 1');
    const page = pages.get(`docs/reference/${name}.md`);
    if (has(2)) expect(page).toContain('### FORM');
    else expect(page).toBeUndefined();
    expect(page ?? '').not.toContain('adapter');
  });

  test.each([1, 2])('the documents of version %i have it if the version has', (each) => {
    const documents = createDocuments(versions);
    const textOf = (path: string, query = '') => documents.find(path, query, 'https://a.example')!.body;
    expect(textOf(`/fleet/v${each}`, 'wsdl').includes(`"${name}"`)).toBe(has(each));
    expect(textOf(`/fleet/v${each}`, 'xsd=fleet').includes(`"${name}"`)).toBe(has(each));
    expect(textOf(`/fleet/v${each}/openapi.json`).includes(`/${name}"`)).toBe(has(each));
    expect(textOf('/openapi.json').includes(`/${name}"`)).toBe(has(2));
    expect(documents.findPage('/', 'https://a.example')?.body).toContain('v1 to v2');
  });

  test('its messages are converted without naming the version, and the explorer reads them', () => {
    const convert = createConverter(versions);
    const editor = createMessageEditor(versions);
    const sent = createProtocols(versions).soap11.encodeRequest(versions.find((each) => has(each.version))!, only, {
      note: 'a',
    });
    const to = namedProtocols.filter((each) => each !== 'adapter');
    const { operation: found, version: foundIn, messages } = convert({ message: sent.body, to });
    expect([found, foundIn, Object.keys(messages)]).toEqual([name, version, to]);
    const edited = editMessage({ from: 'soap11', text: sent.body }, { services: versions, editor, convert });
    expect(edited).toMatchObject({ kind: 'request', version, operation: name, issues: [] });
    expect(() => convert({ message: sent.body, version: 3 - version })).toThrow(
      `no service has the operation ${name} in version ${3 - version}`,
    );
  });
});

describe('calls', () => {
  const caller: Caller = {
    ...{ credential: 'any', tenant: 'acme', requiresKey: false },
    roles: new Set(['fleet']),
    grants: new Map(),
  };
  const implementation = implement(
    current,
    { park: async ({ input }) => input, tow: async ({ input }) => input },
    older,
  );

  test.each([
    ['/fleet/v2/tow', '{"note":"a"}', 'application/json', 'ok'],
    ['/fleet/v1/park', '{"note":"a"}', 'application/json', 'ok'],
    ['/fleet/v1/tow', '{"note":"a"}', 'application/json', 'unknownOperation'],
    ['/form', 'action=Fleet.park&parkRequest.note=a', 'application/x-www-form-urlencoded', 'ok'],
    ['/form', 'action=Fleet.tow&towRequest.note=a', 'application/x-www-form-urlencoded', 'unknownOperation'],
  ])('%s %s is answered by what its version has', async (path, body, type, outcome) => {
    const gateway = await openGateway({
      implementations: () => [implementation],
      credentials: { verify: async () => ({ caller }) },
    });
    try {
      const { entry } = await gateway.ask({ path, headers: { 'content-type': type, 'x-api-key': 'any' }, body });
      expect(entry.outcome).toBe(outcome);
    } finally {
      await gateway.close();
    }
  });
});
