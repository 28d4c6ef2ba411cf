/** `triglyph callers`: who calls which operation in which format, and the last call of each as the JSON call that replaces it. */
import { type Command, Option } from 'commander';
import type { Input } from '../../core/contract/index.ts';
import { formatMinute } from '../../core/lib/index.ts';
import {
  assessReadiness,
  exportCallers,
  getReplacementCall,
  listCallerOwners,
  listCallers,
  removeCallerOwner,
  setCallerOwner,
} from '../../operators/index.ts';
import {
  addOperation,
  declareOperation,
  formatTable,
  linesOf,
  performOnBackend,
  readInput,
} from './operator-command.ts';
import { print, printAll } from './output.ts';

/** Redis has callers, too. */
const access = { needs: 'store' } as const;

const everything = { since: '1970-01-01' };

export function add(program: Command): void {
  const callers = declareOperation(program, 'callers', listCallers, {
    doc: 'lists who calls which operation, in which version and format, with which client; last used first',
    flags: { deprecation: null, days: null, max: null, since: '--since <time>' },
    options: [new Option('--json', 'prints JSON').conflicts('csv'), new Option('--csv', 'prints CSV')],
    example: 'triglyph callers --format soap11,soap12 --since 30d',
  });
  callers.action(async () => {
    const { json, csv, ...given } = callers.opts<{ readonly json?: true; readonly csv?: true }>();
    const filter = { ...everything, ...given };
    if (json || csv) await exportTo(csv ? 'csv' : 'json', readInput(callers, exportCallers, filter));
    else await printTable(readInput(callers, listCallers, { ...filter, max: 1_000_000 }));
  });
  addOperation(callers, 'show', getReplacementCall, {
    doc: 'prints the last call of a caller as the JSON call that replaces it; secrets are masked',
    access,
    operands: { id: 'id' },
    flags: { as: '--as <language>' },
    defaults: { as: 'json' },
    example: 'triglyph callers show 0f1e2d3c4b5a6978 --as php',
    text: ({ text, masked }) => {
      if (masked.length > 0) process.stderr.write(`triglyph: replace what is masked: ${masked.join(', ')}\n`);
      return [text.replace(/\n$/, '')];
    },
  });
  addOperation(callers, 'readiness', assessReadiness, {
    doc: 'lists the credentials that still make calls to be switched off, the least ready first',
    access,
    example: 'triglyph callers readiness --format soap11,soap12',
    json: ({ callers: found }) => found,
    text: ({ callers: found }) =>
      found.length === 0
        ? ['There is no such caller.']
        : formatTable(found, {
            STATE: ({ state }) => state,
            CREDENTIAL: ({ username, credential }) => username ?? credential ?? '-',
            'LAST USED': ({ lastUsedAt }) => formatMinute(lastUsedAt),
            REMAINING: ({ remaining }) => remaining.map(formatCall).join(', ') || '-',
          }),
  });
  addOwnerCommands(callers);
}

function addOwnerCommands(callers: Command): void {
  const owner = callers.command('owner').description('sets, removes and lists who answers for credentials');
  const example = 'triglyph callers owner set ws@acme --name "Anna Example" --address anna@example.com';
  addOperation(owner, 'set', setCallerOwner, {
    access,
    operands: { credential: 'credential' },
    example,
    text: ({ credential }) => [`The owner of ${credential} is set.`],
  });
  addOperation(owner, 'remove', removeCallerOwner, {
    access,
    operands: { credential: 'credential' },
    example: 'triglyph callers owner remove ws@acme',
    text: ({ credential }) => [`${credential} has no owner now.`],
  });
  addOperation(owner, 'list', listCallerOwners, {
    access,
    doc: 'lists who answers for credentials',
    example: 'triglyph callers owner list',
    json: ({ owners }) => owners,
    text: ({ owners }) =>
      linesOf(
        owners,
        ({ credential, username = '-', name, address }) => [credential, username, name, address],
        'No credential has an owner.',
      ),
  });
  owner.addHelpText('after', `\nExample:\n  ${example}`);
}

async function exportTo(as: 'csv' | 'json', filter: Input<typeof exportCallers>): Promise<void> {
  const { csv, json } = await performOnBackend(exportCallers, { ...filter, as }, access);
  if (json !== undefined) print(json);
  else process.stdout.write(csv ?? '');
}

async function printTable(filter: Input<typeof listCallers>): Promise<void> {
  const { callers } = await performOnBackend(listCallers, filter, access);
  if (callers.length === 0) print('There is no such caller.');
  else
    printAll(
      formatTable(callers, {
        ID: ({ id }) => id,
        'LAST USED': ({ lastUsedAt }) => formatMinute(lastUsedAt),
        CREDENTIAL: ({ credential, username }) => username ?? credential ?? '-',
        CALL: formatCall,
        FORMAT: ({ format }) => format,
        CLIENT: ({ client }) => client,
        OK: ({ succeeded }) => succeeded,
        REFUSED: ({ refused }) => refused,
        FAILED: ({ failed }) => failed,
        OFF: ({ switchedOff }) => switchedOff,
        'LAST OUTCOME': ({ lastOutcome }) => lastOutcome,
        ENDS: ({ deprecation, sunset }) => sunset ?? (deprecation === 'none' ? '-' : deprecation),
      }),
    );
}

/** `Recurring.storeToken v12`; `-` for a request that did not get so far. */
export function formatCall({
  service,
  operation,
  version,
}: {
  readonly service?: string | undefined;
  readonly operation?: string | undefined;
  readonly version?: number | undefined;
}): string {
  const name = [service, operation].filter((each) => each !== undefined).join('.') || '-';
  return version === undefined ? name : `${name} v${version}`;
}
