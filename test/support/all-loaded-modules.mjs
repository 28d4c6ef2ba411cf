/** Preloaded into a server: prints the address of each module that is loaded to standard error. */
import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, next) {
    process.stderr.write(`loaded ${url}\n`);
    return next(url, context);
  },
});
