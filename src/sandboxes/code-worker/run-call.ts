import type { CodeFailure, ToWorker } from '../code/protocol.ts';
import { createHostFunctions, findJsonFault, say } from './host.ts';
import type { Leftovers } from './leftovers.ts';
import { taken } from './primordials.ts';

/** A call that has started. */
export interface RunningCall {
  readonly run: number;
  /** Allows the call, which starts as soon as its module is loaded. */
  go(): void;
  answer(call: number, value: unknown): void;
  refuse(call: number, message: string, code: string): void;
  abort(message: string): void;
  /** Ends the call with an error that its code did not catch. */
  break(thrown: unknown): void;
}

type Space = Readonly<Record<string, unknown>>;

const loaded = Object.create(null) as Record<string, Space>;

/** Calls a function of a module and reports the result once. */
export function runCall(
  order: Extract<ToWorker, readonly ['run', ...unknown[]]>,
  leftovers: Leftovers,
): RunningCall {
  const run = order[1];
  const most = order[7];
  const functions = createHostFunctions(run, order[5], most);
  const stop = new taken.Controller();
  const begun = Promise.withResolvers<undefined>();
  let isOver = false;
  let report: ((isFit: boolean) => void) | undefined;

  const finish = (kind: 'value' | 'failed', rest: string, mayBeFit = true): void => {
    if (isOver) return;
    isOver = true;
    functions.end();
    report = (isFit) => {
      report = undefined;
      say(`["${kind}",${run},${isFit ? 'true' : 'false'},${rest}]`);
    };
    // Idle pooled connections are still open resources, so check again after two turns of the event loop.
    if (mayBeFit && !leftovers.areNone()) taken.later(() => taken.later(() => report?.(leftovers.areNone())));
    else report(mayBeFit);
  };
  const fail = (why: CodeFailure, thrown: unknown, mayBeFit = true): void => {
    const { message, stack } = describeFault(thrown);
    finish(
      'failed',
      `"${why}",${taken.stringify(message) ?? '""'},${taken.stringify(stack) ?? '""'}`,
      mayBeFit,
    );
  };
  const give = (value: unknown): void => {
    try {
      const fault = findJsonFault(value);
      if (fault !== undefined) return fail('not-json', fault);
      const text = taken.stringify(value) ?? 'null';
      if (text.length > most) fail('large', text.length);
      else finish('value', text);
    } catch (thrown) {
      fail('threw', thrown); // Reading the returned value threw an error.
    }
  };
  const load = async (module: string): Promise<Space | undefined> => {
    const url = taken.urlOf(module).href;
    try {
      const space = (await import(url)) as Space;
      loaded[module] = space;
    } catch (thrown) {
      fail(isMissing(thrown, url) ? 'missing' : 'broken', thrown, false);
      return undefined;
    }
    leftovers.accept();
    say(`["loaded",${run}]`);
    await begun.promise;
    return loaded[module];
  };
  const work = async (): Promise<void> => {
    const space = loaded[order[2]] ?? (await load(order[2]));
    if (space === undefined) return;
    const action = taken.hasOwn(space, order[3]) ? space[order[3]] : undefined;
    if (typeof action !== 'function') {
      fail('absent', order[3]);
      return;
    }
    leftovers.begin();
    let end: () => void;
    try {
      const call = action as (input: unknown, scope: unknown) => unknown;
      const value = await call(inputFor(call, order[4]), {
        ...order[6],
        ...functions.all,
        signal: stop.signal,
      });
      end = () => give(value);
    } catch (thrown) {
      end = () => fail('threw', thrown);
    }
    taken.later(end); // Delay the end, so that an abandoned promise still rejects during this call.
  };
  void work();
  return {
    run,
    go: () => begun.resolve(undefined),
    answer: functions.answer,
    refuse: functions.refuse,
    abort: (message) => stop.abort(new taken.Fault(message)),
    break(thrown) {
      fail('threw', thrown, false);
      report?.(false);
    },
  };
}

// The first parameter is `{ promptText }`, or an object from which the function reads `promptText`.
const readsPromptText =
  /^(?:async\s*)?(?:function\s*)?[\w$]*\s*\(?\s*(?:\{[^)]*\bpromptText\b|([\w$]+)\b[^]*(?:\b\1\s*\??\.\s*promptText\b|\bpromptText\b[^{}]*\}\s*=\s*\1\b))/;
const maxSource = 20_000;

/**
 * Returns the input of a call. If the function expects `{ promptText }` and the input is text or missing,
 * wraps the input in that object.
 */
function inputFor(action: (...given: never) => unknown, input: unknown): unknown {
  if (typeof input !== 'string' && input !== null) return input;
  const source = taken.slice(taken.sourceOf(action), 0, maxSource);
  if (taken.indexOf(source, 'promptText') < 0 || taken.match(readsPromptText, source) === null) return input;
  return { promptText: input ?? '' };
}

/**
 * Returns whether the module itself is missing. Returns false if only a module that it imports is missing.
 */
function isMissing(thrown: unknown, url: string): boolean {
  const { code, url: sought } = (thrown ?? {}) as { readonly code?: unknown; readonly url?: unknown };
  return code === 'ERR_MODULE_NOT_FOUND' && sought === url;
}

const maxMessage = 4000;
const maxStack = 8000;

/** Describes a thrown value of any type. The stack is empty if the value has none. */
function describeFault(thrown: unknown): { readonly message: string; readonly stack: string } {
  try {
    if (typeof thrown !== 'object' || thrown === null)
      return { message: thrown === '' ? 'it threw an empty text' : cut(thrown, maxMessage), stack: '' };
    const { name, message, stack } = thrown as Partial<Record<'name' | 'message' | 'stack', unknown>>;
    const kind = typeof name === 'string' && name !== '' && name !== 'Error' ? `${name}: ` : '';
    const text = typeof message === 'string' && message !== '' ? message : undefined;
    const said = text === undefined ? contentOf(thrown, name) : `${kind}${text}${causeOf(thrown, text)}`;
    return {
      message: cut(said, maxMessage),
      stack: typeof stack === 'string' ? cut(stack, maxStack) : '',
    };
  } catch {
    // Reading the thrown value threw an error too.
    return { message: 'something that cannot be read', stack: '' };
  }
}

/**
 * Describes an object that has no message by its JSON, or by its name if its JSON is empty, as for most
 * errors.
 */
function contentOf(thrown: object, name: unknown): string {
  const json = taken.stringify(thrown) ?? '{}';
  if (json !== '{}' && json !== '[]') return json;
  return `${typeof name === 'string' && name !== '' ? name : 'an object'} without a message${causeOf(thrown, '')}`;
}

/**
 * Describes an error's cause if the message does not contain it. For example, only the cause explains why
 * `fetch` failed.
 */
function causeOf(thrown: { readonly cause?: unknown }, text: string): string {
  const { cause } = thrown;
  if (typeof cause !== 'object' || cause === null) return '';
  const { message, code } = cause as Partial<Record<'message' | 'code', unknown>>;
  const why = typeof message === 'string' && message !== '' ? message : code;
  return typeof why === 'string' && taken.indexOf(text, why) < 0 ? `: ${why}` : '';
}

function cut(value: unknown, most: number): string {
  return taken.slice(taken.text(value), 0, most);
}
