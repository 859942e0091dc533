import { asText, parseJson, type Json } from '../../../core/index.ts';
import { accepts, kindOf, type Accepted } from './accepted-values.ts';
import type { Intake } from './intake.ts';
import type { ArgumentSource } from './resolve-step.ts';

/** An assignment of arguments to parameters, and the problems with it. */
export interface ArgumentLayout {
  readonly slots: readonly ArgumentSlot[];
  /** Named arguments whose name was already used. */
  readonly repeated: readonly ArgumentSource[];
  /** Arguments for which there is no parameter. */
  readonly extra: readonly ArgumentSource[];
  /** The names of required parameters that receive no argument. */
  readonly missing: readonly string[];
}

/** Assigns arguments to a command's parameters. Pure. */
export function layOut(intake: Intake, sources: readonly ArgumentSource[]): ArgumentLayout {
  if (intake.kind !== 'parameters') {
    const as = intake.kind === 'list' ? 'list' : 'text';
    const slot = { as, sources, accepted: intake.accepted } as const;
    return { slots: [slot], repeated: none, extra: none, missing: none };
  }
  const isNamed = sources.some(({ key }) => key !== undefined);
  return isNamed ? layOutNamed(intake, sources) : layOutRest(intake, sources, new Map());
}

const none: readonly never[] = [];

function layOutNamed(intake: ParameterIntake, sources: readonly ArgumentSource[]): ArgumentLayout {
  const named = new Map<string, ArgumentSlot>();
  const repeated: ArgumentSource[] = [];
  for (const source of sources) {
    const { key } = source;
    if (key === undefined) continue;
    const accepted = intake.parameters.get(key) ?? {};
    if (named.has(key)) repeated.push(source);
    else named.set(key, { name: key, as: 'value', sources: [source], accepted });
  }
  const rest = sources.filter(({ key }) => key === undefined);
  return { ...layOutRest(intake, rest, named), repeated };
}

/**
 * Assigns positional arguments to the parameters without a named argument. Each parameter takes one argument,
 * except that a single text parameter and a final list parameter take all remaining arguments.
 */
function layOutRest(
  { parameters, inOrder, required }: ParameterIntake,
  sources: readonly ArgumentSource[],
  named: ReadonlyMap<string, ArgumentSlot>,
): ArgumentLayout {
  const slots: ArgumentSlot[] = [];
  let taken = 0;
  for (const name of inOrder) {
    if (taken === sources.length) break;
    if (named.has(name)) continue;
    const accepted = parameters.get(name) ?? {};
    const isJoined = inOrder.length === 1 && accepts(accepted, 'string');
    const isRest = isJoined || (name === inOrder.at(-1) && isList(accepted));
    const end = isRest ? sources.length : taken + 1;
    const as = isJoined ? 'text' : isRest ? 'list' : 'value';
    slots.push({ name, as, sources: sources.slice(taken, end), accepted });
    taken = end;
  }
  slots.push(...named.values());
  const isFilled = (name: string): boolean => slots.some((slot) => slot.name === name);
  return {
    slots,
    repeated: none,
    extra: sources.slice(taken),
    missing: required.filter((name) => !isFilled(name)),
  };
}

type ParameterIntake = Intake & { readonly kind: 'parameters' };

function isList(accepted: Accepted): boolean {
  return accepted.kinds?.has('array') === true && !accepted.kinds.has('string');
}

/** The arguments of one parameter: a single value, values that are joined as text, or the items of a list. */
export interface ArgumentSlot {
  /** The name of the parameter. Absent if the arguments are the entire input. */
  readonly name?: string;
  readonly as: 'value' | 'text' | 'list';
  readonly sources: readonly ArgumentSource[];
  readonly accepted: Accepted;
}

/**
 * Builds the input from its slots: an object with a property for each named slot, or the value of the only
 * unnamed slot. Pure.
 */
export function fillSlots(slots: readonly ArgumentSlot[], read: (source: ArgumentSource) => Json): Json {
  const [whole] = slots;
  if (whole !== undefined && whole.name === undefined) return fillSlot(whole, read);
  return Object.fromEntries(slots.map((slot) => [slot.name ?? '', fillSlot(slot, read)]));
}

/** Returns the combined value of the arguments in a slot. Pure. */
export function fillSlot(
  { as, sources, accepted }: ArgumentSlot,
  read: (source: ArgumentSource) => Json,
): Json {
  const values = sources.map(read);
  const [only = ''] = values;
  if (as === 'text') return asOne(accepted, values);
  if (as === 'value') return retypeValue(accepted, only);
  const [source] = sources;
  if (source !== undefined && sources.length === 1) {
    const list = retypeValue({ kinds: new Set(['array']) }, only);
    if (source.kind !== 'text' || Array.isArray(list)) return list;
  }
  return values.map((value) => retypeValue(accepted.items ?? {}, value));
}

/** Joins several values as text, separated by spaces. Values other than text become JSON. */
export function joinValues(values: readonly Json[]): string {
  return values.map((value) => asText(value)).join(' ');
}

/**
 * Combines values into one. Without values, returns an empty string or object. A single value is converted if
 * its type is not accepted. Several values are joined as text.
 */
function asOne(accepted: Accepted, values: readonly Json[]): Json {
  const [only, ...more] = values;
  if (only === undefined) return accepts(accepted, 'string') || !accepts(accepted, 'object') ? '' : {};
  if (more.length > 0) return retypeValue(accepted, joinValues(values));
  const value = retypeValue(accepted, only);
  return accepts(accepted, kindOf(value)) || !accepts(accepted, 'string') ? value : joinValues([value]);
}

/**
 * Converts a value to a type that a parameter accepts. Text becomes a number, true, false, null, or a JSON
 * list or object. A number or boolean becomes text if only text is accepted. Returns any other value
 * unchanged. Pure.
 */
function retypeValue(accepted: Accepted, value: Json): Json {
  if (typeof value === 'string') return accepts(accepted, 'string') ? value : retypeText(accepted, value);
  const isScalar = typeof value === 'number' || typeof value === 'boolean';
  return isScalar && !accepts(accepted, kindOf(value)) && accepts(accepted, 'string') ? String(value) : value;
}

const numeral = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function retypeText(accepted: Accepted, text: string): Json {
  const written = text.trim();
  const value = numeral.test(written) ? finite(Number(written)) : parseJson(written);
  if (value === undefined || typeof value === 'string') return text;
  return accepts(accepted, kindOf(value)) ? value : text;
}

function finite(number: number): number | undefined {
  return Number.isFinite(number) ? number || 0 : undefined; // Converts negative zero to zero.
}
