/** Requests at the paths that operations have at their upstreams, which get the query and the body as they were sent. */
import { Buffer } from 'node:buffer';
import { expect, test } from '@jest/globals';
import { operation, type UpstreamBinding } from '../../src/contract/operation.ts';
import { Problem } from '../../src/contract/problem.ts';
import { integer, list, map, object, optional, string } from '../../src/contract/schema.ts';
import { createProtocols } from '../../src/formats/index.ts';
import { bodyMsMax, cpuMs, shortestMs } from '../property/cpu-time.ts';
import { madeUpService } from '../support/made-up-service.ts';

const text = string({ example: 'a' });
const formType = 'application/x-www-form-urlencoded';
const input = object('Pay', {
  amount: optional(integer(0, 100, 1), ''),
  tags: optional(list(text, 'string', { max: 5 }), ''),
  filter: optional(map(5, { state: 'open' }), ''),
});
function reader(upstream: UpstreamBinding) {
  const pay = operation({
    ...{ name: 'pay', doc: '', effect: 'writes', role: 'r', problems: [], input, upstream },
    output: object('Paid', { id: optional(text, '') }),
  });
  const service = madeUpService('Shop', pay);
  const { rest } = createProtocols([service]);
  return ({ query = '', body = '', cookie = '' }) => {
    const headers = { 'content-type': formType, cookie };
    const decoded = rest.decode(
      Buffer.from(body),
      { type: formType, charset: undefined },
      { service, version: 1, operation: pay },
      { query, headers },
    );
    return [decoded.input, decoded.issues.map(({ kind, path }) => `${kind.code} ${path.join('.')}`)];
  };
}

const atForm = reader({
  ...{ method: 'POST', path: '/pay', parameters: {} },
  body: { type: formType, parts: { filter: { style: 'deepObject' } } },
});

test('brackets without an end take no time', () => {
  const name = '['.repeat(60_000);
  expect(shortestMs(() => atForm({ body: `amount=1&filter${name}=1` }))).toBeLessThan(bodyMsMax);
  const startedAt = cpuMs();
  expect([...name.slice(30_000).matchAll(/\[([^\]]*)\]/g)]).toEqual([]);
  expect(cpuMs() - startedAt).toBeGreaterThan(bodyMsMax);
});

test('a form has as many pairs as a body in JSON has members', () => {
  expect(atForm({ body: `amount=1${'&a'.repeat(1_999)}` })).toEqual([{ amount: 1 }, []]);
  const refused = () => atForm({ body: `amount=1${'&a'.repeat(1_000_000)}` });
  expect(refused).toThrow(Problem);
  expect(refused).toThrow('too many pairs, pair 2001');
});
