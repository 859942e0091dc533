import {
  isAgentError,
  isJsonObject,
  parseJson,
  wantedVerdict,
  type AgentError,
  type ErrorCode,
  type Json,
  type JsonObject,
  type Output,
  type Scope,
  type Snippet,
  type SnippetResult,
  type WantedVerdict,
} from '../../core/index.ts';

/** What an answer is tried with. */
interface Trial {
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
type Tried = { readonly output: Output } | Problem;

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
    result = await scope.processes.runSnippet({ ...snippet, code });
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

/** Keeps a snippet with its run, and all that is needed to run it again; before it runs, so that it is there whatever it does. */
function keepSnippet(
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

/** Whether a value is what is wanted, and what is wrong with it. */
function fitValue(value: Json, schema: JsonObject, key: string, scope: Scope): Promise<WantedVerdict> {
  return wantedVerdict(scope, key, 'the answer', schema, value);
}

/** The same for a text, which may be the value itself or its JSON. */
async function fitText(text: string, schema: JsonObject, key: string, scope: Scope): Promise<WantedVerdict> {
  const verdict = await fitValue(text, schema, key, scope);
  const parsed = verdict.fault === undefined ? undefined : parseJson(text);
  if (parsed === undefined) return verdict;
  const other = await fitValue(parsed, schema, `${key}:json`, scope);
  return other.fault === undefined ? other : verdict;
}

/** What a model answered: the answer itself, or code that computes it. */
export type Answer =
  | { readonly mode: 'text'; readonly text: string }
  | { readonly mode: 'code'; readonly code: string; readonly explanation: string };

/** JSON Schema of an answer, as models are told it; what they give is read with more patience. */
export const answerSchema: JsonObject = {
  type: 'object',
  properties: {
    mode: { type: 'string', enum: ['text', 'code'] },
    text: { type: 'string', description: 'The whole answer, in mode text.' },
    code: { type: 'string', description: 'The snippet, in mode code.' },
    explanation: { type: 'string', description: 'In one sentence, how the code comes to the answer.' },
  },
  required: ['mode'],
};

/** Reads an answer; throws what is wrong with it. Without a mode, code counts where there is some, else the text. */
export function readAnswer(given: Json): Answer {
  if (!isJsonObject(given)) throw new Error('The answer must be an object with "mode" and "text" or "code".');
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
  const value = given[key] ?? undefined; // some models write null for what they leave out
  if (value === undefined || typeof value === 'string') return value;
  throw new Error(`"${key}" must be a text.`);
}

/** Code without the fence that some models put around it. */
function withoutFence(code: string): string {
  return /^\s*```[\w-]*\n([^]*?)\n?```\s*$/.exec(code)?.[1] ?? code;
}
