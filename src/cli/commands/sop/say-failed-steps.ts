import { isJsonObject, type Json } from '../../../core/json.ts';
import type { RunResult } from '../../../core/run.ts';
import type { Invocation } from '../../command.ts';
import type { CheckedFile } from './check-script.ts';
import { sayIssues } from './say-issues.ts';

const mostTold = 20;

/** Says on stderr which steps of an ended plan failed and where they stand; of a plan that is done they are warnings. */
export function sayFailedSteps(
  { file, steps }: CheckedFile,
  result: RunResult,
  invocation: Invocation,
): void {
  if (invocation.flags.json || result.status === 'waiting') return;
  const variables = variablesIn(result);
  const level = result.ok ? 'warning' : 'error';
  const issues = steps.flatMap(({ name, place }) => {
    const error = errorIn(variables.get(name));
    return error === undefined ? [] : [{ ...place, level, message: `@${name} failed: ${error}` } as const];
  });
  sayIssues({ file, issues: issues.slice(0, mostTold) }, invocation);
}

function variablesIn({ value, error }: RunResult): ReadonlyMap<string, Json> {
  const told = error === undefined ? value : error.details;
  const variables = isJsonObject(told) ? told['variables'] : undefined;
  return new Map(isJsonObject(variables) ? Object.entries(variables) : []);
}

function errorIn(variable: Json | undefined): string | undefined {
  if (!isJsonObject(variable) || variable['status'] !== 'fail') return undefined;
  const error = variable['error'];
  const message = isJsonObject(error) ? error['message'] : undefined;
  return typeof message === 'string' ? message : undefined;
}
