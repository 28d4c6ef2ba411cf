/** Loaded before the server that is profiled: SIGUSR2 starts a CPU profile, the next one writes it to PROFILE. */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

/** Fine enough for hundreds of samples a millisecond of work in a round, and coarse enough to disturb little. */
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
