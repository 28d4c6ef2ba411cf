/** Tests the configuration: sources, defaults, refusals and their hints. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { demoMark, keyFileFaults, productionFaults } from '../../src/backend/production-checks.ts';
import { type Config, ConfigError, valuesOf } from '../../src/config/config.ts';
import { readSources, VariableSources } from '../../src/config/variable-sources.ts';
import { leniencyNames } from '../../src/core/formats/leniencies.ts';
import { recurringSettings } from '../../src/payments/recurring/settings.ts';
import { describeConfig } from '../../src/program/cli/configuration-page.ts';
import { inspectConfig, readConfig } from '../support/services.ts';

const ofRecurring = (config: Config) => valuesOf(config, recurringSettings);

const folder = mkdtempSync(join(tmpdir(), 'triglyph-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

const keyFile = join(folder, 'keys');
writeFileSync(keyFile, 'the ring\n', { mode: 0o600 });
const sound = { TRIGLYPH_KEYS: 'ring', DATA_DIR: folder };

describe('defaults', () => {
  test('production listens everywhere, the demo and the admin port on loopback only', () => {
    expect(readConfig('production', {})).toMatchObject({
      host: '0.0.0.0',
      port: 8080,
      adminHost: '127.0.0.1',
      adminPort: 9090,
    });
    expect(readConfig('demo', {})).toMatchObject({ host: '127.0.0.1', environment: 'test', mode: 'demo' });
  });
  test('the demo keeps its data in a folder of its own', () => {
    expect(readConfig('production', {}).dataDir).toBe('./data');
    expect(readConfig('demo', {}).dataDir).toBe('./data/demo');
    expect(readConfig('demo', { DATA_DIR: 'elsewhere' }).dataDir).toBe('elsewhere');
  });
  test('an idle connection outlives the proxy in front', () => {
    expect(readConfig('production', {}).keepAliveMs).toBe(5000);
    expect(readConfig('production', { TRUSTED_PROXIES: '10.0.0.1' }).keepAliveMs).toBe(65_000);
  });
  test('live refuses card numbers in texts, unless a setting accepts them', () => {
    const refuses = (more: Record<string, string>) =>
      ofRecurring(readConfig('production', more)).refuseCardNumbersInText;
    expect([refuses({}), refuses({ ENVIRONMENT: 'test' }), refuses({ ENVIRONMENT: 'live' })]).toEqual([
      false,
      false,
      true,
    ]);
    expect(refuses({ ENVIRONMENT: 'live', REFUSE_CARD_NUMBERS_IN_TEXT: 'off' })).toBe(false);
    expect(refuses({ REFUSE_CARD_NUMBERS_IN_TEXT: 'on' })).toBe(true);
  });
  test('leniencies are turned off by name, or all', () => {
    const off = (LENIENCIES_OFF: string) => readConfig('demo', { LENIENCIES_OFF }).lenienciesOff;
    expect([off(''), off('text-json , double-slashes'), off('all')]).toEqual([
      [],
      ['double-slashes', 'text-json'],
      leniencyNames,
    ]);
  });
  test('the configuration is frozen', () => expect(Object.isFrozen(readConfig('demo', {}))).toBe(true));
  test('the updater decides locally by default', () => {
    expect(ofRecurring(readConfig('demo', {})).updater).toBe('local');
    expect(ofRecurring(readConfig('demo', { UPDATER: 'local' })).updater).toBe('local');
  });
  test('an empty variable counts as absent', () => expect(readConfig('demo', { PORT: '' }).port).toBe(8080));
});

describe('refusals', () => {
  test.each<[Record<string, string>, string]>([
    [{ PORT: 'http' }, 'PORT is "http": give a whole number from 0 to 65535.'],
    [{ PORT: '65536' }, 'PORT is "65536": give a whole number from 0 to 65535.'],
    [{ PORT: '8e3' }, 'PORT is "8e3": give a whole number from 0 to 65535.'],
    [{ PORT: '9090' }, 'PORT and ADMIN_PORT are both 9090: give them different ports.'],
    [{ ENVIRONMENT: 'prod' }, 'ENVIRONMENT is "prod": give one of test, live.'],
    [
      { LENIENCIES_OFF: 'text-json, tabs' },
      `LENIENCIES_OFF is "text-json, tabs": give names of ${leniencyNames.join(', ')}, separated by commas, or all.`,
    ],
    [{ HOST: 'localhost:80' }, 'HOST is "localhost:80": give an address or a host name, without a port.'],
    [
      { PUBLIC_URL: 'https://a.example/pal' },
      'PUBLIC_URL is "https://a.example/pal": give scheme, host and port only, like https://api.example.com.',
    ],
    [
      { PUBLIC_URL: 'ftp://a.example' },
      'PUBLIC_URL is "ftp://a.example": give scheme, host and port only, like https://api.example.com.',
    ],
    [
      { TRUSTED_PROXIES: '10.0.0.0/33' },
      'TRUSTED_PROXIES is "10.0.0.0/33": give addresses or networks, separated by commas, like 10.0.0.0/8, 2001:db8::1.',
    ],
    [{ REQUEST_MS_MAX: '500' }, 'REQUEST_MS_MAX is less than HEADERS_MS_MAX: raise it, or lower HEADERS_MS_MAX.'],
    ...[
      'mysql://me:hush@db/pay',
      'postgres://me:hush@db',
      'postgres://me:hu#sh@db/pay',
      'postgres://me:hu%zzsh@db/pay',
      'me:hush@db/pay',
    ].map((url): [Record<string, string>, string] => [
      { DATABASE_URL: url },
      'DATABASE_URL: give postgres://user:password@host:5432/database, other characters than letters and digits in the password as %XX.',
    ]),
    ...Object.entries({
      'a,b/pay?target_session_attrs=standby':
        'give target_session_attrs=read-write, or any where each host writes: the gateway writes',
      'a/pay?pgbouncer=yes': 'give pgbouncer=true for PgBouncer in transaction mode, or leave the parameter out',
      'a,,b/pay': 'give each host once, as host:port with commas between, and no parameter host',
      'a/pay?host=b,c':
        'name several hosts before the database: postgres://user:password@host1:5432,host2:5432/database',
      'a:1,b:x/pay':
        'give postgres://user:password@host:5432/database, other characters than letters and digits in the password as %XX',
    }).map(([rest, hint]): [Record<string, string>, string] => [
      { DATABASE_URL: `postgres://me:hush@${rest}` },
      `DATABASE_URL: ${hint}.`,
    ]),
    [{ WORKERS: '3' }, 'WORKERS is 3 and the embedded store allows one process: set DATABASE_URL, or one worker.'],
    [{ WORKERS: '0', DATABASE_URL: 'postgres://db/pay' }, 'WORKERS is "0": give a whole number from 1 to 128.'],
    [{ DRAIN_NOTICE_MS: 'soon' }, 'DRAIN_NOTICE_MS is "soon": give a whole number from 0 to 120000.'],
    [{ DATABASE_POOL_MAX: '1' }, 'DATABASE_POOL_MAX is "1": give a whole number from 2 to 100.'],
    [{ TRIGLYPH_KEY: 'x' }, 'TRIGLYPH_KEY is not a setting: did you mean TRIGLYPH_KEYS?'],
    [{ UPDATER: 'psychic' }, 'UPDATER is "psychic": give one of local, http, batch.'],
    [{ UPDATER: 'http' }, 'UPDATER is http and UPDATER_URL is missing: set it.'],
    [{ UPDATER: 'batch' }, 'UPDATER is batch and UPDATER_FOLDER is missing: set it.'],
    [
      { UPDATER_URL: 'https://updater.example' },
      'UPDATER_URL is set and UPDATER is local: set UPDATER=http, or remove UPDATER_URL.',
    ],
    [
      { UPDATER: 'http', UPDATER_URL: 'https://updater.example', UPDATER_FOLDER: 'files' },
      'UPDATER_FOLDER is set and UPDATER is http: set UPDATER=batch, or remove UPDATER_FOLDER.',
    ],
    ...['ftp://updater.example', 'https://me:hush@updater.example', 'https://updater.example/#a', 'updater'].map(
      (url): [Record<string, string>, string] => [
        { UPDATER: 'http', UPDATER_URL: url },
        `UPDATER_URL is "${url}": give an address like https://updater.example.com/checks, without user, password and fragment.`,
      ],
    ),
    [
      { UPDATER: 'http', UPDATER_URL: 'https://updater.example', UPDATER_MS_MAX: '20000' },
      'UPDATER_MS_MAX is "20000": give a whole number from 100 to 10000.',
    ],
    [{ UPDATER_SECRET: 'two words' }, 'UPDATER_SECRET: give up to 4096 printable ASCII characters without blanks.'],
    [{ KEY_FILE: '/nowhere/keys' }, 'KEY_FILE names /nowhere/keys: there is no such file or folder.'],
    [{ KEY_FILE: keyFile, TRIGLYPH_KEYS: 'x' }, 'TRIGLYPH_KEYS and KEY_FILE are both set: keep one of them.'],
  ])('%j', (env, problem) => {
    expect(inspectConfig('production', env)).toMatchObject({ problems: [problem] });
    expect(() => readConfig('production', env)).toThrow(ConfigError);
  });
  test('reports all problems at once', () => {
    const { problems, config } = inspectConfig('production', { PORT: 'x', LOG_LEVEL: 'loud', TRIGLYPH_PORT: '1' });
    expect(problems).toHaveLength(3);
    expect(config).toBeUndefined();
  });
});

describe('unknown variables', () => {
  test.each<[string, string]>([
    ['DRAIN_NOTICE_MSS', 'DRAIN_NOTICE_MS'],
    ['drain_notice_ms', 'DRAIN_NOTICE_MS'],
    ['WEBHOK_GIVEUP_MS', 'WEBHOOK_GIVE_UP_MS'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATADIR', 'DATA_DIR'],
    ['WORKER', 'WORKERS'],
    ['PROT', 'PORT'],
    ['PORTT', 'PORT'],
    ['HHOST', 'HOST'],
    ['ENVIROMENT', 'ENVIRONMENT'],
    ['KEYFILE', 'KEY_FILE'],
    ['REDIS_URL_FLIE', 'REDIS_URL_FILE'],
  ])('%s is refused and %s suggested', (name, suggestion) => {
    expect(inspectConfig('production', { [name]: '5' }).problems).toEqual([
      `${name} is not a setting: did you mean ${suggestion}?`,
    ]);
  });
  test.each(['TRIGLYPH_COLOUR', 'UPDATER_TIMEOUT', 'DRAIN_NOTICE', 'IDEMPOTENCY_HEADER'])(
    '%s is refused for its prefix',
    (name) => {
      expect(inspectConfig('production', { [name]: '5' }).problems).toEqual([
        `${name} is not a setting: remove it, or see docs/configuration.md for the right name.`,
      ]);
    },
  );
  test('variables of other programs are accepted', () => {
    const names =
      'PATH HOME HOSTNAME HOSTTYPE HOSTS PORTS POST PWD OLDPWD USER LOGNAME LANG LC_ALL TZ TERM SHELL SHLVL MAIL EDITOR ' +
      'DISPLAY TMPDIR TEMP TMP CI DEBUG ENV XDG_DATA_DIRS XDG_DATA_HOME SSH_AUTH_SOCK HTTP_PROXY HTTPS_PROXY NO_PROXY ' +
      'http_proxy SSL_CERT_FILE SSL_CERT_DIR _ INIT_CWD NODE_ENV NODE_OPTIONS NODE_PORT npm_config_loglevel npm_package_version npm_lifecycle_event ' +
      'DATABASE_USER DATABASE_HOST DATABASE_NAME DATABASE_PRIVATE_URL DATABASE_URL_REPLICA REDIS_TLS_URL REDIS_PORT ' +
      'POSTGRES_PASSWORD PGHOST PGPORT KUBERNETES_SERVICE_HOST KUBERNETES_PORT DYNO SOURCE_VERSION WEBHOOK_SECRET ' +
      'LOG_FORMAT LOG_FILE INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET SYSTEMD_EXEC_PID ComSpec SystemRoot';
    const variables = Object.fromEntries(names.split(' ').map((name) => [name, '1']));
    expect(inspectConfig('production', variables).problems).toEqual([]);
  });
  test('the variables that Kubernetes sets for a Service called triglyph are accepted', () => {
    const variables = {
      TRIGLYPH_SERVICE_HOST: '10.96.0.7',
      TRIGLYPH_SERVICE_PORT: '80',
      TRIGLYPH_SERVICE_PORT_HTTP: '80',
      TRIGLYPH_PORT: 'tcp://10.96.0.7:80',
      TRIGLYPH_PORT_80_TCP: 'tcp://10.96.0.7:80',
      TRIGLYPH_PORT_80_TCP_PROTO: 'tcp',
      TRIGLYPH_PORT_80_TCP_PORT: '80',
      TRIGLYPH_PORT_80_TCP_ADDR: '10.96.0.7',
    };
    expect(inspectConfig('production', variables).problems).toEqual([]);
    expect(inspectConfig('production', { TRIGLYPH_PORT: '8080' }).problems).toHaveLength(1);
  });
});

describe('sources', () => {
  test('the environment overrides .env', () => {
    writeFileSync(join(folder, '.env'), 'PORT=8181\nADMIN_PORT=9191\n');
    const config = readConfig('demo', readSources({ PORT: '8282' }, folder));
    expect(config).toMatchObject({ port: 8282, adminPort: 9191 });
  });
  test.each(['KEY_FILE', 'TRIGLYPH_KEYS_FILE'])('%s names the file of the keys', (name) => {
    expect(readConfig('production', { [name]: keyFile })).toMatchObject({ keys: 'the ring', keyFile });
  });
  test('DATABASE_URL_FILE names the file of the URL, which is never printed', () => {
    const file = join(folder, 'url');
    writeFileSync(file, 'postgres://me:hush@db/pay\n');
    expect(readConfig('production', { DATABASE_URL_FILE: file }).databaseUrl).toBe('postgres://me:hush@db/pay');
    expect(JSON.stringify(inspectConfig('production', { DATABASE_URL_FILE: file }).settings)).not.toContain('hush');
  });
  test('no secret is printed', () => {
    const { settings } = inspectConfig('production', { TRIGLYPH_KEYS: 'very-secret' });
    expect(settings.find(({ name }) => name === 'TRIGLYPH_KEYS')).toMatchObject({
      value: '(hidden)',
      source: 'environment',
    });
    expect(JSON.stringify(settings)).not.toContain('very-secret');
  });
});

describe('several sources', () => {
  const sources = new VariableSources(
    { name: 'environment', variables: { PORT: '1', KEEP_ALIVE_MS: '' } },
    { name: '.env', variables: { PORT: '2', ADMIN_PORT: '3', TRIGLYPH_KEYS: 'secret', KEEP_ALIVE_MS: '9' } },
    { name: 'file', variables: { ADMIN_PORT: '4', WRITE_MS_MAX: '500', KEY_FILE: keyFile } },
  );
  const { settings } = inspectConfig('production', sources);
  test.each([
    ['PORT', '1', 'environment'],
    ['ADMIN_PORT', '3', '.env'],
    ['KEEP_ALIVE_MS', '5000', 'default'],
    ['TRIGLYPH_KEYS', '(hidden)', '.env'],
  ])('%s is %s from %s', (name, value, source) => {
    const report = settings.find((each) => each.name === name);
    expect(report).toMatchObject({ name, value, source, unit: expect.any(String) });
  });
  test('two variables of one setting are a fault within one source only', () => {
    const both = sources.with({ name: 'other', variables: { TRIGLYPH_KEYS: 'x' } });
    expect(inspectConfig('production', both).problems).not.toContainEqual(expect.stringMatching(/both set/));
    const doubled = sources.overriddenBy({ name: 'one', variables: { TRIGLYPH_KEYS: 'x', KEY_FILE: keyFile } });
    expect(inspectConfig('production', doubled).problems).toContain(
      'TRIGLYPH_KEYS and KEY_FILE are both set: keep one of them.',
    );
  });
});

describe('trusted proxies', () => {
  const { trustedProxies } = readConfig('demo', { TRUSTED_PROXIES: '10.0.0.0/8, 192.168.1.5 2001:db8::/32' });
  test.each<[string, boolean]>([
    ['10.200.3.4', true],
    ['::ffff:10.0.0.1', true],
    ['192.168.1.5', true],
    ['192.168.1.6', false],
    ['2001:db8::7', true],
    ['2001:db9::7', false],
    ['not an address', false],
  ])('%s: %s', (address, trusted) => expect(trustedProxies.includes(address)).toBe(trusted));
});

describe('unsafe', () => {
  const faults = (env: Record<string, string>) => productionFaults(readConfig('production', env));
  test('a sound configuration may serve', () => expect(faults(sound)).toEqual([]));
  test.each<[string, Record<string, string>, RegExp]>([
    ['no keys', { TRIGLYPH_KEYS: '' }, /no keys: name a key file/],
    ['made-up shoppers', { DEMO_SHOPPERS: '5' }, /remove it/],
    ['live in the clear', { ENVIRONMENT: 'live', PUBLIC_URL: 'https://a.example' }, /TRUSTED_PROXIES/],
    [
      'live without an address for documents',
      { ENVIRONMENT: 'live', HOST: '127.0.0.1' },
      /PUBLIC_URL is missing: set it/,
    ],
    ['live under a plain address', { ENVIRONMENT: 'live', HOST: '127.0.0.1', PUBLIC_URL: 'http://a.example' }, /https/],
  ])('%s', (_, env, problem) => {
    expect(faults({ ...sound, ...env })).toEqual([expect.stringMatching(problem)]);
  });
  test('a key file that other users can read', () => {
    chmodSync(keyFile, 0o644);
    expect(faults({ KEY_FILE: keyFile, DATA_DIR: folder })).toEqual([expect.stringMatching(/chmod 600/)]);
    chmodSync(keyFile, 0o600);
    expect(faults({ KEY_FILE: keyFile, DATA_DIR: folder })).toEqual([]);
  });
  const withMode = (mode: string): readonly string[] => {
    const file = join(folder, `keys-${mode}`);
    writeFileSync(file, 'the ring\n');
    chmodSync(file, Number.parseInt(mode, 8));
    return keyFileFaults(file);
  };
  test.each(['600', '400', '640', '440'])('a key file of mode %s is accepted', (mode) => {
    expect(withMode(mode)).toEqual([]);
  });
  test.each(['604', '602', '620', '601', '644', '666'])('a key file of mode %s is refused by name', (mode) => {
    expect(withMode(mode)).toEqual([expect.stringContaining(join(folder, `keys-${mode}`))]);
  });
  test("the demo's folder", () => {
    const data = join(folder, 'data');
    mkdirSync(data);
    writeFileSync(join(data, demoMark), '');
    expect(faults({ ...sound, DATA_DIR: data })).toEqual([expect.stringMatching(/demo's data/)]);
  });
  test("the demo's folder does not matter where a database is named", () => {
    const data = join(folder, 'unused');
    mkdirSync(data);
    writeFileSync(join(data, demoMark), '');
    expect(faults({ ...sound, DATA_DIR: data, DATABASE_URL: 'postgres://me:hush@db/pay' })).toEqual([]);
  });
  const live = {
    ...sound,
    ENVIRONMENT: 'live',
    TRUSTED_PROXIES: '10.0.0.1',
    PUBLIC_URL: 'https://pay.example.com',
  };
  test.each([
    'postgres://me:hush@db/pay',
    'postgres://me:hush@10.0.0.9:5432/pay?application_name=x',
    'postgres://me:hush@localhost/pay?host=db',
    'postgres://me:hush@localhost,db:5433/pay?target_session_attrs=read-write',
  ])('live over the network to %s, in the clear', (url) => {
    const problems = faults({ ...live, DATABASE_URL: url });
    expect(problems).toEqual([expect.stringMatching(/add sslmode=verify-full/)]);
    expect(problems.join()).not.toContain('hush');
  });
  test.each([
    'postgres://me:hush@db/pay?sslmode=verify-full',
    'postgres://me:hush@db/pay?sslmode=disable',
    'postgres://me:hush@localhost/pay',
    'postgres://me:hush@127.0.0.1/pay',
    'postgres://me:hush@[::1]:5432/pay',
    'postgres://me:hush@127.0.0.1,[::1]:5433/pay',
    'postgres://me:hush@db1:5432,db2:5433/pay?target_session_attrs=read-write&sslmode=verify-full',
    'postgres://me:hush@localhost/pay?host=/run/postgresql',
    'postgres://me:hush@%2Frun%2Fpostgresql/pay',
  ])('live with %s may serve', (url) => {
    expect(faults({ ...live, DATABASE_URL: url })).toEqual([]);
  });
  test.each([
    ['http://updater.example/checks', 1],
    ['https://updater.example/checks', 0],
    ['http://127.0.0.1:9999/checks', 0],
    ['http://[::1]:9999/checks', 0],
    ['http://localhost/checks', 0],
  ])('live with an updater at %s', (url, count) => {
    const problems = faults({ ...live, UPDATER: 'http', UPDATER_URL: url });
    expect(problems).toEqual(Array(count).fill(expect.stringMatching(/^UPDATER_URL is plain http/)));
    expect(faults({ ...live, ENVIRONMENT: 'test', UPDATER: 'http', UPDATER_URL: url })).toEqual([]);
  });
  test('an updater folder that other users can open', () => {
    const folderOf = (mode: number): Record<string, string> => {
      const files = join(folder, `files-${mode.toString(8)}`);
      mkdirSync(files);
      chmodSync(files, mode);
      return { ...sound, UPDATER: 'batch', UPDATER_FOLDER: files };
    };
    expect(faults(folderOf(0o755))).toEqual([expect.stringMatching(/^UPDATER_FOLDER .*chmod 700/)]);
    for (const mode of [0o700, 0o770]) expect(faults(folderOf(mode))).toEqual([]);
    expect(faults({ ...sound, UPDATER: 'batch', UPDATER_FOLDER: join(folder, 'none-yet') })).toEqual([]);
  });
  test('live behind a named proxy may serve', () => {
    expect(faults(live)).toEqual([]);
  });
  test('the demo listens on loopback only', () => {
    expect(productionFaults(readConfig('demo', { HOST: '0.0.0.0' }))).toEqual([expect.stringMatching(/127\.0\.0\.1/)]);
  });
});

test('docs/configuration.md is current', () => {
  const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
  expect(page).toBe(describeConfig());
});
