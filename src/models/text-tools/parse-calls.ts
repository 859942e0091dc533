import {
  isJsonObject,
  parseJson,
  reasonOf,
  type Json,
  type JsonObject,
  type ToolCall,
} from '../../core/index.ts';

/** A parsed tool call without an id. */
export type WrittenCall = Omit<ToolCall, 'id'>;

/**
 * Parses the calls in a call block, which contains one object, an array, or one object per line. Text that
 * cannot be parsed becomes a call with an error.
 */
export function callsInBlock(text: string): readonly WrittenCall[] {
  const value = parseJson(text);
  if (value === undefined) return callsIn(text.trim().split('\n'), parseJson) ?? [unreadable(text)];
  const values = Array.isArray(value) ? (value as readonly Json[]) : [value];
  return callsIn(values, (one) => one) ?? [unreadable(text)];
}

/** Parses each item as a call. Returns undefined if there are no items or if one of them is not a call. */
function callsIn<Item>(
  items: readonly Item[],
  valueOf: (item: Item) => Json | undefined,
): readonly WrittenCall[] | undefined {
  const calls: WrittenCall[] = [];
  for (const item of items) {
    const call = callOf(valueOf(item));
    if (call === undefined) return undefined;
    calls.push(call);
  }
  return calls.length === 0 ? undefined : calls;
}

/**
 * Returns the call in JSON text that may also be an ordinary answer. Returns undefined unless it names a
 * known tool.
 */
export function callInAnswer(text: string, known: ReadonlySet<string>): WrittenCall | undefined {
  const value = parseJson(text);
  if (value === undefined) return known.has(nameIn(text) ?? '') ? unreadable(text) : undefined;
  const call = callOf(value);
  return call !== undefined && known.has(call.name) && hasOnlyCall(value) ? call : undefined;
}

const nameKeys = ['tool', 'name'];
const inputKeys = ['input', 'arguments', 'parameters', 'args'];
const otherKeys = ['type', 'id'];

function callOf(given: Json | undefined): WrittenCall | undefined {
  const value = unwrapped(given);
  if (!isJsonObject(value)) return undefined;
  const name = nameKeys
    .map((key) => value[key])
    .find((candidate) => typeof candidate === 'string' && candidate !== '');
  if (typeof name !== 'string') return undefined;
  const inputKey = inputKeys.find((key) => Object.hasOwn(value, key));
  return { name, input: inputKey === undefined ? restOf(value) : inputOf(value[inputKey]) };
}

/** Returns the call itself, because some models wrap it in another object. */
function unwrapped(value: Json | undefined): Json | undefined {
  const { function: inner } = isJsonObject(value) ? value : {};
  return isJsonObject(inner) ? inner : value;
}

/**
 * Returns the input of a call without an input property, because some models put the input's properties
 * next to the name.
 */
function restOf(value: JsonObject): JsonObject {
  const own = [...nameKeys, ...otherKeys];
  return Object.fromEntries(Object.entries(value).filter(([key]) => !own.includes(key)));
}

/** Parses the input of a call, because some models write it as a JSON string or omit it. */
function inputOf(input: Json | undefined): Json {
  const inner = typeof input === 'string' ? parseJson(input) : undefined;
  return isJsonObject(inner) ? inner : (input ?? {});
}

function hasOnlyCall(value: Json): boolean {
  const usual = [...nameKeys, ...inputKeys, ...otherKeys];
  return Object.keys(unwrapped(value) ?? {}).every((key) => usual.includes(key));
}

function unreadable(text: string): WrittenCall {
  return { name: nameIn(text) ?? 'unknown', input: text.trim(), fault: faultOf(text) };
}

function nameIn(text: string): string | undefined {
  return /^\s*\{\s*"(?:tool|name)"\s*:\s*"([^"\\]+)"/.exec(text)?.[1];
}

function faultOf(text: string): string {
  try {
    JSON.parse(text);
    return 'The block is not an object that names a tool.';
  } catch (thrown) {
    return `The block is not valid JSON: ${reasonOf(thrown).replace(/\s+/g, ' ').replace(/\.?$/, '.')}`;
  }
}
