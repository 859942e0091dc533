import type { CommonFlags } from './command.ts';
import { oneLine } from './output/text.ts';

/** The common flags that a later command needs to find the same runs and skills, with a blank before each. */
export function sameAgain({ cwd, skills, only, safe }: CommonFlags): string {
  const parts = [
    ...(isHere(cwd) ? [] : ['--cwd', cwd]),
    ...skills.flatMap((dir) => ['--skills', dir]),
    ...(only ? ['--only'] : []),
    ...(safe ? ['--safe'] : []),
  ];
  return parts.map((part) => ` ${quoted(oneLine(part))}`).join('');
}

function isHere(cwd: string): boolean {
  try {
    return process.cwd() === cwd;
  } catch {
    return false; // the current folder is gone
  }
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
