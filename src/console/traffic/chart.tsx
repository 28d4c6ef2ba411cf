/** A chart of lines over time. Each line has a colour, a pattern and a label, and the last values are text. */
import { useEffect, useRef, useState } from 'preact/hooks';
import UPlot from 'uplot';
import { formatTitle } from '../page/formats.ts';

export interface Series {
  /** The name of a format. */
  readonly name: string;
  /** Null where there is no value. */
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  readonly title: string;
  /** In milliseconds since 1970. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly print: (value: number) => string;
}

/** Dashes and gaps, so that lines differ without colours. */
const patterns: readonly (readonly number[])[] = [
  [],
  [8, 4],
  [2, 3],
  [12, 3, 2, 3],
  [5, 2],
  [1, 5],
  [16, 4, 4, 4],
  [3, 6],
];
const height = 200;
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** A format has the same line in every chart. */
const places: readonly string[] = ['soap11', 'json', 'form', 'soap12', 'adapter', 'rest', 'document'];

function placeOf(name: string): number {
  const place = places.indexOf(name);
  return place === -1 ? patterns.length - 1 : place;
}

export function Chart({ title, times, series, print }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot>(undefined);
  const theme = useTheme();
  const names = series.map(({ name }) => name).join(' ');
  const data = [times.map((at) => at / 1000), ...series.map(({ values }) => [...values])] as UPlot.AlignedData;
  const hasGaps = series.some(({ values }) => values.includes(null));
  const latest = useRef({ data, print, hasGaps });
  latest.current = { data, print, hasGaps };
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const colors = readColors(element);
    const options: UPlot.Options = {
      width: Math.max(element.clientWidth, 200),
      height,
      legend: { show: false },
      cursor: { show: false },
      scales: { y: { range: (_, __, max) => [0, Math.max(max * 1.1, 1)] } },
      axes: [
        { ...axis(colors), values: (_, values) => values.map((value) => clock.format(value * 1000)) },
        { ...axis(colors), size: 64, values: (_, values) => values.map((value) => latest.current.print(value)) },
      ],
      series: [
        {},
        ...names.split(' ').map((name): UPlot.Series => {
          const place = placeOf(name);
          return {
            label: name,
            stroke: colors.lines[place]!,
            width: 2,
            dash: [...patterns[place]!],
            // A value without neighbours is no line.
            points: { show: latest.current.hasGaps, size: 5, fill: colors.lines[place]! },
          };
        }),
      ],
    };
    const created = new UPlot(options, latest.current.data, element);
    chart.current = created;
    const observer = new ResizeObserver(() => created.setSize({ width: Math.max(element.clientWidth, 200), height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      created.destroy();
    };
  }, [names, theme]);
  useEffect(() => chart.current?.setData(latest.current.data));
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        <ul class="chart-legend">
          {series.map(({ name, values }) => (
            <li key={name}>
              <svg class={`line-${placeOf(name)}`} viewBox="0 0 32 8" width="32" height="8" aria-hidden="true">
                <line
                  x1="0"
                  y1="4"
                  x2="32"
                  y2="4"
                  stroke="currentColor"
                  stroke-width="2"
                  stroke-dasharray={patterns[placeOf(name)]!.join(' ')}
                />
              </svg>
              {formatTitle(name)} <span class="hint">{lastOf(values, print)}</span>
            </li>
          ))}
        </ul>
      </figcaption>
      <div ref={box} role="img" aria-label={`${title}, as lines over time. The table below has the same values.`} />
    </figure>
  );
}

/** The last interval is not over. */
function lastOf(values: readonly (number | null)[], print: (value: number) => string): string {
  const last = values.slice(0, -1).findLast((value) => value !== null) ?? values.at(-1) ?? null;
  return last === null ? '' : print(last);
}

interface Colors {
  readonly ink: string;
  readonly grid: string;
  readonly lines: readonly string[];
}

/** A canvas knows neither variables nor pairs for light and dark. */
function readColors(element: HTMLElement): Colors {
  const probe = document.createElement('span');
  element.append(probe);
  const read = (name: string): string => {
    probe.className = name;
    return getComputedStyle(probe).color;
  };
  const colors = {
    ink: read('chart-ink'),
    grid: read('chart-grid'),
    lines: patterns.map((_, at) => read(`line-${at}`)),
  };
  probe.remove();
  return colors;
}

function axis({ ink, grid }: Colors): UPlot.Axis {
  return { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
}

/** Changes when the colours of the page do. */
function useTheme(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const change = (): void => setChanges((before) => before + 1);
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', change);
    const observer = new MutationObserver(change);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    return () => {
      system.removeEventListener('change', change);
      observer.disconnect();
    };
  }, []);
  return changes;
}
