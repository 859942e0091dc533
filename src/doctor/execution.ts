import { isJsonObject } from '../core/json.ts';
import { optional } from '../core/collections.ts';
import type { CheckResult, Examined } from './check.ts';

/** Whether the code of a skill runs here, found out by running some. */
export function checkCodeWorker({ code: { fault, isSandboxed = false } }: Examined): CheckResult {
  const id = 'code-worker';
  if (fault === undefined) {
    const where = isSandboxed ? 'in a sandbox' : 'without a sandbox';
    return {
      id,
      status: 'ok',
      summary: `runs the code of skills ${where}, proven by running it`,
      details: [],
    };
  }
  const { message, hint } = fault;
  const summary = 'the code of skills does not run here';
  return { id, status: 'fail', summary, details: [message], ...optional('hint', hint) };
}

/** Whether a snippet runs here, found out by running one; that the optional package for it is missing is only a warning. */
export function checkSnippets({ snippets: { fault } }: Examined): CheckResult {
  const id = 'snippets';
  if (fault === undefined)
    return { id, status: 'ok', summary: 'run in an isolate, proven by running one', details: [] };
  const { message, hint, details } = fault;
  const isOptional = isJsonObject(details) && details['package'] !== undefined;
  return {
    id,
    status: isOptional ? 'warn' : 'fail',
    summary: 'code that a model writes for one call does not run here',
    details: [message, ...(isOptional ? ['Skills without such code work as they are.'] : [])],
    ...optional('hint', hint),
  };
}
