/** Makes `node:child_process` refuse for a while: unit tests must start no process. */
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

/** The other functions call these. */
const starts = [
  [childProcess.ChildProcess.prototype, 'spawn'],
  [childProcess, 'spawnSync'],
  [childProcess, 'execFileSync'],
  [childProcess, 'execSync'],
];

/** Returns the function that allows child processes again. */
export function refuseChildProcesses() {
  const originals = starts.map(([object, name]) => object[name]);
  replace(() => () => {
    throw new Error('a unit test started a process: move the test to test/system or test/integration');
  });
  return () => replace((index) => originals[index]);
}

function replace(functionAt) {
  for (const [index, [object, name]] of starts.entries()) object[name] = functionAt(index);
  syncBuiltinESMExports();
}
