import { taken } from './primordials.ts';

/** The host's functions that one call can use. */
interface HostFunctions {
  /** The functions, keyed by name. Each returns a promise and never throws. */
  readonly all: Readonly<Record<string, (...given: unknown[]) => Promise<unknown>>>;
  answer(call: number, value: unknown): void;
  refuse(call: number, message: string, code: string): void;
  /** Ends the call. From then on, all functions reject. */
  end(): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

let calls = 0;

/** Creates functions that send requests of at most `most` characters to the host. */
export function createHostFunctions(run: number, names: readonly string[], most: number): HostFunctions {
  let waiting = Object.create(null) as Record<number, Waiting>;
  let isOver = false;

  const ask = (name: string, given: readonly unknown[], waits: Waiting): void => {
    if (isOver)
      return waits.reject(faultOf(`${name} was called after the skill call had ended.`, 'skill.failed'));
    const fault = findJsonFault(given);
    if (fault !== undefined)
      return waits.reject(
        faultOf(`${name} received something that is not JSON: ${fault}.`, 'usage.bad-input'),
      );
    const text = taken.stringify(given) ?? '[]';
    if (text.length > most)
      return waits.reject(faultOf(`${name} received more than ${most} characters.`, 'limit.too-large'));
    calls += 1;
    waiting[calls] = waits;
    say(`["call",${run},${calls},${taken.stringify(name) ?? '""'},${text}]`);
  };
  const settle = (call: number, how: (waits: Waiting) => void): void => {
    const waits = waiting[call];
    if (waits === undefined) return;
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- the object has no prototype, and nothing else in it
    delete waiting[call];
    how(waits);
  };
  const functionOf =
    (name: string) =>
    (...given: unknown[]): Promise<unknown> => {
      const promise = new Promise<unknown>((resolve, reject) => {
        try {
          ask(name, trimmed(given), { resolve, reject });
        } catch {
          reject(faultOf(`${name} received something that cannot be read.`, 'usage.bad-input'));
        }
      });
      // Prevents an unhandled rejection if the skill ignores the promise.
      void taken.then(promise, undefined, () => undefined);
      return promise;
    };

  let all: HostFunctions['all'] = {};
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] ?? '';
    all = { ...all, [name]: functionOf(name) };
  }
  return {
    all,
    answer: (call, value) => settle(call, ({ resolve }) => resolve(value)),
    refuse: (call, message, code) => settle(call, ({ reject }) => reject(faultOf(message, code))),
    end() {
      isOver = true;
      waiting = Object.create(null) as Record<number, Waiting>;
    },
  };
}

/** Removes trailing arguments that are undefined. */
function trimmed(given: unknown[]): readonly unknown[] {
  while (given.length > 0 && given[given.length - 1] === undefined) given.length -= 1;
  return given;
}

function faultOf(message: string, code: string): Error {
  const fault = new taken.Fault(message) as Error & { code?: string };
  fault.code = code;
  return fault;
}

const channel = 3;
const cell = new Int32Array(new SharedArrayBuffer(4));

/** Writes a line to the host. Returns when the line is written. Ends the process if the host is gone. */
export function say(line: string): void {
  const bytes = taken.bytes(`${line}\n`);
  try {
    for (let at = 0; at < bytes.length; at += put(bytes, at));
  } catch {
    taken.end(); // Ends the process, because the channel to the host is closed.
  }
}

function put(bytes: Uint8Array, at: number): number {
  try {
    return taken.write(channel, bytes, at);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EAGAIN') throw thrown;
    taken.sleep(cell, 0, 0, 0.2); // The channel is full. Wait until the host has read some of it.
    return 0;
  }
}

const deepest = 60;

/**
 * Finds the first value inside a value that JSON cannot represent. Returns its path and its kind, or
 * undefined if there is none.
 */
export function findJsonFault(value: unknown): string | undefined {
  return faultAt(value, '', 0);
}

function faultAt(value: unknown, path: string, depth: number): string | undefined {
  if (value === null || value === undefined) return undefined;
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return taken.isFinite(value) ? undefined : at(path, taken.text(value));
    case 'object':
      break;
    default:
      return at(path, `a ${typeof value}`);
  }
  if (depth === deepest) return at(path, 'nested too deeply, or contains itself');
  if (taken.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const fault = faultAt(value[index], `${path}[${index}]`, depth + 1);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  return faultOfObject(value, path, depth);
}

function faultOfObject(value: object, path: string, depth: number): string | undefined {
  const prototype = taken.prototypeOf(value);
  if (prototype !== null && taken.prototypeOf(prototype) !== null) return at(path, `a ${nameOf(prototype)}`);
  const keys = taken.keys(value);
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? '';
    const fault = faultAt((value as Record<string, unknown>)[key], `${path}.${key}`, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function nameOf(prototype: object): string {
  const maker = taken.hasOwn(prototype, 'constructor') ? prototype.constructor : undefined;
  return typeof maker === 'function' && taken.hasOwn(maker, 'name')
    ? taken.text(maker.name)
    : 'class instance';
}

function at(path: string, what: string): string {
  const subject = path === '' ? 'it' : taken.slice(path[0] === '.' ? taken.slice(path, 1) : path, 0, 200);
  return `${subject} is ${what}`;
}
