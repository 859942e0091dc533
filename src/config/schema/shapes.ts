import { isAbsolute } from 'node:path';
import { hostPattern, isJsonObject, readServerEntry, type Json } from '../../core/index.ts';
import { leaf, listOf, mapOf, objectOf, plainOr, type Shape } from './setting.ts';

/** A list of texts. */
export const words = leaf(
  'a list of words',
  { type: 'array', items: { type: 'string' } },
  (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
);

/** A switch. */
export const flag = leaf('true or false', { type: 'boolean' }, (value) => typeof value === 'boolean');

/** A count that may be none. */
export const wholeNumber = leaf(
  'a whole number',
  { type: 'integer', minimum: 0 },
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
);

/** A count of at least one. */
export const positiveNumber = leaf(
  'a whole number from 1 up',
  { type: 'integer', minimum: 1 },
  (value) => Number.isSafeInteger(value) && Number(value) >= 1,
);

/** An amount with fractions. */
export const amount = leaf(
  'a number from 0 up',
  { type: 'number', minimum: 0 },
  (value) => Number.isFinite(value) && Number(value) >= 0,
);

/** A text that says something. */
const text = leaf('text', { type: 'string', minLength: 1 }, isText);
const free: Shape = { ...leaf('anything', {}, () => true), member: () => free };
const anything: Shape = { ...leaf('an object', { type: 'object' }, isJsonObject), member: () => free };

const reference = { type: 'object', properties: { env: { type: 'string' } }, required: ['env'] };
/** A text, or the name of the variable that holds it. */
const textOrReference = leaf(
  'text, or {"env": "NAME"} for a secret',
  { anyOf: [{ type: 'string' }, reference] },
  (value) => typeof value === 'string' || isReference(value),
);
const secret = leaf('{"env": "NAME"}; a secret is never written into the settings', reference, isReference);

/** A host that may be reached. */
const host = leaf(
  'a host such as "example.org", "*.example.org" or "localhost:8080", or "*" for all',
  { type: 'string', pattern: hostPattern.source },
  (value) => typeof value === 'string' && hostPattern.test(value),
);
/** A folder that may be read. */
const folder = leaf(
  'an absolute path, or one that starts with ~/',
  { type: 'string', pattern: '^(?:~/|/|[A-Za-z]:[/\\\\])' },
  (value) => typeof value === 'string' && (isAbsolute(value) || value.startsWith('~/')),
);

/** What may be done with the workspace. */
const workspaceAccess = leaf(
  '"read" or "write"',
  { enum: ['read', 'write'] },
  (value) => value === 'read' || value === 'write',
);

/** What applies to single skills, by their names. */
export const skillEntries = mapOf(
  'an object by names of skills',
  objectOf({
    enabled: flag,
    env: mapOf('an object by names of variables', textOrReference),
    apiKey: secret,
    config: anything,
    override: anything,
    hosts: listOf('a list of hosts', host),
    read: listOf('a list of folders', folder),
    workspace: workspaceAccess,
    processes: flag,
  }),
);

const modelNames = leaf(
  'a model or a list of models',
  {
    anyOf: [
      { type: 'string', minLength: 1 },
      { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 },
    ],
  },
  (value) => isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)),
);

/** Which models are used: for all, or for each tier. */
export const modelChoice = plainOr(modelNames, mapOf('an object of these by tier', modelNames));

/** The tier of each role. */
export const tiersOfRoles: Shape = {
  ...objectOf({ plan: text, execution: text, code: text, summary: text }, { names: 'a role' }),
  expected: 'an object of tiers by role',
};

const webAddress = leaf(
  'an http:// or https:// address without a password',
  { type: 'string', pattern: '^https?://[^@]+$' },
  (value) => typeof value === 'string' && /^https?:\/\/[^\s@]+$/.test(value) && URL.canParse(value),
);

/** The name of a variable, so that what it holds stays out of files. */
const variableName = leaf(
  'the name of an environment variable; a key is never written into the settings',
  { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$' },
  (value) => typeof value === 'string' && /^[A-Za-z_]\w*$/.test(value),
);

const toolProtocol = leaf(
  '"native" or "text"',
  { enum: ['native', 'text'] },
  (value) => value === 'native' || value === 'text',
);

/** Further servers by the name that stands before the slash of a model. */
export const namedProviders = mapOf(
  'an object of servers by name',
  objectOf({ baseUrl: webAddress, apiKeyEnv: variableName, tools: toolProtocol }, { needs: ['baseUrl'] }),
);

/** What models cost. */
export const modelPrices = mapOf(
  'an object of prices by model',
  objectOf(
    { input: amount, output: amount, cached: amount, cacheWrite: amount },
    { names: 'a price', needs: ['input', 'output'] },
  ),
);

/** Where runs are kept; only the environment may hold an address with a password. */
export const storeName = leaf(
  'a path, or a postgres:// address without a password',
  { type: 'string', minLength: 1 },
  isWithoutPassword,
);

/** Where records are kept; only the environment may hold an address with a password. */
export const databaseName = leaf(
  'a path, env:NAME, or a postgres:// address without a password',
  { type: 'string', minLength: 1 },
  isWithoutPassword,
);

function isWithoutPassword(value: Json): boolean {
  return isText(value) && !/^[a-z][a-z\d+.-]*:\/\/[^/@]*:[^/]*@/i.test(value);
}

function isText(value: Json): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isReference(value: Json): boolean {
  return isJsonObject(value) && typeof value['env'] === 'string' && value['env'].trim() !== '';
}

const kind = leaf(
  '"stdio" or "http"',
  { enum: ['stdio', 'http', 'streamable-http', 'streamableHttp'] },
  (value) => typeof value === 'string',
);

const oauth = objectOf(
  { clientId: text, clientSecret: textOrReference, refreshToken: textOrReference, scope: text, issuer: text },
  { names: 'a member of oauth', needs: ['clientId', 'issuer'] },
);

const entry = objectOf(
  {
    type: kind,
    command: text,
    args: words,
    env: mapOf('an object by names of variables', textOrReference),
    workspace: workspaceAccess,
    hosts: listOf('a list of hosts', host),
    read: listOf('a list of folders', folder),
    url: text,
    headers: mapOf('an object by names of headers', textOrReference),
    bearer: textOrReference,
    oauth,
    timeoutSeconds: positiveNumber,
    skills: flag,
  },
  { names: 'a member of a server' },
);

const expected = 'an object of servers by name';

/** Servers of MCP tools by name. One that is not right in all its parts is left out whole: with less it would be another one. */
export const toolServers: Shape = {
  ...mapOf(expected, entry),
  fit(value, path, complain) {
    if (!isJsonObject(value)) {
      complain(path, expected);
      return undefined;
    }
    const right = Object.entries(value).filter(([name, server]) => {
      const read = readServerEntry(name, server, 'settings');
      if (typeof read === 'string')
        complain(`${path}.${name}`, `the description of a server; this one ${read}`);
      return typeof read === 'object';
    });
    return Object.fromEntries(right);
  },
};
