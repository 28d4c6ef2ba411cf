/** Compares a run with the tables of docs/bench.md: CPU times as ratios to bare Koa, each in its own run. */
import { type Finding, limited, medianCpu, type Rounds } from './results.ts';
import { readSection, type Section } from './section.ts';
import type { Target } from './targets.ts';

/** A short round with few shoppers differs by so much without a change. */
const growthMax = 1.25;
const koaLabel = '(b) bare Koa, JSON';

/** One finding for each own target that the page has, too. */
export function checkLanded(section: Section, targets: readonly Target[], rounds: Rounds): readonly Finding[] {
  const landed = landedCpu(section);
  const koa = rounds.get('bareKoa');
  const landedKoa = landed.get(koaLabel);
  if (koa === undefined || landedKoa === undefined) return [];
  return targets.flatMap(({ name, label, server }) => {
    const us = landed.get(label);
    if (server !== 'triglyph' || us === undefined) return [];
    const [before, now] = [us / landedKoa, medianCpu(rounds.get(name)!) / medianCpu(koa)];
    const limit = Number((before * growthMax).toFixed(2));
    return [limited(`${label}: CPU against bare Koa, before ${before.toFixed(2)}`, now, 'at most', limit)];
  });
}

/** Microseconds by the label of the row: the first two cells of the table. */
function landedCpu(section: Section): ReadonlyMap<string, number> {
  const rows = readSection(section).matchAll(/^\| ([^|]+) \| ([\d.]+) \|/gm);
  return new Map([...rows].map(([, label = '', us]) => [label, Number(us)]));
}
