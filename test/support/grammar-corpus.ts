import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { SopIssue } from '../../src/engines/sop/issue.ts';
import type { StepShape } from './plan-shape.ts';

/** A small script and its expected parse result. */
export interface GrammarCase {
  readonly name: string;
  readonly script: string;
  readonly expected: {
    readonly steps: readonly StepShape[];
    readonly issues: readonly Pick<SopIssue, 'code' | 'line' | 'column'>[];
  };
}

const folder = join(import.meta.dirname, '..', 'sop', 'grammar');

/** Reads every script of the corpus. The `.json` file next to each script contains the expected result. */
export function readGrammarCorpus(): readonly GrammarCase[] {
  return globSync('*.sop', { cwd: folder })
    .sort()
    .map((file) => {
      const name = basename(file, '.sop');
      return {
        name,
        script: readFileSync(join(folder, file), 'utf8'),
        expected: JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as GrammarCase['expected'],
      };
    });
}
