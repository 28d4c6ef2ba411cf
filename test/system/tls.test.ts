/** Tests a server that speaks HTTPS itself: versions and ciphers, renewed files, client certificates, and the admin port. */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, get, request } from 'node:https';
import { connect, createServer } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type CertificateFiles, createCertificate } from '../support/certificates.ts';
import { triglyph, type Variables } from '../support/commands.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { basic, type Production, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
let production: Production;
let authority: CertificateFiles;
let stranger: CertificateFiles;
let client: CertificateFiles;
let files: Variables;
let server: Server | undefined;
beforeAll(async () => {
  production = await prepareProduction(folder.path);
  authority = createCertificate(folder.path, 'authority');
  stranger = createCertificate(folder.path, 'stranger', createCertificate(folder.path, 'other-authority'));
  client = createCertificate(folder.path, 'client', authority);
  files = { TLS_CERT_FILE: `${folder.path}/server.pem`, TLS_KEY_FILE: `${folder.path}/server.key` };
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
});
afterAll(() => folder.discard());

const install = (name: string): CertificateFiles => {
  const made = createCertificate(folder.path, name, authority);
  copyFileSync(made.cert, files.TLS_CERT_FILE!);
  copyFileSync(made.key, files.TLS_KEY_FILE!);
  chmodSync(files.TLS_KEY_FILE!, 0o600);
  return made;
};

const serve = async (also: Variables = {}): Promise<Server> => {
  server = await startServer('serve', folder.path, { ...production.variables, ...files, ...also });
  return server;
};

const portOf = ({ callers }: Server): number => Number(new URL(callers).port);
const ca = () => readFileSync(authority.cert);

interface Call {
  readonly agent?: Agent;
  readonly headers?: Readonly<Record<string, string>>;
  readonly certificate?: CertificateFiles;
}

/** Lists the details of a shopper. */
const call = ({ callers }: Server, { agent = new Agent(), headers, certificate }: Call = {}) =>
  new Promise<{ readonly status: number | undefined; readonly body: string }>((resolve, reject) => {
    const { username, secret } = production.credential;
    const sent = request(
      `${callers}/pal/servlet/Recurring/v68/listRecurringDetails`,
      {
        method: 'POST',
        agent,
        ca: ca(),
        ...(certificate && { cert: readFileSync(certificate.cert), key: readFileSync(certificate.key) }),
        headers: { 'Content-Type': 'application/json', ...(headers ?? { Authorization: basic(username, secret) }) },
      },
      async (response) => {
        const body = (await response.setEncoding('utf8').toArray()).join('');
        resolve({ status: response.statusCode, body });
      },
    );
    sent.on('error', reject);
    sent.end(JSON.stringify({ merchantAccount: 'AcmeWeb', shopperReference: 'shopper-1' }));
  });

/** The fingerprint of the certificate that new connections get. */
const served = (port: number) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', ca: ca() }, () => {
      resolve(socket.getPeerX509Certificate()!.fingerprint256.replaceAll(':', '').toLowerCase());
      socket.end();
    });
    socket.on('error', reject);
  });

/** Whether openssl agrees with the server on a protocol and a cipher. */
const handshake = (port: number, ...options: readonly string[]) =>
  new Promise<boolean>((resolve) => {
    const child = execFile('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, ...options], (thrown, stdout) =>
      resolve(thrown === null && !/Cipher is \(NONE\)/.test(stdout)),
    );
    child.stdin?.end('');
  });

