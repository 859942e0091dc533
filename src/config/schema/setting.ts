import { didYouMean, isJsonObject, type Json, type JsonObject } from '../../core/index.ts';

/** The definition of one setting. Validation, schema, documentation and explanations are derived from it. */
export interface Setting {
  /** The dotted path of the setting, such as `limits.depth`. */
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
  /**
   * Set for a list whose values from all layers are concatenated. For any other setting, the value
   * in a higher layer replaces the value in a lower one.
   */
  readonly adds?: true;
  /**
   * Set for a map whose entries are never merged with each other. The user's entry takes precedence
   * over the project's entry with the same key.
   */
  readonly wholeEntries?: true;
  /**
   * The rule for values in project files, since a project may come from an untrusted author. Absent
   * if a project may set any value.
   */
  readonly inProject?: ProjectRule;
}

/** A rule that restricts a setting's values in project files. */
export interface ProjectRule {
  /**
   * Returns whether a project may set this value. `own` is the value without the project's settings, if
   * any.
   */
  mayBe(value: Json, own?: Json): boolean;
  /** The reason for the rule, as one sentence. */
  readonly reason: string;
}

/** Reports an invalid value, given its path and a description of the expected value. */
export type Complain = (path: string, expected: string, fault?: SettingFault) => void;

/** A hint and details about an invalid value. */
export interface SettingFault {
  /** The next step for the user, as one sentence. */
  readonly hint: string;
  readonly details: JsonObject;
}

/** A description and validator for the values of a setting or of one of its properties. */
export interface Shape {
  /** A phrase that completes the sentence "It must be …". */
  readonly expected: string;
  readonly schema: JsonObject;
  /**
   * Validates a value and removes its invalid items and properties. Returns undefined if nothing valid is
   * left.
   */
  fit(value: Json, path: string, complain: Complain): Json | undefined;
  /** Returns the shape of a property, or undefined for an unknown key. */
  member?(key: string): Shape | undefined;
}

/** Creates a shape whose values are accepted or rejected as a whole. */
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
 * Creates a shape for a list. Only the invalid items are removed, so that one typo does not invalidate the
 * entire list.
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

/** Creates a shape for an object whose values all have the same shape. */
export function mapOf(expected: string, member: Shape): Shape {
  const schema = { type: 'object', additionalProperties: member.schema };
  return shapeOfObject({ expected, schema }, () => member);
}

/** Rules for the keys of an object. */
interface Strictness {
  /** A description of the valid keys. If set, unknown keys are errors; otherwise, they are kept. */
  readonly names?: string;
  /** The required keys. The object is invalid without them. */
  readonly needs?: readonly string[];
}

/** Creates a shape for an object with known keys. */
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

/** Creates a shape that rejects an unknown key, because a misspelled key would otherwise have no effect. */
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
      // Invalid properties have already been reported, so report only missing ones.
      if (needs.some((key) => !Object.hasOwn(value, key))) complain(path, expected);
      return undefined;
    },
  };
}
