import { withoutHidden } from '../../../core/text.ts';
import { isJsonObject, type Json } from '../../../core/json.ts';
import type { Signature } from './skill-commands.ts';

const longest = 300; // characters of a description, and of the arguments

/** Commands as a planner reads them, one to a line: how they are written, and what they are for. */
export function describeCommands(commands: readonly Signature[]): string {
  return commands.map(describe).join('\n');
}

function describe({ name, description = '', isLiteral, ...command }: Signature): string {
  const words = [name, ...placesOf(command)].join(' ');
  return `- ${onOneLine(words)}: ${onOneLine(description)}${isLiteral === true ? ' Its arguments are written out: no $references.' : ''}`;
}

/** Nothing that a skill says of itself can pass for another command. */
function onOneLine(text: string): string {
  const line = withoutHidden(text).replace(/\s+/g, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest - 1).trimEnd()}…` : line;
}

/** `<needed:type>` and `[may be left out:type]`, in the order of arguments. */
function placesOf({ input, argumentNames }: Omit<Signature, 'name'>): readonly string[] {
  const properties = input?.['properties'];
  if (input === undefined || !isJsonObject(properties)) return ['<text>'];
  const required: Json = input['required'] ?? [];
  return (argumentNames ?? Object.keys(properties)).map((name) => {
    const type = typeOf(Object.hasOwn(properties, name) ? properties[name] : undefined);
    const place = type === undefined ? name : `${name}:${type}`;
    return Array.isArray(required) && required.includes(name) ? `<${place}>` : `[${place}]`;
  });
}

function typeOf(schema: Json | undefined): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { enum: choices, type } = schema;
  if (Array.isArray(choices)) return choices.map((choice) => String(choice)).join('|');
  return typeof type === 'string' && type !== 'string' ? type : undefined;
}
