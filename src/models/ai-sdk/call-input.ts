import { isJsonObject, parseJson, type JsonObject } from '../../core/json.ts';
import type { ToolCall } from '../../core/model.ts';

/** The input that a model wrote as JSON text; nothing at all means no arguments, and what cannot be read stays text with a fault. Pure. */
export function readCallInput(text: string): Pick<ToolCall, 'input' | 'fault'> {
  if (text.trim() === '') return { input: {} };
  const input = parseJson(text);
  return input === undefined ? { input: text, fault: faultOf(text) } : { input };
}

function faultOf(text: string): string {
  try {
    JSON.parse(text);
    return 'The arguments nest too deep or hold a number that is out of range.';
  } catch (thrown) {
    return `The arguments are not JSON: ${(thrown as SyntaxError).message}`;
  }
}

/** The input of an earlier call as providers take it back: always an object, because some refuse everything else. Pure. */
export function callInputObject({ input, fault }: ToolCall): JsonObject {
  if (isJsonObject(input)) return input;
  return fault === undefined ? { value: input } : { unreadable: input };
}