/** Whether a server makes a second handshake, which openssl asks for, on a connection of TLS 1.2. */
const renegotiates = async (port: number): Promise<boolean> => {
  const child = spawn('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, '-tls1_2']);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  await until('the first handshake', () => output.includes('Secure Renegotiation IS supported'));
  // s_client prints the certificate of each handshake.
  const second = () => /RENEGOTIATING[\s\S]*depth=0/.test(output);
  child.stdin.write('R\n');
  await until('an end', () => second() || output.includes('no renegotiation'));
  child.kill();
  return second();
};

const issued = async (...parameters: string[]): Promise<{ readonly id: string; readonly secret: string }> => {
  const { stdout, stderr } = await triglyph(
    ['credential', 'add', 'Acme', '--account', 'AcmeWeb', '--json', ...parameters],
    folder.path,
    production.variables,
  );
  expect(stderr).toBe('');
  return JSON.parse(stdout);
};

/** Probes and metrics are served over TLS. */
async function expectTlsOfAdmin({ admin }: Server): Promise<void> {
  expect(admin).toMatch(/^https:/);
  const metrics = await new Promise<string>((resolve, reject) => {
    get(`${admin}/metrics`, { ca: ca() }, async (response) =>
      resolve((await response.setEncoding('utf8').toArray()).join('')),
    ).on('error', reject);
  });
  const [, end = ''] = /^triglyph_tls_certificate_expiry_timestamp_seconds (\S+)$/m.exec(metrics) ?? [];
  expect(Number(end)).toBeGreaterThan(Date.now() / 1000 + 86_400);
  // The check of the image.
  const dockerfile = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');
  const [, ...parameters] = JSON.parse(/^HEALTHCHECK .*\\\n {2}CMD (.*)$/m.exec(dockerfile)![1]!) as string[];
  const ADMIN_PORT = new URL(admin).port;
  const check = (variables: Record<string, string>) =>
    spawnSync(process.execPath, parameters, { env: { ...process.env, ...variables } });
  expect(check({ ADMIN_PORT, ADMIN_TLS: 'on' })).toMatchObject({ status: 0, stderr: Buffer.from('') });
  expect(check({ ADMIN_PORT }).status).toBe(1);
}

describe('a server with a certificate', () => {
  test('answers over TLS 1.2 and 1.3 with forward secrecy, and nothing older, also probes where ADMIN_TLS is on', async () => {
    install('first');
    const running = await serve({ ADMIN_TLS: 'on' });
    expect(running.callers).toMatch(/^https:/);
    expect((await call(running)).status).toBe(200);
    const port = portOf(running);
    // Security level 0: the client offers everything.
    const offer = ['-cipher', 'ALL:@SECLEVEL=0'];
    expect(await handshake(port, '-tls1_3')).toBe(true);
    expect(await handshake(port, '-tls1_2', ...offer)).toBe(true);
    expect(await handshake(port, '-tls1_1', ...offer)).toBe(false);
    expect(await handshake(port, '-tls1_2', '-cipher', 'ECDHE-ECDSA-AES128-GCM-SHA256')).toBe(true);
    expect(await handshake(port, '-tls1_2', '-cipher', 'ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0')).toBe(false);
    // Plain HTTP on the port ends the connection, and the server goes on.
    await expect(fetch(running.callers.replace('https', 'http'))).rejects.toThrow();
    expect((await call(running)).status).toBe(200);

    // Without TLS_CLIENT_CA_FILE no caller is asked for a certificate.
    const bound = await issued('--kind', 'apiKey', '--certificate', client.cert);
    expect((await call(running, { certificate: client, headers: { 'X-API-Key': bound.secret } })).status).toBe(401);
    await expectTlsOfAdmin(running);
  });

  test('with TLS_MIN_VERSION=1.3 refuses 1.2', async () => {
    install('strict');
    const port = portOf(await serve({ TLS_MIN_VERSION: '1.3' }));
    expect(await handshake(port, '-tls1_3')).toBe(true);
    expect(await handshake(port, '-tls1_2')).toBe(false);
  });

  test('refuses to renegotiate on both ports, also after a renewal', async () => {
    const old = install('renegotiating');
    const running = await serve({ ADMIN_TLS: 'on' });
    const ports = [portOf(running), Number(new URL(running.admin).port)];
    const all = () => Promise.all(ports.map(renegotiates));
    expect(await all()).toEqual([false, false]);
    const renewed = install('renegotiating-again');
    for (const port of ports)
      await until('the new certificate', async () => (await served(port)) === renewed.fingerprint);
    expect(await all()).toEqual([false, false]);
    // Control: a server of Node with the same certificate does, so this is what the test would see.
    const control = createServer({ cert: readFileSync(old.cert), key: readFileSync(old.key) });
    expect(await renegotiates(await listenLocally(control))).toBe(true);
    control.close();
  });

  test('uses renewed files for new connections, keeps open ones, and keeps the last pair that works', async () => {
    const old = install('old');
    // The kept connection waits for the renewal, which takes longer on a busy machine.
    const running = await serve({ KEEP_ALIVE_MS: '60000' });
    const port = portOf(running);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let closed = 0;
    const once = () => call(running, { agent });
    expect((await once()).status).toBe(200);
    const [socket] = Object.values(agent.freeSockets).flat();
    socket!.once('close', () => {
      closed += 1;
    });
    expect(await served(port)).toBe(old.fingerprint);
    const renewed = install('renewed');
    await until('the new certificate is served', async () => (await served(port)) === renewed.fingerprint);
    await until('the renewal is logged', () => running.output().includes('the TLS certificate was renewed'));
    expect((await once()).status).toBe(200);
    expect(closed).toBe(0);
    // A certificate without its key.
    copyFileSync(old.cert, files.TLS_CERT_FILE!);
    await until('the broken pair is logged', () => running.output().includes('the certificate before them stays'));
    expect(await served(port)).toBe(renewed.fingerprint);
    writeFileSync(files.TLS_CERT_FILE!, 'nonsense');
    copyFileSync(old.key, files.TLS_KEY_FILE!);
    copyFileSync(old.cert, files.TLS_CERT_FILE!);
    await until('the repaired pair is served', async () => (await served(port)) === old.fingerprint);
    agent.destroy();
  });
});

describe('client certificates', () => {
  test('are required beside a secret, or stand for it; only those of the authority count', async () => {
    install('mutual');
    const bound = await issued('--kind', 'apiKey', '--certificate', client.cert);
    await issued('--kind', 'certificate', '--certificate', client.fingerprint.toUpperCase());
    const running = await serve({ TLS_CLIENT_CA_FILE: authority.cert });
    const apiKey = { 'X-API-Key': bound.secret };
    const status = async (of: Call) => (await call(running, of)).status;
    expect(await status({ certificate: client, headers: apiKey })).toBe(200);
    expect(await status({ headers: apiKey })).toBe(401);
    expect(await status({ certificate: stranger, headers: apiKey })).toBe(401);
    expect(await status({ certificate: client, headers: {} })).toBe(200);
    expect(await status({ certificate: stranger, headers: {} })).toBe(401);
    expect(await status({ headers: {} })).toBe(401);
    // A fingerprint is no secret.
    expect(await status({ headers: { 'X-API-Key': client.fingerprint } })).toBe(401);
    // Other credentials need no certificate.
    expect(await status({})).toBe(200);
  });
});

describe('serve refuses', () => {
  const refusal = async (also: Variables) => {
    const { code, stderr } = await triglyph(['serve'], folder.path, { ...production.variables, ...also });
    expect(code).toBe(1);
    return stderr;
  };
  test('a private key that others can read, and a pair that does not belong together', async () => {
    install('exposed');
    chmodSync(files.TLS_KEY_FILE!, 0o644);
    expect(await refusal(files)).toMatch(/TLS_KEY_FILE .* can be read or changed by others: chmod 600/);
    chmodSync(files.TLS_KEY_FILE!, 0o600);
    expect(await refusal({ ...files, TLS_CERT_FILE: client.cert })).toMatch(/cannot be used: /);
    expect(await refusal({ TLS_CERT_FILE: client.cert })).toMatch(/belong together/);
    const { stdout } = await triglyph(['check'], folder.path, { ...production.variables, ...files });
    expect(stdout).toMatch(/Nothing is wrong[\s\S]*Soon:\n- TLS_CERT_FILE .* ends at /);
    expect(await refusal({ ADMIN_TLS: 'on' })).toMatch(/ADMIN_TLS is on without TLS_CERT_FILE/);
    expect(await refusal({ CLIENT_CERTIFICATE_HEADER: 'X-Cert' })).toMatch(/without TRUSTED_PROXIES/);
  });
});

test('workers and their primary serve the certificate, and renew it', async () => {
  const postgres: Postgres = await startPostgres();
  try {
    const shared = tempFolder();
    const { variables } = await prepareProduction(shared.path, {
      DATABASE_URL: await postgres.createMigratedDatabase(),
    });
    install('workers');
    const running = await serve({ ...variables, WORKERS: '2', ADMIN_TLS: 'on' });
    expect((await call(running)).status).toBe(200);
    expect(running.admin).toMatch(/^https:/);
    const renewed = install('renewed-workers');
    const adminPort = Number(new URL(running.admin).port);
    const all = () => Promise.all([served(adminPort), ...Array.from({ length: 4 }, () => served(portOf(running)))]);
    await until('all serve the new certificate', async () =>
      (await all()).every((each) => each === renewed.fingerprint),
    );
    shared.discard();
  } finally {
    await server?.stop();
    server = undefined;
    await postgres.discard();
  }
});
