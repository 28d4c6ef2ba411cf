/** Starts the demo in a container, for tests that need a port of its own. Requires Docker and the image `triglyph`. */
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';

export interface ContainedGateway {
  /** The address for callers. */
  readonly callers: string;
  /** Calls the test API, such as `control('POST', 'clock', { advance: { days: 31 } })`. */
  control(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown>;
  stop(): Promise<void>;
}

export async function startGateway(image = 'triglyph'): Promise<ContainedGateway> {
  const container: StartedTestContainer = await new GenericContainer(image)
    .withCommand(['demo', '--fresh', '--host', '0.0.0.0', '--test-api'])
    .withEnvironment({ ADMIN_HOST: '0.0.0.0' })
    .withExposedPorts(8080, 9090)
    .withWaitStrategy(Wait.forHttp('/readyz', 9090))
    .start();
  const at = (port: number): string => `http://${container.getHost()}:${container.getMappedPort(port)}`;
  return {
    callers: at(8080),
    async control(method, path, body) {
      const response = await fetch(`${at(9090)}/_test/${path}`, {
        method,
        ...(body && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(await response.text());
      return response.json();
    },
    async stop() {
      await container.stop();
    },
  };
}
