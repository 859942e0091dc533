import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  isErrorCode,
  isJsonObject,
  optional,
  parseJson,
  type ErrorData,
  type Issue,
  type Json,
  type GeneratedCode,
  type GeneratedFile,
} from '../core/index.ts';
import { readSmallFile, writeWholeFile } from './file-access.ts';
import { hasWork, planGeneration, type GenerationPlan, type Recipe } from './plan-generation.ts';
import { createStateFolder, notWritable, generationPaths } from './state-folder.ts';

/**
 * Returns the state of a skill's generated code, or undefined if the skill has no specs. `name` is the name
 * of the skill in the suggested commands. Never writes and never throws.
 */
export function inspectGeneration(
  dir: string,
  recipe: Recipe,
  name = basename(dir),
): GeneratedCode | undefined {
  const plan = planGeneration(dir, recipe);
  if (plan === undefined) return undefined;
  const failed = failureOf(dir, plan);
  return {
    status: statusOf(plan, failed),
    files: plan.files.map(({ spec, status, digest }): GeneratedFile => {
      return { path: `src/${spec.target}`, from: spec.path, status, ...optional('digest', digest) };
    }),
    issues: [
      ...plan.issues,
      ...(failed === undefined ? [] : [failedIssue(dir, name, failed)]),
      ...driftedIssues(dir, name, plan),
      ...dueIssues(dir, name, plan),
    ],
  };
}

function statusOf(plan: GenerationPlan, failed: GenerationFailure | undefined): GeneratedCode['status'] {
  const { files, issues } = plan;
  if (failed !== undefined || issues.some(({ level }) => level === 'error')) return 'failed';
  if (files.some(({ status }) => status === 'drifted')) return 'drifted';
  return hasWork(plan) ? 'due' : 'current';
}

function failedIssue(dir: string, name: string, { at, runId, error }: GenerationFailure): Issue {
  const when = new Date(at)
    .toISOString()
    .replace(/:\d\d\.\d+Z$/, ' UTC')
    .replace('T', ' ');
  const [why = ''] = error.message.trim().split(/\r?\n/);
  return {
    level: 'error',
    code: 'generation.failed',
    message: `Code generation failed on ${when}: ${why.replace(/[.:]?$/, '.')}`,
    file: join(dir, 'specs'),
    hint: `Fix the specs, or try again with \`skilled build ${name}\`.`,
    details: { runId, code: error.code },
  };
}

function driftedIssues(dir: string, name: string, { files }: GenerationPlan): readonly Issue[] {
  return files
    .filter(({ status, digest }) => status === 'drifted' && digest !== undefined)
    .map(({ spec: { path, target } }) => ({
      level: 'warning',
      code: 'generation.drifted',
      message: `src/${target} has changed since it was generated from ${path}, so it is left alone.`,
      file: join(dir, 'src', target),
      hint: `\`skilled build ${name} --force\` overwrites it.`,
    }));
}

function dueIssues(dir: string, name: string, { files, orphans }: GenerationPlan): readonly Issue[] {
  const due = files.filter(({ status }) => status === 'due');
  const pending = due.map(
    ({ spec: { path, target } }) => [target, `src/${target} needs to be generated from ${path}.`] as const,
  );
  const gone = orphans.map((target) => [target, `src/${target} will be removed: its spec is gone.`] as const);
  return [...pending, ...gone].map(([target, message]) => ({
    level: 'info',
    code: 'generation.due',
    message,
    file: join(dir, 'src', target),
    hint: `Run \`skilled build ${name}\`.`,
  }));
}

/** A failed attempt to generate code. */
export interface GenerationFailure {
  /** The hash of the inputs. Generation is not retried automatically until the inputs change. */
  readonly inputs: string;
  /** The time of the failure, in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly runId: string;
  readonly error: ErrorData;
}

const maxBytes = 16_000_000;

/** Returns the stored failure of a skill, or undefined if there is none. Never throws. */
export function readFailure(dir: string): GenerationFailure | undefined {
  const read = readSmallFile(generationPaths(dir).failure, maxBytes);
  if (read === undefined || 'fault' in read) return undefined;
  return toFailure(parseJson(read.bytes.toString('utf8')));
}

/** Returns the stored failure of a skill if it had the same inputs as the plan. Never throws. */
export function failureOf(
  dir: string,
  { inputs }: Pick<GenerationPlan, 'inputs'>,
): GenerationFailure | undefined {
  const failure = readFailure(dir);
  return failure?.inputs === inputs ? failure : undefined;
}

/** Stores a failure until the next successful generation. Throws `skill.failed` if this is not possible. */
export function writeFailure(dir: string, { inputs, at, runId, error }: GenerationFailure): void {
  const paths = generationPaths(dir);
  createStateFolder(paths);
  try {
    writeWholeFile(paths.failure, `${JSON.stringify({ version: 1, inputs, at, runId, error }, null, 2)}\n`);
  } catch (thrown) {
    throw notWritable(paths.bundle, paths.folder, thrown);
  }
}

/** Removes a skill's stored failure, if there is one. */
export function clearFailure(dir: string): void {
  const { bundle, failure, folder } = generationPaths(dir);
  try {
    rmSync(failure, { force: true });
  } catch (thrown) {
    throw notWritable(bundle, folder, thrown);
  }
}

function toFailure(json: Json | undefined): GenerationFailure | undefined {
  if (!isJsonObject(json) || json['version'] !== 1) return undefined;
  const { inputs, at, runId } = json;
  const error = toError(json['error']);
  if (typeof inputs !== 'string' || typeof at !== 'number' || typeof runId !== 'string') return undefined;
  if (error === undefined || Number.isNaN(new Date(at).getTime())) return undefined;
  return { inputs, at, runId, error };
}

function toError(json: Json | undefined): ErrorData | undefined {
  if (!isJsonObject(json)) return undefined;
  const { code, message, hint, details } = json;
  if (!isErrorCode(code) || typeof message !== 'string') return undefined;
  if (hint !== undefined && typeof hint !== 'string') return undefined;
  return { code, message, ...optional('hint', hint), ...optional('details', details) };
}
