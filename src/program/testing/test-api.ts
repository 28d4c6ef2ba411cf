/** The test API: the controls of a gateway over HTTP, for tests in other languages. */

import { isMembers, type Members } from '../../core/lib/index.ts';
import { type AdminParts, type AdminRequest, jsonPage, methodPage, type Page } from '../../http/index.ts';
import type { Call } from './calls.ts';
import type { TestControls } from './controls.ts';
import type { Fault } from './fault.ts';
import { checkMembers, InvalidMember } from './invalid-member.ts';
import type { Span } from './test-clock.ts';

export const testApiPath = '/_test';

/** Returns the extension of the admin server, which refuses pages of other sites. */
export function createTestApi(controls: TestControls): NonNullable<AdminParts['extension']> {
  return async (request) => {
    const { path, method } = request;
    if (path !== testApiPath && !path.startsWith(`${testApiPath}/`)) return undefined;
    if (!Object.hasOwn(routes, path)) return jsonPage(404, { paths: Object.keys(routes) });
    const route = routes[path]!;
    const answer = Object.hasOwn(route, method) ? route[method] : undefined;
    if (answer === undefined) return methodPage(Object.keys(route));
    return run(answer, request, controls);
  };
}

type Answer = (controls: TestControls, body: Members) => object | Promise<object>;

const routes: Readonly<Record<string, Readonly<Record<string, Answer>>>> = Object.freeze({
  [`${testApiPath}/reset`]: { POST: reset },
  [`${testApiPath}/clock`]: { GET: showClock, POST: changeClock },
  [`${testApiPath}/faults`]: { GET: showFaults, POST: addFault, DELETE: clearFaults },
  [`${testApiPath}/calls`]: { GET: showCalls },
});

async function run(answer: Answer, { method, body }: AdminRequest, controls: TestControls): Promise<Page> {
  const text = method === 'POST' ? await body() : '';
  if (text === undefined) return refusal(413, 'the body is too large');
  const value = parse(text);
  if (value === undefined) return refusal(400, 'the body is not a JSON object');
  try {
    return jsonPage(200, await answer(controls, value));
  } catch (thrown) {
    if (!(thrown instanceof InvalidMember)) throw thrown;
    return refusal(400, thrown.message, thrown.member);
  }
}

function parse(text: string): Members | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isMembers(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function refusal(status: number, error: string, member?: string): Page {
  return jsonPage(status, { error, member });
}

async function reset(controls: TestControls, body: Members): Promise<object> {
  checkMembers(body, []);
  await controls.reset();
  return showClock(controls);
}

function showClock({ clock }: TestControls): object {
  return { now: new Date(clock.now()).toISOString() };
}

function changeClock(controls: TestControls, body: Members): object {
  checkMembers(body, ['advance', 'set']);
  const { advance, set } = body;
  if ((advance === undefined) === (set === undefined)) throw new InvalidMember('set', 'give either set or advance');
  if (set === undefined) {
    if (!isMembers(advance)) throw new InvalidMember('advance', 'is not an object such as {"days":31}');
    controls.clock.advance(advance as Span);
  } else {
    // Without an offset, the time zone of the server would decide.
    if (typeof set !== 'string' || !/T.*(?:Z|[+-]\d\d:\d\d)$/.test(set))
      throw new InvalidMember('set', 'is not a date with a time zone, such as 2026-01-01T00:00:00Z');
    controls.clock.set(set);
  }
  return showClock(controls);
}

function showFaults({ faults }: TestControls): object {
  return { pending: faults.pending };
}

function addFault(controls: TestControls, { always = false, ...fault }: Members): object {
  if (typeof always !== 'boolean') throw new InvalidMember('always', 'is neither true nor false');
  if (always && fault.times !== undefined) throw new InvalidMember('times', 'has no meaning with always');
  // `next` and `always` check each member.
  if (always) controls.faults.always(fault as Fault);
  else controls.faults.next(fault as Fault);
  return showFaults(controls);
}

function clearFaults(controls: TestControls): object {
  controls.faults.clear();
  return showFaults(controls);
}

function showCalls({ calls }: TestControls): object {
  return { calls: calls.map((call: Call) => ({ ...call, at: new Date(call.at).toISOString() })) };
}
