import { defineSkill, zod, type JsonObject, renameSearch } from '../core/index.ts';
import {
  expressionOf,
  globPattern,
  grepInThread,
  isSearchMeantBy,
  realParts,
  resolveSearch,
  searchMayTouch,
  type GrepFound,
  type GrepQuery,
} from '../files/index.ts';

const usualResults = 250;
const maxCharacters = 100_000;
const maxMs = 10_000;

/** Searches the contents of workspace files. */
export const grep = defineSkill({
  name: 'grep',
  description:
    'Searches the files of the workspace, or of a listed skill, with a regular expression and returns the files, ' +
    'the matching lines or their count. Ignored and binary files are skipped.',
  permission: 'Grep',
  readOnly: true,
  allowedSkills: [],
  renameInput: renameSearch,
  input: () => {
    const { z } = zod();
    return z.strictObject({
      pattern: z.string().min(1).describe('The regular expression to search for, in JavaScript syntax.'),
      path: z.string().min(1).optional().describe('The file or folder to search. Default: the workspace.'),
      glob: z
        .string()
        .min(1)
        .optional()
        .describe(
          'Search only files whose path matches, such as *.md or src/**; a leading ! excludes them instead.',
        ),
      output_mode: z
        .enum(['files_with_matches', 'content', 'count'])
        .default('files_with_matches')
        .describe('What to return: the files, the matching lines, or how many lines match in each file.'),
      case_insensitive: z.boolean().default(false).describe('Ignore case.'),
      line_numbers: z.boolean().default(true).describe('Number the lines; only with output_mode content.'),
      before: z
        .int()
        .min(0)
        .optional()
        .describe('Lines to show before each match; only with output_mode content.'),
      after: z
        .int()
        .min(0)
        .optional()
        .describe('Lines to show after each match; only with output_mode content.'),
      context: z
        .int()
        .min(0)
        .optional()
        .describe('Lines to show around each match; only with output_mode content.'),
      multiline: z
        .boolean()
        .default(false)
        .describe('Let a match span several lines; . also matches line breaks.'),
      head_limit: z
        .int()
        .min(1)
        .default(usualResults)
        .describe(
          'Stop after this many results. Results are matches if output_mode is content, and files otherwise.',
        ),
    });
  },
  matches: (spec, { path = '.' }, workspace) => isSearchMeantBy(spec, path, workspace),
  mayTouch: (spec, { path = '.' }, workspace) => searchMayTouch(spec, path, workspace),
  parts: ({ pattern, path = '.' }, workspace) =>
    realParts(path, workspace, (target) => ({ pattern, path: target })),
  async run(input, scope) {
    const { pattern, glob, output_mode: mode, multiline, context = 0 } = input;
    const found = await scope.step('grep', async () => {
      // Reject an invalid regular expression or file pattern before starting a thread.
      expressionOf({ pattern, ignoreCase: input.case_insensitive, multiline });
      if (glob !== undefined) globPattern(glob.replace(/^!?\/?/, ''));
      const { start, root, pathOf } = resolveSearch(
        { workspace: scope.files.workspace, others: scope.files.readable },
        input.path ?? '.',
      );
      const query = {
        pattern,
        glob,
        mode,
        multiline,
        root,
        start,
        ignoreCase: input.case_insensitive,
        results: input.head_limit,
        characters: maxCharacters,
        before: input.before ?? context,
        after: input.after ?? context,
      };
      const { files, lines, ...rest } = await grepInThread(query, maxMs, scope.signal);
      const named = <Item extends { readonly path: string }>(item: Item): Item => ({
        ...item,
        path: pathOf(item.path),
      });
      return { ...rest, files: files.map(named), lines: lines.map(named) };
    });
    const text = [...resultsOf(found, input), ...notesOf(found, input.head_limit)].join('\n');
    return { status: 'done', text, value: { ...valueOf(found, mode), truncated: found.isStopped } };
  },
});

/** The options that control how search results are formatted. */
interface Shown {
  readonly output_mode: GrepQuery['mode'];
  readonly line_numbers: boolean;
}

function resultsOf({ files, lines }: GrepFound, { output_mode, line_numbers }: Shown): readonly string[] {
  if (files.length + lines.length === 0) return ['Nothing matches.'];
  if (output_mode === 'files_with_matches') return files.map(({ path }) => path);
  if (output_mode === 'count') return files.map(({ path, count }) => `${path}:${count}`);
  const hasOthers = lines.some(({ isMatch }) => !isMatch);
  return lines.flatMap(({ path, line, text, isMatch }, index) => {
    const mark = isMatch ? ':' : '-';
    const last = lines[index - 1];
    const isNext = last === undefined || (last.path === path && last.line === line - 1);
    const shown = `${path}${mark}${line_numbers ? `${line}${mark}` : ''}${text}`;
    return hasOthers && !isNext ? ['--', shown] : [shown];
  });
}

function notesOf({ isStopped, large, unreadable }: GrepFound, results: number): readonly string[] {
  return [
    ...(isStopped
      ? [
          `(The search stopped at ${results.toLocaleString('en')} results or ${maxCharacters.toLocaleString('en')} characters; there may be more.)`,
        ]
      : []),
    ...(large > 0 ? [`(Files too large to search: ${large}.)`] : []),
    ...(unreadable > 0 ? [`(Files and folders that could not be opened: ${unreadable}.)`] : []),
  ];
}

function valueOf({ files, lines }: GrepFound, mode: GrepQuery['mode']): JsonObject {
  if (mode === 'files_with_matches') return { files: files.map(({ path }) => path) };
  if (mode === 'count') return { counts: files };
  const matches = lines.filter(({ isMatch }) => isMatch);
  return { matches: matches.map(({ path, line, text }) => ({ path, line, text })) };
}
