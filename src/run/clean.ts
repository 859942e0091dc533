import { AgentError, type ErrorData } from '../core/error.ts';
import type { Json } from '../core/json.ts';
import type { Output } from '../core/output.ts';
import { toPlain } from '../core/plain.ts';
import { redactJson, type Redact } from '../core/redact.ts';

/** Characters of text that one output may have; the rest is cut off, and the text says so. */
export const mostText = 1_000_000;

/** Characters that one value may have as JSON. */
export const mostJson = 4_000_000;

/** A value as it may be kept: plain JSON without secrets; throws `limit.too-large` for one that is too large to keep. */
export function cleanValue(value: unknown, redact: Redact): Json {
  const plain = redactJson(toPlain(value), redact);
  const size = sizeOf(plain);
  if (size <= mostJson) return plain;
  throw new AgentError(
    'limit.too-large',
    `The value has ${size.toLocaleString('en')} characters as JSON; ${mostJson.toLocaleString('en')} are kept at most.`,
    { hint: 'Write it to a file and give the path instead.' },
  );
}

/** An output as it may be kept; one that is none, or too large, becomes a failure that says so. */
export function cleanOutput(output: unknown, redact: Redact): Output {
  const { status, text, value, error } = membersOf(output);
  if ((status !== 'done' && status !== 'failed') || typeof text !== 'string') return failedOutput(noOutput);
  const shown = cut(redact(text));
  if (status === 'failed') {
    return { status, text: shown, error: redactJson(toPlain(error), redact) as unknown as ErrorData };
  }
  if (value === undefined) return { status, text: shown };
  return { status, text: shown, value: cleanValue(value, redact) };
}

/** The output of a call that failed. */
export function failedOutput(error: ErrorData): Output {
  return { status: 'failed', text: error.message, error };
}

const noOutput: ErrorData = {
  code: 'skill.failed',
  message: 'The skill returned something that is not an output.',
  hint: 'Return { status: "done", text, value? } or { status: "failed", text, error }.',
};

function membersOf(output: unknown): Readonly<Record<string, unknown>> {
  return typeof output === 'object' && output !== null ? (output as Readonly<Record<string, unknown>>) : {};
}

function cut(text: string): string {
  if (text.length <= mostText) return text;
  const lost = (text.length - mostText).toLocaleString('en');
  return `${text.slice(0, mostText)}\n[${lost} more characters were cut off]`;
}

/** The length of a value as JSON, without making that text where the value is small. */
function sizeOf(value: Json): number {
  if (typeof value === 'string') return value.length + 2;
  return typeof value === 'object' && value !== null ? JSON.stringify(value).length : 8;
}
