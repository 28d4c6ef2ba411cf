/** The peers: proxies on Node that pass JSON on unread, over connections that stay open. For measurements on loopback only. */
import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type FastifyPluginCallback, fastify } from 'fastify';

interface ProxyServer {
  web(request: IncomingMessage, response: ServerResponse): void;
}

const port = Number(process.env.PORT);
const upstream = process.env.UPSTREAM!;
const { resolve } = createRequire(`${process.env.PEER_MODULES}/`);
const load = (name: string) => import(pathToFileURL(resolve(name)).href);

const peers: Readonly<Record<string, () => Promise<unknown>>> = { fastifyProxy, httpProxy3 };
await peers[process.env.PEER!]!();
process.once('SIGTERM', () => process.exit());

async function fastifyProxy(): Promise<void> {
  const { default: proxy }: { readonly default: FastifyPluginCallback<{ upstream: string; undici: object }> } =
    await load('@fastify/http-proxy');
  const app = fastify();
  await app.register(proxy, { upstream, undici: { connections: 64, pipelining: 1 } });
  await app.listen({ port, host: '127.0.0.1' });
}

async function httpProxy3(): Promise<void> {
  const { createProxyServer }: { createProxyServer(options: object): ProxyServer } = await load('http-proxy-3');
  const proxy = createProxyServer({ target: upstream, agent: new Agent({ keepAlive: true, maxSockets: 64 }) });
  createServer((request, response) => proxy.web(request, response)).listen(port, '127.0.0.1');
}
