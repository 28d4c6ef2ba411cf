/** Shows how far an import or a copy is: a bar on a terminal, and a plain line now and then elsewhere. */
import { Presets, SingleBar } from 'cli-progress';

export interface Progress {
  /** `said`: what to tell beside it, such as `12 rows, 1 refused`. */
  update(done: number, said: string): void;
  stop(): void;
}

const plainEveryMs = 5_000;

const bar = (total: number, stream: NodeJS.WriteStream): Progress => {
  const single = new SingleBar(
    {
      stream,
      format: '{bar} {percentage}%  {said}  {eta_formatted} to go',
      hideCursor: true,
      fps: 5,
      etaBuffer: 50,
    },
    Presets.shades_classic,
  );
  single.start(total, 0, { said: '' });
  return {
    update: (done, said) => single.update(Math.min(done, total), { said }),
    stop: () => single.stop(),
  };
};

const lines = (total: number, stream: NodeJS.WriteStream): Progress => {
  let saidAt = performance.now();
  return {
    update(done, said) {
      const now = performance.now();
      if (now - saidAt < plainEveryMs) return;
      saidAt = now;
      stream.write(`${Math.floor((100 * done) / Math.max(total, 1))} %: ${said}\n`);
    },
    stop() {},
  };
};

/** `total`: what `done` comes to in the end, bytes of a file or rows. */
export const showProgress = (total: number, stream: NodeJS.WriteStream = process.stderr): Progress =>
  stream.isTTY ? bar(total, stream) : lines(total, stream);
