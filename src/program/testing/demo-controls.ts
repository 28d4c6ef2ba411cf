/** The controls of a demo for its console. */
import { ControlRefused, type DemoControls } from '../../console/index.ts';
import { protocolNames } from '../../core/formats/index.ts';
import type { TestControls } from './controls.ts';
import { InvalidMember } from './invalid-member.ts';

/** @internal */
export function createDemoControls(controls: TestControls): DemoControls {
  const { clock, faults } = controls;
  return Object.freeze<DemoControls>({
    now: () => clock.now(),
    reset: () => controls.reset(),
    changeClock: ({ set, ...span }) =>
      refusing(() => {
        const isAdvance = Object.values(span).some((each) => each !== undefined);
        if ((set !== undefined) === isAdvance) throw new InvalidMember('set', 'give either a time or a span');
        if (set === undefined) clock.advance(definedOf(span));
        else clock.set(set);
      }),
    faults: () =>
      faults
        .list()
        .map(({ fault: { times: _, credential: __, ...fault }, left }) =>
          left === Number.POSITIVE_INFINITY ? { ...fault, always: true } : { ...fault, times: left },
        ),
    vocabulary() {
      const { operations, services, problems } = faults.names();
      return { operations: [...operations], services: [...services], problems: [...problems], formats: protocolNames };
    },
    addFault: ({ always = false, ...given }) =>
      refusing(() => {
        const fault = definedOf(given);
        if (always && fault.times !== undefined) throw new InvalidMember('times', 'has no meaning with always');
        if (always) faults.always(fault);
        else faults.next(fault);
      }),
    clearFaults: () => faults.clear(),
  });
}

type Defined<T> = { readonly [K in keyof T]: Exclude<T[K], undefined> };

function definedOf<T extends object>(value: T): Partial<Defined<T>> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Partial<Defined<T>>;
}

function refusing(work: () => void): void {
  try {
    work();
  } catch (thrown) {
    throw thrown instanceof InvalidMember ? new ControlRefused(thrown.message) : thrown;
  }
}
