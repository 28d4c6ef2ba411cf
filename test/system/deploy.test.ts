/** Tests the files in deploy/: systemd and HAProxy accept theirs, manifests match their schemas, and the first steps start a server. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import type { Setting } from '../../src/app/setting.ts';
import { settings } from '../../src/app/settings.ts';
import { program, type Variables } from '../support/commands.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { ask, basic, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const deploy = join(import.meta.dirname, '../../deploy');
const read = (name: string): string => readFileSync(join(deploy, name), 'utf8');
const run = promisify(execFile);
const folder = tempFolder();
afterAll(() => folder.discard());

/** The variables that the program knows. */
const known = new Set(
  Object.values<Setting<unknown>>(settings).flatMap(({ name, fileNames = [] }) => [name, ...fileNames]),
);

describe('systemd', () => {
  const units = readdirSync(join(deploy, 'systemd'));
  /** Units whose programs exist on this machine. */
  const verify = async (change: (text: string) => string = (text) => text) => {
    const copies = units.map((name) => {
      const file = join(folder.path, name);
      writeFileSync(file, change(read(`systemd/${name}`).replaceAll('/usr/bin/node', process.execPath)));
      return file;
    });
    const { stderr } = await run('systemd-analyze', ['verify', '--man=no', ...copies]).catch((thrown) => thrown);
    // Other units of the machine are read, too.
    return String(stderr)
      .split('\n')
      .filter((line) => line.includes('triglyph'));
  };

  test('accepts the units', async () => expect(await verify()).toEqual([]));
  test('control: it names a misspelt option', async () => {
    const found = await verify((text) => text.replace('KillMode=', 'KilMode='));
    expect(found.join()).toContain('KilMode');
  });
  test('the units name settings of the program, and no secret in clear', () => {
    const names = units.flatMap((name) => [...read(`systemd/${name}`).matchAll(/^Environment=(\w+)=/gm)]);
    expect(names.map(([, name]) => name!).filter((name) => name !== 'NODE_ENV' && !known.has(name))).toEqual([]);
    expect(names.length).toBeGreaterThan(5);
  });
});

test('HAProxy accepts its configuration for the database', async () => {
  await run('haproxy', ['-c', '-f', join(deploy, 'cluster/haproxy.cfg')]);
});

test('HAProxy accepts its configuration', async () => {
  const pem = join(folder.path, 'triglyph.pem');
  const subject = ['-subj', '/CN=localhost', '-days', '1', '-nodes'];
  await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...subject, '-keyout', `${pem}.key`, '-out', pem]);
  writeFileSync(pem, readFileSync(`${pem}.key`, 'utf8') + readFileSync(pem, 'utf8'));
  const file = join(folder.path, 'haproxy.cfg');
  const text = read('haproxy/haproxy.cfg').replace('/etc/haproxy/triglyph.pem', pem);
  writeFileSync(file, text);
  await run('haproxy', ['-c', '-f', file]);
  // Control.
  writeFileSync(file, text.replace('balance roundrobin', 'balance roundrobbin'));
  await expect(run('haproxy', ['-c', '-f', file])).rejects.toThrow();
});

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // biome-ignore lint/suspicious/noExplicitAny: the schemas say what is in it.
  readonly [name: string]: any;
}

describe('Kubernetes', () => {
  const manifestsOf = (name: string): readonly Manifest[] =>
    parseAllDocuments(read(`kubernetes/${name}`), { merge: true }).map((document) => document.toJS() as Manifest);
  const resources = (parse(read('kubernetes/kustomization.yaml')) as { readonly resources: readonly string[] })
    .resources;
  const manifests = [...resources, 'secrets.example.yaml'].flatMap(manifestsOf);
  const find = (kind: string, name: string): Manifest =>
    manifests.find((each) => each.kind === kind && each.metadata.name === name)!;

  /** Throws where the manifest does not match the schema of its kind, or has a member that the schema does not read. */
  async function validate(manifest: Manifest): Promise<void> {
    const [version, group = 'core'] = manifest.apiVersion.split('/').reverse() as [string, string?];
    const name = [group.split('.')[0]!, version].map((part) => part[0]!.toUpperCase() + part.slice(1)).join('');
    const { validate: isValid } = (await import(`kubernetes-models/_schemas/IoK8sApi${name}${manifest.kind}`)) as {
      readonly validate: ((data: unknown) => boolean) & { readonly errors?: readonly object[] };
    };
    const unread = new Set<string>();
    if (!isValid(watchReads(manifest, '', unread))) throw new Error(JSON.stringify(isValid.errors));
    if (unread.size > 0) throw new Error(`unknown: ${[...unread].join(', ')}`);
  }

  /** Keeps the paths of all members in `unread` until they are read. */
  function watchReads(value: unknown, path: string, unread: Set<string>): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => {
      unread.add(`${path}/${name}`);
      return [name, watchReads(member, `${path}/${name}`, unread)] as const;
    });
    const target = Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
    return new Proxy(target, {
      get(object, name, receiver) {
        unread.delete(`${path}/${String(name)}`);
        return Reflect.get(object, name, receiver);
      },
    });
  }

  test('the kustomization lists every manifest', () => {
    const files = readdirSync(join(deploy, 'kubernetes')).filter((name) => !/^(kustomization|secrets)/.test(name));
    expect([...resources].sort()).toEqual(files.sort());
  });

  test.each(manifests.map((each) => [each.kind, each.metadata.name, each] as const))(
    '%s %s matches its schema',
    async (_, __, manifest) => validate(manifest),
  );

  test('control: a number that is a text, and an unknown member', async () => {
    const autoscaler = find('HorizontalPodAutoscaler', 'triglyph');
    const changed = { ...autoscaler, spec: { ...autoscaler.spec, maxReplicas: 'six' } };
    await expect(validate(changed)).rejects.toThrow('maxReplicas');
    const policy = find('NetworkPolicy', 'triglyph');
    await expect(validate({ ...policy, spec: { podSelector: policy.spec.podSelector, ingres: [] } })).rejects.toThrow(
      'unknown: /spec/ingres',
    );
  });

  test('selectors, ports and volumes name what is there', () => {
    const deployment = find('Deployment', 'triglyph');
    const { metadata, spec } = deployment.spec.template;
    expect(metadata.labels).toEqual(deployment.spec.selector.matchLabels);
    expect(metadata.labels).toEqual(find('Service', 'triglyph').spec.selector);
    expect(metadata.labels).toEqual(find('PodDisruptionBudget', 'triglyph').spec.selector.matchLabels);
    expect(find('HorizontalPodAutoscaler', 'triglyph').spec.scaleTargetRef.name).toBe('triglyph');
    const [container] = spec.containers;
    const ports = container.ports.map(({ name }: { name: string }) => name);
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
      expect(ports).toContain(container[probe].httpGet.port);
    for (const pod of [spec, find('Job', 'first-steps').spec.template.spec]) {
      const names = pod.volumes.map(({ name }: { name: string }) => name);
      expect(pod.containers[0].volumeMounts.map(({ name }: { name: string }) => name)).toEqual(names);
      expect(pod.serviceAccountName).toBe(find('ServiceAccount', 'triglyph').metadata.name);
    }
  });

  test('variables are settings, and pods have longer than the drain', () => {
    const given = find('ConfigMap', 'triglyph-settings').data as Variables;
    const { spec } = find('Deployment', 'triglyph').spec.template;
    const names = [...Object.keys(given), ...spec.containers[0].env.map(({ name }: { name: string }) => name)];
    expect(names.filter((name) => !known.has(name))).toEqual([]);
    expect(spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(Number(given.DRAIN_NOTICE_MS) + 30_000);
  });

  test('the job runs the script', () => {
    expect(find('ConfigMap', 'first-steps').data['first-steps.sh']).toBe(read('first-steps.sh'));
  });
});

