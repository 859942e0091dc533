import { isJsonObject, type JsonObject } from '../../../core/index.ts';
import type { SopCommand } from '../index.ts';
import { acceptedBy, definitionOf, type Accepted } from './accepted-values.ts';

const mostPlaces = 12;

/** How a command is written with its arguments, such as `add <a> <b> [<note>] [tags=<tags>]`. Pure. */
export function usageOf(command: string, intake: Intake): string {
  if (intake.kind !== 'places') return `${command} ${intake.kind === 'list' ? '<item>…' : '<text>'}`;
  const { places, inOrder, required } = intake;
  const byNameOnly = [...places.keys()].filter((name) => !inOrder.includes(name));
  const words = [
    ...inOrder.map((name) => [name, `<${name}>`] as const),
    ...byNameOnly.map((name) => [name, `${name}=<${name}>`] as const),
  ].map(([name, word]) => (required.includes(name) ? word : `[${word}]`));
  const shown = words.length > mostPlaces ? [...words.slice(0, mostPlaces), '…'] : words;
  return [command, ...shown].join(' ');
}

/** How a command takes its arguments: all as one value, all as one list, or each in a place with a name. */
export type Intake =
  | { readonly kind: 'whole' | 'list'; readonly accepted: Accepted }
  | {
      readonly kind: 'places';
      readonly accepted: Accepted;
      readonly places: ReadonlyMap<string, Accepted>;
      /** Those that arguments without a key fill, in their order. */
      readonly inOrder: readonly string[];
      /** Those that must be filled: required, and without a default. */
      readonly required: readonly string[];
      /** Nothing is asked of them together, beyond what is asked of each. */
      readonly isSum: boolean;
    };

/** Reads from its schema how a command takes its arguments. Never throws. */
export function readIntake({ input, argumentNames }: Pick<SopCommand, 'input' | 'argumentNames'>): Intake {
  if (input === undefined) return { kind: 'whole', accepted: {} };
  const accepted = acceptedBy(input, input);
  const schema = definitionOf(input, input);
  const properties = schema['properties'];
  if (accepted.kinds?.has('object') === true && isJsonObject(properties)) {
    const places = placesIn(properties, argumentNames ?? [], input);
    if (places.size > 0 || schema['additionalProperties'] === false) {
      return {
        kind: 'places',
        accepted,
        places,
        inOrder: argumentNames ?? Object.keys(properties),
        required: requiredIn(schema, properties),
        isSum: Object.keys(schema).every((word) => isWordOfSums(word, places.size, properties)),
      };
    }
  }
  const isList = accepted.kinds?.has('array') === true && accepted.kinds.size === 1;
  return { kind: isList ? 'list' : 'whole', accepted };
}

const wordsOfSums: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'title', 'description', '$schema', '$defs', 'definitions'],
]);

/** That nothing else may be given holds where every place is a property. */
function isWordOfSums(word: string, places: number, properties: JsonObject): boolean {
  const isClosed = word === 'additionalProperties' && places === Object.keys(properties).length;
  return isClosed || wordsOfSums.has(word);
}

/** Whether an argument of this name is declared. */
export function hasPlace(intake: Intake, name: string): boolean {
  return intake.kind === 'places' && intake.places.has(name);
}

function placesIn(
  properties: JsonObject,
  names: readonly string[],
  root: JsonObject,
): ReadonlyMap<string, Accepted> {
  const declared = Object.entries(properties).map(
    ([name, schema]) => [name, acceptedBy(schema, root)] as const,
  );
  return new Map([...names.map((name) => [name, {}] as const), ...declared]);
}

function requiredIn(schema: JsonObject, properties: JsonObject): readonly string[] {
  const named = schema['required'];
  const names = Array.isArray(named) ? named.filter((name) => typeof name === 'string') : [];
  return names.filter((name) => !hasDefault(properties, name));
}

function hasDefault(properties: JsonObject, name: string): boolean {
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isJsonObject(property) && Object.hasOwn(property, 'default');
}
