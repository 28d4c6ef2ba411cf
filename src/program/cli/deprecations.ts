/** `triglyph deprecations`: the calls that are deprecated, when they are refused, and who is exempt. Servers need no restart. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Input, Output } from '../../core/contract/index.ts';
import { formatMinute } from '../../core/lib/index.ts';
import { type DeprecationRule, describeBrownOut } from '../../insight/index.ts';
import {
  addDeprecation,
  endExemption,
  exemptCaller,
  listDeprecations,
  type OperatorContext,
  perform,
  previewDeprecation,
  removeDeprecation,
  replaceDeprecation,
} from '../../operators/index.ts';
import { formatCall } from './callers.ts';
import { CommandError, fail } from './command-error.ts';
import { addOperation, formatTable, performOnBackend, readInput, withOperator } from './operator-command.ts';
import { print, printAll } from './output.ts';

/** Redis has deprecations, too. */
const access = { needs: 'store' } as const;

const windows = `A brown-out is one window or one that repeats, in the time zone or in UTC:
  2027-03-02T09:00:00Z/2027-03-02T09:15:00Z
  "tuesday 09:00-09:30 Europe/London"
  "day 23:45-00:15"`;

export function add(program: Command): void {
  const deprecations = program
    .command('deprecations')
    .description('manages deprecated calls and brown-outs; running servers notice changes within two seconds');
  addOperation(deprecations, 'list', listDeprecations, {
    access,
    doc: 'lists the deprecations of the configuration file and those that were added',
    example: 'triglyph deprecations list',
    json: ({ deprecations: active, invalid }) => [...active.map(describe), ...invalid.map(describeInvalid)],
    text: ({ deprecations: active, invalid }) =>
      active.length + invalid.length === 0
        ? ['No call is deprecated.']
        : [
            ...formatTable(active, {
              ID: ({ id }) => id,
              SOURCE: ({ source }) => source,
              CALLS: ({ calls }) => calls,
              SINCE: ({ rule }) => rule.deprecatedSince,
              SUNSET: ({ rule: { sunset = '-', refuseAfterSunset } }) => sunset + (refuseAfterSunset ? ' refused' : ''),
              NOW: ({ state, until }) => (until === undefined ? state : `${state} until ${formatMinute(until)}`),
              'BROWN-OUTS': ({ written }) =>
                ((JSON.parse(written) as DeprecationRule).brownOuts ?? []).map(describeBrownOut).join(', ') || '-',
              EXEMPT: ({ exemptions }) => exemptions.map(({ credential }) => credential).join(' ') || '-',
            }),
            ...invalid.map(({ id, changedBy, faults }) => `${id} of ${changedBy} is not active: ${faults.join(' ')}`),
          ],
  });
  const example = 'triglyph deprecations add --format soap11,soap12 --sunset 2027-06-30';
  const added = addRuleOptions(deprecations.command('add'));
  added
    .description('deprecates calls: those that have all of the given values')
    .addHelpText('after', `\n${windows}\n\nExample:\n  ${example} --brown-out "tuesday 09:00-09:30" --dry-run`)
    .action(({ dryRun, ...options }: SetOptions) =>
      withOperator(async (context) => {
        const today = new Date(context.backend.context.clock.now()).toISOString().slice(0, 10);
        const input = readInput(added, addDeprecation, { rule: { deprecatedSince: today, ...ruleOf(options) } });
        if (dryRun) return preview(input, context);
        const { id } = await perform(addDeprecation, input, context);
        print(`${id} is added: ${await callsOf(id, context)}`);
      }, access),
    );
  const changed = addRuleOptions(
    deprecations.command('change').argument('<id>', 'the id that `deprecations list` prints'),
    true,
  );
  changed
    .description('changes a deprecation that was added; what is not given stays')
    .addHelpText(
      'after',
      `\n${windows}\n\nExample:\n  triglyph deprecations change dp_Fx0uT4mQ9a1s --sunset 2027-09-30 --brown-out none`,
    )
    .action(async (id: string, { dryRun, ...options }: SetOptions) => {
      if (Object.keys(options).length === 0)
        throw new CommandError(['name a change: `triglyph deprecations change --help` lists the options']);
      await withOperator(async (context) => {
        const before = await find(id, context);
        if (before === undefined)
          throw new CommandError([`no deprecation has the id ${id}: \`deprecations list\` prints them`]);
        const { written, revision: seen } = before;
        const rule = withoutRemoved({ ...(JSON.parse(written) as object), except: undefined, ...ruleOf(options) });
        const input = readInput(changed, replaceDeprecation, { id, rule: inLists(rule), seen });
        if (dryRun) return preview(input, context);
        await perform(replaceDeprecation, input, context);
        print(`${id} is changed: ${await callsOf(id, context)}`);
      }, access);
    });
  addOperation(deprecations, 'remove', removeDeprecation, {
    access,
    operands: { id: 'id' },
    flags: { seen: null },
    example: 'triglyph deprecations remove dp_Fx0uT4mQ9a1s',
    text: ({ id }) => [`${id} is removed.`],
  });
  deprecations
    .command('exempt')
    .argument('<id>', 'the id that `deprecations list` prints, also of the configuration file')
    .argument('<credential>', 'the id or the username of a credential')
    .option('--end', 'ends the exemption')
    .description('exempts a credential: its calls are served, and say nothing')
    .addHelpText('after', '\nExample:\n  triglyph deprecations exempt dp_Fx0uT4mQ9a1s cr_Fx0uT4mQ9a1s')
    .action(async (id: string, credential: string, { end }: { readonly end?: true }) => {
      await performOnBackend(end ? endExemption : exemptCaller, { id, credential }, access);
      print(end ? `${id} concerns ${credential} again.` : `${credential} is exempt from ${id}.`);
    });
  deprecations.addHelpText('after', `\nExample:\n  ${example}`);
}

