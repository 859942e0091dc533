import { at } from '../rule.ts';
import type { Rule } from '../rule.ts';
import type { Source } from '../source.ts';

const limit = 80;

/** Most files are small: half of them have at most 80 lines. */
export const medianSize: Rule = {
  name: 'median-size',
  find(tree) {
    const middle = medianOf(tree);
    if (!middle || middle.lines <= limit) return [];
    return [at(middle, 1, `The median file has ${middle.lines} lines; keep it at ${limit} or less.`)];
  },
};

/** The file in the middle of all shipped files ordered by size; none in an empty tree. */
export function medianOf(tree: readonly Source[]): Source | undefined {
  const code = tree.filter((source) => source.role === 'code').sort((a, b) => a.lines - b.lines);
  return code[Math.floor((code.length - 1) / 2)];
}
