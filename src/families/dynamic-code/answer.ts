import {
  asText,
  isAgentError,
  isJsonObject,
  parseJson,
  judgeResult,
  type AgentError,
  type ErrorCode,
  type Json,
  type JsonObject,
  type Output,
  type Scope,
  type Snippet,
  type SnippetResult,
  type ResultVerdict,
} from '../../core/index.ts';

/** The options for trying a model's answer. */
interface Attempt {
  /** The one-based number of the model's turn. */
  readonly turn: number;
  /** The snippet's options, without its code. */
  readonly snippet: Omit<Snippet, 'code'>;
  /** The schema that the value must match, if any. */
  readonly schema: JsonObject | undefined;
}

/** The reason why an answer cannot be used, worded for the model that gave the answer. */
export interface Problem {
  readonly fault: string;
  readonly hint?: string;
  /** The code that produced no usable result. Empty if the answer was text. */
  readonly code: string;
  readonly log: string;
}

/** The output of an answer, or the problem that made the answer unusable. */
type Tried = { readonly output: Output } | Problem;

/** Tries an answer and returns its output or a problem. Code is stored with the run and runs at most once. */
export function tryAnswer(answer: Answer, attempt: Attempt, scope: Scope): Promise<Tried> {
  return answer.mode === 'text' ? tryText(answer.text, attempt, scope) : tryCode(answer, attempt, scope);
}

async function tryText(text: string, { turn, schema }: Attempt, scope: Scope): Promise<Tried> {
  if (text === '') return { fault: 'The text is empty.', code: '', log: '' };
  if (schema === undefined) return { output: { status: 'done', text } };
  const { value = null, fault } = await fitText(text, schema, `fit:${turn}`, scope);
  if (fault === undefined) return { output: { status: 'done', text, value } };
  return { fault, hint: 'Answer with code whose value matches the schema.', code: '', log: '' };
}

async function tryCode(
  { code, explanation }: Extract<Answer, { mode: 'code' }>,
  { turn, snippet, schema }: Attempt,
  scope: Scope,
): Promise<Tried> {
  if (code.trim() === '') return { fault: 'The code is empty.', code: '', log: '' };
  storeSnippet({ ...snippet, code }, turn, explanation, scope);
  let result: SnippetResult;
  try {
    result = await scope.processes.runSnippet({ ...snippet, code });
  } catch (thrown) {
    if (!isAgentError(thrown) || !mendable.has(thrown.code)) throw thrown;
    return problemOf(thrown, code, scope);
  }
  const { log, isEmpty = false } = result;
  noteLog(log, scope);
  if (isEmpty)
    return { fault: 'The code returned nothing.', hint: 'End the code with a return statement.', code, log };
  const { value = null, fault }: ResultVerdict =
    schema === undefined
      ? { value: result.value }
      : await fitValue(result.value, schema, `fit:${turn}`, scope);
  if (fault !== undefined) return { fault, code, log };
  return { output: { status: 'done', text: asText(value), value } };
}

/** The error codes of problems that the model can fix in its code. */
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

/**
 * Stores a snippet with everything needed to run it again. Called before the snippet runs, so that it is not
 * lost if the process is killed.
 */
function storeSnippet(
  { code, input, functions = {}, timeoutMs = 0, memoryBytes = 0 }: Snippet,
  turn: number,
  explanation: string,
  scope: Scope,
): void {
  scope.artifact({
    name: turn === 1 ? 'snippet.js' : `snippet-${turn}.js`,
    mediaType: 'text/javascript',
    text: code,
    data: {
      input,
      functions: Object.keys(functions),
      timeoutMs,
      memoryBytes,
      ...(explanation === '' ? {} : { explanation }),
    },
  });
}

/** Checks a value against the schema. */
function fitValue(value: Json, schema: JsonObject, key: string, scope: Scope): Promise<ResultVerdict> {
  return judgeResult(scope, key, 'the answer', schema, value);
}

/** Checks text against the schema, first as a string and then as JSON. */
async function fitText(text: string, schema: JsonObject, key: string, scope: Scope): Promise<ResultVerdict> {
  const verdict = await fitValue(text, schema, key, scope);
  const parsed = verdict.fault === undefined ? undefined : parseJson(text);
  if (parsed === undefined) return verdict;
  const other = await fitValue(parsed, schema, `${key}:json`, scope);
  return other.fault === undefined ? other : verdict;
}

/** A model's answer: either the text itself or code that computes it. */
export type Answer =
  | { readonly mode: 'text'; readonly text: string }
  | { readonly mode: 'code'; readonly code: string; readonly explanation: string };

/** The JSON Schema for answers, as shown to models. `readAnswer` is slightly more lenient. */
export const answerSchema: JsonObject = {
  type: 'object',
  properties: {
    mode: { type: 'string', enum: ['text', 'code'] },
    text: { type: 'string', description: 'The complete answer, if "mode" is "text".' },
    code: { type: 'string', description: 'The code snippet, if "mode" is "code".' },
    explanation: { type: 'string', description: 'One sentence that explains how the code gets the answer.' },
  },
  required: ['mode'],
};

/**
 * Reads an answer. If it has no mode, non-blank code takes precedence over text. For an invalid answer,
 * throws an error that describes the problem.
 */
export function readAnswer(given: Json): Answer {
  if (!isJsonObject(given))
    throw new Error('The answer must be an object with "mode" and either "text" or "code".');
  const [text, code, explanation = ''] = ['text', 'code', 'explanation'].map((key) => textIn(given, key));
  if (text === undefined && code === undefined) throw new Error('The answer has neither "text" nor "code".');
  const mode = given['mode'] ?? (code?.trim() ? 'code' : 'text');
  switch (mode) {
    case 'text':
      return { mode, text: (text ?? '').trim() };
    case 'code':
      return { mode, code: withoutFence(code ?? ''), explanation: explanation.trim() };
    default:
      throw new Error('"mode" must be "text" or "code".');
  }
}

function textIn(given: JsonObject, key: string): string | undefined {
  const value = given[key] ?? undefined; // Some models send null for missing fields.
  if (value === undefined || typeof value === 'string') return value;
  throw new Error(`"${key}" must be a text.`);
}

/** Removes the code fence that some models add around code. */
function withoutFence(code: string): string {
  return /^\s*```[\w-]*\n([^]*?)\n?```\s*$/.exec(code)?.[1] ?? code;
}
