import type Ivm from 'isolated-vm';
import type { SnippetOrder } from './snippet-wire.ts';

const everyMs = 10;
const slackBytes = 32 * 2 ** 20;

/** Eyes on an isolate until they are told to stop. */
export interface IsolateWatch {
  isTimeUp(): boolean;
  stop(): void;
}

/**
 * Says once when the time of an isolate is up or its memory is used up. The isolate counts neither buffers that can grow nor
 * what the engine needs for itself, so the memory of the whole process is looked at: it may grow by twice the limit.
 */
export function watchIsolate(
  isolate: Ivm.Isolate,
  { timeoutMs, memoryBytes }: SnippetOrder,
  onTimeUp: () => void,
  onMemoryUsed: () => void,
): IsolateWatch {
  let isTimeUp = false;
  const mostResident = process.memoryUsage.rss() + 2 * memoryBytes + slackBytes;
  const deadline = setTimeout(() => {
    if (isolate.isDisposed) return; // its memory ran out in this moment
    isTimeUp = true;
    onTimeUp();
  }, timeoutMs);
  const look = setInterval(() => {
    const isLost = isolate.isDisposed && !isTimeUp; // only its memory limit disposes of it unasked
    if (!isLost && process.memoryUsage.rss() <= mostResident) return;
    stop();
    onMemoryUsed();
  }, everyMs);
  const stop = (): void => {
    clearTimeout(deadline);
    clearInterval(look);
  };
  return { isTimeUp: () => isTimeUp, stop };
}
