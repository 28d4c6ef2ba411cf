/** Replaces `node:child_process` in unit tests, which must start no process. */
const refuse = (name) => () => {
  throw new Error(`a unit test called ${name} of node:child_process: move the test to test/system or test/integration`);
};

export const exec = refuse('exec');
export const execFile = refuse('execFile');
export const execFileSync = refuse('execFileSync');
export const execSync = refuse('execSync');
export const fork = refuse('fork');
export const spawn = refuse('spawn');
export const spawnSync = refuse('spawnSync');
export class ChildProcess {}
export default { ChildProcess, exec, execFile, execFileSync, execSync, fork, spawn, spawnSync };
