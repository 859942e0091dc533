import { count } from './count.ts';

/** How many skills wait for trust, whether it is for code or for their text alone. */
export function notTrusted(skills: number): string {
  return `${count(skills, 'skill')} ${skills === 1 ? 'is' : 'are'} not trusted yet`;
}

/** How to trust them, with the command for the first. */
export function howToTrust([first = '<skill>', second]: readonly string[]): string {
  const command = `\`skilled trust grant ${first}\``;
  return second === undefined
    ? `Read its files, then run ${command}.`
    : `Read the files of each, then trust it, as in ${command}.`;
}
