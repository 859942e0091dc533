import { isJsonObject, type JsonObject } from '../../../core/index.ts';
import type { SopCommand } from '../index.ts';
import { acceptedBy, definitionOf, type Accepted } from './accepted-values.ts';

const maxParameters = 12;

/** Formats a command's usage, such as `add <a> <b> [<note>] [tags=<tags>]`. Pure. */
export function usageOf(command: string, intake: Intake): string {
  if (intake.kind !== 'parameters') return `${command} ${intake.kind === 'list' ? '<item>…' : '<text>'}`;
  const { parameters, inOrder, required } = intake;
  const byNameOnly = [...parameters.keys()].filter((name) => !inOrder.includes(name));
  const placeholders = [
    ...inOrder.map((name) => [name, `<${name}>`] as const),
    ...byNameOnly.map((name) => [name, `${name}=<${name}>`] as const),
  ].map(([name, placeholder]) => (required.includes(name) ? placeholder : `[${placeholder}]`));
  const shown =
    placeholders.length > maxParameters ? [...placeholders.slice(0, maxParameters), '…'] : placeholders;
  return [command, ...shown].join(' ');
}

/** The form of a command's arguments: one value, one list, or named parameters. */
export type Intake =
  | { readonly kind: 'whole' | 'list'; readonly accepted: Accepted }
  | {
      readonly kind: 'parameters';
      readonly accepted: Accepted;
      readonly parameters: ReadonlyMap<string, Accepted>;
      /** The parameters that positional arguments are assigned to, in order. */
      readonly inOrder: readonly string[];
      /** The required parameters without a default. */
      readonly required: readonly string[];
      /**
       * Whether each parameter can be validated separately, because the schema has no rules about
       * combinations.
       */
      readonly isSum: boolean;
    };

/** Determines from a schema how a command takes its arguments. Never throws. */
export function readIntake({ input, argumentNames }: Pick<SopCommand, 'input' | 'argumentNames'>): Intake {
  if (input === undefined) return { kind: 'whole', accepted: {} };
  const accepted = acceptedBy(input, input);
  const schema = definitionOf(input, input);
  const properties = schema['properties'];
  if (accepted.kinds?.has('object') === true && isJsonObject(properties)) {
    const parameters = readParameters(properties, argumentNames ?? [], input);
    if (parameters.size > 0 || schema['additionalProperties'] === false) {
      return {
        kind: 'parameters',
        accepted,
        parameters,
        inOrder: argumentNames ?? Object.keys(properties),
        required: requiredIn(schema, properties),
        isSum: Object.keys(schema).every((keyword) =>
          isIndependentKeyword(keyword, parameters.size, properties),
        ),
      };
    }
  }
  const isList = accepted.kinds?.has('array') === true && accepted.kinds.size === 1;
  return { kind: isList ? 'list' : 'whole', accepted };
}

const independentKeywords: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'title', 'description', '$schema', '$defs', 'definitions'],
]);

/**
 * Whether a schema keyword does not restrict how parameters can be combined. This includes
 * `additionalProperties` if every parameter is a declared property.
 */
function isIndependentKeyword(keyword: string, count: number, properties: JsonObject): boolean {
  const isClosed = keyword === 'additionalProperties' && count === Object.keys(properties).length;
  return isClosed || independentKeywords.has(keyword);
}

/** Whether a parameter with this name is declared. */
export function hasParameter(intake: Intake, name: string): boolean {
  return intake.kind === 'parameters' && intake.parameters.has(name);
}

function readParameters(
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
