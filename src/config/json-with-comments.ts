import { AgentError } from '../core/error.ts';
import type { Json } from '../core/json.ts';

/** JSON in which comments and trailing commas are allowed; an error names file and line. */
export function parseJsonWithComments(text: string, file: string): Json {
  const plain = blankOut(text.replace(/^\ufeff/, ' '));
  try {
    return JSON.parse(plain) as Json;
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    const position = /position (\d+)/.exec(reason)?.[1];
    const line = position === undefined ? undefined : plain.slice(0, Number(position)).split('\n').length;
    throw new AgentError('usage.bad-settings', `${file}${line === undefined ? '' : `:${line}`} is not valid JSON: ${reason}.`, {
      hint: 'Correct the file; comments and trailing commas are fine.',
      cause: thrown,
    });
  }
}

/** Comments and trailing commas become blanks, so that every position stays where it was. */
function blankOut(text: string): string {
  const tokens = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*[}\]])/g;
  return text.replace(tokens, (token) => (token.startsWith('"') ? token : token.replace(/[^\n]/g, ' ')));
}
