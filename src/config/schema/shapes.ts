import { isAbsolute } from 'node:path';
import { hostPattern, isJsonObject, readServerEntry, type Json } from '../../core/index.ts';
import { leaf, listOf, mapOf, objectOf, plainOr, type Shape } from './setting.ts';

/** A list of strings. */
export const textList = leaf(
  'a list of strings',
  { type: 'array', items: { type: 'string' } },
  (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
);

/** A boolean. */
export const flag = leaf('true or false', { type: 'boolean' }, (value) => typeof value === 'boolean');

/** A non-negative integer. */
export const wholeNumber = leaf(
  'a whole number',
  { type: 'integer', minimum: 0 },
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
);

/** A positive integer. */
export const positiveNumber = leaf(
  'a whole number of at least 1',
  { type: 'integer', minimum: 1 },
  (value) => Number.isSafeInteger(value) && Number(value) >= 1,
);

/** A non-negative number. */
export const amount = leaf(
  'a number of at least 0',
  { type: 'number', minimum: 0 },
  (value) => Number.isFinite(value) && Number(value) >= 0,
);

/** A string that is not blank. */
export const text = leaf('a non-empty string', { type: 'string', minLength: 1 }, isText);
const free: Shape = { ...leaf('anything', {}, () => true), member: () => free };
const anything: Shape = { ...leaf('an object', { type: 'object' }, isJsonObject), member: () => free };

const reference = { type: 'object', properties: { env: { type: 'string' } }, required: ['env'] };
/** A string, or a reference to the environment variable that contains it. */
const textOrReference = leaf(
  'a string, or {"env": "NAME"} for a secret',
  { anyOf: [{ type: 'string' }, reference] },
  (value) => typeof value === 'string' || isReference(value),
);
const secret = leaf('{"env": "NAME"}; secrets do not belong in settings', reference, isReference);

/** A host name that skills may access. */
const host = leaf(
  'a host such as "example.org", "*.example.org" or "localhost:8080", or "*" for all',
  { type: 'string', pattern: hostPattern.source },
  (value) => typeof value === 'string' && hostPattern.test(value),
);
/** A folder that skills may read. */
const folder = leaf(
  'an absolute path, or one that starts with ~/',
  { type: 'string', pattern: '^(?:~/|/|[A-Za-z]:[/\\\\])' },
  (value) => typeof value === 'string' && (isAbsolute(value) || value.startsWith('~/')),
);

/** The skills' level of access to the workspace. */
const workspaceAccess = leaf(
  '"read" or "write"',
  { enum: ['read', 'write'] },
  (value) => value === 'read' || value === 'write',
);

/** Settings for individual skills, keyed by skill name. */
export const skillEntries = mapOf(
  'an object keyed by skill name',
  objectOf({
    enabled: flag,
    env: mapOf('an object keyed by variable name', textOrReference),
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

/** The model to use for all tiers, or one model for each tier. */
export const modelChoice = plainOr(modelNames, mapOf('an object of these keyed by tier', modelNames));

/** The model tier for each role. */
export const tiersOfRoles: Shape = {
  ...objectOf({ plan: text, execution: text, code: text, summary: text }, { names: 'a role' }),
  expected: 'an object of tiers keyed by role',
};

const webAddress = leaf(
  'an http:// or https:// address without a password',
  { type: 'string', pattern: '^https?://[^@]+$' },
  (value) => typeof value === 'string' && /^https?:\/\/[^\s@]+$/.test(value) && URL.canParse(value),
);

/** The name of an environment variable. The settings store only its name, to keep its value out of files. */
const variableName = leaf(
  'the name of an environment variable; keys do not belong in settings',
  { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$' },
  (value) => typeof value === 'string' && /^[A-Za-z_]\w*$/.test(value),
);

const toolProtocol = leaf(
  '"native" or "text"',
  { enum: ['native', 'text'] },
  (value) => value === 'native' || value === 'text',
);

/** Additional model servers, keyed by the name before the slash in a model name. */
export const namedProviders = mapOf(
  'an object of servers keyed by name',
  objectOf({ baseUrl: webAddress, apiKeyEnv: variableName, tools: toolProtocol }, { needs: ['baseUrl'] }),
);

/** Model prices. */
export const modelPrices = mapOf(
  'an object of prices keyed by model',
  objectOf(
    { input: amount, output: amount, cached: amount, cacheWrite: amount },
    { names: 'a price', needs: ['input', 'output'] },
  ),
);

/** The location where runs are stored. An address with a password is valid only in a variable. */
export const storeName = leaf(
  'a path, or a postgres:// address without a password',
  { type: 'string', minLength: 1 },
  isWithoutPassword,
);

/** The location where records are stored. An address with a password is valid only in a variable. */
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
  { names: 'a setting of oauth', needs: ['clientId', 'issuer'] },
);

const entry = objectOf(
  {
    type: kind,
    command: text,
    args: textList,
    env: mapOf('an object keyed by variable name', textOrReference),
    workspace: workspaceAccess,
    hosts: listOf('a list of hosts', host),
    read: listOf('a list of folders', folder),
    url: text,
    headers: mapOf('an object keyed by header name', textOrReference),
    bearer: textOrReference,
    oauth,
    timeoutSeconds: positiveNumber,
    skills: flag,
  },
  { names: 'a setting of a server' },
);

const expected = 'an object of servers keyed by name';

/**
 * MCP servers, keyed by name. A server with an invalid property is removed as a whole, because the rest alone
 * could have a different effect.
 */
export const toolServers: Shape = {
  ...mapOf(expected, entry),
  fit(value, path, complain) {
    if (!isJsonObject(value)) {
      complain(path, expected);
      return undefined;
    }
    const right = Object.entries(value).filter(([name, server]) => {
      const read = readServerEntry(name, server, 'settings');
      if (typeof read === 'string') complain(`${path}.${name}`, `a valid server; this one ${read}`);
      return typeof read === 'object';
    });
    return Object.fromEntries(right);
  },
};