type Listed = Output<typeof listDeprecations>['deprecations'][number];

async function find(id: string, context: OperatorContext): Promise<Listed | undefined> {
  return (await perform(listDeprecations, {}, context)).deprecations.find((each) => each.id === id);
}

async function callsOf(id: string, context: OperatorContext): Promise<string> {
  return (await find(id, context))?.calls ?? '';
}

function describe({ id, source, state, until, written, changedAt, changedBy, exemptions }: Listed) {
  return {
    ...{ id, source, state, until: timeOf(until), rule: JSON.parse(written) as unknown },
    ...{ changedAt: timeOf(changedAt), changedBy },
    exemptions: exemptions.flatMap(({ credential, exemptedAt, exemptedBy }) =>
      exemptedAt === undefined ? [] : [{ credential, exemptedAt: timeOf(exemptedAt), exemptedBy }],
    ),
  };
}

function describeInvalid({
  id,
  written: rule,
  changedAt,
  changedBy,
  faults,
}: Output<typeof listDeprecations>['invalid'][number]) {
  return { id, source: 'store', state: 'invalid', rule, changedAt: timeOf(changedAt), changedBy, faults };
}

function timeOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

/** Removes a member. */
const removal = 'none';

/** The options that describe a rule, by the names of options. */
interface SetOptions {
  readonly dryRun?: true;
  readonly format?: string;
  readonly version?: string;
  readonly service?: string;
  readonly operation?: string;
  readonly credential?: string;
  readonly since?: string;
  readonly sunset?: string;
  readonly refuseAfterSunset?: boolean;
  readonly link?: string;
  readonly brownOut?: readonly unknown[];
}

