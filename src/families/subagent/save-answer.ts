import { optional } from '../../core/collections.ts';
import type { Output } from '../../core/run.ts';
import type { Scope } from '../../core/scope.ts';

/** Writes an answer to the file that is meant for it; an answer that could not be written is in the details of the failure. */
export async function saveAnswer(
  answer: Output & { readonly status: 'done' },
  file: string,
  scope: Scope,
): Promise<Output> {
  const { text, value } = answer;
  const content = text.endsWith('\n') ? text : `${text}\n`;
  const written = await scope.call('write', { file_path: file, content }, { asWritten: true, key: 'output' });
  if (written.status === 'done')
    return { ...answer, text: `${text}\n\n(This answer was written to ${file}.)` };
  const { error } = written;
  const message = `The answer could not be written to ${file}: ${error.message}`;
  const details = { answer: text, ...optional('value', value) };
  return { status: 'failed', text: message, error: { ...error, message, details } };
}
