/**
 * One fault between the gateway and an upstream, against every kind of request in several formats. Requests are sent while the fault
 * lasts, and retried after it as a client retries. The answers are compared with what the upstream has done.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { createProtocols } from '../../../src/core/formats/wire-formats.ts';
import { services } from '../../../src/payments/index.ts';
import { recurringV25 } from '../../../src/payments/recurring/versions.ts';
import { statement } from '../../../src/program/api/contract.ts';
import { builtIn, type RunningGateway } from '../../../src/program/api/index.ts';
import { type StartedGateway, startGateway } from '../../../src/program/app/create-gateway.ts';
import { startJsonServer } from '../../support/json-server.ts';
import { demoAuthorization } from '../../support/server.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { type Fault, faults, writeCertificates } from './faults.ts';
import { type Defect, startFaultyUpstream } from './faulty-upstream.ts';
import { problemIn } from './problem-in.ts';

export const modes = ['header', 'none'] as const;
export type Mode = (typeof modes)[number];

const kinds = ['a read', 'a write with a key', 'a write without a key'] as const;
const formats = ['soap11', 'soap12', 'json', 'form', 'adapter'] as const;

/** An answer as a client sees it. */
interface ClientAnswer {
  readonly isSuccess: boolean;
  /** `internal 701 ...` */
  readonly problem: string;
  /** Whether the answer says that the request may be sent again. */
  readonly mayRetry: boolean | undefined;
}

interface Cell {
  readonly kind: (typeof kinds)[number];
  readonly format: (typeof formats)[number];
  readonly shopper: string;
  readonly key: string | undefined;
  /** What a defective gateway does not say may be retried. */
  readonly finalWords: string | undefined;
  readonly answers: ClientAnswer[];
}

/** What is true of a cell in the end. */
interface Facts {
  readonly fault: Fault;
  readonly mode: Mode;
  /** Whether the request reached the upstream while the fault lasted. */
  readonly reached: boolean;
  readonly effects: number;
  readonly isPending: boolean;
}

/** Returns what is wrong: nothing where all guarantees hold. */
export async function findingsOf(fault: Fault, mode: Mode, defect?: Defect): Promise<readonly string[]> {
  const folder = tempFolder();
  const jsonServer = await startJsonServer({ deduplicate: mode === 'header' });
  const isSecure = typeof faults[fault].connection === 'object';
  const upstream = await startFaultyUpstream({ target: jsonServer.origin, isSecure, defect });
  const { gateway, backend } = await startGateway({
    ...builtIn(),
    settings: { LOG_LEVEL: 'fatal' },
    upstreams: {
      json: {
        url: `${isSecure ? 'https' : 'http'}://${hostOf(fault)}:${upstream.port}`,
        credentials: 'forward',
        idempotency: mode,
        // This upstream fails after the effect.
        ...(faults[fault].hasEffect && { serverErrors: 'unknown' }),
        timeouts: { connectMs: 2_000, headersMs: 1_500, bodyMs: 1_500 },
        ...(isSecure && { tls: { caFile: writeCertificates(folder.path) } }),
      },
    },
    answeredBy: { Recurring: 'json' },
  });
  try {
    const finalWords = defect === 'failures are final' ? faults[fault].words : undefined;
    const cells = kinds.flatMap((kind) => formats.map((format): Cell => newCell(kind, format, finalWords)));
    await upstream.fail(fault);
    await Promise.all(cells.map((cell) => send(gateway, cell)));
    const reached = new Set(
      cells.filter(({ shopper }) => upstream.requests.some(({ body }) => body.includes(shopper))),
    );
    await upstream.heal();
    if (isPassing(fault)) await Promise.all(cells.map((cell) => retry(gateway, cell)));
    const effects = await jsonServer.allEffects();
    const pending = await pendingInputs(backend);
    return cells.flatMap((cell) => {
      const facts = {
        fault,
        mode,
        reached: reached.has(cell),
        effects: effects[`storeToken ${cell.shopper}`] ?? 0,
        isPending: pending.some((input) => input.includes(cell.shopper)),
      };
      return check(cell, facts).map(
        (text) => `${cell.kind}, ${cell.format}: ${text}: ${JSON.stringify({ ...facts, ...cell })}`,
      );
    });
  } finally {
    await gateway.close();
    await upstream.close();
    await jsonServer.close();
    folder.discard();
  }
}

/** Names below `.invalid` have no address (RFC 2606). */
function hostOf(fault: Fault): string {
  return isPassing(fault) ? '127.0.0.1' : 'upstream.invalid';
}

function isPassing(fault: Fault): boolean {
  return faults[fault].connection !== 'unknown host';
}

function newCell(kind: Cell['kind'], format: Cell['format'], finalWords: string | undefined): Cell {
  return {
    kind,
    format,
    // Its digits could be those of a card number, which is masked.
    shopper: randomUUID().replaceAll(/\d/g, 'g'),
    key: kind === 'a write with a key' ? randomUUID() : undefined,
    finalWords,
    answers: [],
  };
}

const protocols = createProtocols(services);
const merchantAccount = 'DemoMerchant';
const card = { number: '4111111111111111', expiryMonth: '8', expiryYear: '2031', holderName: 'Anna van Dijk' };

