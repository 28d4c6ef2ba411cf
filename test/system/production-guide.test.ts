/** Runs the commands of docs/production.md, with keyed calls through HAProxy all the time: none fails, and each has one effect. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { freePort } from '../support/listen-locally.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { programs } from '../support/postgres-instance.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { tempFolder } from '../support/temp-folder.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/production.md'), 'utf8');
const rows = process.env.ROWS ?? '1000';
/** What `git clone` brings: the bundle of the sources where there is one, because each of twenty starts costs twice with them. */
const { TEST_PROGRAM } = process.env;
const installed =
  TEST_PROGRAM === undefined
    ? { PROGRAM: root, PARTS: 'bin src scripts package.json' }
    : { PROGRAM: join(dirname(TEST_PROGRAM), '..'), PARTS: 'bin dist package.json' };

const folder = tempFolder();
let postgres: Postgres;
let redis: RedisServer;
beforeAll(async () => {
  [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
});
afterAll(async () => {
  await Promise.all([redis?.stop(), postgres?.discard()]);
  folder.discard();
});

/** Programs that a test cannot run: they would change the machine. `service` starts servers as the unit does. */
const standIns = String.raw`
set -eu -o pipefail
apt-get() { :; }
useradd() { :; }
sudo() { shift 2; "$@"; }
git() { mkdir -p "$5" && (cd "$PROGRAM" && cp -r $PARTS "$5") && cp -r "$SOURCE/deploy" "$5" && ln -s "$SOURCE/node_modules" "$5/node_modules"; }
npm() { :; }
chgrp() { :; }
start() {
  case "$1" in
    haproxy) haproxy -D -f "$PLACE/etc/haproxy/haproxy.cfg" -p "$PLACE/haproxy.pid" ;;
    prometheus)
      prometheus --config.file="$PLACE/etc/prometheus/prometheus.yml" --storage.tsdb.path="$PLACE/prometheus" --web.listen-address="127.0.0.1:$PROMETHEUS" 2> "$PLACE/prometheus.log" &
      echo $! > "$PLACE/prometheus.pid" ;;
    triglyph@*)
      name=\${1#triglyph@}
      (
        set -a; . "$PLACE/etc/triglyph/environment"; . "$PLACE/etc/triglyph/$name.environment"; set +a
        export KEY_FILE="$PLACE/etc/triglyph/keys" DATABASE_URL_FILE="$PLACE/etc/triglyph/database-url" REDIS_URL_FILE="$PLACE/etc/triglyph/redis-url"
        export DATA_DIR="$PLACE/$name"
        mkdir -p "$DATA_DIR"; cd "$DATA_DIR"
        exec "$NODE" --disable-proto=delete "$PLACE/opt/triglyph/bin/triglyph.mjs" serve > "$PLACE/$name.log" 2>&1
      ) &
      echo $! > "$PLACE/$name.pid" ;;
  esac
}
stop() {
  name=\${1#triglyph@}
  [ ! -e "$PLACE/$name.pid" ] || { kill -TERM "$(cat "$PLACE/$name.pid")"; wait "$(cat "$PLACE/$name.pid")" || true; rm "$PLACE/$name.pid"; }
}
systemctl() {
  case "$1" in
    daemon-reload) ;;
    enable) shift 2; for unit in "$@"; do start "$unit"; done ;;
    restart) stop "$2"; start "$2" ;;
  esac
}
end() { stop prometheus; for name in one two; do stop "triglyph@$name"; done; [ ! -e "$PLACE/haproxy.pid" ] || kill "$(cat "$PLACE/haproxy.pid")"; }
trap end EXIT
`.replaceAll('\\$', '$');

/** Announces payments with keys, and repeats each call once. */
const traffic = `
traffic() {
  call notifyShopper '{"merchantAccount":"AcmeWeb","shopperReference":"shopper-1","recurringDetailReference":"'"$detail"'","reference":"'"$1"'","amount":{"currency":"EUR","value":1000}}' > /dev/null
}
detail=$(call listRecurringDetails '{"merchantAccount":"AcmeWeb","shopperReference":"shopper-1"}' | grep -o '"recurringDetailReference":"[^"]*"' | head -1 | cut -d'"' -f4)
( n=0; while [ ! -e "$PLACE/quiet" ]; do n=$((n + 1)); traffic "call-$n" && echo "$n" >> "$PLACE/answered" || echo "$n" >> "$PLACE/failed"; sleep 0.3; done ) &
load=$!
`;

test('the commands of the page work, and callers notice none of them', async () => {
  const place = folder.path;
  const ports = Object.fromEntries(
    await Promise.all(
      ['443', '8081', '8082', '9081', '9082', '9090'].map(async (port) => [port, String(await freePort())]),
    ),
  );
  const sections = page
    .split(/^## /m)
    .slice(1)
    .filter((text) => text.includes('```sh'));
  const commands = sections.map((text) => {
    const title = text.slice(0, text.indexOf('\n'));
    const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!).join('');
    const added = title.startsWith('8.') ? traffic : '';
    const ended = title.startsWith('9.') ? 'touch "$PLACE/quiet"; wait $load\n' : '';
    return `${added}SECONDS=0\n${blocks}${ended}echo "@ $SECONDS s: ${title}"\n`;
  });
  expect(commands).toHaveLength(10);
  const text = commands
    .join('')
    .replace(/(?<![\w.$/"])\/(etc|opt|srv|usr\/local)\//g, `${place}/$1/`)
    .replaceAll('/usr/bin/node', process.execPath)
    .replaceAll('127.0.0.1:5432', `127.0.0.1:${postgres.port}`)
    .replaceAll('redis://127.0.0.1:6379', redis.url)
    .replace(/\b(443|8081|8082|9081|9082|9090)\b/g, (port) => ports[port]!);
  const haproxy = `sed -i ${Object.entries(ports)
    .map(([from, to]) => `-e 's/:${from} /:${to} /; s/:${from}$/:${to}/; s/port ${from}/port ${to}/'`)
    .join(' ')} -e 's#/etc/haproxy#${place}/etc/haproxy#' ${place}/etc/haproxy/haproxy.cfg`;
  const script = text.replace(/^systemctl restart haproxy$/m, `${haproxy}\nsystemctl restart haproxy`);
  for (const name of ['etc/systemd/system', 'usr/local/bin']) mkdirSync(join(place, name), { recursive: true });
  writeFileSync(join(place, 'page.sh'), standIns + script);
  const child = spawn('bash', ['--norc', join(place, 'page.sh')], {
    cwd: place,
    env: {
      PATH: `${join(place, 'usr/local/bin')}:${programs()}:${process.env.PATH}`,
      PLACE: place,
      SOURCE: root,
      ...installed,
      NODE: process.execPath,
      REPOSITORY: root,
      ROWS: rows,
      PROMETHEUS: ports['9090'],
      PGHOST: '127.0.0.1',
      PGPORT: String(postgres.port),
      PGUSER: 'triglyph',
      PGPASSWORD: postgres.password,
      PGDATABASE: 'postgres',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part;
    });
  const [code] = (await once(child, 'close')) as [number | null];
  if (process.env.ROWS !== undefined) process.stdout.write(output);
  expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
  expect(output).toContain(`${rows} rows would be imported, 0 would be refused`);
  expect(output).toContain(`${rows} rows imported, 0 refused`);
  expect(output).toContain(`SUCCESS: ${place}/etc/prometheus/prometheus.yml is valid`);
  expect(output).toContain('TriglyphUnavailable');
  const provisioned = ['datasources', 'dashboards'].map((name) =>
    parse(readFileSync(join(place, `etc/grafana/provisioning/${name}/triglyph.yaml`), 'utf8')),
  );
  expect(provisioned).toMatchObject([{ datasources: [{ type: 'prometheus' }] }, { providers: [{ type: 'file' }] }]);
  const { path } = provisioned[1].providers[0].options as { readonly path: string };
  expect(readFileSync(join(path, 'triglyph.json'))).toEqual(readFileSync(join(root, 'deploy/grafana/triglyph.json')));
  expect(output.match(/"variant":"visa"/g)?.length).toBeGreaterThanOrEqual(2);

  const lines = (name: string): readonly string[] => readFileSync(join(place, name), 'utf8').trim().split('\n');
  const answered = lines('answered');
  expect(() => lines('failed')).toThrow('ENOENT');
  expect(answered.length).toBeGreaterThan(20);
  const database = postgres.url.replace(/postgres$/, 'triglyph');
  const [counted] = await postgres.ask('select count(*)::int as count from shopper_notification', [], database);
  expect(counted?.count).toBe(answered.length);
});
