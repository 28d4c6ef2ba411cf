/** Jest's environment for tests that share their process. It restores what a test file changes of the process. */
import { jest } from './jest-globals.mjs';
import { refuseChildProcesses } from './no-child-processes.mjs';

const stackFramesMax = 10;

export default class ProcessEnvironment {
  /** Jest adds its own names. */
  global = {};

  constructor({ projectConfig }) {
    this.options = projectConfig.testEnvironmentOptions;
  }

  async setup() {
    this.before = { env: { ...process.env }, exitCode: process.exitCode };
    if (this.options.childProcesses === 'refused') this.allowChildProcesses = refuseChildProcesses();
    // Jest has set 100 frames and a formatter for source maps, which make each error costly.
    Error.stackTraceLimit = stackFramesMax;
    Error.prepareStackTrace = undefined;
  }

  async teardown() {
    this.allowChildProcesses?.();
    jest.restoreAllMocks();
    jest.useRealTimers();
    process.exitCode = this.before.exitCode;
    for (const name of Object.keys(process.env)) if (!(name in this.before.env)) delete process.env[name];
    Object.assign(process.env, this.before.env);
  }

  getVmContext() {
    return null;
  }
}
