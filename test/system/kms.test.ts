/** Tests a server whose keys a key management service wraps: what works while the service is away, and what does not. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { ask, basic, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { startTransitServer } from '../support/transit-server.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
afterAll(() => folder.discard());

test('a server runs on while the service is away, says so, and starts with it only', async () => {
  let kms = await startTransitServer();
  let server: Server | undefined;
  try {
    const { variables, credential } = await prepareProduction(folder.path);
    const tokenFile = join(folder.path, 'token');
    writeFileSync(tokenFile, 'test-token');
    const withKms = { ...variables, KMS_URL: kms.url, KMS_TOKEN_FILE: tokenFile, KMS_MS_MAX: '1000' };
    const file = variables.KEY_FILE!;
    const clear = readFileSync(file, 'utf8').match(/[0-9a-f]{64}/g)!;
    expect(clear).toHaveLength(3);

    const unwrapped = await triglyph(['keys', 'status'], folder.path, withKms);
    expect(unwrapped).toMatchObject({ code: 1, stderr: expect.stringMatching(/in the clear: .*keys wrap/) });
    expect(await triglyph(['keys', 'wrap', file], folder.path, withKms)).toMatchObject({ code: 0 });
    for (const key of clear) expect(readFileSync(file, 'utf8')).not.toContain(key);
    // Keys in the clear open no audit log with KMS_URL: the entry is written once they are wrapped. Wrapping them again is recorded before.
    const recorded = async () =>
      (await triglyph(['audit', 'show', '--kind', 'keyRotated'], folder.path, withKms)).stdout;
    expect((await recorded()).match(/KMS_URL/g)).toHaveLength(1);
    expect(await triglyph(['keys', 'wrap', file], folder.path, withKms)).toMatchObject({ code: 0 });
    expect((await recorded()).match(/KMS_URL/g)).toHaveLength(2);

    server = await startServer('serve', folder.path, withKms);
    const authorization = basic(credential.username, credential.secret);
    const store = (n: number) =>
      ask(
        server!.callers,
        'storeToken',
        {
          merchantAccount: 'AcmeWeb',
          shopperReference: `s-${n}`,
          recurring: { contract: 'RECURRING' },
          card: { number: '4111111111111111', expiryMonth: '3', expiryYear: '2031', holderName: 'Anna' },
        },
        authorization,
      );
    const readiness = async () => (await (await fetch(`${server!.admin}/readyz`)).json()) as { probes: object };
    expect(await readiness()).toMatchObject({ ready: true, probes: { kms: 'ok' } });
    const metric = async () =>
      /^triglyph_kms_up \d$/m.exec(await (await fetch(`${server!.admin}/metrics`)).text())?.[0];
    expect(await metric()).toBe('triglyph_kms_up 1');
    const before = kms.calls.length;
    for (let n = 0; n < 5; n += 1) expect(await store(n)).toMatchObject({ status: 200 });
    expect(kms.calls.length).toBe(before);

    // With the service away, requests are answered; starts and commands are refused.
    const port = Number(new URL(kms.url).port);
    await kms.close();
    await until(
      'the probe',
      async () =>
        (await readiness()).probes !== undefined && JSON.stringify(await readiness()).includes('KmsUnavailable'),
    );
    expect(await metric()).toBe('triglyph_kms_up 0');
    expect(await readiness()).toMatchObject({ ready: true, probes: { vault: 'ok' } });
    expect(await store(9)).toMatchObject({ status: 200 });
    const refused = await triglyph(['keys', 'status'], folder.path, withKms);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('does not answer') });

    // Another service with other keys opens nothing: the keys are not in the file.
    kms = await startTransitServer({ port });
    const other = await triglyph(['keys', 'status'], folder.path, withKms);
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('400') });
  } finally {
    await server?.stop();
    await kms.close();
  }
});
