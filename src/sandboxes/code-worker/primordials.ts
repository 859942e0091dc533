// This file saves built-ins before any skill code loads. Skill code can change the originals later, but not
// these copies. For the same reason, code in this folder never iterates, never spreads arrays, and never
// reads inherited properties.
import { writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const uncurry: <This, Given extends unknown[], Result>(
  method: (this: This, ...given: Given) => Result,
) => (self: This, ...given: Given) => Result = Function.prototype.bind.bind(Function.prototype.call);

/** The built-ins of JavaScript and Node that a worker needs while it runs untrusted code. */
export const taken = {
  parse: JSON.parse,
  stringify: JSON.stringify as (value: unknown) => string | undefined,
  isArray: Array.isArray as (value: unknown) => value is readonly unknown[],
  isFinite: Number.isFinite,
  hasOwn: Object.hasOwn,
  is: Object.is,
  keys: Object.keys,
  ownKeys: Reflect.ownKeys,
  prototypeOf: Object.getPrototypeOf as (value: object) => object | null,
  descriptorOf: Object.getOwnPropertyDescriptor,
  indexOf: uncurry(String.prototype.indexOf),
  match: uncurry(RegExp.prototype.exec),
  sourceOf: uncurry(Function.prototype.toString),
  slice: uncurry(String.prototype.slice),
  then: uncurry(Promise.prototype.then),
  text: String,
  bytes: Buffer.from.bind(Buffer) as (text: string) => Buffer,
  sleep: Atomics.wait as (
    cell: Int32Array<SharedArrayBuffer>,
    at: number,
    value: number,
    ms: number,
  ) => string,
  write: writeSync as (handle: number, bytes: Uint8Array, from: number) => number,
  urlOf: pathToFileURL,
  later: setImmediate as (callback: () => void) => unknown,
  folder: process.cwd.bind(process),
  resources: process.getActiveResourcesInfo.bind(process),
  end: process.kill.bind(process, process.pid, 'SIGKILL') as () => void,
  Controller: AbortController,
  Fault: Error,
} as const;
