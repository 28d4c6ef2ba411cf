/** Lists the JSON servers of Debian and npm that `serve --openapi` is put in front of: the same shop by each stack. */
import type { LiveService, ServerStack } from './live-server.ts';

/** A stack that builds the shop. */
export interface ShopStack extends ServerStack {
  /** Whether its document and its errors of validation are those of FastAPI. */
  readonly isFastApi?: true;
}

/** The shop behind `serve --openapi`. */
export const shop: LiveService = { name: 'shop', document: 'shop.yaml', option: '--openapi', parameters: [] };

const document = '/openapi.yaml';

/** Those that the tests run, since they start within a second or two. */
export const lightShops: readonly ShopStack[] = [
  {
    name: 'koa',
    title: 'Koa',
    source: { kind: 'devDependency', module: 'koa' },
    command: 'exec "$NODE" "$SERVER/shop.mjs"',
    document,
  },
  {
    name: 'php',
    title: 'PHP',
    source: { kind: 'Debian', packages: ['php-cli'], versionOf: 'php8.2-cli' },
    command: 'ITEMS=items.json exec php -S 127.0.0.1:$PORT "$SERVER/shop.php"',
    document,
  },
  {
    name: 'fastapi',
    title: 'FastAPI',
    source: {
      kind: 'Debian',
      packages: ['python3-fastapi', 'python3-uvicorn', 'python3-multipart'],
      versionOf: 'python3-fastapi',
    },
    command: 'exec /usr/bin/python3 "$SERVER/shop.py"',
    // FastAPI writes it.
    document: '/openapi.json',
    isFastApi: true,
  },
];

export const shopStacks: readonly ShopStack[] = [
  ...lightShops,
  {
    name: 'java',
    title: 'Java (HTTP server of the JDK)',
    source: { kind: 'Debian', packages: ['default-jdk-headless'], versionOf: 'openjdk-17-jdk-headless' },
    prepare: 'javac -encoding UTF-8 -d . "$SERVER/Shop.java"',
    command: 'exec java Shop',
    document,
  },
  {
    name: 'go',
    title: 'Go (net/http)',
    source: { kind: 'Debian', packages: ['golang-go'], versionOf: 'golang-go' },
    prepare: 'GOCACHE="$PWD/cache" GO111MODULE=off go build -o shop "$SERVER/shop.go"',
    command: 'exec ./shop',
    document,
  },
];
