/** Loaded before the profiled server: SIGUSR2 starts a CPU profile, the next SIGUSR2 writes it to PROFILE. */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

/** Many samples per round with little overhead. */
const intervalUs = 250;

const session = new Session();
session.connect();
let running = false;

process.on('SIGUSR2', async () => {
  if (running) {
    const { profile } = await session.post('Profiler.stop');
    writeFileSync(process.env.PROFILE!, JSON.stringify(profile));
  } else {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: intervalUs });
    await session.post('Profiler.start');
  }
  running = !running;
});
