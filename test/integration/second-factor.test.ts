/** Tests the second factor of people at the console: who gets in with which code, and who does not. Each attack has its control. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { startConsole, type TestConsole } from '../support/console.ts';
import { now } from '../support/fixture.ts';

let opened: TestConsole | undefined;
afterEach(async () => {
  await opened?.stop();
  opened = undefined;
});

async function open(settings: Readonly<Record<string, string>> = {}): Promise<TestConsole> {
  opened = await startConsole({ settings });
  return opened;
}

interface Person {
  readonly id: string;
  readonly username: string;
  readonly secret: string;
}

interface Issued {
  readonly key: string;
  readonly uri: string;
  readonly recoveryCodes: readonly string[];
}

const api = '/console/api/v1';
const stepMs = 30_000;

function basic({ username, secret }: Person) {
  return { Authorization: `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}` };
}

/** Acts as an operator whose credential has no second factor. */
async function act(console: TestConsole, admin: Person, path: string) {
  return await console.ask(`${api}${path}`, { method: 'POST', headers: basic(admin), body: {} });
}

async function issue(console: TestConsole, admin: Person, id: string): Promise<Issued> {
  const { status, body } = await act(console, admin, `/credentials/${id}/secondFactor`);
  expect(status).toBe(200);
  return JSON.parse(body);
}

function codeOf({ key }: Pick<Issued, 'key'>, timestamp = now): string {
  return new TOTP({ secret: Secret.fromBase32(key) }).generate({ timestamp });
}

async function logIn(console: TestConsole, { username, secret }: Person, code?: string): Promise<number> {
  return (await console.ask('/console/session', { method: 'POST', body: { username, secret, code } })).status;
}

test('a code of the app logs in once, one step of drift is accepted, and a program has no way around it', async () => {
  const console = await open();
  const [admin, person] = [await console.addCredential(['console-admin']), await console.addCredential(['console'])];
  // The control: the same log-ins before there is a second factor.
  expect(await logIn(console, person)).toBe(200);
  expect((await console.ask(`${api}/overview`, { headers: basic(person) })).status).toBe(200);
  const issued = await issue(console, admin, person.id);
  expect(new URL(issued.uri).searchParams.get('secret')).toBe(issued.key);
  expect(await logIn(console, person)).toBe(401);
  expect((await console.ask(`${api}/overview`, { headers: basic(person) })).status).toBe(401);
  const right = codeOf(issued);
  expect(await logIn(console, person, right === '000000' ? '000001' : '000000')).toBe(401);
  expect(await logIn(console, person, codeOf(issued, now - 2 * stepMs))).toBe(401);
  expect(await logIn(console, person, codeOf(issued, now + 2 * stepMs))).toBe(401);
  expect(await logIn(console, person, codeOf(issued, now - stepMs))).toBe(200);
  expect(await logIn(console, person, `${right.slice(0, 3)} ${right.slice(3)}`)).toBe(200);
  expect(await logIn(console, person, right)).toBe(401);
  expect(await logIn(console, person, codeOf(issued, now - stepMs))).toBe(401);
  expect(await logIn(console, person, codeOf(issued, now + stepMs))).toBe(200);
  const changes = { actor: 'gateway', subject: person.id, outcome: undefined };
  expect(await console.audited('secondFactorChanged')).toEqual([changes]);
  expect(await console.audited('consoleAction')).toEqual([
    { actor: admin.id, subject: 'setSecondFactor', outcome: 'ok' },
  ]);
});

test('of many log-ins with one code at the same time, one gets in', async () => {
  const console = await open();
  const [admin, person] = [await console.addCredential(['console-admin']), await console.addCredential(['console'])];
  const issued = await issue(console, admin, person.id);
  const code = codeOf(issued);
  const statuses = await Promise.all(Array.from({ length: 5 }, () => logIn(console, person, code)));
  expect(statuses.toSorted()).toEqual([200, 401, 401, 401, 401]);
});

