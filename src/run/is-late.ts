import type { Asked } from './open-questions.ts';

/** Whether nobody can answer or decide a question any more at a moment, in milliseconds since 1970. */
export function isLate(asked: Asked, now: number): boolean {
  const { expires = Infinity } = asked.type === 'input.requested' ? asked.question : asked.asks;
  return expires <= now;
}