async function send(gateway: RunningGateway, cell: Cell): Promise<void> {
  const { kind, format, shopper, key, finalWords, answers } = cell;
  const operation = recurringV25.operations.get(kind === 'a read' ? 'listRecurringDetails' : 'storeToken')!;
  const input = {
    merchantAccount,
    shopperReference: shopper,
    ...(kind !== 'a read' && { card, recurring: { contract: ['RECURRING'] } }),
  };
  const { path, contentType, body } = protocols[format].encodeRequest(recurringV25, operation, input);
  const headers = {
    'content-type': contentType,
    authorization: demoAuthorization,
    ...(key !== undefined && { 'idempotency-key': key }),
  };
  const response = await gateway.fetch(new Request(`http://gateway${path}`, { method: 'POST', headers, body }));
  const text = await response.text();
  const transient = response.headers.get('transient-error');
  const mayRetry = transient === null ? undefined : transient === 'true';
  if (response.status === 200) {
    const { issues } = protocols[format].decodeResponse(operation, text);
    answers.push({ isSuccess: issues.length === 0, problem: '', mayRetry });
    return;
  }
  const { type, code, message } = problemIn(format, response.headers.get('content-type') ?? '', text);
  const problem = `${type} ${code} ${message}`;
  answers.push({ isSuccess: false, problem, mayRetry: problem === finalWords ? undefined : mayRetry });
}

const retriesMax = 20;
const pauseMs = 150;

/** As the documentation tells a client: again where the answer says so, and anything else is final. */
async function retry(gateway: RunningGateway, cell: Cell): Promise<void> {
  for (let count = 0; count < retriesMax; count += 1) {
    const last = cell.answers.at(-1)!;
    if (last.isSuccess || last.mayRetry !== true) return;
    await send(gateway, cell);
    if (!cell.answers.at(-1)!.isSuccess) await wait(pauseMs);
  }
}

const allPending = statement<{ readonly input: string }>('select input from pending_request');

async function pendingInputs({ store }: StartedGateway['backend']): Promise<readonly string[]> {
  return (await store.read((tx) => tx.query(allPending, []))).map(({ input }) => input);
}

const messages = {
  unavailable: 'internal 703 Required resource temporarily unavailable',
  badAnswer: 'internal 701 No valid answer from the server behind the gateway',
  outcomeUnknown:
    'internal 701 The outcome of this request is not known, and it is not repeated: ask the operator of the service',
  executed:
    'configuration 701 The request was executed, and its answer is larger than the gateway accepts: ask the operator of the service (responseBytesMax of the upstream)',
  refused: 'configuration 701 The server behind the gateway refused the request',
} as const;

function check(cell: Cell, { fault, mode, reached, effects, isPending }: Facts): readonly string[] {
  const { kind, answers } = cell;
  const first = answers[0]!;
  const last = answers.at(-1)!;
  const isWrite = kind !== 'a read';
  const isUnknown = isWrite && last.problem === messages.outcomeUnknown;
  const findings: string[] = [];
  const expect = (holds: boolean, text: string) => {
    if (!holds) findings.push(text);
  };
  expect(effects <= 1, 'the effect is doubled');
  expect(!isWrite || !answers.some(({ isSuccess }) => isSuccess) || effects === 1, 'a success without an effect');
  expect(!first.isSuccess, 'a success while the fault lasts');
  expect(
    [...Object.values(messages), faults[fault].words].some((text) => text === first.problem),
    'another problem',
  );
  // A retry repeats no effect where nothing was sent, nothing is written, or the upstream knows the key.
  const isRepeatable = !isWrite || (kind === 'a write with a key' && mode === 'header');
  const isNothingDone = faults[fault].known === 'not sent' || first.problem === messages.unavailable;
  expect(first.mayRetry !== true || isNothingDone || isRepeatable, 'may be sent again, and may have had its effect');
  const isExecuted = last.problem === messages.executed && (!isWrite || effects === 1);
  expect(isExecuted || last.problem !== messages.executed, 'executed, without an effect');
  const isFinal = !last.isSuccess && last.mayRetry !== true && last.problem !== messages.outcomeUnknown && !isExecuted;
  expect(!isWrite || !isFinal || effects === 0, 'refused for good, and the effect is there');
  if (faults[fault].known === 'not sent')
    expect([messages.unavailable, faults[fault].words].includes(first.problem), 'nothing was sent');
  if (reached && isWrite) expect(first.problem !== messages.unavailable || !faults[fault].hasEffect, 'it was sent');
  if (!isPassing(fault)) return findings;
  const isAnswered = last.problem === faults[fault].words && last.mayRetry === undefined;
  const isRefused = (isAnswered || last.problem === messages.refused) && effects === 0;
  if (isRepeatable || faults[fault].known === 'not sent')
    expect(last.isSuccess || isRefused || isExecuted, 'no success in the end');
  else expect(last.isSuccess || isUnknown || isRefused || isExecuted, 'no outcome in the end');
  expect(isPending === (isUnknown && kind === 'a write with a key'), 'listed as unknown, or not');
  return findings;
}
