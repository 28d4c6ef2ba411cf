/** Mocks of WSDLs of many generators and of OpenAPI documents: each operation answers in each format, with an answer that its contract allows. */
import { expect, test } from '@jest/globals';
import type { Operation } from '../../src/core/contract/operation.ts';
import type { Service } from '../../src/core/contract/service.ts';
import { sentBody } from '../../src/core/formats/wire.ts';
import { createProtocols, formatsOf, type Protocols } from '../../src/core/formats/wire-formats.ts';
import { exampleOf } from '../../src/documents/example.ts';
import { createGateway } from '../../src/program/api/index.ts';
import { mock } from '../../src/program/testing/mock/mock.ts';
import { withControls } from '../../src/program/testing/test-gateway.ts';
import { importOpenApi } from '../../src/readers/openapi/import-openapi.ts';
import { importWsdl } from '../../src/readers/wsdl/import-wsdl.ts';
import { corpusOf, ownDocuments } from '../support/corpus.ts';

const files = [...ownDocuments('wsdl'), ...ownDocuments('openapi'), ...corpusOf('wsdl-small'), ...corpusOf('openapi')];

async function contractsOf(file: string): Promise<readonly Service[]> {
  if (!file.endsWith('.wsdl')) return [(await importOpenApi(file, { allowNetwork: false })).service];
  return (await importWsdl(file, { allowNetwork: false })).services.map(({ service }) => service);
}

const apiKey = 'key';

async function mockOf(services: readonly Service[]) {
  const callers = [{ tenant: 'tests', apiKey }];
  const gateway = await createGateway(withControls({ services: mock(services), callers }));
  const protocols: Protocols = createProtocols(services);
  /** Sends the example of a request. Returns the status, and whether the contract allows the answer. */
  const call = async (service: Service, operation: Operation, name: keyof Protocols) => {
    const request = protocols[name].encodeRequest(service, operation, exampleOf(operation.input, 'full'));
    const { method = 'POST', path, headers, contentType } = request;
    const all = { 'x-api-key': apiKey, 'content-type': contentType, ...headers };
    const body = method === 'GET' ? {} : { body: sentBody(request) };
    const answer = await gateway.fetch(new Request(`http://mock${path}`, { method, headers: all, ...body }));
    // Tests of attachments read answers in parts.
    const isInParts = answer.headers.get('content-type')?.startsWith('multipart/') === true;
    const text = await answer.text();
    const issues =
      operation.oneWay || !answer.ok || isInParts
        ? []
        : protocols[name].decodeResponse(operation, text).issues.map((each) => each.message);
    return { operation: operation.name, name, status: answer.status, issues, ...(!answer.ok && { text }) };
  };
  return { gateway, call };
}

test.each(files)('%s', async (file) => {
  const services = await contractsOf(file);
  const { gateway, call } = await mockOf(services);
  for (const service of services)
    for (const operation of service.operations.values())
      for (const format of formatsOf(operation, service)) {
        await gateway.reset();
        const { status, ...answered } = await call(service, operation, format);
        expect({ ...answered, status }).toEqual({
          operation: operation.name,
          name: format,
          status: operation.oneWay ? 202 : 200,
          issues: [],
        });
      }
  await gateway.close();
});
