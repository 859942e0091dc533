import { EVENT_ID, SCALAR_STYLE, YAMLException, getScalarValue, parseEvents, type Event } from 'js-yaml';
import { isJsonObject, unsafeKeys, type Json, type JsonObject } from '../json.ts';
import { lineAt } from '../text.ts';

/** How much frontmatter is read; past any of these the file is refused whole. */
export interface FrontmatterLimits {
  readonly frontmatterBytes: number;
  readonly frontmatterKeys: number;
  readonly frontmatterDepth: number;
}

/** The limits unless the caller sets others. */
export const defaultFrontmatterLimits: FrontmatterLimits = {
  frontmatterBytes: 65_536,
  frontmatterKeys: 200,
  frontmatterDepth: 8,
};

/** A part of a document that was not taken over, and the one-based line it stands on. */
export interface Skipped {
  readonly what: 'repeated' | 'unsafe' | 'document';
  readonly key: string;
  readonly line: number;
}

/** One YAML mapping as data. */
export interface YamlMapping {
  readonly ok: true;
  readonly value: JsonObject;
  readonly skipped: readonly Skipped[];
  /** All keys at any depth. */
  readonly keyCount: number;
  /** The one-based line of a key of the outermost mapping. */
  lineOf(key: string): number | undefined;
}

/** Why YAML text says nothing: `syntax` can be repaired as text, `limit` is final. */
export interface YamlFault {
  readonly ok: false;
  readonly why: 'syntax' | 'limit';
  readonly message: string;
  /** One-based. */
  readonly line: number;
}

/** One YAML mapping as data: no tags, anchors, aliases, merges or second documents; the first of two keys counts. */
export function parseYaml(source: string, limits: FrontmatterLimits): YamlMapping | YamlFault {
  try {
    return build(parseEvents(source, { maxDepth: limits.frontmatterDepth + 64 }), source, limits);
  } catch (thrown) {
    if (thrown instanceof YamlRefusal)
      return { ok: false, why: thrown.why, message: thrown.message, line: lineAt(source, thrown.offset) };
    if (!(thrown instanceof YAMLException)) throw thrown;
    const line = (thrown.mark?.line ?? 0) + 1;
    if (thrown.reason.startsWith('nesting exceeded'))
      return { ok: false, why: 'limit', message: tooDeep(limits), line };
    return { ok: false, why: 'syntax', message: thrown.reason, line };
  }
}

function build(events: readonly Event[], source: string, limits: FrontmatterLimits): YamlMapping {
  const skipped: Skipped[] = [];
  const topKeys = new Map<string, number>();
  const walk = walkYamlEvents(events);
  let keyCount = 0;

  function readNode(depth: number): Json {
    const event = walk.take();
    if (event?.type === EVENT_ID.SCALAR) {
      const text = getScalarValue(source, event);
      if (event.style === SCALAR_STYLE.PLAIN) return isNull(text) ? null : text;
      return event.fast ? text : text.toWellFormed(); // an escape can spell half a character
    }
    if (event !== undefined && depth > limits.frontmatterDepth)
      throw new YamlRefusal('limit', tooDeep(limits), walk.offset);
    if (event?.type === EVENT_ID.SEQUENCE) return readSequence(depth);
    return event?.type === EVENT_ID.MAPPING ? readMapping(depth) : null;
  }

  function readSequence(depth: number): Json {
    const items: Json[] = [];
    while (!walk.isAtEnd()) items.push(readNode(depth + 1));
    walk.leave();
    return items;
  }

  function readMapping(depth: number): Json {
    const fields: Record<string, Json> = {};
    while (!walk.isAtEnd()) {
      const key = readKey();
      const keyOffset = walk.offset;
      const value = readNode(depth + 1);
      const isRepeated = Object.hasOwn(fields, key);
      if (isRepeated) skipped.push({ what: 'repeated', key, line: lineAt(source, keyOffset) });
      if (unsafeKeys.has(key)) skipped.push({ what: 'unsafe', key, line: lineAt(source, keyOffset) });
      else if (!isRepeated || fields[key] === null) {
        fields[key] = value;
        if (depth === 1) topKeys.set(key, keyOffset);
      }
    }
    walk.leave();
    return fields;
  }

  function readKey(): string {
    const event = walk.take();
    if (event?.type !== EVENT_ID.SCALAR)
      throw new YamlRefusal('syntax', 'a key is not plain text', walk.offset);
    if (++keyCount > limits.frontmatterKeys) {
      throw new YamlRefusal('limit', tooManyKeys(limits), walk.offset);
    }
    return getScalarValue(source, event).toWellFormed();
  }

  const value = events.length === 0 ? {} : (readNode(1) ?? {});
  if (!isJsonObject(value)) throw new YamlRefusal('syntax', 'it is not a list of keys and values', 0);
  if (walk.hasMore)
    skipped.push({ what: 'document', key: 'a second document', line: lineAt(source, walk.offset) + 1 });
  return {
    ok: true,
    value,
    skipped,
    keyCount,
    lineOf(key) {
      const found = topKeys.get(key);
      return found === undefined ? undefined : lineAt(source, found);
    },
  };
}

function isNull(plain: string): boolean {
  return plain === '' || plain === '~' || plain === 'null' || plain === 'Null' || plain === 'NULL';
}

/** What is said of frontmatter with more keys than allowed. */
export function tooManyKeys(limits: FrontmatterLimits): string {
  return `it has more than ${limits.frontmatterKeys} keys`;
}

function tooDeep(limits: FrontmatterLimits): string {
  return `it is nested deeper than ${limits.frontmatterDepth}`;
}

/** Stops the reading of a document; only those who begin to read one catch it. */
export class YamlRefusal extends Error {
  readonly why: 'syntax' | 'limit';
  readonly offset: number;

  constructor(why: 'syntax' | 'limit', message: string, offset: number) {
    super(message);
    this.why = why;
    this.offset = offset;
  }
}

/** The events of the first document, one after the other. */
interface YamlEvents {
  /** Where in the text the last one was that was taken. */
  readonly offset: number;
  /** Whether something stands behind what was taken. */
  readonly hasMore: boolean;
  /** The next one, or undefined where a value is missing; throws for tags, anchors and aliases. */
  take(): Event | undefined;
  /** Whether the list or mapping that is being read has no more in it. */
  isAtEnd(): boolean;
  /** Goes past the end of a list or mapping. */
  leave(): void;
}

/** Goes through events from the start of their document. */
export function walkYamlEvents(events: readonly Event[]): YamlEvents {
  let at = 1; // past the start of the document
  let offset = 0;
  return {
    get offset() {
      return offset;
    },
    get hasMore() {
      return events.length > at + 1;
    },
    take() {
      const event = events[at++];
      if (event === undefined || event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.POP)
        return undefined;
      offset = Math.max(offset, offsetOf(event));
      if (event.anchorStart >= 0) throw new YamlRefusal('syntax', 'anchors and aliases are not read', offset);
      if (event.type !== EVENT_ID.ALIAS && event.tagStart >= 0)
        throw new YamlRefusal('syntax', 'tags are not read', offset);
      return event;
    },
    isAtEnd: () => (events[at]?.type ?? EVENT_ID.POP) === EVENT_ID.POP,
    leave() {
      at++;
    },
  };
}

function offsetOf(event: Event): number {
  if ('valueStart' in event) return event.valueStart;
  return 'start' in event ? event.start : -1;
}
