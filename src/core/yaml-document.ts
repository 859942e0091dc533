import { EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException, type Event } from 'js-yaml';
import { unsafeKeys, type Json } from './json.ts';
import type { YamlFault } from './yaml.ts';

/** A YAML document of any shape as JSON, its plain numbers and truths as such. */
export interface YamlDocument {
  readonly ok: true;
  readonly value: Json;
  /** The one-based line on which a part begins; of a part that is not there, that of the nearest one around it. */
  lineOf(path: readonly (string | number)[]): number;
}

const deepest = 40; // levels

/** One YAML document as data, every part with its line: no tags, anchors, aliases or repeated keys. */
export function parseYamlDocument(source: string): YamlDocument | YamlFault {
  try {
    return build(parseEvents(source, { maxDepth: deepest }), source);
  } catch (thrown) {
    if (thrown instanceof Refusal)
      return { ok: false, why: 'syntax', message: thrown.message, line: lineAt(source, thrown.offset) };
    if (!(thrown instanceof YAMLException)) throw thrown;
    return { ok: false, why: 'syntax', message: thrown.reason, line: (thrown.mark?.line ?? 0) + 1 };
  }
}

/** Stops the building of a document; caught in `parseYamlDocument` and nowhere else. */
class Refusal extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

type Path = readonly (string | number)[];

function build(events: readonly Event[], source: string): YamlDocument {
  const places = new Map<string, number>();
  let at = 1; // past the start of the document
  let offset = 0;

  function take(): Event | undefined {
    const event = events[at++];
    if (event === undefined || event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.POP)
      return undefined;
    offset = Math.max(offset, offsetOf(event));
    if (event.anchorStart >= 0) throw new Refusal('anchors and aliases are not read', offset);
    if (event.type !== EVENT_ID.ALIAS && event.tagStart >= 0) throw new Refusal('tags are not read', offset);
    return event;
  }

  function readNode(path: Path): Json {
    const event = take();
    const key = JSON.stringify(path);
    if (!places.has(key)) places.set(key, offset);
    if (event?.type === EVENT_ID.SCALAR) return scalarOf(getScalarValue(source, event), event.style);
    if (event?.type === EVENT_ID.SEQUENCE) return readSequence(path);
    return event?.type === EVENT_ID.MAPPING ? readMapping(path) : null;
  }

  function readSequence(path: Path): Json {
    const items: Json[] = [];
    while (!isAtEnd()) items.push(readNode([...path, items.length]));
    at++;
    return items;
  }

  function readMapping(path: Path): Json {
    const fields: Record<string, Json> = {};
    while (!isAtEnd()) {
      const event = take();
      if (event?.type !== EVENT_ID.SCALAR) throw new Refusal('a key is not plain text', offset);
      const key = getScalarValue(source, event).toWellFormed();
      if (unsafeKeys.has(key)) throw new Refusal(`the key "${key}" is not read`, offset);
      if (Object.hasOwn(fields, key)) throw new Refusal(`the key "${key}" stands there twice`, offset);
      places.set(JSON.stringify([...path, key]), offset);
      fields[key] = readNode([...path, key]);
    }
    at++;
    return fields;
  }

  function isAtEnd(): boolean {
    return (events[at]?.type ?? EVENT_ID.POP) === EVENT_ID.POP;
  }

  const value = events.length === 0 ? null : readNode([]);
  if (events.length > at + 1) throw new Refusal('there is a second document', source.length);
  return {
    ok: true,
    value,
    lineOf(path) {
      for (let length = path.length; length >= 0; length--) {
        const place = places.get(JSON.stringify(path.slice(0, length)));
        if (place !== undefined) return lineAt(source, place);
      }
      return 1;
    },
  };
}

function offsetOf(event: Event): number {
  if ('valueStart' in event) return event.valueStart;
  return 'start' in event ? event.start : -1;
}

const number = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;

/** By the core schema of YAML 1.2: what is not plain is text. */
function scalarOf(text: string, style: (typeof SCALAR_STYLE)[keyof typeof SCALAR_STYLE]): Json {
  if (style !== SCALAR_STYLE.PLAIN) return text.toWellFormed();
  if (/^(?:|~|null|Null|NULL)$/.test(text)) return null;
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  return number.test(text) && Number.isFinite(Number(text)) ? Number(text) : text.toWellFormed();
}

function lineAt(source: string, offset: number): number {
  return source.slice(0, Math.max(0, offset)).split('\n').length;
}
