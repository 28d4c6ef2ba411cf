/** Charts of lines over time, as SVG. Each line has a colour, a pattern and a label. Arrow keys read the values. */
import { useState } from 'preact/hooks';
import { formatTitle } from '../formats.ts';

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
const patterns = ['', '8 4', '2 3', '12 3 2 3', '5 2', '1 5', '16 4 4 4', '3 6'];
const [width, height] = [600, 160];
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** A format has the same line in every chart. */
const places: readonly string[] = ['soap11', 'json', 'form', 'soap12', 'adapter', 'rest', 'document'];

function placeOf(name: string): number {
  const place = places.indexOf(name);
  return place === -1 ? patterns.length - 1 : place;
}

export function Chart({ title, times, series, print }: ChartProps) {
  const last = times.length - 1;
  // The last interval is not over.
  const [chosen, setChosen] = useState<number>();
  const at = Math.min(chosen ?? last - 1, last);
  const most = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const x = (index: number): number => (index / Math.max(1, last)) * width;
  const y = (value: number): number => height - 2 - (value / (most || 1)) * (height - 6);
  const read = ({ name, values }: Series): string => {
    const value = values[at] ?? null;
    return `${formatTitle(name)} ${value === null ? 'none' : print(value)}`;
  };
  const time = clock.format(times[Math.max(0, at)]);
  const press = (event: KeyboardEvent): void => {
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setChosen(Math.min(last, Math.max(0, next)));
  };
  const point = ({ currentTarget, clientX }: MouseEvent & { readonly currentTarget: Element }): void => {
    const { left, width: whole } = currentTarget.getBoundingClientRect();
    setChosen(Math.min(last, Math.max(0, Math.round(((clientX - left) / whole) * last))));
  };
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        <ul class="chart-legend">
          <li class="hint">{time}</li>
          {series.map((each) => (
            <li key={each.name}>
              <svg class={`line-${placeOf(each.name)}`} viewBox="0 0 32 8" width="32" height="8" aria-hidden="true">
                <path
                  d="M0 4H32"
                  stroke="currentColor"
                  stroke-width="2"
                  stroke-dasharray={patterns[placeOf(each.name)]}
                />
              </svg>
              {read(each)}
            </li>
          ))}
        </ul>
      </figcaption>
      <div
        class="chart-area"
        role="slider"
        tabIndex={0}
        aria-label={`${title}: arrow keys read the values`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={Math.max(0, at)}
        aria-valuetext={`${time}: ${series.map(read).join(', ')}`}
        onKeyDown={press}
        onMouseMove={point}
      >
        <span class="hint">{print(most)}</span>
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          <path class="chart-grid" d={`M0 4H${width}M0 ${height / 2}H${width}M0 ${height - 2}H${width}`} />
          <path class="chart-cursor" d={`M${x(at)} 0V${height}`} />
          {series.map(({ name, values }) => {
            const points = values.map((value, index): Point | null => (value === null ? null : [x(index), y(value)]));
            return (
              <g key={name} class={`line-${placeOf(name)}`}>
                <path class="chart-line" stroke-dasharray={patterns[placeOf(name)]} d={pathOf(points)} />
                <path class="chart-line chart-dots" d={dotsOf(points)} />
              </g>
            );
          })}
        </svg>
      </div>
      <p class="chart-times hint">
        <span>{clock.format(times[0])}</span>
        <span>{clock.format(times[last])}</span>
      </p>
    </figure>
  );
}

type Point = readonly [x: number, y: number];

function pathOf(points: readonly (Point | null)[]): string {
  return points
    .map((point, at) => (point === null ? '' : `${points[at - 1] ? 'L' : 'M'}${printPoint(point)}`))
    .join('');
}

/** A value without neighbours is no line. */
function dotsOf(points: readonly (Point | null)[]): string {
  return points
    .map((point, at) => (point === null || points[at - 1] || points[at + 1] ? '' : `M${printPoint(point)}h0.1`))
    .join('');
}

function printPoint(point: Point): string {
  return point.map((each) => each.toFixed(1)).join(' ');
}

/** Values of a row of a table. `label`: the same in words. */
export function Sparkline({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  const [wide, high] = [60, 22];
  const most = Math.max(1, ...values);
  const step = wide / Math.max(1, values.length - 1);
  return (
    <svg role="img" aria-label={label} width={wide} height={high} viewBox={`0 0 ${wide} ${high}`}>
      <title>{label}</title>
      <path
        class="chart-line"
        d={pathOf(values.map((value, at) => [at * step, high - 1 - (value / most) * (high - 3)]))}
      />
    </svg>
  );
}
