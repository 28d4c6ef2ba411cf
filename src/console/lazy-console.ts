/** Loads the console at its first request: until then it costs a server nothing. */
import type { Site } from '../http/index.ts';
import type { ConsoleContext } from './console-context.ts';

export const consolePath = '/console';

export function lazyConsole(context: ConsoleContext): Site {
  let loading: Promise<Omit<Site, 'owns'>> | undefined;
  const load = async (): Promise<Omit<Site, 'owns'>> => (await import('./open-console.ts')).openConsole(context);
  return Object.freeze<Site>({
    owns: (path) => path === consolePath || path.startsWith(`${consolePath}/`),
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
