/** Every case of every service in every format: what a client sends, and what it gets, to the byte. */
import { describe, expect, test } from '@jest/globals';
import { dotted } from '../../src/core/contract/path.ts';
import { type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import type { Answer } from '../../src/core/gateway/answer.ts';
import { kebabCase } from '../../src/documents/names.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { formats } from '../formats/index.ts';
import type { ServiceCase } from './case.ts';
import { caseFiles, cases } from './read-cases.ts';
import { type ConformanceSubject, operationOf } from './subject.ts';
import { conformanceSubjects } from './subjects.ts';

/** The canonical outcome of an answer. */
function canonical(subject: ConformanceSubject, name: NamedProtocol, each: ServiceCase, { message, entry }: Answer) {
  if (entry.outcome === 'ok')
    return { gives: subject.protocols[name].decodeResponse(operationOf(subject, each), message.body).value };
  const fields = entry.problem?.issues.map(({ path }) => dotted(path)) ?? [];
  return { refuses: entry.outcome, ...(fields.length > 0 ? { fields } : {}) };
}

test.each([...recurringV25.operations.keys()])('%s has a file of cases', (name) => {
  expect(caseFiles).toContain(`${kebabCase(name)}.ts`);
});

describe.each(conformanceSubjects)('$service.name', (subject) => {
  const { service, cases, initial } = subject;

  test('every operation has a case', () => {
    const named = new Set(cases.map(({ operation }) => operation));
    expect([...named].sort()).toEqual([...service.operations.keys()].sort());
  });

  describe.each(cases)('$operation: $title', (each) => {
    test.each(namedProtocols)('%s', async (name) => {
      const { outcome, leaves = initial, wire } = each;
      const { sends, status = 200, answers, invalidFields, type } = wire[name];
      const { contentType, path, answerType, refusalType = answerType } = formats[name];
      const gateway = await subject.open();
      try {
        const headers = { 'content-type': contentType, soapaction: '""', ...subject.headersOf(each) };
        const address = path(service, operationOf(subject, each));
        const answer = await gateway.ask({ path: address, headers, body: sends });
        expect(answer.message.body).toBe(answers);
        expect(answer.message.status).toBe(status);
        expect(answer.message.contentType).toBe(type ?? (status === 200 ? answerType : refusalType));
        expect(answer.message.headers[gateway.referenceHeader]).toBe('PSP0000000000001');
        expect(answer.message.headers.invalidFields).toBe(invalidFields);
        expect('WWW-Authenticate' in answer.message.headers).toBe(status === 401);
        expect(canonical(subject, name, each, answer)).toEqual(outcome);
        expect(await subject.stored(gateway)).toEqual(leaves);
      } finally {
        await gateway.close();
      }
    });
  });
});

test('the one pair that clients of the adapter compare with, after decoding', () => {
  const { answers } = cases.find(({ operation }) => operation === 'disable')!.wire.adapter;
  expect(decodeURIComponent(answers)).toBe('disableResult.response=[detail-successfully-disabled]');
});
