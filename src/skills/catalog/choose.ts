import type { Candidates } from './candidates.ts';
import { largest } from './largest.ts';
import type { Budget } from './limits.ts';
import { measureFor, nothing, plus, type Measure, type Size } from './size.ts';

/** What a catalog shows: entries by index, and how many units of each description. */
export interface Choice {
  readonly shown: readonly number[];
  /** Infinity when no description is shortened. */
  readonly cap: number;
}

/** No description is cut below so many units: about ten words still tell skills apart. */
const descriptionFloor = 60;

const none: Choice = { shown: [], cap: Infinity };

/** As many skills as fit with short descriptions, by precedence; then the longest descriptions that still fit. */
export function choose(candidates: Candidates, line: () => Iterable<number>, budget: Budget): Choice {
  const measure = measureFor(budget);
  const all = candidates.entries.length;
  const everything = candidates.entries.map((_, index) => index);
  if (all <= budget.maxSkills && fitsWith(Infinity, everything, candidates, measure))
    return { shown: everything, cap: Infinity };
  const { indexes, sums } = standing(line(), candidates, budget, measure);
  const fits = (count: number): boolean => measure.fits(sums[count] ?? nothing, count, all);
  const most = Math.min(indexes.length, budget.maxSkills);
  const count = most === all && fits(all) ? all : largest(0, Math.min(most, all - 1), fits);
  if (count === 0) return none;
  const shown = indexes.slice(0, count);
  return { shown, cap: widestCap(shown, candidates, measure) };
}

/** Entries by precedence with short descriptions, and the size of every number of them; ends where one more cannot fit. */
function standing(
  line: Iterable<number>,
  { entries, part }: Candidates,
  budget: Budget,
  measure: Measure,
): { readonly indexes: readonly number[]; readonly sums: readonly Size[] } {
  const all = entries.length;
  const indexes: number[] = [];
  const sums: Size[] = [nothing];
  let sum = nothing;
  if (budget.maxSkills === 0 || !measure.fits(nothing, all, all)) return { indexes, sums };
  for (const index of line) {
    const size = measure.of(part(index), descriptionFloor);
    if (!measure.fits(size, 1, all)) continue; // too large on its own: it must not keep out the rest
    sum = plus(sum, size);
    indexes.push(index);
    sums.push(sum);
    if (indexes.length > budget.maxSkills || !measure.fits(sum, all, all)) break;
  }
  return { indexes, sums };
}

function widestCap(shown: readonly number[], candidates: Candidates, measure: Measure): number {
  const longest = shown.reduce((most, index) => Math.max(most, candidates.part(index).description.length), 0);
  const cap = largest(descriptionFloor, longest, (value) => fitsWith(value, shown, candidates, measure));
  return cap >= longest ? Infinity : cap;
}

function fitsWith(
  cap: number,
  shown: readonly number[],
  { entries, part }: Candidates,
  measure: Measure,
): boolean {
  let sum = nothing;
  for (const index of shown) {
    sum = plus(sum, measure.of(part(index), cap));
    if (!measure.fits(sum, shown.length, entries.length)) return false;
  }
  return true;
}
