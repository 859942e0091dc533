import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { ApprovalRequest, Approval } from '../../core/policy.ts';
import type { OpenQuestion } from '../../core/run.ts';
import { visible } from '../../core/text.ts';

type Fields = ElicitRequestFormParams['requestedSchema'];

/** A question as a form of a client, and how what is filled in answers it. */
export interface QuestionForm {
  readonly message: string;
  readonly schema: Fields;
  /** What the content of the form answers; undefined where it answers nothing. */
  read(content: Readonly<Record<string, unknown>>): Json | Approval | undefined;
}

/** A question as a form with flat fields, which is all that clients can show. Pure. */
export function questionForm(question: OpenQuestion): QuestionForm {
  const { asks, path, text, schema, options = [] } = question;
  if (asks !== undefined) return approvalForm(asks, path);
  const message = path.length === 0 ? text : `${path.map(visible).join(' › ')} asks: ${text}`;
  if (options.length > 0) return oneField(message, { type: 'string', enum: [...options] });
  if (schema === undefined) return oneField(message, { type: 'string' });
  if (isFlat(schema)) return oneField(message, schema);
  const fields = flatFields(schema);
  if (fields !== undefined) return manyFields(message, schema, fields);
  const described = { type: 'string', description: `JSON that fits ${JSON.stringify(schema)}` };
  return { ...oneField(message, described), read: ({ answer }) => parsed(answer) };
}

const once = 'once';
const forRun = 'for this run';
const no = 'no';

/** Shows exactly what would be called, letter by letter, and why it is asked. */
function approvalForm(asks: ApprovalRequest, path: readonly string[]): QuestionForm {
  const call = [...path, asks.skill].map(visible).join(' › ');
  const lines = [visible(asks.reason), `Call: ${call}`, `Input: ${shown(asks.input)}`];
  const longer = asks.each === true ? [] : [`"${forRun}" allows every call under the rule ${asks.rule}.`];
  const choices = asks.each === true ? [once, no] : [once, forRun, no];
  return {
    message: [...lines, ...longer].join('\n'),
    schema: {
      type: 'object',
      properties: {
        decision: { type: 'string', enum: choices, description: 'Whether the call may happen.' },
        reason: { type: 'string', description: 'Why not; whoever called is told.' },
      },
      required: ['decision'],
    },
    read: ({ decision, reason }) => {
      if (decision === once) return { allow: 'once' };
      if (decision === forRun && asks.each !== true) return { allow: 'run' };
      if (decision !== no) return undefined;
      return {
        deny: typeof reason === 'string' && reason.trim() !== '' ? reason.trim() : 'The user said no.',
      };
    },
  };
}

const mostLetters = 4_000;

function shown(input: Json): string {
  const all = visible(JSON.stringify(input));
  if (all.length <= mostLetters) return all;
  return `${all.slice(0, mostLetters).toWellFormed()}… (${all.length - mostLetters} more characters)`;
}

function oneField(message: string, field: JsonObject): QuestionForm {
  const schema: JsonObject = { type: 'object', properties: { answer: field }, required: ['answer'] };
  return {
    message,
    schema: schema as unknown as Fields,
    read: ({ answer }) => answer as Json | undefined,
  };
}

function manyFields(message: string, { required }: JsonObject, properties: JsonObject): QuestionForm {
  const needed = Array.isArray(required) ? { required } : {};
  const schema: JsonObject = { type: 'object', properties, ...needed };
  return { message, schema: schema as unknown as Fields, read: (content) => content as JsonObject };
}

/** The members of an object all of which clients have fields for. */
function flatFields({ type, properties }: JsonObject): JsonObject | undefined {
  if (type !== 'object' || properties === undefined || !isJsonObject(properties)) return undefined;
  const fields = Object.values(properties);
  return fields.length > 0 && fields.every((field) => isJsonObject(field) && isFlat(field))
    ? properties
    : undefined;
}

const kinds = ['string', 'number', 'integer', 'boolean'];
const known = ['type', 'title', 'description', 'default', 'enum', 'enumNames', 'format'];
const bounds = ['minLength', 'maxLength', 'minimum', 'maximum'];

/** Whether a schema is one of those that clients have a field for. */
function isFlat(schema: JsonObject): boolean {
  const { type, enum: choices } = schema;
  if (typeof type !== 'string' || !kinds.includes(type)) return false;
  if (choices !== undefined && type !== 'string') return false;
  return Object.keys(schema).every((key) => known.includes(key) || bounds.includes(key));
}

function parsed(answer: unknown): Json | undefined {
  try {
    return typeof answer === 'string' ? (JSON.parse(answer) as Json) : undefined;
  } catch {
    return undefined; // it is asked again
  }
}
