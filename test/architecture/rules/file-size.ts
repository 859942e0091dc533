import { at } from '../rule.ts';
import type { Rule } from '../rule.ts';

const limit = 300;

/** The maximum number of lines in a file. Files that begin with `// Generated` are exempt. */
export const fileSize: Rule = {
  name: 'file-size',
  find(tree) {
    return tree
      .filter((source) => source.role === 'code' && source.lines > limit)
      .filter((source) => !source.text.startsWith('// Generated'))
      .map((source) => at(source, limit + 1, `${source.lines} lines; split it (at most ${limit}).`));
  },
};
