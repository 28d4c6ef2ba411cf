/** A server in the process of the test, with the data of the demo and credentials for its console. */

import type { Backend } from '../../src/backend/backend.ts';
import type { Config } from '../../src/config/config.ts';
import { freshKeys } from '../../src/core/vault/key-ring.ts';
import { type RunningServer, type ServerOverrides, startServer } from '../../src/program/app/server.ts';
import { seed } from '../../src/program/testing/demo/seed.ts';
import { openBuiltIn, readConfig } from './services.ts';
import { tempFolder } from './temp-folder.ts';

/** `caller` has a role of another service. */
export type ConsoleUser = 'viewer' | 'operator' | 'caller' | 'nobody';

export interface ConsoleAnswer {
  readonly status: number;
  readonly text: string;
  /** The JSON object of the answer. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ConsoleServer extends Pick<RunningServer, 'callers' | 'admin'> {
  readonly backend: Backend;
  readonly config: Config;
  /** The text of the key ring. */
  readonly keys: string;
  /** The secrets of the users. */
  readonly secrets: readonly string[];
  /** Calls an operation by its path below `/console/api/v1`. */
  call(user: ConsoleUser, method: 'GET' | 'POST', path: string, body?: object): Promise<ConsoleAnswer>;
  stop(): Promise<void>;
}

export interface ConsoleServerOptions {
  readonly variables?: Readonly<Record<string, string>>;
  readonly overrides?: ServerOverrides;
}

const roles = { viewer: ['console'], operator: ['console-admin'], caller: ['recurring'] } as const;

export async function startConsoleServer(options: ConsoleServerOptions = {}): Promise<ConsoleServer> {
  const { variables = {}, overrides = {} } = options;
  const folder = tempFolder();
  const keys = freshKeys();
  const config = readConfig('demo', {
    DATA_DIR: folder.path,
    TRIGLYPH_KEYS: keys,
    PORT: '0',
    ADMIN_PORT: '0',
    LOG_LEVEL: 'silent',
    DRAIN_NOTICE_MS: '0',
    ...variables,
  });
  const backend = await openBuiltIn(config, { exclusive: true });
  await seed(backend, 0);
  const secrets: Record<string, string> = {};
  for (const [user, held] of Object.entries(roles)) {
    const grants = user === 'caller' ? { merchantAccount: ['DemoMerchant'] } : {};
    const issued = await backend.registry.addCredential({ tenant: 'Demo', kind: 'apiKey', roles: held, grants });
    secrets[user] = issued.secret;
  }
  const running = await startServer(config, backend, overrides);
  return {
    callers: running.callers,
    admin: running.admin,
    backend,
    config,
    keys,
    secrets: Object.values(secrets),
    async call(user, method, path, body) {
      const response = await fetch(`${running.admin}/console/api/v1${path}`, {
        method,
        headers: {
          ...(user !== 'nobody' && { 'X-API-Key': secrets[user]! }),
          ...(body && { 'Content-Type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, text, body: text === '' ? {} : JSON.parse(text) };
    },
    async stop() {
      await running.stop();
      folder.discard();
    },
  };
}
