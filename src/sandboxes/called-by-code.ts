import { AsyncLocalStorage } from 'node:async_hooks';

const inside = new AsyncLocalStorage<true>();

/** Does something for the code of a skill, which waits for it. */
export function calledByCode<Value>(work: () => Value): Value {
  return inside.run(true, work);
}

/** Whether the code of a skill waits for what goes on here. */
export function isCalledByCode(): boolean {
  return inside.getStore() === true;
}
