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
  type Made,
  type Output,
  type Scope,
} from '../../core/index.ts';
import { codeRecipe, hasWork, planGeneration, type Recipe } from '../../generation/plan-generation.ts';
import { readSpecs } from '../../generation/read-specs.ts';
import { clearFailure, failureOf, inspectGeneration } from '../../generation/status.ts';
import { entryFault, findEntry, noEntry, type EntryModule } from './entry.ts';
import type { CodeSkillDefinition, PreparedCodeSkill } from './parse.ts';

/**
 * Has the code of a skill made because a person wants it, also where that failed before; one that is written by hand has
 * nothing to make.
 */
export async function build(definition: CodeSkillDefinition, input: Json, scope: Scope): Promise<Output> {
  const { name, dir } = scope.skill;
  if (dir === '' || readSpecs(dir) === undefined)
    return { status: 'done', text: `${name}: there is nothing to generate, it has no specs.` };
  clearFailure(dir);
  const output = await callGenerator(definition, scope, {
    force: isJsonObject(input) && input['force'] === true,
  });
  return output.status === 'done' ? { ...output, text: `${name}: ${output.text}` } : output;
}

/** How the code of a skill stands, made of specs or written by a person. Never throws. */
export function inspect(definition: CodeSkillDefinition, dir: string): Made | undefined {
  if (dir === '') return undefined;
  const made = inspectGeneration(dir, recipeFor(definition), definition.name);
  const entry = findEntry(dir);
  const issues = issuesOf(dir, entry);
  if (made === undefined) return ownCode(dir, entry, issues);
  const isRunnable = made.status !== 'current' || issues.length === 0;
  return isRunnable ? made : { ...made, status: 'missing', issues: [...made.issues, ...issues] };
}

function ownCode(dir: string, entry: EntryModule | undefined, issues: readonly Issue[]): Made {
  if (entry === undefined) return { status: 'missing', files: [], issues };
  const { path, fault } = entry;
  const digest = fault === undefined ? digestOf(join(dir, path)) : undefined; // a link may lead anywhere
  const files = [{ path, status: 'own', ...optional('digest', digest) }] as const;
  return { status: fault === undefined ? 'own' : 'missing', files, issues };
}

/** What keeps the code from being run. */
function issuesOf(dir: string, entry: EntryModule | undefined): readonly Issue[] {
  if (entry !== undefined && entry.fault === undefined) return [];
  const fault = entry?.fault === undefined ? noEntry(dir) : entryFault(dir, entry.path, entry.fault);
  return [{ level: 'error', code: 'code.missing', message: fault.message, ...optional('hint', fault.hint) }];
}

function digestOf(file: string): string | undefined {
  try {
    return `sha256:${hash('sha256', readFileSync(file))}`;
  } catch {
    return undefined; // it went away, or cannot be read: whoever runs it learns why
  }
}

/** Has the code of a skill made where that is due. What fails is told to whoever runs it: there may be older code. */
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

/** What is wrong with the code, as far as that was known before. */
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

/** Whether code is to be made of the specs of a skill, and that has not failed before with the same ones. Never throws. */
export function isDue(definition: CodeSkillDefinition, dir: string): boolean {
  const plan = dir === '' ? undefined : planGeneration(dir, recipeFor(definition));
  if (plan === undefined || plan.issues.some(({ level }) => level === 'error')) return false;
  return hasWork(plan) && failureOf(dir, plan) === undefined;
}

/** Has the code of a skill made of its specs; what comes of it is data. */
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

/** What the code of a skill is made with, beside its specs. Pure. */
export function recipeFor(definition: CodeSkillDefinition): Recipe {
  return { ...codeRecipe, contract: buildContract(definition) };
}

/** What a skill promises its callers, in Markdown, for whoever writes its code; the same for the same descriptor. Pure. */
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

/** A format in words, with its schema where the words are without it. */
function formatOf(words = '', schema: JsonObject | undefined): string {
  if (schema === undefined) return words;
  const json = JSON.stringify(schema);
  const stated = schemaFence({ text: words, line: 1 }, '', []);
  if (stated !== undefined && JSON.stringify(stated) === json) return words;
  const fence = `\`\`\`json\n${json}\n\`\`\``;
  return words === '' ? fence : `${words}\n\n${fence}`;
}
