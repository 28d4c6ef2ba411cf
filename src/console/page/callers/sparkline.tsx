/** Requests of each day as a small chart. Its label says the same in words. */

const width = 90;
const height = 22;

export function Sparkline({ values }: { readonly values: readonly number[] }) {
  const most = Math.max(1, ...values);
  const step = width / Math.max(1, values.length - 1);
  const points = values.map(
    (value, at) => `${(at * step).toFixed(1)},${(height - 1 - (value / most) * (height - 3)).toFixed(1)}`,
  );
  const total = values.reduce((sum, value) => sum + value, 0);
  const label = `${total} requests in ${values.length} days, ${values.at(-1) ?? 0} today, at most ${Math.max(0, ...values)} a day`;
  return (
    <svg role="img" aria-label={label} width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      <title>{label}</title>
      <polyline points={points.join(' ')} fill="none" stroke="currentColor" stroke-width="1.5" />
    </svg>
  );
}
