import { AgentError } from '../../core/error.ts';
import { isJsonObject, type Json } from '../../core/json.ts';

/** What a way into a value leads to; where it breaks, how many of its keys led somewhere and to what. */
export type Reached =
  | { readonly found: true; readonly value: Json }
  | { readonly found: false; readonly depth: number; readonly last: Json };

/** Follows keys of objects and indices of lists, own members alone; text is never opened. Pure, never throws. */
export function lookInto(value: Json, keys: readonly string[]): Reached {
  let last = value;
  for (const [depth, key] of keys.entries()) {
    const next = memberOf(last, key);
    if (next === undefined) return { found: false, depth, last };
    last = next;
  }
  return { found: true, value: last };
}

/** The same for a way that must lead somewhere; throws `usage.bad-input` that names the reference and where it breaks. */
export function reachInto(variable: string, value: Json, keys: readonly string[]): Json {
  const reached = lookInto(value, keys);
  if (reached.found) return reached.value;
  const whole = ['$' + variable, ...keys].join('.');
  const good = ['$' + variable, ...keys.slice(0, reached.depth)].join('.');
  const missing = `"${keys[reached.depth] ?? ''}"`;
  throw new AgentError(
    'usage.bad-input',
    `${whole} leads nowhere: ${good} is ${kindOf(reached.last)} without ${missing}.`,
    { hint: `Refer to ${good}, or to something that is in it.` },
  );
}

function memberOf(value: Json, key: string): Json | undefined {
  if (isList(value)) return index.test(key) ? value[Number(key)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

const index = /^(?:0|[1-9]\d{0,9})$/;

function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (isList(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'text' : typeof value === 'number' ? 'a number' : String(value);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
