// Counts the skills of a collection in which each term occurs, and writes the frequent terms into the
// product's source.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { partsOf } from '../../src/skills/rank/fields.ts';
import { skillTerm } from '../../src/skills/rank/words.ts';
import { readCollection } from './collection.ts';

const { values } = parseArgs({ options: { data: { type: 'string', default: '' } } });
const { skills } = readCollection(values.data);
const counts = new Map<string, number>();
for (const skill of skills) {
  for (const term of new Set(Object.values(partsOf(skill).terms).flat()))
    counts.set(term, (counts.get(term) ?? 0) + 1);
}

// Percentages of skills. Each step covers the range up to the previous step.
const steps = [40, 30, 20, 15, 10, 7, 5, 3, 2, 1];
const stepOf = (count: number): number | undefined =>
  steps.find((step) => (100 * count) / skills.length >= step);
counts.set(skillTerm, skills.length / 10); // Only names are indexed with it, but every request may contain it.
const groups = Map.groupBy([...counts.keys()].sort(), (term) => stepOf(counts.get(term) ?? 0));
const rows = steps.map((step) => `  { percent: ${step}, terms: '${(groups.get(step) ?? []).join(' ')}' },\n`);
writeFileSync(
  join(import.meta.dirname, '..', '..', 'src', 'skills', 'rank', 'common-terms.ts'),
  `// Written by bench/routing/count-terms.ts; do not edit.

/** The terms that appear in at least this percentage of skills in general. */
// prettier-ignore
export const commonTerms: readonly { readonly percent: number; readonly terms: string }[] = [
${rows.join('')}];
`,
);
process.stdout.write(
  `${[...groups].filter(([step]) => step !== undefined).reduce((sum, [, terms]) => sum + terms.length, 0)} terms\n`,
);
