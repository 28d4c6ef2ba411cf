/** Preloaded into a server: prints to standard error each module of OpenTelemetry that is loaded, but its API, which prom-client needs. */
import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, next) {
    if (/\/@opentelemetry\/(?!api\/)/.test(url)) process.stderr.write(`loaded ${url}\n`);
    return next(url, context);
  },
});