test('a recovery code works once, replaced ones end, and a factor that is removed is not asked for', async () => {
  const console = await open();
  const [admin, person] = [await console.addCredential(['console-admin']), await console.addCredential(['console'])];
  const { recoveryCodes } = await issue(console, admin, person.id);
  expect(new Set(recoveryCodes).size).toBe(10);
  expect(await logIn(console, person, recoveryCodes[0])).toBe(200);
  expect(await logIn(console, person, recoveryCodes[0])).toBe(401);
  expect(await logIn(console, person, recoveryCodes[1]?.replaceAll('-', '').toLowerCase())).toBe(200);
  const replaced = await act(console, admin, `/credentials/${person.id}/secondFactor/recoveryCodes`);
  const renewed: Issued = JSON.parse(replaced.body);
  expect(await logIn(console, person, recoveryCodes[2])).toBe(401);
  expect(await logIn(console, person, renewed.recoveryCodes[2])).toBe(200);
  expect((await act(console, admin, `/credentials/${person.id}/secondFactor/remove`)).status).toBe(200);
  expect(await logIn(console, person)).toBe(200);
  expect((await act(console, admin, `/credentials/${person.id}/secondFactor/remove`)).status).toBe(422);
  // Set up, two recovery codes, new codes, one more, removed.
  expect(await console.audited('secondFactorChanged')).toHaveLength(6);
});

test.each([
  ['with a lock', '5', [401, 401, 401, 401, 401, 429, 429]],
  ['without one, as the control', '0', [401, 401, 401, 401, 401, 401, 200]],
] as const)('guesses of a code with the right password %s', async (_, max, statuses) => {
  const console = await open({ LOGIN_FAILURES_MAX: max });
  const [admin, person] = [await console.addCredential(['console-admin']), await console.addCredential(['console'])];
  const { recoveryCodes } = await issue(console, admin, person.id);
  // The password was accepted from this address before: guesses beside it count nevertheless.
  expect(await logIn(console, person, recoveryCodes[0])).toBe(200);
  const found: number[] = [];
  for (const code of ['1', '2', '3', '4', '5', '6', recoveryCodes[1]]) found.push(await logIn(console, person, code));
  expect(found).toEqual(statuses);
});

/** Log-ins with codes, each with its status. `now`: the right one. */
async function guess(console: TestConsole, person: Person, codes: readonly (string | undefined)[]) {
  const statuses: number[] = [];
  for (const code of codes) statuses.push(await logIn(console, person, code));
  return statuses;
}

test('a wrong code that is repeated counts each time, with the right password and with a wrong one', async () => {
  const console = await open({ LOGIN_FAILURES_MAX: '3' });
  const [admin, person] = [await console.addCredential(['console-admin']), await console.addCredential(['console'])];
  await issue(console, admin, person.id);
  const repeated = ['000000', '000000', '000000', '000000'];
  expect(await guess(console, person, repeated)).toEqual([401, 401, 401, 429]);
  const other = await console.addCredential(['console']);
  expect(await guess(console, { ...other, secret: 'wrong' }, repeated)).toEqual([401, 401, 401, 429]);
});

test.each([
  { wrong: 19, atOnce: false, lets: [200] },
  { wrong: 20, atOnce: false, lets: [401, 401] },
  { wrong: 20, atOnce: true, lets: [401, 401] },
])('after $wrong wrong codes in years, at once: $atOnce, a right one gets $lets', async ({ wrong, atOnce, lets }) => {
  const console = await open({
    LOGIN_FAILURES_MAX: '0',
    LOGIN_FAILURES_PER_ADDRESS_MAX: '0',
    LOGIN_FAILURES_PER_NAME_MAX: '0',
  });
  const [admin, person] = [await console.addCredential(['console-admin']), await console.addCredential(['console'])];
  const issued = await issue(console, admin, person.id);
  let passed = 0;
  const pass = (ms: number): void => {
    passed += ms;
    console.pass(ms);
  };
  const right = () => codeOf(issued, now + passed);
  if (atOnce) await Promise.all(Array.from({ length: wrong }, (_, at) => logIn(console, person, `wrong ${at}`)));
  else
    for (let at = 0; at < wrong; at += 1) {
      expect(await logIn(console, person, 'wrong')).toBe(401);
      pass(30 * 24 * 3_600_000);
    }
  expect(await guess(console, person, lets.map(right))).toEqual(lets);
  // A recovery code cannot be guessed: it lets its person in, and the app again.
  expect(await logIn(console, person, issued.recoveryCodes[0])).toBe(200);
  pass(2 * stepMs);
  expect(await logIn(console, person, right())).toBe(200);
});

