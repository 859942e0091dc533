import { basename, join } from 'node:path';
import type { Issue } from '../core/issue.ts';
import type { Made, MadeFile } from '../core/family.ts';
import { optional } from '../core/collections.ts';
import { failureOf, type GenerationFailure } from './failure.ts';
import { hasWork, planGeneration, type GenerationPlan, type Recipe } from './plan-generation.ts';

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
