/**
 * The whole proof: installs the outside tools that the tests lean on, then runs the compiler, the linter, the check of
 * imports and every test. The last line counts the tests and these checks: `N passed, N failed`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { endDescendantsOnSignals } from './end-descendants.mjs';
import { findBundle } from './program.mjs';

const root = join(import.meta.dirname, '..');
const print = (text) => process.stdout.write(`${text}\n`);
const node = (...parameters) => [process.execPath, ...parameters];
const bin = (path) => join(root, 'node_modules', path);

const run = ([command, ...parameters], options = {}) =>
  spawnSync(command, parameters, { cwd: root, stdio: 'inherit', ...options });
/** Like `run`, for what takes long: a signal is handled meanwhile. */
const runAside = async ([command, ...parameters]) => {
  const [status] = await once(spawn(command, parameters, { cwd: root, stdio: 'inherit' }), 'close');
  return status;
};
const quietly = (command) => run(command, { stdio: 'ignore' }).status === 0;

/** Required tools outside npm, each with a check that it works. */
const tools = [
  {
    packages: ['libxml2-utils'],
    why: 'xmllint, a second opinion on documents and answers',
    works: ['xmllint', '--version'],
  },
  {
    packages: ['php-cli', 'php-soap'],
    why: 'PHP with its SoapClient, the most common caller',
    works: ['php', '-r', 'exit(class_exists("SoapClient") ? 0 : 1);'],
  },
  {
    packages: ['python3-zeep', 'python3-spyne', 'python3-lxml', 'python3-xmlsec'],
    why: 'zeep and spyne, the SOAP client and server of Python',
    // The system's Python, for which apt installs packages.
    works: ['/usr/bin/python3', '-c', 'import zeep, xmlsec, spyne.protocol.soap'],
  },
  {
    packages: ['python3-fastapi', 'python3-uvicorn', 'python3-multipart'],
    why: 'FastAPI, a JSON server that writes its own OpenAPI document',
    works: ['/usr/bin/python3', '-c', 'import fastapi, uvicorn, multipart'],
  },
  {
    packages: ['ruby', 'curl'],
    why: 'Ruby and curl, for which the gateway prints calls as programs',
    works: ['sh', '-c', 'ruby --version && curl --version'],
  },
  {
    packages: ['postgresql'],
    why: 'PostgreSQL, the store of more than one server; the tests start servers of their own',
    // Debian installs it outside the path, in one folder per version.
    works: [
      'sh',
      '-c',
      'for each in /usr/lib/postgresql/*/bin; do PATH="$each:$PATH"; done; initdb --version && postgres --version',
    ],
  },
  {
    packages: ['redis-server'],
    why: 'Redis, which keeps the records of retries; the tests start servers of their own',
    works: ['sh', '-c', 'redis-server --version && redis-cli --version'],
  },
  {
    packages: ['haproxy'],
    why: 'HAProxy, behind which servers are restarted at load; the tests start one of their own',
    works: ['haproxy', '-v'],
  },
  {
    packages: ['pgbouncer'],
    why: 'PgBouncer, behind which the suite of the store runs; the tests start one of their own',
    works: ['sh', '-c', 'PATH="$PATH:/usr/sbin" pgbouncer --version'],
  },
  {
    packages: ['patroni', 'etcd-server', 'iproute2'],
    why: 'Patroni and etcd, for a cluster of PostgreSQL; the tests start three machines of their own in network namespaces',
    works: ['sh', '-c', 'command -v patroni && etcd --version && ip -V'],
  },
  {
    packages: ['prometheus'],
    why: 'promtool of Prometheus, which checks the alert rules',
    works: ['promtool', '--version'],
  },
  {
    packages: ['gcc', 'libc6-dev'],
    why: 'a C compiler, for the library that observes fsyncs',
    works: ['sh', '-c', 'echo "int main(void) { return 0; }" | cc -x c -o /dev/null -'],
  },
  {
    packages: ['systemd'],
    why: 'systemd, which checks the units in deploy/',
    works: ['systemd-analyze', '--version'],
  },
  {
    packages: ['chromium-headless-shell'],
    why: 'Chromium without windows, in which the console is tried',
    // The browser with windows does, too, and takes half as much CPU time again.
    works: ['sh', '-c', 'chromium-headless-shell --version || chromium --version'],
  },
  {
    packages: ['openssl'],
    why: 'OpenSSL, which makes the certificate behind which a client library is tried',
    works: ['openssl', 'version'],
  },
];

