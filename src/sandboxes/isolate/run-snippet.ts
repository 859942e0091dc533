import type Ivm from 'isolated-vm';
import { reasonOf } from '../../core/error.ts';
import { startWorkingTime, type WorkingTime } from '../process/work-clock.ts';
import { isolatePrelude } from './prelude.ts';
import type { FromIsolate, SnippetFailure, SnippetOrder } from './protocol.ts';

/** A snippet that has started. */
export interface RunningSnippet {
  /** Passes a function's result to the snippet: a value as JSON, or an error message. */
  answer(id: number, text: string, isFault: boolean): void;
}

interface Controls {
  begin(main: unknown, input: string): void;
  answer(id: number, text: string, isFault: boolean): void;
}

type Said =
  | readonly [kind: 'call', id: number, name: string, given: string]
  | readonly [kind: 'value' | 'nothing' | 'output' | 'threw', text: string, stack: string, log: string];

/**
 * Runs a snippet in its own isolate and reports the result once. If memory runs out, the process is
 * terminated too, because the isolate may no longer be controllable.
 */
export function runInIsolate(
  ivm: typeof Ivm,
  order: SnippetOrder,
  say: (message: FromIsolate) => void,
  endProcess: () => void,
): RunningSnippet {
  let isOver = false;
  let awaited = 1; // The number of pending tasks: the main function and all calls with unprocessed answers.
  let entered: Promise<void> = Promise.resolve();

  // Stop the snippet before reporting its result. If it does not stop, the host ends this process.
  const finish = async (message: FromIsolate): Promise<void> => {
    if (isOver) return;
    isOver = true;
    if (!isolate.isDisposed) isolate.dispose();
    await entered;
    watch.stop();
    say(message);
  };
  const fail = (failed: SnippetFailure, log = ''): void => void finish({ failed, log });
  const failForMemory = (): void => {
    say({ failed: { kind: 'memory' }, log: '' });
    endProcess();
  };

  const isolate = new ivm.Isolate({
    memoryLimit: Math.ceil(order.memoryBytes / 2 ** 20),
    onCatastrophicError: failForMemory,
  });
  const isLost = (): boolean => isolate.isDisposed && !isOver;
  const watch = watchSnippet(order, isLost, () => fail({ kind: 'time' }), failForMemory);

  const hear = (...said: Said): void => {
    if (isOver) return;
    if (said[0] === 'call') {
      const [, id, name, given] = said;
      awaited += 1;
      watch.pause();
      return say({ call: id, name, given });
    }
    const [kind, text, stack, log] = said;
    if (kind === 'value') void finish({ value: text, log });
    else if (kind === 'nothing') void finish({ value: text, isEmpty: true, log });
    else fail({ kind, message: text, ...lineOfStack(stack) }, log);
  };
  const context = isolate.createContextSync();
  const controls = context.evalClosureSync(
    isolatePrelude,
    [new ivm.Callback(hear, { ignored: true }), JSON.stringify(order.names), order.maxOutput, order.maxCalls],
    { result: { reference: true } },
  ) as Ivm.Reference<Controls>;
  const begin = controls.getSync('begin', { reference: true });
  const answer = controls.getSync('answer', { reference: true });

  const enter = async (entry: () => Promise<unknown>): Promise<void> => {
    try {
      await entry();
    } catch {
      if (isOver) return;
      if (isLost()) failForMemory();
      // anything else is a rejection that the snippet did not handle, which is allowed
    }
    awaited -= 1;
    if (awaited === 0) fail({ kind: 'waits' });
  };
  const compile = async (): Promise<Ivm.Script> => {
    try {
      return await isolate.compileScript(`(async function (input) {${order.code}\n})`, {
        filename: 'snippet',
      });
    } catch (thrown) {
      if (!isLost()) fail(syntaxFailure(thrown, order.code));
      throw thrown;
    }
  };

  entered = enter(async () => {
    const script = await compile();
    const main = await script.run(context, { reference: true });
    await begin.apply(undefined, [main.derefInto(), order.input]);
  });
  return {
    answer(id, text, isFault) {
      if (isOver) return;
      watch.go();
      entered = enter(() => answer.apply(undefined, [id, text, isFault]));
    },
  };
}

const everyMs = 10;
const slackBytes = 32 * 2 ** 20;

/**
 * Reports when a snippet has used up its time or memory, until monitoring is stopped. The clock pauses while
 * the snippet waits for the host. An isolate's own count excludes growable buffers and engine memory, so the
 * whole process may grow by about twice the limit.
 */
function watchSnippet(
  { timeoutMs, memoryBytes }: SnippetOrder,
  /** Whether the isolate was disposed because it exceeded its own limit. */
  isLost: () => boolean,
  onTimeUp: () => void,
  onMemoryUsed: () => void,
): WorkingTime {
  const maxResident = process.memoryUsage.rss() + 2 * memoryBytes + slackBytes;
  const look = setInterval(() => {
    if (isLost() || process.memoryUsage.rss() > maxResident) onMemoryUsed();
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

/** Describes the engine's syntax error in a snippet. */
function syntaxFailure(thrown: unknown, code: string): SnippetFailure {
  const message = reasonOf(thrown);
  const match = / \[snippet:(\d+):\d+\]$/.exec(message);
  // The number of lines in the snippet. The engine may report a later line.
  const last = code.split('\n').length;
  return {
    kind: 'syntax',
    message: match === null ? message : message.slice(0, match.index),
    ...(match === null ? {} : { line: Math.min(Number(match[1]), last) }),
  };
}

/** Finds the snippet's line number at the top of a stack trace, if there is one. */
function lineOfStack(stack: string): { readonly line?: number } {
  const match = /^ +at .*\bsnippet:(\d{1,7}):\d+/m.exec(stack);
  return match === null ? {} : { line: Number(match[1]) };
}
