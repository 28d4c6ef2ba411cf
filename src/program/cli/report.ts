/** `triglyph report`: who still makes calls that end, who answers for them, and what would break. */
import { writeFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { Output } from '../../core/contract/index.ts';
import { exportMigrationReport, getMigrationReport } from '../../operators/index.ts';
import { declareOperation, formatTable, performOnBackend, readInput } from './operator-command.ts';
import { print, printAll } from './output.ts';

/** The options by which a report is a file. */
const formats = ['html', 'csv', 'json'] as const;

interface Flags extends Partial<Readonly<Record<(typeof formats)[number], true>>> {
  readonly out?: string;
}

export function add(program: Command): void {
  const command = declareOperation(program, 'report', getMigrationReport, {
    doc: 'reports a migration: callers by format and week, their owners, what breaks, and what replays have found',
    options: [
      ...formats.map((as) =>
        new Option(`--${as}`, `writes the report as ${as.toUpperCase()}`).conflicts(
          formats.filter((each) => each !== as),
        ),
      ),
      new Option('--out <file>', 'the file; by default it is printed'),
    ],
    example: `Examples:
  triglyph report --html --out report.html
  triglyph report --format form --weeks 26 --csv

The exit code is 0 whatever the report says. Owners are set by triglyph callers owner set, differences saved by triglyph replay --save.`,
  });
  command.action(async () => {
    const { out, html, csv, json, ...given } = command.opts<Flags>();
    const as = formats.find((each) => ({ html, csv, json })[each] === true);
    // A gateway that stores nothing has a report, which says what it lacks.
    const access = { needs: 'nothing' } as const;
    if (as === undefined) {
      if (out !== undefined) command.error('error: --out needs --html, --csv or --json');
      printAll(
        textOf(await performOnBackend(getMigrationReport, readInput(command, getMigrationReport, given), access)),
      );
      return;
    }
    const input = readInput(command, exportMigrationReport, { ...given, as });
    const { content } = await performOnBackend(exportMigrationReport, input, access);
    if (out === undefined) process.stdout.write(content);
    else {
      writeFileSync(out, content, { mode: 0o600 });
      print(`The report is in ${out}.`);
    }
  });
}

type Report = Output<typeof getMigrationReport>;

function textOf({ ends, risk, reasons, totals, lacks, formats: found, callers }: Report): readonly string[] {
  return [
    `What ends: ${ends}`,
    `Risk if it ended today: ${risk}`,
    ...reasons.map((each) => `  ${each}`),
    ...lacks.map((each) => `The report lacks ${each}`),
    `${totals.requests} requests, of which ${totals.ending} end; differences: ${totals.open} open, ${totals.accepted} accepted`,
    ...(found.length === 0
      ? []
      : [
          '',
          ...formatTable(found, {
            FORMAT: ({ format }) => format,
            CREDENTIALS: ({ credentials }) => credentials,
            REQUESTS: ({ requests }) => requests,
            'THIS WEEK': ({ weekly }) => weekly.at(-1) ?? 0,
          }),
        ]),
    ...(callers.length === 0
      ? []
      : [
          '',
          ...formatTable(callers, {
            CREDENTIAL: ({ username, credential }) => username ?? credential,
            OWNER: ({ owner, address }) => (owner === undefined ? '-' : `${owner} ${address}`),
            STATE: ({ state }) => state,
            RISK: ({ risk: own }) => own,
            END: ({ ending }) => ending,
            WHY: ({ reasons: why }) => why.join('; ') || '-',
          }),
        ]),
  ];
}
