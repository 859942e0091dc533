import type { SnippetOrder } from './snippet-wire.ts';
import { startWorkingTime, type WorkingTime } from './working-time.ts';

const everyMs = 10;
const slackBytes = 32 * 2 ** 20;

/**
 * Says when the time of a snippet is up, and when its memory is used up, until it is stopped. While it waits for the host,
 * its time stands still. An isolate counts neither buffers that can grow nor what the engine needs for itself, so the whole
 * process may grow by no more than twice the limit.
 */
export function watchSnippet(
  { timeoutMs, memoryBytes }: SnippetOrder,
  /** Whether the isolate went at a limit of its own. */
  isLost: () => boolean,
  onTimeUp: () => void,
  onMemoryUsed: () => void,
): WorkingTime {
  const mostResident = process.memoryUsage.rss() + 2 * memoryBytes + slackBytes;
  const look = setInterval(() => {
    if (isLost() || process.memoryUsage.rss() > mostResident) onMemoryUsed();
  }, everyMs);
  const time = startWorkingTime(timeoutMs, () => (isLost() ? onMemoryUsed() : onTimeUp()));
  return {
    ...time,
    stop() {
      clearInterval(look);
      time.stop();
    },
  };
}
