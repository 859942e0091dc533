import type { ErrorData } from '../core/error.ts';

/** An error whose hint also names the command that shows what there is, where the library could name none. Pure. */
export function withHint(error: ErrorData): ErrorData {
  const { code, hint = '' } = error;
  if (code !== 'skill.not-found' || !/^(?:Did you mean|List the skills)/.test(hint)) return error;
  const near = hint.startsWith('Did') ? `${hint} ` : '';
  return { ...error, hint: `${near}"skilled list" shows all skills.` };
}
