import { join } from 'node:path';
import {
  normaliseName,
  type ErrorData,
  type GeneratedCode,
  type Issue,
  type Output,
  type Scope,
} from '../../../core/index.ts';
import { hasWork, planGeneration } from '../../../generation/plan-generation.ts';
import { failureOf, inspectGeneration } from '../../../generation/status.ts';
import type { TableDefinition } from '../descriptor/definition.ts';
import { proseItems, proseRecipe, proseTarget } from './prose-items.ts';

/** A table after code for its prose rules has been generated, if necessary. */
export interface PreparedTable extends TableDefinition {
  /** The error that prevented code from being generated for the current prose rules. */
  readonly proseFailure?: ErrorData;
}

/** Generates code for a table's prose rules. Failures are returned as data. */
export async function generateProse(
  definition: TableDefinition,
  scope: Scope,
  { force = false }: { readonly force?: boolean } = {},
): Promise<Output> {
  const recipe = proseRecipe(definition);
  if (recipe === undefined || scope.skill.dir === '')
    return { status: 'done', text: 'There is nothing to generate.' };
  return scope.call('mirror-code-generator', {
    directory: scope.skill.dir,
    contract: recipe.contract,
    specs: { ...recipe.specs },
    entry: proseTarget,
    exports: proseItems(definition).map(({ call }) => call),
    ...(force ? { force } : {}),
  });
}

/**
 * Generates code for a table's prose rules if needed. A failure is only reported, because the table also
 * works without the code.
 */
export async function prepare(definition: TableDefinition, scope: Scope): Promise<PreparedTable> {
  if (!isDue(definition, scope.skill.dir)) return definition;
  const output = await generateProse(definition, scope);
  if (output.status !== 'failed') return definition;
  scope.note(`No code could be generated for its prose rules: ${output.error.message}`, { level: 'warning' });
  return { ...definition, proseFailure: output.error };
}

/**
 * Whether code should be generated for a table's prose rules: it is missing or outdated, and generation has
 * not already failed for the same text. Never throws.
 */
export function isDue(definition: TableDefinition, dir: string): boolean {
  const recipe = dir === '' ? undefined : proseRecipe(definition);
  const plan = recipe && planGeneration(dir, recipe);
  if (plan === undefined || plan.issues.some(({ level }) => level === 'error')) return false;
  return hasWork(plan) && failureOf(dir, plan) === undefined;
}

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
