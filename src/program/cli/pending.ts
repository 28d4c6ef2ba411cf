/** `triglyph pending`: requests that were forwarded to another server and whose outcome is unknown, and idempotency records. */

import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { columnsText } from '../../backend/index.ts';
import type { Input, Output } from '../../core/contract/index.ts';
import { formatSecond } from '../../core/lib/index.ts';
import {
  findIdempotencyRecord,
  getPendingRequest,
  listPendingRequests,
  settlementRow,
  settlePendingRequest,
} from '../../operators/index.ts';
import { CommandError } from './command-error.ts';
import type { ImportOptions } from './import/file.ts';
import { addOperation, linesOf, performOnBackend, readSecret } from './operator-command.ts';
import { print } from './output.ts';

export function add(program: Command): void {
  const pending = program
    .command('pending')
    .description('lists and settles requests to another server whose outcome is unknown');
  addOperation(pending, 'list', listPendingRequests, {
    doc: 'lists the requests, oldest first',
    access,
    example: `${states}\n\nExample:\n  triglyph pending list --upstream orders`,
    flags: {
      state: null,
      withInput: null,
      max: null,
      upstream: '--upstream <name>',
      tenant: '--tenant <name>',
      operation: '--operation <name>',
    },
    options: [new Option('--all', 'also requests in flight, and those that a retry asks again, or asks about')],
    input: ({ all, ...given }) => ({ ...given, max: 10_000, withInput: true, state: all ? undefined : 'unknown' }),
    json: ({ requests }) => requests.map(describe),
    text: ({ requests }, { state }) =>
      linesOf(
        requests,
        ({ id, state: now, upstream, service, operation, tenant, startedAt, failure }) => [
          ...[id, now, formatSecond(startedAt), upstream, `${service}.${operation}`, tenant],
          ...(failure === undefined ? [] : [failure]),
        ],
        state === undefined ? 'No request is pending.' : 'No outcome is unknown.',
      ),
  });
  addOperation(pending, 'show', getPendingRequest, {
    doc: 'prints a request with its input; sensitive members are masked',
    access,
    operands: { id: 'id' },
    example: 'triglyph pending show 8816080397613514',
    json: describe,
    text: (found) => {
      const { input, ...members } = describe(found);
      return [
        ...Object.entries(members).flatMap(([name, value]) =>
          value === undefined ? [] : `${name.padEnd(12)}${value}`,
        ),
        `input       ${input === undefined ? 'too long to be stored' : JSON.stringify(input, null, 2)}`,
      ];
    },
  });
  addOperation(pending, 'record', findIdempotencyRecord, {
    doc: 'prints what is known of an Idempotency-Key; sensitive members are masked',
    access,
    operands: { tenant: 'tenant' },
    flags: { key: null },
    options: [new Option('--key-file <file>', 'the file with the key; by default it is read from standard input')],
    example: 'triglyph pending record Acme --key-file key.txt',
    input: ({ keyFile, ...given }) =>
      given.reference === undefined ? { ...given, key: readSecret('key', keyFile).trim() } : given,
    json: (record) => record,
    text: ({ found, ...record }) =>
      found
        ? Object.entries(record).flatMap(([name, value]) =>
            value === undefined ? [] : `${name.padEnd(18)}${/At$/.test(name) ? formatSecond(Number(value)) : value}`,
          )
        : ['There is no record of this key, or it has expired.'],
  });
  pending
    .command('settle')
    .argument('[id]', 'the id that `pending list` prints')
    .option(
      '--file <file>',
      'settles the requests of a file, one in a row: .jsonl, or .csv with a line of column names',
    )
    .option('--report <file>', 'with --file: the report of refused rows; <file>.refused.jsonl by default')
    .option('--dry-run', 'with --file: checks every row and writes the report, and settles nothing')
    .option(
      '--done [output]',
      'the other server had the effect: the output as JSON, or the name of a file that holds it',
    )
    .option('--not-done', 'the other server did not have the effect')
    .option('--refused <code>', 'the other server refused the request: the error code')
    .option('--message <text>', 'the text of the refusal; by default that of the contract')
    .description('says what became of a request, or of those of a file. Look them up at the other server first')
    .addHelpText('after', () => `\n${meanings}\n\n${rows()}\n\n${settleExamples}`)
    .action(settle);
  pending.addHelpText('after', '\nExample:\n  triglyph pending list');
}

/** A gateway without a database has them, too. */
const access = { needs: 'nothing' } as const;

const states = `States:
  unknown     the server may have had the effect; nothing is repeated, and retries are refused with outcomeUnknown
  repeatable  no answer yet; a retry asks again under the same key, which the server still knows, or asks it for the outcome
  inFlight    a process may still wait for the answer`;

const meanings = `Meanings:
  --done      a retry gets this output. It must satisfy the contract. A request without a key needs none
  --not-done  a retry is executed. If the server had the effect all the same, it has it twice
  --refused   a retry gets this refusal
An answer that arrives later changes nothing.`;

const settleExamples = `Examples:
  triglyph pending settle 8816080397613514 --done '{"id":"o-7"}'
  triglyph pending settle --file settled.csv --dry-run`;

/** Which rows a file of settlements may have. */
function rows(): string {
  return `Columns of --file, in any order. A row names a request by its id, or by tenant and key.
Required: * in every row.

${columnsText(settlementRow)}

A row of a JSONL file is one JSON object with the same names; its output is a text, too. Every row is settled or refused by itself, with a line of output.
Settle the file again when the cause is gone: rows that are settled already are skipped.`;
}

function describe({ input, startedAt, ...request }: Output<typeof getPendingRequest>) {
  const { hasKey, process, lastAttempt, failure, ...others } = request;
  return {
    ...others,
    startedAt: new Date(startedAt).toISOString(),
    ...{ hasKey, process, lastAttempt, failure },
    input: input === undefined ? undefined : (JSON.parse(input) as unknown),
  };
}

interface SettleOptions extends ImportOptions {
  /** Instead of an id. */
  readonly file?: string;
  /** `true` where no output is given. */
  readonly done?: string | true;
  readonly notDone?: boolean;
  readonly refused?: string;
  readonly message?: string;
}

async function settle(id: string | undefined, options: SettleOptions): Promise<void> {
  const { done, notDone, refused, message, file, report, dryRun } = options;
  if (file !== undefined) {
    if (id !== undefined) throw new CommandError(['give either an id or --file']);
    if ((done ?? notDone ?? refused ?? message) !== undefined)
      throw new CommandError(['with --file, each row says what became of its request']);
    return (await import('./pending/settle-file.ts')).settleFile(file, options);
  }
  if (id === undefined) throw new CommandError(['give either an id or --file']);
  if ((report ?? dryRun) !== undefined) throw new CommandError(['--report and --dry-run belong to --file']);
  if ([done, notDone, refused].filter((each) => each !== undefined).length !== 1)
    throw new CommandError(['give one of --done, --not-done and --refused']);
  if (message !== undefined && refused === undefined) throw new CommandError(['--message belongs to --refused']);
  const { consequence } = await performOnBackend(settlePendingRequest, { id, ...settlementOf(options) }, access);
  print(`${id} is settled. ${consequence}`);
}

function settlementOf({ done, refused, message }: SettleOptions): Omit<Input<typeof settlePendingRequest>, 'id'> {
  if (refused !== undefined) return { result: 'refused', code: refused, message };
  return done === undefined ? { result: 'notDone' } : { result: 'done', output: outputText(done) };
}

function outputText(done: string | true): string | undefined {
  if (done === true) return undefined;
  return done.trimStart().startsWith('{') ? done : readFileSync(done, 'utf8');
}
