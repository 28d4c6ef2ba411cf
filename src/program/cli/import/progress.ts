/** Shows the progress of a long command: a bar on a terminal, or a plain line every few seconds. */
import { Presets, SingleBar } from 'cli-progress';

export interface Progress {
  /** `label`: what has been done, such as `12 rows, 1 refused`. */
  update(done: number, label: string): void;
  stop(): void;
}

/** `total`: the final value of `done`, in bytes of a file or in rows. */
export function showProgress(total: number, stream: NodeJS.WriteStream = process.stderr): Progress {
  return stream.isTTY ? showBar(total, stream) : printLines(total, stream);
}

function showBar(total: number, stream: NodeJS.WriteStream): Progress {
  const bar = new SingleBar(
    {
      stream,
      format: '{bar} {percentage}%  {label}  {eta_formatted} to go',
      hideCursor: true,
      fps: 5,
      etaBuffer: 50,
    },
    Presets.shades_classic,
  );
  bar.start(total, 0, { label: '' });
  return {
    update: (done, label) => bar.update(Math.min(done, total), { label }),
    stop: () => bar.stop(),
  };
}

const lineEveryMs = 5_000;

function printLines(total: number, stream: NodeJS.WriteStream): Progress {
  let printedAt = performance.now();
  return {
    update(done, label) {
      const now = performance.now();
      if (now - printedAt < lineEveryMs) return;
      printedAt = now;
      stream.write(`${Math.floor((100 * done) / Math.max(total, 1))} %: ${label}\n`);
    },
    stop() {},
  };
}
