import {
  isJsonObject,
  visible,
  type Approval,
  type ApprovalRequest,
  type Json,
  type JsonObject,
  type OpenQuestion,
} from '../core/index.ts';

/** A form for a question, with a function that reads the answer. */
export interface QuestionForm {
  readonly message: string;
  /** The JSON Schema of an object without nested objects. */
  readonly schema: JsonObject;
  /** Returns the answer in the content of a form, or undefined if the content is not a valid answer. */
  read(content: Readonly<Record<string, unknown>>): Json | Approval | undefined;
}

/**
 * Builds the form for a question. Its fields are never nested, because clients cannot show nested fields.
 * Pure.
 */
export function questionForm(question: OpenQuestion): QuestionForm {
  const { asks, path, text, schema, options = [] } = question;
  if (asks !== undefined) return approvalForm(asks, path);
  const message = path.length === 0 ? text : `${path.map(visible).join(' › ')} asks: ${text}`;
  if (options.length > 0) return oneField(message, { type: 'string', enum: [...options] });
  if (schema === undefined) return oneField(message, { type: 'string' });
  if (isFlat(schema)) return oneField(message, schema);
  const fields = flatFields(schema);
  if (fields !== undefined) return manyFields(message, schema, fields);
  const described = { type: 'string', description: `JSON that matches ${JSON.stringify(schema)}` };
  return { ...oneField(message, described), read: ({ answer }) => parsed(answer) };
}

const once = 'once';
const forRun = 'for this run';
const no = 'no';

/**
 * Builds the form for an approval, which shows the exact call and the reason why the call needs an approval.
 */
function approvalForm(asks: ApprovalRequest, path: readonly string[]): QuestionForm {
  const call = [...path, asks.skill].map(visible).join(' › ');
  const lines = [visible(asks.reason), `Call: ${call}`, `Input: ${shown(asks.input)}`];
  const longer =
    asks.each === true ? [] : [`"${forRun}" allows every call that matches the rule ${asks.rule}.`];
  const choices = asks.each === true ? [once, no] : [once, forRun, no];
  return {
    message: [...lines, ...longer].join('\n'),
    schema: {
      type: 'object',
      properties: {
        decision: { type: 'string', enum: choices, description: 'Whether to allow the call.' },
        reason: { type: 'string', description: 'The reason for a denial, shown to the caller.' },
      },
      required: ['decision'],
    },
    read: ({ decision, reason }) => {
      if (decision === once) return { allow: 'once' };
      if (decision === forRun && asks.each !== true) return { allow: 'run' };
      if (decision !== no) return undefined;
      return {
        deny:
          typeof reason === 'string' && reason.trim() !== '' ? reason.trim() : 'The user denied the call.',
      };
    },
  };
}

const maxCharacters = 4_000;

function shown(input: Json): string {
  const all = visible(JSON.stringify(input));
  if (all.length <= maxCharacters) return all;
  return `${all.slice(0, maxCharacters).toWellFormed()}… (${all.length - maxCharacters} more characters)`;
}

function oneField(message: string, field: JsonObject): QuestionForm {
  const schema: JsonObject = { type: 'object', properties: { answer: field }, required: ['answer'] };
  return {
    message,
    schema,
    read: ({ answer }) => answer as Json | undefined,
  };
}

function manyFields(message: string, { required }: JsonObject, properties: JsonObject): QuestionForm {
  const needed = Array.isArray(required) ? { required } : {};
  const schema: JsonObject = { type: 'object', properties, ...needed };
  return { message, schema, read: (content) => content as JsonObject };
}

/**
 * Returns the properties of an object schema if clients can show a form field for each of them, otherwise
 * undefined.
 */
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

/** Whether clients can show a form field for a schema. */
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
    return undefined; // The answer is invalid, so the question is asked again.
  }
}
