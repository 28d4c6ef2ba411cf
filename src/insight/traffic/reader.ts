/** Reads the traffic of all processes of a server: merges their lines in the order of time, and finds requests where they are kept. */
import { matches, type TrafficFilter } from './filter.ts';
import type { AllRates } from './rates.ts';
import type { TrafficDetails, TrafficLine } from './record.ts';
import { splitId, type TrafficPage } from './recorder.ts';

export interface FoundRequest {
  readonly line: TrafficLine;
  /** Absent where they were not recorded, or are not stored any more. */
  readonly details: TrafficDetails | undefined;
}

/** The traffic of one process. */
export interface TrafficSource {
  readonly process: string;
  /** As of `TrafficRecorder`. */
  after(cursor: number | undefined, limit: number): Promise<TrafficPage>;
  find(id: string): Promise<FoundRequest | undefined>;
  watch(): void;
}

interface MergedLines {
  /** In the order of their answers. */
  readonly lines: readonly TrafficLine[];
  /** Names the last line of each process: `4711:12,4712:7`. */
  readonly cursor: string;
  /** Lines that were left out, or are not kept any more. Some of them may not match the filter. */
  readonly missed: number;
}

interface TrafficReaderParts {
  /** Those that run now. */
  readonly sources: () => readonly TrafficSource[];
  readonly rates: AllRates;
  readonly options: TrafficSettings;
}

/** What is kept. */
export interface TrafficSettings {
  readonly details: 'watched' | 'always';
  readonly requestsMax: number;
  readonly bytesMax: number;
}

export class TrafficReader {
  readonly rates: AllRates;
  readonly settings: TrafficSettings;
  readonly #sources: () => readonly TrafficSource[];
  readonly #tenant: string | undefined;

  /** `tenant`: the only one whose requests are read. */
  constructor({ sources, rates, options }: TrafficReaderParts, tenant?: string) {
    this.#sources = sources;
    this.rates = rates;
    this.settings = options;
    this.#tenant = tenant;
  }

  /** The same with the requests of one tenant. Its rates are those of all. */
  ofTenant(tenant: string): TrafficReader {
    return new TrafficReader({ sources: this.#sources, rates: this.rates, options: this.settings }, tenant);
  }

  /** The console shows the traffic: details are recorded for a while. */
  watch(): void {
    for (const source of this.#sources()) source.watch();
  }

  /** The last lines that match, of those that are kept; after a cursor, those that are new. */
  async read(cursor: string | undefined, filter: TrafficFilter, limit: number): Promise<MergedLines> {
    const cursors = parseCursor(cursor);
    const pages = await Promise.all(
      this.#sources().map(async (source) => ({
        source,
        // A process that started after the cursor is read from its beginning.
        page: await source.after(cursor === undefined ? undefined : (cursors.get(source.process) ?? 0), pageMax),
      })),
    );
    const found = pages
      .flatMap(({ page }) => page.lines)
      .filter((line) => this.#isShown(line) && matches(line, filter))
      .toSorted((a, b) => a.at - b.at);
    const lines = found.slice(-limit);
    // Lines that no process keeps may be those of other tenants.
    const missed = this.#tenant === undefined ? pages.reduce((sum, { page }) => sum + page.missed, 0) : 0;
    return {
      lines,
      cursor: pages.map(({ source, page }) => `${source.process}:${page.cursor}`).join(','),
      missed: cursor === undefined ? 0 : missed + found.length - lines.length,
    };
  }

  async find(id: string): Promise<FoundRequest | undefined> {
    const [process] = splitId(id);
    const found = await this.#sources()
      .find((source) => source.process === process)
      ?.find(id);
    return found !== undefined && this.#isShown(found.line) ? found : undefined;
  }

  #isShown({ tenant }: TrafficLine): boolean {
    return this.#tenant === undefined || tenant === this.#tenant;
  }
}

/** Lines of one process at a time. */
const pageMax = 2_000;
const processesMax = 200;

/** Ignores what is no cursor: a browser sends the one of another server again. */
function parseCursor(cursor = ''): ReadonlyMap<string, number> {
  return new Map(
    cursor
      .split(',', processesMax)
      .map((each) => /^(\d{1,10}):(\d{1,15})$/.exec(each))
      .flatMap((found) => (found === null ? [] : [[found[1]!, Number(found[2])] as const])),
  );
}
