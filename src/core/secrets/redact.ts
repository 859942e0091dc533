import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { createKnownSecrets, type Stretch } from './known-secrets.ts';
import { findSecretShapes, isShapeOpenAtEnd } from './shapes.ts';

/** Redacts a text that comes in pieces, cut anywhere. */
export interface StreamRedactor {
  /** What may be shown now that this piece is there; its end may come with a later piece. */
  push(text: string): string;
  /** The rest. */
  end(): string;
}

const mostTries = 4; // places to cut at, from the end

/**
 * A redactor for one stream: its pieces join to what redacting the whole would give, as long as no secret is longer
 * than `longest` characters, what introduces it included. It holds back the last word, and more only where a secret
 * may have begun.
 */
export function createStreamRedactor(redact: Redact, longest: number): StreamRedactor {
  const ahead = Math.max(1, longest) + 1; // whether a secret ends may depend on the character behind it
  const step = Math.ceil(ahead / 16); // looking at every character again for each small piece would be slow
  let held = '';
  let enough = ahead + step; // characters that make it worth looking

  const show = (cut: number): string | undefined => {
    const shown = redact(held.slice(0, cut));
    const rest = held.slice(cut);
    if (shown + redact(rest) !== redact(held)) return undefined; // a secret lies across the cut
    held = rest;
    enough = ahead + step;
    return shown;
  };
  return {
    push(text) {
      const before = held.length;
      held += text;
      for (const cut of gaps(held, before, redact)) {
        const shown = show(cut);
        if (shown !== undefined) return shown;
      }
      if (held.length < enough) return '';
      const shown = show(wholeCharacters(held, held.length - ahead));
      if (shown === undefined) enough = held.length + Math.max(step, (held.length - ahead) / 4);
      return shown ?? '';
    },
    end() {
      const rest = redact(held);
      held = '';
      return rest;
    },
  };
}

/** The last places beyond one, behind a blank or a character that stands in no token, where no secret goes on. */
function* gaps(text: string, beyond: number, { isOpenAtEnd }: Redact): Iterable<number> {
  if (isOpenAtEnd === undefined) return;
  let tries = 0;
  for (let place = text.length; place > beyond && tries < mostTries; place -= 1) {
    if (!isGap(text.charCodeAt(place - 1)) || /[\ud800-\udbff]/.test(text.charAt(place - 1))) continue;
    tries += 1;
    if (!isOpenAtEnd(text.slice(0, place))) yield place;
  }
}

function isGap(code: number): boolean {
  return code <= 0x20 || code > 0x7e;
}

/** The place, or the one before it when it lies within a character of two units. */
function wholeCharacters(text: string, place: number): number {
  const isInside = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(place - 1, place + 1));
  return isInside ? place - 1 : place;
}

/** Takes the secrets out of a text; doing it twice changes nothing more. */
export interface Redact {
  (text: string): string;
  /** Whether a secret may begin in a text that ends with a blank, or with a character beyond ASCII, and end behind it; unknown where it is absent. */
  isOpenAtEnd?(text: string): boolean;
}

const mark = '[redacted]';

/** A redactor for the given secrets, in the usual encodings, and for whatever has the shape of a credential. */
export function createRedactor(secrets: Iterable<string>): Redact {
  const known = createKnownSecrets(secrets);
  const redactOnce = (text: string): string =>
    text
      .split(mark) // what stands in for a secret is never looked into
      .map((part) => replaceStretches(part, [...known.find(part), ...findSecretShapes(part)]))
      .join(mark);

  const redact = (text: string): string => {
    let before = text;
    let after = redactOnce(before);
    while (after !== before) [before, after] = [after, redactOnce(after)]; // a shape may show once its neighbour is gone
    return after;
  };
  const isOpenAtEnd = (text: string): boolean => known.isOpenAtEnd(text) || isShapeOpenAtEnd(text);
  return Object.assign(redact, { isOpenAtEnd });
}

function replaceStretches(text: string, stretches: readonly Stretch[]): string {
  if (stretches.length === 0) return text;
  let redacted = '';
  let done = 0;
  for (const { start, end } of stretches.toSorted((one, other) => one.start - other.start)) {
    if (start >= done) redacted += text.slice(done, start) + mark; // one mark for those that overlap
    done = Math.max(done, end);
  }
  return redacted + text.slice(done);
}

/** A value without secrets in its texts and keys; parts without any are the same objects as before. */
export function redactJson(value: Json, redact: Redact): Json {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return redactList(value, redact);
  return isJsonObject(value) ? redactObject(value, redact) : value;
}

function redactList(list: readonly Json[], redact: Redact): readonly Json[] {
  const redacted = list.map((item) => redactJson(item, redact));
  return redacted.every((item, index) => Object.is(item, list[index])) ? list : redacted;
}

function redactObject(object: JsonObject, redact: Redact): JsonObject {
  const entries = Object.entries(object);
  const keys = redactKeys(Object.keys(object), redact);
  const redacted = entries.map(([key, inner]) => [keys.get(key) ?? key, redactJson(inner, redact)] as const);
  const isSame = redacted.every(
    ([key, inner], index) => key === entries[index]?.[0] && Object.is(inner, entries[index][1]),
  );
  return isSame ? object : Object.fromEntries(redacted);
}

/** The new names of the keys that change; no two keys get the same one. */
function redactKeys(keys: readonly string[], redact: Redact): ReadonlyMap<string, string> {
  const changed = keys.map((key) => [key, redact(key)] as const).filter(([key, name]) => key !== name);
  const renamed = new Map<string, string>();
  if (changed.length === 0) return renamed;
  const taken = new Set(keys);
  for (const [key] of changed) taken.delete(key);
  const counts = new Map<string, number>();
  for (const [key, wanted] of changed) {
    let name = wanted;
    let count = counts.get(wanted) ?? 1;
    while (taken.has(name)) name = `${wanted} ${++count}`;
    counts.set(wanted, count);
    taken.add(name);
    renamed.set(key, name);
  }
  return renamed;
}
