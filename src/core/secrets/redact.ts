import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { createKnownSecrets, type Stretch } from './known-secrets.ts';
import { findSecretShapes, isShapeOpenAtEnd } from './shapes.ts';

/** A redactor for text that arrives in arbitrary chunks. */
export interface StreamRedactor {
  /** Adds a chunk and returns the text that can be shown safely. May buffer the end of the chunk. */
  push(text: string): string;
  /** Returns the remaining buffered text, redacted. */
  end(): string;
}

const maxTries = 4; // The maximum number of cut positions to try, starting at the end of the text.

/**
 * Creates a redactor for one stream. Its concatenated output equals the redacted full text, provided that no
 * secret, including the text that introduces it, is longer than `longest` characters. The redactor buffers
 * the last word, and more only if a secret may have started.
 */
export function createStreamRedactor(redact: Redact, longest: number): StreamRedactor {
  // Buffer one more character, because it can determine where a secret ends.
  const ahead = Math.max(1, longest) + 1;
  // Scan only after enough text has arrived, because scanning each small chunk would be slow.
  const step = Math.ceil(ahead / 16);
  let held = '';
  let enough = ahead + step; // The number of buffered characters that triggers a scan.

  const show = (cut: number): string | undefined => {
    const shown = redact(held.slice(0, cut));
    const rest = held.slice(cut);
    // Cutting here would split a secret.
    if (shown + redact(rest) !== redact(held)) return undefined;
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

/**
 * Yields the last few positions after `beyond` at which the text can be cut: outside secrets, after a space
 * or another character that cannot be part of a token.
 */
function* gaps(text: string, beyond: number, { isOpenAtEnd }: Redact): Iterable<number> {
  if (isOpenAtEnd === undefined) return;
  let tries = 0;
  for (let position = text.length; position > beyond && tries < maxTries; position -= 1) {
    if (!isGap(text.charCodeAt(position - 1)) || /[\ud800-\udbff]/.test(text.charAt(position - 1))) continue;
    tries += 1;
    if (!isOpenAtEnd(text.slice(0, position))) yield position;
  }
}

function isGap(code: number): boolean {
  return code <= 0x20 || code > 0x7e;
}

/** Returns the given cut position, or the preceding position if the cut would split a surrogate pair. */
function wholeCharacters(text: string, position: number): number {
  const isInside = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(position - 1, position + 1));
  return isInside ? position - 1 : position;
}

/** A function that removes secrets from text. Redacting text again has no further effect. */
export interface Redact {
  (text: string): string;
  /**
   * Whether a secret could start in the text and continue in the next chunk. The text must end with a space
   * or a non-ASCII character. If the method is absent, this is unknown.
   */
  isOpenAtEnd?(text: string): boolean;
}

const mark = '[redacted]';
const longestKnown = 40;
const maxKnown = 1_000;

/**
 * Creates a redactor for the given secrets, including their usual encodings, and for anything shaped like a
 * credential.
 */
export function createRedactor(secrets: Iterable<string>): Redact {
  const known = createKnownSecrets(secrets);
  const redactPart = (part: string): string =>
    replaceStretches(part, [...known.find(part), ...findSecretShapes(part)]);
  // Existing redaction marks are skipped.
  const redactOnce = (text: string): string =>
    text.includes(mark) ? text.split(mark).map(redactPart).join(mark) : redactPart(text);

  // Short texts without secrets. Every event has the same keys and many of the same names.
  const clean = new Set<string>();
  const redact = (text: string): string => {
    if (clean.has(text)) return text;
    let before = text;
    let after = redactOnce(before);
    if (after === text && text.length <= longestKnown) {
      if (clean.size >= maxKnown) clean.clear();
      clean.add(text);
    }
    // Removing a secret can join the text around it into another secret, so scan again.
    while (after !== before) [before, after] = [after, redactOnce(after)];
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
    if (start >= done) redacted += text.slice(done, start) + mark; // Overlapping ranges get a single mark.
    done = Math.max(done, end);
  }
  return redacted + text.slice(done);
}

/** Redacts the secrets in a value's strings and keys. Unchanged parts keep their object identity. */
export function redactJson(value: Json, redact: Redact): Json {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return redactList(value, redact);
  return isJsonObject(value) ? redactObject(value, redact) : value;
}

function redactList(list: readonly Json[], redact: Redact): readonly Json[] {
  let redacted: Json[] | undefined;
  for (const [index, before] of list.entries()) {
    const inner = redactJson(before, redact);
    if (Object.is(inner, before)) continue;
    redacted ??= [...list];
    redacted[index] = inner;
  }
  return redacted ?? list;
}

function redactObject(object: JsonObject, redact: Redact): JsonObject {
  const keys = Object.keys(object);
  if (keys.some((key) => redact(key) !== key)) return redactMembers(object, redact);
  let redacted: Record<string, Json> | undefined;
  for (const key of keys) {
    const before = object[key] as Json;
    const inner = redactJson(before, redact);
    if (Object.is(inner, before)) continue;
    redacted ??= { ...object };
    redacted[key] = inner;
  }
  return redacted ?? object;
}

/** Redacts an object whose keys contain secrets. */
function redactMembers(object: JsonObject, redact: Redact): JsonObject {
  const keys = redactKeys(Object.keys(object), redact);
  return Object.fromEntries(
    Object.entries(object).map(([key, inner]) => [keys.get(key) ?? key, redactJson(inner, redact)]),
  );
}

/** Returns new names for the keys that contain secrets. No two keys get the same name. */
function redactKeys(keys: readonly string[], redact: Redact): ReadonlyMap<string, string> {
  const changed = keys.map((key) => [key, redact(key)] as const).filter(([key, name]) => key !== name);
  const renamed = new Map<string, string>();
  if (changed.length === 0) return renamed;
  const taken = new Set(keys);
  for (const [key] of changed) taken.delete(key);
  const counts = new Map<string, number>();
  for (const [key, cleaned] of changed) {
    let name = cleaned;
    let count = counts.get(cleaned) ?? 1;
    while (taken.has(name)) name = `${cleaned} ${++count}`;
    counts.set(cleaned, count);
    taken.add(name);
    renamed.set(key, name);
  }
  return renamed;
}
