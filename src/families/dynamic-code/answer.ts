import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';

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
