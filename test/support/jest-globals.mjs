/** Stands for `@jest/globals`. Its functions are those of the test file that runs, also in modules that test files share. */
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

let current;

/** Sets the functions of the test file that starts. */
export function useFunctions(functions) {
  current = functions;
}

export const afterAll = callCurrent('afterAll');
export const afterEach = callCurrent('afterEach');
export const beforeAll = callCurrent('beforeAll');
export const beforeEach = callCurrent('beforeEach');
export const describe = callCurrent('describe');
export const expect = callCurrent('expect');
export const test = callCurrent('test');

function callCurrent(name) {
  return new Proxy(() => {}, {
    apply: (_, self, parameters) => Reflect.apply(current[name], self, parameters),
    get: (_, property) => current[name][property],
  });
}

const mocker = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({ global: globalThis, config: { fakeTimers: {} } });

export const jest = {
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
  useFakeTimers: timers.useFakeTimers.bind(timers),
  useRealTimers: timers.useRealTimers.bind(timers),
  advanceTimersByTime: timers.advanceTimersByTime.bind(timers),
  advanceTimersByTimeAsync: timers.advanceTimersByTimeAsync.bind(timers),
  getTimerCount: timers.getTimerCount.bind(timers),
  setSystemTime: timers.setSystemTime.bind(timers),
};
