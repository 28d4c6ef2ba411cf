/** `node bench/growing/main.ts`: how many masters of Redis and cores of gateways so many keys a day need, by simulation over measured figures. */
import { parseArgs } from 'node:util';
import { writeBetweenMarkers } from '../../scripts/section.ts';
import { Random } from '../../test/simulation/random.ts';
import { readFigures } from './figures.ts';
import { defaults, type Limits, printGrowth } from './table.ts';

const { values: options } = parseArgs({
  options: {
    /** Renews docs/growing.md. */
    write: { type: 'boolean', default: false },
    /** Keys a day, with commas between them. */
    keys: { type: 'string', default: defaults.keys.join(',') },
    /** Days that a record lives, with commas between them. */
    days: { type: 'string', default: defaults.days.join(',') },
    /** The busiest minute of a day, as a multiple of the mean: from 1 to 2. */
    peak: { type: 'string', default: String(defaults.peak) },
    /** Of each master, for records. */
    gib: { type: 'string', default: String(defaults.gib) },
    /** The part of its core that a master may use. */
    core: { type: 'string', default: String(defaults.core) },
  },
});

const numbers = (text: string): readonly number[] => text.split(',').map(Number);
const limits: Limits = {
  keys: numbers(options.keys),
  days: numbers(options.days),
  peak: Number(options.peak),
  gib: Number(options.gib),
  core: Number(options.core),
};
const random = new Random(1);
const text = printGrowth(limits, readFigures(), () => random.next());
console.log(text);
if (options.write) writeBetweenMarkers(new URL('../../docs/growing.md', import.meta.url), 'growing', text);
