import { didYouMean, isJsonObject, type Json, type JsonObject } from '../../core/index.ts';

/** The definition of one setting. Validation, schema, documentation and explanations are derived from it. */
export interface Setting {
  /** The setting's member names, joined by dots. */
  readonly key: string;
  readonly shape: Shape;
  /** The setting's description, as one sentence. */
  readonly description: string;
  readonly default?: Json;
  /** A description of the default, if it is not a fixed value. */
  readonly byDefault?: string;
  /** The environment variable that sets this setting. */
  readonly variable?: string;
  /** The flag that sets this setting, if there is one. */
  readonly flag?: string;
  /** Set for lists that are merged across all layers. Other values are replaced by the higher layer. */
  readonly adds?: true;
  /**
   * Set for maps whose entries are replaced as a whole instead of merged. The user's entries take precedence
   * over the project's.
   */
  readonly wholeEntries?: true;
  /**
   * Restricts the values that project files may set, since a project may come from an untrusted author.
   * Absent if all values are allowed.
   */
  readonly inProject?: ProjectRule;
}

/** Defines which values of a setting a project may set. */
export interface ProjectRule {
  /** Whether a project may set this value. `own` is the value without the project's settings, if any. */
  mayBe(value: Json, own?: Json): boolean;
  /** The reason for the rule, as one sentence. */
  readonly reason: string;
}

/** Reports an invalid value, given its path and a description of the expected value. */
export type Complain = (path: string, expected: string, fault?: SettingFault) => void;

/** Further details about an invalid value. */
export interface SettingFault {
  /** The next step for the user, as a sentence. */
  readonly hint: string;
  readonly details: JsonObject;
}

/** The expected form of a value: a description, a JSON Schema, and a function that removes invalid parts. */
export interface Shape {
  /** A phrase that completes the sentence "It must be …". */
  readonly expected: string;
  readonly schema: JsonObject;
  /** Validates a value and removes its invalid parts. Returns undefined if no part is usable. */
  fit(value: Json, path: string, complain: Complain): Json | undefined;
  /** Returns the shape of a member, or undefined for an unknown key. */
  member?(key: string): Shape | undefined;
}

/** Creates a shape for a value that is validated only as a whole. */
export function leaf(expected: string, schema: JsonObject, fits: (value: Json) => boolean): Shape {
  return {
    expected,
    schema,
    fit(value, path, complain) {
      if (fits(value)) return value;
      complain(path, expected);
      return undefined;
    },
  };
}

/**
 * Creates a shape for a list. Invalid items are removed individually, so that one typo does not invalidate
 * the entire list.
 */
export function listOf(expected: string, item: Shape): Shape {
  return {
    expected,
    schema: { type: 'array', items: item.schema },
    fit(value, path, complain) {
      if (!Array.isArray(value)) {
        complain(path, expected);
        return undefined;
      }
      return value
        .map((one: Json, index) => item.fit(one, `${path}.${index}`, complain))
        .filter((one) => one !== undefined);
    },
  };
}

/** Creates a shape for an object whose members all have the same shape. */
export function mapOf(expected: string, member: Shape): Shape {
  const schema = { type: 'object', additionalProperties: member.schema };
  return shapeOfObject({ expected, schema }, () => member);
}

/** The rules for validating an object's members. */
interface Strictness {
  /** A description of the expected keys. If set, unknown keys are errors; otherwise, they are kept. */
  readonly names?: string;
  /** The required members, without which the object is unusable. */
  readonly needs?: readonly string[];
}

/** Creates a shape for an object with known members. */
export function objectOf(members: Readonly<Record<string, Shape>>, { names, needs }: Strictness = {}): Shape {
  const expected = needs === undefined ? 'an object' : `an object with ${needs.join(' and ')}`;
  const properties = Object.fromEntries(Object.entries(members).map(([key, shape]) => [key, shape.schema]));
  const schema = {
    type: 'object',
    properties,
    ...(names === undefined ? {} : { additionalProperties: false }),
    ...(needs === undefined ? {} : { required: needs }),
  };
  return shapeOfObject({ expected, schema, ...(needs === undefined ? {} : { needs }) }, (key) => {
    if (Object.hasOwn(members, key)) return members[key];
    return names === undefined ? undefined : unknownName(key, names, Object.keys(members));
  });
}

/** Creates a shape for a value that is either a plain value or an object. */
export function plainOr(plain: Shape, object: Shape): Shape {
  const expected = `${plain.expected}, or ${object.expected}`;
  return {
    expected,
    schema: { anyOf: [plain.schema, object.schema] },
    fit: (value, path, complain) =>
      isJsonObject(value)
        ? object.fit(value, path, complain)
        : plain.fit(value, path, (faultPath) => complain(faultPath, expected)),
    ...(object.member === undefined ? {} : { member: object.member }),
  };
}

/** Creates a shape that rejects unknown names, since a misspelled name would otherwise have no effect. */
function unknownName(key: string, names: string, known: readonly string[]): Shape {
  const near = didYouMean(key, known);
  return leaf(
    `the name of ${names}${near === undefined ? '' : ` (${near.replace('?', '')})`}`,
    {},
    () => false,
  );
}

function shapeOfObject(
  { expected, schema, needs = [] }: Pick<Shape, 'expected' | 'schema'> & Pick<Strictness, 'needs'>,
  member: (key: string) => Shape | undefined,
): Shape {
  return {
    expected,
    schema,
    member,
    fit(value, path, complain) {
      if (!isJsonObject(value)) {
        complain(path, expected);
        return undefined;
      }
      const fitted = Object.entries(value).flatMap(([key, inner]): [string, Json][] => {
        const shape = member(key);
        const below = path === '' ? key : `${path}.${key}`;
        const result = shape === undefined ? inner : shape.fit(inner, below, complain);
        return result === undefined ? [] : [[key, result]];
      });
      const isWhole = needs.every((key) => fitted.some(([name]) => name === key));
      if (isWhole) return Object.fromEntries(fitted);
      // Invalid members have already been reported, so only missing ones are reported here.
      if (needs.some((key) => !Object.hasOwn(value, key))) complain(path, expected);
      return undefined;
    },
  };
}
