import type { Event } from 'js-yaml';
import { isJsonObject, unsafeKeys, type Json, type JsonObject } from '../json.ts';
import { yamlParser } from '../package-files.ts';
import { lineAt } from '../text.ts';

/** Limits for frontmatter; a file that exceeds any of them is rejected entirely. */
export interface FrontmatterLimits {
  readonly frontmatterBytes: number;
  readonly frontmatterKeys: number;
  readonly frontmatterDepth: number;
}

/** The default limits for frontmatter. */
export const defaultFrontmatterLimits: FrontmatterLimits = {
  frontmatterBytes: 65_536,
  frontmatterKeys: 200,
  frontmatterDepth: 8,
};

/** A part of a document that was skipped, with its one-based line number. */
export interface Skipped {
  readonly what: 'repeated' | 'unsafe' | 'merge' | 'document';
  readonly key: string;
  readonly line: number;
}

/** A parsed YAML mapping. */
export interface YamlMapping {
  readonly ok: true;
  readonly value: JsonObject;
  readonly skipped: readonly Skipped[];
  /** The number of keys at any depth. */
  readonly keyCount: number;
  /** Whether a key in the outermost mapping has no written value. `null` and `~` are written values. */
  isBlank(key: string): boolean;
  /** Returns the one-based line number of a key in the outermost mapping. */
  lineOf(key: string): number | undefined;
}

/**
 * The reason why YAML text could not be parsed. `syntax` errors can be repaired by treating values as plain
 * text; `limit` errors cannot be repaired.
 */
export interface YamlFault {
  readonly ok: false;
  readonly why: 'syntax' | 'limit';
  readonly message: string;
  /** The one-based line number of the error. */
  readonly line: number;
}

/**
 * Parses one YAML mapping. Tags, anchors and aliases are not allowed. Merge keys and second documents are
 * skipped. If a key is repeated, the first value other than null is used.
 */
export function parseYaml(source: string, limits: FrontmatterLimits): YamlMapping | YamlFault {
  // The parser accepts lone surrogates in quoted text.
  if (!source.isWellFormed())
    return { ok: false, why: 'syntax', message: 'the text contains invalid Unicode', line: 1 };
  try {
    return build(
      yamlParser().parseEvents(source, { maxDepth: limits.frontmatterDepth + 64 }),
      source,
      limits,
    );
  } catch (thrown) {
    if (thrown instanceof YamlRefusal)
      return { ok: false, why: thrown.why, message: thrown.message, line: lineAt(source, thrown.offset) };
    if (!(thrown instanceof yamlParser().YAMLException)) throw thrown;
    const line = (thrown.mark?.line ?? 0) + 1;
    if (thrown.reason.startsWith('nesting exceeded'))
      return { ok: false, why: 'limit', message: tooDeep(limits), line };
    return { ok: false, why: 'syntax', message: thrown.reason, line };
  }
}

function build(events: readonly Event[], source: string, limits: FrontmatterLimits): YamlMapping {
  const { EVENT_ID, SCALAR_STYLE, getScalarValue } = yamlParser();
  const skipped: Skipped[] = [];
  const topKeys = new Map<string, number>();
  const emptyKeys = new Set<string>();
  const walk = walkYamlEvents(events);
  let keyCount = 0;
  let isNothing = true; // Whether the source omits the last value.

  function readNode(depth: number): Json {
    const event = walk.take();
    isNothing = event === undefined;
    if (event?.type === EVENT_ID.SCALAR) {
      const text = getScalarValue(source, event);
      isNothing = text === '';
      if (event.style === SCALAR_STYLE.PLAIN) return isNull(text) ? null : text;
      // Replace lone surrogates, which escape sequences can create.
      return event.fast ? text : text.toWellFormed();
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
      const { key, isMerge } = readKey();
      const keyOffset = walk.offset;
      const value = readNode(depth + 1);
      if (isMerge) {
        skipped.push({ what: 'merge', key, line: lineAt(source, keyOffset) });
        continue;
      }
      const isRepeated = Object.hasOwn(fields, key);
      if (isRepeated) skipped.push({ what: 'repeated', key, line: lineAt(source, keyOffset) });
      if (unsafeKeys.has(key)) skipped.push({ what: 'unsafe', key, line: lineAt(source, keyOffset) });
      else if (!isRepeated || fields[key] === null) {
        fields[key] = value;
        if (depth !== 1) continue;
        topKeys.set(key, keyOffset);
        if (value === null && isNothing) emptyKeys.add(key);
        else emptyKeys.delete(key);
      }
    }
    walk.leave();
    return fields;
  }

  function readKey(): { readonly key: string; readonly isMerge: boolean } {
    const event = walk.take();
    if (event?.type !== EVENT_ID.SCALAR)
      throw new YamlRefusal('syntax', 'a key is not plain text', walk.offset);
    if (++keyCount > limits.frontmatterKeys) {
      throw new YamlRefusal('limit', tooManyKeys(limits), walk.offset);
    }
    const key = getScalarValue(source, event).toWellFormed();
    return { key, isMerge: key === '<<' && event.style === SCALAR_STYLE.PLAIN };
  }

  const value = events.length === 0 ? {} : (readNode(1) ?? {});
  if (!isJsonObject(value)) throw new YamlRefusal('syntax', 'it is not a mapping of keys to values', 0);
  if (walk.hasMore)
    skipped.push({ what: 'document', key: 'a second document', line: lineAt(source, walk.offset) + 1 });
  return {
    ok: true,
    value,
    skipped,
    keyCount,
    isBlank: (key) => emptyKeys.has(key),
    lineOf(key) {
      const found = topKeys.get(key);
      return found === undefined ? undefined : lineAt(source, found);
    },
  };
}

function isNull(plain: string): boolean {
  return plain === '' || plain === '~' || plain === 'null' || plain === 'Null' || plain === 'NULL';
}

/** Returns the message for frontmatter with too many keys. */
export function tooManyKeys(limits: FrontmatterLimits): string {
  return `it has more than ${limits.frontmatterKeys} keys`;
}

function tooDeep(limits: FrontmatterLimits): string {
  return `it is nested deeper than ${limits.frontmatterDepth} levels`;
}

/** An error that stops the parsing of a document. Only the function that started the parsing catches it. */
export class YamlRefusal extends Error {
  readonly why: 'syntax' | 'limit';
  readonly offset: number;

  constructor(why: 'syntax' | 'limit', message: string, offset: number) {
    super(message);
    this.why = why;
    this.offset = offset;
  }
}

/** A reader for the parser's events of the first YAML document. */
interface YamlEvents {
  /** The source offset of the last event that was read. */
  readonly offset: number;
  /** Whether there are more events to read. */
  readonly hasMore: boolean;
  /** Returns the next event, or undefined if a value is missing. Throws for tags, anchors and aliases. */
  take(): Event | undefined;
  /** Whether the current list or mapping has no more items. */
  isAtEnd(): boolean;
  /** Moves past the end of a list or mapping. */
  leave(): void;
}

/** Creates a reader that starts at a document's first event. */
export function walkYamlEvents(events: readonly Event[]): YamlEvents {
  const { EVENT_ID } = yamlParser();
  let at = 1; // Skips the event that starts the document.
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
      if (event.anchorStart >= 0)
        throw new YamlRefusal('syntax', 'anchors and aliases are not supported', offset);
      if (event.type !== EVENT_ID.ALIAS && event.tagStart >= 0)
        throw new YamlRefusal('syntax', 'tags are not supported', offset);
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
