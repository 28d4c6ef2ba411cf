/** For every engine: the stack of a failing statement names the repository, the handler and handleRequest. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Engine, statement } from '../../src/stores/sql/engine.ts';
import { callers } from '../support/fixture.ts';
import { gatewayOver, type TestGateway } from '../support/gateway.ts';
import type { EngineFactory } from './store.ts';

const drops = ['detail_change', 'permit', 'stored_detail'].map((table) =>
  statement(`drop-${table}`, `drop table ${table}`),
);
const body = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };

export function describeStackTraces({ open, dispose }: EngineFactory): void {
  describe('stack traces', () => {
    let engine: Engine;
    let gateway: TestGateway;
    const { stackTraceLimit } = Error;
    beforeAll(() => {
      // As many as a server asks for.
      Error.stackTraceLimit = 40;
    });
    afterAll(() => {
      Error.stackTraceLimit = stackTraceLimit;
    });
    beforeEach(async () => {
      engine = await open();
      gateway = await gatewayOver(engine);
      // Prepares the statements: an error of a prepared statement comes another way.
      await stackOf('disable', { ...body, recurringDetailReference: 'X' }, {});
      await engine.write(async (session) => {
        for (const each of drops) await session.execute(each, []);
      });
    });
    afterEach(() => dispose(engine));

    const stackOf = async (operation: string, input: object, headers: Readonly<Record<string, string>>) => {
      const { entry } = await gateway.ask({
        path: `/pal/servlet/Recurring/v25/${operation}`,
        headers: { 'content-type': 'application/json', ...callers.demo, ...headers },
        body: JSON.stringify(input),
      });
      return String((entry.problem?.cause as Error | undefined)?.stack);
    };

    test.each<[string, string, Readonly<Record<string, string>>, readonly string[]]>([
      ['a write', 'disable', {}, ['disable.ts', 'executor.ts']],
      [
        'a write with an Idempotency-Key',
        'disable',
        { 'idempotency-key': '8c0b6f6e-6a52-4b7e-9d55-2f1d7f7b1c11' },
        ['disable.ts', 'savepoint', 'executor.ts', 'executeWithCache'],
      ],
      ['a read', 'listRecurringDetails', {}, ['list-details.ts']],
    ])('of %s', async (_, operation, headers, frames) => {
      const stack = await stackOf(operation, body, headers);
      expect(stack).toMatch(/stored_detail/);
      for (const frame of ['repository.ts', ...frames, 'handleRequest']) expect(stack).toContain(frame);
    });
  });
}
