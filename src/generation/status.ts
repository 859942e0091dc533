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
  type Made,
  type MadeFile,
} from '../core/index.ts';
import { readSmallFile, writeWholeFile } from './file-access.ts';
import { hasWork, planGeneration, type GenerationPlan, type Recipe } from './plan-generation.ts';
import { makePlace, notWritable, placeOf } from './state-folder.ts';

/** How the generated code of a skill stands; undefined where it has no specs. `name` is what commands call it. Looks only. Never throws. */
export function inspectGeneration(dir: string, recipe: Recipe, name = basename(dir)): Made | undefined {
  const plan = planGeneration(dir, recipe);
  if (plan === undefined) return undefined;
  const failed = failureOf(dir, plan);
  return {
    status: statusOf(plan, failed),
    files: plan.files.map(({ spec, status, digest }): MadeFile => {
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

function statusOf(plan: GenerationPlan, failed: GenerationFailure | undefined): Made['status'] {
  const { files, issues } = plan;
  if (failed !== undefined || issues.some(({ level }) => level === 'error')) return 'failed';
  if (files.some(({ status }) => status === 'drifted')) return 'drifted';
  return hasWork(plan) ? 'due' : 'current';
}

function failedIssue(dir: string, name: string, { at, error }: GenerationFailure): Issue {
  const when = new Date(at)
    .toISOString()
    .replace(/:\d\d\.\d+Z$/, ' UTC')
    .replace('T', ' ');
  const [why = ''] = error.message.trim().split(/\r?\n/);
  return {
    level: 'error',
    code: 'generation.failed',
    message: `The code could not be made on ${when}: ${why.replace(/[.:]?$/, '.')}`,
    file: join(dir, 'specs'),
    hint: `Correct the specs, or try again with \`skilled build ${name}\`.`,
  };
}

function driftedIssues(dir: string, name: string, { files }: GenerationPlan): readonly Issue[] {
  return files
    .filter(({ status, digest }) => status === 'drifted' && digest !== undefined)
    .map(({ spec: { path, target } }) => ({
      level: 'warning',
      code: 'generation.drifted',
      message: `src/${target} is not as it was made of ${path}, so it is left as it is.`,
      file: join(dir, 'src', target),
      hint: `\`skilled build ${name} --force\` overwrites it.`,
    }));
}

function dueIssues(dir: string, name: string, { files, orphans }: GenerationPlan): readonly Issue[] {
  const due = files.filter(({ status }) => status === 'due');
  const made = due.map(
    ({ spec: { path, target } }) => [target, `src/${target} is to be made of ${path}.`] as const,
  );
  const gone = orphans.map((target) => [target, `src/${target} is to go: its spec is gone.`] as const);
  return [...made, ...gone].map(([target, message]) => ({
    level: 'info',
    code: 'generation.due',
    message,
    file: join(dir, 'src', target),
    hint: `Run \`skilled build ${name}\`.`,
  }));
}

/** A generation that came to nothing. */
export interface GenerationFailure {
  /** What it was tried with: it is not tried again by itself until that changes. */
  readonly inputs: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly runId: string;
  readonly error: ErrorData;
}

const mostBytes = 16_000_000;

/** The failure that is remembered for a skill, if any. Never throws. */
export function readFailure(dir: string): GenerationFailure | undefined {
  const read = readSmallFile(placeOf(dir).failure, mostBytes);
  if (read === undefined || 'fault' in read) return undefined;
  return toFailure(parseJson(read.bytes.toString('utf8')));
}

/** The failure that is remembered for exactly what a plan would make, if any. Never throws. */
export function failureOf(
  dir: string,
  { inputs }: Pick<GenerationPlan, 'inputs'>,
): GenerationFailure | undefined {
  const failure = readFailure(dir);
  return failure?.inputs === inputs ? failure : undefined;
}

/** Remembers a failure until the next success. Throws `skill.failed` where nothing can be written. */
export function writeFailure(dir: string, { inputs, at, runId, error }: GenerationFailure): void {
  const place = placeOf(dir);
  makePlace(place);
  try {
    writeWholeFile(place.failure, `${JSON.stringify({ version: 1, inputs, at, runId, error }, null, 2)}\n`);
  } catch (thrown) {
    throw notWritable(place.bundle, place.folder, thrown);
  }
}

/** Forgets the failure of a skill; does nothing where none is remembered. */
export function clearFailure(dir: string): void {
  const { bundle, failure, folder } = placeOf(dir);
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