describe('a session issues a secret or gives rights', () => {
  const actions = ['rotate', 'secondFactor', 'secondFactor/recoveryCodes', 'secondFactor/remove', 'roles', 'add'];

  /** A person in a session, with or without a second factor, and what the person knows. */
  async function enter(withFactor: boolean) {
    const console = await open();
    const [admin, other] = [await console.addCredential(['console-admin']), await console.addCredential(['console'])];
    await issue(console, admin, other.id);
    const issued = withFactor ? await issue(console, admin, admin.id) : undefined;
    const headers = (await console.logIn({ ...admin, ...(issued && { code: issued.recoveryCodes[0] }) })).headers;
    const replace = async (action: string, proof: object): Promise<number> => {
      const [path, body] =
        action === 'add'
          ? ['', { tenant: 'Demo', kind: 'apiKey', role: ['console-admin'] }]
          : action === 'roles'
            ? [`/${other.id}`, { role: ['console-admin'] }]
            : [`/${other.id}/${action}`, {}];
      const sent = { method: 'POST', headers, body: { ...body, ...proof } };
      return (await console.ask(`${api}/credentials${path}`, sent)).status;
    };
    return { console, admin, other, codes: issued?.recoveryCodes.slice(1) ?? [], replace };
  }

  test.each([true, false])('with a second factor: %s, only by what its person gives once more', async (withFactor) => {
    const { console, admin, other, codes, replace } = await enter(withFactor);
    for (const action of actions) {
      const right = withFactor ? { ownCode: codes.shift() } : { ownSecret: admin.secret };
      const wrong = withFactor ? { ownSecret: admin.secret } : { ownSecret: other.secret };
      expect([action, await replace(action, {}), await replace(action, wrong)]).toEqual([action, 422, 422]);
      expect([action, await replace(action, right)]).toEqual([action, 200]);
      // The code was used.
      if (withFactor) expect(await replace(action, right)).toBe(422);
    }
    const actors = await console.audited('secondFactorChanged');
    expect(actors.filter(({ subject }) => subject === other.id)).toHaveLength(4);
  });

  test('wrong proofs are counted as log-ins are', async () => {
    const { replace } = await enter(false);
    const statuses: number[] = [];
    for (let at = 0; at < 12; at += 1) statuses.push(await replace('rotate', { ownSecret: `wrong ${at}` }));
    expect([statuses[0], statuses.at(-1)]).toEqual([422, 429]);
  });
});

test('a setting requires a second factor for roles that act, and not for console', async () => {
  const console = await open({ CONSOLE_SECOND_FACTOR: 'console-admin' });
  const reader = await console.addCredential(['console']);
  const admin = await console.addCredential(['console-admin']);
  expect(await logIn(console, await console.addCredential(['console-tenant']))).toBe(200);
  expect(await logIn(console, await console.addCredential(['console-tenant-admin']))).toBe(401);
  expect(await logIn(console, reader)).toBe(200);
  expect(await logIn(console, admin)).toBe(401);
  expect((await act(console, admin, `/credentials/${admin.id}/secondFactor`)).status).toBe(401);
});

test('the answer to a wrong code is that to a wrong password, and the list of credentials has no secret', async () => {
  const console = await open();
  const [admin, person] = [await console.addCredential(['console-admin']), await console.addCredential(['console'])];
  const { key, recoveryCodes } = await issue(console, admin, person.id);
  const ask = (body: object) => console.ask('/console/session', { method: 'POST', body });
  const { username, secret } = person;
  const [wrongCode, wrongSecret] = [
    await ask({ username, secret, code: '123' }),
    await ask({ username, secret: 'wrong', code: recoveryCodes[0] }),
  ];
  expect({ status: wrongCode.status, body: wrongCode.body }).toEqual({
    status: wrongSecret.status,
    body: wrongSecret.body,
  });
  // The recovery code beside a wrong password is not used up.
  expect(await logIn(console, person, recoveryCodes[0])).toBe(200);
  const { body } = await console.ask(`${api}/credentials`, { headers: basic(admin) });
  expect(body).toContain('secondFactorAt');
  for (const each of [key, ...recoveryCodes]) expect(body).not.toContain(each);
});

test('only a person with a username has a second factor', async () => {
  const console = await open();
  const admin = await console.addCredential(['console-admin']);
  const apiKey = await console.addCredential(['console'], { kind: 'apiKey', username: undefined });
  const { status, body } = await act(console, admin, `/credentials/${apiKey.id}/secondFactor`);
  expect(status).toBe(422);
  expect(body).toContain('has no username');
});
