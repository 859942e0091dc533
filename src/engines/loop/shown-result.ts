import type { Output } from '../../core/output.ts';

const most = 30_000; // characters of a result that a model is shown
const tail = 5_000; // of them from its end

/** A result as the model reads it: what failed says why, what is long is cut, and its name says how to use all of it. */
export function shownResult(output: Output, name: string | undefined): string {
  if (output.status === 'failed') return `Error: ${errorText(output)}`.toWellFormed();
  const said = output.text !== '' || output.value === undefined ? output.text : JSON.stringify(output.value);
  const label = name === undefined ? '' : `[$$${name}]\n`;
  return `${label}${cut(said === '' ? '(nothing)' : said, name)}`.toWellFormed(); // providers refuse half a character
}

function errorText({ text, error }: Output & { readonly status: 'failed' }): string {
  const isSaid = text.length <= most && text.includes(error.message);
  const said = isSaid ? text : `${text}\n${error.message}`.trim();
  return `${cut(said, undefined)} (${error.code})${error.hint === undefined ? '' : `\n${error.hint}`}`;
}

function cut(text: string, name: string | undefined): string {
  if (text.length <= most) return text;
  const left = (text.length - most).toLocaleString('en');
  const whole = name === undefined ? '' : `; all of it is $$${name}`;
  return `${text.slice(0, most - tail)}\n[${left} characters are left out here${whole}]\n${text.slice(-tail)}`;
}
