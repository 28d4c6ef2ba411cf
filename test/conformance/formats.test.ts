/** Every case in every format: what a client sends, and what it gets, to the byte. */
import { describe, expect, test } from '@jest/globals';
import { dotted } from '../../src/contract/path.ts';
import { createProtocols, type NamedProtocol, namedProtocols } from '../../src/formats/index.ts';
import type { Answer } from '../../src/gateway/answer.ts';
import { services } from '../../src/services/index.ts';
import { recurringV25 } from '../../src/services/recurring/v25.ts';
import { callers } from '../support/fixture.ts';
import { openGateway } from '../support/gateway.ts';
import { account, type Case, mc, visa } from './case.ts';
import { disable } from './disable.ts';
import { listDetails } from './list-details.ts';
import { refusals } from './refusals.ts';
import { scheduleAccountUpdater } from './schedule-account-updater.ts';
import { storeToken } from './store-token.ts';
import { tokenLookup } from './token-lookup.ts';

const contentTypes: Readonly<Record<NamedProtocol, string>> = {
  soap11: 'text/xml; charset=utf-8',
  soap12: 'application/soap+xml; charset=utf-8; action=""',
  json: 'application/json',
  form: 'application/x-www-form-urlencoded; charset=utf-8',
  adapter: 'application/x-www-form-urlencoded',
};

const answerTypes: Readonly<Record<NamedProtocol, string>> = {
  soap11: 'text/xml;charset=utf-8',
  soap12: 'application/soap+xml;charset=utf-8',
  json: 'application/json;charset=utf-8',
  form: 'application/x-www-form-urlencoded;charset=utf-8',
  adapter: 'application/x-www-form-urlencoded;charset=utf-8',
};

const paths: Readonly<Record<NamedProtocol, (operation: string) => string>> = {
  soap11: () => '/pal/servlet/Recurring/v25',
  soap12: () => '/pal/servlet/soap/Recurring',
  json: (operation) => `/pal/servlet/Recurring/v25/${operation}`,
  form: (operation) => `/pal/servlet/Recurring/v25/${operation}`,
  adapter: () => '/pal/adapter/httppost',
};

const protocols = createProtocols(services);
/** Cases call version 25. */
const { operations } = recurringV25;

/** What the answer says once the format is taken off it. */
const canonical = (name: NamedProtocol, { operation }: Case, { message, entry }: Answer) => {
  if (entry.outcome === 'ok')
    return { gives: protocols[name].decodeResponse(operations.get(operation)!, message.body).value };
  const fields = entry.problem?.issues.map(({ path }) => dotted(path)) ?? [];
  return { refuses: entry.outcome, ...(fields.length > 0 ? { fields } : {}) };
};

const cases = [...listDetails, ...disable, ...scheduleAccountUpdater, ...storeToken, ...tokenLookup, ...refusals];
const names = namedProtocols;

describe.each(cases)('$operation: $title', (each) => {
  test.each(names)('%s', async (name) => {
    const { operation, as = 'demo', outcome, leaves = [visa, mc, account], wire } = each;
    const { sends, status = 200, answers } = wire[name];
    const gateway = await openGateway();
    try {
      const headers = { 'content-type': contentTypes[name], soapaction: '""', ...callers[as] };
      const answer = await gateway.ask({ path: paths[name](operation), headers, body: sends });
      expect(answer.message.body).toBe(answers);
      expect(answer.message.status).toBe(status);
      const plain = name === 'adapter' && status !== 200;
      expect(answer.message.contentType).toBe(plain ? 'text/plain;charset=utf-8' : answerTypes[name]);
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
  const { answers } = disable[0]!.wire.adapter;
  expect(decodeURIComponent(answers)).toBe('disableResult.response=[detail-successfully-disabled]');
});
