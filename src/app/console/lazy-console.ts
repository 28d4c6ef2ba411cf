/** Loads the console at its first request: until then it costs a server nothing. */
import type { Site } from '../../http/site.ts';
import type { ConsoleContext } from './console-context.ts';

export function lazyConsole(context: ConsoleContext): Site {
  let loading: Promise<Site> | undefined;
  const load = async (): Promise<Site> => (await import('./open-console.ts')).openConsole(context);
  return Object.freeze<Site>({
    owns: (path) => path === '/console' || path.startsWith('/console/'),
    async answer(request, signal) {
      loading ??= load().catch((thrown: unknown) => {
        loading = undefined;
        throw thrown;
      });
      return (await loading).answer(request, signal);
    },
    close() {
      void loading?.then((site) => site.close()).catch(() => {});
    },
  });
}
