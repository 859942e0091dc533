import type { CommonFlags } from './command.ts';
import { shellWord } from './shell-word.ts';

/** The common flags that a later command needs to find the same runs and skills, with a blank before each; `fromAnywhere` where that may start in another folder. */
export function sameAgain({ cwd, skills, only, safe }: CommonFlags, fromAnywhere = false): string {
  const parts = [
    ...(isHere(cwd) && !fromAnywhere ? [] : ['--cwd', cwd]),
    ...skills.flatMap((dir) => ['--skills', dir]),
    ...(only ? ['--only'] : []),
    ...(safe ? ['--safe'] : []),
  ];
  return parts.map((part) => ` ${shellWord(part)}`).join('');
}

function isHere(cwd: string): boolean {
  try {
    return process.cwd() === cwd;
  } catch {
    return false; // the current folder is gone
  }
}
