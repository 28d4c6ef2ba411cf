/** The steps of a request with their times, and those between them that nothing else observes. */
import type { TrafficDetails, TrafficStep } from './record.ts';
import type { Recording } from './recording.ts';

/** `ms`: from the arrival of the head to the writing of the response, which is about now. No step began before the head arrived. */
export function describeSteps(
  { steps, upstream }: Pick<Recording, 'steps' | 'upstream'>,
  ms: number,
  now = performance.now(),
): Pick<TrafficDetails, 'steps' | 'upstream'> {
  const begin = Math.min(now - ms, ...steps.map(({ startedAt }) => startedAt));
  const since = (at: number): number => rounded(at - begin);
  const observed = steps
    .map(
      ({ name, startedAt, ms: took, isFailed }): TrafficStep => ({
        name,
        startMs: since(startedAt),
        ms: rounded(took),
        isFailed,
      }),
    )
    .toSorted((a, b) => a.startMs - b.startMs);
  const decode = observed.find(({ name }) => name === 'decode');
  const execute = observed.find(({ name }) => name === 'execute');
  const between = (name: TrafficStep['name'], startMs: number, endMs: number): TrafficStep => ({
    name,
    startMs: rounded(startMs),
    ms: rounded(Math.max(endMs - startMs, 0)),
    isFailed: false,
  });
  const decoded = decode && decode.startMs + decode.ms;
  const executed = execute === undefined ? decoded : execute.startMs + execute.ms;
  return {
    steps: [
      between('receive', 0, decode?.startMs ?? ms),
      ...(decode === undefined ? [] : [decode]),
      ...(decoded === undefined || execute === undefined ? [] : [between('authorize', decoded, execute.startMs)]),
      ...observed.filter((each) => each !== decode),
      ...(executed === undefined ? [] : [between('answer', executed, ms)]),
    ],
    upstream: upstream.map(({ startedAt, ms: took, ...call }) => ({
      ...call,
      startMs: since(startedAt),
      ms: rounded(took),
    })),
  };
}

/** Microseconds. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
