/** `triglyph pending settle`: stores what became of a request, or frees its key. */
import { readFileSync } from 'node:fs';
import type { Operation } from '../../contract/operation.ts';
import { dotted } from '../../contract/path.ts';
import { Problem, refusalOfUpstream } from '../../contract/problem.ts';
import { problemsOf, type Service } from '../../contract/service.ts';
import { createProtocols } from '../../formats/index.ts';
import { type Outcome, serializeOutcome } from '../../idempotency/stored-outcome.ts';
import type { UnsettledRequest } from '../../store/sql/unsettled-requests.ts';
import { CommandError } from '../command-error.ts';
import { print } from '../output.ts';
import { servedServices } from '../project-upstreams.ts';
import { withBackend } from '../with-backend.ts';

export interface SettleOptions {
  /** `true` where no output is given. */
  readonly done?: string | true;
  readonly notDone?: boolean;
  readonly refused?: string;
  readonly message?: string;
}

export async function settle(id: string, options: SettleOptions): Promise<void> {
  const { done, notDone, refused, message } = options;
  if ([done, notDone, refused].filter((each) => each !== undefined).length !== 1)
    throw new CommandError(['give one of --done, --not-done and --refused']);
  if (message !== undefined && refused === undefined) throw new CommandError(['--message belongs to --refused']);
  await withBackend(async ({ unsettled }) => {
    const request = await unsettled.find(id);
    if (request === undefined) throw new CommandError([`no request with the id ${id} is pending`]);
    if (request.state === 'inFlight')
      throw new CommandError([`a process may still wait for the answer to ${id}: settle it when its time has passed`]);
    const outcome = notDone || request.recordKey === undefined ? undefined : outcomeText(request, options);
    if (!(await unsettled.settle(id, outcome)))
      throw new CommandError([
        `the answer to ${id} has arrived, or another command has settled it: nothing was changed`,
      ]);
    print(`${id} is settled. ${consequence(request, options)}`);
  });
}

function consequence({ recordKey }: UnsettledRequest, { notDone, refused }: SettleOptions): string {
  if (recordKey === undefined) return 'It had no key, so no retry of it can be known.';
  if (notDone) return 'A retry is executed.';
  return refused === undefined ? 'A retry gets the output.' : 'A retry gets the refusal.';
}

function outcomeText(request: UnsettledRequest, { done, refused, message }: SettleOptions): string {
  const { id: requestReference, service: serviceName, operation: operationName } = request;
  const service = servedServices().findLast(({ name }) => name === serviceName);
  const operation = service?.operations.get(operationName);
  if (service === undefined || operation === undefined)
    throw new CommandError([
      `this program does not serve ${serviceName}.${operationName}: name its configuration file`,
    ]);
  const outcome: Outcome =
    refused === undefined
      ? { requestReference, output: readOutput(service, operation, done) }
      : { requestReference, problem: problemOf(service, refused, message) };
  return serializeOutcome(outcome, operation);
}

function readOutput(service: Service, operation: Operation, done: string | true | undefined): unknown {
  if (typeof done !== 'string') throw new CommandError(['--done needs the output: a retry gets it']);
  const text = done.trimStart().startsWith('{') ? done : readFileSync(done, 'utf8');
  const { json, rest } = createProtocols([service]);
  const { value, issues } = decode(text, operation, operation.http === undefined ? json : rest);
  if (issues.length > 0)
    throw new CommandError([
      `the output breaks the contract of ${service.name}.${operation.name}:`,
      ...issues.map(({ path, message }) => `  ${dotted(path)}: ${message}`),
    ]);
  return value;
}

function decode(text: string, operation: Operation, protocol: ReturnType<typeof createProtocols>['json']) {
  try {
    return protocol.decodeResponse(operation, text);
  } catch (thrown) {
    if (thrown instanceof Problem) throw new CommandError([`the output is no JSON object: ${thrown.message}`]);
    throw thrown;
  }
}

/** The problem of the contract with this code, or one that the contract does not know. */
function problemOf(service: Service, code: string, message: string | undefined): Problem {
  const kinds = [...problemsOf(service).values()].filter((kind) => kind.status === 422 && kind.code === code);
  const [kind] = kinds;
  if (kind !== undefined) return new Problem(kind, message);
  if (message === undefined)
    throw new CommandError([`the contract has no refusal ${code}: give its text with --message`]);
  return new Problem(refusalOfUpstream({ status: 422, code, type: 'validation' }), message);
}
