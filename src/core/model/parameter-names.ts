import { isJsonObject, type Json, type JsonObject } from '../json.ts';

/** The names that other programs use for parameters, mapped to the names in the schema. */
export type ParameterNames = Readonly<Record<string, string>>;

/** A function that converts a parameter's value. It returns undefined to omit the parameter. */
export type ParameterConversion = (value: Json) => Json | undefined;

/**
 * Returns a function that renames an input's parameters to the names in the schema and converts some of their
 * values. Models that were trained with the tools of Claude Code, Codex, Gemini CLI or pi use the names of
 * those tools even if the schema does not list them. Listing them would cost tokens in every request without
 * helping any model. If an input contains a parameter under two names, the extra name is not replaced, and
 * the schema rejects it.
 */
export function renamesInput(
  names: ParameterNames,
  conversions: Readonly<Record<string, ParameterConversion>> = {},
): (input: JsonObject) => JsonObject {
  return (input) => {
    const taken = new Set(Object.keys(input));
    const entries = Object.entries(input).flatMap(([key, value]): readonly (readonly [string, Json])[] => {
      const other = Object.hasOwn(names, key) ? names[key] : undefined;
      const name = other === undefined || taken.has(other) ? key : other;
      taken.add(name);
      const convert = Object.hasOwn(conversions, key) ? conversions[key] : undefined;
      const converted =
        convert === undefined || (name === key && other !== undefined) ? value : convert(value);
      return converted === undefined ? [] : [[name, converted]];
    });
    return Object.fromEntries<Json>(entries);
  };
}

/** Other names for a parameter that contains a file path. */
export const pathNames: ParameterNames = {
  path: 'file_path',
  filePath: 'file_path',
  absolute_path: 'file_path',
  filename: 'file_path',
};

/** Other names for a parameter that contains a folder path. */
export const folderNames: ParameterNames = { directory: 'path', dir_path: 'path', folder: 'path' };

const replacementNames: ParameterNames = {
  old_str: 'old_string',
  oldText: 'old_string',
  old_text: 'old_string',
  oldString: 'old_string',
  new_str: 'new_string',
  newText: 'new_string',
  new_text: 'new_string',
  newString: 'new_string',
  replaceAll: 'replace_all',
  allow_multiple: 'replace_all',
  expected_replacements: 'replace_all',
};

const renameReplacement = renamesInput(
  { ...pathNames, ...replacementNames },
  {
    // Gemini CLI passes the number of occurrences that it expects to replace.
    expected_replacements: (count) => (typeof count === 'number' ? count > 1 : count),
    instruction: () => undefined, // Gemini CLI explains the edit to a second model, which skilled lacks.
  },
);

/**
 * Renames the parameters of an edit to the names in the schema. A list with a single edit is replaced by that
 * edit, unless the edit contains another list of edits. Otherwise, hooks and rules could check a path other
 * than the one that is edited.
 */
export function renameEdit(input: JsonObject): JsonObject {
  const { edits, ...others } = input;
  const [only, ...more] = Array.isArray(edits) ? (edits as readonly Json[]) : [];
  const isSingle = isJsonObject(only) && more.length === 0 && !Object.hasOwn(only, 'edits');
  return renameReplacement(isSingle ? { ...others, ...only } : input);
}

const shells: ReadonlySet<Json> = new Set(['bash', 'sh', '/bin/bash', '/bin/sh']);

/** Renames the parameters of a command to the names in the schema. */
export const renameCommand = renamesInput(
  {
    cmd: 'command',
    timeout: 'timeout_ms',
    is_background: 'run_in_background',
    background: 'run_in_background',
  },
  {
    // Claude Code passes milliseconds, and pi passes seconds. A value below 1,000 is therefore read as
    // seconds.
    timeout: (time) => (typeof time === 'number' && time > 0 && time < 1000 ? Math.ceil(time * 1000) : time),
    cmd: scriptIn,
    command: scriptIn,
  },
);

/** Returns the script in `["bash", "-lc", script]`, as Codex passes it. Returns any other value unchanged. */
function scriptIn(command: Json): Json {
  if (!Array.isArray(command)) return command;
  const [shell = '', flag, script, ...more] = command as readonly Json[];
  const isScript = shells.has(shell) && (flag === '-c' || flag === '-lc') && more.length === 0;
  return isScript && typeof script === 'string' ? script : command;
}

const fileTypes: Readonly<Record<string, string>> = {
  js: '{js,jsx,mjs,cjs}',
  ts: '{ts,tsx,mts,cts}',
  py: '{py,pyi}',
  python: '{py,pyi}',
  rust: 'rs',
  md: '{md,markdown}',
  markdown: '{md,markdown}',
  yaml: '{yaml,yml}',
  ruby: 'rb',
  html: '{html,htm}',
  c: '{c,h}',
  cpp: '{cpp,cc,cxx,hpp,hh,h}',
};

/** Renames the parameters of a file search to the names in the schema. */
export const renameSearch = renamesInput(
  {
    ...folderNames,
    '-i': 'case_insensitive',
    ignoreCase: 'case_insensitive',
    '-n': 'line_numbers',
    '-A': 'after',
    '-B': 'before',
    '-C': 'context',
    limit: 'head_limit',
    outputMode: 'output_mode',
    include: 'glob',
    include_pattern: 'glob',
    type: 'glob',
    query: 'pattern',
    regex: 'pattern',
  },
  {
    head_limit: (limit) => (limit === 0 ? undefined : limit), // In Claude Code, 0 means no limit.
    type: (type) => {
      if (typeof type !== 'string' || !/^\w+$/.test(type)) return type;
      return `*.${Object.hasOwn(fileTypes, type) ? (fileTypes[type] ?? type) : type}`;
    },
  },
);
