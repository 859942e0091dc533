import { durationText, workedMs, type RunTree } from '../../views/index.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Formats an age in one unit: `just now`, `5 min ago`, `3 h ago`, `2 days ago`. Pure. */
export function agoText(milliseconds: number): string {
  if (milliseconds < minute) return 'just now';
  if (milliseconds < hour) return `${Math.floor(milliseconds / minute)} min ago`;
  if (milliseconds < day) return `${Math.floor(milliseconds / hour)} h ago`;
  const days = Math.floor(milliseconds / day);
  return days === 1 ? '1 day ago' : `${days.toLocaleString('en')} days ago`;
}

const second = 1_000;

/** Formats a run's working time, with the total time if that differs. Pure. */
export function runTimeText(tree: RunTree, now: number): string {
  const worked = workedMs(tree, now);
  const whole = (tree.endedAt ?? now) - tree.startedAt;
  if (whole - worked <= second) return durationText(worked);
  return `${durationText(worked)} working, ${durationText(whole)} in total`;
}

/**
 * Formats the time left for a decision, in whole minutes or, below one minute, exactly. Returns undefined if
 * no time is left. Pure.
 */
export function timeLeft(expires: number, now: number): string | undefined {
  const left = expires - now;
  if (left <= 0) return undefined;
  return durationText(left < minute ? left : Math.floor(left / minute) * minute);
}
