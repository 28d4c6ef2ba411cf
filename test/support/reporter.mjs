/** Jest reporter: prints each failing test at once, and one line per finished file. */
const isOfTest = (line) => !/^\s+at .*(node_modules|node:internal)/.test(line);

const withoutFrames = (message) => message.split('\n').filter(isOfTest).join('\n');

const indent = (text) => text.replace(/^(?=.)/gm, '    ');

const print = (text) => process.stdout.write(`${text}\n`);

export default class Reporter {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
  }

  nameOf({ path }) {
    return path.slice(this.rootDir.length + 1);
  }

  onTestCaseResult(file, { status, fullName, failureMessages }) {
    if (status !== 'failed') return;
    const messages = failureMessages.map((message) => indent(withoutFrames(message)));
    print(`FAILED ${this.nameOf(file)}: ${fullName}\n${messages.join('\n')}`);
  }

  onTestFileResult(file, { numPassingTests, numFailingTests, perfStats, testExecError, cpuSeconds = 0 }) {
    const seconds = ((perfStats.end - perfStats.start) / 1000).toFixed(1);
    if (testExecError) print(`FAILED ${this.nameOf(file)}: it could not be run\n${indent(testExecError.stack)}`);
    const counts = `${numPassingTests} passed${numFailingTests > 0 ? `, ${numFailingTests} FAILED` : ''}`;
    print(`${this.nameOf(file)}: ${counts}, ${seconds} s, ${cpuSeconds.toFixed(1)} s of CPU time`);
  }

  getLastError() {}
}
