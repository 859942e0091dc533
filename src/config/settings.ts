import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Settings } from '../agent/options.ts';
import { toErrorData } from '../core/error.ts';
import type { Issue } from '../core/issue.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { parseJsonWithComments } from './json-with-comments.ts';
import { readShape } from './settings-shape.ts';

/** The settings files that apply in a folder, lowest precedence first; missing ones included. */
export function settingsFiles(startDir: string, userFolder: string): readonly string[] {
  const project = projectFolder(startDir);
  return [
    join(userFolder, 'settings.json'),
    join(project, '.skilled', 'settings.json'),
    join(project, '.skilled', 'settings.local.json'),
  ];
}

/** Reads and joins the settings files; a broken file is a finding with its line, and the others still count. */
export function readSettings(startDir: string, userFolder: string): { readonly settings: Settings; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  let all: JsonObject = {};
  for (const file of settingsFiles(startDir, userFolder)) {
    const layer = readLayer(file, issues);
    if (layer !== undefined) all = joinLayers(all, layer);
  }
  return { settings: { ...readShape(all, issues), all }, issues };
}

function readLayer(file: string, issues: Issue[]): JsonObject | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const value = parseJsonWithComments(readFileSync(file, 'utf8'), file);
    if (isJsonObject(value)) return value;
    issues.push({ level: 'error', code: 'settings.invalid', message: 'The settings must be a JSON object.', file });
  } catch (thrown) {
    const { message, hint } = toErrorData(thrown);
    issues.push({ level: 'error', code: 'settings.invalid', message, file, ...(hint === undefined ? {} : { hint }) });
  }
  return undefined;
}

/** Objects are joined key by key; everything else is replaced by the later layer. */
function joinLayers(below: JsonObject, above: JsonObject): JsonObject {
  const joined = new Map<string, Json>(Object.entries(below));
  for (const [key, value] of Object.entries(above)) {
    if (key === '__proto__') continue;
    const before = joined.get(key);
    joined.set(key, isJsonObject(before) && isJsonObject(value) ? joinLayers(before, value) : value);
  }
  return Object.fromEntries(joined);
}

/** The nearest folder upwards that has settings, else the start folder itself. */
function projectFolder(startDir: string): string {
  for (let dir = resolve(startDir); ; dir = dirname(dir)) {
    if (existsSync(join(dir, '.skilled'))) return dir;
    if (existsSync(join(dir, '.git')) || dirname(dir) === dir) return resolve(startDir);
  }
}
