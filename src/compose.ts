/** The composition root of a server: from a configuration and a strongroom to answers. */
import { services } from './api/index.ts';
import type { Config } from './config.ts';
import { documentsOf } from './derive/index.ts';
import { handlers } from './domain/index.ts';
import { performer } from './gateway/perform.ts';
import { compileRoutes } from './gateway/route.ts';
import { type Gateway, serve } from './gateway/serve.ts';
import { openAdmin, type Probe } from './http/admin.ts';
import { logFailure, openLog } from './http/log.ts';
import { createMetrics, type KnownNames } from './http/metrics.ts';
import { createObserver } from './http/observe.ts';
import { openShell } from './http/server.ts';
import { type Protocols, speak } from './protocol/index.ts';
import type { Strongroom } from './strongroom.ts';

/** A server that answers. */
export interface Running {
  /** Where callers are answered: `http://127.0.0.1:8080`. */
  readonly callers: string;
  /** Where probes and metrics are: `http://127.0.0.1:9090`. */
  readonly admin: string;
  readonly protocols: Protocols;
  /** Logs something of ours that failed outside of any request. */
  failed(thrown: unknown): void;
  /** Answers what is in flight, then closes everything, the strongroom too. */
  stop(): Promise<void>;
}

const knownNames = (protocols: Protocols): KnownNames => ({
  protocols: Object.keys(protocols),
  operations: services.flatMap(({ operations }) => [...operations.keys()]),
  versions: services.map(({ version }) => version),
});

/** What must work for a request to be answered: the store, and the key that new cards are sealed with. */
const probesOf = ({ details, world }: Strongroom): readonly Probe[] => {
  const nobody = { company: '', merchantAccount: '', shopperReference: '' };
  const nothing = { company: '', recurringDetailReference: '' };
  return [
    { name: 'store', check: () => details.read((view) => view.findShopper(nobody)) },
    {
      name: 'vault',
      check: () => world.vault.open(nothing, world.vault.seal(nothing, { shown: 'probe' }), 'shown'),
    },
  ];
};

/** The address as a caller on this machine would write it. */
const origin = (host: string, port: number): string => {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
};

/** Starts to serve what is in the strongroom. Rejects where a port cannot be had; the strongroom is then still open. */
export const startServer = async (config: Config, room: Strongroom): Promise<Running> => {
  const protocols = speak(services);
  const gateway: Gateway = Object.freeze({
    protocols,
    routes: compileRoutes(services),
    credentials: room.credentials,
    references: room.world.references,
    perform: performer(handlers, room.details, room.world),
  });
  const metrics = createMetrics(knownNames(protocols));
  const log = openLog(config.logLevel);
  const shell = await openShell({
    serve: (wire) => serve(wire, gateway),
    documents: documentsOf(services),
    observer: createObserver(log, metrics),
    config,
  });
  metrics.connections = () => shell.connections();
  const admin = await openAdmin({
    host: config.adminHost,
    port: config.adminPort,
    registry: metrics.registry,
    probes: probesOf(room),
    draining: () => shell.draining(),
  }).catch(async (thrown) => {
    await shell.drain();
    throw thrown;
  });
  return Object.freeze({
    callers: origin(config.host, shell.port),
    admin: origin(config.adminHost, admin.port),
    protocols,
    failed: (thrown: unknown) => logFailure(log, thrown, 'the process failed'),
    async stop() {
      // The admin port answers until the end, so that whoever watches sees the draining.
      await shell.drain();
      await admin.close();
      await room.close();
      log.close();
    },
  });
};
