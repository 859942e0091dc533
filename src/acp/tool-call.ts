import { resolve } from 'node:path';
import type { ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';
import { isJsonObject, visible, type Json, type JsonObject } from '../core/index.ts';

/** How an editor shows a call. */
interface ShownCall {
  readonly title: string;
  readonly kind: ToolKind;
  readonly locations: ToolCallLocation[];
  readonly content: ToolCallContent[];
}

const maxTitle = 100;

/**
 * Describes a call for an editor by the skill's name and its input. The fields of the input decide the kind,
 * so that the tools of MCP servers look like those of the package. Pure.
 */
export function describeCall(skill: string, input: Json, cwd: string): ShownCall {
  const fields = isJsonObject(input) ? input : {};
  const path = textIn(fields, 'file_path') ?? textIn(fields, 'path');
  const line = typeof fields['offset'] === 'number' ? { line: fields['offset'] } : {};
  const change = changeIn(fields, path, cwd);
  return {
    title: titleOf(skill, input),
    kind: change === undefined ? kindOf(fields) : 'edit',
    locations: path === undefined ? [] : [{ path: resolve(cwd, path), ...line }],
    content: change === undefined ? [] : [change],
  };
}

function changeIn(fields: JsonObject, path: string | undefined, cwd: string): ToolCallContent | undefined {
  if (path === undefined) return undefined;
  const whole = textIn(fields, 'content');
  const now = whole ?? textIn(fields, 'new_string');
  const before = whole === undefined ? textIn(fields, 'old_string') : null;
  if (now === undefined || before === undefined) return undefined;
  return { type: 'diff', path: resolve(cwd, path), oldText: before, newText: now };
}

function kindOf(fields: JsonObject): ToolKind {
  if ('command' in fields) return 'execute';
  if ('url' in fields) return 'fetch';
  if ('pattern' in fields || 'query' in fields) return 'search';
  return 'file_path' in fields || 'path' in fields ? 'read' : 'other';
}

/** Returns the name of a skill and the most telling part of its input, on one line. */
function titleOf(skill: string, input: Json): string {
  const fields = isJsonObject(input) ? input : {};
  const names = ['command', 'file_path', 'path', 'url', 'pattern', 'query', 'input', 'prompt'];
  const named = names.map((name) => textIn(fields, name)).find((text) => text !== undefined);
  const subject = typeof input === 'string' ? input : (named ?? '');
  const title = visible(`${skill} ${subject}`.replace(/\s+/g, ' ').trim());
  return title.length <= maxTitle ? title : `${title.slice(0, maxTitle).toWellFormed()}…`;
}

function textIn(fields: JsonObject, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}
