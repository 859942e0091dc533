import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  isJsonObject,
  optional,
  schemaFence,
  type Issue,
  type Json,
  type JsonObject,
  type GeneratedCode,
  type Output,
  type Scope,
} from '../../core/index.ts';
import { codeRecipe, hasWork, planGeneration, type Recipe } from '../../generation/plan-generation.ts';
import { readSpecs } from '../../generation/read-specs.ts';
import { clearFailure, failureOf, inspectGeneration } from '../../generation/status.ts';
import { entryFault, findEntry, noEntry, type EntryModule } from './entry.ts';
import type { CodeSkillDefinition, PreparedCodeSkill } from './parse.ts';

/**
 * Generates a skill's code on request, even after an earlier failure. A skill without specs has nothing to
 * generate.
 */
export async function build(definition: CodeSkillDefinition, input: Json, scope: Scope): Promise<Output> {
  const { name, dir } = scope.skill;
  if (dir === '' || readSpecs(dir) === undefined)
    return { status: 'done', text: `${name}: nothing to generate, because it has no specs.` };
  clearFailure(dir);
  const output = await callGenerator(definition, scope, {
    force: isJsonObject(input) && input['force'] === true,
  });
  return output.status === 'done' ? { ...output, text: `${name}: ${output.text}` } : output;
}

/** Returns the state of a skill's code, whether generated or handwritten. Never throws. */
export function inspect(definition: CodeSkillDefinition, dir: string): GeneratedCode | undefined {
  if (dir === '') return undefined;
  const generated = inspectGeneration(dir, recipeFor(definition), definition.name);
  const entry = findEntry(dir);
  const issues = issuesOf(dir, entry);
  if (generated === undefined) return ownCode(dir, entry, issues);
  const isRunnable = generated.status !== 'current' || issues.length === 0;
  return isRunnable
    ? generated
    : { ...generated, status: 'missing', issues: [...generated.issues, ...issues] };
}

function ownCode(dir: string, entry: EntryModule | undefined, issues: readonly Issue[]): GeneratedCode {
  if (entry === undefined) return { status: 'missing', files: [], issues };
  const { path, fault } = entry;
  // An unusable module is not read, because it could be a link to a file outside the folder.
  const digest = fault === undefined ? digestOf(join(dir, path)) : undefined;
  const files = [{ path, status: 'own', ...optional('digest', digest) }] as const;
  return { status: fault === undefined ? 'own' : 'missing', files, issues };
}

/** Returns the issues that prevent the code from running. */
function issuesOf(dir: string, entry: EntryModule | undefined): readonly Issue[] {
  if (entry !== undefined && entry.fault === undefined) return [];
  const fault = entry?.fault === undefined ? noEntry(dir) : entryFault(dir, entry.path, entry.fault);
  return [{ level: 'error', code: 'code.missing', message: fault.message, ...optional('hint', fault.hint) }];
}

function digestOf(file: string): string | undefined {
  try {
    return `sha256:${hash('sha256', readFileSync(file))}`;
  } catch {
    return undefined; // The file is missing or unreadable. The error is reported when the skill runs.
  }
}

/**
 * Generates a skill's code if necessary. A failure is reported only when the skill runs, because older code
 * may exist.
 */
export async function prepare(definition: CodeSkillDefinition, scope: Scope): Promise<PreparedCodeSkill> {
  const { dir } = scope.skill;
  if (isDue(definition, dir)) {
    const output = await callGenerator(definition, scope);
    if (output.status === 'failed') {
      scope.note(`Its code could not be generated: ${output.error.message}`);
      return { ...definition, failure: output.error };
    }
  }
  return { ...definition, ...stateOf(definition, dir) };
}

/** Returns known problems with the code: an earlier generation failure and files edited by hand. */
function stateOf(
  definition: CodeSkillDefinition,
  dir: string,
): Pick<PreparedCodeSkill, 'failure' | 'drifted'> {
  const plan = planGeneration(dir, recipeFor(definition));
  if (plan === undefined) return {};
  const failure = failureOf(dir, plan)?.error;
  const drifted = plan.files
    .filter(({ status }) => status === 'drifted')
    .map(({ spec }) => `src/${spec.target}`);
  return { ...optional('failure', failure), ...(drifted.length === 0 ? {} : { drifted }) };
}

/**
 * Whether code must be generated. False if generation has already failed for the current specs. Never throws.
 */
export function isDue(definition: CodeSkillDefinition, dir: string): boolean {
  const plan = dir === '' ? undefined : planGeneration(dir, recipeFor(definition));
  if (plan === undefined || plan.issues.some(({ level }) => level === 'error')) return false;
  return hasWork(plan) && failureOf(dir, plan) === undefined;
}

/** Generates a skill's code from its specs. Returns a failure as an output. */
function callGenerator(
  definition: CodeSkillDefinition,
  scope: Scope,
  { force = false }: { readonly force?: boolean } = {},
): Promise<Output> {
  return scope.call('mirror-code-generator', {
    directory: scope.skill.dir,
    contract: buildContract(definition),
    exports: ['action'],
    ...(force ? { force } : {}),
  });
}

/** Returns everything needed to generate a skill's code, except its specs. Pure. */
export function recipeFor(definition: CodeSkillDefinition): Recipe {
  return { ...codeRecipe, contract: buildContract(definition) };
}

/**
 * Builds a skill's contract, as Markdown, for the model or person who writes its code. It depends only on the
 * descriptor. Pure.
 */
export function buildContract(definition: CodeSkillDefinition): string {
  const {
    description,
    input,
    output,
    inputFormat,
    outputFormat,
    constraints = '',
    examples = '',
  } = definition;
  const sections = [
    ['Description', description],
    ['Input Format', formatOf(inputFormat, input)],
    ['Output Format', formatOf(outputFormat, output)],
    ['Constraints', constraints],
    ['Examples', examples],
  ] as const;
  const written = sections.filter(([, text]) => text !== '');
  return written.map(([heading, text]) => `## ${heading}\n\n${text}\n`).join('\n');
}

/**
 * Returns a format description with its schema appended, unless the description already contains the schema.
 */
function formatOf(description = '', schema: JsonObject | undefined): string {
  if (schema === undefined) return description;
  const json = JSON.stringify(schema);
  const stated = schemaFence({ text: description, line: 1 }, '', []);
  if (stated !== undefined && JSON.stringify(stated) === json) return description;
  const fence = `\`\`\`json\n${json}\n\`\`\``;
  return description === '' ? fence : `${description}\n\n${fence}`;
}