const installTools = () => {
  const missing = tools.filter(({ works }) => !quietly(works));
  if (missing.length === 0) return [];
  for (const { packages, why } of missing) print(`Installing ${packages.join(' and ')} by apt: ${why}.`);
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const names = missing.flatMap(({ packages }) => packages);
  const install = () =>
    run([...asRoot, 'apt-get', 'install', '-y', '-q', '--no-install-recommends', ...names], { env });
  if (install().status !== 0) {
    // The package lists may be missing or outdated.
    run([...asRoot, 'apt-get', 'update', '-q'], { env });
    install();
  }
  return missing
    .filter(({ works }) => !quietly(works))
    .map(
      ({ packages }) =>
        `${packages.join(' and ')} could not be installed: install it, or run the tests as root where apt is`,
    );
};

const checks = [
  ['types', node(bin('typescript/lib/tsc.js'), '-p', '.')],
  ['types of the page', node(bin('typescript/lib/tsc.js'), '-p', 'src/console/page')],
  ['lint and format', node(bin('@biomejs/biome/bin/biome'), 'check')],
  ['imports', node('--disable-warning=ExperimentalWarning', join(root, 'scripts/imports.mjs'))],
];

/**
 * Runs of jest, side by side. Tests of servers wait for most of their time, for starts, retries and time limits, so four files run at
 * once. Computing tests use the remaining CPU time at a low priority.
 */
const runs = [
  { name: 'serving', projects: ['serving', 'storing', 'unit'], workers: 4, priority: [] },
  { name: 'computing', projects: ['computing'], workers: 1, priority: ['nice', '-n', '5'] },
];

/** Counts the tests of one run of jest, and lists the files with a failure. `files`: all of the projects where absent. */
const runTests = async ({ name, projects, workers, priority, files }) => {
  const results = join(root, '.cache', `jest-${name}.json`);
  mkdirSync(join(root, '.cache'), { recursive: true });
  rmSync(results, { force: true });
  const command = [...priority, ...node('--disable-warning=ExperimentalWarning')];
  const reporting = ['--reporters', join(root, 'test/support/reporter.mjs'), '--json', `--outputFile=${results}`];
  const selection = files === undefined ? ['--selectProjects', ...projects] : ['--runTestsByPath', ...files];
  const [program, ...parameters] = [
    ...command,
    bin('jest/bin/jest.js'),
    ...reporting,
    `--maxWorkers=${workers}`,
    ...selection,
  ];
  const child = spawn(program, parameters, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
  const [status] = await once(child, 'close');
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests, testResults } = JSON.parse(
      readFileSync(results, 'utf8'),
    );
    if (numPendingTests > 0) print(`${numPendingTests} tests were skipped, which counts as a failure.`);
    const failed = numFailedTests + numRuntimeErrorTestSuites + numPendingTests;
    const failedFiles = testResults.filter((each) => each.status === 'failed');
    return { passed: numPassedTests, failed: failed === 0 && status !== 0 ? 1 : failed, failedFiles };
  } catch {
    return { passed: 0, failed: 1, failedFiles: [] };
  }
};

const passedIn = (files) =>
  files.flatMap((each) => each.assertionResults).filter((each) => each.status === 'passed').length;

/**
 * Runs the files with a failure once more, one after the other with nothing beside them: a machine that stalls for seconds fails a test of
 * servers, and a defect fails twice. More than a few files are no matter of the machine. `REPEAT=0` repeats none.
 */
const repeatedFilesMax = 3;
const repeatFailed = async (results) => {
  const files = results.flatMap((each) => each.failedFiles);
  const isOfFiles = results.every((each) => each.failed === 0 || each.failedFiles.length > 0);
  if (files.length === 0 || files.length > repeatedFilesMax || !isOfFiles || process.env.REPEAT === '0') return results;
  const names = files.map((each) => relative(root, each.name));
  print(`\n== once more, alone: ${names.join(', ')}`);
  const again = await runTests({ name: 'repeated', workers: 1, priority: [], files: files.map((each) => each.name) });
  if (again.failed === 0) print(`FAILED beside other tests, and passed alone: ${names.join(', ')}`);
  const before = results.reduce((sum, each) => sum + each.passed, 0) - passedIn(files);
  return [{ passed: before, failed: 0 }, again];
};

endDescendantsOnSignals();
let passed = 0;
const failures = [];
for (const fault of installTools()) failures.push(fault);
for (const [name, command] of checks) {
  print(`\n== ${name}`);
  if ((await runAside(command)) === 0) passed += 1;
  else failures.push(`the check of ${name} failed`);
}
print('\n== tests');
// Tests start the program some 250 times; bundled, it starts in half the time. Without the variable they start the sources.
const env = { ...process.env, TEST_PROGRAM: join(findBundle(), 'bin/triglyph.mjs') };
const results = await repeatFailed(await Promise.all(runs.map(runTests)));
for (const result of results) passed += result.passed;
const failed = results.reduce((sum, result) => sum + result.failed, failures.length);
for (const failure of failures) print(`FAILED: ${failure}`);
print(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
