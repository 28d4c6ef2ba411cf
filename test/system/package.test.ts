/** Tests the packed package in a folder of its own: its contents, its commands, its modules and its types. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { publint } from 'publint';
import { type Ended, startTriglyph, type Variables } from '../support/commands.ts';
import { installPackage, type PackedPackage, packPackage } from '../support/packed-package.ts';
import { ask, basic } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const root = join(import.meta.dirname, '../..');
const folder = tempFolder();
const bin = join(folder.path, 'node_modules/.bin/triglyph');
let packed: PackedPackage;
beforeAll(async () => {
  packed = await packPackage();
  installPackage(packed, folder.path, ['@types/node']);
});
afterAll(() => folder.discard());

/** The cache of the checkout would keep the files of each run. */
const cached = { NODE_COMPILE_CACHE: join(folder.path, 'cache') };

const start = (parameters: readonly string[], variables: Variables = {}) =>
  startTriglyph(parameters, folder.path, { ...cached, ...variables }, bin);

const run = async (...parameters: readonly string[]): Promise<Ended> => {
  const { received, over } = start(parameters);
  return { code: await over, ...received };
};

const write = (name: string, text: string): string => {
  writeFileSync(join(folder.path, name), text);
  return name;
};

const runNode = (...parameters: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, parameters, {
    cwd: folder.path,
    env: { ...process.env, ...cached },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};

test('it has no tests, no Node and no sources, runs nothing when it is installed, and is small', () => {
  const files = globSync('**/*', { cwd: packed.folder });
  const folders = new Set(files.map((file) => file.split('/')[0]));
  const expected = ['CHANGELOG.md', 'LICENSE', 'README.md', 'bin', 'dist', 'package.json', 'wsdl'];
  expect([...folders].sort()).toEqual(expected);
  expect(files.filter((file) => /\.test\.|node_modules|(?<!\.d)\.ts$/.test(file))).toEqual([]);
  const { scripts, dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(packed.folder, 'package.json'), 'utf8'),
  ) as { scripts: object; dependencies: object; optionalDependencies?: object };
  for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) expect(scripts).not.toHaveProperty(script);
  expect(optionalDependencies).toBeUndefined();
  expect(Object.keys(dependencies).filter((name) => /^node(?:$|-(?!forge$))|checkout-node/.test(name))).toEqual([]);
  expect(statSync(packed.file).size).toBeLessThan(2.5 * 2 ** 20);
});

test('few files of JavaScript have all modules, each with a source map, and entry points have declarations', () => {
  // The page of the console is for browsers.
  const files = globSync('dist/**/*.js', { cwd: packed.folder }).filter(
    (file) => !file.startsWith('dist/console-page/'),
  );
  expect(existsSync(join(packed.folder, 'dist/console-page/manifest.json'))).toBe(true);
  expect(files.length).toBeLessThan(160);
  for (const file of files) {
    const text = readFileSync(join(packed.folder, file), 'utf8');
    // A file that only exports what others have needs no map.
    const isMapped = text.includes(`//# sourceMappingURL=${basename(file)}.map`) || !/^(?!import|export)\w/m.test(text);
    expect({ file, isMapped }).toEqual({ file, isMapped: true });
  }
  for (const entry of ['contract', 'index', 'koa', 'testing'])
    for (const extension of ['js', 'd.ts', 'cjs', 'd.cts'])
      expect(statSync(join(packed.folder, 'dist/api', `${entry}.${extension}`)).isFile()).toBe(true);
});

test('a module and a CommonJS file have the same classes, and a stack names the source', () => {
  const text = `import { createRequire } from 'node:module';
import * as contract from 'triglyph/contract';
import * as main from 'triglyph';
import { withControls } from 'triglyph/testing';
const require = createRequire(import.meta.url);
console.log(require('triglyph/contract').Problem === contract.Problem, require('triglyph').builtIn === main.builtIn);
try {
  new contract.Problem('none');
  await main.createGateway(withControls({ services: [1] }));
} catch ({ stack }) {
  console.log(/src\\/[a-z/-]+\\.ts:\\d+/.test(stack));
}
`;
  const { status, stdout, stderr } = runNode('--enable-source-maps', write('classes.mjs', text));
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'true true\ntrue\n', stderr: '' });
});

test('publint finds nothing', async () => {
  const { messages } = await publint({ pkgDir: packed.folder, pack: false, strict: true });
  expect(messages).toEqual([]);
});

