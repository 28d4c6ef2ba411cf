/** Every case in every format: what a client sends, and what it gets, to the byte. */
import { describe, expect, test } from '@jest/globals';
import { dotted } from '../../src/contract/path.ts';
import { kebabCase } from '../../src/documents/documents.ts';
import { createProtocols, type NamedProtocol, namedProtocols } from '../../src/formats/index.ts';
import type { Answer } from '../../src/gateway/answer.ts';
import { services } from '../../src/services/index.ts';
import { recurringV25 } from '../../src/services/recurring/v25.ts';
import { formats } from '../formats/index.ts';
import { callers } from '../support/fixture.ts';
import { openGateway } from '../support/gateway.ts';
import { account, type Case, mc, visa } from './case.ts';
import { caseFiles, cases } from './read-cases.ts';

const protocols = createProtocols(services);
/** Cases call version 25. */
const { operations } = recurringV25;

/** The canonical outcome of an answer. */
function canonical(name: NamedProtocol, { operation }: Case, { message, entry }: Answer) {
  if (entry.outcome === 'ok')
    return { gives: protocols[name].decodeResponse(operations.get(operation)!, message.body).value };
  const fields = entry.problem?.issues.map(({ path }) => dotted(path)) ?? [];
  return { refuses: entry.outcome, ...(fields.length > 0 ? { fields } : {}) };
}

test.each([...operations.keys()])('%s has a file of cases', (name) => {
  expect(caseFiles).toContain(`${kebabCase(name)}.ts`);
});

describe.each(cases)('$operation: $title', (each) => {
  test.each(namedProtocols)('%s', async (name) => {
    const { operation, as = 'demo', outcome, leaves = [visa, mc, account], wire } = each;
    const { sends, status = 200, answers } = wire[name];
    const { contentType, path, answerType, refusalType = answerType } = formats[name];
    const gateway = await openGateway();
    try {
      const headers = { 'content-type': contentType, soapaction: '""', ...callers[as] };
      const address = path(recurringV25, operations.get(operation)!);
      const answer = await gateway.ask({ path: address, headers, body: sends });
      expect(answer.message.body).toBe(answers);
      expect(answer.message.status).toBe(status);
      expect(answer.message.contentType).toBe(status === 200 ? answerType : refusalType);
      expect(answer.message.headers.pspReference).toBe('PSP0000000000001');
      expect('WWW-Authenticate' in answer.message.headers).toBe(status === 401);
      expect(canonical(name, each, answer)).toEqual(outcome);
      expect(await gateway.active()).toEqual(leaves);
    } finally {
      await gateway.close();
    }
  });
});

test('the one pair that clients of the adapter compare with, after decoding', () => {
  const { answers } = cases.find(({ operation }) => operation === 'disable')!.wire.adapter;
  expect(decodeURIComponent(answers)).toBe('disableResult.response=[detail-successfully-disabled]');
});
