import { isJsonObject, type Json, type JsonObject } from '../json.ts';

/** Maps names that other programs use for a parameter to its own name. */
export type ParameterNames = Readonly<Record<string, string>>;

/** Converts a parameter's value. Returns undefined to omit the parameter. */
export type ParameterConversion = (value: Json) => Json | undefined;

/**
 * Returns a function that gives the parameters of an input their own names, and converts the values of some.
 * Models that were trained with the tools of Claude Code, Codex, Gemini CLI or pi send these names unasked, so
 * the schemas do not show them: that would cost every request tokens and help no model. A name that is given
 * twice stays as it is, and the schema refuses it.
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

/** The names of a parameter that is a file's path. */
export const pathNames: ParameterNames = {
  path: 'file_path',
  filePath: 'file_path',
  absolute_path: 'file_path',
  filename: 'file_path',
};

/** The names of a parameter that is a folder's path. */
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
    // Gemini CLI says how many occurrences it expects.
    expected_replacements: (count) => (typeof count === 'number' ? count > 1 : count),
    instruction: () => undefined, // Gemini CLI explains the edit for a second model, which does not exist here.
  },
);

/**
 * Gives the parameters of an edit their own names. A list of edits with one entry counts as that edit. An entry
 * with a list of its own does not: hooks and rules would see another path than the edit that is made.
 */
export function renameEdit(input: JsonObject): JsonObject {
  const { edits, ...others } = input;
  const [only, ...more] = Array.isArray(edits) ? (edits as readonly Json[]) : [];
  const isSingle = isJsonObject(only) && more.length === 0 && !Object.hasOwn(only, 'edits');
  return renameReplacement(isSingle ? { ...others, ...only } : input);
}

const shells: ReadonlySet<Json> = new Set(['bash', 'sh', '/bin/bash', '/bin/sh']);

/** Gives the parameters of a command their own names. */
export const renameCommand = renamesInput(
  {
    cmd: 'command',
    timeout: 'timeout_ms',
    is_background: 'run_in_background',
    background: 'run_in_background',
  },
  {
    // A timeout in milliseconds, as in Claude Code. A value below one second is in seconds, as in pi.
    timeout: (time) => (typeof time === 'number' && time > 0 && time < 1000 ? Math.ceil(time * 1000) : time),
    cmd: scriptIn,
    command: scriptIn,
  },
);

/** Returns the script in `["bash", "-lc", script]`, the form of Codex. Any other value stays as it is. */
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

/** Gives the parameters of a search in files their own names. */
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
