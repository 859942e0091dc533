import { durationText } from '../../../views/amounts.ts';
import type { Reason } from '../../../views/why.ts';
import { oneLine } from '../../output/text.ts';

/** Decisions in lines: when since the start, where, and what. */
export function reasonLines(reasons: readonly Reason[], startedAt: number): readonly string[] {
  if (reasons.length === 0) return ['Nothing was decided yet.'];
  const times = reasons.map(({ at }) => durationText(at - startedAt));
  const width = Math.max(...times.map((time) => time.length));
  return reasons.map(({ path, text }, index) => {
    const where = path.length === 0 ? '' : `${oneLine(path.join(' › '))}: `;
    return `${(times[index] ?? '').padStart(width)}  ${where}${oneLine(text)}`;
  });
}
