import { didYouMean, isJsonObject, type Json, type JsonObject } from '../../core/index.ts';

/** Everything that is known of one setting; checks, schema, documentation and explanations all come from it. */
export interface Setting {
  /** Names of members, joined by dots. */
  readonly key: string;
  readonly shape: Shape;
  /** One sentence. */
  readonly description: string;
  readonly default?: Json;
  /** What happens without it, in words, where that is no value. */
  readonly byDefault?: string;
  /** The environment variable that sets it. */
  readonly variable?: string;
  /** The flag that sets it, where a command has it. */
  readonly flag?: string;
  /** Set for lists that are joined over all layers; any other value is replaced by the higher layer. */
  readonly adds?: true;
  /** Set for maps whose entries are never mixed: each is that of one layer, and those of the user go before those of a project. */
  readonly wholeEntries?: true;
  /** What files of a project may say, when that is not everything; whoever made the project may be a stranger. */
  readonly inProject?: ProjectRule;
}

/** What of a setting counts although it comes with a project. */
export interface ProjectRule {
  /** `own` is what would hold without the project; absent where nothing would. */
  mayBe(value: Json, own?: Json): boolean;
  /** One sentence. */
  readonly reason: string;
}

/** Says where a value has the wrong shape, and what is expected there. */
export type Complain = (path: string, expected: string, fault?: SettingFault) => void;

/** What else is known of a wrong value. */
export interface SettingFault {
  /** The next step, as a sentence. */
  readonly hint: string;
  readonly details: JsonObject;
}

/** What a value must be: in words, as JSON Schema, and as the function that leaves out whatever is not so. */
export interface Shape {
  /** The end of a sentence that begins with "It must be". */
  readonly expected: string;
  readonly schema: JsonObject;
  /** Undefined when nothing of the value can be used. */
  fit(value: Json, path: string, complain: Complain): Json | undefined;
  /** What lies below under a key; undefined where nothing is known of it. */
  member?(key: string): Shape | undefined;
}

/** One value without parts that could be wrong by themselves. */
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

/** A list; what is wrong in it is left out one by one, so that a slip does not take the rest away. */
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

/** An object whose members are all of one shape. */
export function mapOf(expected: string, member: Shape): Shape {
  const schema = { type: 'object', additionalProperties: member.schema };
  return shapeOfObject({ expected, schema }, () => member);
}

/** How strict an object is. */
interface Strictness {
  /** What its keys name, when a key that is not known is a mistake; other keys are kept as they are without it. */
  readonly names?: string;
  /** Without these nothing of it can be used. */
  readonly needs?: readonly string[];
}

/** An object with known members. */
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

/** A value of one shape, or an object of the other. */
export function plainOr(plain: Shape, object: Shape): Shape {
  const expected = `${plain.expected}, or ${object.expected}`;
  return {
    expected,
    schema: { anyOf: [plain.schema, object.schema] },
    fit: (value, path, complain) =>
      isJsonObject(value)
        ? object.fit(value, path, complain)
        : plain.fit(value, path, (place) => complain(place, expected)),
    ...(object.member === undefined ? {} : { member: object.member }),
  };
}

/** A misspelt name would silently not apply. */
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
        const kept = shape === undefined ? inner : shape.fit(inner, below, complain);
        return kept === undefined ? [] : [[key, kept]];
      });
      const isWhole = needs.every((key) => fitted.some(([name]) => name === key));
      if (isWhole) return Object.fromEntries(fitted);
      // A member that is there and wrong was complained of already.
      if (needs.some((key) => !Object.hasOwn(value, key))) complain(path, expected);
      return undefined;
    },
  };
}
