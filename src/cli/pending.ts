/** `triglyph pending`: requests that were forwarded to another server and whose outcome is unknown. */
import { type Command, Option } from 'commander';
import { settlementRow } from '../app/settlement-file.ts';
import { describeUnsettled } from '../backend/settle-request.ts';
import type { UnsettledRequest } from '../store/sql/unsettled-requests.ts';
import { CommandError } from './command-error.ts';
import { columnsText } from './import/columns-text.ts';
import { formatSecond, print, printAll } from './output.ts';
import { type SettleOptions, settle } from './pending/settle.ts';
import { withBackend } from './with-backend.ts';

export function add(program: Command): void {
  const pending = program
    .command('pending')
    .description('lists and settles requests to another server whose outcome is unknown');
  pending
    .command('list')
    .option('--all', 'also requests in flight, and those that a retry asks again')
    .option('--upstream <name>', 'requests to one server')
    .option('--tenant <name>', 'requests of one tenant')
    .option('--operation <name>', 'requests of one operation')
    .option('--json', 'prints JSON')
    .description('lists the requests, oldest first')
    .addHelpText('after', `\n${states}\n\nExample:\n  triglyph pending list --upstream orders`)
    .action(listPending);
  pending
    .command('show')
    .argument('<id>', 'the id that `pending list` prints')
    .option('--json', 'prints JSON')
    .description('prints a request with its input; sensitive members are masked')
    .addHelpText('after', '\nExample:\n  triglyph pending show 8816080397613514')
    .action(showPending);
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
    .addOption(new Option('--message <text>', 'the text of the refusal; by default that of the contract'))
    .description('says what became of a request, or of those of a file. Look them up at the other server first')
    .addHelpText('after', () => `\n${meanings}\n\n${rows()}\n\n${settleExamples}`)
    .action((id: string | undefined, options: SettleOptions) => settle(id, options));
  pending.addHelpText('after', '\nExample:\n  triglyph pending list');
}

const states = `States:
  unknown     the server may have had the effect; nothing is repeated, and retries are refused with outcomeUnknown
  repeatable  no answer yet; a retry asks again under the same key, which the server still knows
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

interface ListOptions {
  readonly all?: boolean;
  readonly upstream?: string;
  readonly tenant?: string;
  readonly operation?: string;
  readonly json?: boolean;
}

const listedMax = 10_000;

async function listPending({ all, upstream, tenant, operation, json }: ListOptions): Promise<void> {
  const found = (await withBackend(({ unsettled }) => unsettled.list(listedMax))).filter(
    (each) =>
      (all || each.state === 'unknown') &&
      (upstream === undefined || each.upstream === upstream) &&
      (tenant === undefined || each.tenant === tenant) &&
      (operation === undefined || each.operation === operation),
  );
  if (json) print(JSON.stringify(found.map(describe)));
  else if (found.length === 0) print(all ? 'No request is pending.' : 'No outcome is unknown.');
  else printAll(found.map(formatLine));
}

async function showPending(id: string, { json }: { readonly json?: boolean }): Promise<void> {
  const found = await withBackend(({ unsettled }) => unsettled.find(id));
  if (found === undefined)
    throw new CommandError([`no request with the id ${id} is pending: \`triglyph pending list\` prints them`]);
  const { input, ...members } = describe(found);
  if (json) print(JSON.stringify({ ...members, input }));
  else
    print(
      ...Object.entries(members).map(([name, value]) => `${name.padEnd(12)}${value}`),
      `input       ${input === undefined ? 'too long to be stored' : JSON.stringify(input, null, 2)}`,
    );
}

/** What is printed of a request. */
function describe(request: UnsettledRequest) {
  const { startedAt, input } = request;
  return {
    ...describeUnsettled(request),
    startedAt: new Date(startedAt).toISOString(),
    ...(input !== undefined && { input: JSON.parse(input) as unknown }),
  };
}

function formatLine({ id, state, upstream, service, operation, tenant, startedAt, failure }: UnsettledRequest): string {
  const name = `${service}.${operation}`;
  const parts = [id, state, formatSecond(startedAt), upstream, name, tenant];
  return [...parts, ...(failure === undefined ? [] : [failure])].join('  ');
}
