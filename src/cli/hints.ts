import type { ErrorData } from '../core/error.ts';
import { optional } from '../core/optional.ts';
import { shellWord } from './shell-word.ts';

/** An error whose hint also names the command that shows what there is, where the library could name none; with `--safe`, why there is so little. Pure. */
export function withHint(error: ErrorData, isSafe = false): ErrorData {
  const { code, message, hint = '' } = error;
  const skill = /^The input of "([^"]+)" does not fit: /.exec(message)?.[1];
  if (code === 'usage.bad-input' && skill !== undefined)
    return { ...error, hint: `${hint} \`skilled show ${shellWord(skill)}\` tells what it takes.`.trim() };
  if (code === 'limit.calls' && message.startsWith('The plan would execute '))
    return { ...error, hint: 'Run it with --max-commands <number>, or make the plan or its lists shorter.' };
  const limit = /^Raise the limit "(\w+)" if that is too little\.$/.exec(hint)?.[1];
  if (limit !== undefined)
    return { ...error, hint: `${hint} \`skilled config explain limits.${limit}\` tells how.` };
  if (code.startsWith('model.')) return { ...error, ...optional('hint', modelHint(error)) };
  if (code !== 'skill.not-found' || !/^(?:Did you mean|List the skills)/.test(hint)) return error;
  const near = hint.startsWith('Did') ? `${hint} ` : '';
  const all = isSafe
    ? 'With --safe only bundled skills and the folders of --skills <dir> are there.'
    : '`skilled list` shows all skills.';
  return { ...error, hint: `${near}${all}` };
}

/** How to see whether a model answers, where the hint does not say so. */
function modelHint({ code, message, hint }: ErrorData): string | undefined {
  if (message.endsWith(': this is offline.'))
    return 'Leave out --offline, or see what else says so: `skilled config explain offline`';
  if (hint === undefined || /skilled |^Did you mean/.test(hint)) return hint;
  if (code === 'model.not-found')
    return `${hint} To try one: \`skilled models --check --model <provider>/<model>\``;
  const isChecked = code === 'model.denied' || code === 'model.unavailable';
  return isChecked ? `${hint} To try it: \`skilled models --check\`` : hint;
}
