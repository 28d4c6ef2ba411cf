/**
 * Preloaded into a server: prints to standard error each module that is loaded of the console, and of OpenTelemetry but its API,
 * which prom-client needs.
 */
import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, next) {
    if (/\/@opentelemetry\/(?!api\/)|\/src\/console\/(?!index|lazy-console|testing\/controls)/.test(url))
      process.stderr.write(`loaded ${url}\n`);
    return next(url, context);
  },
});
