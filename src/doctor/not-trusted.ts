import { count } from './count.ts';

/** How many skills wait for trust, whether it is for code or for their text alone. */
export function notTrusted(skills: number): string {
  return `${count(skills, 'skill')} ${skills === 1 ? 'is' : 'are'} not trusted yet`;
}
