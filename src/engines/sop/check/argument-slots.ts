import { asText, parseJson, type Json } from '../../../core/index.ts';
import { accepts, kindOf, type Accepted } from './accepted-values.ts';
import type { Intake } from './intake.ts';
import type { ArgumentSource } from './resolve-step.ts';

/** Which argument goes where, and what is wrong with that. */
export interface ArgumentLayout {
  readonly slots: readonly ArgumentSlot[];
  /** Arguments whose name was given before. */
  readonly repeated: readonly ArgumentSource[];
  /** Arguments for which there is no place. */
  readonly extra: readonly ArgumentSource[];
  /** Names of places that must be filled and are not. */
  readonly missing: readonly string[];
}

/** Puts arguments into the places of a command. Pure. */
export function layOut(intake: Intake, sources: readonly ArgumentSource[]): ArgumentLayout {
  if (intake.kind !== 'places') {
    const as = intake.kind === 'list' ? 'list' : 'text';
    const slot = { as, sources, accepted: intake.accepted } as const;
    return { slots: [slot], repeated: none, extra: none, missing: none };
  }
  const isNamed = sources.some(({ key }) => key !== undefined);
  return isNamed ? layOutNamed(intake, sources) : layOutRest(intake, sources, new Map());
}

const none: readonly never[] = [];

function layOutNamed(intake: Places, sources: readonly ArgumentSource[]): ArgumentLayout {
  const named = new Map<string, ArgumentSlot>();
  const repeated: ArgumentSource[] = [];
  for (const source of sources) {
    const { key } = source;
    if (key === undefined) continue;
    const accepted = intake.places.get(key) ?? {};
    if (named.has(key)) repeated.push(source);
    else named.set(key, { name: key, as: 'value', sources: [source], accepted });
  }
  const rest = sources.filter(({ key }) => key === undefined);
  return { ...layOutRest(intake, rest, named), repeated };
}

/** Puts arguments without a key into the places that no key has filled, one each unless a place takes them all. */
function layOutRest(
  { places, inOrder, required }: Places,
  sources: readonly ArgumentSource[],
  named: ReadonlyMap<string, ArgumentSlot>,
): ArgumentLayout {
  const slots: ArgumentSlot[] = [];
  let taken = 0;
  for (const name of inOrder) {
    if (taken === sources.length) break;
    if (named.has(name)) continue;
    const accepted = places.get(name) ?? {};
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

type Places = Intake & { readonly kind: 'places' };

function isList(accepted: Accepted): boolean {
  return accepted.kinds?.has('array') === true && !accepted.kinds.has('string');
}

/** What fills one place of a command: one value, several as one text, or the items of a list. */
export interface ArgumentSlot {
  /** Of the place; absent when it is the whole input. */
  readonly name?: string;
  readonly as: 'value' | 'text' | 'list';
  readonly sources: readonly ArgumentSource[];
  readonly accepted: Accepted;
}

/** The input that slots make: an object of those with a name, or the one without. Pure. */
export function fillSlots(slots: readonly ArgumentSlot[], read: (source: ArgumentSource) => Json): Json {
  const [whole] = slots;
  if (whole !== undefined && whole.name === undefined) return fillSlot(whole, read);
  return Object.fromEntries(slots.map((slot) => [slot.name ?? '', fillSlot(slot, read)]));
}

/** The value that fills a slot. Pure. */
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

/** Several values as one text, with a blank in between; what is no text is written as JSON. */
export function joinValues(values: readonly Json[]): string {
  return values.map((value) => asText(value)).join(' ');
}

/** All values as one: none as nothing, one as it is unless only text is accepted, several as one text. */
function asOne(accepted: Accepted, values: readonly Json[]): Json {
  const [only, ...more] = values;
  if (only === undefined) return accepts(accepted, 'string') || !accepts(accepted, 'object') ? '' : {};
  if (more.length > 0) return retypeValue(accepted, joinValues(values));
  const value = retypeValue(accepted, only);
  return accepts(accepted, kindOf(value)) || !accepts(accepted, 'string') ? value : joinValues([value]);
}

/**
 * Text as what a place accepts, where that is no text: a number, true, false, null, or a list or an object in JSON. A
 * number, true and false as text, where only that is accepted. Any other value as it is. Pure.
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
  return Number.isFinite(number) ? number || 0 : undefined; // never minus zero
}
