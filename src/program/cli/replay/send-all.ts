/** Sends the requests of a recording at a rate, and compares each answer with the recorded one. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { keyProviderOf, readKeys } from '../../../backend/index.ts';
import { maskSensitive, type Operation, problems, type Service } from '../../../core/contract/index.ts';
import { isMembers } from '../../../core/lib/index.ts';
import { createVault, type Vault } from '../../../core/vault/index.ts';
import {
  compareAnswers,
  type RecordedRequest,
  type RuleLearner,
  type Rules,
  readRecording,
  sealedRecordOf,
} from '../../../forward/index.ts';
import { showProgress } from '../import/progress.ts';
import { readProjectConfig } from '../project.ts';
import { recordInStore } from '../record-command.ts';
import type { Pace } from './pace.ts';
import type { Counted, Ending, ReplayState } from './state.ts';
import type { Target } from './target.ts';

/** Why a request is not sent. */
type Skipped = 'writes' | 'masked' | 'other operations' | 'unknown to the contract' | 'answered by its key';

/** Which requests are sent. */
export interface Selection {
  readonly only?: readonly string[];
  readonly writes?: true;
  /** With the state of an earlier run: sends writes again that may have had their effect. */
  readonly sendUncertain?: true;
}

interface SendParts {
  readonly selection: Selection;
  readonly services: readonly Service[];
  readonly rulesOf: (operation: string) => Rules;
  readonly target: Target;
  readonly pace: Pace;
  readonly state: ReplayState;
  readonly counted: Counted;
  /** Requests without an answer, by what failed. */
  readonly failures: Map<string, number>;
  /** Absent where no rules are learned. */
  readonly learner: RuleLearner | undefined;
  /** Ends the sending; requests on the way are waited for. */
  readonly signal: AbortSignal;
}

/**
 * Requests on the way. A server that is slower than the rate is not flooded. Where requests write, each waits for the one before: the
 * answers of later ones depend on it.
 */
const inFlightMax = 16;
/** Requests without an answer, one after the other, after which the server counts as gone. */
const failuresMax = 50;
/** Texts of failures: a server may make up any. */
const kindsMax = 100;

/** Returns why it ended before the end of the recording; undefined where it did not. Throws RecordingError. */
export async function sendAll(files: readonly string[], parts: SendParts): Promise<'stopped' | 'gone' | undefined> {
  const { services, selection, pace, state, counted, signal } = parts;
  const sizes = files.map((file) => statSync(file).size);
  const progress = showProgress(sizes.reduce((sum, size) => sum + size, 0));
  const inFlight = new Set<Promise<void>>();
  const gone = { inARow: 0 };
  let before = 0;
  let vault: Vault | undefined;
  try {
    for (const [at, file] of files.entries()) {
      for await (const { record, line, bytes } of readRecording(file)) {
        const position = { file: basename(file), line };
        if (state.isDone(position, selection.sendUncertain)) continue;
        const found = findOperation(services, record);
        const reason =
          found === undefined ? 'unknown to the contract' : reasonToSkip(record, found.operation, selection);
        if (found === undefined || reason !== undefined) {
          add1(counted.skipped, reason ?? 'unknown to the contract');
          state.begin(position, false)('answered');
          continue;
        }
        if (record.isMasked) vault ??= await openVault();
        const input = record.isMasked && vault !== undefined ? openInput(record, vault) : record.input;
        if (inFlight.size >= (selection.writes ? 1 : inFlightMax)) await Promise.race(inFlight);
        await pace.next();
        if (signal.aborted) return 'stopped';
        if (gone.inARow >= failuresMax) return 'gone';
        const end = state.begin(position, found.operation.effect === 'writes');
        const sent = compareOne(record, found, input, parts)
          .then((ending) => {
            gone.inARow = ending === 'answered' ? 0 : gone.inARow + 1;
            end(ending);
          })
          .finally(() => inFlight.delete(sent));
        inFlight.add(sent);
        const { compared, different } = counted.tally;
        progress.update(before + bytes, `${compared} compared, ${different} different`);
      }
      before += sizes[at] ?? 0;
    }
    return undefined;
  } finally {
    await Promise.all(inFlight);
    progress.stop();
  }
}

async function compareOne(
  record: RecordedRequest,
  { service, operation }: Found,
  input: unknown,
  { target, rulesOf, counted, failures, learner }: SendParts,
): Promise<Ending> {
  const answer = await target.ask(service, operation, record, counted.ids.toRight(input));
  if ('failure' in answer) {
    add1(failures, failures.size < kindsMax ? answer.failure : 'other failures');
    return operation.effect === 'writes' && answer.mayHaveEffect ? 'unknown' : 'unsent';
  }
  const output = answer.output === undefined ? undefined : maskSensitive(operation.output, answer.output);
  const rules = rulesOf(operation.name);
  const recorded = record.refusal === undefined ? { output: record.output } : { refusal: record.refusal };
  const comparable = { ...answer, output: maskedAs(record.output, output) };
  const differences = compareAnswers(operation, recorded, comparable, rules, counted.ids);
  const { caller, at, reference } = record;
  counted.tally.add({ operation: operation.name, caller, at: Date.parse(at), reference }, differences, rules);
  learner?.add(operation.name, differences);
  return 'answered';
}

/** A gateway also masks what looks like a card number in other texts. An answer that may be such a text is masked as the recorded one. */
function maskedAs(recorded: unknown, answer: unknown): unknown {
  if (typeof recorded === 'string' && typeof answer === 'string') {
    const isMasked = recorded.length === answer.length && recorded.includes('****');
    return isMasked && [...recorded].every((each, at) => each === '*' || each === answer[at]) ? recorded : answer;
  }
  if (Array.isArray(recorded) && Array.isArray(answer)) return answer.map((each, at) => maskedAs(recorded[at], each));
  if (!isMembers(recorded) || !isMembers(answer)) return answer;
  return Object.fromEntries(Object.entries(answer).map(([name, each]) => [name, maskedAs(recorded[name], each)]));
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

/** The contract says what an operation does, and not the recording, which anyone may have written. */
function reasonToSkip(
  { isMasked, sealed, key, outcome }: RecordedRequest,
  { name, effect }: Operation,
  { only, writes }: Selection,
): Skipped | undefined {
  if (only !== undefined && !only.includes(name)) return 'other operations';
  if (effect === 'writes' && writes !== true) return 'writes';
  // Keys are not recorded, so that no other request can have the same one.
  if (effect === 'writes' && (key === 'replayed' || outcome === problems.keyReused.name)) return 'answered by its key';
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
  if (sealed === undefined) throw new TypeError('a request without sealed members is not sent');
  return JSON.parse(vault.open({ tenant, record: sealedRecordOf(record) }, sealed, 'payload'));
}

function add1<K>(counts: Map<K, number>, name: K): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
