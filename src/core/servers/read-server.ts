import { isAbsolute } from 'node:path';
import { optional } from '../collections.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { hostPattern } from './hosts.ts';
import {
  isServerName,
  isSettingValue,
  type HttpServer,
  type OAuthClient,
  type ServerDescription,
  type SettingValue,
  type StdioServer,
} from './tool-server.ts';

/**
 * The origin of a server entry: a skill's file, the settings, or a `.mcp.json` file, which other programs
 * also read.
 */
export type ServerOrigin = 'descriptor' | 'settings' | 'mcp-json';

/**
 * Returns the server that an entry describes, or the reason why the entry is invalid. The reason completes a
 * sentence that begins with `The server "x"`.
 */
export function readServerEntry(name: string, entry: Json, from: ServerOrigin): ServerDescription | string {
  if (name === '' || /\s/.test(name)) return 'has a space in its name';
  if (!isServerName(name)) return 'has an invalid name (use letters, digits, hyphens and single underscores)';
  if (!isJsonObject(entry)) return 'is not an object';
  const given: Given = from === 'mcp-json' ? knownPart(entry) : entry;
  const stranger = Object.keys(given).find((key) => !members[from].includes(key));
  if (stranger !== undefined)
    return members.settings.includes(stranger)
      ? `has "${stranger}", which is only allowed in settings`
      : `has an unknown field "${stranger}"`;
  const { command, url, timeoutSeconds, skills } = given;
  if ((command === undefined) === (url === undefined)) return 'needs either a "command" or a "url"';
  const fault = faultOfType(given) ?? faultOfRest(given);
  if (fault !== undefined) return fault;
  const common = {
    name,
    ...(typeof timeoutSeconds === 'number' ? { timeoutSeconds } : {}),
    ...(skills === true ? { skills } : {}),
    ...(from === 'mcp-json' ? { expands: true as const } : {}),
  };
  return command === undefined ? readHttp(common, given, from) : readStdio(common, given, from);
}

type Given = Readonly<Record<string, Json | undefined>>;
type Common = Pick<ServerDescription, 'name' | 'timeoutSeconds' | 'skills' | 'expands'>;

const ofAll = ['type', 'command', 'args', 'env', 'url', 'headers'];
const ofSkills = [...ofAll, 'workspace', 'hosts', 'timeoutSeconds'];
const members: Readonly<Record<ServerOrigin, readonly string[]>> = {
  descriptor: ofSkills,
  settings: [...ofSkills, 'read', 'skills', 'bearer', 'oauth'],
  'mcp-json': ofSkills,
};

/** Drops fields that are meant for other programs or for the other kind of server. */
function knownPart(entry: JsonObject): JsonObject {
  const others = entry['command'] === undefined ? ofPrograms : ofAddresses;
  return Object.fromEntries(
    Object.entries(entry).filter(([key]) => ofSkills.includes(key) && !others.includes(key)),
  );
}

function faultOfType({ type, command }: Given): string | undefined {
  if (type === undefined) return undefined;
  if (type === 'sse') return 'has the outdated "type" "sse" (use "http" with the matching address)';
  if (typeof type !== 'string' || !['stdio', ...http].includes(type))
    return 'has a "type" that is neither "stdio" nor "http"';
  if (http.includes(type) !== (command === undefined))
    return `has the "type" "${type}" and ${command === undefined ? 'a "url"' : 'a "command"'}`;
  return undefined;
}

const http = ['http', 'streamable-http', 'streamableHttp'];

function faultOfRest({ command, timeoutSeconds = 1, skills = false, ...more }: Given): string | undefined {
  if (!Number.isSafeInteger(timeoutSeconds) || Number(timeoutSeconds) < 1)
    return 'has a "timeoutSeconds" that is not a positive whole number';
  if (typeof skills !== 'boolean') return 'has a "skills" that is not true or false';
  const strangers = command === undefined ? ofPrograms : ofAddresses;
  const stranger = strangers.find((key) => more[key] !== undefined);
  if (stranger === undefined) return undefined;
  return `has "${stranger}", which requires a "${command === undefined ? 'command' : 'url'}"`;
}

const ofPrograms = ['args', 'env', 'workspace', 'hosts', 'read'];
const ofAddresses = ['headers', 'bearer', 'oauth'];

function readStdio(common: Common, given: Given, from: ServerOrigin): StdioServer | string {
  const { command, args = [], env = {}, workspace, hosts, read } = given;
  if (typeof command !== 'string') return 'has a "command" that is not a string';
  if (command.trim() === '') return 'has a blank "command"';
  if (!isListOf(args, isPlainText)) return 'has "args" that are not a list of strings';
  if (!isMapOf(env, valuesOf(from))) return `has an "env" that is not a map of ${describeValues(from)}`;
  if (workspace !== undefined && !isAccess(workspace))
    return 'has a "workspace" that is neither "read" nor "write"';
  if (hosts !== undefined && !isListOf(hosts, isHost)) return 'has "hosts" that are not a list of hosts';
  if (read !== undefined && !isListOf(read, isFolder))
    return 'has a "read" that is not a list of absolute paths or paths that start with ~/';
  return {
    kind: 'stdio',
    ...common,
    command,
    args,
    env,
    ...optional('workspace', workspace),
    ...optional('hosts', hosts),
    ...optional('read', read),
  };
}