test.each(['../compose.yaml', 'compose/compose.yaml'])(
  '%s names settings, services and volumes that are there',
  (file) => {
    interface Service {
      readonly environment?: Variables;
      readonly depends_on?: Readonly<Record<string, object>>;
      readonly volumes?: readonly string[];
      readonly ports?: readonly string[];
    }
    const { services, volumes } = parse(read(file), { merge: true }) as {
      readonly services: Readonly<Record<string, Service>>;
      readonly volumes: object;
    };
    for (const [name, { environment = {}, depends_on = {}, volumes: mounts = [], ports = [] }] of Object.entries(
      services,
    )) {
      for (const other of Object.keys(depends_on)) expect(Object.keys(services)).toContain(other);
      for (const mount of mounts.filter((each) => !each.startsWith('.')))
        expect(Object.keys(volumes)).toContain(mount.split(':')[0]);
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
      if (name === 'postgres' || name === 'redis') continue;
      const others = ['COMPANY', 'MERCHANT_ACCOUNT'];
      expect(Object.keys(environment).filter((each) => !known.has(each) && !others.includes(each))).toEqual([]);
    }
    const { depends_on } = services.one ?? services.triglyph ?? {};
    expect(depends_on).toHaveProperty('first-steps.condition', 'service_completed_successfully');
  },
);

describe.each(['PostgreSQL', 'SQLite'])('the first steps on %s', (engine) => {
  let postgres: Postgres | undefined;
  beforeAll(async () => {
    if (engine === 'PostgreSQL') postgres = await startPostgres();
  });
  afterAll(() => postgres?.discard());

  test('print a credential once, with which a server answers', async () => {
    const place = join(folder.path, engine);
    mkdirSync(place);
    copyFileSync(join(deploy, 'first-steps.sh'), join(place, 'first-steps.sh'));
    const variables: Variables = {
      KEY_FILE: join(place, 'keys'),
      DATA_DIR: join(place, 'data'),
      ...(postgres && { DATABASE_URL: await postgres.createDatabase() }),
    };
    // Control: what an empty volume did before.
    await expect(startServer('serve', place, variables)).rejects.toThrow('there is no such file');
    const env = {
      PATH: process.env.PATH,
      TRIGLYPH: `${process.execPath} ${program}`,
      COMPANY: 'Acme',
      MERCHANT_ACCOUNT: 'AcmeWeb',
      ...variables,
    };
    const first = await run('sh', ['first-steps.sh'], { cwd: place, env });
    const [, username = ''] = /^username\s+(\S+)$/m.exec(first.stdout) ?? [];
    const [, secret = ''] = /^secret\s+(\S+)$/m.exec(first.stdout) ?? [];
    expect(secret).toMatch(/^[\w-]{20,}$/);
    const second = await run('sh', ['first-steps.sh'], { cwd: place, env });
    expect(second.stdout).toContain('nothing to do');
    expect(second.stdout).not.toMatch(/secret|username/);

    const server = await startServer('serve', place, variables);
    const shopper = { merchantAccount: 'AcmeWeb', shopperReference: 'shopper-1' };
    const { status } = await ask(server.callers, 'listRecurringDetails', shopper, basic(username, secret));
    await server.stop();
    expect(status).toBe(200);
  });
});
