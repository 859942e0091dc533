import { createContext, Script, type Context } from 'node:vm';

let place: Context | undefined;
let program: Script | undefined;

/** Does work that the text of a stranger could make endless, and stops it after so many milliseconds: it throws then. */
export function stopLate<Value>(milliseconds: number, work: () => Value): Value {
  place ??= createContext(Object.create(null) as Context);
  program ??= new Script('work()');
  place['work'] = work;
  return program.runInContext(place, { timeout: milliseconds }) as Value;
}
