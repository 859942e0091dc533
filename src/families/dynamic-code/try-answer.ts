import { isAgentError, type AgentError, type ErrorCode } from '../../core/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Output } from '../../core/run.ts';
import type { Scope } from '../../core/scope.ts';
import type { Snippet, SnippetResult } from '../../core/code.ts';
import type { WantedVerdict } from '../../core/json/validate.ts';
import type { Answer } from './answer.ts';
import { fitText, fitValue } from './fit-value.ts';
import { keepSnippet } from './keep-snippet.ts';

/** What an answer is tried with. */
export interface Trial {
  /** Counted from 1. */
  readonly turn: number;
  /** All of the snippet but its code. */
  readonly snippet: Omit<Snippet, 'code'>;
  /** What the value must fit, where that is said. */
  readonly schema: JsonObject | undefined;
}

/** What is wrong with an answer, in words for the model that gave it. */
export interface Problem {
  readonly fault: string;
  readonly hint?: string;
  /** The code that came to nothing; empty for a text. */
  readonly code: string;
  readonly log: string;
}

/** What an answer came to. */
export type Tried = { readonly output: Output } | Problem;

/** The output of an answer, or what is wrong with it; code is kept with the run, runs once and never again. */
export function tryAnswer(answer: Answer, trial: Trial, scope: Scope): Promise<Tried> {
  return answer.mode === 'text' ? tryText(answer.text, trial, scope) : tryCode(answer, trial, scope);
}

async function tryText(text: string, { turn, schema }: Trial, scope: Scope): Promise<Tried> {
  if (text === '') return { fault: 'The text is empty.', code: '', log: '' };
  if (schema === undefined) return { output: { status: 'done', text } };
  const { value = null, fault } = await fitText(text, schema, `fit:${turn}`, scope);
  if (fault === undefined) return { output: { status: 'done', text, value } };
  return { fault, hint: 'Answer with code whose value fits.', code: '', log: '' };
}

async function tryCode(
  { code, explanation }: Extract<Answer, { mode: 'code' }>,
  { turn, snippet, schema }: Trial,
  scope: Scope,
): Promise<Tried> {
  if (code.trim() === '') return { fault: 'There is no code.', code: '', log: '' };
  keepSnippet({ ...snippet, code }, turn, explanation, scope);
  let result: SnippetResult;
  try {
    result = await scope.runSnippet({ ...snippet, code });
  } catch (thrown) {
    if (!isAgentError(thrown) || !mendable.has(thrown.code)) throw thrown;
    return problemOf(thrown, code, scope);
  }
  const { log, isEmpty = false } = result;
  noteLog(log, scope);
  if (isEmpty) return { fault: 'The code returned nothing.', hint: 'End it with return.', code, log };
  const { value = null, fault }: WantedVerdict =
    schema === undefined
      ? { value: result.value }
      : await fitValue(result.value, schema, `fit:${turn}`, scope);
  return fault === undefined ? { output: outputOf(value, schema) } : { fault, code, log };
}

/** What a model can mend; a sandbox that is not there is none of it. */
const mendable: ReadonlySet<ErrorCode> = new Set(['skill.failed', 'limit.time', 'limit.too-large']);

function problemOf({ message, hint, details }: AgentError, code: string, scope: Scope): Problem {
  const logged = isJsonObject(details) ? details['log'] : undefined;
  const log = typeof logged === 'string' ? logged : '';
  noteLog(log, scope);
  return { fault: message, ...(hint === undefined ? {} : { hint }), code, log };
}

function noteLog(log: string, scope: Scope): void {
  if (log.trim() !== '') scope.note(log.trimEnd());
}

/** A text is the answer as it is; anything else is told as JSON, and given as it is. */
function outputOf(value: Json, schema: JsonObject | undefined): Output {
  if (typeof value !== 'string') return { status: 'done', text: JSON.stringify(value), value };
  return { status: 'done', text: value, ...(schema === undefined ? {} : { value }) };
}
