/** `triglyph replay`: sends recorded requests to a server, and compares its answers with the recorded ones. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Service } from '../../core/contract/index.ts';
import {
  compileRules,
  DifferenceTally,
  filesOf,
  IdPairs,
  RecordingError,
  RuleError,
  RuleLearner,
  type RuleTexts,
  unusedPaths,
} from '../../forward/index.ts';
import { saveComparison } from '../../operators/index.ts';
import { CommandError } from './command-error.ts';
import { performOnBackend } from './operator-command.ts';
import { print, printAll } from './output.ts';
import { checkProject } from './project.ts';
import { servedServices } from './project-upstreams.ts';
import { Pace } from './replay/pace.ts';
import { jsonOf, savedOf, textOf } from './replay/print-result.ts';
import { type Selection, sendAll } from './replay/send-all.ts';
import { ReplayState } from './replay/state.ts';
import { openTarget, type TargetOptions } from './replay/target.ts';
import { firstSignal } from './until-stopped.ts';

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
    .option('--fresh-keys', 'with --writes: each replay has new keys, so that its requests have their effect again')
    .option('--rules <file>', 'what does not count as a difference, and which differences are accepted, as JSON')
    .addOption(
      new Option(
        '--learn <file>',
        'writes rules by which nothing that differs now is a difference: for the recorded server itself',
      ).conflicts('state'),
    )
    .option('--state <file>', 'the file with the progress: a replay that was interrupted goes on where it was')
    .option('--send-uncertain', 'with --state: sends writes again that may have had their effect in an earlier run')
    .option('--save <name>', 'saves the result in the store for triglyph report, without values')
    .option('--json', 'prints JSON')
    .description('sends recorded requests to a server, and compares its answers with the recorded ones')
    .addHelpText('after', help)
    .action(replay);
}

interface Options extends Omit<TargetOptions, 'run'>, Selection {
  readonly rate: number;
  readonly rules?: string;
  readonly learn?: string;
  readonly state?: string;
  readonly save?: string;
  readonly json?: true;
}

async function replay(recordings: readonly string[], options: Options): Promise<void> {
  checkProject();
  const services = servedServices();
  const rules = readRules(options.rules, services);
  const files = (await Promise.all(recordings.map(filesOf))).flat();
  if (options.sendUncertain && options.state === undefined)
    throw new CommandError(['--send-uncertain is about an earlier run: name its --state, too']);
  if (files.length === 0) throw new CommandError([`${recordings.join(', ')}: there is no recording: RECORD makes one`]);
  const counted = {
    tally: new DifferenceTally(),
    ids: new IdPairs(),
    skipped: new Map<string, number>(),
    unknownMembers: new Set<string>(),
    uncertain: new Set<string>(),
  };
  const { state: file, rate, against, format, only, writes, freshKeys } = options;
  const subject = [recordings.map((each) => resolve(each)), against, format, only, writes, freshKeys, rules];
  const state = new ReplayState(file, subject, counted);
  const pace = new Pace(rate);
  const target = openTarget({ ...options, run: state.run }, services, counted.unknownMembers, () => pace.skip());
  const failures = new Map<string, number>();
  const learner = options.learn === undefined ? undefined : new RuleLearner();
  const stop = new AbortController();
  const over = new AbortController();
  void firstSignal(['SIGINT', 'SIGTERM', 'SIGHUP'], over.signal).then(() => stop.abort());
  const rulesOf = compileRules(rules);
  const parts = { selection: options, services, rulesOf, target, pace, state, counted, failures, learner };
  let early: string | undefined;
  try {
    early = earlyEnds[(await sendAll(files, { ...parts, signal: stop.signal })) ?? 'none'];
  } catch (thrown) {
    if (!(thrown instanceof RecordingError)) throw thrown;
    early = thrown.message;
  } finally {
    over.abort();
    state.save();
    await target.close();
  }
  if (options.learn !== undefined) writeFileSync(options.learn, `${JSON.stringify(learner?.rules(), null, 2)}\n`);
  const result = { ...counted, failures };
  if (options.json) print(jsonOf(result));
  else printAll(textOf(result));
  const isWhole = early === undefined && failures.size + counted.uncertain.size === 0;
  if (isWhole) state.remove();
  if (options.save !== undefined)
    await performOnBackend(saveComparison, { name: options.save, ...savedOf(result) }, { needs: 'store' });
  const differs = counted.tally.different + counted.unknownMembers.size > 0;
  // A replay that has compared nothing says nothing of the server.
  const isEmpty = counted.tally.compared === 0;
  if (!isWhole || isEmpty || (differs && options.learn === undefined)) process.exitCode = 1;
  if (early !== undefined)
    throw new CommandError([`${early}${file === undefined ? '' : `; the same command goes on with ${file}`}`]);
  if (file !== undefined && counted.uncertain.size > 0)
    throw new CommandError([
      `${file} names ${counted.uncertain.size} writes that may have had their effect: the same command with --send-uncertain sends them again`,
    ]);
}

const earlyEnds = {
  none: undefined,
  stopped: 'the replay was interrupted',
  gone: 'the server no longer answers, so the replay has ended',
} as const;

function readRules(file: string | undefined, services: readonly Service[]): RuleTexts {
  if (file === undefined) return {};
  try {
    const texts = JSON.parse(readFileSync(file, 'utf8')) as RuleTexts;
    compileRules(texts);
    const operations = services.flatMap((each) => [...each.operations.values()]);
    const unused = unusedPaths(texts, new Map(operations.map(({ name, output }) => [name, output])));
    if (unused.length > 0) throw new RuleError(`no answer has ${unused.join(', ')}`);
    return texts;
  } catch (thrown) {
    if (thrown instanceof RuleError || thrown instanceof SyntaxError)
      throw new CommandError([`${file}: ${thrown.message}`]);
    throw thrown;
  }
}

function parseRate(text: string): number {
  const rate = Number(text);
  if (!(rate > 0 && rate <= 10_000)) throw new InvalidArgumentError('A rate is a number, such as 10.');
  return rate;
}

const help = `
Example:
  triglyph replay recordings --against https://new.example.com --format json --rate 20 --rules rules.json --state replay.json

Requests that read are sent; with --writes those that write, too, each with a key that names the recorded request. Requests with masked
members are sent where the recording holds them sealed (RECORD_SENSITIVE), and this command has the keys of the gateway.
Exit codes: 0 no differences but accepted ones, 1 differences, requests without an answer, no request that was
sent, a recording that cannot be read, or an interruption, 2 usage error.`;