test('--version and --help', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  expect(await run('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  const { code, stdout, stderr } = await run('--help');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('Usage: triglyph');
});

test('the demo answers, and a file is imported into its data', async () => {
  const { child, received, over } = start(['demo']);
  const ready = /The demo is ready: callers at (\S+),/;
  await until('the demo to be ready', () => child.exitCode !== null || ready.test(received.stdout));
  expect(received.stderr).toBe('');
  const callers = ready.exec(received.stdout)![1]!;
  const card = { number: '4111111111111111', expiryMonth: '03', expiryYear: '2030', holderName: 'Anna van Dijk' };
  const key = { merchantAccount: 'DemoMerchant', shopperReference: 'imported' };
  write('details.jsonl', `${JSON.stringify({ ...key, contracts: 'ONECLICK', card })}\n`);
  const importing = start(['import', 'details.jsonl'], { DATA_DIR: 'data/demo', KEY_FILE: 'data/demo/keys' });
  expect({ code: await importing.over, stderr: importing.received.stderr }).toEqual({ code: 0, stderr: '' });
  const { answer } = await ask(callers, 'listRecurringDetails', key, basic('ws@Company.Demo', 'demo-password'));
  expect(answer.details).toHaveLength(1);
  child.kill('SIGTERM');
  expect(await over).toBe(0);
});

const program = (imports: string) => `${imports}
const gateway = createGateway(withControls({ ...builtIn() }));
gateway.then(async (running) => {
  const { status } = await running.fetch(new Request('http://gateway/openapi.json'));
  await running.close();
  console.log(status, typeof service, typeof koaMiddleware);
});
`;

test('CommonJS requires it, and modules import it', () => {
  const required = `const { builtIn, createGateway } = require('triglyph');
const { withControls } = require('triglyph/testing');
const { service } = require('triglyph/contract');
const { koaMiddleware } = require('triglyph/koa');`;
  const imported = required.replaceAll(/^const (.*) = require\((.*)\);/gm, 'import $1 from $2;');
  const expected = { status: 0, stdout: '200 function function\n', stderr: '' };
  expect(runNode(write('required.cjs', program(required)))).toEqual(expected);
  expect(runNode(write('imported.mjs', program(imported)))).toEqual(expected);
});

const echoService = `import { type Handler, object, operation, required, service, string } from 'triglyph/contract';

const text = object('Text', { text: required(string({ example: 'Hello' }), 'The text.') });
export const echo = operation({
  name: 'echo', doc: 'Echoes.', effect: 'reads', role: 'echo', problems: [], input: text, output: text,
});
export const echoV1 = service({
  name: 'Echo', version: 1, doc: 'Echoes.', address: '/echo', operations: [echo],
  namespaces: { own: 'echo', uris: { echo: 'urn:example:echo' } },
});
export const handler: Handler<typeof echo> = async ({ input, caller }, tx) => {
  // @ts-expect-error a reading handler does not write
  tx.execute;
  return { text: input.text + caller.tenant };
};
`;

const configuration = `import { defineConfig } from 'triglyph';
import { echoV1, handler } from './echo.ts';

export default defineConfig({ services: [echoV1.with({ echo: handler })], settings: { PORT: 8080 } });
`;

const consumer = `import { createGateway, defineConfig, type RunningGateway } from 'triglyph';
import { koaMiddleware } from 'triglyph/koa';
import { withControls } from 'triglyph/testing';
import { echoV1, handler } from './echo.ts';

const services = [echoV1.with({ echo: handler })];
// @ts-expect-error a wrong output
echoV1.with({ echo: async () => ({ text: 1 }) });
// @ts-expect-error a handler is missing
echoV1.with({});
// @ts-expect-error an operation that does not exist
echoV1.with({ echo: handler, shout: handler });
// @ts-expect-error no service
createGateway({ services: [1] });
// @ts-expect-error no setting
defineConfig({ settings: { PROT: 1 } });

export const gateway: RunningGateway = await createGateway({ services });
export const middleware = koaMiddleware(gateway);
export const tested = await createGateway(withControls({ services, seed: 7 }));
tested.clock.advance({ days: 1 });
tested.faults.next({ operation: 'echo', answer: 'internal' });
`;

const commonJs = `import { createGateway, type RunningGateway } from 'triglyph';
import { Problem } from 'triglyph/contract';
import { withControls } from 'triglyph/testing';

export const gateway: Promise<RunningGateway> = createGateway({ services: [] });
export const tested = createGateway(withControls({ services: [] })).then(({ clock }) => clock.now());
// @ts-expect-error no services
createGateway({});
export const problem = new Problem('unavailable');
`;

test('a configuration file in TypeScript names a service', async () => {
  write('package.json', '{"type":"module"}');
  write('echo.ts', echoService.replace('  tx.execute;\n', ''));
  write('echo.config.ts', configuration);
  const { code, stdout, stderr } = await run('wsdl', '--service', 'Echo', '--config', 'echo.config.ts');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('location="http://127.0.0.1:8080/echo/v1"');
});

test('a strict TypeScript program compiles with it, and a wrong handler does not', () => {
  const compilerOptions = { module: 'nodenext', target: 'es2024', strict: true, skipLibCheck: false, noEmit: true };
  const options = { ...compilerOptions, allowImportingTsExtensions: true, types: ['node'] };
  write(
    'tsconfig.json',
    JSON.stringify({ compilerOptions: options, files: ['consumer.ts', 'common.cts', 'echo.config.ts'] }),
  );
  write('package.json', '{"type":"module"}');
  write('echo.ts', echoService);
  write('echo.config.ts', configuration);
  write('consumer.ts', consumer);
  write('common.cts', commonJs);
  const compile = () => runNode(join(root, 'node_modules/typescript/lib/tsc.js'), '-p', '.').stdout;
  expect(compile()).toBe('');
  // A module of CommonJS cannot require the declarations of ES modules (TS1479).
  const commonOptions = { ...compilerOptions, module: 'node16', types: ['node'] };
  write('tsconfig.json', JSON.stringify({ compilerOptions: commonOptions, files: ['common.cts'] }));
  expect(compile()).toBe('');
});

describe('in a folder of npm init, whose modules are CommonJS', () => {
  const project = tempFolder();
  beforeAll(() => {
    installPackage(packed, project.path, ['vitest', '@types/node']);
    writeIn('package.json', '{"name":"project","version":"1.0.0","type":"commonjs"}');
  });
  afterAll(() => project.discard());

  const writeIn = (name: string, text: string) => writeFileSync(join(project.path, name), text);
  const runIn = (...parameters: readonly string[]) =>
    spawnSync(process.execPath, parameters, {
      cwd: project.path,
      env: { ...process.env, ...cached, NODE_OPTIONS: '' },
      encoding: 'utf8',
    });

  const required = `const { echoV1, handler } = require('./echo.ts');
const { word } = require('./word.ts');
module.exports = { services: [echoV1.with({ echo: handler })], settings: { PORT: word.length } };
`;
  test.each([
    ['triglyph.config.ts', configuration],
    ['echo.config.mts', configuration],
    ['echo.config.js', configuration],
    ['echo.config.mjs', configuration],
    ['required.config.js', required],
    ['required.config.cjs', required],
    ['required.config.cts', required],
  ])('the configuration file %s names a service', (file, text) => {
    writeIn(
      'echo.ts',
      `import { doc } from './doc.js';\n${echoService.replace('  tx.execute;\n', '')}`.replace("'Echoes.'", 'doc'),
    );
    writeIn('doc.js', "export const doc = 'Echoes.';\n");
    writeIn('word.ts', "const word: string = 'word';\nmodule.exports = { word };\n");
    writeIn(file, text);
    const program = join(project.path, 'node_modules/.bin/triglyph');
    const { status, stdout, stderr } = runIn(program, 'wsdl', '--service', 'Echo', '--config', file);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('location="http://127.0.0.1:8080/echo/v1"');
  });

  describe('what serve --wsdl --save writes', () => {
    const names = ['roster', 'types', 'stock'];

    test.each(names)('%s.wsdl: it starts', async (name) => {
      const program = join(project.path, 'node_modules/.bin/triglyph');
      // The folder of the project has a configuration file.
      const folder = join(project.path, `serve-${name}`);
      mkdirSync(folder);
      const serve = async (...parameters: readonly string[]): Promise<string> => {
        const { child, received, over } = startTriglyph(['serve', ...parameters], folder, cached, program);
        await until(
          () => received,
          () => received.stdout.includes('"msg":"ready"') || child.exitCode !== null,
        );
        child.kill();
        await over;
        return received.stdout;
      };
      const wsdl = join(root, `test/wsdl/${name}.wsdl`);
      await serve('--wsdl', wsdl, '--upstream', 'http://127.0.0.1:1', '--save', name);
      expect(await serve('--config', join(folder, name, 'triglyph.config.ts'))).toContain('"msg":"ready"');
    });

    test('it type-checks', () => {
      const compilerOptions = { module: 'nodenext', target: 'es2024', strict: true, noEmit: true, types: ['node'] };
      const folders = names.map((name) => `serve-${name}/${name}`);
      const files = folders.flatMap((each) => [`${each}/contract.ts`, `${each}/triglyph.config.ts`]);
      const options = { ...compilerOptions, allowImportingTsExtensions: true };
      writeIn('tsconfig.json', JSON.stringify({ compilerOptions: options, files }));
      const compile = () => runIn(join(root, 'node_modules/typescript/lib/tsc.js'), '-p', project.path).stdout;
      expect(compile()).toBe('');
      // The control: the compiler reads each contract that is saved.
      for (const each of folders) {
        const contract = readFileSync(join(project.path, each, 'contract.ts'), 'utf8');
        writeIn(`${each}/contract.ts`, contract.replace(/optional\(/, 'optional(7, '));
      }
      const faults = compile();
      for (const each of folders) expect(faults).toContain(`${each}/contract.ts`);
    });
  });

  const body = `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
    <disable xmlns="http://recurring.services.adyen.com"><request><merchantAccount>DemoMerchant</merchantAccount>
    <shopperReference>shopper-1</shopperReference></request></disable></soap:Body></soap:Envelope>`;
  const tests = `const { createGateway } = require('triglyph');
const { Problem, object, operation, required, service, problems, string } = require('triglyph/contract');
const { koaMiddleware } = require('triglyph/koa');
const { builtIn, mock, withControls } = require('triglyph/testing');

let gateway;
beforeAll(async () => { gateway = await createGateway(withControls({ ...builtIn(), clock: new Date('2026-01-01T00:00:00Z') })); });
afterAll(() => gateway?.close());
beforeEach(() => gateway.reset());

const shopper = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };
const envelope = ${JSON.stringify(body)};
const part = '--b\\r\\nContent-Type: text/xml\\r\\n\\r\\n' + envelope + '\\r\\n--b--\\r\\n';
test.each([
  ['application/json', '/disable', JSON.stringify(shopper)],
  ['application/x-www-form-urlencoded', '/disable', String(new URLSearchParams(shopper))],
  ['text/xml', '', envelope],
  ['text/xml', '', envelope.replace('<request>', '<!-- read by the strict reader --><request>')],
  ['multipart/related; boundary=b; type="text/xml"', '', part],
])('a request of %s', async (type, path, body) => {
  const headers = { 'x-api-key': 'demo-api-key', 'content-type': type };
  const request = new Request('http://gateway/pal/servlet/Recurring/v25' + path, { method: 'POST', headers, body });
  const answer = await gateway.fetch(request);
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('successfully-disabled')]);
  expect(gateway.calls).toHaveLength(1);
});

test('credentials that were added survive a reset', async () => {
  const added = { tenant: 'DemoCompany', kind: 'apiKey', roles: [], grants: {} };
  const { secret } = await gateway.credentials.addCredential(added);
  await gateway.reset();
  const ask = async (key) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const url = 'http://gateway/pal/servlet/Recurring/v25/disable';
    return (await gateway.fetch(new Request(url, { method: 'POST', headers, body: '{}' }))).status;
  };
  expect([await ask(secret), await ask('wrong')]).toEqual([403, 401]);
});

test('a mock of a contract', async () => {
  const input = object('Key', { id: required(string({ example: 'a-1' })) });
  const output = object('Thing', { id: required(string({ example: 'a-1' })), title: required(string({ example: 'one' })) });
  const parts = { doc: '', role: 'all', problems: [] };
  const operations = [
    operation({ ...parts, name: 'getThing', effect: 'reads', input, output }),
    operation({ ...parts, name: 'deleteThing', effect: 'writes', input, output: object('Deleted', {}) }),
  ];
  const contract = service({ name: 'Things', version: 1, doc: '', address: '/things', operations,
    namespaces: { own: 't', uris: { t: 'urn:example:things' } } });
  const callers = [{ tenant: 'a', apiKey: 'key' }];
  const mocked = await createGateway(withControls({ services: mock([contract]), callers }));
  const headers = { 'x-api-key': 'key', 'content-type': 'application/json' };
  const call = (name) => mocked.fetch(new Request('http://a/things/v1/' + name, { method: 'POST', headers, body: '{"id":"a-1"}' }));
  expect(await (await call('getThing')).json()).toEqual({ id: 'a-1', title: 'one' });
  await call('deleteThing');
  expect((await call('getThing')).status).toBe(404);
  await mocked.close();
});

test('documents, over a connection', async () => {
  const origin = await gateway.listen();
  for (const path of ['/openapi.json', '/pal/Recurring.wsdl']) expect((await fetch(origin + path)).status).toBe(200);
});

test('a service, whose answers come from another server', async () => {
  const text = object('Nothing', {});
  const fail = operation({ name: 'fail', doc: '', effect: 'reads', role: 'echo', problems: [], input: text, output: text });
  const own = service({ name: 'Echo', version: 1, doc: '', address: '/echo', operations: [fail],
    namespaces: { own: 'echo', uris: { echo: 'urn:example:echo' } } });
  const inner = await createGateway({ services: [own.with({ fail: async () => { throw new Problem('unavailable'); } })] });
  const credential = { tenant: 'a', kind: 'apiKey', roles: ['echo'], grants: {} };
  const { secret } = await inner.credentials.addCredential(credential);
  const up = { url: String(await inner.listen()), format: 'json', credentials: 'forward' };
  const outer = await createGateway({ services: [own.answeredBy('up')], upstreams: { up } });
  const headers = { 'x-api-key': secret, 'content-type': 'application/json' };
  const answer = await outer.fetch(new Request('http://a/echo/v1/fail', { method: 'POST', headers, body: '{}' }));
  expect(await answer.json()).toMatchObject({ errorCode: problems.unavailable.code });
  expect(typeof koaMiddleware(outer)).toBe('function');
  await outer.close();
  await inner.close();
});
`;
  const runJest = (...flags: readonly string[]) => {
    const jest = join(root, 'node_modules/jest/bin/jest.js');
    const cache = ['--cacheDirectory', join(project.path, 'jest')];
    const { status, stderr } = runIn(...flags, jest, '--rootDir', project.path, ...cache);
    return { status, stderr };
  };
  const asModule = tests.replaceAll(/^const (.*) = require\((.*)\);/gm, 'import $1 from $2;');

  test('Jest runs tests that are modules with the flag that it asks for', () => {
    writeIn('module.test.mjs', asModule);
    const { status, stderr } = runJest('--experimental-vm-modules');
    expect(stderr).toContain('Tests:       9 passed, 9 total');
    expect(status).toBe(0);
    rmSync(join(project.path, 'module.test.mjs'));
  });

  test('Vitest runs a gateway by import and by require, and the example', () => {
    const names = "import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';\n";
    const require = "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\n";
    mkdirSync(join(project.path, 'vitest/example'), { recursive: true });
    writeIn('vitest/imported.test.mjs', names + asModule);
    writeIn('vitest/required.test.mjs', names + require + tests);
    // The control.
    writeIn('vitest/wrong.test.mjs', names + require + tests.replace('[403, 401]', '[200, 401]'));
    cpSync(join(root, 'examples/vitest'), join(project.path, 'vitest/example'), { recursive: true });
    cpSync(join(root, 'examples/client'), join(project.path, 'vitest/client'), { recursive: true });
    const run = runIn(join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', project.path, 'vitest');
    const printed = stripVTControlCharacters(run.stdout + run.stderr);
    expect(printed).toMatch(/Test Files +1 failed \| 3 passed \(4\)\n +Tests +1 failed \| 29 passed \(30\)/);
    expect(printed).toContain('vitest/wrong.test.mjs');
    expect(run.status).toBe(1);
    rmSync(join(project.path, 'vitest'), { recursive: true });
  });

  test('Jest runs a gateway, without a flag of Node', () => {
    writeIn('gateway.test.js', tests);
    const { status, stderr } = runJest();
    expect(stderr).toContain('Tests:       9 passed, 9 total');
    expect(status).toBe(0);
    // The control: Jest without a flag loads no ES module.
    const entry = join(project.path, 'node_modules/triglyph/dist/api/testing.cjs');
    writeFileSync(entry, "module.exports = require('./testing.js');\n");
    expect(runJest().stderr).toContain('Must use import to load ES Module');
  });
});

test('an older Node gets one plain sentence', () => {
  const sentence = (version: string) => ({
    status: 1,
    stdout: '',
    stderr: `triglyph: this is Node ${version}, and 24 or newer is needed.\n`,
  });
  const older = write('older.mjs', "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });\n");
  expect(runNode('--import', `./${older}`, bin, 'demo')).toEqual(sentence('20.20.2'));
  const required = runNode('--import', `./${older}`, '-e', "require('triglyph/testing')");
  expect(required).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(sentence('20.20.2').stderr.slice(0, -2)),
  });
  // The Node of the machine, where it is an old one.
  for (const directory of (process.env.PATH ?? '').split(':')) {
    const options = { cwd: folder.path, encoding: 'utf8' } as const;
    const asked = spawnSync(join(directory, 'node'), ['--version'], options);
    const version = /^v(\d+\..*)\n$/.exec(asked.stdout ?? '')?.[1];
    if (version === undefined || Number.parseInt(version, 10) >= 24) continue;
    const { status, stdout, stderr } = spawnSync(join(directory, 'node'), [bin, 'demo'], options);
    expect({ status, stdout, stderr }).toEqual(sentence(version));
  }
});
