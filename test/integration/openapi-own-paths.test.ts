/** The OpenAPI document of a gateway has the methods and paths of imported operations: it is valid, and imported again it says the same of them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isJsonType, type Operation } from '../../src/core/contract/operation.ts';
import type { Service } from '../../src/core/contract/service.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { memoize } from '../../src/core/lib/memoize.ts';
import { exampleOf } from '../../src/documents/example.ts';
import { deriveOpenApi } from '../../src/documents/openapi.ts';
import { importOpenApi } from '../../src/readers/openapi/import-openapi.ts';
import { corpusOf, ownDocuments } from '../support/corpus.ts';
import { tempFolder } from '../support/temp-folder.ts';

const files = [...ownDocuments('openapi'), ...corpusOf('openapi')];
const folder = tempFolder();
beforeAll(() => {
  mkdirSync(folder.path, { recursive: true });
});
afterAll(() => folder.discard());

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Body {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** Both tests read a document once. */
const read = memoize(async (file: string): Promise<Service> => {
  const { service } = await importOpenApi(file, { allowNetwork: false });
  return service;
});

const documentOf = (service: Service): OpenApi =>
  JSON.parse(JSON.stringify(deriveOpenApi([service], 'http://gateway.example')));

/** What a client needs to call an operation at its own path. */
type Call = ReturnType<typeof callOf>;

/** Problem details of the gateway, and nothing of the server behind it. */
function isOfGateway({ faults = [] }: Operation, problem: string): boolean {
  return faults.find((each) => each.problem.name === problem)?.detail.name === 'RestServiceError';
}

const headersOfGateway = ['requestReference', 'Idempotency-Key', 'Idempotent-Replayed'];

function callOf(operation: Operation) {
  const { upstream, input, output } = operation;
  const { method, path, parameters = {}, body, answer, errors = {} } = upstream!;
  const hasAnswer = Object.keys(output.fields).some((name) => !Object.hasOwn(answer?.headers ?? {}, name));
  const json = (name: string | undefined) => name && (input.fields[name] ?? output.fields[name])?.json;
  return {
    key: `${method} ${path.replace(/\{\w+\}/g, '{}')}`,
    parameters: Object.entries(parameters)
      .map(([field, { name = field, style = '', explode = '', ...place }]) =>
        [place.in, place.in === 'path' ? '' : name, input.fields[field]!.required, style, explode].join(' '),
      )
      .toSorted(),
    body: body && {
      type: body.type,
      optional: body.optional,
      isWhole: body.field !== undefined,
      json: json(body.field),
    },
    members: Object.entries(input.fields).flatMap(([name, { json: own = name }]) =>
      Object.hasOwn(parameters, name) || name === body?.field ? [] : own,
    ),
    answer: {
      type: answer?.type,
      isWhole: answer?.field !== undefined,
      status: answer?.status ?? (hasAnswer ? 200 : 204),
    },
    answered: Object.entries(output.fields)
      .map(([name, { json: own = name }]) => (name === answer?.field ? '' : (answer?.headers?.[name] ?? own)))
      .filter((each) => !headersOfGateway.includes(each)),
    errors: Object.keys(errors).filter((status) => !isOfGateway(operation, errors[status]!)),
  };
}

const byKey = (one: Call, other: Call): number => (one.key < other.key ? -1 : 1);

const toDefinitions = (part: unknown) =>
  JSON.parse(JSON.stringify(part).replaceAll('#/components/schemas/', 'openapi#/$defs/'));

/** A validator that knows the components. */
function ajvOf({ components: { schemas } }: OpenApi): Ajv2020 {
  // A member may be called as one that every object inherits.
  const ajv = new Ajv2020({ strictTypes: false, validateFormats: false, ownProperties: true });
  ajv.addSchema({ $id: 'openapi', $defs: toDefinitions(schemas) });
  return ajv;
}

test.each(files)('%s is valid, and imported again it says the same', async (original) => {
  const service = await read(original);
  const document = documentOf(service);
  const ajv = ajvOf(document);
  const { schemas } = document.components;
  for (const each of Object.keys(schemas)) ajv.compile({ $ref: `openapi#/$defs/${each}` });
  const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, each]) => each,
  );
  expect(Object.keys(schemas)).toEqual(expect.arrayContaining(references));
  const calls = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.values(item).map((operation) => ({ path, ...operation })),
  );
  expect(new Set(calls.map(({ operationId }) => operationId)).size).toBe(calls.length);
  for (const { path, parameters = [] } of calls) {
    const keys = parameters.map((each) => `${each.in} ${each.name}`);
    expect(new Set(keys).size).toBe(keys.length);
    const inPath = parameters.filter((each) => each.in === 'path').map((each) => each.name);
    expect([...path.matchAll(/\{([^{}]*)\}/g)].map(([, each]) => each).toSorted()).toEqual(inPath.toSorted());
  }
  const file = join(folder.path, `${basename(original)}.json`);
  writeFileSync(file, JSON.stringify(document));
  const again = await read(file);
  // Of two with one method and one path, requests find the first.
  const served = [...service.operations.values()].filter(({ upstream }) => !upstream!.path.includes('?')).map(callOf);
  const first = [...new Map(served.toReversed().map((each) => [each.key, each])).values()];
  const own = [...again.operations.values()].map(callOf).filter(({ key }) => !key.includes(` ${service.address}/v1/`));
  expect(own.map((each) => ({ ...each, key: each.key.replace(` ${service.paths}`, ' ') })).toSorted(byKey)).toEqual(
    first.toSorted(byKey),
  );
});

test.each(files)('%s: what is sent fits the document', async (original) => {
  const service = await read(original);
  const document = documentOf(service);
  const ajv = ajvOf(document);
  const { rest } = createProtocols([service]);
  const operations = new Map([...service.operations.values()].map((each) => [`${each.name}AtPath`, each]));
  for (const { operationId, requestBody, responses } of Object.values(document.paths).flatMap(
    Object.values<Described>,
  )) {
    const operation = operations.get(operationId);
    if (operation === undefined) continue;
    const sent = rest.encodeRequest(service, operation, exampleOf(operation.input, 'full')).body;
    const answered = rest.encode(operation, exampleOf(operation.output, 'full'));
    const [success] = Object.values(responses);
    for (const [content = {}, text] of [
      [requestBody?.content, sent],
      [success?.content, answered.body],
    ] as const) {
      const [type = '', media] = Object.entries(content)[0] ?? [];
      if (media === undefined || !isJsonType(type) || text === '') continue;
      const validate = ajv.compile(toDefinitions(media.schema));
      expect([operationId, validate(JSON.parse(text)), validate.errors]).toEqual([operationId, true, null]);
    }
  }
});
