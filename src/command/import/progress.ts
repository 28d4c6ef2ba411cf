/** Shows how far an import is: a bar on a terminal, and a plain line now and then elsewhere. */
import { Presets, SingleBar } from 'cli-progress';

export interface Progress {
  update(bytesDone: number, rows: number, refused: number): void;
  stop(): void;
}

const plainEveryMs = 5_000;

const bar = (bytes: number, stream: NodeJS.WriteStream): Progress => {
  const single = new SingleBar(
    {
      stream,
      format: '{bar} {percentage}%  {rows} rows, {refused} refused  {eta_formatted} to go',
      hideCursor: true,
      fps: 5,
      etaBuffer: 50,
    },
    Presets.shades_classic,
  );
  single.start(bytes, 0, { rows: 0, refused: 0 });
  return {
    update: (bytesDone, rows, refused) => single.update(Math.min(bytesDone, bytes), { rows, refused }),
    stop: () => single.stop(),
  };
};

const lines = (bytes: number, stream: NodeJS.WriteStream): Progress => {
  let saidAt = performance.now();
  return {
    update(bytesDone, rows, refused) {
      const now = performance.now();
      if (now - saidAt < plainEveryMs) return;
      saidAt = now;
      stream.write(`${Math.floor((100 * bytesDone) / Math.max(bytes, 1))} %: ${rows} rows, ${refused} refused\n`);
    },
    stop() {},
  };
};

/** `bytes`: of the whole file. */
export const showProgress = (bytes: number, stream: NodeJS.WriteStream = process.stderr): Progress =>
  stream.isTTY ? bar(bytes, stream) : lines(bytes, stream);
