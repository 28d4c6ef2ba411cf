/** `triglyph replay`: sends recorded requests to a server, and compares its answers with the recorded ones. */
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { keyProviderOf, readKeys } from '../backend/key-provider.ts';
import { compareAnswers, type DifferenceGroup, DifferenceTally } from '../compare/compare-answers.ts';
import { IdPairs } from '../compare/compare-values.ts';
import { RuleLearner } from '../compare/learn-rules.ts';
import {
  filesOf,
  type RecordedRequest,
  RecordingError,
  readRecording,
  sealedRecordOf,
} from '../compare/recorded-request.ts';
import { compileRules, RuleError, type Rules, type RuleTexts, unusedPaths } from '../compare/rules.ts';
import type { Operation } from '../contract/operation.ts';
import { maskSensitive } from '../contract/redaction.ts';
import type { Service } from '../contract/service.ts';
import type { Vault } from '../vault/ports.ts';
import { createVault } from '../vault/vault.ts';
import { CommandError } from './command-error.ts';
import { showProgress } from './import/progress.ts';
import { print, printAll } from './output.ts';
import { checkProject, readProjectConfig } from './project.ts';
import { servedServices } from './project-upstreams.ts';
import { recordInStore } from './record-command.ts';
import { openTarget, type Target, type TargetOptions } from './replay/target.ts';

export function add(program: Command): void {
  program
    .command('replay')
    .argument('<recording...>', 'files of a recording, or folders with them')
    .requiredOption('--against <server>', 'the address of a server, or a file with the members of an upstream as JSON')
    .option('--format <format>', 'how it is asked: as-recorded, json, form, soap11, soap12 or adapter')
    .option('--username <name>', 'the name for Basic authentication; the secret is its password')
    .option('--secret-file <file>', 'the file with the secret; without a name it is an API key')
    .option('--rate <number>', 'requests per second', parseRate, 10)
    .option('--only <operations>', 'the operations that are sent, with commas', (text) => text.split(','))
    .option('--writes', 'sends requests that write, too, with keys of their own')
    .option('--rules <file>', 'what does not count as a difference, as JSON')
    .option(
      '--learn <file>',
      'writes rules by which nothing that differs now is a difference: for the recorded server itself',
    )
    .option('--json', 'prints JSON')
    .description('sends recorded requests to a server, and compares its answers with the recorded ones')
    .addHelpText('after', help)
    .action(replay);
}

interface Options extends TargetOptions {
  readonly rate: number;
  readonly only?: readonly string[];
  readonly writes?: true;
  readonly rules?: string;
  readonly learn?: string;
  readonly json?: true;
}

/** Why requests were not sent. */
type Skipped = 'writes' | 'masked' | 'other operations' | 'unknown to the contract';

interface Outcome {
  readonly tally: DifferenceTally;
  readonly learner: RuleLearner;
  readonly skipped: Map<Skipped, number>;
  /** Requests without an answer, by what failed. */
  readonly failures: Map<string, number>;
}

/** Requests on the way. A server that is slower than the rate is not flooded. */
const inFlightMax = 16;

async function replay(recordings: readonly string[], options: Options): Promise<void> {
  checkProject();
  const services = servedServices();
  const rulesOf = readRules(options.rules, services);
  const files = (await Promise.all(recordings.map(filesOf))).flat();
  if (files.length === 0) throw new CommandError([`${recordings.join(', ')}: there is no recording: RECORD makes one`]);
  const pace = new Pace(options.rate);
  const target = openTarget(options, services, () => pace.skip());
  const outcome: Outcome = {
    tally: new DifferenceTally(),
    learner: new RuleLearner(),
    skipped: new Map(),
    failures: new Map(),
  };
  try {
    await sendAll(files, { options, services, rulesOf, target, pace }, outcome);
  } catch (thrown) {
    throw thrown instanceof RecordingError ? new CommandError([thrown.message]) : thrown;
  } finally {
    await target.close();
  }
  const { tally, learner, failures } = outcome;
  if (options.learn !== undefined) writeFileSync(options.learn, `${JSON.stringify(learner.rules(), null, 2)}\n`);
  report(outcome, target.unknownMembers, options);
  if (options.learn === undefined && tally.different + target.unknownMembers.size > 0) process.exitCode = 1;
  if (failures.size > 0) process.exitCode = 1;
}

interface Parts {
  readonly options: Options;
  readonly services: readonly Service[];
  readonly rulesOf: (operation: string) => Rules;
  readonly target: Target;
  readonly pace: Pace;
}

async function sendAll(files: readonly string[], parts: Parts, outcome: Outcome): Promise<void> {
  const { options, services, pace } = parts;
  const { skipped } = outcome;
  const progress = showProgress(files.length);
  const inFlight = new Set<Promise<void>>();
  const ids = new IdPairs();
  let vault: Vault | undefined;
  for (const [at, file] of files.entries()) {
    for await (const record of readRecording(file)) {
      const found = findOperation(services, record);
      const reason = found === undefined ? 'unknown to the contract' : reasonToSkip(record, options);
      if (found === undefined || reason !== undefined) {
        add1(skipped, reason ?? 'unknown to the contract');
        continue;
      }
      if (record.isMasked) vault ??= await openVault();
      const input = record.isMasked ? openInput(record, vault!) : record.input;
      await pace.next();
      if (inFlight.size >= inFlightMax) await Promise.race(inFlight);
      const sent = compareOne(record, found, input, parts, ids, outcome).finally(() => inFlight.delete(sent));
      inFlight.add(sent);
      progress.update(at, `${outcome.tally.compared} compared, ${outcome.tally.different} different`);
    }
  }
  await Promise.all(inFlight);
  progress.stop();
}

