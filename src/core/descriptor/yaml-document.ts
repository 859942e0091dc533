import type { Event, SCALAR_STYLE } from 'js-yaml';
import { unsafeKeys, type Json } from '../json.ts';
import { yamlParser } from '../package-files.ts';
import { lineAt } from '../text.ts';
import { walkYamlEvents, YamlRefusal, type YamlFault } from './yaml.ts';

/** A YAML document of any shape, converted to JSON, including plain numbers and booleans. */
export interface YamlDocument {
  readonly ok: true;
  readonly value: Json;
  /**
   * Returns the one-based line number where the value at a path begins. For a missing value, returns the line
   * of its nearest existing parent.
   */
  lineOf(path: readonly (string | number)[]): number;
}

const deepest = 40; // The maximum number of nesting levels.

/**
 * Parses one YAML document and records the line of every value. Tags, anchors, aliases and repeated keys are
 * not allowed.
 */
export function parseYamlDocument(source: string): YamlDocument | YamlFault {
  try {
    return build(yamlParser().parseEvents(source, { maxDepth: deepest }), source);
  } catch (thrown) {
    if (thrown instanceof YamlRefusal)
      return { ok: false, why: 'syntax', message: thrown.message, line: lineAt(source, thrown.offset) };
    if (!(thrown instanceof yamlParser().YAMLException)) throw thrown;
    return { ok: false, why: 'syntax', message: thrown.reason, line: (thrown.mark?.line ?? 0) + 1 };
  }
}

type Path = readonly (string | number)[];

function build(events: readonly Event[], source: string): YamlDocument {
  const { EVENT_ID, getScalarValue } = yamlParser();
  const offsets = new Map<string, number>();
  const walk = walkYamlEvents(events);

  function readNode(path: Path): Json {
    const event = walk.take();
    const key = JSON.stringify(path);
    if (!offsets.has(key)) offsets.set(key, walk.offset);
    if (event?.type === EVENT_ID.SCALAR) return scalarOf(getScalarValue(source, event), event.style);
    if (event?.type === EVENT_ID.SEQUENCE) return readSequence(path);
    return event?.type === EVENT_ID.MAPPING ? readMapping(path) : null;
  }

  function readSequence(path: Path): Json {
    const items: Json[] = [];
    while (!walk.isAtEnd()) items.push(readNode([...path, items.length]));
    walk.leave();
    return items;
  }

  function readMapping(path: Path): Json {
    const fields: Record<string, Json> = {};
    while (!walk.isAtEnd()) {
      const event = walk.take();
      if (event?.type !== EVENT_ID.SCALAR)
        throw new YamlRefusal('syntax', 'a key is not plain text', walk.offset);
      const key = getScalarValue(source, event).toWellFormed();
      if (unsafeKeys.has(key))
        throw new YamlRefusal('syntax', `the key "${key}" is not allowed`, walk.offset);
      if (Object.hasOwn(fields, key))
        throw new YamlRefusal('syntax', `the key "${key}" is repeated`, walk.offset);
      offsets.set(JSON.stringify([...path, key]), walk.offset);
      fields[key] = readNode([...path, key]);
    }
    walk.leave();
    return fields;
  }

  const value = events.length === 0 ? null : readNode([]);
  if (walk.hasMore) throw new YamlRefusal('syntax', 'there is a second document', source.length);
  return {
    ok: true,
    value,
    lineOf(path) {
      for (let length = path.length; length >= 0; length--) {
        const offset = offsets.get(JSON.stringify(path.slice(0, length)));
        if (offset !== undefined) return lineAt(source, offset);
      }
      return 1;
    },
  };
}

const number = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;

/** Converts a scalar according to the YAML 1.2 core schema. Quoted and block scalars remain text. */
function scalarOf(text: string, style: (typeof SCALAR_STYLE)[keyof typeof SCALAR_STYLE]): Json {
  if (style !== yamlParser().SCALAR_STYLE.PLAIN) return text.toWellFormed();
  if (/^(?:|~|null|Null|NULL)$/.test(text)) return null;
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  return number.test(text) && Number.isFinite(Number(text)) ? Number(text) : text.toWellFormed();
}