/** `isChange`: what is not given stays. */
function addRuleOptions(command: Command, isChange = false): Command {
  const orNone = isChange ? '; none: all' : '';
  const noneAtAll = isChange ? '; none removes it' : '';
  const brownOut = `when they are refused; repeat it for more${isChange ? ', instead of those before; none removes all' : ''}`;
  const result = command
    .option('--format <formats>', `calls in these formats, with commas between them${orNone}`)
    .option('--service <services>', `calls of these services${orNone}`)
    .option('--operation <operations>', `calls of these operations${orNone}`)
    .option('--version <versions>', `calls with these versions in the address${orNone}`)
    .option('--credential <credentials>', `calls of these credentials, by id or username${orNone}`)
    .option('--since <time>', `since when they are deprecated${isChange ? '' : '; by default today'}: 2026-12-01`)
    .option('--sunset <time>', `when they may end: 2027-06-30, or 2027-06-30T22:00:00Z${noneAtAll}`)
    .option('--refuse-after-sunset', 'refuses them after the sunset')
    .option('--link <url>', `the page that says what to do instead${noneAtAll}`)
    .addOption(
      new Option('--brown-out <window>', brownOut).argParser<readonly unknown[]>((text, before = []) => [
        ...before,
        parseBrownOut(text),
      ]),
    )
    .option('--dry-run', 'changes nothing, and lists the callers of the last 30 days that it concerns');
  return isChange ? result.option('--no-refuse-after-sunset', 'serves them after the sunset') : result;
}

/** Throws InvalidArgumentError for a text that is no window. Faults of its parts are found with those of the rule. */
function parseBrownOut(text: string): unknown {
  if (text === removal) return removal;
  const [, from, to] = /^(\S+)\/(\S+)$/.exec(text.trim()) ?? [];
  if (from !== undefined && to !== undefined && /^\d/.test(from)) return { from, to };
  const [, every, start, end, timeZone] = /^([a-z]+) +([\d:]+) *- *([\d:]+)(?: +(\S+))?$/i.exec(text.trim()) ?? [];
  if (every === undefined || start === undefined || end === undefined)
    throw new InvalidArgumentError('Give a window like "tuesday 09:00-09:30 Europe/London".');
  return { every: every.toLowerCase(), from: start, to: end, timeZone };
}

type Rule = Readonly<Record<string, unknown>>;

/** The members of a rule that are given. `none` stands for one to be removed. */
function ruleOf({ since, version, brownOut, ...options }: SetOptions): Rule {
  const names = (text: string | undefined) =>
    text === undefined || text === removal ? text : text.split(',').map((each) => each.trim());
  const { format, service, operation, credential, sunset, refuseAfterSunset, link } = options;
  const given = {
    ...{ format: names(format), service: names(service), operation: names(operation), credential: names(credential) },
    ...{ version: names(version?.replace(/\bv(?=\d)/gi, '')), deprecatedSince: since, sunset, refuseAfterSunset, link },
    brownOuts: brownOut?.includes(removal) ? removal : brownOut,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function withoutRemoved(rule: Rule): Rule {
  return Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== removal));
}

/** The contract has lists where a stored rule may have one value. */
function inLists(rule: Rule): Rule {
  const lists = ['format', 'version', 'service', 'operation', 'credential'].flatMap((name) =>
    rule[name] === undefined ? [] : [[name, [rule[name]].flat()] as const],
  );
  return { ...rule, ...Object.fromEntries(lists) };
}

async function preview({ rule }: Pick<Input<typeof addDeprecation>, 'rule'>, context: OperatorContext): Promise<void> {
  const { faults, callers, total } = await perform(previewDeprecation, { rule }, context);
  fail(faults);
  if (callers.length === 0) return print('It concerns no caller of the last 30 days. Nothing is changed.');
  printAll(
    formatTable(callers, {
      ID: ({ id }) => id,
      'LAST USED': ({ lastUsedAt }) => formatMinute(lastUsedAt),
      CREDENTIAL: ({ username, credential }) => username ?? credential ?? '-',
      CALL: formatCall,
      FORMAT: ({ format }) => format,
      REQUESTS: ({ requests }) => requests,
      EXEMPT: ({ isExempt }) => (isExempt ? 'yes' : '-'),
    }),
  );
  if (total > callers.length) print(`and ${total - callers.length} more`);
  print('Nothing is changed.');
}
