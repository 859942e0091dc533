const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How long ago something was, in one unit: `just now`, `5 min ago`, `3 h ago`, `2 days ago`. Pure. */
export function agoText(milliseconds: number): string {
  if (milliseconds < minute) return 'just now';
  if (milliseconds < hour) return `${Math.floor(milliseconds / minute)} min ago`;
  if (milliseconds < day) return `${Math.floor(milliseconds / hour)} h ago`;
  const days = Math.floor(milliseconds / day);
  return days === 1 ? '1 day ago' : `${days.toLocaleString('en')} days ago`;
}
