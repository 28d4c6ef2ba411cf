/** The server of callers. Koa is loaded with it. */
export { createApp } from './app.ts';
export * from './server.ts';
