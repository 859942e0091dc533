import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { didYouMean } from '../core/names.ts';
import { defaultRunLimits } from '../core/run.ts';
import { defaultSkillLimits } from '../skills/limits.ts';

/** Says where a value has the wrong shape, and what is expected there. */
export type Complain = (path: string, expected: string) => void;

/** The value with everything left out that has the wrong shape; undefined when nothing of it can be used. */
type Shape = (value: Json, path: string, complain: Complain) => Json | undefined;

/** One settings file with its known parts in the right shape; what is unknown here stays for others to read. */
export function fitSettings(layer: JsonObject, complain: Complain): JsonObject {
  const fitted = settings(layer, '', complain);
  return isJsonObject(fitted) ? fitted : {};
}

const limitNames = [...Object.keys(defaultSkillLimits), ...Object.keys(defaultRunLimits), 'tokens', 'money'];

const words = leaf(
  'a list of words',
  (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
);
const flag = leaf('true or false', (value) => typeof value === 'boolean');
const anything = leaf('an object', isJsonObject);
const wholeNumber = leaf('a whole number', (value) => Number.isSafeInteger(value) && Number(value) >= 0);
const amount = leaf('a number from 0 up', (value) => Number.isFinite(value) && Number(value) >= 0);
const setting = leaf(
  'text, or {"env": "NAME"} for a secret',
  (value) => typeof value === 'string' || isReference(value),
);
const secret = leaf('{"env": "NAME"}; a secret is never written into the settings', isReference);

const settings = objectOf({
  skills: objectOf({
    entries: mapOf(objectOf({ enabled: flag, env: mapOf(setting), apiKey: secret, config: anything })),
    allowBundled: words,
    only: words,
    except: words,
    allowOverrideBundled: words,
  }),
  plugins: words,
  allowSymlinkTargets: words,
  limits: fitMembers((key) => {
    if (key === 'money') return amount;
    return limitNames.includes(key) ? wholeNumber : unknownLimit(key);
  }),
});

/** A misspelt limit would silently not apply. */
function unknownLimit(key: string): Shape {
  const near = didYouMean(key, limitNames);
  return leaf(`the name of a limit${near === undefined ? '' : ` (${near.replace('?', '')})`}`, () => false);
}

function isReference(value: Json): boolean {
  return isJsonObject(value) && typeof value['env'] === 'string' && value['env'].trim() !== '';
}

function leaf(expected: string, fits: (value: Json) => boolean): Shape {
  return (value, path, complain) => {
    if (fits(value)) return value;
    complain(path, expected);
    return undefined;
  };
}

/** An object whose members are all of one shape. */
function mapOf(member: Shape): Shape {
  return fitMembers(() => member);
}

/** An object with known members; others are kept as they are. */
function objectOf(members: Readonly<Record<string, Shape>>): Shape {
  return fitMembers((key) => (Object.hasOwn(members, key) ? members[key] : undefined));
}

function fitMembers(shapeOf: (key: string) => Shape | undefined): Shape {
  return (value, path, complain) => {
    if (!isJsonObject(value)) return anything(value, path, complain);
    const fitted = Object.entries(value).flatMap(([key, inner]): [string, Json][] => {
      const shape = shapeOf(key);
      const kept = shape === undefined ? inner : shape(inner, path === '' ? key : `${path}.${key}`, complain);
      return kept === undefined ? [] : [[key, kept]];
    });
    return Object.fromEntries(fitted);
  };
}
