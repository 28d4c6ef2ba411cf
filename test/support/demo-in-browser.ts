/** Starts a demo and a browser for the tests of a file, and stops both after them. */
import { afterAll, beforeAll } from '@jest/globals';
import { startBrowser, type TestBrowser } from './browser.ts';
import { type Server, startServer } from './server.ts';
import { tempFolder } from './temp-folder.ts';

export interface DemoInBrowser {
  readonly server: Server;
  readonly browser: TestBrowser;
  /** The working directory of the demo. */
  readonly folder: string;
}

/** `parameters`: of the command `demo`. Server and browser are there while tests run. */
export function demoInBrowser(parameters: readonly string[] = []): DemoInBrowser {
  const folder = tempFolder();
  const started: { server?: Server; browser?: TestBrowser } = {};
  beforeAll(async () => {
    await Promise.all([
      startServer('demo', folder.path, {}, { parameters }).then((server) => {
        started.server = server;
      }),
      startBrowser().then((browser) => {
        started.browser = browser;
      }),
    ]);
  });
  afterAll(async () => {
    await Promise.all([started.server?.stop(), started.browser?.close()]);
    folder.discard();
  });
  return {
    get server() {
      return started.server!;
    },
    get browser() {
      return started.browser!;
    },
    folder: folder.path,
  };
}
