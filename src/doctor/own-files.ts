import type { CheckResult, Examined } from './check.ts';
import { count } from './count.ts';

/** Whether our own files are as they should be; what is not can be put right without anybody's decision. */
export function checkOwnFiles({ repairs = [] }: Examined): CheckResult {
  if (repairs.length === 0) return { id: 'files', status: 'ok', summary: 'nothing to fix', details: [] };
  return {
    id: 'files',
    status: 'warn',
    summary: `${count(repairs.length, 'thing')} to fix`,
    details: repairs.map(({ what }) => what),
    hint: 'Fix it with `skilled doctor --fix`.',
  };
}