async function compareOne(
  record: RecordedRequest,
  { service, operation }: Found,
  input: unknown,
  { target, rulesOf, options }: Parts,
  ids: IdPairs,
  { tally, learner, failures }: Outcome,
): Promise<void> {
  const answer = await target.ask(service, operation, record, input);
  if ('failure' in answer) return add1(failures, answer.failure);
  const output = answer.output === undefined ? undefined : maskSensitive(operation.output, answer.output);
  const rules = rulesOf(operation.name);
  const recorded = record.refusal === undefined ? { output: record.output } : { refusal: record.refusal };
  const differences = compareAnswers(operation, recorded, { ...answer, output }, rules, ids);
  const { caller, at, reference } = record;
  tally.add({ operation: operation.name, caller, at: Date.parse(at), reference }, differences, rules);
  if (options.learn !== undefined) learner.add(operation.name, differences);
}

interface Found {
  readonly service: Service;
  readonly operation: Operation;
}

function findOperation(
  services: readonly Service[],
  { service, version, operation }: RecordedRequest,
): Found | undefined {
  const found = services.find((each) => each.name === service && each.version === version);
  const named = found?.operations.get(operation);
  return found && named && { service: found, operation: named };
}

function reasonToSkip(
  { operation, effect, isMasked, sealed }: RecordedRequest,
  { only, writes }: Options,
): Skipped | undefined {
  if (only !== undefined && !only.includes(operation)) return 'other operations';
  if (effect === 'writes' && writes !== true) return 'writes';
  return isMasked && sealed === undefined ? 'masked' : undefined;
}

/** What was sealed leaves the gateway: the audit log says so. */
async function openVault(): Promise<Vault> {
  const config = readProjectConfig('production');
  await recordInStore();
  return createVault(await readKeys(config, keyProviderOf(config)));
}

function openInput(record: RecordedRequest, vault: Vault): unknown {
  const { tenant, sealed } = record;
  return JSON.parse(vault.open({ tenant, record: sealedRecordOf(record) }, sealed!, 'payload'));
}

function readRules(file: string | undefined, services: readonly Service[]): (operation: string) => Rules {
  if (file === undefined) return compileRules({});
  try {
    const texts = JSON.parse(readFileSync(file, 'utf8')) as RuleTexts;
    const rules = compileRules(texts);
    const operations = services.flatMap((each) => [...each.operations.values()]);
    const unused = unusedPaths(texts, new Map(operations.map(({ name, output }) => [name, output])));
    if (unused.length > 0) throw new RuleError(`no answer has ${unused.join(', ')}`);
    return rules;
  } catch (thrown) {
    if (thrown instanceof RuleError || thrown instanceof SyntaxError)
      throw new CommandError([`${file}: ${thrown.message}`]);
    throw thrown;
  }
}

/** Lets so many requests begin in a second, evenly. */
class Pace {
  readonly #everyMs: number;
  #nextAt = 0;

  constructor(rate: number) {
    this.#everyMs = 1_000 / rate;
  }

  async next(): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + this.#everyMs;
    if (at > now) await wait(at - now);
  }

  /** One more request has begun. */
  skip(): void {
    this.#nextAt = Math.max(performance.now(), this.#nextAt) + this.#everyMs;
  }
}

function report({ tally, skipped, failures }: Outcome, unknownMembers: ReadonlySet<string>, { json }: Options): void {
  const groups = tally.list();
  const { compared, different, forgotten } = tally;
  if (json) {
    const counts = (map: ReadonlyMap<string, number>) => Object.fromEntries(map);
    print(
      JSON.stringify({
        ...{ compared, different, forgotten, failures: counts(failures), skipped: counts(skipped) },
        unknownMembers: [...unknownMembers],
        differences: groups.map(jsonOf),
      }),
    );
    return;
  }
  printAll([
    `${compared} answers compared, ${different} different`,
    ...[...skipped].map(([reason, count]) => `${count} not sent: ${reason}`),
    ...[...failures].map(([reason, count]) => `${count} without an answer: ${reason}`),
    ...[...unknownMembers].map((member) => `the contract lacks ${member}`),
    ...(forgotten > 0 ? [`${forgotten} kinds of differences are not listed`] : []),
    ...groups.flatMap(textOf),
  ]);
}

function jsonOf({ callers, firstAt, lastAt, ...group }: DifferenceGroup): object {
  const times = { firstAt: new Date(firstAt).toISOString(), lastAt: new Date(lastAt).toISOString() };
  return { ...group, ...times, callers: [...callers] };
}

function textOf({
  operation,
  path,
  kind,
  count,
  firstAt,
  callers,
  example,
  accepted,
}: DifferenceGroup): readonly string[] {
  const { left, right, at, reference } = example;
  const shown = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value).slice(0, 200));
  const who = `${callers.size} ${callers.size === 1 ? 'caller' : 'callers'} since ${new Date(firstAt).toISOString()}`;
  return [
    '',
    `${operation} ${path} (${kind}): ${count} times, ${who}${accepted === undefined ? '' : `; accepted: ${accepted}`}`,
    `  ${reference} ${at}: ${shown(left)} recorded, ${shown(right)} now`,
  ];
}

function add1<K>(counts: Map<K, number>, name: K): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function parseRate(text: string): number {
  const rate = Number(text);
  if (!(rate > 0 && rate <= 10_000)) throw new InvalidArgumentError('A rate is a number, such as 10.');
  return rate;
}

const help = `
Example:
  triglyph replay recordings --against https://new.example.com --format json --rate 20 --rules rules.json

Requests that read are sent; with --writes those that write, too, each with a key that names the recorded request. Requests with masked
members are sent where the recording holds them sealed (RECORD_SENSITIVE), and this command has the keys of the gateway.
Exit codes: 0 no differences but accepted ones, 1 differences or requests without an answer.`;
