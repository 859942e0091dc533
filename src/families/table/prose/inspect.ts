import { join } from 'node:path';
import { normaliseName, type Issue, type GeneratedCode } from '../../../core/index.ts';
import { inspectGeneration } from '../../../generation/status.ts';
import type { TableDefinition } from '../descriptor/definition.ts';
import { proseRecipe, proseTarget } from './prose-recipe.ts';

/**
 * Returns the state of the code for a table's prose rules, or undefined if it has no such rules. Never
 * throws.
 */
export function inspect(definition: TableDefinition, dir: string): GeneratedCode | undefined {
  const recipe = dir === '' ? undefined : proseRecipe(definition);
  const generated = recipe && inspectGeneration(dir, recipe, normaliseName(definition.table));
  if (generated === undefined) return undefined;
  return {
    ...generated,
    files: generated.files.map((file) => (file.from === spec ? { ...file, from: descriptor } : file)),
    issues: generated.issues.map((issue) => aboutProse(issue, dir)),
  };
}

const spec = `specs/${proseTarget}.md`;
const descriptor = 'tskill.md';

/**
 * Makes an issue about the spec refer to the descriptor, because the spec is generated and users can only
 * edit the descriptor.
 */
function aboutProse(issue: Issue, dir: string): Issue {
  const isOfSpec = issue.file === join(dir, spec) || issue.file === join(dir, 'specs');
  return {
    ...issue,
    message: issue.message.replaceAll(spec, descriptor),
    ...(isOfSpec ? { file: join(dir, descriptor) } : {}),
    ...(issue.hint === undefined ? {} : { hint: issue.hint.replace('the specs', 'its prose rules') }),
  };
}
