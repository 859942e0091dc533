import { durationText } from '../../views/text.ts';

const minute = 60_000;

/** How long something can still be decided, in whole minutes until the last one; undefined when it is too late. Pure. */
export function timeLeft(expires: number, now: number): string | undefined {
  const left = expires - now;
  if (left <= 0) return undefined;
  return durationText(left < minute ? left : Math.floor(left / minute) * minute);
}