function readHttp(common: Common, given: Given, from: ServerOrigin): HttpServer | string {
  const { url, headers = {}, bearer, oauth } = given;
  if (!isText(url) || !mayBeAddress(url, from)) return 'has a "url" that is not http or https';
  if (/^https?:\/\/[^/?#]*@/i.test(url)) return 'has a "url" with a user name or a password in it';
  if (!isMapOf(headers, valuesOf(from))) return `has "headers" that are not a map of ${describeValues(from)}`;
  if (bearer !== undefined && !isSettingValue(bearer))
    return 'has a "bearer" that is neither a string nor {"env": "NAME"}';
  const client = oauth === undefined ? undefined : readOAuthClient(oauth);
  if (typeof client === 'string') return client;
  if (client !== undefined && bearer !== undefined) return 'has both "bearer" and "oauth"';
  return {
    kind: 'http',
    ...common,
    url,
    headers,
    ...optional('bearer', bearer),
    ...optional('oauth', client),
  };
}

/** Whether the text is a valid address of an HTTP server. */
export function isHttpAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/**
 * Whether the text is a valid address, or could become one when its variables are replaced. Such an address
 * is checked again after the replacement.
 */
function mayBeAddress(url: string, from: ServerOrigin): boolean {
  return isHttpAddress(url) || (from !== 'settings' && variablesIn(url).length > 0);
}

function valuesOf(from: ServerOrigin): (value: Json) => value is SettingValue {
  return from === 'settings' ? isSettingValue : isPlainText;
}

function describeValues(from: ServerOrigin): string {
  return from === 'settings' ? 'strings, or {"env": "NAME"} for secrets' : 'strings';
}

function isPlainText(value: Json): value is string {
  return typeof value === 'string';
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isAccess(value: Json): value is 'read' | 'write' {
  return value === 'read' || value === 'write';
}

function isHost(value: Json): value is string {
  return typeof value === 'string' && hostPattern.test(value);
}

function isFolder(value: Json): value is string {
  return typeof value === 'string' && (isAbsolute(value) || value.startsWith('~/'));
}

function isListOf<Item extends Json>(
  value: Json,
  fits: (item: Json) => item is Item,
): value is readonly Item[] {
  return Array.isArray(value) && value.every((item: Json) => fits(item));
}

function isMapOf<Item extends Json>(
  value: Json,
  fits: (item: Json) => item is Item,
): value is Readonly<Record<string, Item>> {
  return isJsonObject(value) && Object.values(value).every((item) => fits(item));
}

/**
 * Returns the OAuth client that an entry describes, or the reason why the entry is invalid. The reason
 * completes a sentence that begins with `The server "x"`.
 */
function readOAuthClient(entry: Json): OAuthClient | string {
  if (!isJsonObject(entry)) return 'has an "oauth" that is not an object';
  const { clientId, clientSecret, refreshToken, scope, issuer, ...rest } = entry as Readonly<
    Record<string, Json | undefined>
  >;
  const [stranger] = Object.keys(rest);
  if (stranger !== undefined) return `has an unknown field "${stranger}" in its "oauth"`;
  if (typeof clientId !== 'string' || clientId.trim() === '') return 'has an "oauth" without a "clientId"';
  if (scope !== undefined && typeof scope !== 'string') return 'has an "oauth" whose "scope" is not a string';
  if (issuer === undefined)
    return 'has an "oauth" without an "issuer", the address of the authorization server';
  if (typeof issuer !== 'string' || !/^https?:/i.test(issuer) || !URL.canParse(issuer))
    return 'has an "oauth" whose "issuer" is not http or https';
  if (clientSecret === undefined && refreshToken === undefined)
    return 'has an "oauth" with neither a "clientSecret" nor a "refreshToken"';
  if (clientSecret !== undefined && !isSettingValue(clientSecret)) return badSecret('clientSecret');
  if (refreshToken !== undefined && !isSettingValue(refreshToken)) return badSecret('refreshToken');
  return {
    clientId,
    issuer,
    ...optional('clientSecret', clientSecret),
    ...optional('refreshToken', refreshToken),
    ...optional('scope', scope),
  };
}

function badSecret(name: string): string {
  return `has an "oauth" whose "${name}" is neither a string nor {"env": "NAME"}`;
}

/** Returns the variable names in `${NAME}` and `${NAME:-default}`, in order of appearance. */
export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(reference)].map(([, name = '']) => name);
}

/**
 * Replaces the variables in a string with their values. `valueOf` is called for every variable and throws if
 * a variable has neither a value nor a default. Inserted values are not searched for variables.
 */
export function fillVariables(
  text: string,
  valueOf: (name: string, isNeeded: boolean) => string | undefined,
): string {
  return text.replace(
    reference,
    (_, name: string, usual: string | undefined) => valueOf(name, usual === undefined) ?? usual ?? '',
  );
}

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;
