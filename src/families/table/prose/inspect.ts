import { join } from 'node:path';
import { normaliseName, type Issue, type Made } from '../../../core/index.ts';
import { inspectGeneration } from '../../../generation/status.ts';
import type { TableDefinition } from '../descriptor/definition.ts';
import { proseRecipe, proseTarget } from './prose-recipe.ts';

/** How the code for what a table says in words stands; undefined where it says nothing in words. Never throws. */
export function inspect(definition: TableDefinition, dir: string): Made | undefined {
  const recipe = dir === '' ? undefined : proseRecipe(definition);
  const made = recipe && inspectGeneration(dir, recipe, normaliseName(definition.table));
  if (made === undefined) return undefined;
  return {
    ...made,
    files: made.files.map((file) => (file.from === spec ? { ...file, from: descriptor } : file)),
    issues: made.issues.map((issue) => aboutWords(issue, dir)),
  };
}

const spec = `specs/${proseTarget}.md`;
const descriptor = 'tskill.md';

/** The spec lies in no file: it is made of the descriptor, where people can change it. */
function aboutWords(issue: Issue, dir: string): Issue {
  const isOfSpec = issue.file === join(dir, spec) || issue.file === join(dir, 'specs');
  return {
    ...issue,
    message: issue.message.replaceAll(spec, descriptor),
    ...(isOfSpec ? { file: join(dir, descriptor) } : {}),
    ...(issue.hint === undefined ? {} : { hint: issue.hint.replace('the specs', 'its rules in words') }),
  };
}
