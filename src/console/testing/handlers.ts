/** Answers the operations of the test API: the controls of a demo, and the data that its services show. */

import type { DataTable } from '../../backend/index.ts';
import { type Output, Problem } from '../../core/contract/index.ts';
import type { ConsoleContext, ViewHandlers } from '../console-context.ts';
import { type getTestState, type testingOperations, testingProblems } from './contract.ts';
import { ControlRefused, type DemoControls } from './controls.ts';

type TestState = Output<typeof getTestState>;

export function testingHandlers({
  config,
  backend,
  demoControls,
}: ConsoleContext): ViewHandlers<(typeof testingOperations)[number]> {
  const isDemo = config.mode === 'demo';
  // The data of others than the demo is personal.
  const tables: readonly DataTable[] = isDemo ? backend.services.dataTables : [];
  const state = (): TestState => ({
    isDemo,
    isControllable: demoControls !== undefined,
    now: backend.context.clock.now(),
    faults: demoControls?.faults() ?? [],
    ...(demoControls?.vocabulary() ?? { operations: [], services: [], formats: [], problems: [] }),
  });
  const control = async (change: (controls: DemoControls) => void | Promise<void>): Promise<TestState> => {
    if (demoControls === undefined) throw new Problem(testingProblems.notControllable);
    try {
      await change(demoControls);
    } catch (thrown) {
      if (thrown instanceof ControlRefused) throw new Problem(testingProblems.invalidControl, thrown.message);
      throw thrown;
    }
    return state();
  };
  return {
    getTestState: async () => state(),
    resetTest: () => control((controls) => controls.reset()),
    changeTestClock: (change) => control((controls) => controls.changeClock(change)),
    addTestFault: (fault) => control((controls) => controls.addFault(fault)),
    clearTestFaults: () => control((controls) => controls.clearFaults()),
    listTestTables: async () => ({
      tables: tables.map(({ name, title, doc, columns, needsParent }) => ({ name, title, doc, columns, needsParent })),
    }),
    async listTestRows({ table: name, ...selection }) {
      const table = tables.find((each) => each.name === name);
      if (table === undefined) throw new Problem(testingProblems.tableNotFound);
      return table.read(selection);
    },
  };
}
