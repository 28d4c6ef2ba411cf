/** Starts a server in the test's process, with a clock that the test moves, and calls its console as a browser or a program does. */

import type { AuditKind } from '../../src/access/audit/audit-event.ts';
import type { PresentedSecret } from '../../src/access/credentials/credentials.ts';
import { ids } from '../../src/core/lib/ids.ts';
import { startServer } from '../../src/program/app/server.ts';
import { now, ringText } from './fixture.ts';
import { openMigratedMemory } from './migrated.ts';
import { openBuiltIn, readConfig } from './services.ts';

export interface ConsoleAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

export interface AskOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
}

export interface TestConsole {
  /** Of the admin port. */
  readonly origin: string;
  readonly callers: string;
  pass(ms: number): void;
  addCredential(
    roles: readonly string[],
    also?: object,
  ): Promise<{ readonly id: string; readonly username: string; readonly secret: string }>;
  revoke(id: string): Promise<void>;
  rotate(id: string, graceMs: number): Promise<void>;
  edit(id: string, roles: readonly string[]): Promise<void>;
  /** `path`: of the admin port, or an address. */
  ask(path: string, options?: AskOptions): Promise<ConsoleAnswer>;
  /** Logs in, and returns the headers that a page of the console sends. */
  logIn(credential: {
    readonly username: string;
    readonly secret: string;
    readonly code?: string | undefined;
  }): Promise<BrowserSession>;
  /** Subjects and outcomes of the entries of a kind. */
  audited(
    kind: AuditKind,
  ): Promise<readonly { readonly actor: string; readonly subject: string; readonly outcome: unknown }[]>;
  stop(): Promise<void>;
}

export interface BrowserSession {
  readonly cookie: string;
  /** The attributes of the cookie. */
  readonly attributes: string;
  readonly csrfToken: string;
  /** Of a request of the page to its own server. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface TestConsoleOptions {
  readonly settings?: Readonly<Record<string, string>>;
  readonly oneClick?: PresentedSecret;
}

export async function startConsole({ settings = {}, oneClick }: TestConsoleOptions = {}): Promise<TestConsole> {
  let passed = 0;
  const clock = { now: () => now + passed };
  const config = readConfig('production', {
    LOG_LEVEL: 'silent',
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    DRAIN_MS_MAX: '200',
    TRIGLYPH_KEYS: ringText,
    ...settings,
  });
  const backend = await openBuiltIn(config, {
    exclusive: true,
    open: () => openMigratedMemory(clock.now),
    context: { clock, ids },
  });
  const server = await startServer(config, backend, { consoleForAll: oneClick });
  const { registry } = backend;
  const ask = async (path: string, { method = 'GET', headers = {}, body }: AskOptions = {}): Promise<ConsoleAnswer> => {
    const response = await fetch(new URL(path, server.admin), {
      method,
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  return {
    origin: server.admin,
    callers: server.callers,
    ask,
    pass(ms) {
      passed += ms;
    },
    async addCredential(roles, also = {}) {
      const username = `person${ids.reference()}@Company.Acme`;
      const added = await registry.addCredential({
        tenant: 'Acme',
        kind: 'basic',
        username,
        roles,
        grants: {},
        ...also,
      });
      return { id: added.id, username, secret: added.secret };
    },
    revoke: (id) => registry.revokeCredential(id),
    rotate: async (id, graceMs) => {
      await registry.rotateCredential(id, { graceMs });
    },
    edit: (id, roles) => registry.editCredential(id, { roles }),
    async logIn(credential) {
      const { status, headers, body } = await ask('/console/session', { method: 'POST', body: credential });
      if (status !== 200) throw new Error(`the log-in was refused with ${status}`);
      const [cookie = '', ...attributes] = (headers.get('set-cookie') ?? '').split('; ');
      const { csrfToken } = JSON.parse(body).session;
      const own = {
        'Sec-Fetch-Site': 'same-origin',
        Origin: server.admin,
        Cookie: cookie,
        'X-Console-Token': csrfToken,
      };
      return { cookie, attributes: attributes.join('; '), csrfToken, headers: own };
    },
    async audited(kind) {
      await backend.audit.flush();
      const entries = await backend.auditLog.list({ kind, max: 1_000 });
      return entries.map(({ actor, subject, detail }) => ({ actor, subject, outcome: JSON.parse(detail).outcome }));
    },
    stop: () => server.stop(),
  };
}
